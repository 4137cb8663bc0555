#include "arguments.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "spread.hpp"

#define BAXTERKIT_LOADS_NUMPY
#include "numpy.hpp"

namespace baxterkit {
namespace {

constexpr npy_intp kRowsPerBlock = 1024;   // the unit of work that threads share out
constexpr npy_intp kRowsPerThread = 4096;  // below this, another thread costs more than it brings
constexpr npy_intp kRowsWithGil = 64;      // below this, releasing the GIL costs more than it brings
constexpr npy_intp kCacheBytes = 1 << 22;  // a larger result is written past the cache

std::atomic<int> configured_threads{1};
PyObject* read_input =
    nullptr;  // baxterkit.checks.explain: reads arguments other than plain arrays, or raises
PyObject* explain_shapes = nullptr;  // these always raise
PyObject* explain_out = nullptr;
PyObject* explain_frame = nullptr;
PyObject* warn_if_degrees = nullptr;  // baxterkit.checks.units
UnitBounds bounds = {0.0, 0.0, 0.0};

// A reference that is given back at the end of its scope.
class Owned {
 public:
  explicit Owned(PyObject* object = nullptr) : object_(object) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Py_XDECREF(object_); }
  void reset(PyObject* object) {
    Py_XDECREF(object_);
    object_ = object;
  }
  PyObject* get() const { return object_; }
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object_); }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  PyObject* object_;
};

// Calls a Python function that words and raises the error.
void raise_with(PyObject* function, PyObject* arguments) {
  Owned held(arguments);
  if (!arguments) return;
  PyErr_Clear();
  Owned result(PyObject_CallObject(function, arguments));
  if (result.get()) PyErr_SetString(PyExc_RuntimeError, "baxterkit: an argument was refused");
}

// An argument as Python reads it: a new reference, or null with the refusal raised.
PyObject* read_in_python(PyObject* value, const char* name, int width, PyObject* model) {
  PyErr_Clear();
  return PyObject_CallFunction(read_input, "OsiO", value, name, width, model);
}

struct Job {
  const Kernel* kernel;
  const Parameters* parameters;
  int ndim = 0;                        // dimensions left after merging, innermost last
  npy_intp shape[NPY_MAXDIMS] = {};
  npy_intp strides[kMaxInputs + 1][NPY_MAXDIMS] = {};  // of the inputs, then of the output
  Operand in[kMaxInputs] = {};
  char* out = nullptr;
  bool past_cache = false;

  npy_intp inner() const { return ndim ? shape[ndim - 1] : 1; }
  npy_intp outer() const {
    npy_intp n = 1;
    for (int d = 0; d + 1 < ndim; ++d) n *= shape[d];
    return n;
  }
  npy_intp blocks_per_run() const { return (inner() + kRowsPerBlock - 1) / kRowsPerBlock; }
};

// Drops dimensions of one, merges neighbours that are one stretch of memory in every operand, and
// puts the longest dimension innermost.
void simplify(Job& job) {
  const int operands = job.kernel->n_inputs + 1;
  int kept = 0;
  for (int d = 0; d < job.ndim; ++d) {
    if (job.shape[d] == 1) continue;
    bool merge = kept > 0;
    for (int k = 0; k < operands && merge; ++k) {
      merge = job.strides[k][kept - 1] == job.strides[k][d] * job.shape[d];
    }
    if (merge) {
      job.shape[kept - 1] *= job.shape[d];
    } else {
      job.shape[kept++] = job.shape[d];
    }
    for (int k = 0; k < operands; ++k) job.strides[k][kept - 1] = job.strides[k][d];
  }
  job.ndim = kept;
  if (kept < 2) return;
  const int longest = static_cast<int>(std::max_element(job.shape, job.shape + kept) - job.shape);
  std::swap(job.shape[longest], job.shape[kept - 1]);
  for (int k = 0; k < operands; ++k) std::swap(job.strides[k][longest], job.strides[k][kept - 1]);
}

