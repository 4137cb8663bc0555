// Starts on solution curves at given values of s0, for a wrist on or next to the s0 axis.
//
// With the wrist on the axis and the hand along it, whole curves of solutions have one and the same
// e0: s0 and w2 turn against each other, and nothing else moves. Slices of e0 then miss them, or meet
// them everywhere; slices of s0 meet each once. With psi = phi - theta1 and theta5 given, (1) is
// solved in closed form: cos Theta' = a1 (l0 - rho cos psi) / (r3 R), and s3 X + c3 Y = rho sin psi.
// That leaves f = 0 (2) on four branches over theta5.
#pragma once

#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kPsiSlices = 12;   // of s0, once round
constexpr int kPsiSamples = 32;  // of theta5, a multiple of eight
constexpr double kNearStretched = 1.001;  // |cos Theta'| beyond 1 from which Newton's method may still arrive

// One of the four branches: the sign of Theta', and e0 or its mirror image.
struct PsiBranch {
  double elbow;
  bool mirrored;
};

// Eight arms that hold the wrist.
struct PsiArms {
  Oct c3, s3;
  Point<Oct> p;
  Reduced<Oct> r;
  unsigned reached;  // lanes that do, or nearly
};

inline PsiArms psi_arms(const Target& t, const PsiBranch& k, Oct cos_psi, Oct sin_psi, Oct c5, Oct s5) {
  PsiArms a;
  const Oct Y = kA5 * s5, k5 = kA5 * c5, R = sqrt(kR5Squared - Y * Y);
  const Oct L1 = t.rho * cos_psi, L2 = t.rho * sin_psi;
  const Oct cosine = (kA1 / kR3) * (t.l0 - L1) / R;
  Mask reached = abs(cosine) < Oct(kNearStretched);
  const Oct c = min(max(cosine, Oct(-1.0)), Oct(1.0));
  const Oct s = k.elbow * sqrt(max(fnma(c, c, Oct(1.0)), Oct(0.0)));
  a.p = {c, s, c5, s5};
  const Oct sin_theta = kCosGamma * s + kSinGamma * c, cos_theta = kCosGamma * c - kSinGamma * s;
  const Oct X = kA3 + R * sin_theta, Z = kD3 + R * cos_theta;
  const Oct scale = 1.0 / sqrt(max(fma(X, X, Y * Y), Oct(kLeastRadius2)));
  const Oct sine = L2 * scale;
  reached = reached & (abs(sine) < Oct(kNearSine));
  const Oct sg = min(max(sine, Oct(-1.0)), Oct(1.0));
  const Oct root = sqrt(max(fnma(sg, sg, Oct(1.0)), Oct(0.0)));
  const Oct cg = k.mirrored ? -root : root;
  a.c3 = fma(cg, X, sg * Y) * scale;
  a.s3 = (sg * X - cg * Y) * scale;
  a.reached = reached.bits();
  Reduced<Oct>& r = a.r;
  const Oct ux = a.c3 * X - a.s3 * Y, x1 = L1 - kA1;
  const Oct inverse_D = 1.0 / max(fma(x1, x1, Oct(t.h * t.h)), Oct(kLeastSquare)), inverse_R = 1.0 / R;
  r.L1 = L1, r.L2 = L2, r.length = Oct(t.rho);
  r.cos_psi = cos_psi, r.sin_psi = sin_psi;
  r.c2 = (ux * x1 - t.h * Z) * inverse_D;
  r.s2 = (t.h * ux + Z * x1) * inverse_D;
  const Direction<Oct, Oct> w = in_e0_axes<Oct, Oct>(t.axis[2], cos_psi, sin_psi, r.c2, r.s2, a.c3, a.s3);
  set_forearm(w, sin_theta, cos_theta, k5, inverse_R, c5, s5, &r);
  return a;
}

// theta5 of the starts on one branch, at most one for each sample: between samples where f changes its sign, at its least
// sizes, and where the branch begins or ends.
inline int psi_starts(const double* f, unsigned reached, double* theta5) {
  constexpr double step = 2 * kPi / kPsiSamples;
  int n = 0;
  for (int i = 0; i < kPsiSamples; ++i) {
    const int before = (i + kPsiSamples - 1) % kPsiSamples, after = (i + 1) % kPsiSamples;
    if (!(reached >> i & 1u)) continue;
    const double size = __builtin_fabs(f[i]);
    const bool in_before = reached >> before & 1u, in_after = reached >> after & 1u;
    if (in_after && (f[i] < 0) != (f[after] < 0)) {
      theta5[n++] = (i + f[i] / (f[i] - f[after])) * step;
    } else if (!in_before || !in_after ||
               (size < __builtin_fabs(f[before]) && size <= __builtin_fabs(f[after]) &&
                (f[before] < 0) == (f[i] < 0))) {
      theta5[n++] = i * step;
    }
  }
  return n;
}

// Calls use(joints, lanes) with the starts of all slices, eight at a time.
template <class Use>
inline void s0_starts(const Target& t, const Use& use) {
  constexpr double step = 2 * kPi / kPsiSamples;
  for (int slice = 0; slice < kPsiSlices; ++slice) {
    // s0 at even angles: theta1 = phi - psi
    const double s0 = slice * (2 * kPi / kPsiSlices);
    const double c = __builtin_cos(s0), s = __builtin_sin(s0);
    const Oct cos_psi(c * t.cos_phi + s * t.sin_phi), sin_psi(t.sin_phi * c - t.cos_phi * s);
    for (int branch = 0; branch < 4; ++branch) {
      const PsiBranch k = {branch & 1 ? -1.0 : 1.0, (branch & 2) != 0};
      double f[kPsiSamples], theta5[kPsiSamples];
      unsigned reached = 0;
      for (int first = 0; first < kPsiSamples; first += kOct) {
        Oct s5, c5;
        sincos((ramp() + double(first)) * step, &s5, &c5);
        const PsiArms a = psi_arms(t, k, cos_psi, sin_psi, c5, s5);
        a.r.f.store(f + first);
        reached |= a.reached << first;
      }
      const int n = psi_starts(f, reached, theta5);
      for (int i = n; i % kOct != 0; ++i) theta5[i] = theta5[0];
      for (int first = 0; first < n; first += kOct) {
        Oct s5, c5;
        sincos(Oct::load(theta5 + first), &s5, &c5);
        const PsiArms a = psi_arms(t, k, cos_psi, sin_psi, c5, s5);
        const int count = n - first < kOct ? n - first : kOct;
        use(joints_of<Oct>(t, a.c3, a.s3, atan2(a.s3, a.c3), a.p, a.r), (1u << count) - 1u);
      }
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
