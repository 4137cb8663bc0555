#include "seam.hpp"

namespace baxterkit {

bool take_real(PyObject* object, bool exact, bool any_value, double* value) {
  if (!PyFloat_Check(object) && (exact || PyBool_Check(object))) return false;
  *value = PyFloat_AsDouble(object);
  if (*value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return any_value || std::isfinite(*value);
}

template <class T>
static bool take_index(PyObject* object, T (*convert)(PyObject*), T low, T high, T* value) {
  if (PyBool_Check(object)) return false;
  PyObject* index = PyNumber_Index(object);
  *value = index ? convert(index) : 0;
  Py_XDECREF(index);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return low <= *value && *value <= high;
}

bool take_integer(PyObject* object, long long low, long long high, long long* value) {
  return take_index(object, PyLong_AsLongLong, low, high, value);
}

bool take_integer(PyObject* object, unsigned long long low, unsigned long long high,
                  unsigned long long* value) {
  return take_index(object, PyLong_AsUnsignedLongLong, low, high, value);
}

bool take_flag(PyObject* object, bool* value) {
  const int truth = object == Py_True ? 1 : object == Py_False ? 0 : PyObject_IsTrue(object);
  if (truth < 0) PyErr_Clear();
  *value = truth == 1;
  return truth >= 0;
}

bool take_text(PyObject* object, const char** value) {
  *value = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, nullptr) : nullptr;
  if (!*value) PyErr_Clear();
  return *value != nullptr;
}

namespace {

// Puts a keyword's value in its place. `hint` is where it stands if keywords come in order.
bool put_keyword(const Signature& s, PyObject* name, PyObject* value, int hint, PyObject** given) {
  for (int step = 0; step < s.count; ++step) {
    const int k = (hint + step) % s.count;
    if (PyUnicode_CompareWithASCIIString(name, s.names[k]) != 0) continue;
    if (given[k]) break;
    given[k] = value;
    return true;
  }
  PyErr_Format(PyExc_TypeError, "%s got an unexpected or repeated argument '%U'", s.name, name);
  return false;
}

bool put_positional(const Signature& s, Py_ssize_t count, PyObject** given) {
  std::fill(given, given + s.count, nullptr);
  const int most = s.by_name ? 0 : s.count;
  if (count <= most) return true;
  PyErr_Format(PyExc_TypeError, "%s takes %d positional arguments (%zd given)", s.name, most, count);
  return false;
}

bool all_there(const Signature& s, PyObject** given) {
  for (int k = 0; k < s.count; ++k) {
    if (given[k]) continue;
    if (k < s.required) {
      PyErr_Format(PyExc_TypeError, "%s misses the argument '%s'", s.name, s.names[k]);
      return false;
    }
    given[k] = Py_None;
  }
  return true;
}

}  // namespace

bool sort_arguments(const Signature& s, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    PyObject** given) {
  if (!put_positional(s, nargs, given)) return false;
  std::copy(args, args + nargs, given);
  const Py_ssize_t keywords = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    const int hint = static_cast<int>(nargs + i);
    if (!put_keyword(s, PyTuple_GetItem(kwnames, i), args[nargs + i], hint, given)) return false;
  }
  return all_there(s, given);
}

bool sort_new(const Signature& s, PyObject* args, PyObject* kwargs, PyObject** given) {
  const Py_ssize_t positional = PyTuple_Size(args);
  if (!put_positional(s, positional, given)) return false;
  for (Py_ssize_t i = 0; i < positional; ++i) given[i] = PyTuple_GetItem(args, i);
  PyObject *name, *value;
  Py_ssize_t at = 0;
  int hint = static_cast<int>(positional);
  while (kwargs && PyDict_Next(kwargs, &at, &name, &value)) {
    if (!put_keyword(s, name, value, hint++, given)) return false;
  }
  return all_there(s, given);
}

void raise_refused(const Signature& s, PyObject* const* given, int place) {
  if (PyErr_Occurred()) return;
  if (place < 0) {
    PyErr_Format(PyExc_ValueError, "%s refused its arguments: a number is not finite, or a pose not rigid",
                 s.name);
    return;
  }
  PyObject* value = given[place];
  if (PyFloat_Check(value) || PyLong_Check(value)) {
    PyErr_Format(PyExc_ValueError, "%s: %s must be %s, not %R", s.name, s.names[place], s.expected[place],
                 value);
    return;
  }
  if (!PyArray_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%s: %s must be %s, not %R", s.name, s.names[place], s.expected[place],
                 Py_TYPE(value));
    return;
  }
  PyObject* shape = PyObject_GetAttrString(value, "shape");
  PyObject* scalar = PyObject_GetAttrString(value, "dtype");
  if (shape && scalar) {
    PyErr_Format(PyExc_ValueError, "%s: %s must be %s, not %S of shape %R", s.name, s.names[place],
                 s.expected[place], scalar, shape);
  }
  Py_XDECREF(shape);
  Py_XDECREF(scalar);
}

PyObject* make_record(PyTypeObject* type, std::initializer_list<PyObject*> items) {
  PyObject* record = nullptr;
  const bool fine = std::find(items.begin(), items.end(), nullptr) == items.end();
  if (fine) record = PyType_GenericAlloc(type, static_cast<Py_ssize_t>(items.size()));
  Py_ssize_t place = 0;
  for (PyObject* item : items) {
    if (record) {
      PyTuple_SetItem(record, place++, item);
    } else {
      Py_XDECREF(item);
    }
  }
  return record;
}

PyObject* raise_not_made(PyObject* object) {
  PyErr_Format(PyExc_TypeError, "%R has not been initialised", Py_TYPE(object));
  return nullptr;
}

void free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject* make_type(const char* name, const char* doc, int size, initproc init, destructor dealloc,
                    PyMethodDef* methods) {
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(doc)},
      {Py_tp_init, reinterpret_cast<void*>(init)},
      {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_methods, methods},
      {0, nullptr},
  };
  PyType_Spec spec = {name, size, 0, Py_TPFLAGS_DEFAULT, slots};
  return PyType_FromSpec(&spec);
}

}  // namespace baxterkit
