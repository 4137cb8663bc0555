// The type BodyChecker of the extension: collision checks of the whole robot.
//
// Methods return None where an argument is not what they take (another type or layout, not
// finite): the caller then checks it in Python and raises the error in words.
#include "collision_binding.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "arguments.hpp"
#include "collision_shape.hpp"
#include "ik_binding.hpp"
#include "planning_binding.hpp"
#include "spread.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

namespace baxterkit {
namespace {

constexpr npy_intp kBlock = 1024;       // rows that a thread takes at a time
constexpr npy_intp kPerThread = 2048;   // below this, another thread costs more than it brings
constexpr npy_intp kWithGil = 32;       // below this, releasing the GIL costs more than it brings

struct BodyChecker {
  PyObject_HEAD
  BodyShape* shape;
};

PyTypeObject* checker_type = nullptr;

PyArrayObject* array_of(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

// The numbers of a C-contiguous array of this type whose last axis is `width` (0: any).
template <class Number>
const Number* numbers(PyObject* object, int type, npy_intp width, npy_intp* rows) {
  if (!PyArray_CheckExact(object)) return nullptr;
  PyArrayObject* array = array_of(object);
  const int ndim = PyArray_NDIM(array);
  if (PyArray_TYPE(array) != type || ndim < 1 || !PyArray_ISCARRAY_RO(array)) return nullptr;
  if (PyArray_DIM(array, ndim - 1) != width) return nullptr;
  *rows = PyArray_SIZE(array) / width;
  return static_cast<const Number*>(PyArray_DATA(array));
}

// Boxes of one obstacle, counted and checked but not read yet.
struct Solid {
  std::uint32_t links;
  const double *axes, *centers, *halves;
  npy_intp rows, half_rows;
  double radius;
};

// A tuple (links, axes (9,), centres (n, 3), halves (n, 3) or (1, 3), radius).
bool read_solid(PyObject* object, Solid* solid) {
  unsigned int links;
  PyObject *axes, *centers, *halves;
  npy_intp one;
  if (!PyTuple_Check(object) ||
      !PyArg_ParseTuple(object, "IOOOd", &links, &axes, &centers, &halves, &solid->radius)) {
    return false;
  }
  solid->links = links;
  solid->axes = numbers<double>(axes, NPY_DOUBLE, 9, &one);
  solid->centers = numbers<double>(centers, NPY_DOUBLE, 3, &solid->rows);
  solid->halves = numbers<double>(halves, NPY_DOUBLE, 3, &solid->half_rows);
  return solid->axes && one == 1 && solid->centers && solid->halves &&
         (solid->half_rows == 1 || solid->half_rows == solid->rows);
}

// BodyChecker(left kernels, right kernels, pan (12,), capsules left (n, 8), right (m, 8): link,
// start, end, radius; boxes (k, 17): link, centre, axes, half, radius; pairs (p, 2) int32; reaches
// (2, 9, 7): the farthest that points of each link of an arm can be from each joint's axis; of the
// world: a tuple of boxes that share their axes (`read_solid`), cylinders (n, 9): links, centre, axis,
// half the height, radius; planes (n, 5): links, normal, offset. Links are those that they are checked
// against, bits.)
int checker_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"left", "right", "pan", "left_capsules", "right_capsules",
                                "boxes", "pairs", "reaches", "world_boxes", "cylinders",
                                "planes", nullptr};
  PyObject *arms[2], *pan, *capsules[2], *boxes, *pairs, *reaches, *others[3];
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOOOOO", const_cast<char**>(names), &arms[0],
                                   &arms[1], &pan, &capsules[0], &capsules[1], &boxes, &pairs,
                                   &reaches, &others[0], &others[1], &others[2])) {
    return -1;
  }
  auto* checker = reinterpret_cast<BodyChecker*>(self);
  if (!checker->shape) checker->shape = new (std::nothrow) BodyShape();
  if (!checker->shape) {
    PyErr_NoMemory();
    return -1;
  }
  BodyShape& shape = *checker->shape;
  npy_intp rows = 0;
  const double* values = numbers<double>(pan, NPY_DOUBLE, 12, &rows);
  bool fine = values && rows == 1;
  if (fine) std::copy(values, values + 12, shape.pan);
  std::vector<BodyCapsule> all[2];
  for (int arm = 0; arm < 2 && fine; ++arm) {
    const Parameters* parameters = parameters_in(arms[arm]);
    values = numbers<double>(capsules[arm], NPY_DOUBLE, 8, &rows);
    fine = parameters && values;
    if (!fine) break;
    std::copy(parameters->mount, parameters->mount + 12, shape.mount[arm]);
    int last = 0;
    for (const double* row = values; fine && row < values + 8 * rows; row += 8) {
      BodyCapsule c;
      c.link = static_cast<int>(row[0]);
      std::copy(row + 1, row + 4, c.start);
      std::copy(row + 4, row + 7, c.end);
      c.radius = row[7];
      fine = c.link >= last && c.link < kArmLinks && c.radius >= 0.0 &&
             !std::equal(c.start, c.start + 3, c.end);
      last = c.link;
      all[arm].push_back(c);
    }
  }
  fine = fine && set_capsules(shape, all);
  values = fine ? numbers<double>(boxes, NPY_DOUBLE, 17, &rows) : nullptr;
  fine = values && PyTuple_Check(others[0]);
  // Room for all at once: boxes point to their axes, and a million of them are not to be moved.
  std::vector<Solid> solids(fine ? PyTuple_Size(others[0]) : 0);
  npy_intp count = rows;
  for (std::size_t n = 0; fine && n < solids.size(); ++n) {
    fine = read_solid(PyTuple_GetItem(others[0], n), &solids[n]);
    count += solids[n].rows;
  }
  PyErr_Clear();
  std::vector<BodyBox>& body = shape.box;
  body.clear();
  shape.axes.clear();
  if (fine) {
    body.reserve(count);
    shape.axes.reserve(rows + solids.size());
  }
  const auto add_axes = [&](const double* axes) {
    shape.axes.emplace_back();
    std::copy(axes, axes + 9, shape.axes.back().data());
    return shape.axes.back().data();
  };
  const auto add_box = [&](const double* center, const double* half, double radius,
                           const double* axes, int link) {
    BodyBox box;
    std::copy(center, center + 3, box.center);
    std::copy(half, half + 3, box.half);
    box.radius = radius;
    box.axes = axes;
    box.link = link;
    body.push_back(box);
  };
  for (const double* row = values; fine && row < values + 17 * rows; row += 17) {
    add_box(row + 1, row + 13, row[16], add_axes(row + 4), static_cast<int>(row[0]));
    fine = body.back().link >= kTorso && body.back().link < kWorld;
  }
  const int* links = fine ? numbers<int>(pairs, NPY_INT32, 2, &rows) : nullptr;
  fine = links != nullptr;
  std::fill(shape.allowed, shape.allowed + kMovingLanes, 0);
  std::uint32_t standing[kWorld] = {};
  for (int p = 0; fine && p < rows; ++p) {
    const int a = links[2 * p], b = links[2 * p + 1];
    fine = a >= 0 && a < kMoving && b > a && b < kWorld;
    if (!fine) break;
    if (b < kMoving) shape.allowed[a] |= 1u << b;
    else standing[b] |= 1u << a;
  }
  values = fine ? numbers<double>(reaches, NPY_DOUBLE, 7, &rows) : nullptr;
  fine = values && rows == 2 * kArmLinks;
  if (fine) set_reaches(shape, values);
  std::vector<std::uint32_t> of_box;
  of_box.reserve(count);
  for (const BodyBox& box : body) of_box.push_back(standing[box.link]);
  for (const Solid& solid : solids) {
    if (!fine) break;
    const double* axes = add_axes(solid.axes);
    for (npy_intp i = 0; i < solid.rows; ++i) {
      add_box(solid.centers + 3 * i, solid.halves + (solid.half_rows == 1 ? 0 : 3 * i),
              solid.radius, axes, kWorld);
      of_box.push_back(solid.links);
    }
  }
  values = fine ? numbers<double>(others[1], NPY_DOUBLE, 9, &rows) : nullptr;
  fine = values != nullptr;
  std::vector<BodyCylinder> cylinders;
  for (const double* row = values; fine && row < values + 9 * rows; row += 9) {
    BodyCylinder c;
    c.allowed = static_cast<std::uint32_t>(row[0]);
    std::copy(row + 1, row + 4, c.center);
    std::copy(row + 4, row + 7, c.axis);
    c.half = row[7];
    c.radius = row[8];
    cylinders.push_back(c);
  }
  values = fine ? numbers<double>(others[2], NPY_DOUBLE, 5, &rows) : nullptr;
  fine = values != nullptr;
  std::vector<BodyPlane> planes;
  for (const double* row = values; fine && row < values + 5 * rows; row += 5) {
    BodyPlane p;
    p.allowed = static_cast<std::uint32_t>(row[0]);
    std::copy(row + 1, row + 4, p.normal);
    p.offset = row[4];
    planes.push_back(p);
  }
  if (!fine) {
    PyErr_SetString(PyExc_ValueError,
                    "BodyChecker takes two ArmKernels, a pose, capsules (n, 8) sorted by link, boxes "
                    "(n, 17), pairs (n, 2) of links, the smaller number first, reaches (2, 9, 7), and "
                    "the world's boxes, cylinders (n, 9) and planes (n, 5)");
    return -1;
  }
  set_boxes(shape, of_box);
  set_others(shape, cylinders, planes);
  return 0;
}

