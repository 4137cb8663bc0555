// Second stage of a task: from a root of the quartic to its two solutions, in first order.
//
// Along the branch of a root the other joints move with s5 at known rates. To first order
// f(theta5) = c5 (wY + s5 wY') - s5 (A + s5 A' + (a5/d5) c5 B), close to m sin(chi - theta5), which
// has two zeros half a turn apart if the rates are small beside m = sin |w1|: these are the starts
// for Newton's method. Roots that move too far for this are `loose`: nothing is certain.
#pragma once

#include "lane_elbow.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kBent = kA5 / kD5;

// How far joints may be outside of the limits by this stage's estimate while the solution is inside
// [rad]: e1 at a root of the quartic, joints at a start. Where the joints or the w1 axis turn by more than
// kCalm along the branch, those at a start may be further outside.
constexpr double kElbowMargin = 0.2, kStartMargin = 0.15;
constexpr double kCalm = 0.1, kRestlessMargin = 0.6;
// A root is steady where its motion times the curvature over the slope (Newton-Kantorovich; a
// half would do were the curvature constant) is below kSteady, where the w1 axis turns by less than
// 1/kTurn of a turn while theta5 makes one, and where no joint moves by more than kRate [rad].
constexpr double kSteady = 0.25, kTurn = 1.8, kRate = 0.3;
constexpr double kAwake = 2.0;  // a ghost stays one if it misses the wrist by this many times its motion
// What s5 changes of (|L|^2 - rho^2) / 2 besides a5 c3 L2, at most: |L1| times what R5 between d5 and r5
// changes of L1 [m], and a5^2 / 2 [m^2].
constexpr double kShiftOfL1 = 3.7e-4, kShiftOfL2 = 5e-5;

// Starts for Newton, in the order of the roots for each task.
struct Starts {
  int count = 0;
  double c[2 * kMaxLaneRoots], s[2 * kMaxLaneRoots], c5[2 * kMaxLaneRoots], s5[2 * kMaxLaneRoots];
  int task[2 * kMaxLaneRoots];
  int key[2 * kMaxLaneRoots];
};

// Limits of a joint at a start, with the margin of calm branches and of others.
struct StartLimit {
  ArcLimit calm;
  double restless;  // its `least`
};

BK_INLINE Mask outside(const StartLimit& a, Mask calm, Oct cosine, Oct sine, Oct length) {
  const Oct least = select(calm, Oct(a.calm.least), Oct(a.restless));
  return fma(Oct(a.calm.c), cosine, a.calm.s * sine) < least * length;
}

// Limits with margins: e1 of roots, and the others of starts.
struct LaneLimits {
  ArcLimit e1;
  StartLimit s0, s1, w0, w1;
};

inline LaneLimits lane_limits(const Limits& l) {
  const auto arc = [&](int k, double margin) { return arc_limit(l.lower[k], l.upper[k], margin); };
  LaneLimits x;
  x.e1 = arc_limit(l.lower[3] - kGamma, l.upper[3] - kGamma, kElbowMargin);
  const auto start = [&](int k) { return StartLimit{arc(k, kStartMargin), arc(k, kRestlessMargin).least}; };
  x.s0 = start(0), x.s1 = start(1), x.w0 = start(4), x.w1 = start(5);
  return x;
}

