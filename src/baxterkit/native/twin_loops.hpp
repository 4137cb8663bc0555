// The robot's own control of one arm: sim/loops.py, compiled.
#pragma once

#include <algorithm>
#include <cmath>

#include "twin_step.hpp"

namespace baxterkit {

// NumPy's maximum and minimum: a NaN stays.
inline double at_least(double x, double low) { return x > low || std::isnan(x) ? x : low; }
inline double at_most(double x, double high) { return x < high || std::isnan(x) ? x : high; }

inline double friction_coefficient(double qd, double coulomb, double viscous, double speed) {
  return viscous + coulomb / std::hypot(qd, speed);
}

// One arm's part of a record.
class ArmLoops {
 public:
  ArmLoops(TwinParts& twin, const KernelTable& table, int arm)
      : r_(*twin.record), table_(table), model_(*twin.arm[arm]), springs_(twin.springs[arm]), i_(arm) {}

  // Desired torques for the next step, within the effort limits.
  void torque(const double* q, const double* qd, double* tau) {
    r_.age[i_] += 1;
    if (static_cast<double>(r_.age[i_]) * r_.dt > r_.timeout[i_] + 1e-9 && r_.mode[i_] != kModeHold) {
      hold();
    }
    if (r_.mode[i_] == kModeTorque) {
      if (!r_.gravity_compensation[i_]) {
        std::copy_n(r_.command[i_], 7, tau);
        return;
      }
      double passive[7];
      const double* in[] = {q};
      table_.kernels[kernel_gravity].one(in, passive, model_);
      add_springs(q, passive);
      for (int j = 0; j < 7; ++j) tau[j] = r_.command[i_][j] + passive[j];
    } else {
      if (r_.fresh[i_]) {
        for (int j = 0; j < 7; ++j) {
          r_.reference[i_][j] = q[j];
          r_.reference_velocity[i_][j] = clipped_velocity(qd[j], j);
          r_.reference_acceleration[i_][j] = r_.integral[i_][j] = 0.0;
        }
        r_.fresh[i_] = r_.still[i_] = 0;
      }
      double acceleration[7];
      advance(acceleration);
      follow(q, qd, acceleration, tau);
    }
    for (int j = 0; j < 7; ++j) {
      tau[j] = at_most(at_least(tau[j], -r_.effort[i_][j]), r_.effort[i_][j]);
    }
  }

  void hold() {
    if (r_.mode[i_] == kModeTorque) r_.fresh[i_] = 1;
    r_.mode[i_] = kModeHold;
  }

 private:
  double clipped_velocity(double qd, int j) const {
    return at_most(at_least(qd, -r_.velocity_limit[i_][j]), r_.velocity_limit[i_][j]);
  }

  // Greatest speed that leaves room to brake.
  double approach(double room, double rate, int j) const {
    return at_most(std::sqrt(r_.acceleration_limit[j] * room), rate * room);
  }

  double wanted_velocity(int j) const {
    if (r_.mode[i_] == kModeHold) return 0.0;
    const double command = r_.command[i_][j], now = r_.reference[i_][j];
    if (r_.mode[i_] == kModeVelocity) {
      if (r_.age[i_] < r_.free[i_]) return command;
      const double up = at_least(r_.upper[i_][j] - now, 0.0);
      const double down = at_least(now - r_.lower[i_][j], 0.0);
      const double wanted = at_most(command, approach(up, r_.at_the_end, j));
      return at_least(wanted, -approach(down, r_.at_the_end, j));
    }
    const double ahead = command - now;
    const double speed = approach(std::fabs(ahead), r_.catch_up, j);
    return std::copysign(at_most(speed, r_.speed_ratio[i_] * r_.velocity_limit[i_][j]), ahead);
  }

  // Moves the inner reference by one step.
  void advance(double* acceleration) {
    std::fill_n(acceleration, 7, 0.0);
    if (r_.mode[i_] == kModeHold && r_.still[i_]) return;
    double *reference = r_.reference[i_], *velocity = r_.reference_velocity[i_];
    double* change = r_.reference_acceleration[i_];
    if (r_.mode[i_] == kModeRawPosition) {
      for (int j = 0; j < 7; ++j) {
        const double ahead = (r_.command[i_][j] - reference[j]) * r_.taken[i_][j];
        velocity[j] = clipped_velocity(ahead + r_.kept[i_][j] * velocity[j], j);
        reference[j] = reference[j] + r_.dt * velocity[j];
        change[j] = 0.0;
        acceleration[j] = r_.feed_forward[i_][j];
      }
      r_.still[i_] = 0;
      return;
    }
    bool rests = true;
    for (int j = 0; j < 7; ++j) {
      const double wanted = (wanted_velocity(j) - velocity[j]) * r_.taken[i_][j];
      const double limit = r_.acceleration_limit[j];
      change[j] = at_most(at_least(wanted + r_.kept[i_][j] * change[j], -limit), limit);
      velocity[j] = velocity[j] + r_.dt * change[j];
      const double next = reference[j] + r_.dt * velocity[j];
      reference[j] = at_most(at_least(next, r_.lower[i_][j]), r_.upper[i_][j]);
      rests &= std::fabs(velocity[j]) < r_.at_rest && std::fabs(change[j]) < r_.at_rest;
    }
    r_.still[i_] = 0;
    if (r_.mode[i_] == kModeHold && rests) {
      std::fill_n(velocity, 7, 0.0);
      std::fill_n(change, 7, 0.0);
      r_.still[i_] = 1;
    }
    std::copy_n(change, 7, acceleration);
  }

  // Torques of the position loop.
  void follow(const double* q, const double* qd, const double* acceleration, double* tau) {
    const double* velocity = r_.reference_velocity[i_];
    double wanted[7];
    for (int j = 0; j < 7; ++j) {
      const double most = r_.most_error[j], limit = r_.integral_limit[j];
      const double error = at_most(at_least(r_.reference[i_][j] - q[j], -most), most);
      double& integral = r_.integral[i_][j];
      integral = at_most(at_least(integral + r_.dt * error, -limit), limit);
      wanted[j] = r_.kp * error + r_.kd * (velocity[j] - qd[j]) + r_.ki * integral + acceleration[j];
    }
    const double* in[] = {q, velocity, wanted};
    table_.kernels[kernel_inverse_dynamics].one(in, tau, model_);
    for (int j = 0; j < 7; ++j) tau[j] += r_.extra_inertia[j] * wanted[j];
    if (!r_.compensates) return;
    add_springs(q, tau);
    if (r_.still[i_]) return;
    for (int j = 0; j < 7; ++j) {
      tau[j] += friction_coefficient(velocity[j], r_.known_coulomb[i_][j], r_.known_viscous[i_][j],
                                     r_.known_speed[i_][j]) *
                velocity[j];
    }
  }

  void add_springs(const double* q, double* tau) const {
    if (!r_.compensates) return;
    const double rest[7] = {};
    double spring[7];
    const double* in[] = {q, rest};
    table_.kernels[kernel_joint_effects].one(in, spring, *springs_);
    for (int j = 0; j < 7; ++j) tau[j] += spring[j];
  }

  TwinRecord& r_;
  const KernelTable& table_;
  const Parameters& model_;
  const Parameters* springs_;
  int i_;
};

}  // namespace baxterkit
