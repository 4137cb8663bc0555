// The extension module baxterkit._native: the type ArmKernels, whose methods are the kernels.
//
// Methods use CPython's fast calling convention. A call with plain float64 vectors goes straight to
// the kernel; everything else (keywords, batches, lists, other types) takes the general path of
// arguments.cpp.
#include "arguments.hpp"
#include "generated/arm_kernels.hpp"
#include "generated/functions.hpp"
#include "ik_table.hpp"
#include "objects.hpp"

#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>

namespace baxterkit {

// generated/seam.cpp
extern PyMethodDef module_functions[];
extern const char* const interface_name;
bool add_types(PyObject* module);

namespace {

const KernelTable* active = nullptr;

const ArmKernels* arm_of(PyObject* self) { return reinterpret_cast<Holder<ArmKernels>*>(self)->self; }

// The ArmModel; None if there is none.
PyObject* model_of(PyObject* self) {
  PyObject* model = arm_of(self)->model;
  return model ? model : Py_None;
}

// A call that is sorted out: one sample straight to the kernel, anything else by the general path.
PyObject* run(const Kernel& kernel, PyObject* self, PyObject* const* inputs, PyObject* out) {
  const Parameters& parameters = arm_of(self)->parameters;
  if (!out || out == Py_None) {
    PyObject* result = run_single(kernel, parameters, inputs);
    if (result || PyErr_Occurred()) return result;
  }
  return run_kernel(kernel, parameters, model_of(self), inputs, out);
}

// A function of baxterkit.kinematics.of_frame, for another frame than the tip.
PyObject* call_of(const char* function, PyObject* self, PyObject* q, PyObject* of, PyObject* frame,
                  PyObject* out) {
  PyObject* module = PyImport_ImportModule("baxterkit.kinematics.of_frame");
  if (!module) return nullptr;
  if (!out) out = Py_None;
  PyObject* result =
      frame ? PyObject_CallMethod(module, function, "OOOOOO", self, model_of(self), q, of, frame, out)
            : PyObject_CallMethod(module, function, "OOOOO", self, model_of(self), q, of, out);
  Py_DECREF(module);
  return result;
}

// Sorts positional and keyword arguments of a kernel call into inputs, out and, where there are such,
// the frame `of` and the frame of the axes.
bool sort_kernel_arguments(const Kernel& kernel, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                           PyObject** inputs, PyObject** out, PyObject** of = nullptr,
                           PyObject** frame = nullptr) {
  *out = nullptr;
  for (int k = 0; k < kernel.n_inputs; ++k) inputs[k] = nullptr;
  if (nargs > kernel.n_inputs + (frame ? 1 : 0)) {
    PyErr_Format(PyExc_TypeError, "%s() takes %d array argument%s%s (%zd given); give out by keyword",
                 kernel.name, kernel.n_inputs, kernel.n_inputs == 1 ? "" : "s", frame ? " and a frame" : "",
                 nargs);
    return false;
  }
  for (Py_ssize_t k = 0; k < nargs; ++k) (k < kernel.n_inputs ? inputs[k] : *frame) = args[k];
  const Py_ssize_t keywords = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* name = PyTuple_GetItem(kwnames, i);
    PyObject** slot = nullptr;
    if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
      slot = out;
    } else if (of && PyUnicode_CompareWithASCIIString(name, "of") == 0) {
      slot = of;
    } else if (frame && PyUnicode_CompareWithASCIIString(name, "frame") == 0) {
      slot = frame;
    } else {
      for (int k = 0; k < kernel.n_inputs && !slot; ++k) {
        if (PyUnicode_CompareWithASCIIString(name, kernel.inputs[k]) == 0) slot = &inputs[k];
      }
    }
    if (!slot || *slot) {
      PyErr_Format(PyExc_TypeError,
                   slot ? "%s() got multiple values for argument '%U'"
                        : "%s() got an unexpected keyword argument '%U'",
                   kernel.name, name);
      return false;
    }
    *slot = args[nargs + i];
  }
  for (int k = 0; k < kernel.n_inputs; ++k) {
    if (!inputs[k]) {
      PyErr_Format(PyExc_TypeError, "%s() misses the argument '%s'", kernel.name, kernel.inputs[k]);
      return false;
    }
  }
  return true;
}

template <int Id>
PyObject* compute(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Kernel& kernel = active->kernels[Id];
  PyObject* inputs[kMaxInputs];
  PyObject* out = nullptr;
  const bool plain = !kwnames && nargs == kernel.n_inputs;
  if (!plain && !sort_kernel_arguments(kernel, args, nargs, kwnames, inputs, &out)) return nullptr;
  return run(kernel, self, plain ? args : inputs, out);
}

// fk(q, *, of=None, out=None): of names another frame than the tip, which Python computes.
template <>
PyObject* compute<kernel_fk>(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Kernel& kernel = active->kernels[kernel_fk];
  PyObject *q = nargs > 0 ? args[0] : nullptr, *of = nullptr, *out = nullptr;
  if (kwnames || nargs != 1) {
    if (!sort_kernel_arguments(kernel, args, nargs, kwnames, &q, &out, &of)) return nullptr;
    if (of && of != Py_None) return call_of("fk_of", self, q, of, nullptr, out);
  }
  return run(kernel, self, &q, out);
}

