// What the generated parts of the seam are made of: arguments as Python gives them, answers as it
// takes them, and the objects of the extension's types.
//
// Of each method, `generated/` has a struct of its arguments with `read`, the type of its result,
// and the declaration of the function that computes it; that function is written by hand.
#pragma once

#include "numpy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace baxterkit {

// How a call ended: with its result; with None, since there is none; without one, since an argument is
// not what the function takes; or with a Python exception set.
enum class End { fine, none, refused, raised };

constexpr int kFine = -1;  // what `read` gives if no argument is refused

template <int type>
struct NumberOf;
template <>
struct NumberOf<NPY_DOUBLE> {
  using Type = double;
};
template <>
struct NumberOf<NPY_INT64> {
  using Type = std::int64_t;
};
template <>
struct NumberOf<NPY_INT32> {
  using Type = int;
};
template <>
struct NumberOf<NPY_UINT8> {
  using Type = unsigned char;
};
template <>
struct NumberOf<NPY_BOOL> {
  using Type = unsigned char;
};
template <int type>
using Number = typename NumberOf<type>::Type;

// ---- Arguments ----

// A length that the arguments of a call share.
class Length {
 public:
  bool fits(npy_intp size) {
    if (value_ < 0) value_ = size;
    return value_ == size;
  }
  npy_intp value() const { return value_ < 0 ? 1 : value_; }

 private:
  npy_intp value_ = -1;
};

inline bool fits(npy_intp size, Length& length) { return length.fits(size); }
inline bool fits(npy_intp size, npy_intp wanted) { return size == wanted; }

