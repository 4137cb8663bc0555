// Loops at the edge of reach: the wrist is reached with the elbow stretched or folded (Theta' = 0, pi)
// and |L| extreme in e0 too: L2 = 0, e0 = atan2(-Y, X), or its derivative is, e0 = atan2(X, Y). Along
// each of these crests, over theta5, loops are centred where f = 0.
//
// Two lines follow a crest. One keeps off it by as much as (1) leaves, so that Newton's method has a
// direction to go. The other is the crest with L2 = 0 itself, where psi = 0 or pi: with the wrist
// near the s0 axis a step off the crest turns psi, and f with it, by more than loops are large.
#pragma once

#include "levels.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLeastRoom = 1e-3;  // [m^2] of |L1| l1, that is divided by, at least
// Theta' next to a crest: its square is more than this [rad^2], and it is less than this [rad].
constexpr double kOffCrest2 = 1e-10, kOffCrestMost = 0.3;
constexpr int kCrestHalvings = 20;   // of a level step: to 1e-6 of it

struct Crest {
  double c;     // cos Theta': 1 stretched, -1 folded
  double X;
  int kind;     // 0, 1: L2 = 0;  2, 3: L2 extreme
};

// e0 and the point next to the crest: off it by as much as (1) leaves, |L|^2 - rho^2 changes by
// L1 l1 Theta'^2.
inline void crest_point(const Target& t, const Crest& k, Oct c5, Oct s5, Oct* e0, Point<Oct>* p) {
  const Oct Y = kA5 * s5;
  const double sign = k.kind % 2 == 0 ? 1.0 : -1.0;
  *e0 = k.kind < 2 ? atan2(-sign * Y, Oct(sign * k.X)) : atan2(Oct(sign * k.X), sign * Y);
  Oct s3, c3, sa, ca;
  sincos(*e0, &s3, &c3);
  const Oct R = sqrt(kR5Squared - Y * Y);
  const Oct L2 = s3 * k.X + c3 * Y, L1 = t.l0 - (k.c * kR3 / kA1) * R;
  const Oct deficit = abs(fma(L1, L1, fma(L2, L2, Oct(-t.rho * t.rho))));
  const Oct room = max(abs(L1) * R * (kR3 / kA1), Oct(kLeastRoom));
  sincos(min(sqrt(deficit / room + kOffCrest2), Oct(kOffCrestMost)), &sa, &ca);
  *p = {k.c * ca, sa, c5, s5};
}

inline Oct crest_f(const Target& t, const Crest& k, Oct c5, Oct s5) {
  Oct e0, s3, c3;
  Point<Oct> p;
  crest_point(t, k, c5, s5, &e0, &p);
  sincos(e0, &s3, &c3);
  return evaluate<Oct, Oct>(t, c3, s3, p).f;
}

// Points of the crest with L2 = 0 (kind 0 or 1) itself, whatever (1) says: psi is 0 or pi, by `cos_psi`.
struct CrestLine {
  Oct e0, c3, s3;
  Point<Oct> p;
  Reduced<Oct> r;
};

inline CrestLine crest_line(const Target& t, const Crest& k, double cos_psi, Oct c5, Oct s5) {
  CrestLine x;
  const Oct Y = kA5 * s5, across = kA5 * c5, R = sqrt(kR5Squared - Y * Y);
  const double sin_theta = k.c * kSinGamma, cos_theta = k.c * kCosGamma;
  const Oct X = fma(R, Oct(sin_theta), Oct(kA3)), Z = fma(R, Oct(cos_theta), Oct(kD3));
  const double sign = k.kind == 0 ? 1.0 : -1.0;
  const Oct ux = sign * sqrt(fma(X, X, Y * Y));
  x.c3 = X / ux, x.s3 = -(Y / ux);
  x.e0 = atan2(x.s3, x.c3);
  x.p = {Oct(k.c), Oct(0.0), c5, s5};
  Reduced<Oct>& r = x.r;
  r.cos_psi = Oct(cos_psi), r.sin_psi = Oct(0.0);
  r.L1 = t.rho * r.cos_psi, r.L2 = Oct(0.0), r.length = Oct(t.rho);
  const double x1 = t.rho * cos_psi - kA1, scale = 1 / max(t.h * t.h + x1 * x1, kLeastSquare);
  r.c2 = (ux * x1 - t.h * Z) * scale;
  r.s2 = (t.h * ux + Z * x1) * scale;
  const Oct norm = 1.0 / sqrt(fma(r.c2, r.c2, r.s2 * r.s2));
  r.c2 = r.c2 * norm, r.s2 = r.s2 * norm;
  const auto w = in_e0_axes<Oct, Oct>(t.axis[2], r.cos_psi, r.sin_psi, r.c2, r.s2, x.c3, x.s3);
  set_forearm(w, Oct(sin_theta), Oct(cos_theta), across, 1.0 / R, c5, s5, &r);
  return x;
}

// The zeros of f(c5, s5) over theta5, once round: up to eight angles of each half turn, by a sign
// change between levels and bisection. Calls use(c5, s5, lanes).
template <class F, class Use>
inline void crest_zeros(const F& f, const Use& use) {
  double from[2 * kOct], to[2 * kOct];  // room for a zero in each of the 14 gaps
  int n = 0;
  for (int sheet = 0; sheet < 2; ++sheet) {
    const Oct c5 = sheet == 0 ? level_cos() : -level_cos();
    const unsigned negative = (f(c5, level_sin()) < Oct(0.0)).bits();
    for (unsigned x = (negative ^ (negative >> 1)) & kGaps; x; x &= x - 1) {
      const double a = -kHalfPi + __builtin_ctz(x) * kLevelStep, b = a + kLevelStep;
      from[n] = sheet == 0 ? a : kPi - a;
      to[n] = sheet == 0 ? b : kPi - b;
      ++n;
    }
  }
  for (int i = n; i % kOct != 0; ++i) from[i] = from[0], to[i] = to[0];
  for (int first = 0; first < n; first += kOct) {
    Oct a = Oct::load(from + first), b = Oct::load(to + first), s5, c5;
    sincos(a, &s5, &c5);
    const Oct fa = f(c5, s5);
    for (int i = 0; i < kCrestHalvings; ++i) {  // bisection
      const Oct middle = 0.5 * (a + b);
      sincos(middle, &s5, &c5);
      const Mask same = Oct(0.0) < fa * f(c5, s5);
      a = select(same, middle, a);
      b = select(same, b, middle);
    }
    const int count = n - first < kOct ? n - first : kOct;
    use(c5, s5, (1u << count) - 1u);
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
