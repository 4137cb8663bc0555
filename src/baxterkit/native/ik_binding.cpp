// Exact inverse kinematics from Python: one target as fast as a call can be, and batches on all
// threads. Both run the same function on each target, so their answers are the same to the bit.
//
// Methods return None where an argument is not what they take (another type or layout, not rigid,
// not finite): the caller then checks it in Python and raises the error in words.
#include "ik_binding.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "collision_binding.hpp"
#include "free_ik.hpp"
#include "ik_rows.hpp"
#include "spread.hpp"

namespace baxterkit {
namespace {

constexpr npy_intp kBlock = 512;     // targets that a thread takes at a time, at most
constexpr npy_intp kPerThread = 64;  // below this, another thread costs more than it brings

struct FreeScratch {
  const IkTable* table;
  void operator()(void* scratch) const { table->free_scratch(scratch); }
};
using ScratchPointer = std::unique_ptr<void, FreeScratch>;

void* scratch_of(IkSolver* s) {
  const KernelTable* table = active_table();
  if (s->scratch && s->table != table) {
    s->table->ik->free_scratch(s->scratch);
    s->scratch = nullptr;
  }
  s->table = table;
  if (!s->scratch) s->scratch = table->ik->make_scratch();
  if (!s->scratch) PyErr_NoMemory();
  return s->scratch;
}

// one(T, seed or None, objective)
//   -> (q, code, distance, angle, nearest or None, violation or None)
PyObject* one(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  constexpr npy_intp square[2] = {4, 4}, seven[1] = {7};
  Wish wish;
  if (nargs != 3 || !usable(args[0], 2, square) || !read_wish(args[2], *s, &wish)) Py_RETURN_NONE;
  double seed[7];
  if (args[1] != Py_None) {
    if (!usable(args[1], 1, seven) || !usable_seed(data_of(args[1]), 7)) Py_RETURN_NONE;
    std::copy(data_of(args[1]), data_of(args[1]) + 7, seed);
  } else {
    std::copy(s->middle, s->middle + 7, seed);
  }
  void* scratch = scratch_of(s);
  if (!scratch) return nullptr;
  Borrowed borrowed = {s, s->table, scratch};
  const PythonCost cost = {args[2], &borrowed};
  if (wish.objective == python_function) wish.context = &cost;
  const IkCaller caller = {&borrowed, [](void* b) { static_cast<Borrowed*>(b)->release(); },
                           [](void*) { return false; }};
  Row row;
  const bool rigid = solve_row(*s, *borrowed.table, scratch, data_of(args[0]), seed, wish, caller,
                               &row);
  borrowed.acquire();
  borrowed.give_back();
  if (!rigid) Py_RETURN_NONE;
  if (wish.goal == ik_custom && PyErr_Occurred()) return nullptr;
  if (row.code != kLimits) {
    return Py_BuildValue("NiddOO", from_numbers(row.q, {7}), row.code, row.errors[0],
                         row.errors[1], Py_None, Py_None);
  }
  return Py_BuildValue("NiddNN", from_numbers(row.q, {7}), row.code, row.errors[0], row.errors[1],
                       from_numbers(row.nearest, {7}), from_numbers(row.violation, {7}));
}

// How a batch ended.
enum class End { fine, refused, out_of_memory, exception };

PyObject* end_without(End end) {
  if (end == End::exception || PyErr_Occurred()) return nullptr;
  if (end == End::out_of_memory) return PyErr_NoMemory();
  Py_RETURN_NONE;
}

// Calls work(first, last, scratch, caller) for blocks of [0, n) on several threads; it says whether
// to go on.
template <class Work>
End spread(npy_intp n, const IkTable& table, const Work& work) {
  std::atomic<npy_intp> next{0};
  std::atomic<bool> fine{true}, out_of_memory{false};
  Spread threads;
  const IkCaller caller = {&threads, [](void*) {},
                           [](void* t) { return static_cast<Spread*>(t)->stopped(); }};
  const npy_intp useful = std::max<npy_intp>(1, n / kPerThread);
  const int count = static_cast<int>(std::min<npy_intp>(thread_count(), useful));
  const npy_intp block = std::min(kBlock, (n + count - 1) / count);
  const auto share = [&] {
    ScratchPointer scratch(table.make_scratch(), FreeScratch{&table});
    if (!scratch) {
      out_of_memory = true;
      return;
    }
    while (!threads.stopped()) {
      const npy_intp first = next.fetch_add(block);
      if (first >= n) return;
      if (!work(first, std::min(n, first + block), scratch.get(), caller)) {
        fine = false;
        threads.stop();
        return;
      }
    }
  };
  if (!threads.run(count, share)) return End::exception;
  if (!fine) return End::refused;
  return out_of_memory && next < n ? End::out_of_memory : End::fine;
}

// Where the answers of a batch go.
struct Columns {
  double* q;
  unsigned char* code;
  double *errors, *nearest, *violation;

