// Joint limits: closed, with a joint within 1e-9 rad of a limit inside.
#pragma once

#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLimitTolerance = 1e-9;

struct Limits {
  double lower[7], upper[7];
};

// How far joint k lies outside [rad], 0 inside.
inline double violation(const Limits& l, int k, double q) {
  return max(max(l.lower[k] - q, q - l.upper[k]), 0.0);
}

inline double worst_violation(const Limits& l, const double* q) {
  double worst = 0;
  for (int k = 0; k < 7; ++k) worst = max(worst, violation(l, k, q[k]));
  return worst;
}

inline bool within(const Limits& l, const double* q) {
  return worst_violation(l, q) <= kLimitTolerance;
}

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
