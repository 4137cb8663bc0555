// Parts of the binding of the inverse kinematics: scratch, objectives, and the answer of one target.
#pragma once

#include "objects.hpp"

#include <algorithm>

#include "ik_table.hpp"

namespace baxterkit {
namespace {

// What to look for: one of the goals, or a Python function as a custom one.
struct Wish {
  IkGoal goal = ik_quick;
  IkObjective objective = nullptr;
  const void* context = nullptr;
};

// A scratch out of the solver's hands while a call works without the GIL: a call from another
// thread, or from a Python function that this one asks, then makes its own.
struct Borrowed {
  IkSolver* solver;
  const KernelTable* table;
  void* scratch;
  PyThreadState* state = nullptr;  // while the GIL is released
  bool out = false;

  void release() {
    solver->scratch = nullptr;
    out = true;
    state = PyEval_SaveThread();
  }
  void acquire() {
    if (state) PyEval_RestoreThread(state);
    state = nullptr;
  }
  // With the GIL; the scratch is not to be used afterwards.
  void give_back() {
    if (!out) return;
    out = false;
    if (!solver->scratch && solver->table == table) {
      solver->scratch = scratch;
    } else {
      table->ik->free_scratch(scratch);
    }
  }
};

struct PythonCost {
  PyObject* function;
  Borrowed* borrowed;
};

// The GIL for a while in the middle of a call that works without it.
struct Held {
  Borrowed* borrowed;
  explicit Held(Borrowed* b) : borrowed(b) { borrowed->acquire(); }
  ~Held() { borrowed->state = PyEval_SaveThread(); }
};

// Calls a Python function of joint positions (n, 7), which gives n values; after an error it is not
// called again.
void python_function(const double* q, int n, double* values, const void* context) {
  const auto* cost = static_cast<const PythonCost*>(context);
  std::fill(values, values + n, 0.0);
  if (n == 0) return;
  const Held gil(cost->borrowed);
  if (PyErr_Occurred()) return;
  Made<NPY_DOUBLE> rows;
  PyObject* positions = rows.copy(q, {n, 7}) ? rows.give() : nullptr;
  PyObject* result = positions ? PyObject_CallFunctionObjArgs(cost->function, positions, nullptr) : nullptr;
  Py_XDECREF(positions);
  PyObject* array = result ? PyArray_FROMANY(result, NPY_DOUBLE, 0, 2, NPY_ARRAY_CARRAY_RO) : nullptr;
  Py_XDECREF(result);
  if (!array) return;
  const npy_intp size = PyArray_SIZE(array_of(array));
  if (size == n) {
    const auto* given = static_cast<const double*>(PyArray_DATA(array_of(array)));
    std::copy(given, given + n, values);
  } else {
    PyErr_Format(PyExc_ValueError,
                 "the objective got %d joint positions and gave %zd values; it takes an array (n, 7) "
                 "and gives n values",
                 n, static_cast<Py_ssize_t>(size));
  }
  Py_DECREF(array);
}

constexpr const char* kGoals[] = {"quick", "nearest", "limits", "manipulability"};

// False without an exception if the objective is not known here. A Python function's context is
// left to the caller.
bool read_wish(PyObject* object, const IkSolver& s, Wish* wish) {
  if (!PyUnicode_Check(object)) {
    *wish = {ik_custom, python_function, nullptr};
    return PyCallable_Check(object);
  }
  for (int i = 0; i < 4; ++i) {
    if (PyUnicode_CompareWithASCIIString(object, kGoals[i]) == 0) {
      wish->goal = static_cast<IkGoal>(i);
      return true;
    }
  }
  *wish = {ik_gravity, nullptr, &s.by_gravity};
  return PyUnicode_CompareWithASCIIString(object, "gravity") == 0;
}

// Forward kinematics of an instruction set, for the check of answers.
struct TipPose {
  const KernelTable& table;
  const Parameters& parameters;

  void operator()(const double* q, double* T) const { table.kernels[kernel_fk].one(&q, T, parameters); }
};

// Solves one target; false if it is not rigid.
bool solve_row(const IkSolver& s, const KernelTable& table, void* scratch, const double* T,
               const double* seed, const Wish& wish, const IkCaller& caller, Row* row) {
  double pose[12], hand[12];
  if (!hand_pose(s.frames, T, pose, hand)) return false;
  row->code = table.ik->solve(hand, seed, s.limits, wish.goal, wish.objective, wish.context, caller, scratch,
                              row->q, row->violation);
  finish_row(TipPose{table, s.parameters}, pose, row);
  return true;
}

// One step after a moving target, from the joint vector `from`; false if the target is not rigid.
bool track_row(const IkSolver& s, const KernelTable& table, const double* T, const double* from,
               const double* most, bool hold_elbow, Row* row) {
  double pose[12], hand[12];
  if (!hand_pose(s.frames, T, pose, hand)) return false;
  row->code = table.ik->track(hand, from, s.limits, most, hold_elbow, row->q);
  finish_row(TipPose{table, s.parameters}, pose, row);
  return true;
}

}  // namespace
}  // namespace baxterkit
