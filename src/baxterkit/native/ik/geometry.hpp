// The geometry of the arm, from the s0 frame to the hand, and a target prepared for solving.
//
// Standard DH (a, alpha, d, theta): s0 (a1, -pi/2, d1), s1 (0, +pi/2, 0, q2 + pi/2),
// e0 (a3, -pi/2, d3), e1 (0, +pi/2, 0), w0 (a5, -pi/2, d5), w1 (0, +pi/2, 0), w2 (0, 0, d7).
// Pairs of axes meet at the shoulder S (s1, e0), the elbow E (e1, w0) and the wrist W (w1, w2).
#pragma once

#include "../generated/lengths.hpp"
#include "trig.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// |E - S| = r3 and |W - E| = r5 do not depend on the joints. The elbow is stretched where
// Theta = gamma, with gamma = atan2(a3, d3).
constexpr double kR3Squared = kA3 * kA3 + kD3 * kD3;
constexpr double kR5Squared = kA5 * kA5 + kD5 * kD5;
constexpr double kMeanR =
    0.5 * (kR5 + kD5);  // of the forearm in its plane, at the middle of what w0 does to it
constexpr double kCosGamma = kD3 / kR3;
constexpr double kSinGamma = kA3 / kR3;

// A target hand pose in the s0 frame, and what of it does not depend on e0.
struct Target {
  double R[3][3];       // columns x7, y7, z7
  double p[3];          // hand origin [m]
  double wrist[3];      // W = p - d7 z7
  double rho, h, l0;    // cylinder coordinates of W: rho, h = -(Wz - d1); l0, see reduced.hpp
  double cos_phi, sin_phi;
  // x7, y7, z7 in axes turned by phi about z: radial, tangential, down
  double axis[3][3];
  // Joint k comes out in (turn[k] - pi, turn[k] + pi]; `turned` if any of these is not 0.
  double turn[7] = {0, 0, 0, 0, 0, 0, 0};
  bool turned = false;
};

// An angle of joint k in the turn it is to come out in.
inline double wrap_joint(const Target& t, int k, double x) {
  return x - 2 * kPi * __builtin_rint((x - t.turn[k]) * (0.5 / kPi));
}

// From the first three rows of T_s0_hand, row major.
inline Target make_target(const double* T, int row_stride = 4) {
  Target t;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) t.R[i][j] = T[i * row_stride + j];
    t.p[i] = T[i * row_stride + 3];
    t.wrist[i] = t.p[i] - kD7 * t.R[i][2];
  }
  const double rho2 = t.wrist[0] * t.wrist[0] + t.wrist[1] * t.wrist[1];
  t.rho = __builtin_sqrt(rho2);
  t.h = kD1 - t.wrist[2];
  t.l0 = (rho2 + t.h * t.h + kA1 * kA1 - kR3Squared - kR5Squared) / (2.0 * kA1);
  // On the s0 axis phi is free: take 0, so that theta1 = -psi.
  const bool on_axis = !(t.rho > 0.0);
  t.cos_phi = on_axis ? 1.0 : t.wrist[0] / t.rho;
  t.sin_phi = on_axis ? 0.0 : t.wrist[1] / t.rho;
  for (int j = 0; j < 3; ++j) {
    t.axis[j][0] = t.cos_phi * t.R[0][j] + t.sin_phi * t.R[1][j];
    t.axis[j][1] = t.cos_phi * t.R[1][j] - t.sin_phi * t.R[0][j];
    t.axis[j][2] = -t.R[2][j];
  }
  return t;
}

// Eight joint vectors side by side.
struct Joints8 {
  Oct q[7];
};

inline void wrap8(const Target& t, Joints8* j) {
  for (int i = 0; i < 7; ++i) {
    const Oct turns = nearest((j->q[i] - t.turn[i]) * (0.5 / kPi));
    j->q[i] = fnma(turns, Oct(2.0 * kPi), j->q[i]);
  }
}

// Forward kinematics of eight joint vectors: hand axes and origin in the s0 frame.
struct Pose8 {
  Oct R[3][3];
  Oct p[3];
};

inline Pose8 forward8(const Joints8& j) {
  constexpr double d[7] = {kD1, 0, kD3, 0, kD5, 0, kD7};
  constexpr double a[7] = {kA1, 0, kA3, 0, kA5, 0, 0};
  constexpr int twist[7] = {-1, 1, -1, 1, -1, 1, 0};
  Pose8 T;
  for (int i = 0; i < 7; ++i) {
    Oct s, c;
    sincos(j.q[i], &s, &c);
    if (i == 1) {  // theta2 = q2 + pi/2
      const Oct t = s;
      s = c;
      c = -t;
    }
    if (i == 0) {
      T.R[0][0] = c, T.R[1][0] = s, T.R[2][0] = Oct(0.0);
      T.R[0][1] = Oct(0.0), T.R[1][1] = Oct(0.0), T.R[2][1] = Oct(-1.0);
      T.R[0][2] = -s, T.R[1][2] = c, T.R[2][2] = Oct(0.0);
      T.p[0] = kA1 * c, T.p[1] = kA1 * s, T.p[2] = Oct(kD1);
      continue;
    }
    for (int r = 0; r < 3; ++r) {
      const Oct x = T.R[r][0], y = T.R[r][1], z = T.R[r][2];
      const Oct nx = fma(c, x, s * y), ny = fnma(s, x, c * y);
      if (d[i] != 0) T.p[r] = fma(z, Oct(d[i]), T.p[r]);
      if (a[i] != 0) T.p[r] = fma(nx, Oct(a[i]), T.p[r]);
      T.R[r][0] = nx;
      T.R[r][1] = twist[i] == 0 ? ny : (twist[i] > 0 ? z : -z);
      T.R[r][2] = twist[i] == 0 ? z : (twist[i] > 0 ? -ny : ny);
    }
  }
  return T;
}

// The sum of the absolute pose errors of eight joint vectors, over the twelve entries [m and 1];
// NaN if any is.
inline Oct pose_error8(const Target& t, const Joints8& j) {
  const Pose8 T = forward8(j);
  Oct sum(0.0);
  for (int r = 0; r < 3; ++r) {
    sum = sum + abs(T.p[r] - t.p[r]);
    for (int c = 0; c < 3; ++c) sum = sum + abs(T.R[r][c] - t.R[r][c]);
  }
  return sum;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
