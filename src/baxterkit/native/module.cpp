// The extension module baxterkit._native: the type ArmKernels, whose methods are the kernels.
//
// Methods use CPython's fast calling convention. A call with plain float64 vectors goes straight to
// the kernel; everything else (keywords, batches, lists, other types) takes the general path of
// arguments.cpp.
#include "arguments.hpp"
#include "collision_binding.hpp"
#include "planning_binding.hpp"
#include "generated/interface.hpp"
#include "ik_binding.hpp"
#include "ik_table.hpp"
#include "twin_binding.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NO_IMPORT_ARRAY
#include <numpy/ndarraytypes.h>

namespace baxterkit {
namespace {

const KernelTable* active = nullptr;
PyObject* arm_type = nullptr;  // the module owns it

struct ArmKernels {
  PyObject_HEAD
  Parameters parameters;
  PyObject* model;  // the ArmModel, for what Python computes; or null
};

const Parameters& parameters_of(PyObject* self) {
  return reinterpret_cast<ArmKernels*>(self)->parameters;
}

// The ArmModel; None if there is none.
PyObject* model_of(PyObject* self) {
  PyObject* model = reinterpret_cast<ArmKernels*>(self)->model;
  return model ? model : Py_None;
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

// Sorts positional and keyword arguments of a kernel call into inputs, out and, where there is one,
// the frame `of`.
bool sort_arguments(const Kernel& kernel, PyObject* const* args, Py_ssize_t nargs,
                    PyObject* kwnames, PyObject** inputs, PyObject** out,
                    PyObject** of = nullptr) {
  *out = nullptr;
  for (int k = 0; k < kernel.n_inputs; ++k) inputs[k] = nullptr;
  if (nargs > kernel.n_inputs) {
    PyErr_Format(PyExc_TypeError, "%s() takes %d array argument%s (%zd given); give out by keyword",
                 kernel.name, kernel.n_inputs, kernel.n_inputs == 1 ? "" : "s", nargs);
    return false;
  }
  for (Py_ssize_t k = 0; k < nargs; ++k) inputs[k] = args[k];
  const Py_ssize_t keywords = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* name = PyTuple_GetItem(kwnames, i);
    PyObject** slot = nullptr;
    if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
      slot = out;
    } else if (of && PyUnicode_CompareWithASCIIString(name, "of") == 0) {
      slot = of;
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
PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Kernel& kernel = active->kernels[Id];
  PyObject* inputs[kMaxInputs];
  PyObject* out = nullptr;
  const bool plain = !kwnames && nargs == kernel.n_inputs;
  if (!plain && !sort_arguments(kernel, args, nargs, kwnames, inputs, &out)) return nullptr;
  PyObject* const* given = plain ? args : inputs;
  if (!out || out == Py_None) {
    PyObject* result = run_single(kernel, parameters_of(self), given);
    if (result || PyErr_Occurred()) return result;
  }
  return run_kernel(kernel, parameters_of(self), model_of(self), given, out);
}

// fk(q, *, of=None, out=None): of names another frame than the tip, which Python computes.
template <>
PyObject* call<kernel_fk>(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames) {
  const Kernel& kernel = active->kernels[kernel_fk];
  PyObject *q = nargs > 0 ? args[0] : nullptr, *of = nullptr, *out = nullptr;
  if (kwnames || nargs != 1) {
    if (!sort_arguments(kernel, args, nargs, kwnames, &q, &out, &of)) return nullptr;
    if (of && of != Py_None) return call_of("fk_of", self, q, of, nullptr, out);
  }
  if (!out || out == Py_None) {
    PyObject* result = run_single(kernel, parameters_of(self), &q);
    if (result || PyErr_Occurred()) return result;
  }
  return run_kernel(kernel, parameters_of(self), model_of(self), &q, out);
}

// jacobian(q, frame="base", *, of=None, out=None): the frame chooses between two kernels.
template <>
PyObject* call<kernel_jacobian>(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* kwnames) {
  const Kernel* kernel = &active->kernels[kernel_jacobian];
  PyObject* q = nargs > 0 ? args[0] : nullptr;
  PyObject* frame = nargs > 1 ? args[1] : nullptr;
  PyObject *of = nullptr, *out = nullptr;
  const Py_ssize_t keywords = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* name = PyTuple_GetItem(kwnames, i);
    PyObject** slot = PyUnicode_CompareWithASCIIString(name, "out") == 0     ? &out
                      : PyUnicode_CompareWithASCIIString(name, "frame") == 0 ? &frame
                      : PyUnicode_CompareWithASCIIString(name, "q") == 0     ? &q
                      : PyUnicode_CompareWithASCIIString(name, "of") == 0    ? &of
                                                                             : nullptr;
    if (!slot || *slot) {
      PyErr_Format(PyExc_TypeError, "jacobian() got an unexpected or repeated argument '%U'", name);
      return nullptr;
    }
    *slot = args[nargs + i];
  }
  if (!q || nargs > 2) {
    PyErr_SetString(PyExc_TypeError, "jacobian() takes q and, at most, frame, of and out");
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
  if (!out || out == Py_None) {
    PyObject* result = run_single(*kernel, parameters_of(self), &q);
    if (result || PyErr_Occurred()) return result;
  }
  return run_kernel(*kernel, parameters_of(self), model_of(self), &q, out);
}

#define X(name, Struct, doc)                                                           \
  {#name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call<kernel_##name>)), \
   METH_FASTCALL | METH_KEYWORDS, doc},
PyMethodDef arm_methods[] = {BAXTERKIT_KERNELS(X){nullptr, nullptr, 0, nullptr}};
#undef X

// Copies a contiguous float64 buffer of exactly `count` numbers.
bool copy_numbers(PyObject* object, const char* name, double* target, Py_ssize_t count) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return false;
  const bool fits = view.itemsize == 8 && view.format && std::strcmp(view.format, "d") == 0 &&
                    view.len == count * 8;
  if (fits) {
    std::memcpy(target, view.buf, view.len);
  } else {
    PyErr_Format(PyExc_ValueError, "%s must be %zd contiguous float64 numbers", name, count);
  }
  PyBuffer_Release(&view);
  return fits;
}

// Effects as one array: bias, viscous, coulomb, speed squared, sines, cosines; none if it is None.
bool copy_effects(PyObject* object, Effects& effects) {
  double numbers[kEffectNumbers] = {};
  for (int j = 0; j < kJoints; ++j) numbers[3 * kJoints + j] = 1.0;
  if (object && object != Py_None && !copy_numbers(object, "effects", numbers, kEffectNumbers)) {
    return false;
  }
  static_assert(offsetof(Effects, harmonics) == sizeof numbers, "the numbers come first");
  std::memcpy(&effects, numbers, sizeof numbers);
  effects.harmonics = 0;
  for (int k = 0; k < kHarmonics; ++k) {
    for (int j = 0; j < kJoints; ++j) {
      if (effects.sine[k][j] != 0.0 || effects.cosine[k][j] != 0.0) effects.harmonics = k + 1;
    }
  }
  return true;
}

int arm_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"mount",        "tool",    "beta",   "gravity",
                                "mount_energy", "effects", "model", nullptr};
  PyObject *mount, *tool, *beta, *gravity, *effects = nullptr, *model = nullptr;
  auto* kernels = reinterpret_cast<ArmKernels*>(self);
  Parameters& p = kernels->parameters;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOd|OO", const_cast<char**>(names), &mount,
                                   &tool, &beta, &gravity, &p.mount_energy, &effects, &model)) {
    return -1;
  }
  Py_XINCREF(model);
  Py_XDECREF(std::exchange(kernels->model, model));
  const bool fine = copy_numbers(mount, "mount", p.mount, 12) &&
                    copy_numbers(tool, "tool", p.tool, 12) &&
                    copy_numbers(beta, "beta", p.beta, kBaseParameters) &&
                    copy_numbers(gravity, "gravity", p.gravity, 3) &&
                    copy_effects(effects, p.effects);
  return fine ? 0 : -1;
}

