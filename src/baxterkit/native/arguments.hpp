// Array arguments of a kernel call: checked, broadcast against each other, and run.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.hpp"

namespace baxterkit {

// Loads the NumPy C API and the Python functions that word the errors. False with an exception set.
bool prepare_arguments();

// Runs a kernel on arguments of any shape, strides and real type, or with named joints. `model` is
// the ArmModel or None, `inputs` holds kernel.n_inputs objects; `out` may be null or None. Returns the result array (a new reference; `out` itself if it
// was given), or null with an exception set.
PyObject* run_kernel(const Kernel& kernel, const Parameters& parameters, PyObject* model,
                     PyObject* const* inputs, PyObject* out);

// The same for one sample given as plain float64 vectors; null without an exception if the
// arguments are anything else.
PyObject* run_single(const Kernel& kernel, const Parameters& parameters, PyObject* const* inputs);

// Raises for a frame that is neither "base" nor "tip".
void raise_unknown_frame(PyObject* frame);

// Numbers above these may be in degrees or millimetres: FAR_ANGLE of joints and ONE_TURN of the head
// [rad], WIDE of paddings [m], as baxterkit.checks.units has them.
struct UnitBounds {
  double far_angle, one_turn, wide;
};
const UnitBounds& unit_bounds();

void set_thread_count(int count);
int thread_count();

}  // namespace baxterkit
