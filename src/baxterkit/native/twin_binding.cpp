// The type TwinStep of the extension: the compiled step of one twin.
//
// Python owns all memory; a TwinStep holds it by the buffer protocol, so it stays while it is used.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "arguments.hpp"
#include "generated/functions.hpp"
#include "objects.hpp"
#include "spread.hpp"
#include "twin_step.hpp"

namespace baxterkit {
namespace {

constexpr long kWithGil = 4;  // below this many steps, releasing the GIL is not worth it
constexpr int kBuffers = 7;
constexpr int kSteeringBuffers = 4;  // of each arm the motion and the integral

struct TwinStep {
  PyObject_HEAD
  TwinParts parts;
  Py_buffer buffers[kBuffers];
  int held;         // of the buffers
  PyObject* owned;  // a tuple of what the addresses belong to
  PyObject* checker;
  Py_buffer steering[kSteeringBuffers];
  int steering_held;
  PyObject* laws;  // what the controllers' addresses belong to
};

TwinStep* of(PyObject* self) { return reinterpret_cast<TwinStep*>(self); }

PyTypeObject* twin_type = nullptr;

// Takes a writable buffer of at least `size` bytes; null with an exception set.
double* take(TwinStep* twin, PyObject* array, std::size_t size, const char* name) {
  Py_buffer& view = twin->buffers[twin->held];
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return nullptr;
  ++twin->held;
  if (static_cast<std::size_t>(view.len) < size) {
    PyErr_Format(PyExc_ValueError, "%s has %zd bytes, not %zu", name, view.len, size);
    return nullptr;
  }
  return static_cast<double*>(view.buf);
}

void end_steering(TwinStep* twin) {
  twin->parts.steering = Steering{};
  while (twin->steering_held > 0) PyBuffer_Release(&twin->steering[--twin->steering_held]);
  Py_CLEAR(twin->laws);
}

void let_go(TwinStep* twin) {
  end_steering(twin);
  while (twin->held > 0) PyBuffer_Release(&twin->buffers[--twin->held]);
  Py_CLEAR(twin->owned);
  Py_CLEAR(twin->checker);
}

// The parameters of an ArmKernels object; null for any other.
const Parameters* parameters_in(PyObject* object) {
  const ArmKernels* kernels = self_in<ArmKernels>(object);
  return kernels ? &kernels->parameters : nullptr;
}

// Two ArmKernels or None; false with an exception set.
bool take_kernels(PyObject* pair, const char* name, bool needed, const Parameters** out) {
  for (int arm = 0; arm < 2; ++arm) {
    PyObject* item = PyTuple_Check(pair) && PyTuple_Size(pair) == 2 ? PyTuple_GetItem(pair, arm) : nullptr;
    out[arm] = item && item != Py_None ? parameters_in(item) : nullptr;
    if (!out[arm] && (needed || item != Py_None)) {
      PyErr_Format(PyExc_TypeError, "%s must be two ArmKernels", name);
      return false;
    }
  }
  return true;
}

// TwinStep(record, past, noise, arms, springs, tilts, arrays, addresses): arrays are MuJoCo's qpos,
// qvel, qfrc_applied, dof_damping; addresses those of mj_step, the model, its state, the flags of
// what is switched off, then the bit of contacts.
int twin_init(PyObject* self, PyObject* args, PyObject*) {
  TwinStep* twin = of(self);
  let_go(twin);
  PyObject *record, *past, *noise, *arms, *springs, *tilts, *arrays[4];
  unsigned long long step, model, data, flags;
  TwinParts& parts = twin->parts;
  parts = TwinParts{};
  if (!PyArg_ParseTuple(args, "OOOO!O!O!(OOOO)(KKKKi)", &record, &past, &noise, &PyTuple_Type, &arms,
                        &PyTuple_Type, &springs, &PyTuple_Type, &tilts, &arrays[0], &arrays[1], &arrays[2],
                        &arrays[3], &step, &model, &data, &flags, &parts.engine.contacts)) {
    return -1;
  }
  constexpr std::size_t row = kSensed * sizeof(double), joints = kBothArms * sizeof(double);
  parts.record = reinterpret_cast<TwinRecord*>(take(twin, record, sizeof(TwinRecord), "record"));
  parts.past = parts.record ? take(twin, past, 2 * kWindow * row, "past") : nullptr;
  parts.noise = parts.past ? take(twin, noise, row, "noise") : nullptr;
  Engine& e = parts.engine;
  e.q = parts.noise ? take(twin, arrays[0], joints + sizeof(double), "qpos") : nullptr;
  e.qd = e.q ? take(twin, arrays[1], joints, "qvel") : nullptr;
  e.applied = e.qd ? take(twin, arrays[2], joints, "qfrc_applied") : nullptr;
  e.damping = e.applied ? take(twin, arrays[3], joints, "dof_damping") : nullptr;
  if (!e.damping || !take_kernels(arms, "arms", true, parts.arm) ||
      !take_kernels(springs, "springs", parts.record->elastic || parts.record->compensates, parts.springs) ||
      !take_kernels(tilts, "tilts", false, parts.tilt)) {
    return -1;
  }
  if (twin->buffers[0].len != sizeof(TwinRecord)) {
    PyErr_SetString(PyExc_ValueError, "record is not one record of this extension");
    return -1;
  }
  e.step = reinterpret_cast<void (*)(void*, void*)>(static_cast<std::uintptr_t>(step));
  e.model = reinterpret_cast<void*>(static_cast<std::uintptr_t>(model));
  e.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(data));
  e.flags = reinterpret_cast<int*>(static_cast<std::uintptr_t>(flags));
  if (!e.step || !e.model || !e.data || !e.flags) {
    PyErr_SetString(PyExc_ValueError, "an address is missing");
    return -1;
  }
  twin->owned = Py_NewRef(args);
  return 0;
}

void twin_dealloc(PyObject* self) {
  let_go(of(self));
  free_object(self);
}

// gate(mode, checker): 0 leaves the search for contacts alone, 1 has it always on, 2 asks the checker.
PyObject* set_gate(PyObject* self, PyObject* args) {
  TwinStep* twin = of(self);
  int mode;
  PyObject* checker;
  if (!PyArg_ParseTuple(args, "iO", &mode, &checker)) return nullptr;
  const BodyChecker* checks = mode == kGateChecked ? self_in<BodyChecker>(checker) : nullptr;
  const BodyShape* body = checks ? &checks->shape : nullptr;
  if (mode < kGateFixed || mode > kGateChecked || (mode == kGateChecked && !body)) {
    PyErr_SetString(PyExc_ValueError, "gate takes 0, 1, or 2 and a BodyChecker");
    return nullptr;
  }
  Py_INCREF(checker);
  Py_XDECREF(twin->checker);
  twin->checker = checker;
  twin->parts.gate = static_cast<Gate>(mode);
  twin->parts.body = body;
  Py_RETURN_NONE;
}

// run(n) -> steps done: fewer than n if noise must be drawn, or the state is no longer finite.
PyObject* run(PyObject* self, PyObject* argument) {
  const long n = PyLong_AsLong(argument);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  TwinStep* twin = of(self);
  if (!twin->owned) {
    PyErr_SetString(PyExc_ValueError, "the twin was not set up");
    return nullptr;
  }
  const KernelTable& table = *active_table();
  long done = 0;
  if (n < kWithGil) {
    run_twin(twin->parts, table, n, &done);
  } else {
    Py_BEGIN_ALLOW_THREADS;
    run_twin(twin->parts, table, n, &done);
    Py_END_ALLOW_THREADS;
  }
  return PyLong_FromLong(done);
}

// report(out (2, 3, 7)): the readings of now as they are published.
PyObject* report(PyObject* self, PyObject* out) {
  Py_buffer view;
  if (PyObject_GetBuffer(out, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return nullptr;
  const bool fits = of(self)->owned && view.len == kSensed * static_cast<Py_ssize_t>(sizeof(double));
  if (fits) report_twin(of(self)->parts, static_cast<double*>(view.buf));
  PyBuffer_Release(&view);
  if (fits) Py_RETURN_NONE;
  PyErr_SetString(PyExc_ValueError, "report takes an array of shape (2, 3, 7)");
  return nullptr;
}

// One controller: (kind, arm, effects, gains (4, 7), effort (7,), integral (7,), feedforward, motion
// (rows, 3, 7)). False with an exception set.
bool take_law(TwinStep* twin, int arm, PyObject* law, double dt) {
  PyObject *kernels, *effects, *gains, *effort, *integral, *motion;
  int kind, feedforward;
  if (!PyTuple_Check(law) || !PyArg_ParseTuple(law, "iOOOOOpO", &kind, &kernels, &effects, &gains, &effort,
                                               &integral, &feedforward, &motion)) {
    return false;
  }
  Steering& s = twin->parts.steering;
  Law& made = s.law[arm];
  made.kind = static_cast<LawKind>(kind);
  made.arm = kernels == Py_None ? nullptr : parameters_in(kernels);
  made.effects = effects == Py_None ? nullptr : parameters_in(effects);
  made.feedforward = feedforward != 0;
  made.dt = dt;
  const auto view = [&](PyObject* array, int flags) -> Py_buffer* {
    Py_buffer* buffer = &twin->steering[twin->steering_held];
    if (PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | flags) < 0) return nullptr;
    ++twin->steering_held;
    return buffer;
  };
  const auto copy = [&](PyObject* array, double* target, Py_ssize_t size) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS) < 0) return false;
    const bool fits = buffer.len == size;
    if (fits) std::memcpy(target, buffer.buf, size);
    PyBuffer_Release(&buffer);
    return fits;
  };
  bool fine = kind >= 0 && kind < kLawKinds && (made.arm || (kind == kDoubleLoopPid && kernels == Py_None)) &&
              (made.effects || effects == Py_None) && copy(gains, made.gain[0], sizeof made.gain) &&
              copy(effort, made.effort, sizeof made.effort);
  Py_buffer* sum = fine ? view(integral, PyBUF_WRITABLE) : nullptr;
  Py_buffer* rows = sum && sum->len == sizeof made.effort ? view(motion, 0) : nullptr;
  if (!rows || rows->len % (21 * sizeof(double)) != 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "not a controller of this extension");
    return false;
  }
  made.integral = static_cast<double*>(sum->buf);
  s.wanted[arm] = static_cast<const double*>(rows->buf);
  const long count = static_cast<long>(rows->len / (21 * sizeof(double)));
  s.rows = s.rows == 0 ? count : std::min(s.rows, count);
  s.on[arm] = true;
  return true;
}