void arm_dealloc(PyObject* self) {
  Py_XDECREF(reinterpret_cast<ArmKernels*>(self)->model);
  free_object(self);
}

PyType_Slot arm_slots[] = {
    {Py_tp_doc, const_cast<char*>("Kernels of one arm: its mount, tool, inertias and gravity.")},
    {Py_tp_init, reinterpret_cast<void*>(arm_init)},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(arm_dealloc)},
    {Py_tp_methods, arm_methods},
    {0, nullptr},
};
PyType_Spec arm_spec = {"baxterkit._native.ArmKernels", sizeof(ArmKernels), 0, Py_TPFLAGS_DEFAULT,
                        arm_slots};

PyObject* set_threads(PyObject*, PyObject* argument) {
  const long count = PyLong_AsLong(argument);
  if (count == -1 && PyErr_Occurred()) return nullptr;
  if (count < 1 || count > 4096) {
    PyErr_Format(PyExc_ValueError, "the number of threads must be from 1 to 4096, not %ld", count);
    return nullptr;
  }
  set_thread_count(static_cast<int>(count));
  Py_RETURN_NONE;
}

PyObject* get_threads(PyObject*, PyObject*) { return PyLong_FromLong(thread_count()); }

PyObject* get_isa(PyObject*, PyObject*) { return PyUnicode_FromString(active->isa); }

