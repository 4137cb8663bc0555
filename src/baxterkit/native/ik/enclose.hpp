// Numbers enclosed by centre and radius, never too narrow.
#pragma once

#include "limits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kSlack = 1e-6;          // [rad] far beyond rounding
constexpr double kEnclose = 1e-9;        // [m and 1] that enclosures are wider than rounding makes them
constexpr double kArcRounding = 1e-7;    // [rad] of arc_cos next to 0 and pi
constexpr double kAnyE0 = 2e-3;          // [m] of |(X, Y)|: below it e0 may be anything
constexpr double kLeastForearm2 = 1e-12; // [m^2] that is divided by, at least
constexpr double kMostBent =
    0.0268;  // [rad] atan(a5 / d5), rounded up: the forearm's line off the axis of w0

// A number enclosed: centre +- radius.
struct Ball {
  Oct c, r;
};

BK_INLINE Oct clamp_one(Oct x) { return min(max(x, Oct(-1.0)), Oct(1.0)); }
BK_INLINE Oct arc_cos(Oct x) { return atan2(sqrt(max(fnma(x, x, Oct(1.0)), Oct(0.0))), x); }

// An upper bound of asin x, x >= 0; pi from 1 on. (Its series has positive terms only.)
BK_INLINE Oct arc_sin_bound(Oct x) {
  return select(x < Oct(1.0), fma((kHalfPi - 1.0) * (x * x), x, x), Oct(kPi));
}

BK_INLINE Ball between(Oct low, Oct high) { return {0.5 * (low + high), 0.5 * (high - low)}; }

// sin and cos of an enclosed angle.
BK_INLINE void enclose_sincos(Ball x, Ball* s, Ball* c) {
  sincos(x.c, &s->c, &c->c);
  const Oct second = 0.5 * (x.r * x.r);
  s->r = fma(abs(c->c), x.r, abs(s->c) * second);
  c->r = fma(abs(s->c), x.r, abs(c->c) * second);
}

// How far an angle known up to whole turns is from `centre` at least; negative where it may be there.
BK_INLINE Oct least_distance(Ball x, double centre) {
  const Oct off = x.c - centre;
  const Oct wrapped = fnma(nearest(off * (0.5 / kPi)), Oct(2.0 * kPi), off);
  return abs(wrapped) - x.r;
}

// How far joint k is outside its limits at least.
BK_INLINE Oct least_violation(const Limits& l, int k, Ball x) {
  const double half = 0.5 * (l.upper[k] - l.lower[k]), middle = 0.5 * (l.upper[k] + l.lower[k]);
  return max(least_distance(x, middle) - half, Oct(0.0));
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
