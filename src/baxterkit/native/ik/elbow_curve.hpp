// The sure path: the curve of all elbow positions with e0 given, in closed form.
//
// |E - S| = r3 and |W - E| = r5 whatever the joints. So for each psi = phi - theta1 the elbow is
// found from one square root: with L = rho (cos psi, sin psi), N = |W - S|^2 = N0 - 2 a1 L1 and
// p = c3 X - s3 Y, the wrist (p, L2, Z) in the axes of joint s1 satisfies
//
//     a3 c3 p + d3 Z = M = (N + r3^2 - r5^2) / 2 - a3 s3 L2,      p^2 + Z^2 = N - L2^2     (3)
//
// Two solutions where S(psi) = (N - L2^2) e^2 - M^2 > 0, e = (a3 c3, d3); they meet where S = 0,
// a quartic in tan(psi/2). Hence the curve is at most two closed loops, all of them known: over
// an arc between two roots of S, psi = middle + half cos(tau); over the full circle, psi = tau,
// once with each sign of the root. A point of the loop belongs to an arm where s5 = Y / a5 lies
// in [-1, 1], with c5 of either sign, and solves the inverse kinematics where f = 0 (2).
#pragma once

#include "quartic.hpp"
#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kDoubleRoot = 1e-13;   // -D / (1 + u^2) of a pair of roots u that misses by rounding
constexpr double kLeastLoop = 1e-12;    // [rad] of psi: half of a loop that is shrunk to a point

struct Loop {
  double middle, half;  // psi = middle + half cos(tau); half = 0: psi = tau on the full circle
  double sign;          // of the square root on the full circle
};

struct ElbowCurve {
  const Target* target;
  double c3, s3, e0;
  double N0, e_squared;
  int loops = 0;
  Loop loop[4];
};

// Eight points of a loop.
struct CurvePoints {
  Oct cos_psi, sin_psi, c2, s2;
  Oct X, Z;              // relative to the elbow
  Oct s5, c5, R2;        // c5 = +sqrt(1 - s5^2), 0 outside of [-1, 1]
  Oct wX, wY, wZ;        // z7 in the axes of joint e0
  Oct f[2];              // (2) with c5 positive, negative
};

BK_INLINE void psi_of(const Loop& loop, Oct tau, Oct* cos_psi, Oct* sin_psi, Oct* sign) {
  Oct s, c;
  if (loop.half > 0) {
    sincos(tau, &s, &c);
    *sign = select(s < Oct(0.0), Oct(-1.0), Oct(1.0));
    sincos(fma(c, Oct(loop.half), Oct(loop.middle)), sin_psi, cos_psi);
  } else {
    sincos(tau, sin_psi, cos_psi);
    *sign = Oct(loop.sign);
  }
}