void checker_dealloc(PyObject* self) {
  delete reinterpret_cast<BodyChecker*>(self)->shape;
  free_object(self);
}

struct Call {
  const BodyShape* shape;
  BodyRows in;
  npy_intp rows;
};

// A padding that can be compared with.
bool read_padding(PyObject* object, double* padding) {
  if (!PyFloat_Check(object)) return false;
  *padding = PyFloat_AsDouble(object);
  return std::isfinite(*padding);
}

// left (n, 7) or (7,), right likewise, head (n,) or a float: of one row they serve every row.
bool read_call(PyObject* self, PyObject* const* args, double* pan, Call* call) {
  call->shape = reinterpret_cast<BodyChecker*>(self)->shape;
  if (!call->shape) return false;
  npy_intp n[2];
  call->in.left = numbers<double>(args[0], NPY_DOUBLE, 7, &n[0]);
  call->in.right = call->in.left ? numbers<double>(args[1], NPY_DOUBLE, 7, &n[1]) : nullptr;
  if (!call->in.right) return false;
  npy_intp heads = 1;
  if (PyFloat_Check(args[2])) {
    *pan = PyFloat_AsDouble(args[2]);
    call->in.head = pan;
  } else {
    if (!PyArray_CheckExact(args[2])) return false;
    PyArrayObject* array = array_of(args[2]);
    if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)) return false;
    heads = PyArray_SIZE(array);
    call->in.head = static_cast<const double*>(PyArray_DATA(array));
  }
  call->rows = std::max({n[0], n[1], heads});
  if (n[0] == 0 || n[1] == 0 || heads == 0) call->rows = 0;
  if ((n[0] != 1 && n[0] != call->rows) || (n[1] != 1 && n[1] != call->rows) ||
      (heads != 1 && heads != call->rows)) {
    return false;
  }
  call->in.left_stride = n[0] == 1 ? 0 : 7;
  call->in.right_stride = n[1] == 1 ? 0 : 7;
  call->in.head_stride = heads == 1 ? 0 : 1;
  return true;
}