PyObject* get_isas(PyObject*, PyObject*) {
  PyObject* list = PyList_New(0);
  for (const char* const* name = available_isas(); list && *name; ++name) {
    PyObject* text = PyUnicode_FromString(*name);
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

PyObject* use_isa(PyObject*, PyObject* argument) {
  const char* wanted = PyUnicode_AsUTF8AndSize(argument, nullptr);
  if (!wanted) return nullptr;
  const KernelTable* table = choose_table(wanted);
  if (!table) {
    PyErr_Format(PyExc_ValueError, "instruction set '%s' is not available here", wanted);
    return nullptr;
  }
  active = table;
  Py_RETURN_NONE;
}

PyObject* ik_shortages(PyObject*, PyObject*) {
  const IkShortages counts = active->ik->shortages();
  return Py_BuildValue("LL", counts.repeated, counts.cut_short);
}

PyMethodDef module_methods[] = {
    {"set_threads", set_threads, METH_O, "Threads that a batch may use."},
    {"get_threads", get_threads, METH_NOARGS, "Threads that a batch may use."},
    {"isa", get_isa, METH_NOARGS, "Name of the instruction set in use."},
    {"isas", get_isas, METH_NOARGS, "Instruction sets that this processor runs, best first."},
    {"use_isa", use_isa, METH_O, "Use the instruction set of this name."},
    {"ik_shortages", ik_shortages, METH_NOARGS,
     "Searches of inverse kinematics that ran out of room or steps: repeated with more, and cut short."},
    {"speeds", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(speeds)), METH_FASTCALL,
     "The fastest motion along a path under limits."},
    {"step_twins", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(step_twins)), METH_FASTCALL,
     "Steps many twins, on all threads."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {PyModuleDef_HEAD_INIT, "baxterkit._native",
                                 "Native kernels of baxterkit.", -1, module_methods,
                                 nullptr, nullptr, nullptr, nullptr};

}  // namespace

const KernelTable* active_table() { return active; }

const Parameters* parameters_in(PyObject* object) {
  const bool is_arm = reinterpret_cast<PyObject*>(Py_TYPE(object)) == arm_type;
  return is_arm ? &parameters_of(object) : nullptr;
}

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
  PyObject* type = PyType_FromSpec(&arm_spec);
  if (!type || PyModule_AddObject(module, "ArmKernels", type) < 0) {
    Py_XDECREF(type);
    Py_DECREF(module);
    return nullptr;
  }
  arm_type = type;
  PyObject* ik_type = make_ik_type();
  if (!ik_type || PyModule_AddObject(module, "IkSolver", ik_type) < 0) {
    Py_XDECREF(ik_type);
    Py_DECREF(module);
    return nullptr;
  }
  PyObject* checker_type = make_checker_type();
  if (!checker_type || PyModule_AddObject(module, "BodyChecker", checker_type) < 0) {
    Py_XDECREF(checker_type);
    Py_DECREF(module);
    return nullptr;
  }
  PyObject* twin_type = make_twin_type();
  if (!twin_type || PyModule_AddObject(module, "TwinStep", twin_type) < 0) {
    Py_XDECREF(twin_type);
    Py_DECREF(module);
    return nullptr;
  }
  if (PyModule_AddStringConstant(module, "interface", BAXTERKIT_INTERFACE) < 0) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
