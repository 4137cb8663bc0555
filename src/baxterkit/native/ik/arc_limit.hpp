// Limits of a joint as a cosine, for angles that are known by their cosines and sines.
#pragma once

#include "limits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// An angle lies within [lower - margin, upper + margin], up to whole turns, where its cosine from
// the middle is at least `least`. -2: everywhere.
struct ArcLimit {
  double c, s, least;
};

inline ArcLimit arc_limit(double lower, double upper, double margin) {
  const double half = 0.5 * (upper - lower) + margin;
  if (!(half < kPi)) return {1.0, 0.0, -2.0};
  const double middle = 0.5 * (upper + lower);
  return {__builtin_cos(middle), __builtin_sin(middle), __builtin_cos(half)};
}

// Whether (cosine, sine), a vector of that length, is surely outside.
BK_INLINE Mask outside(const ArcLimit& a, Oct cosine, Oct sine, Oct length) {
  return fma(Oct(a.c), cosine, a.s * sine) < a.least * length;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