// Whether no angle of n joints, nor the pan and the padding, is so large that it may be in degrees or
// millimetres: Python then looks at it.
bool plausible(const double* q, npy_intp n, double pan, double padding) {
  const UnitBounds& most = unit_bounds();
  bool near = std::fabs(pan) <= most.one_turn && std::fabs(padding) <= most.wide;
  for (npy_intp i = 0; i < n; ++i) near &= std::fabs(q[i]) <= most.far_angle;
  return near;
}

// work(first, count) on blocks of [0, n), on several threads; says whether all were fine. False
// with an exception set if a signal's handler raised.
template <class Work>
bool spread(npy_intp n, bool* fine, const Work& work) {
  if (n < kWithGil) {
    *fine = n == 0 || work(0, n);
    return true;
  }
  std::atomic<npy_intp> next{0};
  std::atomic<bool> all{true};
  Spread threads;
  const npy_intp useful = std::max<npy_intp>(1, n / kPerThread);
  const int count = static_cast<int>(std::min<npy_intp>(thread_count(), useful));
  const bool calm = threads.run(count, [&] {
    while (!threads.stopped()) {
      const npy_intp first = next.fetch_add(kBlock);
      if (first >= n) return;
      if (!work(first, std::min(kBlock, n - first))) all = false;
    }
  });
  *fine = all;
  return calm;
}

