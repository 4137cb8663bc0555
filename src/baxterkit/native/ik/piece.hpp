// A piece of curve between two points with their tangents.
#pragma once

#include "self_motion.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kPieceRounding = 1e-12;  // [rad] that margins have on top
constexpr double kPieceError = 1e-11;     // sum of pose errors [m and 1] of a point on the curve
constexpr double kAlongChord = 0.2;  // cosine of tangent and chord that slopes are reckoned with, at least
constexpr double kSlidSideways =
    10;  // margins: a point that is found farther from the cubic is looked for again
constexpr int kPieceSteps = 7;  // of Newton's method towards a point on the curve

constexpr double kStill = 0.05;  // share of the piece's length that a joint moves by at least, or is still

struct CurvePoint {
  double q[7];
  double tangent[7];  // along the interval
};

// A piece of curve from a to b; slopes by the parameter u in [0, 1] along the chord.
struct Piece {
  CurvePoint a, b;
  double chord[7], length;
  double slope_a[7], slope_b[7];
  double margin;  // how far the curve may stray from the cubic
  double stray[7];  // the same by joints: one that hardly moves strays by less
};

inline Piece make_piece(const CurvePoint& a, const CurvePoint& b) {
  Piece p;
  p.a = a, p.b = b;
  double l2 = 0, along_a = 0, along_b = 0;
  for (int k = 0; k < 7; ++k) {
    p.chord[k] = wrap_angle(b.q[k] - a.q[k]);
    l2 += p.chord[k] * p.chord[k];
    along_a += p.chord[k] * a.tangent[k];
    along_b += p.chord[k] * b.tangent[k];
  }
  p.length = __builtin_sqrt(l2);
  // a piece may have no length, where curves only touch the limits
  const double least = max(kAlongChord * p.length, kTiny);
  const double sa = l2 / max(along_a, least), sb = l2 / max(along_b, least);
  double misfit = 0, own[7];
  for (int k = 0; k < 7; ++k) {
    p.slope_a[k] = sa * a.tangent[k];
    p.slope_b[k] = sb * b.tangent[k];
    own[k] = __builtin_fabs(p.chord[k] - 0.5 * (p.slope_a[k] + p.slope_b[k]));
    misfit = max(misfit, own[k]);
  }
  p.margin = 0.5 * misfit + kPieceRounding;
  const double still = max(kStill * p.length, kTiny);
  for (int k = 0; k < 7; ++k) {
    const double rise = max(__builtin_fabs(p.slope_a[k]), __builtin_fabs(p.slope_b[k]));
    const double moves = max(__builtin_fabs(p.chord[k]), rise);
    p.stray[k] =
        moves < still ? min(p.margin, 0.5 * (misfit * (moves / still) + own[k]) + kPieceRounding) : p.margin;
  }
  return p;
}

inline double cubic_at(const Piece& p, int k, double u) {
  const double v = 1 - u;
  return p.a.q[k] + u * u * (3 - 2 * u) * p.chord[k] + u * v * (v * p.slope_a[k] - u * p.slope_b[k]);
}

// The exact point of a piece near u: in the plane across the chord, or with joint `held` fixed at
// `value`. False if Newton does not reach it.
inline bool point_of(const Target& t, const Piece& p, double u, int held, double value, CurvePoint* out) {
  Joints8 j;
  Oct w[7], tangent[7];
  for (int k = 0; k < 7; ++k) {
    const bool fixed = k == held;
    j.q[k] = Oct(fixed ? value : cubic_at(p, k, u));
    const double across = p.length > 0 ? p.chord[k] / p.length : p.a.tangent[k];
    w[k] = Oct(held < 0 ? across : (fixed ? (p.chord[k] < 0 ? -1.0 : 1.0) : 0.0));
  }
  // Until the error before a step is at rounding: the tangent there is that of the point itself.
  bool good = false;
  double b[kOct], forward = 0;
  for (int i = 0; i < kPieceSteps && !good; ++i) {
    newton_in_plane(t, w, 1, &j, tangent).store(b);
    good = b[0] < kPieceError;
  }
  for (int k = 0; k < 7; ++k) {
    j.q[k].store(b);
    out->q[k] = k == held ? value : b[0];
    tangent[k].store(b);
    out->tangent[k] = b[0];
    forward += b[0] * p.chord[k];
  }
  if (forward < 0) {
    for (int k = 0; k < 7; ++k) out->tangent[k] = -out->tangent[k];
  }
  for (int k = 0; k < 7; ++k) out->q[k] = wrap_joint(t, k, out->q[k]);
  return good;
}

// An exact point of a piece next to u, wherever it is found soonest: in another plane than that across the
// chord, or in that one.
inline bool point_near(const Target& t, const Piece& p, double u, CurvePoint* out) {
  if (t.rho > kClearOfAxis) {
    Joints8 j;
    Oct w[7], off(0.0);
    for (int k = 0; k < 7; ++k)
      j.q[k] = Oct(cubic_at(p, k, u)), w[k] = Oct(p.chord[k] / max(p.length, kTiny));
    OnCurve x;
    const unsigned exact = slide_to_curve(t, j, w, 1u, &x);
    for (int k = 0; k < 7; ++k) off = max(off, abs(x.j.q[k] - j.q[k]));
    if (exact & (off < Oct(kSlidSideways * p.margin)).bits() & 1u) {
      double b[kOct];
      for (int k = 0; k < 7; ++k) {
        x.j.q[k].store(b);
        out->q[k] = wrap_joint(t, k, b[0]);
        x.tangent[k].store(b);
        out->tangent[k] = b[0];
      }
      return true;
    }
  }
  return point_of(t, p, u, -1, 0, out);
}

inline CurvePoint oriented(const MotionNode& n, bool forward) {
  CurvePoint p;
  for (int k = 0; k < 7; ++k) p.q[k] = n.q[k], p.tangent[k] = forward ? n.tangent[k] : -n.tangent[k];
  return p;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