  void put(npy_intp i, const Row& row) const {
    code[i] = row.code;
    std::copy(row.q, row.q + 7, q + 7 * i);
    std::copy(row.errors, row.errors + 2, errors + 2 * i);
    for (int k = 0; k < 7; ++k) {
      nearest[7 * i + k] = row.code == kLimits ? row.nearest[k] : kNaN;
      violation[7 * i + k] = row.code == kLimits ? row.violation[k] : 0.0;
    }
  }
};

// A block of targets side by side; false if one is not rigid, or if it was stopped.
bool solve_block(const IkSolver& s, const KernelTable& table, void* scratch, const double* T,
                 const double* seed, npy_intp first, npy_intp last, const IkCaller& caller,
                 const Columns& out) {
  const int n = static_cast<int>(last - first);
  std::vector<double> pose(12 * n), hand(12 * n), q(7 * n), violation(7 * n);
  std::vector<unsigned char> code(n);
  for (int i = 0; i < n; ++i) {
    if (!hand_pose(s.frames, T + 16 * (first + i), &pose[12 * i], &hand[12 * i])) return false;
  }
  if (!table.ik->quick_many(n, hand.data(), seed + 7 * first, s.limits, caller, scratch,
                            code.data(), q.data(), violation.data())) {
    return false;
  }
  for (int i = 0; i < n; ++i) {
    Row row;
    row.code = static_cast<IkStatus>(code[i]);
    std::copy(&q[7 * i], &q[7 * i] + 7, row.q);
    std::copy(&violation[7 * i], &violation[7 * i] + 7, row.violation);
    finish_row(TipPose{table, s.parameters}, &pose[12 * i], &row);
    out.put(first + i, row);
  }
  return true;
}

// many(Ts (n, 4, 4), seeds (n, 7), objective) -> (q, codes, errors (n, 2), nearest, violation)
PyObject* many(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  Wish wish;
  if (nargs != 3 || !PyArray_Check(args[0]) || !read_wish(args[2], *s, &wish)) Py_RETURN_NONE;
  if (wish.objective == python_function) Py_RETURN_NONE;  // needs the GIL: one by one
  const npy_intp n = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[0])) / 16;
  const npy_intp poses[3] = {n, 4, 4}, seeds[2] = {n, 7};
  if (!usable(args[0], 3, poses) || !usable(args[1], 2, seeds)) Py_RETURN_NONE;
  const double *T = data_of(args[0]), *seed = data_of(args[1]);
  if (!usable_seed(seed, 7 * n)) Py_RETURN_NONE;
  PyObject* arrays[5] = {new_array({n, 7}), new_array({n}, NPY_UINT8), new_array({n, 2}),
                         new_array({n, 7}), new_array({n, 7})};
  End end = End::out_of_memory;
  if (std::find(arrays, arrays + 5, nullptr) == arrays + 5) {
    double* out[5];
    for (int i = 0; i < 5; ++i) {
      out[i] = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(arrays[i])));
    }
    const Columns columns = {out[0], reinterpret_cast<unsigned char*>(out[1]), out[2], out[3],
                             out[4]};
    const KernelTable& table = *active_table();
    end = spread(n, *table.ik, [&](npy_intp first, npy_intp last, void* scratch,
                                   const IkCaller& caller) {
      if (wish.goal == ik_quick) {
        return solve_block(*s, table, scratch, T, seed, first, last, caller, columns);
      }
      for (npy_intp i = first; i < last; ++i) {
        Row row;
        if (caller.stopped(caller.context)) return false;
        if (!solve_row(*s, table, scratch, T + 16 * i, seed + 7 * i, wish, caller, &row)) {
          return false;
        }
        columns.put(i, row);
      }
      return true;
    });
    if (end == End::fine) {
      return Py_BuildValue("NNNNN", arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]);
    }
  }
  for (PyObject* array : arrays) Py_XDECREF(array);
  return end_without(end);
}