// hit(left (7,), right (7,), head, padding) -> bool
PyObject* hit(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  Call call;
  double pan, padding;
  if (nargs != 4 || !read_padding(args[3], &padding) || !read_call(self, args, &pan, &call)) {
    Py_RETURN_NONE;
  }
  if (call.rows != 1 || PyArray_NDIM(array_of(args[0])) != 1 ||
      PyArray_NDIM(array_of(args[1])) != 1 || !PyFloat_Check(args[2]) ||
      !plausible(call.in.left, 7, pan, padding) || !plausible(call.in.right, 7, pan, padding)) {
    Py_RETURN_NONE;
  }
  const int verdict =
      active_table()->collision->hit(*call.shape, call.in.left, call.in.right, pan, padding);
  if (verdict < 0) Py_RETURN_NONE;
  return PyBool_FromLong(verdict);
}

// hits(left, right, head, padding) -> (n,) bool
PyObject* hits(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  Call call;
  double pan, padding;
  if (nargs != 4 || !read_padding(args[3], &padding) || !read_call(self, args, &pan, &call)) {
    Py_RETURN_NONE;
  }
  npy_intp shape[1] = {call.rows};
  PyObject* result = PyArray_SimpleNew(1, shape, NPY_BOOL);
  if (!result) return nullptr;
  auto* out = static_cast<unsigned char*>(PyArray_DATA(array_of(result)));
  const CollisionTable& table = *active_table()->collision;
  bool fine = true;
  const bool calm = spread(call.rows, &fine, [&](npy_intp first, npy_intp count) {
    return table.hits(*call.shape, count, call.in.from(first), padding, out + first);
  });
  if (calm && fine) return result;
  Py_DECREF(result);
  if (!calm) return nullptr;
  Py_RETURN_NONE;
}

// clearances(left, right, head) -> (n,)
PyObject* clearances(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  Call call;
  double pan;
  if (nargs != 3 || !read_call(self, args, &pan, &call)) Py_RETURN_NONE;
  npy_intp shape[1] = {call.rows};
  PyObject* result = PyArray_SimpleNew(1, shape, NPY_DOUBLE);
  if (!result) return nullptr;
  auto* out = static_cast<double*>(PyArray_DATA(array_of(result)));
  const CollisionTable& table = *active_table()->collision;
  bool fine = true;
  const bool calm = spread(call.rows, &fine, [&](npy_intp first, npy_intp count) {
    return table.clearances(*call.shape, count, call.in.from(first), out + first);
  });
  if (calm && fine) return result;
  Py_DECREF(result);
  if (!calm) return nullptr;
  Py_RETURN_NONE;
}

