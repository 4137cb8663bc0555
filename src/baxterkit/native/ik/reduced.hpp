// Two equations in two unknowns: the inverse kinematics with e0 given.
//
// With Y = a5 s5, k = a5 c5 the wrist lies at R = sqrt(d5^2 + k^2) from the elbow, in the plane
// of the upper arm, at the angle Theta = theta4 + atan2(k, d5). Counted from the stretched elbow,
// Theta' = Theta - gamma, the wrist in the axes of joint e0 is
//
//     X = a3 + R sin Theta,  Y,  Z = d3 + R cos Theta,
//     L1 = l0 - (r3 R / a1) cos Theta',   L2 = s3 X + c3 Y,
//     l0 = (rho^2 + h^2 + a1^2 - r3^2 - r5^2) / (2 a1)
//
// and the wrist centre is reached where |L| = rho (1). L is the wrist in the horizontal axes of
// s0: psi = atan2(L2, L1) = phi - theta1. Since R depends on c5^2 only, (1) depends on theta5
// through s5 alone, and for a given s5 it is a quartic in tan(Theta'/2).
// The second equation, f = z5 . z7 = c5 beta - s5 alpha = 0 (2), says that the w1 axis is normal
// to the target's z axis; alpha and beta are z7 along x4 and y4, alpha^2 + beta^2 = sin^2 w1.
#pragma once

#include "geometry.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// A number with its derivatives by the two unknowns (Theta', theta5).
struct Dual {
  Oct v, a, b;
};
BK_INLINE Dual operator+(Dual x, Dual y) { return {x.v + y.v, x.a + y.a, x.b + y.b}; }
BK_INLINE Dual operator-(Dual x, Dual y) { return {x.v - y.v, x.a - y.a, x.b - y.b}; }
BK_INLINE Dual operator-(Dual x) { return {-x.v, -x.a, -x.b}; }
BK_INLINE Dual operator*(Dual x, Dual y) {
  return {x.v * y.v, fma(x.v, y.a, x.a * y.v), fma(x.v, y.b, x.b * y.v)};
}
BK_INLINE Dual operator*(double x, Dual y) { return {x * y.v, x * y.a, x * y.b}; }
BK_INLINE Dual operator*(Oct x, Dual y) { return {x * y.v, x * y.a, x * y.b}; }
BK_INLINE Dual operator+(double x, Dual y) { return {x + y.v, y.a, y.b}; }
BK_INLINE Dual operator-(double x, Dual y) { return {x - y.v, -y.a, -y.b}; }
BK_INLINE Dual fma(Dual x, Dual y, Dual z) {
  return {fma(x.v, y.v, z.v), fma(x.v, y.a, fma(x.a, y.v, z.a)), fma(x.v, y.b, fma(x.b, y.v, z.b))};
}
BK_INLINE Dual fnma(Dual x, Dual y, Dual z) {
  return {fnma(x.v, y.v, z.v), fnma(x.v, y.a, fnma(x.a, y.v, z.a)), fnma(x.v, y.b, fnma(x.b, y.v, z.b))};
}
BK_INLINE Dual inverse(Dual x) {
  const Oct r = 1.0 / x.v;
  const Oct d = -(r * r);
  return {r, d * x.a, d * x.b};
}
BK_INLINE Dual sqrt(Dual x) {
  const Oct r = sqrt(x.v);
  const Oct d = 0.5 / r;
  return {r, d * x.a, d * x.b};
}
BK_INLINE Oct inverse(Oct x) { return 1.0 / x; }

// The unknowns of eight points, as cosines and sines.
template <class S>
struct Point {
  S c, s;    // Theta'
  S c5, s5;  // theta5
};

// Everything that (1) and (2) need at a point, and the axes for the angles afterwards.
template <class S>
struct Reduced {
  S L1, L2, length;      // |L|
  S cos_psi, sin_psi;
  S c2, s2;              // theta2' = q2 + pi/2
  S c4, s4;
  S alpha, beta, along;  // z7 along x4, y4 and z4
  S f;
};

// A direction given by its (radial, tangential, down) parts, in the axes X, Y, Z of joint e0.
template <class S, class C>
struct Direction {
  S X, Y, Z;
};
template <class S, class C>
BK_INLINE Direction<S, C> in_e0_axes(const double* d, S cos_psi, S sin_psi, S c2, S s2, C c3, C s3) {
  const S a = d[0] * cos_psi - d[1] * sin_psi;
  const S e = d[1] * cos_psi + d[0] * sin_psi;
  const S x = fma(c2, a, d[2] * s2);
  const S z = s2 * a - d[2] * c2;
  return {c3 * x + s3 * e, c3 * e - s3 * x, z};
}

