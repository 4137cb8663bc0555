// NumPy's C interface, loaded once: arguments.cpp does that, before anything else.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL baxterkit_array_api
#ifndef BAXTERKIT_LOADS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#if NPY_ABI_VERSION < 0x02000000
#error "these are headers of NumPy 1: compile with those of NumPy 2, whose modules run with NumPy 1.26 too"
#endif