inline CurvePoints curve_points(const ElbowCurve& k, const Loop& loop, Oct tau) {
  const Target& t = *k.target;
  CurvePoints x;
  Oct sign;
  psi_of(loop, tau, &x.cos_psi, &x.sin_psi, &sign);
  const Oct L1 = t.rho * x.cos_psi, L2 = t.rho * x.sin_psi;
  const Oct N = fnma(Oct(2.0 * kA1), L1, Oct(k.N0));
  const Oct M = fnma(Oct(kA3 * k.s3), L2, 0.5 * (N + (kR3Squared - kR5Squared)));
  const Oct K = fnma(L2, L2, N);
  const Oct root = sign * sqrt(max(fms(K, Oct(k.e_squared), M * M), Oct(0.0)));
  const double ex = kA3 * k.c3, ez = kD3, scale = 1.0 / k.e_squared;
  const Oct p = (ex * M - ez * root) * scale;
  const Oct Z = (ez * M + ex * root) * scale;
  const Oct X = k.c3 * p + k.s3 * L2;
  const Oct Y = k.c3 * L2 - k.s3 * p;
  const Oct x1 = L1 - kA1;
  const Oct inverse_D = 1.0 / max(fma(x1, x1, Oct(t.h * t.h)), Oct(kLeastSquare));
  x.c2 = (p * x1 - t.h * Z) * inverse_D;
  x.s2 = (t.h * p + Z * x1) * inverse_D;
  x.X = X - kA3;
  x.Z = Z - kD3;
  x.s5 = Y * (1.0 / kA5);
  const Oct inside = min(max(x.s5, Oct(-1.0)), Oct(1.0));
  x.c5 = sqrt(max(fnma(inside, inside, Oct(1.0)), Oct(0.0)));
  x.R2 = max(fma(x.X, x.X, x.Z * x.Z), Oct(kLeastSquare));
  const Direction<Oct, double> w =
      in_e0_axes<Oct, double>(t.axis[2], x.cos_psi, x.sin_psi, x.c2, x.s2, k.c3, k.s3);
  x.wX = w.X, x.wY = w.Y, x.wZ = w.Z;
  // alpha = c4 wX - s4 wZ, c4 = (d5 Z + k X) / R^2, s4 = (d5 X - k Z) / R^2, k = +-a5 c5
  const Oct inverse_R2 = 1.0 / x.R2;
  const Oct even = kD5 * (x.Z * w.X - x.X * w.Z) * inverse_R2;
  const Oct odd = kA5 * x.c5 * fma(x.X, w.X, x.Z * w.Z) * inverse_R2;
  x.f[0] = x.c5 * w.Y - inside * (even + odd);
  x.f[1] = -(x.c5 * w.Y) - inside * (even - odd);
  return x;
}

// Joint angles of eight points, each with its sign of c5.
inline Joints8 curve_joints(const ElbowCurve& k, const CurvePoints& x, Oct sign5) {
  const Target& t = *k.target;
  Joints8 j;
  j.q[0] =
      atan2(t.sin_phi * x.cos_psi - t.cos_phi * x.sin_psi, t.cos_phi * x.cos_psi + t.sin_phi * x.sin_psi);
  j.q[1] = atan2(-x.c2, x.s2);
  j.q[2] = Oct(k.e0);
  const Oct c5 = sign5 * x.c5, s5 = min(max(x.s5, Oct(-1.0)), Oct(1.0));
  const Oct k5 = kA5 * c5;
  const Oct inverse_R2 = 1.0 / x.R2;
  const Oct c4 = (kD5 * x.Z + k5 * x.X) * inverse_R2, s4 = (kD5 * x.X - k5 * x.Z) * inverse_R2;
  j.q[3] = atan2(s4, c4);
  j.q[4] = atan2(s5, c5);
  const Oct alpha = c4 * x.wX - s4 * x.wZ;
  j.q[5] = atan2(fma(c5, alpha, s5 * x.wY), fma(s4, x.wX, c4 * x.wZ));
  Oct part[2];
  for (int i = 0; i < 2; ++i) {
    const Direction<Oct, double> w =
        in_e0_axes<Oct, double>(t.axis[i], x.cos_psi, x.sin_psi, x.c2, x.s2, k.c3, k.s3);
    part[i] = c5 * w.Y - s5 * (c4 * w.X - s4 * w.Z);
  }
  j.q[6] = atan2(part[0], part[1]);
  if (t.turned) wrap8(t, &j);
  return j;
}

