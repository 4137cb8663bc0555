// The self-motion in three unknowns, e0, Theta' and theta5: Newton's method towards the curve (1), (2)
// in eight lanes, and the joint angles and the tangent on it.
//
// A step costs a tenth of one in joint space (joint_newton.hpp). With the wrist on the s0 axis
// (rho = 0) the unknowns say nothing of s0, and with a lost rank the tangent comes out as zero: such
// lanes are reported, and are for the joint space.
#pragma once

#include "../generated/kinematics.hpp"
#include "polynomials.hpp"
#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kClearOfAxis = 0.01;  // [m] distance of the wrist from the s0 axis beyond which they serve
constexpr double kLongestSlide = 0.2;  // [rad] of one Newton step in one of the three unknowns
constexpr double kLeastDet = 1e-12;  // determinant that is divided by, at least
constexpr double kLeastTangent = 1e-6;  // manipulability below which a tangent is no good
// Squared residuals before a step that leave rounding after it: of a Newton step, whose error is
// squared, and of one with the derivatives of an earlier step.
constexpr double kQuadratic2 = 1e-14, kLinear2 = 1e-19;
constexpr int kSlideSteps = 3;  // Newton steps after the first one, at most
// Steps with the derivatives of an earlier one: after the second Newton step, and after each later one.
constexpr int kFirstFollowUps = 2, kFollowUps = 1;

BK_INLINE Oct fnms(Oct a, Oct b, Oct c) { return -fma(a, b, c); }

// Eight points next to the curve.
struct Beads {
  TaskLanes task;  // with e0
  Point<Oct> p;
};

inline Beads beads_of(const Target& t, const Joints8& j) {
  Beads x;
  Oct s3, c3, s4, c4;
  sincos(j.q[2], &s3, &c3);
  x.task = same_task(t, c3, s3);
  sincos(j.q[4], &x.p.s5, &x.p.c5);
  sincos(j.q[3], &s4, &c4);
  // Theta' = theta4 + atan2(k, d5) - gamma
  const Oct k = kA5 * x.p.c5, scale = 1.0 / forearm_length(k);
  const Oct cb = (kD5 * scale) * kCosGamma + (k * scale) * kSinGamma;
  const Oct sb = (k * scale) * kCosGamma - (kD5 * scale) * kSinGamma;
  x.p.c = c4 * cb - s4 * sb;
  x.p.s = s4 * cb + c4 * sb;
  return x;
}

// How (Theta', theta5, e0) answer to the residuals of (1) and (2) within the planes n . x = const.
struct Response {
  Oct to_length[3], to_f[3];
};

// Turns (c, s) by atan(d), |d| <= kLongestSlide.
BK_INLINE void turn_by(Oct d, Oct* c, Oct* s) {
  const Oct c1 = fnma(*s, d, *c), s1 = fma(*c, d, *s);
  const Oct off = fma(c1, c1, fma(s1, s1, Oct(-1.0)));
  // 1 / sqrt(1 + off), to 1e-8 after the longest turn, and to rounding after the next one
  const Oct third = fma(Oct(35.0 / 128), off, Oct(-5.0 / 16));
  const Oct scale = fma(fma(fma(third, off, Oct(0.375)), off, Oct(-0.5)), off, Oct(1.0));
  *c = c1 * scale, *s = s1 * scale;
}

// Moves eight points by that much, but no farther than kLongestSlide.
BK_INLINE void move_beads(const Response& k, Oct r1, Oct r2, Beads* x) {
  Oct d[3], longest(0.0);
  for (int i = 0; i < 3; ++i) {
    d[i] = fma(r1, k.to_length[i], r2 * k.to_f[i]);
    longest = max(longest, abs(d[i]));
  }
  const Oct shrink = select(Oct(kLongestSlide) < longest, kLongestSlide / longest, Oct(1.0));
  turn_by(d[0] * shrink, &x->p.c, &x->p.s);
  turn_by(d[1] * shrink, &x->p.c5, &x->p.s5);
  turn_by(d[2] * shrink, &x->task.c3, &x->task.s3);
}

// The residuals of (1) and (2) over rho, rho D R: next to the curve |L| - rho and f.
BK_INLINE void residuals(const Target& t, const WristAt& v, Oct* r1, Oct* r2, Oct* of_f) {
  const double of_g = 1 / t.rho;
  *of_f = of_g / (v.D * v.R);
  *r1 = v.g * of_g, *r2 = v.f * *of_f;
}

// One Newton step. Returns the squared residual before it.
inline Oct slide_step(const Target& t, const Oct* n, Beads* x, Response* response) {
  const WristAt v = wrist_at(x->task, x->p);
  Oct g[3], h[3], r1, r2, of_f;
  residuals(t, v, &r1, &r2, &of_f);
  wrist_derivatives(x->task, x->p, v, g, h);
  by_e0(x->task, x->p, v, &g[2], &h[2]);
  for (int i = 0; i < 3; ++i) g[i] = g[i] * (1 / t.rho), h[i] = h[i] * of_f;
  for (int i = 0; i < 3; ++i) {  // h x n and n x g
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    response->to_length[i] = fma(h[j], n[k], -(h[k] * n[j]));
    response->to_f[i] = fma(n[j], g[k], -(n[k] * g[j]));
  }
  const Oct* hn = response->to_length;
  const Oct det = fma(g[0], hn[0], fma(g[1], hn[1], g[2] * hn[2]));
  const Oct scale = -1.0 / select(abs(det) < Oct(kLeastDet), Oct(kLeastDet), det);
  for (int i = 0; i < 3; ++i) {
    response->to_length[i] = response->to_length[i] * scale;
    response->to_f[i] = response->to_f[i] * scale;
  }
  move_beads(*response, r1, r2, x);
  return fma(r1, r1, r2 * r2);
}