// nearest(left, right, head) -> (clearance (n,), primitives (n, 2), points (n, 2, 3),
// gradient (n, 14))
PyObject* nearest(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  Call call;
  double pan;
  if (nargs != 3 || !read_call(self, args, &pan, &call)) Py_RETURN_NONE;
  npy_intp shape[3] = {call.rows, 2, 3}, wide[2] = {call.rows, 14};
  PyObject* arrays[4] = {PyArray_SimpleNew(1, shape, NPY_DOUBLE),
                         PyArray_SimpleNew(2, shape, NPY_INT32),
                         PyArray_SimpleNew(3, shape, NPY_DOUBLE),
                         PyArray_SimpleNew(2, wide, NPY_DOUBLE)};
  bool fine = std::find(arrays, arrays + 4, nullptr) == arrays + 4, calm = fine;
  if (fine) {
    auto* clearance = static_cast<double*>(PyArray_DATA(array_of(arrays[0])));
    auto* primitive = static_cast<int*>(PyArray_DATA(array_of(arrays[1])));
    auto* point = static_cast<double*>(PyArray_DATA(array_of(arrays[2])));
    auto* gradient = static_cast<double*>(PyArray_DATA(array_of(arrays[3])));
    const CollisionTable& table = *active_table()->collision;
    calm = spread(call.rows, &fine, [&](npy_intp first, npy_intp count) {
      constexpr npy_intp kRows = 64;
      BodyNearest rows[kRows];
      for (npy_intp start = first; start < first + count; start += kRows) {
        const npy_intp n = std::min(kRows, first + count - start);
        if (!table.nearest(*call.shape, n, call.in.from(start), rows)) return false;
        for (npy_intp i = 0; i < n; ++i) {
          const npy_intp k = start + i;
          clearance[k] = rows[i].clearance;
          std::copy(rows[i].primitive, rows[i].primitive + 2, primitive + 2 * k);
          std::copy(rows[i].point[0], rows[i].point[0] + 6, point + 6 * k);
          std::copy(rows[i].gradient, rows[i].gradient + 14, gradient + 14 * k);
        }
      }
      return true;
    });
  }
  if (calm && fine) return Py_BuildValue("NNNN", arrays[0], arrays[1], arrays[2], arrays[3]);
  for (PyObject* array : arrays) Py_XDECREF(array);
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

// edges(from (n, 14), to (n, 14), head, padding, checked) -> (n,) bool, or bool of (14,) each; `checked`:
// whether the caller has looked at the units.
PyObject* edges(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  const BodyShape* body = reinterpret_cast<BodyChecker*>(self)->shape;
  double pan, padding;
  if (nargs != 5 || !body || !read_padding(args[3], &padding)) Py_RETURN_NONE;
  const bool checked = args[4] == Py_True;
  BodyRows rows[2];
  npy_intp n[2], heads = 1;
  const double* head = &pan;
  if (PyFloat_Check(args[2])) {
    pan = PyFloat_AsDouble(args[2]);
  } else if (!(head = numbers<double>(args[2], NPY_DOUBLE, 1, &heads))) {
    Py_RETURN_NONE;
  }
  for (int end = 0; end < 2; ++end) {
    const double* q = numbers<double>(args[end], NPY_DOUBLE, 14, &n[end]);
    if (!q) Py_RETURN_NONE;
    if (!checked && n[end] && !(plausible(q, 14, *head, padding) &&
                                plausible(q + 14 * (n[end] - 1), 14, head[heads - 1], padding))) {
      Py_RETURN_NONE;
    }
    const int stride = n[end] == 1 ? 0 : 14;
    rows[end] = {q, q + 7, head, stride, stride, heads == 1 ? 0 : 1};
  }
  npy_intp count = std::max({n[0], n[1], heads});
  if (n[0] == 0 || n[1] == 0 || heads == 0) count = 0;
  for (npy_intp length : {n[0], n[1], heads}) {
    if (length != 1 && length != count) Py_RETURN_NONE;
  }
  const CollisionTable& table = *active_table()->collision;
  if (count == 1 && PyArray_NDIM(array_of(args[0])) == 1 && PyArray_NDIM(array_of(args[1])) == 1) {
    unsigned char free;
    if (!table.edges(*body, 1, rows[0], rows[1], padding, &free)) Py_RETURN_NONE;
    return PyBool_FromLong(free);
  }
  PyObject* result = PyArray_SimpleNew(1, &count, NPY_BOOL);
  if (!result) return nullptr;
  auto* out = static_cast<unsigned char*>(PyArray_DATA(array_of(result)));
  bool fine = true;
  const bool calm = spread(count, &fine, [&](npy_intp first, npy_intp some) {
    return table.edges(*body, some, rows[0].from(first), rows[1].from(first), padding, out + first);
  });
  if (calm && fine) return result;
  Py_DECREF(result);
  if (!calm) return nullptr;
  Py_RETURN_NONE;
}

// tubes(q0 (n, 14), q1 (n, 14), width (n, 14), head (n,), padding, most)
// -> (verdict (n,) uint8: 0 blocked, 1 free, 2 open; where (n, 14))
PyObject* tubes(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  const BodyShape* body = reinterpret_cast<BodyChecker*>(self)->shape;
  double padding;
  if (nargs != 6 || !body || !read_padding(args[4], &padding) || !PyLong_Check(args[5])) {
    Py_RETURN_NONE;
  }
  const long most = PyLong_AsLong(args[5]);
  if (most < 0 || most > 1000000) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const double* in[4];
  npy_intp n[4];
  for (int i = 0; i < 4; ++i) {
    in[i] = numbers<double>(args[i], NPY_DOUBLE, i < 3 ? 14 : 1, &n[i]);
    if (!in[i] || n[i] != n[0]) Py_RETURN_NONE;
  }
  npy_intp wide[2] = {n[0], 14};
  PyObject* verdict = PyArray_SimpleNew(1, n, NPY_UINT8);
  PyObject* where = PyArray_SimpleNew(2, wide, NPY_DOUBLE);
  bool fine = verdict && where, calm = fine;
  if (fine) {
    auto* out = static_cast<unsigned char*>(PyArray_DATA(array_of(verdict)));
    auto* at = static_cast<double*>(PyArray_DATA(array_of(where)));
    const CollisionTable& table = *active_table()->collision;
    calm = spread(n[0], &fine, [&](npy_intp first, npy_intp some) {
      return table.tubes(*body, some, in[0] + 14 * first, in[1] + 14 * first, in[2] + 14 * first,
                         in[3] + first, padding, static_cast<int>(most), out + first,
                         at + 14 * first);
    });
  }
  if (calm && fine) return Py_BuildValue("NN", verdict, where);
  Py_XDECREF(verdict);
  Py_XDECREF(where);
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* plan(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  const BodyShape* body = reinterpret_cast<BodyChecker*>(self)->shape;
  if (!body) Py_RETURN_NONE;
  return connect(*body, args, nargs);
}

PyObject* smoothed(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  const BodyShape* body = reinterpret_cast<BodyChecker*>(self)->shape;
  if (!body) Py_RETURN_NONE;
  return smooth(*body, args, nargs);
}

template <class Function>
PyCFunction method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef checker_methods[] = {
    {"hit", method(hit), METH_FASTCALL, "Whether one posture is in collision."},
    {"hits", method(hits), METH_FASTCALL, "Whether each posture of a batch is in collision."},
    {"clearances", method(clearances), METH_FASTCALL, "The clearance of each posture of a batch."},
    {"nearest", method(nearest), METH_FASTCALL, "The nearest pair of each posture of a batch."},
    {"edges", method(edges), METH_FASTCALL, "Whether all between two postures is free, of each."},
    {"tubes", method(tubes), METH_FASTCALL, "Whether boxes around straight lines are free, of each."},
    {"connect", method(plan), METH_FASTCALL, "A free path from a posture to one of several."},
    {"smooth", method(smoothed), METH_FASTCALL, "A shorter path, and how round its corners may be."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot checker_slots[] = {
    {Py_tp_doc, const_cast<char*>("Collision checks of the whole robot.")},
    {Py_tp_init, reinterpret_cast<void*>(checker_init)},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(checker_dealloc)},
    {Py_tp_methods, checker_methods},
    {0, nullptr},
};
PyType_Spec checker_spec = {"baxterkit._native.BodyChecker", sizeof(BodyChecker), 0,
                            Py_TPFLAGS_DEFAULT, checker_slots};

}  // namespace

PyObject* make_checker_type() {
  import_array1(nullptr);
  PyObject* type = PyType_FromSpec(&checker_spec);
  checker_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

const BodyShape* shape_in(PyObject* object) {
  if (!checker_type || Py_TYPE(object) != checker_type) return nullptr;
  return reinterpret_cast<BodyChecker*>(object)->shape;
}

}  // namespace baxterkit