// steer(every, left, right): controllers from now on, None where there is none.
PyObject* steer(PyObject* self, PyObject* args) {
  TwinStep* twin = of(self);
  long every;
  PyObject* laws[2];
  if (!twin->owned || !PyArg_ParseTuple(args, "lOO", &every, &laws[0], &laws[1])) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the twin was not set up");
    return nullptr;
  }
  end_steering(twin);
  twin->parts.steering.every = std::max(1L, every);
  for (int arm = 0; arm < 2; ++arm) {
    const double dt = static_cast<double>(every) * twin->parts.record->dt;
    if (laws[arm] != Py_None && !take_law(twin, arm, laws[arm], dt)) {
      end_steering(twin);
      return nullptr;
    }
  }
  twin->laws = Py_NewRef(args);
  Py_RETURN_NONE;
}

PyObject* unsteer(PyObject* self, PyObject*) {
  end_steering(of(self));
  Py_RETURN_NONE;
}

// control() -> arms whose command was refused since the last call, bits; gives the commands of now.
PyObject* control(PyObject* self, PyObject*) {
  TwinParts& parts = of(self)->parts;
  if (of(self)->owned) steer_twin(parts, *active_table());
  const int refused = parts.steering.untold;
  parts.steering.untold = 0;
  return PyLong_FromLong(refused);
}