// One step with the response of an earlier one.
inline Oct follow_up(const Target& t, const Response& response, Beads* x) {
  Oct r1, r2, of_f;
  residuals(t, wrist_at(x->task, x->p), &r1, &r2, &of_f);
  move_beads(response, r1, r2, x);
  return fma(r1, r1, r2 * r2);
}

// Unnormalised directions of self-motion from sines and cosines of the joints; their length is the
// manipulability sqrt(det(J J')).
BK_INLINE Oct null_vectors(const Oct* s, const Oct* c, Oct* direction) {
  generated::null_vector(s, c, direction);
  Oct square = direction[0] * direction[0];
  for (int k = 1; k < 7; ++k) square = fma(direction[k], direction[k], square);
  return sqrt(square);
}

// Joint angles, in (-pi, pi], and unit tangents of points on the curve.
struct OnCurve {
  Joints8 j;
  Oct tangent[7];
  Oct size;  // manipulability; the tangent is good where it is not nearly zero
};

inline OnCurve on_curve(const Target& t, const Beads& x) {
  const WristAt v = wrist_at(x.task, x.p);
  OnCurve out;
  wrist_angles(x.task, x.p, v, out.j.q);
  out.j.q[2] = atan2(x.task.s3, x.task.c3);
  // The sines and cosines of the joints that matter: at a solution the lengths are known.
  const Oct both = 1.0 / (v.D * v.R), of_D = both * v.R, of_R = both * v.D, of_f = both * (1 / t.rho);
  Oct s[7], c[7];
  s[1] = -(v.C2 * of_D), c[1] = v.S2 * of_D;
  s[2] = x.task.s3, c[2] = x.task.c3;
  s[3] = v.s4 * of_R, c[3] = v.c4 * of_R;
  s[4] = x.p.s5, c[4] = x.p.c5;
  s[5] = fma(x.p.c5, v.alpha, x.p.s5 * (v.R * v.wY)) * of_f;
  c[5] = fma(v.s4, v.wX, v.c4 * v.z) * of_f;
  out.size = null_vectors(s, c, out.tangent);
  const Oct scale = 1.0 / max(out.size, Oct(kTiny));
  for (int k = 0; k < 7; ++k) out.tangent[k] = out.tangent[k] * scale;
  return out;
}

// Unit directions of self-motion at eight joint vectors, towards increasing e0. Returns the lanes where
// they are good.
inline unsigned unit_tangents(const Joints8& j, Oct* tangent) {
  Oct s[7], c[7];
  for (int k = 1; k < 6; ++k) sincos(j.q[k], &s[k], &c[k]);
  const Oct size = null_vectors(s, c, tangent);
  const Oct scale = copysign_of(1.0 / max(size, Oct(kTiny)), tangent[2]);
  for (int k = 0; k < 7; ++k) tangent[k] = tangent[k] * scale;
  return (Oct(kLeastTangent) < size).bits();
}

// The curve next to eight joint vectors, within planes w . q = const of which only the parts along
// e0, e1 and w0 count. Returns the lanes where it was reached; `out` has the joints next to where
// they came from, whole turns left aside, and tangents on the side of w.
inline unsigned slide_to_curve(const Target& t, const Joints8& from, const Oct* w, unsigned lanes,
                               OnCurve* out) {
  Beads x = beads_of(t, from);
  const Oct n[3] = {w[3], w[4], w[2]};
  // Newton steps, and after the second one further steps with its derivatives; until what a step has
  // left must be at rounding.
  Response response;
  unsigned exact = (slide_step(t, n, &x, &response) < Oct(kQuadratic2)).bits();
  for (int i = 0; i < kSlideSteps && (lanes & ~exact); ++i) {
    exact = (slide_step(t, n, &x, &response) < Oct(kQuadratic2)).bits();
    for (int k = 0; k < (i == 0 ? kFirstFollowUps : kFollowUps) && (lanes & ~exact); ++k) {
      exact = (follow_up(t, response, &x) < Oct(kLinear2)).bits();
    }
  }
  *out = on_curve(t, x);
  Oct along(0.0);
  for (int k = 0; k < 7; ++k) {
    const Oct turns = nearest((from.q[k] - out->j.q[k]) * (0.5 / kPi));
    out->j.q[k] = fma(turns, Oct(2.0 * kPi), out->j.q[k]);
    along = fma(w[k], out->tangent[k], along);
  }
  for (int k = 0; k < 7; ++k) out->tangent[k] = copysign_of(Oct(1.0), along) * out->tangent[k];
  return exact & (Oct(kLeastTangent) < out->size).bits();
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