// Blocks [first, last) of the job; block b is rows of run b / blocks_per_run.
bool run_part(const Job& job, npy_intp first, npy_intp last) {
  const int inputs = job.kernel->n_inputs;
  const npy_intp per_run = job.blocks_per_run();
  bool finite = true;
  for (npy_intp block = first; block < last; ++block) {
    npy_intp offset[kMaxInputs + 1] = {};
    npy_intp index = block / per_run;
    for (int d = job.ndim - 2; d >= 0; --d) {
      const npy_intp i = index % job.shape[d];
      index /= job.shape[d];
      for (int k = 0; k <= inputs; ++k) offset[k] += i * job.strides[k][d];
    }
    const npy_intp row = block % per_run * kRowsPerBlock;
    const npy_intp rows = std::min(kRowsPerBlock, job.inner() - row);
    Operand in[kMaxInputs];
    for (int k = 0; k <= inputs; ++k) {
      const npy_intp stride = job.ndim ? job.strides[k][job.ndim - 1] : 0;
      offset[k] += row * stride;
      if (k < inputs) in[k] = {job.in[k].data + offset[k], stride, job.in[k].column_stride};
    }
    const npy_intp out_stride = job.ndim ? job.strides[inputs][job.ndim - 1] : 0;
    finite &=
        job.kernel->rows(rows, in, job.out + offset[inputs], out_stride, job.past_cache, *job.parameters);
  }
  return finite;
}

// The whole job without the GIL, on several threads. False with an exception set if a signal's
// handler raised.
bool run_threads(const Job& job, npy_intp rows, bool* all_finite) {
  const npy_intp blocks = job.outer() * job.blocks_per_run();
  const npy_intp useful = std::min(rows / kRowsPerThread, blocks);
  const int threads = static_cast<int>(std::max<npy_intp>(1, std::min<npy_intp>(thread_count(), useful)));
  std::atomic<bool> finite{true};
  std::atomic<int> next{0};
  Spread spread;
  const bool fine = spread.run(threads, [&] {
    for (int t = next++; t < threads; t = next++) {  // a thread that did not start leaves its part
      const npy_intp last = blocks * (t + 1) / threads;
      for (npy_intp block = blocks * t / threads; block < last && !spread.stopped(); ++block) {
        if (!run_part(job, block, block + 1)) finite = false;
      }
    }
  });
  *all_finite = finite;
  return fine;
}

// Whether `value` is an array, a number, or a sequence of such. Anything else may name its joints, or
// hide values behind a mask, so that Python has to read it.
bool is_plain(PyObject* value, int depth = 4) {
  if (PyFloat_CheckExact(value) || PyArray_CheckExact(value)) return true;
  const bool list = PyList_CheckExact(value);
  if (list || PyTuple_CheckExact(value)) {
    const Py_ssize_t size = PySequence_Size(value);
    for (Py_ssize_t i = 0; depth > 0 && i < size; ++i) {
      if (!is_plain(list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i), depth - 1)) return false;
    }
    return true;
  }
  return PyFloat_Check(value) || PyLong_Check(value) || PyArray_CheckScalar(value);
}

// `value` as an aligned float64 array of any strides whose last axis is `width`.
PyObject* as_input(PyObject* value, const char* name, int width, PyObject* model) {
  if (is_plain(value)) {
    Owned any(PyArray_FromAny(value, nullptr, 0, 0, 0, nullptr));
    const int type = any.get() ? PyArray_TYPE(any.array()) : NPY_OBJECT;
    const int ndim = any.get() ? PyArray_NDIM(any.array()) : 0;
    if ((PyTypeNum_ISINTEGER(type) || PyTypeNum_ISFLOAT(type)) && ndim >= 1 &&
        PyArray_DIM(any.array(), ndim - 1) == width) {
      PyObject* array =
          PyArray_FromAny(any.get(), PyArray_DescrFromType(NPY_DOUBLE), 1, 0,
                          NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST, nullptr);
      if (array) return array;
    }
  }
  Owned read(read_in_python(value, name, width, model));
  if (!read.get()) return nullptr;
  return PyArray_FromAny(read.get(), PyArray_DescrFromType(NPY_DOUBLE), 1, 0,
                         NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED, nullptr);
}