// free(whole, hand, right, Ts (n, 4, 4), seeds (n, 7), others (n, 7) or (1, 7), heads (n,) or (1,),
// padding) -> (q, codes, errors (n, 2), nearest, violation, blamed (n, 7), by_hand (n,)): answers that
// touch nothing, of the arm that `right` names
PyObject* free_ik(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  if (nargs != 8 || !PyArray_Check(args[3]) || !PyArray_Check(args[5]) || !PyArray_Check(args[6]) ||
      !PyFloat_Check(args[7])) {
    Py_RETURN_NONE;
  }
  const BodyShape *whole = shape_in(args[0]), *hand = shape_in(args[1]);
  const double padding = PyFloat_AsDouble(args[7]);
  if (!whole || !hand || !std::isfinite(padding)) Py_RETURN_NONE;
  const npy_intp n = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[3])) / 16;
  const bool one_other = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[5])) == 7;
  const bool one_head = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[6])) == 1;
  const npy_intp poses[3] = {n, 4, 4}, seeds[2] = {n, 7}, others[2] = {one_other ? 1 : n, 7},
                 heads[1] = {one_head ? 1 : n};
  if (!usable(args[3], 3, poses) || !usable(args[4], 2, seeds) || !usable(args[5], 2, others) ||
      !usable(args[6], 1, heads)) {
    Py_RETURN_NONE;
  }
  const FreeTargets targets = {data_of(args[3]), data_of(args[4]), data_of(args[5]),
                               data_of(args[6]), one_other ? 0 : 7, one_head ? 0 : 1};
  if (!usable_seed(targets.seed, 7 * n) || !finite(targets.other, 7 * others[0]) ||
      !finite(targets.head, heads[0])) {
    Py_RETURN_NONE;
  }
  PyObject* arrays[7] = {new_array({n, 7}), new_array({n}, NPY_UINT8), new_array({n, 2}),
                         new_array({n, 7}), new_array({n, 7}), new_array({n, 7}),
                         new_array({n}, NPY_BOOL)};
  End end = End::out_of_memory;
  if (std::find(arrays, arrays + 7, nullptr) == arrays + 7) {
    double* out[7];
    for (int i = 0; i < 7; ++i) {
      out[i] = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(arrays[i])));
    }
    const Columns columns = {out[0], reinterpret_cast<unsigned char*>(out[1]), out[2], out[3],
                             out[4]};
    auto* by_hand = reinterpret_cast<unsigned char*>(out[6]);
    const KernelTable& table = *active_table();
    const FreeArm arm = {table, s->parameters, s->frames, s->limits, *whole, *hand,
                         args[2] == Py_True ? 1 : 0, padding};
    end = spread(n, *table.ik, [&](npy_intp first, npy_intp last, void* scratch,
                                   const IkCaller& caller) {
      FreeSearch search(arm, scratch);
      return search.run(targets, first, last, caller, [&](npy_intp i, const FreeAnswer& answer) {
        columns.put(i, answer.row);
        std::copy(answer.blamed, answer.blamed + 7, out[5] + 7 * i);
        by_hand[i] = answer.by_hand;
      });
    });
    if (end == End::fine) {
      return Py_BuildValue("NNNNNNN", arrays[0], arrays[1], arrays[2], arrays[3], arrays[4],
                           arrays[5], arrays[6]);
    }
  }
  for (PyObject* array : arrays) Py_XDECREF(array);
  return end_without(end);
}

