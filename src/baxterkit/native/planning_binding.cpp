#include "planning_binding.hpp"

#include <algorithm>
#include <cmath>

#include "ik_binding.hpp"
#include "kernels.hpp"
#include "planning/speeds.hpp"
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

PyArrayObject* array_of(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

// A new array of the numbers, or null with an exception set.
PyObject* new_array(const std::vector<double>& numbers, npy_intp rows, npy_intp columns) {
  npy_intp shape[2] = {rows, columns};
  PyObject* array = PyArray_SimpleNew(columns ? 2 : 1, shape, NPY_DOUBLE);
  if (!array) return nullptr;
  std::copy(numbers.begin(), numbers.end(), static_cast<double*>(PyArray_DATA(array_of(array))));
  return array;
}

PlanStop stop_of(Spread* thread) {
  return {[](void* of) { return static_cast<Spread*>(of)->stopped(); }, thread};
}

}  // namespace

PyObject* connect(const BodyShape& body, PyObject* const* args, Py_ssize_t nargs) {
  if (!PyArray_API) import_array1(nullptr);
  PlanTask task;
  npy_intp starts, goals, limits;
  const double* ends = nullptr;
  bool fine = nargs == 14 && (task.start = rows_of(args[0], &starts)) && starts == 1 &&
              (task.goals = rows_of(args[1], &goals)) && goals >= 1 && goals < (1 << 20) &&
              (ends = rows_of(args[2], &limits)) && limits == 2;
  if (!fine) {
    PyErr_SetString(PyExc_ValueError, "connect takes start (14,), goals (n, 14), limits (2, 14), "
                                      "then ten numbers and a flag");
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
  task.patience = PyLong_AsLongLong(args[12]);
  task.keep_trees = PyObject_IsTrue(args[13]) == 1;
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
  const PlanStop stop = stop_of(&thread);
  const PlanTable& table = *active_table()->plan;
  const bool calm = thread.run(1, [&] { table.rrt_connect(task, stop, &path); });
  if (!calm) return nullptr;
  PyObject* rows[3] = {};
  const std::vector<double>* numbers[3] = {&path.points, &path.edges[0], &path.edges[1]};
  for (int i = 0; i < 3; ++i) {
    rows[i] = new_array(*numbers[i], numbers[i]->size() / kPlanJoints, kPlanJoints);
    if (rows[i]) continue;
    for (PyObject* made : rows) Py_XDECREF(made);
    return nullptr;
  }
  return Py_BuildValue("iiNLLLLiiNN", static_cast<int>(path.end), path.goal, rows[0],
                       static_cast<long long>(path.samples), static_cast<long long>(path.verdicts),
                       static_cast<long long>(path.proofs), static_cast<long long>(path.refuted),
                       path.nodes[0], path.nodes[1], rows[1], rows[2]);
}

PyObject* smooth(const BodyShape& body, PyObject* const* args, Py_ssize_t nargs) {
  if (!PyArray_API) import_array1(nullptr);
  npy_intp rows = 0;
  const double* way = nargs == 7 ? rows_of(args[0], &rows) : nullptr;
  if (!way || rows < 1) {
    PyErr_SetString(PyExc_ValueError, "smooth takes a path (n, 14), then six numbers");
    return nullptr;
  }
  PlanTask task = {};
  task.body = &body;
  task.start = way;
  task.moves[0] = task.moves[1] = true;
  task.head = PyFloat_AsDouble(args[1]);
  task.padding = PyFloat_AsDouble(args[2]);
  task.step = PyFloat_AsDouble(args[3]);
  const long rounds = PyLong_AsLong(args[4]);
  const double most = PyFloat_AsDouble(args[5]);
  task.seed = PyLong_AsUnsignedLongLong(args[6]);
  if (PyErr_Occurred()) return nullptr;
  if (!(task.step > 0.0)) {
    PyErr_SetString(PyExc_ValueError, "step must be positive");
    return nullptr;
  }
  std::vector<double> points(way, way + rows * kPlanJoints), roundings;
  Spread thread;
  const PlanStop stop = stop_of(&thread);
  const PlanTable& table = *active_table()->plan;
  const bool calm = thread.run(1, [&] {
    table.smooth(task, stop, static_cast<int>(rounds), most, &points, &roundings);
  });
  if (!calm) return nullptr;
  PyObject* corners = new_array(points, points.size() / kPlanJoints, kPlanJoints);
  PyObject* room = corners ? new_array(roundings, roundings.size(), 0) : nullptr;
  if (!room) {
    Py_XDECREF(corners);
    return nullptr;
  }
  return Py_BuildValue("NN", corners, room);
}

PyObject* speeds(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (!PyArray_API) import_array1(nullptr);
  SpeedTask task = {};
  const double* numbers[5];
  npy_intp sizes[5];
  bool fine = nargs == 5;
  for (int k = 0; k < 5 && fine; ++k) {
    fine = PyArray_CheckExact(args[k]) && PyArray_TYPE(array_of(args[k])) == NPY_DOUBLE &&
           PyArray_ISCARRAY_RO(array_of(args[k]));
    if (!fine) break;
    numbers[k] = static_cast<const double*>(PyArray_DATA(array_of(args[k])));
    sizes[k] = PyArray_SIZE(array_of(args[k]));
  }
  if (fine) {
    task.n = sizes[0];
    task.m = task.n ? sizes[1] / (2 * task.n) : 0;
    fine = task.n > 0 && sizes[4] == task.n + 1;
    for (int k = 1; k < 4; ++k) fine = fine && sizes[k] == 2 * task.n * task.m;
  }
  if (!fine) {
    PyErr_SetString(PyExc_ValueError, "speeds takes lengths (n,), rows a, b, c (n, 2, m) and the "
                                      "greatest squares of speeds (n + 1,)");
    return nullptr;
  }
  task.length = numbers[0];
  task.a = numbers[1];
  task.b = numbers[2];
  task.c = numbers[3];
  task.most = numbers[4];
  std::vector<double> x(task.n + 1);
  if (!Speeds(task).solve(x.data())) Py_RETURN_NONE;
  return new_array(x, x.size(), 0);
}

}  // namespace baxterkit