// Whether an angle in the row that begins at `row` is far beyond any limit.
bool has_far_angle(PyArrayObject* q, const char* row) {
  const int last = PyArray_NDIM(q) - 1;
  for (npy_intp i = 0; i < PyArray_DIM(q, last); ++i) {
    const auto* angle = reinterpret_cast<const double*>(row + i * PyArray_STRIDE(q, last));
    if (std::fabs(*angle) > bounds.far_angle) return true;
  }
  return false;
}

// Joint positions far beyond any limit may be in degrees: the first row, the last one and one in
// the middle are looked at, and Python warns. False if that warning was made an error. An array of one configuration with
// velocities may come from a simulation of an arm without stops, which turns far: it is not checked.
bool sane_units(const Kernel& kernel, int k, PyObject* given, PyArrayObject* q, PyObject* model) {
  const char* name = kernel.inputs[k];
  if (std::strcmp(name, "q") != 0 || PyArray_SIZE(q) == 0) return true;
  if (kernel.n_inputs > 1 && PyArray_NDIM(q) == 1 && PyArray_Check(given)) return true;
  const char* first = PyArray_BYTES(q);
  const char *middle = first, *last = first;
  for (int d = 0; d < PyArray_NDIM(q) - 1; ++d) {
    middle += PyArray_DIM(q, d) / 2 * PyArray_STRIDE(q, d);
    last += (PyArray_DIM(q, d) - 1) * PyArray_STRIDE(q, d);
  }
  if (!has_far_angle(q, first) && !has_far_angle(q, middle) && !has_far_angle(q, last)) return true;
  Owned done(PyObject_CallFunction(warn_if_degrees, "OsO", q, name, model));
  return done.get() != nullptr;
}

bool is_packed(PyArrayObject* array, int core_ndim) {
  npy_intp expected = 8;
  for (int d = PyArray_NDIM(array) - 1; d >= PyArray_NDIM(array) - core_ndim; --d) {
    if (PyArray_DIM(array, d) != 1 && PyArray_STRIDE(array, d) != expected) return false;
    expected *= PyArray_DIM(array, d);
  }
  return true;
}

// First and last byte that an array can touch.
void memory_range(PyArrayObject* array, const char*& low, const char*& high) {
  low = high = PyArray_BYTES(array);
  for (int d = 0; d < PyArray_NDIM(array); ++d) {
    const npy_intp reach = (PyArray_DIM(array, d) - 1) * PyArray_STRIDE(array, d);
    (reach < 0 ? low : high) += reach;
  }
}

bool may_overlap(PyArrayObject* a, PyArrayObject* b) {
  if (PyArray_SIZE(a) == 0 || PyArray_SIZE(b) == 0) return false;
  const char *a_low, *a_high, *b_low, *b_high;
  memory_range(a, a_low, a_high);
  memory_range(b, b_low, b_high);
  return a_low <= b_high + 7 && b_low <= a_high + 7;
}

