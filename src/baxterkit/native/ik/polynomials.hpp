// (1) and (2) without their denominators, in eight lanes: g = (|L|^2 - rho^2) / 2 and f times rho D R.
//
// These are polynomials in the sines and cosines, but for R = sqrt(d5^2 + k^2), a short series in
// (k/d5)^2 < 7.2e-4. At a solution |L| = rho and |(ux, Z)|^2 = D, so the zeros are the same.
#pragma once

#include "lane_task.hpp"
#include "reduced.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// Everything at a point but derivatives. Lengths: L by rho, (C2, S2) by D, w by rho D, (c4, s4) by R.
struct WristAt {
  Oct sT, cT, R, Y, k, X, Z, L1, L2, ux, x1, D, C2, S2;
  Oct a, e, x, z, wX, wY, c4, s4, alpha;
  Oct g, f;
};

BK_INLINE Oct forearm_length(Oct k) {
  const Oct t = (k * (1.0 / kD5)) * (k * (1.0 / kD5));
  Oct p(7.0 / 256.0);
  p = fma(p, t, Oct(-5.0 / 128.0));
  p = fma(p, t, Oct(1.0 / 16.0));
  p = fma(p, t, Oct(-1.0 / 8.0));
  p = fma(p, t, Oct(1.0 / 2.0));
  return fma(kD5 * t, p, Oct(kD5));
}

BK_LONG WristAt wrist_at(const TaskLanes& t, const Point<Oct>& p) {
  WristAt v;
  v.sT = fma(Oct(kCosGamma), p.s, kSinGamma * p.c);
  v.cT = fma(Oct(kCosGamma), p.c, -(kSinGamma * p.s));
  v.Y = kA5 * p.s5, v.k = kA5 * p.c5;
  v.R = forearm_length(v.k);
  v.X = fma(v.R, v.sT, Oct(kA3)), v.Z = fma(v.R, v.cT, Oct(kD3));
  v.L1 = fnma((kR3 / kA1) * v.R, p.c, t.l0), v.L2 = fma(t.s3, v.X, t.c3 * v.Y);
  v.ux = fms(t.c3, v.X, t.s3 * v.Y), v.x1 = v.L1 - kA1;
  v.D = fma(t.h, t.h, v.x1 * v.x1);
  v.C2 = fms(v.ux, v.x1, t.h * v.Z), v.S2 = fma(t.h, v.ux, v.Z * v.x1);
  v.a = fms(t.axis[2][0], v.L1, t.axis[2][1] * v.L2);
  v.e = fma(t.axis[2][1], v.L1, t.axis[2][0] * v.L2);
  const Oct down = t.rho * t.axis[2][2];
  v.x = fma(v.C2, v.a, down * v.S2), v.z = fms(v.S2, v.a, down * v.C2);
  const Oct E = v.D * v.e;
  v.wX = fma(t.c3, v.x, t.s3 * E), v.wY = fms(t.c3, E, t.s3 * v.x);
  v.c4 = fma(Oct(kD5), v.cT, v.k * v.sT), v.s4 = fms(Oct(kD5), v.sT, v.k * v.cT);
  v.alpha = fms(v.c4, v.wX, v.s4 * v.z);
  v.g = 0.5 * fma(v.L1, v.L1, fms(v.L2, v.L2, t.rho * t.rho));
  v.f = fms(p.c5 * v.R, v.wY, p.s5 * v.alpha);
  return v;
}

// Derivatives of g and f by Theta' and theta5.
BK_LONG void wrist_derivatives(const TaskLanes& t, const Point<Oct>& p, const WristAt& v, Oct* gd, Oct* fd) {
  const Oct down = t.rho * t.axis[2][2];
  // how R depends on theta5: 1e-4 of it, so that its own derivative needs few digits
  const Oct R5 = (v.k * v.Y) * (-1.0 / kMeanR);
  for (int i = 0; i < 2; ++i) {
    const Oct Xd = i == 0 ? v.R * v.cT : R5 * v.sT;
    const Oct Zd = i == 0 ? -(v.R * v.sT) : R5 * v.cT;
    const Oct L1d = i == 0 ? (kR3 / kA1) * (v.R * p.s) : (-kR3 / kA1) * (R5 * p.c);
    const Oct L2d = i == 0 ? t.s3 * Xd : fma(t.s3, Xd, t.c3 * v.k);
    const Oct uxd = i == 0 ? t.c3 * Xd : fms(t.c3, Xd, t.s3 * v.k);
    gd[i] = fma(v.L1, L1d, v.L2 * L2d);
    const Oct Dd = 2.0 * (v.x1 * L1d);
    const Oct C2d = fma(uxd, v.x1, fms(v.ux, L1d, t.h * Zd));
    const Oct S2d = fma(t.h, uxd, fma(Zd, v.x1, v.Z * L1d));
    const Oct ad = fms(t.axis[2][0], L1d, t.axis[2][1] * L2d);
    const Oct ed = fma(t.axis[2][1], L1d, t.axis[2][0] * L2d);
    const Oct xd = fma(C2d, v.a, fma(v.C2, ad, down * S2d));
    const Oct zd = fma(S2d, v.a, fms(v.S2, ad, down * C2d));
    const Oct Ed = fma(Dd, v.e, v.D * ed);
    const Oct wXd = fma(t.c3, xd, t.s3 * Ed), wYd = fms(t.c3, Ed, t.s3 * xd);
    const Oct along = i == 0 ? fma(v.s4, v.wX, v.c4 * v.z) : v.Y * fma(v.sT, v.wX, v.cT * v.z);
    const Oct alpha_d = fms(v.c4, wXd, fma(v.s4, zd, along));
    fd[i] = fms(p.c5 * v.R, wYd, p.s5 * alpha_d);
    if (i == 1) {
      fd[1] = fd[1] + fms(fms(p.c5, R5, p.s5 * v.R), v.wY, p.c5 * v.alpha);
    }
  }
}

