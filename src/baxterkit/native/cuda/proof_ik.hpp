// The proof that no solution of a target is within the limits.
//
// As in ik/limit_bounds.hpp: every solution has a psi, and psi leaves the elbow two signs, that of Theta'
// and that of cos(e0 + b), and little freedom besides. Over a range of psi and with signs given, joints are
// enclosed by centre and radius, never too narrow. A range where a joint is surely outside is done; others
// are halved. Since the radii shrink with the range, what is left in the end is next to the limits.
//
// theta5 moves the elbow by little (a5 = 10 mm), and is enclosed itself by what w0 comes out as: a second
// look with that narrower theta5 is as exact as the range of psi is.
#pragma once

#include "../ik/enclose.hpp"
#include "warp.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// A range of psi: `place` of 2^(kFirstLevel + level) ranges of equal width from -pi on, and two signs.
// Quarter turns are between ranges, so that sine and cosine are monotone over each.
constexpr unsigned kFirstLevel = 5, kDeepest = 11;
struct PsiRange {
  unsigned place, level, folded, mirrored;

  static BK_INLINE PsiRange of(unsigned bits) { return {bits >> 8, bits >> 2 & 63, bits >> 1 & 1, bits & 1}; }
  BK_INLINE unsigned bits() const { return place << 8 | level << 2 | folded << 1 | mirrored; }
  BK_INLINE PsiRange half(int which) const { return {2 * place + which, level + 1, folded, mirrored}; }
  BK_INLINE double width() const { return ik::kPi / double(1u << (kFirstLevel - 1 + level)); }
};

// A number between two others, and one by centre and radius.
struct Range {
  double low, high;
};
struct Around {
  double c, r;
};
BK_INLINE Around around(Range x) { return {0.5 * (x.low + x.high), 0.5 * (x.high - x.low)}; }
BK_INLINE Range times(Range x, double a, double b) {  // by a number between a and b, 0 < a < b
  return {::fmin(x.low * a, x.low * b), ::fmax(x.high * a, x.high * b)};
}
BK_INLINE double arc_tan(double y, double x) { return ik::atan2(ik::Oct(y), ik::Oct(x)).p; }
BK_INLINE double arc_cos(double x) {
  const double y = ::fmin(::fmax(x, -1.0), 1.0);
  return arc_tan(sqrt(::fmax(fnma(y, y, 1.0), 0.0)), y);
}
// An upper bound of asin x, x >= 0; pi from 1 on.
BK_INLINE double arc_sin_bound(double x) { return ik::arc_sin_bound(ik::Oct(x)).p; }
BK_INLINE void sine_and_cosine(double x, double& s, double& c) {
  ik::Oct sine, cosine;
  ik::sincos(ik::Oct(x), &sine, &cosine);
  s = sine.p, c = cosine.p;
}
// Is joint k, known up to whole turns, surely outside its limits?
BK_INLINE bool surely_outside(const ik::Limits& l, int k, Around x) {
  return ik::least_violation(l, k, {ik::Oct(x.c), ik::Oct(x.r)}).p > ik::kSlack;
}

// How far joint k, known up to whole turns, is from `seed` at least where it is within its limits.
BK_INLINE double least_off(const ik::Limits& l, int k, Around x, double seed) {
  const double middle = 0.5 * (l.lower[k] + l.upper[k]), off = x.c - middle;
  const double wrapped = off - 2 * ik::kPi * ::rint(off * (0.5 / ik::kPi)), r = x.r + ik::kSlack;
  const bool around_the_turn = ::fabs(wrapped) + r > ik::kPi;
  const double low = around_the_turn ? l.lower[k] : ::fmax(l.lower[k], middle + wrapped - r);
  const double high = around_the_turn ? l.upper[k] : ::fmin(l.upper[k], middle + wrapped + r);
  return ::fmax(::fmax(low - seed, seed - high), 0.0);
}

