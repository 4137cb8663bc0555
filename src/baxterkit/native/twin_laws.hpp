// Torque controllers, compiled: control/pd_gravity.py, computed_torque.py, joint_impedance.py and
// double_loop_pid.py, in the order of control/compiled.py.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels.hpp"

namespace baxterkit {

enum LawKind { kPdGravity, kComputedTorque, kJointImpedance, kDoubleLoopPid, kLawKinds };
constexpr int kGains = 4;

// What a controller wants: positions, velocities, accelerations.
struct Wanted {
  const double *q, *qd, *qdd;
};

struct Law {
  LawKind kind;
  const Parameters *arm, *effects;  // null: without
  double gain[kGains][7];
  double effort[7];
  double* integral;  // of the double loop
  bool feedforward;
  double dt;

  // Torques within the controller's own limits; false, and nothing stored, if they are not finite.
  bool torque(const KernelTable& table, const double* q, const double* qd, const Wanted& r,
              double* tau) const {
    double step[7] = {};
    double wanted[7];
    switch (kind) {
      case kPdGravity:
        gravity(table, q, wanted);
        add_feedback(0, q, qd, r, wanted);
        break;
      case kComputedTorque: {
        double v[7] = {}, acceleration[7];
        add_feedback(0, q, qd, r, v);
        for (int j = 0; j < 7; ++j) acceleration[j] = r.qdd[j] + v[j];
        const double* in[] = {q, qd, acceleration};
        table.kernels[kernel_inverse_dynamics].one(in, wanted, *arm);
        add_effects(table, q, r.qd, wanted);
        for (int j = 0; j < 7; ++j) wanted[j] += gain[2][j] * v[j];
        break;
      }
      case kJointImpedance: {
        const double rest[7] = {};
        double C[49];
        const double* at_rest[] = {q, rest, r.qdd};
        table.kernels[kernel_inverse_dynamics].one(at_rest, wanted, *arm);
        const double* moving[] = {q, qd};
        table.kernels[kernel_coriolis].one(moving, C, *arm);
        for (int j = 0; j < 7; ++j) {
          for (int k = 0; k < 7; ++k) wanted[j] += C[7 * j + k] * r.qd[k];
        }
        add_effects(table, q, r.qd, wanted);
        add_feedback(0, q, qd, r, wanted);
        break;
      }
      default: {
        if (arm) gravity(table, q, wanted);
        for (int j = 0; j < 7; ++j) {
          double error = gain[0][j] * (r.q[j] - q[j]) + gain[1][j] * (r.qd[j] - qd[j]) - qd[j];
          if (feedforward) error += r.qd[j];
          step[j] = dt * error;
          const double inner = gain[2][j] * error + gain[3][j] * (integral[j] + step[j]);
          wanted[j] = arm ? inner + wanted[j] : inner;
        }
      }
    }
    double sum = 0.0;
    for (int j = 0; j < 7; ++j) sum += wanted[j];
    if (!std::isfinite(sum)) return false;
    for (int j = 0; j < 7; ++j) {
      tau[j] = std::min(std::max(wanted[j], -effort[j]), effort[j]);
      if (kind != kDoubleLoopPid) continue;
      // No step that drives a saturated joint further.
      if (tau[j] != wanted[j] && (wanted[j] - tau[j]) * step[j] > 0.0) step[j] = 0.0;
      integral[j] = integral[j] + step[j];
    }
    return true;
  }

 private:
  void gravity(const KernelTable& table, const double* q, double* tau) const {
    const double rest[7] = {};
    const double* in[] = {q};
    table.kernels[kernel_gravity].one(in, tau, *arm);
    add_effects(table, q, rest, tau);
  }

  void add_effects(const KernelTable& table, const double* q, const double* qd, double* tau) const {
    if (!effects) return;
    double more[7];
    const double* in[] = {q, qd};
    table.kernels[kernel_joint_effects].one(in, more, *effects);
    for (int j = 0; j < 7; ++j) tau[j] += more[j];
  }

  // Gains `first` of positions and `first` + 1 of velocities.
  void add_feedback(int first, const double* q, const double* qd, const Wanted& r, double* tau) const {
    for (int j = 0; j < 7; ++j) {
      tau[j] += gain[first + 1][j] * (r.qd[j] - qd[j]) + gain[first][j] * (r.q[j] - q[j]);
    }
  }
};

}  // namespace baxterkit