// Eight roots; sets uncertain[task] where nothing is certain.
BK_LONG void find_starts(const LaneTask* task, const Roots& roots, int first, int n, const LaneLimits& l,
                         Starts* out, bool* uncertain) {
  const TaskLanes t = load_tasks(task, roots.task + first, n);
  const unsigned lanes = (1u << n) - 1u;
  const Oct u = Oct::load(roots.u + first), fold = Oct::load(roots.fold + first);
  const Oct w = 1.0 / fma(u, u, Oct(1.0));
  const Oct s = 2.0 * (u * w), c = fold * (fnma(u, u, Oct(1.0)) * w);
  const Oct sin_theta = fma(Oct(kCosGamma), s, kSinGamma * c);
  const Oct cos_theta = fma(Oct(kCosGamma), c, -(kSinGamma * s));
  const Oct RX = kMeanR * cos_theta, RZ = kMeanR * sin_theta;
  const Oct X = kA3 + RZ, Z = kD3 + RX;
  const Oct L1 = fnma(Oct(kMeanL1), c, t.l0), L2 = t.s3 * X;
  const Oct dL1 = kMeanL1 * s, dL2 = t.s3 * RX;
  const Oct half_F = 0.5 * fma(L1, L1, fms(L2, L2, t.rho * t.rho));
  const Oct G = fma(L1, dL1, L2 * dL2);
  const Oct H = fma(dL1, dL1, fma(dL2, dL2, fms(L1, kMeanL1 * c, L2 * (t.s3 * RZ))));
  const Oct lever = kA5 * (t.c3 * L2);
  const Oct shift = fma(Oct(kShiftOfL1), abs(L1), abs(lever) + kShiftOfL2);
  // Newton-Kantorovich for the real roots; the ghosts must stay away from zero.
  const Oct moved = shift + abs(half_F);
  Mask steady = (moved * abs(H)) < (kSteady * (G * G));
  const Mask ghost = Oct(0.5) < Oct::load(roots.ghost + first);
  const Mask asleep = (kAwake * shift) < abs(half_F);
  // joints s0 and s1
  const Oct x1 = L1 - kA1, ux = t.c3 * X;
  const Oct D = fma(t.h, t.h, x1 * x1);
  const Oct C2 = fms(ux, x1, t.h * Z), S2 = fma(t.h, ux, Z * x1);
  const Oct cos1 = fma(t.cos_phi, L1, t.sin_phi * L2), sin1 = fms(t.sin_phi, L1, t.cos_phi * L2);
  // rates with s5
  const Oct scale = 1.0 / (t.rho * D), inverse_G = 1.0 / G;
  const Oct inverse_rho = scale * D, inverse_D = scale * t.rho;
  const Oct rate = -(lever * inverse_G);
  const Oct L1r = dL1 * rate, L2r = fma(dL2, rate, kA5 * t.c3);
  const Oct psi_r = fms(L1, L2r, L2 * L1r) * (inverse_rho * inverse_rho);
  const Oct Xr = RX * rate, Zr = -(RZ * rate);
  const Oct uxr = fms(t.c3, Xr, kA5 * t.s3);
  const Oct theta2_r = fms(ux, Zr, fma(Z, uxr, t.h * L1r)) * inverse_D;
  // z7 in the axes of joint e0
  const Oct cp = L1 * inverse_rho, sp = L2 * inverse_rho, c2 = C2 * inverse_D, s2 = S2 * inverse_D;
  const Oct a = fms(t.axis[2][0], cp, t.axis[2][1] * sp);
  const Oct e = fma(t.axis[2][1], cp, t.axis[2][0] * sp);
  const Oct x = fma(c2, a, t.axis[2][2] * s2), z = fms(s2, a, t.axis[2][2] * c2);
  const Oct ar = -(e * psi_r), er = a * psi_r;
  const Oct xr = fms(c2, ar, z * theta2_r), zr = fma(s2, ar, x * theta2_r);
  const Oct wX = fma(t.c3, x, t.s3 * e), wY = fms(t.c3, e, t.s3 * x);
  const Oct wXr = fma(t.c3, xr, t.s3 * er), wYr = fms(t.c3, er, t.s3 * xr);
  const Oct A = fms(cos_theta, wX, sin_theta * z), B = fma(sin_theta, wX, cos_theta * z);
  const Oct Ar = fms(cos_theta, wXr, sin_theta * zr) - B * rate;
  const Oct m2 = fma(A, A, wY * wY);
  const Oct change = fma(Ar, Ar, fma(wYr, wYr, (kBent * kBent) * (B * B)));
  steady = steady & ((kTurn * kTurn) * change < m2) & (abs(psi_r) < Oct(kRate)) &
           (abs(theta2_r) < Oct(kRate)) & (abs(rate) < Oct(kRate));
  const Mask calm = (change < Oct(kCalm * kCalm)) & (abs(psi_r) < Oct(kCalm)) & (abs(theta2_r) < Oct(kCalm));
  const Mask out_start = outside(l.s0, calm, cos1, sin1, t.rho) | outside(l.s1, calm, S2, -C2, D);
  const unsigned ghosts = ghost.bits();
  const unsigned gone = ghosts & asleep.bits();
  unsigned loose = (ghosts | ~steady.bits()) & ~gone & lanes;
  for (unsigned rest = loose; rest; rest &= rest - 1) {
    uncertain[roots.task[first + __builtin_ctz(rest)]] = true;
  }
  const unsigned good = lanes & ~(ghosts | out_start.bits() | ~steady.bits());
  if (!good) return;
  const Oct m = sqrt(m2), inverse_m = 1.0 / m;
  const Oct c5 = A * inverse_m, s5 = wY * inverse_m;
  const Oct f = s5 * fms(c5, wYr, fma(s5, Ar, kBent * (c5 * B)));
  const Oct step = f * inverse_m;
  const Oct shorter = fnma((0.5 * kBent * kBent) * (c5 * c5), A, A);  // A d5/R
  const Oct refine = -(half_F * inverse_G);
  const Oct curved = 0.5 * (H * inverse_G);
  const Oct by_R = fms((kR3 / kA1) * c, L1, (t.s3 * sin_theta) * L2) * inverse_G;
  double buffer[4][kOct];
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1.0 : -1.0;
    // turns by step on one side, by -step on the other; then once more from there
    const Oct d1 = side == 0 ? step : -step;
    const Oct c5n = fnma(s5, d1, c5), s5n = fma(c5, d1, s5);
    const Oct bent = s5n * fms(c5n, wYr, fma(s5n, Ar, kBent * (c5n * B)));
    const Oct d = fma(fma(Oct(sign), bent, fms(c5n, wY, s5n * shorter)), inverse_m, d1);
    const Oct d2 = d * d, shrink = fma(fma(Oct(0.375), d2, Oct(-0.5)), d2, Oct(1.0));
    const Oct c5x = sign * (fnma(s5, d, c5) * shrink), s5x = sign * (fma(c5, d, s5) * shrink);
    const Mask out_here =
        outside(l.w0, calm, c5x, s5x, Oct(1.0)) | outside(l.w1, calm, B, sign * m, Oct(1.0));
    unsigned keep = good & ~out_here.bits();
    if (!keep) continue;
    // and with R, which is kMeanR only on the average
    const Oct k = kA5 * c5x, longer = fma((0.5 / kD5) * k, k, Oct(kD5 - kMeanR));
    const Oct g1 = fma(longer, by_R, fma(s5x, rate, refine));
    const Oct x = g1 * curved;  // G g + H g^2 / 2 = G g1
    const Oct g = g1 * fma(x, fms(Oct(2.0), x, Oct(1.0)), Oct(1.0));
    const Oct g2 = g * g, shorten = fma(fma(Oct(0.375), g2, Oct(-0.5)), g2, Oct(1.0));
    (fnma(s, g, c) * shorten).store(buffer[0]);
    (fma(c, g, s) * shorten).store(buffer[1]);
    c5x.store(buffer[2]);
    s5x.store(buffer[3]);
    for (; keep; keep &= keep - 1) {
      const int i = __builtin_ctz(keep), k = out->count++;
      out->c[k] = buffer[0][i], out->s[k] = buffer[1][i];
      out->c5[k] = buffer[2][i], out->s5[k] = buffer[3][i];
      out->task[k] = roots.task[first + i];
      out->key[k] = 2 * (first + i) + side;
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