bool usable_out(PyObject* out, int ndim, const npy_intp* shape) {
  if (!PyArray_Check(out)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(out);
  return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISBEHAVED(array) && PyArray_NDIM(array) == ndim &&
         std::equal(shape, shape + ndim, PyArray_DIMS(array));
}

PyObject* shape_tuple(PyArrayObject* array) {
  PyObject* tuple = PyTuple_New(PyArray_NDIM(array));
  for (int d = 0; tuple && d < PyArray_NDIM(array); ++d) {
    PyTuple_SetItem(tuple, d, PyLong_FromSsize_t(PyArray_DIM(array, d)));
  }
  return tuple;
}

void raise_shapes(const Kernel& kernel, const Owned* arrays) {
  PyObject* names = PyTuple_New(kernel.n_inputs);
  PyObject* shapes = PyTuple_New(kernel.n_inputs);
  for (int k = 0; names && shapes && k < kernel.n_inputs; ++k) {
    PyTuple_SetItem(names, k, PyUnicode_FromString(kernel.inputs[k]));
    PyTuple_SetItem(shapes, k, shape_tuple(arrays[k].array()));
  }
  raise_with(explain_shapes, Py_BuildValue("(NN)", names, shapes));
}

// Broadcasts the leading axes of the inputs; fills the job's shape and the inputs' strides.
bool broadcast(Job& job, const Owned* arrays) {
  const int inputs = job.kernel->n_inputs;
  for (int k = 0; k < inputs; ++k) {
    job.ndim = std::max(job.ndim, PyArray_NDIM(arrays[k].array()) - 1);
  }
  std::fill(job.shape, job.shape + job.ndim, 1);
  for (int k = 0; k < inputs; ++k) {
    PyArrayObject* array = arrays[k].array();
    const int lead = PyArray_NDIM(array) - 1;
    for (int d = 0; d < lead; ++d) {
      npy_intp& size = job.shape[job.ndim - lead + d];
      const npy_intp own = PyArray_DIM(array, d);
      if (size == 1) {
        size = own;
      } else if (own != 1 && own != size) {
        return false;
      }
    }
  }
  for (int k = 0; k < inputs; ++k) {
    PyArrayObject* array = arrays[k].array();
    const int lead = PyArray_NDIM(array) - 1;
    for (int d = 0; d < lead; ++d) {
      if (PyArray_DIM(array, d) != 1) {
        job.strides[k][job.ndim - lead + d] = PyArray_STRIDE(array, d);
      }
    }
    job.in[k] = {PyArray_BYTES(array), 0, PyArray_STRIDE(array, lead)};
  }
  return true;
}

}  // namespace

bool prepare_arguments() {
  import_array1(false);
  Owned module(PyImport_ImportModule("baxterkit.checks.explain"));
  if (!module.get()) return false;
  read_input = PyObject_GetAttrString(module.get(), "read_input");
  explain_shapes = PyObject_GetAttrString(module.get(), "explain_shapes");
  explain_out = PyObject_GetAttrString(module.get(), "explain_out");
  explain_frame = PyObject_GetAttrString(module.get(), "explain_frame");
  Owned units(PyImport_ImportModule("baxterkit.checks.units"));
  if (!units.get()) return false;
  warn_if_degrees = PyObject_GetAttrString(units.get(), "warn_if_degrees");
  const auto number = [&](const char* name, double* to) {
    Owned value(PyObject_GetAttrString(units.get(), name));
    if (value.get()) *to = PyFloat_AsDouble(value.get());
    return value.get() && !PyErr_Occurred();
  };
  return number("FAR_ANGLE", &bounds.far_angle) && number("ONE_TURN", &bounds.one_turn) &&
         number("WIDE", &bounds.wide) && read_input && explain_shapes && explain_out && explain_frame &&
         warn_if_degrees;
}

const UnitBounds& unit_bounds() { return bounds; }

void raise_unknown_frame(PyObject* frame) { raise_with(explain_frame, Py_BuildValue("(O)", frame)); }

void set_thread_count(int count) { configured_threads = count; }
int thread_count() { return configured_threads; }

PyObject* run_single(const Kernel& kernel, const Parameters& parameters, PyObject* const* inputs) {
  const double* data[kMaxInputs];
  double packed[kMaxInputs][8];
  for (int k = 0; k < kernel.n_inputs; ++k) {
    if (!PyArray_CheckExact(inputs[k])) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(inputs[k]);
    if (PyArray_NDIM(array) != 1 || PyArray_TYPE(array) != NPY_DOUBLE ||
        PyArray_DIM(array, 0) != kernel.widths[k] || kernel.widths[k] > 8 || !PyArray_ISBEHAVED_RO(array)) {
      return nullptr;
    }
    const npy_intp stride = PyArray_STRIDE(array, 0);
    if (stride == 8) {
      data[k] = static_cast<const double*>(PyArray_DATA(array));
    } else {
      for (int i = 0; i < kernel.widths[k]; ++i) {
        packed[k][i] = *reinterpret_cast<const double*>(PyArray_BYTES(array) + i * stride);
      }
      data[k] = packed[k];
    }
    if (kernel.n_inputs == 1 && std::strcmp(kernel.inputs[k], "q") == 0) {
      double farthest = 0.0;
      for (int i = 0; i < kernel.widths[k]; ++i) farthest = std::max(farthest, std::fabs(data[k][i]));
      if (farthest > bounds.far_angle) return nullptr;  // the general path asks for the units
    }
  }
  npy_intp dims[kMaxOutputDims];
  std::copy(kernel.out_dims, kernel.out_dims + kernel.out_ndim, dims);
  Owned result(PyArray_SimpleNew(kernel.out_ndim, dims, NPY_DOUBLE));
  if (!result.get()) return nullptr;
  if (!kernel.one(data, static_cast<double*>(PyArray_DATA(result.array())), parameters)) {
    return nullptr;  // not finite: the general path finds out where
  }
  if (kernel.out_ndim == 0) return PyArray_Return(reinterpret_cast<PyArrayObject*>(result.release()));
  return result.release();
}