inline PyArrayObject* array_of(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

inline bool is_array(PyObject* object, int type) {
  return PyArray_CheckExact(object) && PyArray_TYPE(array_of(object)) == type &&
         PyArray_ISCARRAY_RO(array_of(object));
}

// The numbers of a C-contiguous array of this type and shape.
template <int type, class... Axes>
bool take_array(PyObject* object, const Number<type>** data, Axes&&... axes) {
  if (!is_array(object, type) || PyArray_NDIM(array_of(object)) != sizeof...(axes)) return false;
  const npy_intp* size = PyArray_DIMS(array_of(object));
  if (!(fits(*size++, axes) && ...)) return false;
  *data = static_cast<const Number<type>*>(PyArray_DATA(array_of(object)));
  return true;
}

template <int type, class... Axes>
bool take_array(PyObject* object, Number<type>** data, Axes&&... axes) {
  const Number<type>* read = nullptr;
  if (!take_array<type>(object, &read, axes...) || !PyArray_ISWRITEABLE(array_of(object))) return false;
  *data = const_cast<Number<type>*>(read);
  return true;
}

// n rows, or one that stands for all of them: with a stride of zero.
template <int type>
struct Rows {
  const Number<type>* data;
  int stride;
  Number<type> own;  // a number that was given in the place of an array
};

template <int type, class... Axes>
bool take_rows(PyObject* object, Rows<type>* rows, Length& n, Axes... axes) {
  constexpr int width = sizeof...(axes);
  if (!is_array(object, type)) return false;
  const int ndim = PyArray_NDIM(array_of(object));
  const npy_intp* size = PyArray_DIMS(array_of(object));
  if (ndim != width && ndim != width + 1) return false;
  const bool one = ndim == width || *size == 1;
  if (!one && !n.fits(*size)) return false;
  if (ndim != width) ++size;
  if (!(fits(*size++, npy_intp(axes)) && ... && true)) return false;
  rows->data = static_cast<const Number<type>*>(PyArray_DATA(array_of(object)));
  rows->stride = one ? 0 : (static_cast<int>(axes) * ... * 1);
  return true;
}

inline bool take_rows_or_number(PyObject* object, Rows<NPY_DOUBLE>* rows, Length& n) {
  if (!PyFloat_Check(object)) return take_rows<NPY_DOUBLE>(object, rows, n);
  rows->own = PyFloat_AsDouble(object);
  rows->data = &rows->own;
  rows->stride = 0;
  return true;
}

// Whether no entry of an array that was taken is larger than `most`, or not a number.
inline bool within(PyObject* array, const double* x, double most) {
  const npy_intp n = PyArray_SIZE(array_of(array));
  bool fine = true;
  for (npy_intp i = 0; i < n; ++i) fine &= std::fabs(x[i]) <= most;
  return fine;
}

// `exact`: a float and nothing that can be made one.
bool take_real(PyObject* object, bool exact, bool any_value, double* value);
bool take_integer(PyObject* object, long long low, long long high, long long* value);
bool take_integer(PyObject* object, unsigned long long low, unsigned long long high,
                  unsigned long long* value);
bool take_flag(PyObject* object, bool* value);
bool take_text(PyObject* object, const char** value);

// A record, or None.
template <class Record>
bool take_structure(PyObject* object, std::optional<Record>* record) {
  if (object == Py_None) return true;
  if (!PyTuple_Check(object) || PyTuple_Size(object) != Record::kCount) return false;
  PyObject* given[Record::kCount];
  for (int k = 0; k < Record::kCount; ++k) given[k] = PyTuple_GetItem(object, k);
  return record->emplace().read(given) == kFine;
}

// A tuple of records.
template <class Record>
bool take_records(PyObject* object, std::vector<Record>* records) {
  if (!PyTuple_Check(object)) return false;
  for (Py_ssize_t n = 0; n < PyTuple_Size(object); ++n) {
    std::optional<Record> record;
    if (!take_structure(PyTuple_GetItem(object, n), &record) || !record) return false;
    records->push_back(std::move(*record));
  }
  return true;
}

// What a call may be given.
struct Signature {
  const char* name;
  int count, required;           // arguments
  bool by_name;                  // whether they must be given by name
  const char* const* names;
  const char* const* expected;   // what each of them must be, in words
};

// Sorts positional and keyword arguments into `given`, null where one is left out. False with an
// exception set.
bool sort_arguments(const Signature& signature, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    PyObject** given);
// Raises for the argument that `read` refused.
void raise_refused(const Signature& signature, PyObject* const* given, int place);

// ---- Answers ----

// An array of an answer.
template <int type>
class Made {
 public:
  Made() = default;
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { Py_XDECREF(object_); }

  // False with an exception set, as all that makes objects.
  bool make(std::initializer_list<npy_intp> shape) {
    npy_intp dims[4];
    std::copy(shape.begin(), shape.end(), dims);
    Py_XDECREF(object_);
    object_ = PyArray_SimpleNew(static_cast<int>(shape.size()), dims, type);
    return object_ != nullptr;
  }
  bool copy(const Number<type>* x, std::initializer_list<npy_intp> shape) {
    if (!make(shape)) return false;
    std::copy(x, x + PyArray_SIZE(array_of(object_)), data());
    return true;
  }
  Number<type>* data() const { return static_cast<Number<type>*>(PyArray_DATA(array_of(object_))); }
  // A new reference: the array, or None if it was not made.
  PyObject* give() { return object_ ? std::exchange(object_, nullptr) : Py_NewRef(Py_None); }

 private:
  PyObject* object_ = nullptr;
};

template <int type>
PyObject* give(Made<type>& made) {
  return made.give();
}
inline PyObject* give(double value) { return PyFloat_FromDouble(value); }
inline PyObject* give(long long value) { return PyLong_FromLongLong(value); }
inline PyObject* give(bool value) { return PyBool_FromLong(value); }
inline PyObject* give(PyObject* object) { return object; }

struct Nothing {};
inline PyObject* give(Nothing) { return Py_NewRef(Py_None); }

// A new record (a NamedTuple of baxterkit.kernels.records) of these items, whose references it takes;
// null with an exception set if it or one of them could not be made.
PyObject* make_record(PyTypeObject* type, std::initializer_list<PyObject*> items);

// ---- Objects ----

// The object of a type: holds what the constructor made.
template <class Self>
struct Holder {
  PyObject_HEAD
  Self* self;  // null until then
  void (*destroy)(Self*);

  void keep(Self* made) {
    self = made;
    destroy = [](Self* s) { delete s; };
  }
};

template <class Self>
inline PyTypeObject* type_of = nullptr;

// What an object holds; null if it is of another type.
template <class Self>
Self* self_in(PyObject* object) {
  return Py_TYPE(object) == type_of<Self> ? reinterpret_cast<Holder<Self>*>(object)->self : nullptr;
}

template <class Self>
bool take_instance(PyObject* object, Self** self) {
  return (*self = self_in<Self>(object)) != nullptr;
}

template <class Self>
bool take_instances(PyObject* object, std::vector<Self*>* all) {
  if (!PyTuple_Check(object)) return false;
  all->resize(PyTuple_Size(object));
  for (std::size_t n = 0; n < all->size(); ++n) {
    if (!take_instance(PyTuple_GetItem(object, n), &(*all)[n])) return false;
  }
  return true;
}

PyObject* raise_not_made(PyObject* object);

// A call from Python: reads the arguments, makes the arrays of the answer, and computes.
template <class Arguments, class Run>
PyObject* call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Run& run) {
  PyObject* sorted[Arguments::kCount + 1];
  PyObject* const* given = args;
  if (kwnames || nargs != Arguments::kCount || Arguments::kSignature.by_name) {
    if (!sort_arguments(Arguments::kSignature, args, nargs, kwnames, sorted)) return nullptr;
    given = sorted;
  }
  Arguments arguments;
  const int refused = arguments.read(given);
  if (refused == kFine) {
    typename Arguments::Result result;
    if (!arguments.make(result)) return nullptr;
    switch (run(arguments, result)) {
      case End::fine:
        return give(result);
      case End::none:
        Py_RETURN_NONE;
      case End::raised:
        return nullptr;
      case End::refused:
        break;
    }
  }
  if (Arguments::kGivesNone) {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NONE;
  }
  raise_refused(Arguments::kSignature, given, refused);
  return nullptr;
}