// all_one(T, e0, limits) -> (m, 7)
PyObject* all_one(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  constexpr npy_intp square[2] = {4, 4};
  if (nargs != 3 || !usable(args[0], 2, square) || !PyFloat_Check(args[1])) Py_RETURN_NONE;
  const double e0 = PyFloat_AsDouble(args[1]);
  const int limited = PyObject_IsTrue(args[2]);
  if (limited < 0) return nullptr;
  double pose[12], hand[12], q[7 * kMaxIkSolutions];
  if (!std::isfinite(e0) || !hand_pose(s->frames, data_of(args[0]), pose, hand)) Py_RETURN_NONE;
  const int m = active_table()->ik->all(hand, e0, limited ? &s->limits : nullptr, q);
  return from_numbers(q, {m, 7});
}

// all(Ts (n, 4, 4), e0 (n,), limits) -> (q (n, 32, 7) padded with NaN, counts (n,))
PyObject* all(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  if (nargs != 3 || !PyArray_Check(args[0])) Py_RETURN_NONE;
  const npy_intp n = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[0])) / 16;
  const npy_intp poses[3] = {n, 4, 4}, values[1] = {n};
  if (!usable(args[0], 3, poses) || !usable(args[1], 1, values)) Py_RETURN_NONE;
  const double *T = data_of(args[0]), *e0 = data_of(args[1]);
  if (!finite(e0, n)) Py_RETURN_NONE;
  const int limited = PyObject_IsTrue(args[2]);
  if (limited < 0) return nullptr;
  const IkLimits* limits = limited ? &s->limits : nullptr;
  PyObject* q = new_array({n, kMaxIkSolutions, 7});
  PyObject* counts = q ? new_array({n}, NPY_INT32) : nullptr;
  End end = End::out_of_memory;
  if (counts) {
    auto* out = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(q)));
    auto* count = static_cast<int*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(counts)));
    const KernelTable& table = *active_table();
    end = spread(n, *table.ik, [&](npy_intp first, npy_intp last, void*, const IkCaller& caller) {
      for (npy_intp i = first; i < last; ++i) {
        double pose[12], hand[12];
        double* rows = out + 7 * kMaxIkSolutions * i;
        if (i % 16 == 0 && caller.stopped(caller.context)) return false;
        if (!hand_pose(s->frames, T + 16 * i, pose, hand)) return false;
        count[i] = table.ik->all(hand, e0[i], limits, rows);
        std::fill(rows + 7 * count[i], rows + 7 * kMaxIkSolutions, kNaN);
      }
      return true;
    });
    if (end == End::fine) return Py_BuildValue("NN", q, counts);
  }
  Py_XDECREF(q);
  Py_XDECREF(counts);
  return end_without(end);
}

// motion(T) -> (points, curve_first, feasible, segments, complete)
PyObject* motion(PyObject* self, PyObject* T) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  constexpr npy_intp square[2] = {4, 4};
  double pose[12], hand[12];
  if (!usable(T, 2, square) || !hand_pose(s->frames, data_of(T), pose, hand)) Py_RETURN_NONE;
  void* scratch = scratch_of(s);
  if (!scratch) return nullptr;
  Borrowed borrowed = {s, s->table, scratch};
  borrowed.release();
  const IkMotion m = borrowed.table->ik->motion(hand, s->limits, scratch);
  borrowed.acquire();
  const auto integers = [](const int* x, std::initializer_list<npy_intp> shape) {
    PyObject* array = new_array(shape, NPY_INT32);
    if (array) {
      auto* a = reinterpret_cast<PyArrayObject*>(array);
      if (PyArray_SIZE(a)) std::memcpy(PyArray_DATA(a), x, PyArray_NBYTES(a));
    }
    return array;
  };
  PyObject* result = Py_BuildValue("NNNNO", from_numbers(m.point, {m.points, 7}),
                                   integers(m.curve_first, {m.curves + 1}),
                                   from_numbers(m.feasible, {m.feasible_points, 7}),
                                   integers(m.segment, {m.segments, 3}),
                                   m.complete ? Py_True : Py_False);
  borrowed.give_back();
  return result;
}

