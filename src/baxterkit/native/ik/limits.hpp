// Joint limits: closed, with a joint within 2e-11 rad of a limit inside.
//
// The equations determine angles up to whole turns, and each joint is returned in one turn only
// (Target::turn). With limits inside of [-pi, pi] that is the turn around 0; with other limits less
// than a turn wide it is the one around their middle; and limits a turn wide or more leave the joint
// free, in the turn within them that lies around the seed.
#pragma once

#include "../ik_types.hpp"
#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLimitTolerance = 2e-11;
constexpr double kNoLimit = 1e6;        // [rad] stands for an infinite limit
constexpr double kFarthestTurn = 1e3;   // [rad] a seed beyond is no reason to turn further

using Limits = IkLimits;

// Takes limits of any position and width, infinite ones too, and the turns that suit them.
inline Limits place_limits(const double* lower, const double* upper, const double* seed, Target* t) {
  Limits l;
  for (int k = 0; k < 7; ++k) {
    const double low = lower[k], high = upper[k];
    l.lower[k] = low, l.upper[k] = high;
    if (low >= -kPi && high <= kPi) continue;
    t->turned = true;
    if (high - low < 2 * kPi) {
      t->turn[k] = 0.5 * (low + high);
      continue;
    }
    double middle = min(max(seed[k], -kFarthestTurn), kFarthestTurn);
    middle = min(max(middle, low + kPi), high - kPi);
    t->turn[k] = middle;
    if (low > -kNoLimit && high < kNoLimit) continue;
    l.lower[k] = -kNoLimit, l.upper[k] = kNoLimit;
  }
  return l;
}

// How far joint k lies outside [rad], 0 inside.
inline double violation(const Limits& l, int k, double q) {
  return max(max(l.lower[k] - q, q - l.upper[k]), 0.0);
}

inline double worst_violation(const Limits& l, const double* q) {
  double worst = 0;
  for (int k = 0; k < 7; ++k) worst = max(worst, violation(l, k, q[k]));
  return worst;
}

inline bool within(const Limits& l, const double* q) { return worst_violation(l, q) <= kLimitTolerance; }

inline double clip(const Limits& l, int k, double q) { return min(max(q, l.lower[k]), l.upper[k]); }

// Squared distance to a seed, over the joints.
inline double seed_distance(const double* q, const double* seed) {
  double d = 0;
  for (int k = 0; k < 7; ++k) d += (q[k] - seed[k]) * (q[k] - seed[k]);
  return d;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