// What theta5 can be: a5 sin and a5 cos of it, and R = |(d5, a5 cos)|.
struct Offset {
  Range Y, k, R;
};
BK_INLINE Offset any_offset() { return {{-kA5, kA5}, {-kA5, kA5}, {kD5, kR5}}; }
BK_INLINE Offset offset_of(Around theta5) {
  double s, c;
  sine_and_cosine(theta5.c, s, c);
  const double second = 0.5 * theta5.r * theta5.r;
  const double of_s = fma(::fabs(c), theta5.r, ::fabs(s) * second) + ik::kEnclose;
  const double of_c = fma(::fabs(s), theta5.r, ::fabs(c) * second) + ik::kEnclose;
  const Range Y = {kA5 * ::fmax(s - of_s, -1.0), kA5 * ::fmin(s + of_s, 1.0)};
  const Range k = {kA5 * ::fmax(c - of_c, -1.0), kA5 * ::fmin(c + of_c, 1.0)};
  const double least = k.low > 0 ? k.low : k.high < 0 ? k.high : 0.0;
  const double most = ::fmax(::fabs(k.low), ::fabs(k.high));
  return {
      Y,
      k,
      {sqrt(fma(least, least, kD5 * kD5)) - ik::kEnclose, sqrt(fma(most, most, kD5 * kD5)) + ik::kEnclose}};
}

// Over a range of psi.
class PsiBounds {
 public:
  BK_INLINE PsiBounds(const ik::Target& t, const ik::Limits& l, double phi, PsiRange range)
      : t(t), l(l), folded(range.folded), mirrored(range.mirrored) {
    half = 0.5 * range.width();
    const double middle = fma(double(2 * range.place + 1), half, -ik::kPi);
    double sh, ch;
    sine_and_cosine(middle, sine, cosine);
    sine_and_cosine(half, sh, ch);
    s0 = {phi - middle, half};
    const double c_ends[2] = {fma(cosine, ch, sine * sh), fms(cosine, ch, sine * sh)};
    const double s_ends[2] = {fms(sine, ch, cosine * sh), fma(sine, ch, cosine * sh)};
    L1 = {t.rho * ::fmin(c_ends[0], c_ends[1]) - ik::kEnclose,
          t.rho * ::fmax(c_ends[0], c_ends[1]) + ik::kEnclose};
    L2 = {t.rho * ::fmin(s_ends[0], s_ends[1]) - ik::kEnclose,
          t.rho * ::fmax(s_ends[0], s_ends[1]) + ik::kEnclose};
  }

  // A start for Newton's method, from the middle of what is open.
  BK_INLINE double middle_e0() const { return e0.c; }
  BK_INLINE ik::Point<ik::Oct> start() const {
    double s, c, s5, c5;
    sine_and_cosine(elbow, s, c);
    sine_and_cosine(theta5, s5, c5);
    return {c, s, c5, s5};
  }

  // No solution within the limits, whatever theta5?
  BK_INLINE bool nothing() {
    if (surely_outside(l, 0, s0)) return true;
    if (!place_elbow(any_offset())) return true;
    const bool open[2] = {!wrist_outside(0), !wrist_outside(1)};
    const Around first = w0;
    BK_NO_UNROLL for (int side = 0; side < 2; ++side) {
      if (!open[side]) continue;
      const double turned = side ? ik::kPi : 0.0;
      theta5 = first.c + turned;
      if (first.r > kWidest) return false;
      if (surely_outside(l, 4, {theta5, first.r})) continue;
      if (place_elbow(offset_of({theta5, first.r})) && !wrist_outside(side)) {
        // once more, by what is known now
        theta5 = w0.c + turned;
        if (!surely_outside(l, 4, {theta5, w0.r})) return false;
      }
    }
    return true;
  }

  // The same on each side of the wrist, of those in `sides` (bits); and where there may be one, how far it is from
  // `seed` at least (squared), e0, Theta' and theta5 in the middle, and whether each psi has one theta5 at the most.
  struct Side {
    bool open, steady;
    double least, elbow, theta5;
    Around e0;
  };
  BK_INLINE void look(const double* seed, unsigned sides, Side* out) {
    out[0].open = out[1].open = false;
    if (surely_outside(l, 0, s0) || !place_elbow(any_offset())) return;
    const bool open[2] = {(sides & 1) && !wrist_outside(0), (sides & 2) && !wrist_outside(1)};
    const Around first = w0;
    BK_NO_UNROLL for (int side = 0; side < 2; ++side) {
      if (!open[side]) continue;
      const double turned = side ? ik::kPi : 0.0;
      theta5 = first.c + turned;
      if (first.r <= kWidest) {
        if (surely_outside(l, 4, {theta5, first.r})) continue;
        if (!place_elbow(offset_of({theta5, first.r})) || wrist_outside(side)) continue;
        theta5 = w0.c + turned;
        if (surely_outside(l, 4, {theta5, w0.r})) continue;
      }
      out[side] = {true, first.r < kSteadiest, least_distance(seed, side), elbow, theta5, e0};
    }
  }

