// A branch of the self-motion: the arm by psi, with the signs of Theta' and of cos(e0 + b) and the side of the
// wrist given. All but theta5 follows in closed form; theta5 moves the elbow by a5 = 10 mm at the most, so that
// what w0 comes out as hardly depends on it: a few steps of the secant method find the theta5 that agrees with itself.
#pragma once

#include "proof_ik.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct Branch {
  bool folded, mirrored, down;  // down: the second side of the wrist, with w1 below zero
};

constexpr int kAgreeSteps = 9;
constexpr double kAgreed = 1e-14, kNearlyAgreed = 3e-13;  // [rad] of theta5

// An arm on a branch before its angles are known.
struct BranchArm {
  double cos_psi, sin_psi, c2, s2, c3, s3, c4, s4, c5, s5, alpha, beta, along;

  // False where psi has no such arm. `theta5` is given.
  BK_INLINE bool place(const ik::Target& t, const Branch& at, double theta5) {
    sine_and_cosine(theta5, s5, c5);
    const double L1 = t.rho * cos_psi, L2 = t.rho * sin_psi;
    const double Y = kA5 * s5, k = kA5 * c5, R = sqrt(fma(k, k, kD5 * kD5)), of_R = 1.0 / R;
    const double c = (kA1 / kR3) * ((t.l0 - L1) * of_R), rest = fnma(c, c, 1.0);
    if (!(rest >= 0)) return false;
    const double s = at.folded ? -sqrt(rest) : sqrt(rest);
    const double sin_theta = fma(ik::kCosGamma, s, ik::kSinGamma * c),
                 cos_theta = fms(ik::kCosGamma, c, ik::kSinGamma * s);
    const double X = fma(R, sin_theta, kA3), Z = fma(R, cos_theta, kD3);
    const double r2 = fma(X, X, Y * Y), u2 = fnma(L2, L2, r2);
    if (!(u2 >= 0) || !(r2 > ik::kLeastSquare)) return false;
    const double ux = (X < 0) == at.mirrored ? sqrt(u2) : -sqrt(u2), of_r2 = 1.0 / r2;
    s3 = fms(L2, X, ux * Y) * of_r2, c3 = fma(ux, X, L2 * Y) * of_r2;
    const double x1 = L1 - kA1, of_D = 1.0 / ::fmax(fma(x1, x1, t.h * t.h), ik::kLeastSquare);
    c2 = fms(ux, x1, t.h * Z) * of_D, s2 = fma(t.h, ux, Z * x1) * of_D;
    c4 = fma(kD5, cos_theta, k * sin_theta) * of_R, s4 = fms(kD5, sin_theta, k * cos_theta) * of_R;
    const ik::Direction<double, double> z7 = axis_in_e0(t, 2);
    alpha = fms(c4, z7.X, s4 * z7.Z), beta = z7.Y, along = fma(s4, z7.X, c4 * z7.Z);
    return true;
  }

  // How far w0 comes out from theta5 [rad].
  BK_INLINE double disagreement(const Branch& at) const {
    const double f = fms(c5, beta, s5 * alpha), g = fma(c5, alpha, s5 * beta);
    return at.down ? arc_tan(-f, -g) : arc_tan(f, g);
  }

  BK_INLINE void angles(const ik::Target& t, double* q) const {
    q[0] =
        arc_tan(fms(t.sin_phi, cos_psi, t.cos_phi * sin_psi), fma(t.cos_phi, cos_psi, t.sin_phi * sin_psi));
    q[1] = arc_tan(-c2, s2);
    q[2] = arc_tan(s3, c3);
    q[3] = arc_tan(s4, c4);
    q[4] = arc_tan(s5, c5);
    q[5] = arc_tan(fma(c5, alpha, s5 * beta), along);
    double part[2];
    BK_UNROLL for (int i = 0; i < 2; ++i) {
      const ik::Direction<double, double> w = axis_in_e0(t, i);
      part[i] = fms(c5, w.Y, s5 * fms(c4, w.X, s4 * w.Z));
    }
    q[6] = arc_tan(part[0], part[1]);
  }

