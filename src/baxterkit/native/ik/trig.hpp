// sin, cos, atan2 and cube root of eight numbers, to about one unit in the last place.
#pragma once

#include "octet.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kTiny = 1e-300;  // instead of zero as a divisor: a quotient then stays finite

constexpr double kPi = 3.14159265358979323846;
constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kHalfPiTail = 6.123233995736766036e-17;

// Nearest integer of |x| < 2^51, by pushing the fraction out of the mantissa.
BK_INLINE Oct nearest(Oct x) {
  const Oct magic(6755399441055744.0);
  return (x + magic) - magic;
}

// Four registers each of the sixteen that there are: called, not part of their callers.
#if defined(__SSE2__) && !defined(__AVX2__)
#define BK_LONG inline BK_NOINLINE
#else
#define BK_LONG BK_INLINE
#endif

// sin(x) and cos(x) for |x| up to a few hundred: x = k pi/2 + r, |r| <= pi/4, Taylor in r.
BK_LONG void sincos(const Oct& x, Oct* s, Oct* c) {
  const Oct k = nearest(x * (2.0 / kPi));
  Oct r = fnma(k, Oct(kHalfPi), x);
  r = fnma(k, Oct(kHalfPiTail), r);
  const Oct z = r * r;
  Oct ps(1.0 / 355687428096000.0);
  ps = fma(ps, z, Oct(-1.0 / 1307674368000.0));
  ps = fma(ps, z, Oct(1.0 / 6227020800.0));
  ps = fma(ps, z, Oct(-1.0 / 39916800.0));
  ps = fma(ps, z, Oct(1.0 / 362880.0));
  ps = fma(ps, z, Oct(-1.0 / 5040.0));
  ps = fma(ps, z, Oct(1.0 / 120.0));
  ps = fma(ps, z, Oct(-1.0 / 6.0));
  const Oct sr = fma(r * z, ps, r);
  Oct pc(-1.0 / 6402373705728000.0);
  pc = fma(pc, z, Oct(1.0 / 20922789888000.0));
  pc = fma(pc, z, Oct(-1.0 / 87178291200.0));
  pc = fma(pc, z, Oct(1.0 / 479001600.0));
  pc = fma(pc, z, Oct(-1.0 / 3628800.0));
  pc = fma(pc, z, Oct(1.0 / 40320.0));
  pc = fma(pc, z, Oct(-1.0 / 720.0));
  pc = fma(pc, z, Oct(1.0 / 24.0));
  pc = fma(pc, z, Oct(-0.5));
  const Oct cr = fma(pc, z, Oct(1.0));
  // k mod 4, as a number in {-2, -1, 0, 1, 2}
  const Oct quadrant = fnma(nearest(k * 0.25), Oct(4.0), k);
  const Oct size = abs(quadrant);
  const Mask odd = (abs(size - 1.0) < Oct(0.5));
  const Mask half_turn = Oct(1.5) < size;
  const Oct s0 = select(odd, cr, sr);
  const Oct c0 = select(odd, sr, cr);
  const Mask negate_s = half_turn | (quadrant < Oct(-0.5));
  const Mask negate_c = half_turn | (odd & (Oct(0.5) < quadrant));
  // quadrant 1: (c, -s); quadrant -1: (-c, s); quadrant +-2: (-s, -c)
  *s = select(negate_s, -s0, s0);
  *c = select(negate_c, -c0, c0);
}

BK_LONG Oct atan2(const Oct& y, const Oct& x) {
  const Oct ax = abs(x), ay = abs(y);
  const Oct big = max(max(ax, ay), Oct(kTiny));
  const Oct small = min(ax, ay);
  // t = small / big in [0, 1]; beyond tan(pi/8), atan t = pi/4 + atan((t - 1) / (t + 1))
  const Mask steep = (big * 0.41421356237309503) < small;
  const Oct t = select(steep, small - big, small) / select(steep, small + big, big);
  const Oct z = t * t;
  Oct p(-0.019176887118969278165);
  p = fma(p, z, Oct(0.03923165829550329189));
  p = fma(p, z, Oct(-0.050854497379370147216));
  p = fma(p, z, Oct(0.058581489128015072274));
  p = fma(p, z, Oct(-0.066645114473818546949));
  p = fma(p, z, Oct(0.076921831908260787377));
  p = fma(p, z, Oct(-0.090909045781239014789));
  p = fma(p, z, Oct(0.11111111015256361714));
  p = fma(p, z, Oct(-0.14285714284666542922));
  p = fma(p, z, Oct(0.19999999999995520678));
  p = fma(p, z, Oct(-0.3333333333333333016));
  Oct angle = fma(t * z, p, t);
  angle = select(steep, angle + 0.78539816339744830962, angle);
  angle = select(ax < ay, 1.57079632679489661923 - angle, angle);
  angle = select(x < Oct(0.0), kPi - angle, angle);
  return select(y < Oct(0.0), -angle, angle);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