  // How near to `seed` a side of the wrist gets at least (squared), where theta5 is in one of kParts parts of its turn:
  // few of them agree with the w0 that they lead to. kNoLimit: not within the limits, or not nearer than `known`.
  static constexpr int kParts = 32;
  BK_INLINE double look_at_part(int part, const double* seed, int side, double known) {
    constexpr double wide = ik::kPi / kParts, narrow = 0.5 * wide;
    const double from = 2 * part * wide - ik::kPi;
    double least = ik::kNoLimit;
    if (!(of_part({from + wide, wide}, seed, side) < known)) return least;
    BK_NO_UNROLL for (int k = 0; k < 2; ++k) {
      const double bound = of_part({from + (2 * k + 1) * narrow, narrow}, seed, side);
      if (bound < known) least = ::fmin(least, bound);
    }
    return least;
  }

 private:
  static constexpr double kWidest = 1.2;  // [rad] of theta5: a wider one is not worth a second look
  static constexpr double kSteadiest = 0.8;  // [rad] that theta5 moves w0 by, with a slope below one

  const ik::Target& t;
  const ik::Limits& l;
  const bool folded, mirrored;
  double half, sine, cosine;  // of psi: half the range, and in the middle
  double elbow, theta5;       // Theta' and theta5, in the middle
  Range L1, L2;
  Around s0, e0, e1, theta2, w0;
  Around forearm;  // its angle with z7: w1 = bent + forearm, or bent - forearm

  // s1, e0 and e1, and w0 and the forearm from them; false if one of the joints is outside, or there is none.
  BK_INLINE bool place_elbow(const Offset& o) {
    const Range u = {(kA1 / kR3) * (t.l0 - L1.high), (kA1 / kR3) * (t.l0 - L1.low)};
    const Range c = times(u, 1.0 / o.R.high, 1.0 / o.R.low);
    if (c.low > 1.0 + ik::kEnclose || c.high < -1.0 - ik::kEnclose) return false;
    const Around size = around({arc_cos(c.high + ik::kEnclose), arc_cos(c.low - ik::kEnclose)});
    elbow = folded ? -size.c : size.c;
    const Around Theta = {elbow + kGamma, size.r + ik::kArcRounding};
    const Around lean = around({o.k.low * (1.0 / kD5), o.k.high * (1.0 / kD5)});  // of a5 c5, by its tangent
    e1 = {Theta.c - lean.c, Theta.r + lean.r + kLeanCubed};
    if (surely_outside(l, 3, e1)) return false;
    double sT, cT;
    sine_and_cosine(Theta.c, sT, cT);
    const double second = 0.5 * Theta.r * Theta.r;
    const Around R = around(o.R), Y = around(o.Y);
    const Around X = {fma(R.c, sT, kA3),
                      fma(o.R.high, fma(::fabs(cT), Theta.r, ::fabs(sT) * second), R.r) + ik::kEnclose};
    const Around Z = {fma(R.c, cT, kD3),
                      fma(o.R.high, fma(::fabs(sT), Theta.r, ::fabs(cT) * second), R.r) + ik::kEnclose};
    // s3 X + c3 Y = L2: with b = atan(Y / X), sin(e0 + b) = L2 / r for r = |(X, Y)| with the sign of X
    const double least = ::fabs(X.c) - X.r, most = ::fabs(X.c) + X.r;
    const bool any = least < ik::kAnyE0;
    const double near = ::fmax(least, ik::kAnyE0), sign = X.c < 0 ? -1.0 : 1.0;
    const double least_Y = ::fmax(::fabs(Y.c) - Y.r, 0.0), most_Y = ::fabs(Y.c) + Y.r;
    const double r_low = sqrt(fma(near, near, least_Y * least_Y)),
                 r_high = sqrt(fma(most, most, most_Y * most_Y));
    const Range sin_e = times(sign > 0 ? L2 : Range{-L2.high, -L2.low}, 1.0 / r_high, 1.0 / r_low);
    if (!any && (sin_e.low > 1.0 + ik::kEnclose || sin_e.high < -1.0 - ik::kEnclose)) return false;
    const Around turn = around(
        {ik::kHalfPi - arc_cos(sin_e.low - ik::kEnclose), ik::kHalfPi - arc_cos(sin_e.high + ik::kEnclose)});
    const double over = Y.c / (sign * ::fmax(::fabs(X.c), ik::kAnyE0));
    const Around b = {arc_tan(over, 1.0), (Y.r + ::fabs(over) * X.r) / near};
    e0 = {(mirrored ? ik::kPi - turn.c : turn.c) - b.c, any ? ik::kPi : turn.r + b.r + ik::kArcRounding};
    if (surely_outside(l, 2, e0)) return false;
    // |ux|^2 = r^2 - L2^2
    const double most_L2 = ::fmax(::fabs(L2.low), ::fabs(L2.high));
    const double least_L2 = L2.low > 0 ? L2.low : L2.high < 0 ? -L2.high : 0.0;
    const double u_low = sqrt(::fmax(fms(r_low, r_low, most_L2 * most_L2), 0.0));
    const double u_high = sqrt(::fmax(fms(r_high, r_high, least_L2 * least_L2), 0.0));
    const Around size_u = around({any ? -u_high : u_low, u_high});
    const double ux = ((sign < 0) == mirrored ? 1.0 : -1.0) * size_u.c;
    // theta2 = atan2(h, x1) + atan2(Z, ux)
    const Around x1 = around({L1.low - kA1, L1.high - kA1});
    const double length = sqrt(fma(ux, ux, Z.c * Z.c)), arm = sqrt(fma(t.h, t.h, x1.c * x1.c));
    const double off = sqrt(fma(size_u.r, size_u.r, Z.r * Z.r)) + ik::kEnclose;
    theta2 = {arc_tan(fma(t.h, ux, x1.c * Z.c), fms(x1.c, ux, t.h * Z.c)),
              arc_sin_bound(off / ::fmax(length, ik::kEnclose)) + turned_by(x1, arm)};
    if (surely_outside(l, 1, {theta2.c - ik::kHalfPi, theta2.r})) return false;
    enclose_wrist();
    return true;
  }