// refused() -> arms whose last command was refused, bits.
PyObject* refused(PyObject* self, PyObject*) { return PyLong_FromLong(of(self)->parts.steering.refused); }

// command(arm, tau (7,)) -> whether that torque command was accepted.
PyObject* command(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  TwinStep* twin = of(self);
  const long arm = nargs == 2 ? PyLong_AsLong(args[0]) : -1;
  Py_buffer view;
  if (arm < 0 || arm > 1 || !twin->owned) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "command takes 0 or 1, and torques");
    return nullptr;
  }
  if (PyObject_GetBuffer(args[1], &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  const bool fine =
      view.len == 7 * static_cast<Py_ssize_t>(sizeof(double)) && view.format &&
      std::strcmp(view.format, "d") == 0 &&
      command_torque(*twin->parts.record, static_cast<int>(arm), static_cast<double*>(view.buf));
  PyBuffer_Release(&view);
  return PyBool_FromLong(fine);
}

PyMethodDef twin_methods[] = {
    {"steer", steer, METH_VARARGS, "Controllers from now on."},
    {"unsteer", unsteer, METH_NOARGS, "No controllers from now on."},
    {"control", control, METH_NOARGS, "Gives the commands of now; arms that were refused, bits."},
    {"refused", refused, METH_NOARGS, "Arms whose last command was refused, bits."},
    {"command", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(command)), METH_FASTCALL,
     "A torque command; whether it was accepted."},
    {"gate", set_gate, METH_VARARGS, "How the search for contacts is switched."},
    {"run", run, METH_O, "Steps at most n milliseconds; returns how many."},
    {"report", report, METH_O, "The readings of now as they are published."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot twin_slots[] = {
    {Py_tp_doc, const_cast<char*>("The compiled step of one twin.")},
    {Py_tp_init, reinterpret_cast<void*>(twin_init)},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(twin_dealloc)},
    {Py_tp_methods, twin_methods},
    {0, nullptr},
};
PyType_Spec twin_spec = {"baxterkit._native.TwinStep", sizeof(TwinStep), 0, Py_TPFLAGS_DEFAULT, twin_slots};

}  // namespace