PyObject* run_kernel(const Kernel& kernel, const Parameters& parameters, PyObject* model,
                     PyObject* const* inputs, PyObject* out) {
  Owned arrays[kMaxInputs];
  for (int k = 0; k < kernel.n_inputs; ++k) {
    arrays[k].reset(as_input(inputs[k], kernel.inputs[k], kernel.widths[k], model));
    if (!arrays[k].get() || !sane_units(kernel, k, inputs[k], arrays[k].array(), model)) return nullptr;
  }
  Job job;
  job.kernel = &kernel;
  job.parameters = &parameters;
  if (!broadcast(job, arrays)) {
    raise_shapes(kernel, arrays);
    return nullptr;
  }
  if (job.ndim + kernel.out_ndim > NPY_MAXDIMS) {
    raise_shapes(kernel, arrays);
    return nullptr;
  }

  npy_intp shape[NPY_MAXDIMS];
  std::copy(job.shape, job.shape + job.ndim, shape);
  std::copy(kernel.out_dims, kernel.out_dims + kernel.out_ndim, shape + job.ndim);
  const int ndim = job.ndim + kernel.out_ndim;

  Owned result;
  bool copy_back = false;
  if (out && out != Py_None) {
    if (!usable_out(out, ndim, shape)) {
      Owned expected(PyTuple_New(ndim));
      for (int d = 0; expected.get() && d < ndim; ++d) {
        PyTuple_SetItem(expected.get(), d, PyLong_FromSsize_t(shape[d]));
      }
      raise_with(explain_out, Py_BuildValue("(OO)", out, expected.get()));
      return nullptr;
    }
    auto* array = reinterpret_cast<PyArrayObject*>(out);
    copy_back = !is_packed(array, kernel.out_ndim);
    for (int k = 0; k < kernel.n_inputs; ++k) copy_back |= may_overlap(array, arrays[k].array());
    if (!copy_back) {
      Py_INCREF(out);
      result.reset(out);
    }
  }
  if (!result.get()) result.reset(PyArray_SimpleNew(ndim, shape, NPY_DOUBLE));
  if (!result.get()) return nullptr;

  const npy_intp rows = PyArray_MultiplyList(job.shape, job.ndim);
  if (rows > 0) {
    job.out = PyArray_BYTES(result.array());
    for (int d = 0; d < job.ndim; ++d) {
      job.strides[kernel.n_inputs][d] = PyArray_STRIDE(result.array(), d);
    }
    job.past_cache = rows * kernel.out_size * 8 > kCacheBytes;
    simplify(job);
    bool finite;
    if (rows < kRowsWithGil) {
      finite = run_part(job, 0, job.outer() * job.blocks_per_run());
    } else if (!run_threads(job, rows, &finite)) {
      return nullptr;
    }
    if (!finite) {
      for (int k = 0; k < kernel.n_inputs; ++k) {
        Owned fine(read_in_python(arrays[k].get(), kernel.inputs[k], kernel.widths[k], model));
        if (!fine.get()) return nullptr;
      }
      PyErr_SetString(PyExc_RuntimeError, "baxterkit: an argument was refused");
      return nullptr;
    }
  }
  if (copy_back) {
    if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(out), result.array()) < 0) return nullptr;
    Py_INCREF(out);
    return out;
  }
  if (ndim == 0 && !(out && out != Py_None)) {
    return PyArray_Return(reinterpret_cast<PyArrayObject*>(result.release()));
  }
  return result.release();
}

}  // namespace baxterkit
