// The fast path: the roots of (1) at eight values of theta5, and f along each branch.
//
// Away from singularities each of the (up to four) roots Theta'_i(s5) of the quartic (1) moves a
// little as theta5 goes round, and f = c5 beta - s5 alpha = m sin(chi - theta5), where chi =
// atan2(beta, alpha) moves a little too. Where |d chi / d theta5| < 1 all round, a branch has
// exactly two solutions, half a turn apart but for that motion. `level_candidates` says whether
// this holds with a margin everywhere; if so nothing can be lost.
#pragma once

#include "limits.hpp"
#include "quartic.hpp"
#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLeastSlope = 1e-12;      // [m^2] of (1) by Theta', that is divided by, at least
constexpr double kLongestTouchUp = 1e-3;   // [rad] of the Newton step after the roots; else none

constexpr double kLevelStep = kPi / 7;

// The certificate of the fast path. From one level to the next:
constexpr double kSteadyPair = 0.5;   // share that the discriminant of a complex pair may change by
constexpr double kSteadyRoot = 0.4;   // share of the way to the next root that a root may move by
constexpr double kSteadyAxis = 0.23;  // tan of half a level step: what chi may turn by

// theta5 = -pi/2 + j pi/7 in lane j, as cosine and sine.
BK_INLINE Oct level_cos() {
  const double c[kOct] = {0.0,
                          0.43388373911755812,
                          0.78183148246802981,
                          0.97492791218182361,
                          0.97492791218182361,
                          0.78183148246802981,
                          0.43388373911755812,
                          0.0};
  return Oct::load(c);
}
BK_INLINE Oct level_sin() {
  const double s[kOct] = {-1.0,
                          -0.90096886790241913,
                          -0.62348980185873353,
                          -0.22252093395631440,
                          0.22252093395631440,
                          0.62348980185873353,
                          0.90096886790241913,
                          1.0};
  return Oct::load(s);
}

// Branches of (1) at eight values of s5: slots 0, 1 and 2, 3 are pairs that meet at folds.
struct Levels {
  Oct c[4], s[4];           // Theta' of each slot
  Oct discriminant[2];      // of each pair: real where >= 0
  unsigned real[2];         // lanes where the pair is real
};

