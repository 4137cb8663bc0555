#include "planning_binding.hpp"

#include <algorithm>
#include <cmath>

#include "ik_binding.hpp"
#include "kernels.hpp"
#include "planning_table.hpp"
#include "spread.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

namespace baxterkit {
namespace {

// The numbers of a C-contiguous array of doubles whose last axis has 14; their rows.
const double* rows_of(PyObject* object, npy_intp* rows) {
  if (!PyArray_CheckExact(object)) return nullptr;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  const int ndim = PyArray_NDIM(array);
  if (PyArray_TYPE(array) != NPY_DOUBLE || ndim < 1 || !PyArray_ISCARRAY_RO(array)) return nullptr;
  if (PyArray_DIM(array, ndim - 1) != kPlanJoints) return nullptr;
  *rows = PyArray_SIZE(array) / kPlanJoints;
  return static_cast<const double*>(PyArray_DATA(array));
}

}  // namespace

PyObject* connect(const BodyShape& body, PyObject* const* args, Py_ssize_t nargs) {
  if (!PyArray_API) import_array1(nullptr);
  PlanTask task;
  npy_intp starts, goals, limits;
  const double* ends = nullptr;
  bool fine = nargs == 12 && (task.start = rows_of(args[0], &starts)) && starts == 1 &&
              (task.goals = rows_of(args[1], &goals)) && goals >= 1 && goals < (1 << 20) &&
              (ends = rows_of(args[2], &limits)) && limits == 2;
  if (!fine) {
    PyErr_SetString(PyExc_ValueError, "connect takes start (14,), goals (n, 14), limits (2, 14), "
                                      "then nine numbers");
    return nullptr;
  }
  const unsigned long moves = PyLong_AsUnsignedLong(args[3]);
  task.head = PyFloat_AsDouble(args[4]);
  task.padding = PyFloat_AsDouble(args[5]);
  task.range = PyFloat_AsDouble(args[6]);
  task.samples = PyLong_AsLongLong(args[7]);
  task.seconds = PyFloat_AsDouble(args[8]);
  task.seed = PyLong_AsUnsignedLongLong(args[9]);
  task.step = PyFloat_AsDouble(args[10]);
  task.one_arm = PyFloat_AsDouble(args[11]);
  if (PyErr_Occurred()) return nullptr;
  task.body = &body;
  task.goal_count = static_cast<int>(goals);
  task.moves[0] = moves & 1;
  task.moves[1] = moves >> 1 & 1;
  for (int j = 0; j < kPlanJoints; ++j) {
    task.lower[j] = ends[j];
    task.upper[j] = ends[kPlanJoints + j];
    fine = fine && std::isfinite(task.lower[j]) && std::isfinite(task.upper[j]);
  }
  if (!fine || !(task.range > 0.0) || !(task.step > 0.0) || !(moves & 3)) {
    PyErr_SetString(PyExc_ValueError, "limits must be finite, range and step positive, and an arm must move");
    return nullptr;
  }
  PlanPath path;
  Spread thread;
  const PlanStop stop = {[](void* of) { return static_cast<Spread*>(of)->stopped(); }, &thread};
  const PlanTable& table = *active_table()->plan;
  const bool calm = thread.run(1, [&] { table.rrt_connect(task, stop, &path); });
  if (!calm) return nullptr;
  npy_intp shape[2] = {static_cast<npy_intp>(path.points.size()) / kPlanJoints, kPlanJoints};
  PyObject* points = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
  if (!points) return nullptr;
  std::copy(path.points.begin(), path.points.end(),
            static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(points))));
  return Py_BuildValue("iiNLLLLii", static_cast<int>(path.end), path.goal, points,
                       static_cast<long long>(path.samples), static_cast<long long>(path.verdicts),
                       static_cast<long long>(path.proofs), static_cast<long long>(path.refuted),
                       path.nodes[0], path.nodes[1]);
}

}  // namespace baxterkit
