// What the objects of the extension's types hold, and the instruction set that computes.
#pragma once

#include "seam.hpp"

#include "collision_table.hpp"
#include "ik_answer.hpp"
#include "kernels.hpp"

namespace baxterkit {

// The kernels of the instruction set in use.
const KernelTable* active_table();

struct ArmKernels {
  Parameters parameters;
  PyObject* model;  // the ArmModel, for what Python computes; or null

  ~ArmKernels() { Py_XDECREF(model); }
};

struct IkSolver {
  Parameters parameters;
  IkGravity by_gravity;  // of these
  IkFrames frames;
  IkLimits limits;
  double middle[7];
  const KernelTable* table = nullptr;  // whose scratch this is
  void* scratch = nullptr;             // of calls for one target

  ~IkSolver();
};

struct BodyChecker {
  BodyShape shape;
};

}  // namespace baxterkit