  // What atan2(h, x1) turns by: x1 moves along a line at |h|.
  BK_INLINE double turned_by(Around x1, double arm) const {
    const double nearest = ::fmax(arm - x1.r, 0.0), way = x1.r * ::fabs(t.h);
    const double by_height = way / ::fmax(arm * nearest, ik::kEnclose);  // tan, over both distances
    return x1.r < arm ? ::fmin(arc_sin_bound(x1.r / arm), by_height * (1 + by_height)) + ik::kEnclose
                      : ik::kPi;
  }

  // w1, on one of its sides, surely outside? w0 with it.
  BK_INLINE bool wrist_outside(int side) {
    const Around up = {kLineBent + forearm.c, forearm.r}, down = {kLineBent - forearm.c, forearm.r};
    const bool up_outside = surely_outside(l, 5, up), down_outside = surely_outside(l, 5, down);
    if (nearly_in_line() ? up_outside && down_outside : side ? down_outside : up_outside) return true;
    return surely_outside(l, 6, side ? Around{w2.c + ik::kPi, w2.r} : w2);
  }

  // From a seed, squared, by the joints as they are enclosed now.
  BK_INLINE double least_distance(const double* seed, int side) const {
    const double up = least_off(l, 5, {kLineBent + forearm.c, forearm.r}, seed[5]),
                 down = least_off(l, 5, {kLineBent - forearm.c, forearm.r}, seed[5]);
    const double off[7] = {least_off(l, 0, s0, seed[0]),
                           least_off(l, 1, {theta2.c - ik::kHalfPi, theta2.r}, seed[1]),
                           least_off(l, 2, e0, seed[2]),
                           least_off(l, 3, e1, seed[3]),
                           least_off(l, 4, {theta5, w0.r}, seed[4]),
                           nearly_in_line() ? ::fmin(up, down)
                           : side           ? down
                                            : up,
                           least_off(l, 6, {w2.c + (side ? ik::kPi : 0.0), w2.r}, seed[6])};
    return sum_of_squares(off);
  }

