// All real roots of eight quartics at once.
#pragma once

#include "trig.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLeastDivisor = 1e-150;  // instead of smaller divisors: its square is above zero
// Newton on the resolvent: a step is taken if it changes w by no more than this share, or, with w next
// to zero, by no more than rounding.
constexpr double kResolventShare = 0.1, kResolventRounding = 1e-30;
constexpr double kBiquadratic = 1e-4;     // w / |p| below which q / sqrt(w) has lost too many digits

// u^4 + b u^3 + c u^2 + d u + e = (u^2 - 2 m0 u + n0) (u^2 - 2 m1 u + n1):
// roots m +- sqrt(D) with D = m^2 - n, real where D >= 0.
struct QuarticRoots {
  Oct middle[2], discriminant[2];
};

// Cube root of x >= 0: a power-of-two start from the exponent, then Halley's iteration.
inline Oct cube_root(Oct x) {
  double v[kOct];
  x.store(v);
  for (int i = 0; i < kOct; ++i) {
    uint64_t bits;
    std::memcpy(&bits, &v[i], 8);
    bits = bits / 3 + 0x2A9F7893782DA1CEull;
    std::memcpy(&v[i], &bits, 8);
  }
  Oct r = Oct::load(v);
  for (int i = 0; i < 3; ++i) {
    const Oct r3 = r * r * r;
    r = r * ((r3 + 2.0 * x) / (2.0 * r3 + x + kTiny));
  }
  return r;
}

// Ferrari: with u = y - b/4, y^4 + p y^2 + q y + r = (y^2 + (p + w)/2)^2 - (sqrt(w) y - q/(2
// sqrt(w)))^2 for the largest root w of w^3 + 2 p w^2 + (p^2 - 4 r) w - q^2 = 0, which is >= 0.
inline QuarticRoots solve_quartic(Oct b, Oct c, Oct d, Oct e) {
  const Oct b2 = b * b;
  const Oct p = fnma(Oct(0.375), b2, c);
  const Oct q = fma(b, fma(Oct(0.125), b2, -0.5 * c), d);
  const Oct r = fma(b2, fma(Oct(-3.0 / 256.0), b2, 0.0625 * c), fnma(Oct(0.25) * b, d, e));
  // w = x - 2p/3:  x^3 - 3 Q x - 2 S = 0
  const Oct Q = fma(p, p, 12.0 * r) * (1.0 / 9.0);
  const Oct S = fma(p * p, p, fnma(Oct(36.0), p * r, 13.5 * (q * q))) * (1.0 / 27.0);
  const Oct Q3 = Q * Q * Q;
  const Oct inside = fnma(S, S, Q3);  // > 0: three real roots
  const Mask three = Oct(0.0) < inside;
  const Oct root = sqrt(abs(inside));
  Oct x = Oct(0.0);
  const unsigned bits = three.bits();
  if (bits) {
    const Oct third = atan2(root, S) * (1.0 / 3.0);
    Oct s3, c3;
    sincos(third, &s3, &c3);
    x = 2.0 * (sqrt(abs(Q)) * c3);
  }
  if (bits != kAllLanes) {
    const Oct A = copysign_of(cube_root(abs(S) + root), S);
    x = select(three, x, A + Q / select(abs(A) < Oct(kLeastDivisor), Oct(kLeastDivisor), A));
  }
  Oct w = fnma(Oct(2.0 / 3.0), p, x);
  // Newton on the cubic in w: the closed form loses digits where w is small beside p.
  for (int i = 0; i < 2; ++i) {
    const Oct k1 = fnma(Oct(4.0), r, p * p);
    const Oct value = fma(fma(fma(Oct(2.0), p, w), w, k1), w, -(q * q));
    const Oct slope = fma(fma(Oct(4.0), p, 3.0 * w), w, k1);
    const Oct step = value / select(abs(slope) < Oct(kTiny), Oct(kTiny), slope);
    const Mask good = abs(step) < (kResolventShare * abs(w) + kResolventRounding);
    w = select(good, w - step, w);
  }
  w = max(w, Oct(0.0));
  const Oct t = sqrt(w);
  // q / t; where w is small (a nearly biquadratic equation), from (q / 2t)^2 = (p + w)^2/4 - r
  const Oct halves = 0.5 * (p + w);
  const Oct square = fms(halves, halves, r);
  const Mask small = w < kBiquadratic * abs(p);
  const Oct quotient =
      select(small, copysign_of(2.0 * sqrt(max(square, Oct(0.0))), q), q / max(t, Oct(kLeastDivisor)));
  QuarticRoots out;
  const Oct shift = -0.25 * b;
  const Oct common = 0.25 * w - 0.5 * (p + w);
  out.middle[0] = fnma(Oct(0.5), t, shift);
  out.discriminant[0] = fma(Oct(0.5), quotient, common);
  out.middle[1] = fma(Oct(0.5), t, shift);
  out.discriminant[1] = fnma(Oct(0.5), quotient, common);
  return out;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
