// What is near the limits: within them, or outside by no more than curves may come back in.
#pragma once

#include "limits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// [rad] Solutions farther outside need not be followed: between two slices a joint moves less, where the curve is not steep.
constexpr double kNear = 0.6;
// [rad] The same where it is: where e0 has less than this share in the tangent, next to folds above all.
constexpr double kNearSteep = 1.2, kSteep = 0.4;
constexpr double kNearLoop = 0.25;  // [rad] the same for curves between two slices, which are small

// How far angles are outside the limits of joint k (negative inside), whole turns left aside.
BK_INLINE Oct outside8(const Limits& l, int k, Oct q) {
  const Oct off = q - 0.5 * (l.upper[k] + l.lower[k]);
  const Oct wrapped = fnma(nearest(off * (0.5 / kPi)), Oct(2.0 * kPi), off);
  return abs(wrapped) - 0.5 * (l.upper[k] - l.lower[k]);
}

inline double outside(const Limits& l, int k, double q) {
  const double off = q - 0.5 * (l.upper[k] + l.lower[k]);
  const double wrapped = off - 2 * kPi * __builtin_rint(off * (0.5 / kPi));
  return __builtin_fabs(wrapped) - 0.5 * (l.upper[k] - l.lower[k]);
}

inline bool is_near(const Limits& l, const double* q, double near = kNear) {
  for (int k = 0; k < 7; ++k) {
    if (outside(l, k, q[k]) > near) return false;
  }
  return true;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