PyObject* make_twin_step_type() {
  PyObject* type = PyType_FromSpec(&twin_spec);
  twin_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

End functions::step_twins(const StepTwins& a, Nothing&) {
  const Py_ssize_t count = PyTuple_Check(a.twins) ? PyTuple_Size(a.twins) : -1;
  if (count != a.n) {
    PyErr_SetString(PyExc_TypeError, "step_twins takes a tuple of TwinStep, and as many int64");
    return End::raised;
  }
  std::vector<TwinParts*> twins(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GetItem(a.twins, i);
    if (Py_TYPE(item) != twin_type || !of(item)->owned) {
      PyErr_SetString(PyExc_TypeError, "step_twins takes a tuple of TwinStep, and as many int64");
      return End::raised;
    }
    twins[i] = &of(item)->parts;
  }
  const std::int64_t* targets = a.targets;
  const KernelTable& table = *active_table();
  std::atomic<Py_ssize_t> next{0};
  Spread threads;
  const int workers = static_cast<int>(std::max<Py_ssize_t>(1, std::min<Py_ssize_t>(thread_count(), count)));
  const bool calm = threads.run(workers, [&] {
    while (!threads.stopped()) {
      const Py_ssize_t i = next.fetch_add(1);
      if (i >= count) return;
      long done;
      run_twin(*twins[i], table, static_cast<long>(targets[i] - twins[i]->record->ticks), &done);
    }
  });
  return calm ? End::fine : End::raised;
}

}  // namespace baxterkit
