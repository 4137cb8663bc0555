// Torque controllers, compiled: control/pd_gravity.py, computed_torque.py, joint_impedance.py,
// cartesian_impedance.py and double_loop_pid.py, in the order of control/compiled.py.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels.hpp"

namespace baxterkit {

enum LawKind { kPdGravity, kComputedTorque, kJointImpedance, kCartesianImpedance, kDoubleLoopPid, kLawKinds };
constexpr int kGains = 4;

// What a controller wants: positions, velocities, accelerations.
struct Wanted {
  const double *q, *qd, *qdd;
};

inline double dot(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

inline void cross(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// The rotation vector of a rotation, as spatial.rotation_vector.
inline void rotation_vector(const double (*R)[3], double* phi) {
  const double turn[3] = {R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
  const double trace = R[0][0] + R[1][1] + R[2][2];
  double scale = 1.0 + trace;  // the quaternion, up to a factor
  std::copy_n(turn, 3, phi);
  if (trace < 0.0) {
    const int i = R[0][0] >= R[1][1] && R[0][0] >= R[2][2] ? 0 : R[1][1] >= R[2][2] ? 1 : 2;
    scale = turn[i];
    for (int j = 0; j < 3; ++j) phi[j] = j == i ? 1.0 + 2.0 * R[i][i] - trace : R[i][j] + R[j][i];
  }
  const double sign = scale < 0.0 ? -1.0 : 1.0;
  const double sine = std::sqrt(dot(phi, phi, 3));
  scale *= sign;
  const double ratio = sine > 1e-150 ? 2.0 * std::atan2(sine, scale) / sine : 2.0 / scale;
  for (int j = 0; j < 3; ++j) phi[j] *= sign * ratio;
}

// Force and moment of a spring from the tip to its goal in tip axes, as
// control.cartesian_impedance.spring_wrench; poses row by row.
inline void spring_wrench(const double* T, const double* T_goal, const double* along, const double* about,
                          double* wrench) {
  double R[3][3], e[3], phi[3], more[3], twice[3];
  for (int i = 0; i < 3; ++i) {
    e[i] = 0.0;
    for (int k = 0; k < 3; ++k) e[i] += T[4 * k + i] * (T_goal[4 * k + 3] - T[4 * k + 3]);
    for (int j = 0; j < 3; ++j) {
      R[i][j] = T[i] * T_goal[j] + T[4 + i] * T_goal[4 + j] + T[8 + i] * T_goal[8 + j];
    }
  }
  rotation_vector(R, phi);
  double *force = wrench, *moment = wrench + 3;
  for (int i = 0; i < 3; ++i) {
    force[i] = along[i] * e[i];
    moment[i] = about[i] * phi[i];
  }
  if (about[0] != about[1] || about[1] != about[2]) {  // from the gradient to the moment
    const double squared = dot(phi, phi, 3), half = 0.5 * std::sqrt(squared);
    const double factor = squared > 1e-6 ? (1.0 - half * std::cos(half) / std::sin(half)) / squared
                                         : 1.0 / 12.0 + squared / 720.0;
    cross(phi, moment, more);
    cross(phi, more, twice);
    for (int i = 0; i < 3; ++i) moment[i] += 0.5 * more[i] + factor * twice[i];
  }
  if (along[0] != along[1] || along[1] != along[2]) {
    cross(e, force, more);
    for (int i = 0; i < 3; ++i) moment[i] += more[i];
  }
}

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
    double wanted[7], terms[105];
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
      case kJointImpedance:
        passive(table, q, qd, r.qd, r.qdd, terms, wanted);
        add_feedback(0, q, qd, r, wanted);
        break;
      case kCartesianImpedance:
        cartesian(table, q, qd, r, wanted);
        break;
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
  // M qdd_r + C(q, qd) qd_r + G and the joint effects, friction at qd_r; `terms` are M, C and G by rows.
  void passive(const KernelTable& table, const double* q, const double* qd, const double* qd_r,
               const double* qdd_r, double* terms, double* tau) const {
    const double* moving[] = {q, qd};
    table.kernels[kernel_dynamics_terms].one(moving, terms, *arm);
    for (int j = 0; j < 7; ++j) {
      tau[j] = dot(terms + 7 * j, qdd_r, 7) + dot(terms + 49 + 7 * j, qd_r, 7) + terms[98 + j];
    }
    add_effects(table, q, qd_r, tau);
  }

  // Gains: stiffness of the tip and drag, its damping, stiffness of the null space.
  void cartesian(const KernelTable& table, const double* q, const double* qd, const Wanted& r,
                 double* tau) const {
    double ed[7], qdd[7], J[42], T[16], T_goal[16], wrench[6], n[7], M[105], Mn[7];
    for (int j = 0; j < 7; ++j) {
      ed[j] = r.qd[j] - qd[j];
      qdd[j] = r.qdd[j] + gain[0][6] * ed[j];
    }
    const double *here[] = {q}, *there[] = {r.q};
    table.kernels[kernel_fk].one(here, T, *arm);
    table.kernels[kernel_fk].one(there, T_goal, *arm);
    table.kernels[kernel_body_jacobian].one(here, J, *arm);
    spring_wrench(T, T_goal, gain[0], gain[0] + 3, wrench);
    for (int i = 0; i < 6; ++i) wrench[i] += gain[1][i] * dot(J + 7 * i, ed, 7);
    passive(table, q, qd, r.qd, qdd, M, tau);
    for (int j = 0; j < 7; ++j) {
      for (int i = 0; i < 6; ++i) tau[j] += wrench[i] * J[7 * i + j];
    }
    table.kernels[kernel_null_vector].one(here, n, *arm);
    double pull = 0.0;
    for (int j = 0; j < 7; ++j) {
      Mn[j] = dot(M + 7 * j, n, 7);
      pull += n[j] * gain[2][j] * (r.q[j] - q[j]);
    }
    const double inertia = dot(n, Mn, 7);
    if (!(inertia > 0.0)) return;  // zero in a singular configuration
    for (int j = 0; j < 7; ++j) tau[j] += pull / inertia * Mn[j];
  }

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