 private:
  BK_INLINE ik::Direction<double, double> axis_in_e0(const ik::Target& t, int i) const {
    const double a = fms(t.axis[i][0], cos_psi, t.axis[i][1] * sin_psi),
                 e = fma(t.axis[i][1], cos_psi, t.axis[i][0] * sin_psi);
    const double x = fma(c2, a, t.axis[i][2] * s2), z = fms(s2, a, t.axis[i][2] * c2);
    return {fma(c3, x, s3 * e), fms(c3, e, s3 * x), z};
  }
};

// Whether w0 turns by less than theta5 all round, so that no psi near this one has two theta5: by samples.
BK_INLINE bool one_theta5(const ik::Target& t, const Branch& at, double psi) {
  constexpr int kSamples = 16;
  constexpr double kStep = 2 * ik::kPi / kSamples, kMost = 0.85 * kStep,
                   kTangent = kMost + kMost * kMost * kMost / 3;
  BranchArm arm;
  sine_and_cosine(psi, arm.sin_psi, arm.cos_psi);
  double alpha = 0, beta = 0;
  BK_NO_UNROLL for (int i = 0; i <= kSamples; ++i) {
    if (!arm.place(t, at, i * kStep)) return false;
    const double turned = ::fabs(fms(alpha, arm.beta, beta * arm.alpha)),
                 kept = fma(alpha, arm.alpha, beta * arm.beta);
    if (i && !(turned < kTangent * kept)) return false;
    alpha = arm.alpha, beta = arm.beta;
  }
  return true;
}

// The arm at psi, from a guess of theta5, which becomes that of the arm; false where there is none, or none is found.
BK_INLINE bool arm_at(const ik::Target& t, const Branch& at, double psi, double* theta5, double* q) {
  BranchArm arm;
  sine_and_cosine(psi, arm.sin_psi, arm.cos_psi);
  double x = *theta5, before = 0, off_before = 0;
  bool agreed = false;
  BK_NO_UNROLL for (int i = 0; i < kAgreeSteps && !agreed; ++i) {
    if (!arm.place(t, at, x)) return false;
    const double off = arm.disagreement(at);
    agreed = ::fabs(off) < (i + 1 < kAgreeSteps ? kAgreed : kNearlyAgreed);
    if (agreed) break;
    // From one step to the next `off` changes by nearly as much as theta5, the other way.
    const double slope = i ? (off - off_before) / (x - before) : -1.0;
    const double step = slope < -0.2 && slope > -3.0 ? -off / slope : off;
    before = x, off_before = off;
    x += step;
    if (x == before) agreed = true;
  }
  *theta5 = x;
  arm.angles(t, q);
  return agreed;
}

// The arm at e0, from a guess of Theta' and theta5, which become those of the arm.
BK_INLINE bool arm_by_e0(const ik::Target& t, double e0, double* elbow, double* theta5, double* q) {
  const double held = ik::wrap_joint(t, 2, e0);
  double s3, c3, s, c, s5, c5;
  sine_and_cosine(held, s3, c3);
  sine_and_cosine(*elbow, s, c);
  sine_and_cosine(*theta5, s5, c5);
  ik::Point<ik::Oct> p = {c, s, c5, s5};
  BK_NO_UNROLL for (int i = 0; i < kAgreeSteps; ++i) {
    if (ik::newton_step(t, c3, s3, &p).p < ik::kPolished2) break;
  }
  const ik::Joints8 j = ik::joint_angles(t, c3, s3, ik::Oct(held), p);
  for (int k = 0; k < 7; ++k) q[k] = j.q[k].p;
  *elbow = arc_tan(p.s.p, p.c.p), *theta5 = q[4];
  return ik::pose_error8(t, j).p < ik::kAcceptError;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
