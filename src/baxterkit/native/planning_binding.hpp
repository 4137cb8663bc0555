// The planner as methods of BodyChecker, and the timing of paths.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "collision_table.hpp"

namespace baxterkit {

// connect(start (14,), goals (n, 14), limits (2, 14), moves: arms that move as bits, head, padding,
// range, samples, seconds, seed, step, one_arm, patience, keep_trees)
// -> (end, goal, points (k, 14), samples, verdicts, proofs, refuted, nodes at the start, at the goals)
PyObject* connect(const BodyShape& body, PyObject* const* args, Py_ssize_t nargs);

// smooth(path (n, 14), head, padding, step, rounds, most, seed) -> (corners (k, 14), roundings (k,))
PyObject* smooth(const BodyShape& body, PyObject* const* args, Py_ssize_t nargs);

// speeds(lengths (n,), a, b, c (n, 2, m) each, most (n + 1,)) -> squares of speeds (n + 1,), or None
PyObject* speeds(PyObject* module, PyObject* const* args, Py_ssize_t nargs);

}  // namespace baxterkit
