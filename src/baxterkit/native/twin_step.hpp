// A step of the twin: the robot's own loops, joints and sensors around MuJoCo's step.
//
// The same arithmetic in the same order as sim/loops.py, sim/joints.py and sim/sensors.py, on the
// same memory: the record that kernels/twin_fields.py declares. MuJoCo is called through addresses
// that Python found in the installed library; nothing here knows its structs.
#pragma once

#include "collision_table.hpp"
#include "generated/twin_fields.hpp"
#include "kernels.hpp"
#include "twin_laws.hpp"

namespace baxterkit {

constexpr int kBothArms = 14;
constexpr int kSensed = 42;  // of both arms: positions, velocities, efforts

// MuJoCo's model and state, and the parts of them that a step reads and writes.
struct Engine {
  void (*step)(void* model, void* data);
  void *model, *data;
  double *q, *qd;   // the arms' joints first, then the head's pan
  double* applied;  // torques on the joints
  double* damping;  // of the joints
  int* flags;       // what is switched off
  int contacts;     // the bit of the search for contacts
};

enum Gate { kGateFixed, kGateOpen, kGateChecked };

// Both arms under controllers along a motion; `on` says which.
struct Steering {
  bool on[2];
  Law law[2];
  const double* wanted[2];  // rows of 21: positions, velocities, accelerations of each millisecond
  long rows, every, at;     // how many rows, steps between two commands, the row of now
  bool commanded;           // whether this millisecond's commands were given, or none was due
  int refused;              // arms whose last command was refused, bits
  int untold;               // the same, of refusals that Python has not heard of
};

struct TwinParts {
  TwinRecord* record;
  double *past, *noise;  // rows of kSensed
  const Parameters *arm[2], *springs[2], *tilt[2];  // null where there are none
  Engine engine;
  Gate gate;
  const BodyShape* body;  // of a checked gate
  Steering steering;
};

// Why a run ended.
enum TwinEnd { kRan, kNoNoise, kDiverged, kRefused };

// Steps at most `n` milliseconds; `done` is how many.
TwinEnd run_twin(TwinParts& twin, const KernelTable& table, long n, long* done);

// Gives the commands that are due now, once; returns the arms whose command was refused just now, bits.
int steer_twin(TwinParts& twin, const KernelTable& table);

// A torque command: false, and nothing is changed, if a value is above its limit or not finite, or the
// robot is not enabled.
bool command_torque(TwinRecord& record, int arm, const double* tau);

// The readings of this millisecond as the robot publishes them, kSensed numbers.
void report_twin(const TwinParts& twin, double* report);

}  // namespace baxterkit
