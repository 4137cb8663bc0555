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

#if defined(BAXTERKIT_FLOAT32)

BK_NOINLINE Both far_sincos(Real x) { return {::sinf(x), ::cosf(x)}; }

// Within 1.5 ulp for |x| <= 1e4: pi/2 in three pieces, polynomials by the Remez exchange on
// [-pi/4, pi/4] (relative errors 4e-9 and 1e-10).
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
  const Real z = r * r;
  const Real ps = fma(fma(-0.000195172979f, z, 0.008332178f), z, -0.166666552f);
  const Real pc = fma(fma(2.443845e-05f, z, -0.00138873677f), z, 0.0416666456f);
  put_quadrant(int(n), fma(r * z, ps, r), fma(z * z, pc, fnma(z, Real(0.5f), Real(1.0f))), s, c);
}

#else

BK_NOINLINE Both far_sincos(Real x) { return {::sin(x), ::cos(x)}; }

// As `sincos` of the vector types, to the bit for |x| up to kReducedRange.
BK_INLINE void joint_sincos(Real x, Real& s, Real& c) {
  if (!(abs(x) <= kReducedRange)) {
    const Both far = far_sincos(x);
    s = far.s, c = far.c;
    return;
  }
  Real sin_r, cos_r, biased;
  sincos_reduced(x, sin_r, cos_r, biased);
  put_quadrant(low_bits(biased), sin_r, cos_r, s, c);
}

#endif

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
