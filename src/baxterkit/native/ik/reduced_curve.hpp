// The self-motion in three unknowns, e0, Theta' and theta5: Newton's method towards the curve (1), (2)
// in eight lanes, and the joint angles and the tangent on it.
//
// A step costs a seventh of one in joint space (joint_newton.hpp). With the wrist on the s0 axis
// (rho = 0) the unknowns say nothing of s0, and with a lost rank the tangent comes out as zero: such
// lanes are reported, and are for the joint space.
#pragma once

#include "../generated/kinematics.hpp"
#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLongestSlide = 0.2;    // [rad] of one Newton step in one of the three unknowns
constexpr double kLeastDet = 1e-12;      // determinant that is divided by, at least
constexpr double kLeastTangent = 1e-6;   // manipulability below which a tangent is no good
// Squared residuals before a step that leave rounding after it: of a Newton step, whose error is
// squared, and of one with the derivatives of an earlier step.
constexpr double kQuadratic2 = 1e-14, kLinear2 = 1e-19;
constexpr int kSlideSteps = 3;  // Newton steps after the first one, at most
// Steps with the derivatives of an earlier one: after the second Newton step, and after each later one.
constexpr int kFirstFollowUps = 2, kFollowUps = 1;

BK_INLINE Oct fnms(Oct a, Oct b, Oct c) { return -fma(a, b, c); }

// A number with its derivatives by Theta', theta5 and e0.
struct Dual3 {
  Oct v, a, b, e;
};
BK_INLINE Dual3 operator+(Dual3 x, Dual3 y) { return {x.v + y.v, x.a + y.a, x.b + y.b, x.e + y.e}; }
BK_INLINE Dual3 operator-(Dual3 x, Dual3 y) { return {x.v - y.v, x.a - y.a, x.b - y.b, x.e - y.e}; }
BK_INLINE Dual3 operator*(Dual3 x, Dual3 y) {
  return {x.v * y.v, fma(x.v, y.a, x.a * y.v), fma(x.v, y.b, x.b * y.v), fma(x.v, y.e, x.e * y.v)};
}
BK_INLINE Dual3 operator*(double x, Dual3 y) { return {x * y.v, x * y.a, x * y.b, x * y.e}; }
BK_INLINE Dual3 operator+(double x, Dual3 y) { return {x + y.v, y.a, y.b, y.e}; }
BK_INLINE Dual3 operator-(double x, Dual3 y) { return {x - y.v, -y.a, -y.b, -y.e}; }
BK_INLINE Dual3 fma(Dual3 x, Dual3 y, Dual3 z) { return x * y + z; }
BK_INLINE Dual3 inverse(Dual3 x) {
  const Oct r = 1.0 / x.v, d = -(r * r);
  return {r, d * x.a, d * x.b, d * x.e};
}
BK_INLINE Dual3 sqrt(Dual3 x) {
  const Oct r = sqrt(x.v), d = 0.5 / r;
  return {r, d * x.a, d * x.b, d * x.e};
}

// Eight points next to the curve.
struct Beads {
  Oct e0, c3, s3;
  Point<Oct> p;
};

inline Beads beads_of(const Joints8& j) {
  Beads x;
  x.e0 = j.q[2];
  sincos(j.q[2], &x.s3, &x.c3);
  sincos(j.q[4], &x.p.s5, &x.p.c5);
  Oct s4, c4;
  sincos(j.q[3], &s4, &c4);
  // Theta' = theta4 + atan2(k, d5) - gamma
  const Oct k = kA5 * x.p.c5, scale = 1.0 / sqrt(fma(k, k, Oct(kD5 * kD5)));
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

// Moves eight points by that much, but no farther than kLongestSlide.
BK_INLINE void move_beads(const Response& k, Oct r1, Oct r2, Beads* x) {
  Oct d[3], longest(0.0);
  for (int i = 0; i < 3; ++i) {
    d[i] = fma(r1, k.to_length[i], r2 * k.to_f[i]);
    longest = max(longest, abs(d[i]));
  }
  const Oct shrink = select(Oct(kLongestSlide) < longest, kLongestSlide / longest, Oct(1.0));
  turn(&x->p.c, &x->p.s, d[0] * shrink);
  turn(&x->p.c5, &x->p.s5, d[1] * shrink);
  turn(&x->c3, &x->s3, d[2] * shrink);
  x->e0 = fma(d[2], shrink, x->e0);
}

// One Newton step. Returns the squared residual before it.
inline Oct slide_step(const Target& t, const Oct* n, Beads* x, Response* response) {
  const Oct zero(0.0);
  const Point<Dual3> p = {{x->p.c, -x->p.s, zero, zero}, {x->p.s, x->p.c, zero, zero},
                          {x->p.c5, zero, -x->p.s5, zero}, {x->p.s5, zero, x->p.c5, zero}};
  const Dual3 c3 = {x->c3, zero, zero, -x->s3}, s3 = {x->s3, zero, zero, x->c3};
  const Reduced<Dual3> r = evaluate<Dual3, Dual3>(t, c3, s3, p);
  const Oct r1 = r.length.v - t.rho, r2 = r.f.v;
  const Oct g[3] = {r.length.a, r.length.b, r.length.e}, h[3] = {r.f.a, r.f.b, r.f.e};
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
  const Reduced<Oct> r = evaluate<Oct, Oct>(t, x->c3, x->s3, x->p);
  const Oct r1 = r.length - t.rho, r2 = r.f;
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

// Joint angles (e0 as it is, the others in (-pi, pi]) and unit tangents of points on the curve.
struct OnCurve {
  Joints8 j;
  Oct tangent[7];
  Oct size;  // manipulability; the tangent is good where it is not nearly zero
};

inline OnCurve on_curve(const Target& t, const Beads& x) {
  const Reduced<Oct> r = evaluate<Oct, Oct>(t, x.c3, x.s3, x.p);
  OnCurve out;
  Oct s[7], c[7];
  s[0] = t.sin_phi * r.cos_psi - t.cos_phi * r.sin_psi;
  c[0] = t.cos_phi * r.cos_psi + t.sin_phi * r.sin_psi;
  s[1] = -r.c2, c[1] = r.s2;
  s[2] = x.s3, c[2] = x.c3;
  s[3] = r.s4, c[3] = r.c4;
  s[4] = x.p.s5, c[4] = x.p.c5;
  s[5] = fma(x.p.c5, r.alpha, x.p.s5 * r.beta), c[5] = r.along;
  for (int i = 0; i < 2; ++i) {
    const Direction<Oct, Oct> w =
        in_e0_axes<Oct, Oct>(t.axis[i], r.cos_psi, r.sin_psi, r.c2, r.s2, x.c3, x.s3);
    (i == 0 ? s : c)[6] = x.p.c5 * w.Y - x.p.s5 * (r.c4 * w.X - r.s4 * w.Z);
  }
  for (int k = 0; k < 7; ++k) out.j.q[k] = k == 2 ? x.e0 : atan2(s[k], c[k]);
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
  Beads x = beads_of(from);
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
