// Solutions exactly inside the limits, next to points that miss the target or the limits by a little.
//
// Where the self-motion only touches the limits, or is itself hardly more than a point, rounding
// decides on which side of a limit its points come out. Levenberg-Marquardt within the box of the
// limits then tells whether a solution is inside: joints that press against a limit are held there,
// and the others do the rest.
#pragma once

#include "joint_newton.hpp"
#include "limits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kBoxRounding = 3e-15;  // pose error [m and 1] that is rounding

constexpr double kReached = 1e-11;  // sum of pose errors [m and 1] that counts as a solution
constexpr int kBoxSteps = 40;          // steps in all, at most
constexpr int kBoxPasses = 16;         // of holding joints and freeing them, in one step
constexpr double kLongestInBox = 0.2;  // [rad] by which a step moves a joint, at most
constexpr int kLengths = 4;            // of a step, tried side by side with each of two dampings
constexpr double kShorter = 0.3;       // from one length of a step to the next that is tried
// Share of the error that a step may leave, at most, to go on: any gain will do in the first kPatience
// steps and until a solution is reached; from then on it must be worth it.
constexpr double kAnyGain = 0.999, kWorthIt = 0.9;
constexpr int kPatience = 4;

// One joint vector linearised.
struct Linearised {
  double J[6][7], twist[6], error;
};

inline Linearised lane_of(const Linearised8& all, int lane) {
  Linearised l;
  double b[kOct];
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < 7; ++k) {
      all.J[r][k].store(b);
      l.J[r][k] = b[lane];
    }
    all.twist[r].store(b);
    l.twist[r] = b[lane];
  }
  all.error.store(b);
  l.error = b[lane];
  return l;
}

// The step over the joints that are free, J^T (J J^T + damping)^-1 of what the steps of the others leave
// of the twist; of the others, `wished` is what they would do.
inline void box_step(const Linearised& l, double damping, unsigned freed, double* step, double* wished) {
  double L[6][6], y[6];
  for (int i = 0; i < 6; ++i) {
    double rest = l.twist[i];
    for (int m = 0; m < 7; ++m) {
      if (!(freed >> m & 1u)) rest -= l.J[i][m] * step[m];
    }
    for (int k = 0; k <= i; ++k) {
      double sum = i == k ? damping : 0.0;
      for (int m = 0; m < 7; ++m) {
        if (freed >> m & 1u) sum += l.J[i][m] * l.J[k][m];
      }
      for (int m = 0; m < k; ++m) sum -= L[i][m] * L[k][m];
      L[i][k] = i == k ? __builtin_sqrt(max(sum, kLostRow2)) : sum / L[k][k];
    }
    for (int m = 0; m < i; ++m) rest -= L[i][m] * y[m];
    y[i] = rest / L[i][i];
  }
  for (int i = 5; i >= 0; --i) {
    for (int m = i + 1; m < 6; ++m) y[i] -= L[m][i] * y[m];
    y[i] /= L[i][i];
  }
  for (int m = 0; m < 7; ++m) {
    wished[m] = 0;
    for (int i = 0; i < 6; ++i) wished[m] += l.J[i][m] * y[i];
    if (freed >> m & 1u) step[m] = wished[m];
  }
}

// The damped step within the box of the limits: joints that would leave it go as far as their limit,
// and are freed again if the others' steps leave them to turn back.
inline void step_in_box(const Limits& l, const Linearised& here, double damping, const double* q,
                        double* step) {
  unsigned freed = 0x7f, released = 0;
  double wished[7];
  for (int pass = 0; pass < kBoxPasses; ++pass) {
    box_step(here, damping, freed, step, wished);
    unsigned held = 0;
    for (int k = 0; k < 7; ++k) {
      if (!(freed >> k & 1u)) continue;
      const double to = q[k] + step[k];
      if (to >= l.lower[k] && to <= l.upper[k]) continue;
      step[k] = clip(l, k, to) - q[k];
      held |= 1u << k;
    }
    freed &= ~held;
    if (held) continue;
    int back = -1;
    double most = 0;
    for (int k = 0; k < 7; ++k) {
      if ((freed | released) >> k & 1u) continue;
      const bool at_upper = q[k] + step[k] >= l.upper[k];
      const double inward = at_upper ? step[k] - wished[k] : wished[k] - step[k];
      if (inward > most) most = inward, back = k;
    }
    if (back < 0) return;
    freed |= 1u << back;
    released |= 1u << back;  // once only
  }
}

// Moves q to a solution inside the limits nearby; returns the pose error that is left.
inline double move_inside(const Target& t, const Limits& l, double* q) {
  Joints8 j;
  for (int k = 0; k < 7; ++k) q[k] = clip(l, k, q[k]), j.q[k] = Oct(q[k]);
  Linearised here = lane_of(linearise8(t, j), 0);
  for (int round = 0; round < kBoxSteps && here.error > kBoxRounding; ++round) {
    // Two dampings, and four lengths of either step: what reduces the error most is taken.
    double x[7][kOct];
    for (int choice = 0; choice < 2; ++choice) {
      const double damping = kLeastDamping + (choice == 0 ? 0.0 : kDampingShare * here.error * here.error);
      double step[7] = {};
      step_in_box(l, here, damping, q, step);
      double length = 0;
      for (int k = 0; k < 7; ++k) length = max(length, __builtin_fabs(step[k]));
      double scale = length > kLongestInBox ? kLongestInBox / length : 1.0;
      for (int i = 0; i < kLengths; ++i, scale *= kShorter) {
        for (int k = 0; k < 7; ++k) x[k][kLengths * choice + i] = clip(l, k, q[k] + scale * step[k]);
      }
    }
    for (int k = 0; k < 7; ++k) j.q[k] = Oct::load(x[k]);
    const Linearised8 all = linearise8(t, j);
    double error[kOct];
    all.error.store(error);
    int best = 0;
    for (int i = 1; i < kOct; ++i) {
      if (error[i] < error[best]) best = i;
    }
    if (!(error[best] < (round < kPatience || here.error > kReached ? kAnyGain : kWorthIt) * here.error)) {
      break;
    }
    here = lane_of(all, best);
    for (int k = 0; k < 7; ++k) q[k] = x[k][best];
  }
  return here.error;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