// Finds the loops: the arcs of psi where S > 0.
inline ElbowCurve elbow_curve(const Target& t, double e0, double c3, double s3) {
  ElbowCurve k;
  k.target = &t;
  k.e0 = e0, k.c3 = c3, k.s3 = s3;
  const double rho = t.rho;
  k.N0 = rho * rho + t.h * t.h + kA1 * kA1;
  k.e_squared = kA3 * kA3 * c3 * c3 + kD3 * kD3;
  const double M0 = 0.5 * (k.N0 + kR3Squared - kR5Squared);
  // S = b0 + b1 c + b2 s + b3 c^2 + b4 s^2 + b5 c s
  const double b0 = k.e_squared * k.N0 - M0 * M0;
  const double b1 = 2 * kA1 * rho * (M0 - k.e_squared), b2 = 2 * M0 * kA3 * s3 * rho;
  const double b3 = -kA1 * kA1 * rho * rho, b4 = -kR3Squared * rho * rho;
  const double b5 = -2 * kA1 * kA3 * s3 * rho * rho;
  // Turn psi so that the pole of the half-angle tangent is where S is largest in size.
  Oct s8, c8;
  sincos(ramp() * (kPi / 4), &s8, &c8);
  const Oct S8 = b0 + c8 * (b1 + b3 * c8 + b5 * s8) + s8 * (b2 + b4 * s8);
  double value[kOct];
  S8.store(value);
  int best = 0;
  for (int i = 0; i < kOct; ++i) {
    if (__builtin_fabs(value[i]) > __builtin_fabs(value[best])) best = i;
  }
  double cs[2][kOct];
  c8.store(cs[0]);
  s8.store(cs[1]);
  const double pole = best * (kPi / 4);
  const double cr = -cs[0][best], sr = -cs[1][best];  // psi = pole + pi + x
  const double a1 = b1 * cr + b2 * sr, a2 = b2 * cr - b1 * sr;
  const double a3 = b3 * cr * cr + b4 * sr * sr + b5 * cr * sr;
  const double a4 = b3 * sr * sr + b4 * cr * cr - b5 * cr * sr;
  const double a5 = 2 * (b4 - b3) * cr * sr + b5 * (cr * cr - sr * sr);
  const double lead = b0 - a1 + a3;
  if (lead == 0.0) {  // S vanishes everywhere: rho = 0 at the edge of reach
    k.loop[k.loops++] = {0, 0, 1};
    return k;
  }
  const QuarticRoots roots =
      solve_quartic(Oct((2 * a2 - 2 * a5) / lead), Oct((2 * b0 - 2 * a3 + 4 * a4) / lead),
                    Oct((2 * a2 + 2 * a5) / lead), Oct((b0 + a1 + a3) / lead));
  double middle[2], D[2], buffer[kOct];
  for (int i = 0; i < 2; ++i) {
    roots.middle[i].store(buffer);
    middle[i] = buffer[0];
    roots.discriminant[i].store(buffer);
    D[i] = buffer[0];
  }
  double x[4];
  int n = 0;
  for (int i = 0; i < 2; ++i) {
    // A pair that misses by rounding is a double root: a loop shrunk to a point.
    const double tolerance = kDoubleRoot * (1 + middle[i] * middle[i]);
    if (D[i] < -tolerance) continue;
    const double half = D[i] > 0 ? __builtin_sqrt(D[i]) : 0.0;
    x[n++] = 2 * __builtin_atan(middle[i] - half);
    x[n++] = 2 * __builtin_atan(middle[i] + half);
  }
  if (n == 0) {
    if (value[best] > 0) {
      k.loop[k.loops++] = {0, 0, 1};
      k.loop[k.loops++] = {0, 0, -1};
    }
    return k;
  }
  for (int i = 1; i < n; ++i) {  // insertion sort of at most four
    const double v = x[i];
    int m = i;
    for (; m > 0 && x[m - 1] > v; --m) x[m] = x[m - 1];
    x[m] = v;
  }
  // S has the sign of `lead` at the pole, and changes it at each root.
  const int first = lead > 0 ? 1 : 0;
  for (int i = first; i < n; i += 2) {
    const double from = x[i], to = i + 1 < n ? x[i + 1] : x[0] + 2 * kPi;
    const double half = max(0.5 * (to - from), kLeastLoop);
    k.loop[k.loops++] = {pole + kPi + 0.5 * (from + to), half, 1};
  }
  return k;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