template <class Self, class Arguments, End (*run)(Self&, const Arguments&, typename Arguments::Result&)>
PyObject* method(PyObject* object, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Self* self = reinterpret_cast<Holder<Self>*>(object)->self;
  if (!self) return raise_not_made(object);
  return call<Arguments>(args, nargs, kwnames,
                         [self](const Arguments& a, auto& result) { return run(*self, a, result); });
}

template <class Arguments, End (*run)(const Arguments&, typename Arguments::Result&)>
PyObject* function(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return call<Arguments>(args, nargs, kwnames, run);
}

template <class Function>
PyMethodDef defined(const char* name, Function function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}

// Arguments of a constructor, a tuple and a dictionary, sorted as those of a method.
bool sort_new(const Signature& signature, PyObject* args, PyObject* kwargs, PyObject** given);
// The type of this full name (which must stay) and with these functions; null with an exception set.
PyObject* make_type(const char* name, const char* doc, int size, initproc init, destructor dealloc,
                    PyMethodDef* methods);
void free_object(PyObject* self);

template <class Self, class New, End (*make)(const New&, Holder<Self>&)>
int init(PyObject* object, PyObject* args, PyObject* kwargs) {
  auto* holder = reinterpret_cast<Holder<Self>*>(object);
  if (holder->self) {
    PyErr_Format(PyExc_TypeError, "%s: an object is made once", New::kSignature.name);
    return -1;
  }
  PyObject* given[New::kCount];
  if (!sort_new(New::kSignature, args, kwargs, given)) return -1;
  New arguments;
  const int refused = arguments.read(given);
  const End end = refused == kFine ? make(arguments, *holder) : End::refused;
  if (end == End::refused) raise_refused(New::kSignature, given, refused);
  if (end == End::fine && !holder->self) PyErr_NoMemory();
  return end == End::fine && holder->self ? 0 : -1;
}

template <class Self>
void dealloc(PyObject* object) {
  auto* holder = reinterpret_cast<Holder<Self>*>(object);
  if (holder->self) holder->destroy(holder->self);
  free_object(object);
}

template <class Self, class New, End (*make)(const New&, Holder<Self>&)>
PyObject* new_type(const char* doc, PyMethodDef* methods) {
  PyObject* type =
      make_type(New::kTypeName, doc, sizeof(Holder<Self>), init<Self, New, make>, dealloc<Self>, methods);
  type_of<Self> = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

}  // namespace baxterkit
