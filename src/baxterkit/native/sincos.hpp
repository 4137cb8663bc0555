// Sine and cosine of a vector of angles, within 0.8 ulp for |x| <= 1e4, 0.9 for |x| <= 1e5, and
// libm's beyond.
//
// x = n pi/2 + (r + t): pi/2 is split into 33-bit pieces, so that n times a piece is exact for
// n < 2^20, and t carries the rounding error of r. Then a minimax polynomial on [-pi/4, pi/4]
// (coefficients by the Remez exchange in 50 digits; relative error 4e-18), and the quadrant n mod 4
// chooses and signs the results.
#pragma once

#include <cmath>

#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr double kReducedRange = 1e5;

BK_INLINE void sincos(Vec x, Vec& s, Vec& c) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kPi1 = 0x1.921fb544p+0, kPi2 = 0x1.0b4611a6p-34, kPi3 = 0x1.3198a2e037073p-69;
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits

  const Vec biased = x * kTwoOverPi + kRound;
  const Vec n = biased - kRound;
  const Vec a = fnma(n, kPi1, x);
  const Vec r = fnma(n, kPi2, a);
  const Vec t = fnma(n, kPi3, (a - r) - n * kPi2);

  const Vec z = r * r;
  Vec ps = 1.5896795672224764e-10;
  ps = fma(ps, z, -2.5050758115642605e-08);
  ps = fma(ps, z, 2.7557313691920794e-06);
  ps = fma(ps, z, -0.00019841269829807819);
  ps = fma(ps, z, 0.008333333333322413);
  ps = fma(ps, z, -0.16666666666666632);
  Vec pc = -1.135964776185526e-11;
  pc = fma(pc, z, 2.087572327250452e-09);
  pc = fma(pc, z, -2.755731435232831e-07);
  pc = fma(pc, z, 2.4801587289482174e-05);
  pc = fma(pc, z, -0.0013888888888874125);
  pc = fma(pc, z, 0.0416666666666666);

  // sin(r + t) = r + (r^3 ps + t (1 - r^2 / 2)),  cos(r + t) = 1 - r^2 / 2 + (r^4 pc - r t)
  const Vec half = z * 0.5;
  const Vec one_less = 1.0 - half;
  const Vec sin_r = r + fma(r * z, ps, fnma(half, t, t));
  const Vec cos_r = one_less + (((1.0 - one_less) - half) + fnma(r, t, (z * z) * pc));

  const IntLanes quadrant = (IntLanes)biased.v;
  const IntLanes swap = -(quadrant & 1);
  const IntLanes sign_s = (quadrant & 2) << 62;
  const IntLanes sign_c = ((quadrant + 1) & 2) << 62;
  s = (Lanes)((IntLanes)select(swap, cos_r, sin_r).v ^ sign_s);
  c = (Lanes)((IntLanes)select(swap, sin_r, cos_r).v ^ sign_c);

  const IntLanes large = abs(x).v > kReducedRange;
  if (__builtin_expect(any(large), 0)) {
    for (int i = 0; i < kWidth; ++i) {
      if (large[i]) {
        s.v[i] = ::sin(x.v[i]);
        c.v[i] = ::cos(x.v[i]);
      }
    }
  }
}

// Sines and cosines of n <= 8 angles of one call, the vector routine run over the joints.
BK_INLINE void sincos_of_joints(const double* q, int n, double* s, double* c) {
  double x[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < n; ++i) x[i] = q[i];
  for (int i = 0; i < 8; i += kWidth) {
    Vec vs, vc;
    sincos(Vec::load(x + i), vs, vc);
    vs.store(s + i);
    vc.store(c + i);
  }
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