// And by e0.
BK_INLINE void by_e0(const TaskLanes& t, const Point<Oct>& p, const WristAt& v, Oct* gd, Oct* fd) {
  const Oct down = t.rho * t.axis[2][2];
  // L2 and ux are the sides of a right angle that turns with e0
  *gd = v.L2 * v.ux;
  const Oct C2d = -(v.L2 * v.x1), S2d = -(t.h * v.L2);
  const Oct ad = -(t.axis[2][1] * v.ux), Ed = v.D * (t.axis[2][0] * v.ux);
  const Oct xd = fma(C2d, v.a, fma(v.C2, ad, down * S2d));
  const Oct zd = fma(S2d, v.a, fms(v.S2, ad, down * C2d));
  const Oct wXd = fma(t.c3, xd, fma(t.s3, Ed, v.wY)), wYd = fms(t.c3, Ed, fma(t.s3, xd, v.wX));
  *fd = fms(p.c5 * v.R, wYd, p.s5 * fms(v.c4, wXd, v.s4 * zd));
}

// The inverse of the Jacobian of (g, f) by (Theta', theta5).
struct Inverse2 {
  Oct a, b, c, d;
};

BK_INLINE Inverse2 inverse_jacobian(const TaskLanes& t, const Point<Oct>& p, const WristAt& v) {
  Oct gd[2], fd[2];
  wrist_derivatives(t, p, v, gd, fd);
  const Oct inverse_det = 1.0 / fms(gd[0], fd[1], gd[1] * fd[0]);
  return {fd[1] * inverse_det, -(gd[1] * inverse_det), -(fd[0] * inverse_det), gd[0] * inverse_det};
}

// Turns (c, s) by atan(d), d small.
BK_INLINE void turn_slightly(Oct d, Oct* c, Oct* s) {
  const Oct c1 = fnma(*s, d, *c), s1 = fma(*c, d, *s);
  const Oct off = fma(c1, c1, fma(s1, s1, Oct(-1.0)));
  const Oct scale = fma(fma(Oct(0.375), off, Oct(-0.5)), off, Oct(1.0));
  *c = c1 * scale, *s = s1 * scale;
}

BK_INLINE void step_back(const Inverse2& j, const WristAt& v, Point<Oct>* p) {
  turn_slightly(-fma(j.a, v.g, j.b * v.f), &p->c, &p->s);
  turn_slightly(-fma(j.c, v.g, j.d * v.f), &p->c5, &p->s5);
}

// Joint angles at a solution, but for e0.
BK_LONG void wrist_angles(const TaskLanes& t, const Point<Oct>& p, const WristAt& v, Oct* q) {
  q[0] = atan2(fms(t.sin_phi, v.L1, t.cos_phi * v.L2), fma(t.cos_phi, v.L1, t.sin_phi * v.L2));
  q[1] = atan2(-v.C2, v.S2);
  q[3] = atan2(v.s4, v.c4);
  q[4] = atan2(p.s5, p.c5);
  q[5] = atan2(fma(p.c5, v.alpha, p.s5 * (v.R * v.wY)), fma(v.s4, v.wX, v.c4 * v.z));
  Oct part[2];
  for (int i = 0; i < 2; ++i) {
    const Oct* d = t.axis[i];
    const Oct a = fms(d[0], v.L1, d[1] * v.L2), e = v.D * fma(d[1], v.L1, d[0] * v.L2);
    const Oct down = t.rho * d[2];
    const Oct x = fma(v.C2, a, down * v.S2), z = fms(v.S2, a, down * v.C2);
    const Oct wX = fma(t.c3, x, t.s3 * e), wY = fms(t.c3, e, t.s3 * x);
    part[i] = fms(p.c5 * v.R, wY, p.s5 * fms(v.c4, wX, v.s4 * z));
  }
  q[6] = atan2(part[0], part[1]);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