  // The same for one part of the turn of theta5.
  BK_INLINE double of_part(Around part, const double* seed, int side) {
    if (surely_outside(l, 4, part) || !place_elbow(offset_of(part))) return ik::kNoLimit;
    const double off = w0.c + (side ? ik::kPi : 0.0) - part.c;
    if (::fabs(off - 2 * ik::kPi * ::rint(off * (0.5 / ik::kPi))) > w0.r + part.r) return ik::kNoLimit;
    double s2, c2, s3, c3, s4, c4, s5, c5;
    sine_and_cosine(theta2.c, s2, c2);
    sine_and_cosine(e0.c, s3, c3);
    sine_and_cosine(e1.c, s4, c4);
    sine_and_cosine(part.c, s5, c5);
    double forward[3], across[3], along[3];  // of the hand's axes in those of the forearm, turned by theta5
    BK_UNROLL for (int i = 0; i < 3; ++i) {
      const double* d = t.axis[i];
      const double a = fms(d[0], cosine, d[1] * sine), e = fma(d[1], cosine, d[0] * sine);
      const double x = fma(c2, a, d[2] * s2), z = fms(s2, a, d[2] * c2);
      const double X = fma(c3, x, s3 * e), Y = fms(c3, e, s3 * x), ahead = fms(c4, X, s4 * z);
      forward[i] = fma(c5, ahead, s5 * Y), across[i] = fms(c5, Y, s5 * ahead), along[i] = fma(s4, X, c4 * z);
    }
    // The axes turn by what all joints before them do, and z7 by theta5 as far as it is off the forearm's axis.
    const double turned = theta2.r + e0.r + e1.r + half;
    const double lever = ::fmin(forearm.c + forearm.r + ik::kMostBent + turned, 1.0);
    const double size = sqrt(::fmax(fnma(across[2], across[2], 1.0), ik::kLeastForearm2));
    const Around w1 = {arc_tan(forward[2], along[2]),
                       arc_sin_bound(fma(part.r, lever, turned) / size) + ik::kSlack},
                 w2_here = {arc_tan(across[0], across[1]),
                            arc_sin_bound((turned + part.r) / size) + ik::kSlack};
    if (surely_outside(l, 5, w1) || surely_outside(l, 6, w2_here)) return ik::kNoLimit;
    const double of[7] = {
        least_off(l, 0, s0, seed[0]),     least_off(l, 1, {theta2.c - ik::kHalfPi, theta2.r}, seed[1]),
        least_off(l, 2, e0, seed[2]),     least_off(l, 3, e1, seed[3]),
        least_off(l, 4, part, seed[4]),   least_off(l, 5, w1, seed[5]),
        least_off(l, 6, w2_here, seed[6])};
    return sum_of_squares(of);
  }

  static BK_INLINE double sum_of_squares(const double* x) {
    double sum = 0;
    BK_UNROLL for (int k = 0; k < 7; ++k) sum = fma(x[k], x[k], sum);
    return sum;
  }

  // Where the hand is nearly in line with the forearm, w1 up or down may be on either side.
  BK_INLINE bool nearly_in_line() const {
    return forearm.c - forearm.r < ik::kMostBent || forearm.c + forearm.r > ik::kPi - ik::kMostBent;
  }

  Around w2;
  // atan(a5 / d5), to 1e-9: how far the forearm's line is off the axis of w0.
  static constexpr double kBend = kA5 / kD5, kLineBent = kBend * (1 - kBend * kBend / 3), kBentError = 1e-8;
  static constexpr double kLeanCubed = 6.5e-6;  // [rad] x - atan x at the most, a5 / d5

