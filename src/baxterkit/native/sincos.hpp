// Sine and cosine of a vector of angles, within 0.8 ulp for |x| <= 1e4, 0.9 for |x| <= 1e5, and
// libm's beyond.
//
// The quadrant n mod 4 of x = n pi/2 + r chooses and signs the results of `sincos_reduced`.
#pragma once

#include <cmath>

#include "sincos_reduced.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

BK_INLINE void sincos(Vec x, Vec& s, Vec& c) {
  Vec sin_r, cos_r, biased;
  sincos_reduced(x, sin_r, cos_r, biased);
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
