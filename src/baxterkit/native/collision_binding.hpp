// The type BodyChecker of the extension: collision checks of the whole robot.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "collision_table.hpp"

namespace baxterkit {

// The body of a BodyChecker object; null for any other.
const BodyShape* shape_in(PyObject* object);

// A new reference to the type, or null with an exception set.
PyObject* make_checker_type();

}  // namespace baxterkit