// jacobian(q, frame="base", *, of=None, out=None): the frame chooses between two kernels.
template <>
PyObject* compute<kernel_jacobian>(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames) {
  const Kernel* kernel = &active->kernels[kernel_jacobian];
  PyObject *q = nargs > 0 ? args[0] : nullptr, *frame = nullptr, *of = nullptr, *out = nullptr;
  if ((kwnames || nargs != 1) &&
      !sort_kernel_arguments(*kernel, args, nargs, kwnames, &q, &out, &of, &frame)) {
    return nullptr;
  }
  if (of && of != Py_None) {
    PyObject* base = frame ? Py_NewRef(frame) : PyUnicode_FromString("base");
    PyObject* result = base ? call_of("jacobian_of", self, q, of, base, out) : nullptr;
    Py_XDECREF(base);
    return result;
  }
  if (frame) {
    if (PyUnicode_Check(frame) && PyUnicode_CompareWithASCIIString(frame, "tip") == 0) {
      kernel = &active->kernels[kernel_body_jacobian];
    } else if (!PyUnicode_Check(frame) || PyUnicode_CompareWithASCIIString(frame, "base") != 0) {
      raise_unknown_frame(frame);
      return nullptr;
    }
  }
  return run(*kernel, self, &q, out);
}

// The same, of an object that its constructor has made.
template <int Id>
PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (!arm_of(self)) return raise_not_made(self);
  return compute<Id>(self, args, nargs, kwnames);
}

// The types of the records that methods give.
bool load_records() {
  PyObject* module = PyImport_ImportModule("baxterkit.kernels.records");
  bool fine = module != nullptr;
  for (std::size_t k = 0; fine && k < std::size(records::names); ++k) {
    PyObject* type = PyObject_GetAttrString(module, records::names[k]);
    records::types[k] = reinterpret_cast<PyTypeObject*>(type);
    fine = type != nullptr;
  }
  Py_XDECREF(module);
  return fine;
}

// Effects as one array: bias, viscous, coulomb, speed squared, sines, cosines; none if it is null.
void copy_effects(const double* given, Effects& effects) {
  double numbers[kEffectNumbers] = {};
  for (int j = 0; j < kJoints; ++j) numbers[3 * kJoints + j] = 1.0;
  if (given) std::copy(given, given + kEffectNumbers, numbers);
  static_assert(offsetof(Effects, harmonics) == sizeof numbers, "the numbers come first");
  std::memcpy(&effects, numbers, sizeof numbers);
  effects.harmonics = 0;
  for (int k = 0; k < kHarmonics; ++k) {
    for (int j = 0; j < kJoints; ++j) {
      if (effects.sine[k][j] != 0.0 || effects.cosine[k][j] != 0.0) effects.harmonics = k + 1;
    }
  }
}

PyModuleDef module_definition = {PyModuleDef_HEAD_INIT,
                                 "baxterkit._native",
                                 "Native kernels of baxterkit.",
                                 -1,
                                 module_functions,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

}  // namespace

#define X(name, Struct, doc) defined(#name, call<kernel_##name>, doc),
PyMethodDef arm_kernels_methods[] = {BAXTERKIT_KERNELS(X){nullptr, nullptr, 0, nullptr}};
#undef X

const KernelTable* active_table() { return active; }

End arm_kernels::make(const New& a, Holder<ArmKernels>& object) {
  auto* arm = new (std::nothrow) ArmKernels();
  if (!arm) return End::fine;
  Parameters& p = arm->parameters;
  std::copy(a.mount, a.mount + 12, p.mount);
  std::copy(a.tool, a.tool + 12, p.tool);
  std::copy(a.beta, a.beta + kBaseParameters, p.beta);
  std::copy(a.gravity, a.gravity + 3, p.gravity);
  p.mount_energy = a.mount_energy;
  copy_effects(a.effects, p.effects);
  arm->model = Py_NewRef(a.model);
  object.keep(arm);
  return End::fine;
}

namespace functions {

End set_threads(const SetThreads& a, Nothing&) {
  set_thread_count(static_cast<int>(a.count));
  return End::fine;
}

End get_threads(const GetThreads&, long long& count) {
  count = thread_count();
  return End::fine;
}

End isa(const Isa&, PyObject*& name) {
  name = PyUnicode_FromString(active->isa);
  return End::fine;
}

End isas(const Isas&, PyObject*& names) {
  names = PyList_New(0);
  for (const char* const* name = available_isas(); names && *name; ++name) {
    PyObject* text = PyUnicode_FromString(*name);
    if (!text || PyList_Append(names, text) < 0) Py_CLEAR(names);
    Py_XDECREF(text);
  }
  return End::fine;
}

End use_isa(const UseIsa& a, Nothing&) {
  const KernelTable* table = choose_table(a.name);
  if (!table) {
    PyErr_Format(PyExc_ValueError, "instruction set '%s' is not available here", a.name);
    return End::raised;
  }
  active = table;
  return End::fine;
}

End ik_shortages(const IkShortages&, records::IkShortages& result) {
  const baxterkit::IkShortages counts = active->ik->shortages();
  result.repeated = counts.repeated;
  result.cut_short = counts.cut_short;
  return End::fine;
}

}  // namespace functions
}  // namespace baxterkit

PyMODINIT_FUNC PyInit__native() {
  using namespace baxterkit;
  active = choose_table(nullptr);
  if (!active) {
    PyErr_SetString(PyExc_ImportError,
                    "it was compiled for another processor: this one has none of its instruction sets");
    return nullptr;
  }
  if (!prepare_arguments()) return nullptr;
  PyObject* module = PyModule_Create(&module_definition);
  if (!module) return nullptr;
  const bool fine = load_records() && add_types(module) &&
                    PyModule_AddStringConstant(module, "interface", interface_name) == 0;
  if (fine) return module;
  Py_DECREF(module);
  return nullptr;
}
