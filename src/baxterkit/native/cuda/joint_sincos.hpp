// Sine and cosine of a joint angle in one thread.
#pragma once

#include "../sincos_reduced.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct Both {
  Real s, c;
};

// Both from those of the angle less n quarter turns.
BK_INLINE void put_quadrant(int n, Real sin_r, Real cos_r, Real& s, Real& c) {
  const bool swap = n & 1;
  const Real s0 = swap ? cos_r : sin_r, c0 = swap ? sin_r : cos_r;
  s = (n & 2) ? -s0 : s0;
  c = ((n + 1) & 2) ? -c0 : c0;
}

// Of an angle in [-pi/4, pi/4], at single precision: polynomials by the Remez exchange (relative errors
// 4e-9 and 1e-10).
BK_INLINE void sincos_of_rest(float r, float& s, float& c) {
  const float z = r * r;
  const auto fused = [](float x, float y, float w) {
#if defined(__CUDACC__)
    return __fmaf_rn(x, y, w);
#else
    return __builtin_fmaf(x, y, w);
#endif
  };
  const float ps = fused(fused(-0.000195172979f, z, 0.008332178f), z, -0.166666552f);
  const float pc = fused(fused(2.443845e-05f, z, -0.00138873677f), z, 0.0416666456f);
  s = fused(r * z, ps, r);
  c = fused(z * z, pc, fused(-z, 0.5f, 1.0f));
}

#if defined(BAXTERKIT_FLOAT32)

BK_NOINLINE Both far_sincos(Real x) { return {::sinf(x), ::cosf(x)}; }

// Within 1.5 ulp for |x| <= 1e4: pi/2 in three pieces.
BK_INLINE void joint_sincos(Real x, Real& s, Real& c) {
  constexpr Real kTwoOverPi = 0.636619772f, kRound = 0x1.8p23f, kRange = 1e4f;
  constexpr Real kPi1 = 0x1.921fb6p+0f, kPi2 = -0x1.777a5cp-25f, kPi3 = -0x1.ee59dap-50f;
  if (!(abs(x) <= kRange)) {
    const Both far = far_sincos(x);
    s = far.s, c = far.c;
    return;
  }
  const Real n = fma(x, kTwoOverPi, kRound) - kRound;
  const Real r = fnma(n, kPi3, fnma(n, kPi2, fnma(n, kPi1, x)));
  Real sin_r, cos_r;
  sincos_of_rest(r, sin_r, cos_r);
  put_quadrant(int(n), sin_r, cos_r, s, c);
}

#else

BK_NOINLINE Both far_sincos(Real x) { return {::sin(x), ::cos(x)}; }

// As `sincos` of the vector types, to the bit, for |x| up to kReducedRange.
BK_INLINE void reduced_sincos(Real x, Real& s, Real& c) {
  Real sin_r, cos_r, biased;
  sincos_reduced(x, sin_r, cos_r, biased);
  put_quadrant(low_bits(biased), sin_r, cos_r, s, c);
}
// For any x.
BK_INLINE void joint_sincos(Real x, Real& s, Real& c) {
  if (abs(x) <= kReducedRange) {
    reduced_sincos(x, s, c);
    return;
  }
  const Both far = far_sincos(x);
  s = far.s, c = far.c;
}

// The same at single precision, of an angle at double precision.
BK_INLINE void coarse_sincos(double x, float& s, float& c) {
  constexpr double kTwoOverPi = 0.63661977236758134308, kRound = 0x1.8p52;
  constexpr double kPi1 = 0x1.921fb544p+0, kPi2 = 0x1.0b4611a626331p-34;
  const double biased = x * kTwoOverPi + kRound, n = biased - kRound;
  float sin_r, cos_r;
  sincos_of_rest(float(fnma(n, kPi2, fnma(n, kPi1, x))), sin_r, cos_r);
  const int quadrant = low_bits(biased);
  const float s0 = quadrant & 1 ? cos_r : sin_r, c0 = quadrant & 1 ? sin_r : cos_r;
  s = quadrant & 2 ? -s0 : s0;
  c = (quadrant + 1) & 2 ? -c0 : c0;
}

#endif

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
