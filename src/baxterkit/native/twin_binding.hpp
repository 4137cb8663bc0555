// The type TwinStep of the extension: the compiled step of one twin, or of many side by side.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace baxterkit {

// A new reference to the type; null with an exception set.
PyObject* make_twin_type();

// step_twins(twins, targets) of the module: steps many twins on all threads.
PyObject* step_twins(PyObject*, PyObject* const* args, Py_ssize_t nargs);

}  // namespace baxterkit