  BK_INLINE void enclose_wrist() {
    double s2, c2, s3, c3, s4, c4;
    sine_and_cosine(theta2.c, s2, c2);
    sine_and_cosine(e0.c, s3, c3);
    sine_and_cosine(e1.c, s4, c4);
    const double x = fma(c2, kA3 * c3, fma(s2, kD3, kA1)), y = kA3 * s3, down = fms(s2, kA3 * c3, kD3 * c2);
    const double fx = fms(t.rho, cosine, x), fy = fms(t.rho, sine, y), fz = t.h - down;
    const double length = sqrt(::fmax(fma(fx, fx, fma(fy, fy, fz * fz)), ik::kLeastForearm2));
    const auto along = [&](const double* d, double& dx, double& dy) {
      dx = fms(d[0], cosine, d[1] * sine), dy = fma(d[1], cosine, d[0] * sine);
      return fma(fx, dx, fma(fy, dy, fz * d[2])) / length;
    };
    double zx, zy, dx, dy;
    const double with_z = along(t.axis[2], zx, zy);
    // The wrist stays, so that the forearm turns by no more than the elbow moves over r5.
    const double moved = fma(kR3, theta2.r, fma(kA3, e0.r, (kA1 + kR3) * half));
    const double error = arc_sin_bound(moved * (1.0 / kR5)) + kBentError;
    const double angle = arc_cos(with_z);
    forearm = around({::fmax(angle - error, 0.0), ::fmin(angle + error, ik::kPi)});
    // z4, which is the forearm's line but for what it is bent by, is (-s6 c7, s6 s7, c6) in the axes of the hand.
    const double tilt = sqrt(::fmax(fnma(with_z, with_z, 1.0), ik::kLeastForearm2));
    w2 = {0, ik::kPi};
    if (error + ik::kMostBent < tilt) {
      const double with_x = along(t.axis[0], dx, dy), with_y = along(t.axis[1], dx, dy);
      w2 = {arc_tan(with_y, -with_x), arc_sin_bound((error + ik::kMostBent) / tilt) + ik::kSlack};
    }
    // z7 in the axes of the forearm, which are off by what all joints before them are.
    const double x0 = fma(c2, zx, t.axis[2][2] * s2), z0 = fms(s2, zx, t.axis[2][2] * c2);
    const double wX = fma(c3, x0, s3 * zy), wY = fms(c3, zy, s3 * x0);
    const double alpha = fms(c4, wX, s4 * z0);
    const double sideways = sqrt(::fmax(fma(alpha, alpha, wY * wY), ik::kLeastForearm2));
    w0 = {arc_tan(wY, alpha), arc_sin_bound((theta2.r + e0.r + e1.r + half) / sideways) + ik::kSlack};
  }
};

// What a look at all ranges comes to.
enum Proof { kInfeasible, kFeasible, kOpen };

// Ranges of psi, until none is open, `solve(bounds)` finds a solution in one for some thread of the warp, or one
// is open that is not halved any more. All threads of a warp come here; `stack` is the warp's own.
constexpr unsigned kStack = 384;  // ranges that wait, at most
constexpr double kPsiRadius = 1e-3;  // [m] of the wrist from the s0 axis: nearer to it psi says little
template <class Solve>
BK_INLINE Proof look_everywhere(const ik::Target& t, const ik::Limits& l, unsigned* stack,
                                const Solve& solve) {
  constexpr unsigned places = 1u << kFirstLevel;
  if (t.rho < kPsiRadius) return kOpen;
  const double phi = arc_tan(t.sin_phi, t.cos_phi), width = PsiRange{}.width();
  unsigned count = 0;
  for (unsigned first = 0; first < places; first += kLanes) {
    const unsigned place = first + own_lane();
    const Around s0 = {phi + ik::kPi - (place + 0.5) * width, 0.5 * width};
    const bool open = !surely_outside(l, 0, s0);
    const unsigned who = which_of_warp(open), at = count + 4 * count_before(who);
    if (open) {
      for (unsigned k = 0; k < 4; ++k) stack[at + k] = PsiRange{place, 0, k >> 1, k & 1}.bits();
    }
    count += 4 * count_bits(who);
  }
  sync_warp();
  while (count) {
    const unsigned n = count < kLanes ? count : kLanes;
    const bool mine = unsigned(own_lane()) < n;
    const PsiRange range = PsiRange::of(stack[count - n + (mine ? own_lane() : 0)]);
    sync_warp();
    count -= n;
    PsiBounds bounds(t, l, phi, range);
    const bool open = mine && !bounds.nothing();
    const unsigned who = which_of_warp(open);
    // Every other level: what is open may be feasible.
    const bool tries = open && range.level % 2;
    if (any_of_warp(tries) && any_of_warp(tries && solve(bounds))) return kFeasible;
    if (any_of_warp(open && range.level == kDeepest) || count + 2 * count_bits(who) > kStack) return kOpen;
    if (open) {
      const unsigned at = count + 2 * count_before(who);
      stack[at] = range.half(0).bits(), stack[at + 1] = range.half(1).bits();
    }
    count += 2 * count_bits(who);
    sync_warp();
  }
  return kInfeasible;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