// `complex_too`: complex pairs come out as their real part.
inline Levels solve_levels(const Target& t, double c3, double s3, Oct s5, bool complex_too) {
  const Oct Y = kA5 * s5;
  const Oct R = sqrt(kR5Squared - Y * Y);
  // |L|^2 - rho^2 with L1 = l0 - l1 c, L2 = m0 + m1 s + m2 c
  const Oct l1 = (kR3 / kA1) * R;
  const Oct m0 = fma(Oct(c3), Y, Oct(s3 * kA3));
  const Oct m1 = (s3 * kCosGamma) * R, m2 = (s3 * kSinGamma) * R;
  const double l0 = t.l0;
  const Oct A0 = fma(m0, m0, Oct(l0 * l0 - t.rho * t.rho));
  const Oct A1 = 2.0 * (m0 * m2 - l0 * l1);
  const Oct B1 = 2.0 * (m0 * m1);
  const Oct A2 = fma(l1, l1, m2 * m2), B2 = m1 * m1, C2 = 2.0 * (m1 * m2);
  // in u = tan(Theta'/2), or in 1/u where the folded elbow is nearer than the stretched one
  const Oct at_zero = A0 + A1 + A2, at_pi = A0 - A1 + A2;
  double ends[2][kOct];
  at_zero.store(ends[0]);
  at_pi.store(ends[1]);
  const bool folded = __builtin_fabs(ends[1][3]) < __builtin_fabs(ends[0][3]);
  const Oct lead = 1.0 / (folded ? at_zero : at_pi);
  const Oct last = folded ? at_pi : at_zero;
  const Oct up = 2.0 * (B1 - C2), down = 2.0 * (B1 + C2);
  const QuarticRoots roots = solve_quartic((folded ? down : up) * lead, (2.0 * (A0 - A2) + 4.0 * B2) * lead,
                                           (folded ? up : down) * lead, last * lead);
  Levels out;
  const Mask real0 = ~(roots.discriminant[0] < Oct(0.0));
  const Mask real1 = ~(roots.discriminant[1] < Oct(0.0));
  const Mask swap = real1 & ~real0;  // a single real pair comes first
  out.discriminant[0] = select(swap, roots.discriminant[1], roots.discriminant[0]);
  out.discriminant[1] = select(swap, roots.discriminant[0], roots.discriminant[1]);
  out.real[0] = (real0 | real1).bits();
  out.real[1] = (real0 & real1).bits();
  for (int pair = 0; pair < 2; ++pair) {
    if (pair == 1 && !out.real[1] && !complex_too) break;
    const Oct middle = pair == 0 ? select(swap, roots.middle[1], roots.middle[0])
                                 : select(swap, roots.middle[0], roots.middle[1]);
    const Oct half = sqrt(max(out.discriminant[pair], Oct(0.0)));
    for (int side = 0; side < 2; ++side) {
      const Oct u = side == 0 ? middle - half : middle + half;
      const Oct w = 1.0 / fma(u, u, Oct(1.0));
      Oct s = 2.0 * (u * w);
      Oct c = fnma(u, u, Oct(1.0)) * w;
      if (folded) c = -c;
      // One Newton step on (1) in Theta'.
      const Oct L1 = fnma(l1, c, Oct(l0)), L2 = fma(m1, s, fma(m2, c, m0));
      const Oct value = fma(L1, L1, fma(L2, L2, Oct(-t.rho * t.rho)));
      const Oct slope = 2.0 * fma(L1, l1 * s, L2 * fnma(m2, s, m1 * c));
      Oct step = value / select(abs(slope) < Oct(kLeastSlope), Oct(kLeastSlope), slope);
      step = select(abs(step) < Oct(kLongestTouchUp), step, Oct(0.0));
      out.c[2 * pair + side] = fma(s, step, c);
      out.s[2 * pair + side] = fnma(c, step, s);
    }
  }
  return out;
}

// Sine of the angle from (c, s) to (c2, s2).
BK_INLINE Oct sine_between(Oct c, Oct s, Oct c2, Oct s2) { return fma(s2, c, -(c2 * s)); }

// The tests below compare lane j with lane j + 1, for j = 0 .. 6.
constexpr unsigned kGaps = 0x7f;

// True if the roots of (1) neither meet nor are born between the eight levels.
inline bool branches_are_separate(const Levels& levels) {
  const unsigned r0 = levels.real[0], r1 = levels.real[1];
  if ((r0 != 0 && r0 != 255u) || (r1 != 0 && r1 != 255u)) return false;
  for (int pair = 0; pair < 2; ++pair) {
    if (pair == 0 ? r0 != 0 : r1 != 0) continue;
    const Oct D = abs(levels.discriminant[pair]);
    const Mask steady = abs(next(D) - D) < kSteadyPair * min(D, next(D));
    if ((steady.bits() & kGaps) != kGaps) return false;
  }
  const int n = r1 ? 4 : (r0 ? 2 : 0);
  for (int i = 0; i < n; ++i) {
    const int k = i + 1 == n ? 0 : i + 1;
    const Oct apart = abs(sine_between(levels.c[i], levels.s[i], levels.c[k], levels.s[k]));
    const Oct cosine = fma(levels.c[i], levels.c[k], levels.s[i] * levels.s[k]);
    const Oct gap = kSteadyRoot * select(cosine < Oct(0.0), Oct(1.0), apart);
    for (int side = 0; side < 2; ++side) {
      const int m = side == 0 ? i : k;
      const Oct c2 = next(levels.c[m]), s2 = next(levels.s[m]);
      const Mask small = abs(sine_between(levels.c[m], levels.s[m], c2, s2)) < gap;
      if ((small.bits() & kGaps) != kGaps) return false;
    }
  }
  return true;
}

