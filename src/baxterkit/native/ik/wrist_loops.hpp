// Starts for small closed curves where the forearm lies along the hand's z axis, or nearly so.
//
// There (w1 near 0 or pi) the elbow is E = W - r5 (+-cos zeta z7 + sin zeta n), n = cos eta x7 + sin eta
// y7, with a small zeta: w1 = 0 or pi is the circle zeta = atan(a5 / d5), with n along x5; zeta = 0
// is the line from E to W along the hand. Each such E leaves at most four upper arms: |E - S| =
// r3 gives psi up to a sign, a3 s3 = y_E gives e0 up to its mirror image, and then s1. Of these an
// arm can be made where the forearm is normal to the e1 axis.
#pragma once

#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kWristPoints = 16;    // on the circle w1 = 0
constexpr double kWristMiss = 0.1;  // what may be missing at a start [rad]
constexpr double kWristBend = 0.026710897023179497;  // [rad] atan(a5 / d5)
constexpr double kNearUpperArm =
    1.02;  // |cos(phi_E + psi)| beyond 1 from which Newton's method may still arrive
constexpr double kLeastAcross2 = 1e-12; // squared sine to the e1 axis that is divided by, at least
// |sin Theta'| and |cos e0| below which (1) is flat in both.
constexpr double kFlatElbow = 0.12, kFlatE0 = 0.4;

// One choice of signs: the hand along or against the forearm, psi and c3.
struct WristSigns {
  double along, psi, c3;
};

// Eight starts; `near` are the lanes worth it.
struct WristStarts {
  Joints8 joints;
  Oct miss;             // how far the forearm is from normal to the e1 axis
  unsigned near, flat;  // flat: e0 next to +-pi/2 with the elbow nearly stretched, or folded
};

// `c5_sign` 0: on the circle w1 = 0; else the sign of c5, with s5 from the line from E to W.
inline WristStarts wrist_starts(const Target& t, const WristSigns& sign, Oct zeta, Oct eta, Oct c5_sign) {
  Oct sin_eta, cos_eta, sin_zeta, cos_zeta, part[3];
  sincos(eta, &sin_eta, &cos_eta);
  sincos(zeta, &sin_zeta, &cos_zeta);
  const double wrist[3] = {t.rho, 0.0, t.h};
  for (int i = 0; i < 3; ++i) {
    const Oct n = cos_eta * t.axis[0][i] + sin_eta * t.axis[1][i];
    part[i] = wrist[i] - kR5 * ((sign.along * t.axis[2][i]) * cos_zeta + sin_zeta * n);
  }
  const Oct radius2 = fma(part[0], part[0], part[1] * part[1]);
  const Oct radius = sqrt(max(radius2, Oct(kLeastRadius2)));
  const Oct cosine = (fma(part[2], part[2], radius2) + (kA1 * kA1 - kR3Squared)) / ((2.0 * kA1) * radius);
  Mask near = abs(cosine) < Oct(kNearUpperArm);
  WristStarts out;
  out.near = near.bits(), out.flat = 0;
  if (!out.near) return out;
  // omega = phi_E + psi
  const Oct co = min(max(cosine, Oct(-1.0)), Oct(1.0));
  const Oct so = sign.psi * sqrt(max(fnma(co, co, Oct(1.0)), Oct(0.0)));
  const Oct sine = radius * so * (1 / kA3);
  near = near & (abs(sine) < Oct(kNearSine));
  out.near = near.bits();
  if (!out.near) return out;
  const Oct cos_psi = (co * part[0] + so * part[1]) / radius;
  const Oct sin_psi = (so * part[0] - co * part[1]) / radius;
  const Oct s3 = min(max(sine, Oct(-1.0)), Oct(1.0));
  const Oct c3 = sign.c3 * sqrt(max(fnma(s3, s3, Oct(1.0)), Oct(0.0)));
  const Oct u = kA3 * c3, x = radius * co - kA1;
  const Oct scale = 1.0 / fma(u, u, Oct(kD3 * kD3));
  const Oct c2 = (u * x - kD3 * part[2]) * scale, s2 = (u * part[2] + kD3 * x) * scale;
  // n, the hand's axis and the line from E to W in the axes of joint e0
  Direction<Oct, Oct> axis[3];
  for (int i = 0; i < 3; ++i) {
    axis[i] = in_e0_axes<Oct, Oct>(t.axis[i], cos_psi, sin_psi, c2, s2, c3, s3);
  }
  const Oct nX = cos_eta * axis[0].X + sin_eta * axis[1].X;
  const Oct nY = cos_eta * axis[0].Y + sin_eta * axis[1].Y;
  const Oct nZ = cos_eta * axis[0].Z + sin_eta * axis[1].Z;
  const Oct along = sign.along * cos_zeta;
  const Oct X = along * axis[2].X + sin_zeta * nX, Y = along * axis[2].Y + sin_zeta * nY;
  const Oct Z = along * axis[2].Z + sin_zeta * nZ;
  const Mask circle = abs(c5_sign) < Oct(0.5);
  const Oct s5_line = min(max(Y * (kR5 / kA5), Oct(-1.0)), Oct(1.0));
  out.miss = select(circle, axis[2].Y, Y - s5_line * (kA5 / kR5));
  near = near & (abs(out.miss) < Oct(kWristMiss));
  out.near = near.bits();
  if (!out.near) return out;
  const Oct R = 1.0 / sqrt(max(fma(X, X, Z * Z), Oct(kLeastAcross2)));
  const Oct sin_theta = X * R, cos_theta = Z * R;
  const Oct c = kCosGamma * cos_theta + kSinGamma * sin_theta;
  const Oct s = kCosGamma * sin_theta - kSinGamma * cos_theta;
  out.flat = ((abs(s) < Oct(kFlatElbow)) & (abs(c3) < Oct(kFlatE0))).bits() & out.near;
  // x4 = (c4, 0, -s4), close to (cos Theta, 0, -sin Theta)
  const Oct s5 = select(circle, min(max(nY, Oct(-1.0)), Oct(1.0)), s5_line);
  const Oct c5 = copysign_of(sqrt(max(fnma(s5, s5, Oct(1.0)), Oct(0.0))),
                             select(circle, cos_theta * nX - sin_theta * nZ, c5_sign));
  out.joints = joint_angles<Oct>(t, c3, s3, atan2(s3, c3), {c, s, c5, s5});
  return out;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