// theta4 from Theta, z7 along the forearm's axes from z7 = w in the axes of joint e0, and (2).
template <class S, class C>
BK_INLINE void set_forearm(const Direction<S, C>& w, S sin_theta, S cos_theta, S k, S inverse_R, S c5, S s5,
                           Reduced<S>* r) {
  r->c4 = (kD5 * cos_theta + k * sin_theta) * inverse_R;
  r->s4 = (kD5 * sin_theta - k * cos_theta) * inverse_R;
  r->alpha = r->c4 * w.X - r->s4 * w.Z;
  r->along = fma(r->s4, w.X, r->c4 * w.Z);
  r->beta = w.Y;
  r->f = c5 * r->beta - s5 * r->alpha;
}

// `c3`, `s3` are cos and sin of e0: plain numbers, or eight of them.
template <class S, class C>
BK_INLINE Reduced<S> evaluate(const Target& t, C c3, C s3, const Point<S>& p) {
  Reduced<S> r;
  const S Y = kA5 * p.s5, k = kA5 * p.c5;
  const S R = sqrt(kD5 * kD5 + k * k);
  const S sin_theta = kCosGamma * p.s + kSinGamma * p.c;
  const S cos_theta = kCosGamma * p.c - kSinGamma * p.s;
  const S X = kA3 + R * sin_theta;
  const S Z = kD3 + R * cos_theta;
  r.L1 = t.l0 - (kR3 / kA1) * (R * p.c);
  r.L2 = s3 * X + c3 * Y;
  const S ux = c3 * X - s3 * Y;
  r.length = sqrt(fma(r.L1, r.L1, r.L2 * r.L2));
  const S x1 = -kA1 + r.L1;
  // One division for 1/|L|, 1/|(x1, h)|^2 and 1/R.
  const S D = t.h * t.h + x1 * x1;
  const S LD = r.length * D;
  const S all = inverse(LD * R);
  const S inverse_length = all * (D * R);
  const S inverse_D = all * (r.length * R);
  const S inverse_R = all * LD;
  r.cos_psi = r.L1 * inverse_length;
  r.sin_psi = r.L2 * inverse_length;
  r.c2 = (ux * x1 - t.h * Z) * inverse_D;
  r.s2 = (t.h * ux + Z * x1) * inverse_D;
  const Direction<S, C> w = in_e0_axes<S, C>(t.axis[2], r.cos_psi, r.sin_psi, r.c2, r.s2, c3, s3);
  set_forearm(w, sin_theta, cos_theta, k, inverse_R, p.c5, p.s5, &r);
  return r;
}

// Joint angles of eight points that satisfy (1) and (2), and what they were evaluated to.
template <class C>
inline Joints8 joints_of(const Target& t, C c3, C s3, Oct e0, const Point<Oct>& p, const Reduced<Oct>& r) {
  Joints8 j;
  // theta1 = phi - psi
  j.q[0] =
      atan2(t.sin_phi * r.cos_psi - t.cos_phi * r.sin_psi, t.cos_phi * r.cos_psi + t.sin_phi * r.sin_psi);
  j.q[1] = atan2(-r.c2, r.s2);
  j.q[2] = e0;
  j.q[3] = atan2(r.s4, r.c4);
  j.q[4] = atan2(p.s5, p.c5);
  j.q[5] = atan2(fma(p.c5, r.alpha, p.s5 * r.beta), r.along);
  // x7 . z5 = sin theta7, y7 . z5 = cos theta7, z5 = -s5 x4 + c5 y4
  Oct part[2];
  for (int i = 0; i < 2; ++i) {
    const Direction<Oct, C> w = in_e0_axes<Oct, C>(t.axis[i], r.cos_psi, r.sin_psi, r.c2, r.s2, c3, s3);
    part[i] = p.c5 * w.Y - p.s5 * (r.c4 * w.X - r.s4 * w.Z);
  }
  j.q[6] = atan2(part[0], part[1]);
  if (t.turned) wrap8(t, &j);
  return j;
}

template <class C>
inline Joints8 joint_angles(const Target& t, C c3, C s3, Oct e0, const Point<Oct>& p) {
  return joints_of<C>(t, c3, s3, e0, p, evaluate<Oct, C>(t, c3, s3, p));
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
