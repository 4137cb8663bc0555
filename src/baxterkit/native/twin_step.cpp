// A step of the twin: loops, joints, MuJoCo, sensors.
#include "twin_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arguments.hpp"
#include "twin_loops.hpp"

namespace baxterkit {
namespace {

// What a step keeps of the motors until the links have moved.
struct Motors {
  double momentum[kBothArms], push[kBothArms];
};

// Torques and damping of the links for the next step.
void before_step(TwinParts& twin, const KernelTable& table, const double* desired, Motors& motors) {
  TwinRecord& r = *twin.record;
  const Engine& e = twin.engine;
  if (!r.elastic) {
    std::copy_n(desired, kBothArms, r.tau);
    std::copy_n(desired, kBothArms, e.applied);
    return;
  }
  double spring[kBothArms];
  const double rest[7] = {};
  for (int arm = 0; arm < 2; ++arm) {
    const double* in[] = {e.q + 7 * arm, rest};
    table.kernels[kernel_joint_effects].one(in, spring + 7 * arm, *twin.springs[arm]);
  }
  for (int j = 0; j < kBothArms; ++j) {
    const double wound = r.stiffness[j] * (r.angle[j] - e.q[j]);
    motors.momentum[j] = (desired[j] - wound) * r.dt + r.inertia[j] * r.speed[j];
    motors.push[j] = wound + r.share[j] * motors.momentum[j];
    e.applied[j] = motors.push[j] - spring[j];
    if (r.remembers) {
      const double torque = at_least(r.memory_torque[j] + r.memory_slope[j] * e.q[j], 0.0);
      e.applied[j] -= torque * r.memory[j];
    }
    e.damping[j] = friction_coefficient(e.qd[j], r.coulomb[j], r.viscous[j], r.slow[j]);
  }
}

// The motors follow; the flexures' torques are what the sensors read.
void after_step(TwinParts& twin, const Motors& motors) {
  TwinRecord& r = *twin.record;
  if (!r.elastic) return;
  for (int j = 0; j < kBothArms; ++j) {
    const double qd = twin.engine.qd[j], top = r.no_load[j];
    const double speed = r.inverse[j] * motors.momentum[j] + r.pull[j] * qd;
    r.speed[j] = at_least(at_most(speed, top), -top);
    r.angle[j] += r.dt * r.speed[j];
    if (r.remembers) {
      const double travel = r.dt * qd;
      const double towards = travel > 0.0 ? 1.0 : travel < 0.0 ? -1.0 : travel;
      r.memory[j] = towards + (r.memory[j] - towards) * std::exp(-std::fabs(travel) * r.per_distance[j]);
    }
    r.tau[j] = motors.push[j] - r.at_link[j] * qd;
  }
}

// Torques of the difference between an arm's own gravity and the scene's.
void add_tilts(TwinParts& twin, const KernelTable& table) {
  for (int arm = 0; arm < 2; ++arm) {
    if (!twin.tilt[arm]) continue;
    double tau[7];
    const double* in[] = {twin.engine.q + 7 * arm};
    table.kernels[kernel_gravity].one(in, tau, *twin.tilt[arm]);
    for (int j = 0; j < 7; ++j) twin.engine.applied[7 * arm + j] += tau[j];
  }
}

// Whether anything is so near that a step must search for contacts.
bool near_anything(const TwinParts& twin, const KernelTable& table) {
  const double *q = twin.engine.q, pan = q[kBothArms];
  const UnitBounds& most = unit_bounds();
  if (!(std::fabs(pan) <= most.one_turn)) return true;
  for (int j = 0; j < kBothArms; ++j) {
    if (!(std::fabs(q[j]) <= most.far_angle)) return true;
  }
  return table.collision->hit(*twin.body, q, q + 7, pan, twin.record->near) != 0;
}

void choose_search(TwinParts& twin, const KernelTable& table) {
  if (twin.gate == kGateFixed) return;
  const bool on = twin.gate == kGateOpen || near_anything(twin, table);
  if (on == (twin.record->searches != 0)) return;
  twin.record->searches = on;
  int& flags = *twin.engine.flags;
  flags = on ? flags & ~twin.engine.contacts : flags | twin.engine.contacts;
}

// True values with the noise of this tick, in steps.
void sensed(const TwinParts& twin, const double* exact, double* reading) {
  const TwinRecord& r = *twin.record;
  const double* noise = twin.noise + kSensed * r.noise_left;
  const double *step = r.sensor_step[0], *per_step = r.per_step[0];
  for (int arm = 0; arm < 2; ++arm) {
    for (int k = 0; k < 21; ++k) {
      const int n = 21 * arm + k;
      double value = exact[n] + noise[n];
      if (r.quantised) value = std::nearbyint(value * per_step[k]) * step[k];
      reading[n] = value;
    }
  }
}

void read_sensors(TwinParts& twin) {
  TwinRecord& r = *twin.record;
  if (++r.row == 2 * kWindow) {
    std::memcpy(twin.past, twin.past + kSensed * kWindow, sizeof(double) * kSensed * kWindow);
    r.row = kWindow;
  }
  double* exact = twin.past + kSensed * r.row;
  std::copy_n(twin.engine.q, kBothArms, r.q);
  std::copy_n(twin.engine.qd, kBothArms, r.qd);
  for (int arm = 0; arm < 2; ++arm) {
    std::copy_n(twin.engine.q + 7 * arm, 7, exact + 21 * arm);
    std::copy_n(twin.engine.qd + 7 * arm, 7, exact + 21 * arm + 7);
    std::copy_n(r.tau + 7 * arm, 7, exact + 21 * arm + 14);
  }
  if (r.noisy) --r.noise_left;
  sensed(twin, exact, r.reading[0][0]);
}

bool finite(const double* q) {
  double sum = 0.0;
  for (int j = 0; j < kBothArms; ++j) sum += q[j];
  return std::isfinite(sum);
}

}  // namespace

void report_twin(const TwinParts& twin, double* report) {
  const TwinRecord& r = *twin.record;
  if (!r.filtered) {
    std::copy_n(r.reading[0][0], kSensed, report);
    return;
  }
  const double* now = twin.past + kSensed * r.row;
  const double* first = now - kSensed * (kWindow - 1);
  double smooth[kSensed] = {};
  for (int k = 0; k < kWindow; ++k) {
    const double* row = first + kSensed * k;
    for (int arm = 0; arm < 2; ++arm) {
      for (int filter = 0; filter < 2; ++filter) {
        const int at = 21 * arm + 7 * (filter + 1);
        for (int j = 0; j < 7; ++j) smooth[at + j] += r.weights[filter][k] * row[at + j];
      }
    }
  }
  std::copy_n(now, 7, smooth);
  std::copy_n(now + 21, 7, smooth + 21);
  sensed(twin, smooth, report);
}

bool command_torque(TwinRecord& r, int arm, const double* tau) {
  if (!r.enabled) return false;
  for (int j = 0; j < 7; ++j) {
    if (!(std::fabs(tau[j]) <= r.effort[arm][j])) return false;
  }
  r.mode[arm] = kModeTorque;
  r.age[arm] = 0;
  std::copy_n(tau, 7, r.command[arm]);
  return true;
}

int steer_twin(TwinParts& twin, const KernelTable& table) {
  Steering& s = twin.steering;
  if (s.commanded || s.every == 0) return 0;
  s.commanded = true;
  if (s.at % s.every != 0 || s.at >= s.rows) return 0;
  s.refused = 0;
  for (int arm = 0; arm < 2; ++arm) {
    if (!s.on[arm]) continue;
    const double* row = s.wanted[arm] + 21 * s.at;
    const double *q = twin.record->reading[arm][0], *qd = twin.record->reading[arm][1];
    double tau[7];
    if (!s.law[arm].torque(table, q, qd, Wanted{row, row + 7, row + 14}, tau) ||
        !command_torque(*twin.record, arm, tau)) {
      s.refused |= 1 << arm;
    }
  }
  s.untold = s.refused;
  return s.refused;
}

TwinEnd run_twin(TwinParts& twin, const KernelTable& table, long n, long* done) {
  TwinRecord& r = *twin.record;
  const Engine& e = twin.engine;
  ArmLoops left(twin, table, 0), right(twin, table, 1);
  double desired[kBothArms];
  Motors motors;
  const bool steered = twin.steering.on[0] || twin.steering.on[1];
  for (*done = 0; *done < n; ++*done) {
    if (r.noisy && !r.noise_left) return kNoNoise;
    if (steered && !twin.steering.commanded && steer_twin(twin, table)) return kRefused;
    left.torque(r.reading[0][0], r.reading[0][1], desired);
    right.torque(r.reading[1][0], r.reading[1][1], desired + 7);
    before_step(twin, table, desired, motors);
    add_tilts(twin, table);
    choose_search(twin, table);
    e.step(e.model, e.data);
    ++r.ticks;
    ++twin.steering.at;
    twin.steering.commanded = false;
    after_step(twin, motors);
    read_sensors(twin);
    if (r.ticks % r.publish_every == 0) {
      report_twin(twin, r.published[0][0]);
      r.published_at = r.ticks;
      if (!finite(e.q)) {
        ++*done;
        return kDiverged;
      }
    }
  }
  return kRan;
}

}  // namespace baxterkit
