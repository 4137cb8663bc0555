// The e0 values that the quick search goes through, and whether it has to begin at all.
#pragma once

#include "limits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kSlices = 32;       // evenly spaced, from e0 of the seed
constexpr double kReachSlack = 1e-12;  // [m^2] of squared distances to the wrist, for rounding

// No arm reaches the wrist: |W - S|^2 = N0 - 2 a1 rho cos psi lies outside [(r3 - r5)^2,
// (r3 + r5)^2] for every psi.
inline bool wrist_out_of_reach(const Target& t) {
  const double N0 = t.rho * t.rho + t.h * t.h + kA1 * kA1, swing = 2 * kA1 * t.rho;
  const double slack = kReachSlack;
  // (written so that a target whose squares overflow is out of reach)
  return !(N0 - swing <= (kR3 + kR5) * (kR3 + kR5) + slack) ||
         !(N0 + swing >= (kR3 - kR5) * (kR3 - kR5) - slack);
}

// e0 of the evenly spaced slices, outward from the base: 0, +1, -1, +2, ... steps.
inline double even_e0(const Target& t, double base, int i) {
  const int steps = i % 2 == 1 ? (i + 1) / 2 : -(i / 2);
  return wrap_joint(t, 2, base + steps * (2 * kPi / kSlices));
}

// The e0 values of the quick search: that of the seed, then outward in strides of three, then what
// was left out. Neighbours mostly fail together.
struct Scan {
  double base;
  int at;
};

inline int scan_order(int i) {
  constexpr int order[kSlices] = {0,  5,  6,  11, 12, 17, 18, 23, 24, 29, 30, 1,  2,  7,  8,  13,
                                  14, 19, 20, 25, 26, 31, 3,  4,  9,  10, 15, 16, 21, 22, 27, 28};
  return order[i];
}

// So many of them are tried before bounds say which of the others can have solutions at all.
constexpr int kFirstTries = 11;

inline Scan start_scan(const Limits& l, const double* seed) { return {clip(l, 2, seed[2]), 0}; }

// The next of the first `tries` values that is within the limits; false after the last.
inline bool next_e0(const Target& t, const Limits& l, int tries, Scan* s, double* e0) {
  while (s->at < tries) {
    *e0 = even_e0(t, s->base, scan_order(s->at++));
    if (violation(l, 2, *e0) <= 0) return true;
  }
  return false;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
