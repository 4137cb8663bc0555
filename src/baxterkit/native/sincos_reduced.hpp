// Sine and cosine of an angle reduced to [-pi/4, pi/4], over any scalar.
//
// x = n pi/2 + (r + t): pi/2 is split into 33-bit pieces, so that n times a piece is exact for
// n < 2^20, and t carries the rounding error of r. Then a minimax polynomial on [-pi/4, pi/4]
// (coefficients by the Remez exchange in 50 digits; relative error 4e-18).
#pragma once

#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr double kReducedRange = 1e5;  // |x| up to which this is within 0.9 ulp

// `sin_r` and `cos_r` of r + t; the lowest bits of `biased` are n.
template <class T>
BK_INLINE void sincos_reduced(T x, T& sin_r, T& cos_r, T& biased) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kPi1 = 0x1.921fb544p+0, kPi2 = 0x1.0b4611a6p-34, kPi3 = 0x1.3198a2e037073p-69;
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits

  biased = x * kTwoOverPi + kRound;
  const T n = biased - kRound;
  const T a = fnma(n, kPi1, x);
  const T r = fnma(n, kPi2, a);
  const T t = fnma(n, kPi3, (a - r) - n * kPi2);

  const T z = r * r;
  T ps = 1.5896795672224764e-10;
  ps = fma(ps, z, -2.5050758115642605e-08);
  ps = fma(ps, z, 2.7557313691920794e-06);
  ps = fma(ps, z, -0.00019841269829807819);
  ps = fma(ps, z, 0.008333333333322413);
  ps = fma(ps, z, -0.16666666666666632);
  T pc = -1.135964776185526e-11;
  pc = fma(pc, z, 2.087572327250452e-09);
  pc = fma(pc, z, -2.755731435232831e-07);
  pc = fma(pc, z, 2.4801587289482174e-05);
  pc = fma(pc, z, -0.0013888888888874125);
  pc = fma(pc, z, 0.0416666666666666);

  // sin(r + t) = r + (r^3 ps + t (1 - r^2 / 2)),  cos(r + t) = 1 - r^2 / 2 + (r^4 pc - r t)
  const T half = z * 0.5;
  const T one_less = 1.0 - half;
  sin_r = r + fma(r * z, ps, fnma(half, t, t));
  cos_r = one_less + (((1.0 - one_less) - half) + fnma(r, t, (z * z) * pc));
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