// path(Ts (n, 4, 4), seed or None, start, most (n - 1, 7)) -> (q (n, 7), poses reached)
PyObject* path(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  if (nargs != 4 || !PyArray_Check(args[0])) Py_RETURN_NONE;
  const npy_intp n = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[0])) / 16;
  const npy_intp poses[3] = {n, 4, 4}, steps[2] = {n - 1, 7}, seven[1] = {7};
  if (n < 1 || n > 1000000 || !usable(args[0], 3, poses) || !usable(args[3], 2, steps)) {
    Py_RETURN_NONE;
  }
  const bool seeded = args[1] != Py_None;
  if (seeded && !(usable(args[1], 1, seven) && finite(data_of(args[1]), 7))) Py_RETURN_NONE;
  std::vector<double> hands(12 * n);
  for (npy_intp i = 0; i < n; ++i) {
    double pose[12];
    if (!hand_pose(s->frames, data_of(args[0]) + 16 * i, pose, hands.data() + 12 * i)) Py_RETURN_NONE;
  }
  PyObject* q = new_array({n, 7});
  if (!q) return nullptr;
  auto* out = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(q)));
  std::fill(out, out + 7 * n, kNaN);
  const IkTable& table = *active_table()->ik;
  const double *seed = seeded ? data_of(args[1]) : nullptr, *most = data_of(args[3]);
  const bool start = args[2] == Py_True;
  int reached = -1;
  Spread threads;
  const IkCaller caller = {&threads, [](void*) {},
                           [](void* t) { return static_cast<Spread*>(t)->stopped(); }};
  const bool finished = threads.run(1, [&] {
    ScratchPointer scratch(table.make_scratch(), FreeScratch{&table});
    if (scratch) {
      reached = table.path(hands.data(), static_cast<int>(n), seed, start, s->limits, most, caller,
                           scratch.get(), out);
    }
  });
  if (!finished || reached < 0) {
    Py_DECREF(q);
    return finished ? PyErr_NoMemory() : nullptr;
  }
  return Py_BuildValue("Ni", q, reached);
}

// track_one(T, q, most, hold_elbow) -> (q, code, distance, angle)
PyObject* track_one(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  constexpr npy_intp square[2] = {4, 4}, seven[1] = {7};
  if (nargs != 4 || !usable(args[0], 2, square) || !usable(args[1], 1, seven) ||
      !usable(args[2], 1, seven) || !usable_seed(data_of(args[1]), 7)) {
    Py_RETURN_NONE;
  }
  const int hold_elbow = PyObject_IsTrue(args[3]);
  if (hold_elbow < 0) return nullptr;
  Row row;
  if (!track_row(*s, *active_table(), data_of(args[0]), data_of(args[1]), data_of(args[2]),
                 hold_elbow, &row)) {
    Py_RETURN_NONE;
  }
  return Py_BuildValue("Nidd", from_numbers(row.q, {7}), row.code, row.errors[0], row.errors[1]);
}

