// The answer of one target, whoever asks: the target checked and taken to the hand, the solution
// checked by forward kinematics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ik_pose.hpp"
#include "ik_types.hpp"

namespace baxterkit {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kAccept = 1e-10;  // largest error of a solution, by forward kinematics [m, rad]
constexpr double kFarthestSeed = 1e6;  // [rad]; SEED_LIMIT in kernels/__init__.py

// Joint positions that distances can be measured from: their squares do not overflow.
inline bool usable_seed(const double* x, std::ptrdiff_t n) {
  bool fine = true;
  for (std::ptrdiff_t i = 0; i < n; ++i) fine &= std::fabs(x[i]) <= kFarthestSeed;
  return fine;
}

// Inverses of mount and tool, rows of [R | p].
struct IkFrames {
  double s0_base[12], tip_hand[12];
};

struct Row {
  double q[7], errors[2], nearest[7], violation[7];
  IkStatus code;
};

inline void reject(Row* row) {
  std::fill(row->q, row->q + 7, kNaN);
  row->errors[0] = row->errors[1] = kNaN;
}

// The hand's pose in the s0 frame, and the target itself as rows of [R | p]; false if it is not rigid.
inline bool hand_pose(const IkFrames& f, const double* T, double* pose, double* hand) {
  double at_mount[12];
  if (!rigid(T, pose)) return false;
  multiply(f.s0_base, pose, at_mount);
  multiply(at_mount, f.tip_hand, hand);
  return true;
}

// Checks a solution by forward kinematics, fk(q, T), whatever the solver says of it, and fills the rest.
template <class Fk>
inline void finish_row(const Fk& fk, const double* pose, Row* row) {
  if (row->code == kSolved) {
    double reached[16];
    fk(row->q, reached);
    pose_errors(reached, pose, row->errors);
    if (row->errors[0] < kAccept && row->errors[1] < kAccept) return;
    row->code = kNotConverged;  // an invalid solution is never reported as solved
  }
  if (row->code == kLimits) std::copy(row->q, row->q + 7, row->nearest);
  reject(row);
}

}  // namespace baxterkit
