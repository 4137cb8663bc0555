// The type IkSolver of the extension: exact inverse kinematics of one arm.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.hpp"

namespace baxterkit {

// The table in use, and the parameters of an ArmKernels object (null for any other): module.cpp
// holds them.
const KernelTable* active_table();
const Parameters* parameters_in(PyObject* object);

// A new reference to the type, or null with an exception set.
PyObject* make_ik_type();

}  // namespace baxterkit