// track(Ts (n, 4, 4), qs (n, 7), most (7,), hold_elbow) -> (q (n, 7), codes (n,), errors (n, 2))
PyObject* track(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  if (nargs != 4 || !PyArray_Check(args[0])) Py_RETURN_NONE;
  const npy_intp n = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[0])) / 16;
  const npy_intp poses[3] = {n, 4, 4}, joints[2] = {n, 7}, seven[1] = {7};
  if (!usable(args[0], 3, poses) || !usable(args[1], 2, joints) || !usable(args[2], 1, seven)) {
    Py_RETURN_NONE;
  }
  const double *T = data_of(args[0]), *from = data_of(args[1]), *most = data_of(args[2]);
  if (!usable_seed(from, 7 * n)) Py_RETURN_NONE;
  const int hold_elbow = PyObject_IsTrue(args[3]);
  if (hold_elbow < 0) return nullptr;
  PyObject* arrays[3] = {new_array({n, 7}), new_array({n}, NPY_UINT8), new_array({n, 2})};
  End end = End::out_of_memory;
  if (std::find(arrays, arrays + 3, nullptr) == arrays + 3) {
    void* out[3];
    for (int i = 0; i < 3; ++i) out[i] = PyArray_DATA(reinterpret_cast<PyArrayObject*>(arrays[i]));
    const KernelTable& table = *active_table();
    end = spread(n, *table.ik, [&](npy_intp first, npy_intp last, void*, const IkCaller& caller) {
      for (npy_intp i = first; i < last; ++i) {
        Row row;
        if (i % 16 == 0 && caller.stopped(caller.context)) return false;
        if (!track_row(*s, table, T + 16 * i, from + 7 * i, most, hold_elbow, &row)) {
          return false;
        }
        std::copy(row.q, row.q + 7, static_cast<double*>(out[0]) + 7 * i);
        static_cast<unsigned char*>(out[1])[i] = row.code;
        std::copy(row.errors, row.errors + 2, static_cast<double*>(out[2]) + 2 * i);
      }
      return true;
    });
    if (end == End::fine) return Py_BuildValue("NNN", arrays[0], arrays[1], arrays[2]);
  }
  for (PyObject* array : arrays) Py_XDECREF(array);
  return end_without(end);
}

int ik_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"kernels", "lower", "upper", "middle", nullptr};
  PyObject *kernels, *given[3];
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO", const_cast<char**>(names), &kernels,
                                   &given[0], &given[1], &given[2])) {
    return -1;
  }
  auto* s = reinterpret_cast<IkSolver*>(self);
  const Parameters* parameters = parameters_in(kernels);
  double* targets[3] = {s->limits.lower, s->limits.upper, s->middle};
  constexpr npy_intp seven[1] = {7};
  for (int i = 0; i < 3; ++i) {
    if (!parameters || !usable(given[i], 1, seven)) {
      PyErr_SetString(PyExc_TypeError, "IkSolver takes ArmKernels and three float64 arrays of 7");
      return -1;
    }
    std::copy(data_of(given[i]), data_of(given[i]) + 7, targets[i]);
  }
  s->parameters = *parameters;
  s->by_gravity = {s->parameters.beta, s->parameters.gravity};
  invert(s->parameters.mount, s->frames.s0_base);
  invert(s->parameters.tool, s->frames.tip_hand);
  return 0;
}

void ik_dealloc(PyObject* self) {
  auto* s = reinterpret_cast<IkSolver*>(self);
  if (s->scratch) s->table->ik->free_scratch(s->scratch);
  free_object(self);
}

template <class Function>
PyCFunction method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef ik_methods[] = {
    {"one", method(one), METH_FASTCALL, "One target."},
    {"many", method(many), METH_FASTCALL, "A batch of targets."},
    {"free", method(free_ik), METH_FASTCALL, "A batch of targets, of answers that touch nothing."},
    {"all_one", method(all_one), METH_FASTCALL, "Every solution of one target with e0 given."},
    {"all", method(all), METH_FASTCALL, "Every solution of each target with e0 given."},
    {"path", method(path), METH_FASTCALL, "A continuous path through a sequence of poses."},
    {"track_one", method(track_one), METH_FASTCALL, "One step after a moving target."},
    {"track", method(track), METH_FASTCALL, "One step after each of many moving targets."},
    {"motion", motion, METH_O, "The self-motion of one target."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot ik_slots[] = {
    {Py_tp_doc, const_cast<char*>("Exact inverse kinematics of one arm: mount, tool and limits.")},
    {Py_tp_init, reinterpret_cast<void*>(ik_init)},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(ik_dealloc)},
    {Py_tp_methods, ik_methods},
    {0, nullptr},
};
PyType_Spec ik_spec = {"baxterkit._native.IkSolver", sizeof(IkSolver), 0, Py_TPFLAGS_DEFAULT,
                       ik_slots};

}  // namespace

PyObject* make_ik_type() {
  import_array1(nullptr);
  return PyType_FromSpec(&ik_spec);
}

}  // namespace baxterkit