// Adds the two solutions of each branch to the candidates. False: nothing is certain, use the
// sure path.
inline bool level_candidates(const Target& t, double c3, double s3, Candidates* out) {
  const Oct c5 = level_cos(), s5 = level_sin();
  const Levels levels = solve_levels(t, c3, s3, s5, false);
  if (!branches_are_separate(levels)) return false;
  const int n = levels.real[1] ? 4 : (levels.real[0] ? 2 : 0);
  for (int i = 0; i < n; ++i) {
    double c[kOct], s[kOct], f[2][kOct];
    unsigned negative[2];
    for (int side = 0; side < 2; ++side) {
      const Oct signed_c5 = side == 0 ? c5 : -c5;
      const Reduced<Oct> r = evaluate<Oct, double>(t, c3, s3, {levels.c[i], levels.s[i], signed_c5, s5});
      const Oct alpha2 = next(r.alpha), beta2 = next(r.beta);
      const Oct turned = abs(fma(r.alpha, beta2, -(r.beta * alpha2)));
      const Oct kept = fma(r.alpha, alpha2, r.beta * beta2);
      if (((turned < kSteadyAxis * kept).bits() & kGaps) != kGaps) return false;
      r.f.store(f[side]);
      negative[side] = (r.f < Oct(0.0)).bits();
    }
    levels.c[i].store(c);
    levels.s[i].store(s);
    int found = 0;
    for (int side = 0; side < 2; ++side) {
      unsigned changes = (negative[side] ^ (negative[side] >> 1)) & kGaps;
      for (; changes; changes &= changes - 1) {
        const int j = __builtin_ctz(changes);
        const double x = f[side][j] / (f[side][j] - f[side][j + 1]);
        // theta5 = -pi/2 + (j + x) pi/7, by a rotation from level j through x pi/7 < 0.45
        const double a = x * kLevelStep, a2 = a * a;
        const double ca = 1 - a2 * (0.5 - a2 * (1.0 / 24 - a2 / 720));
        const double sa = a * (1 - a2 * (1.0 / 6 - a2 * (1.0 / 120 - a2 / 5040)));
        double level[2][kOct];
        c5.store(level[0]);
        s5.store(level[1]);
        const double cj = level[0][j], sj = level[1][j];
        const double c5x = cj * ca - sj * sa, s5x = sj * ca + cj * sa;
        const double cx = c[j] + x * (c[j + 1] - c[j]), sx = s[j] + x * (s[j + 1] - s[j]);
        const double norm = 1 / __builtin_sqrt(cx * cx + sx * sx);
        if (!out->add(cx * norm, sx * norm, side == 0 ? c5x : -c5x, s5x)) return false;
        ++found;
      }
    }
    if (found != 2) return false;
  }
  return true;
}

constexpr double kCandidateMargin = 0.2;  // [rad] how far a candidate may be from its solution

// Drops the candidates whose joints are outside the limits by more than the margin.
inline void keep_candidates_within(const Target& t, double e0, double c3, double s3, const Limits& l,
                                   Candidates* x) {
  const int n = x->count;  // at most eight
  for (int i = n; i < kOct; ++i) {
    x->c[i] = 1, x->s[i] = 0, x->c5[i] = 1, x->s5[i] = 0;
  }
  const Point<Oct> p = {Oct::load(x->c), Oct::load(x->s), Oct::load(x->c5), Oct::load(x->s5)};
  const Joints8 j = joint_angles(t, c3, s3, Oct(e0), p);
  Oct outside(0.0);
  for (int k = 0; k < 7; ++k) {
    // an angle near pi may come out at either side: those are not judged
    const Oct beyond = max(l.lower[k] - j.q[k], j.q[k] - l.upper[k]);
    outside = max(outside, select(abs(j.q[k] - t.turn[k]) < Oct(kPi - kCandidateMargin), beyond, Oct(0.0)));
  }
  const unsigned keep = (outside < Oct(kCandidateMargin)).bits();
  x->count = 0;
  for (int i = 0; i < n; ++i) {
    if (keep >> i & 1u) x->add(x->c[i], x->s[i], x->c5[i], x->s5[i]);
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
