// Solutions near the limits at eight values of e0 at once, one value in each lane.
//
// With theta5 left out of (1) (s5 = 0) its four roots and the shoulder's angles are known within a
// few hundredths of a radian, and theta5 follows from (2) up to half a turn: eight starts. Those
// whose s0, s1, e1 or w1 is beyond the limits by far are dropped; Newton's method makes the others
// exact. Where two roots of (1) nearly meet, or w1 is nearly 0, there may be more or fewer solutions
// than starts: such lanes are left to `solve_fixed_e0`.
#pragma once

#include "fixed_e0.hpp"
#include "lane_newton.hpp"
#include "near_limits.hpp"
#include "reduced_curve.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kQuadratic = 1e-16;  // squared residual before a Newton step that leaves rounding
constexpr int kFullSteps = 3, kFrozenSteps = 2;  // of Newton's method, and with its last derivatives, at most
constexpr double kLeastRho = 1e-3;  // [m] distance from the s0 axis that is divided by, at least
constexpr double kLeastSine = 1e-9;  // of w1 that is divided by, at least

constexpr double kRough = 0.15;  // [rad] what s5 = 0 may change of a joint
constexpr double kCaution = 1.5;  // on what s5 may change of (1)
constexpr double kFaint = 0.01;  // -D of a complex pair that may be near real with another s5
constexpr double kNearWrist = 0.06;  // |sin w1| below which solutions may be born, and with the
constexpr double kNearAxis = 0.012;  // wrist near the s0 axis: this over rho more [m]

// The roots of (1) with s5 = 0, in eight lanes of e0.
struct LaneRoots {
  Oct c[4], s[4];
  unsigned real[2], close[2];  // of each pair: lanes where it is real; where its roots nearly meet
  unsigned faint[2];  // complex, but perhaps close to real with another s5
};

inline LaneRoots lane_roots(const Target& t, Oct c3, Oct s3) {
  constexpr double l1 = kR3 * kR5 / kA1;
  const Oct m0 = kA3 * s3, m1 = (kCosGamma * kR5) * s3, m2 = (kSinGamma * kR5) * s3;
  const Oct A0 = fma(m0, m0, Oct(t.l0 * t.l0 - t.rho * t.rho));
  const Oct A1 = 2.0 * (m0 * m2 - t.l0 * l1), B1 = 2.0 * (m0 * m1);
  const Oct A2 = fma(m2, m2, Oct(l1 * l1)), B2 = m1 * m1, C2 = 2.0 * (m1 * m2);
  // in tan(Theta'/2), or its inverse where the folded elbow is nearer than the stretched one
  const Oct at_zero = A0 + A1 + A2, at_pi = A0 - A1 + A2;
  const Mask folded = abs(at_pi) < abs(at_zero);
  const Oct lead = 1.0 / select(folded, at_zero, at_pi);
  const Oct up = 2.0 * (B1 - C2), down = 2.0 * (B1 + C2);
  const QuarticRoots roots =
      solve_quartic(select(folded, down, up) * lead, (2.0 * (A0 - A2) + 4.0 * B2) * lead,
                    select(folded, up, down) * lead, select(folded, at_pi, at_zero) * lead);
  LaneRoots out;
  for (int pair = 0; pair < 2; ++pair) {
    const Oct D = roots.discriminant[pair];
    out.real[pair] = (~(D < Oct(0.0))).bits();
    // Between the two roots |L|^2 - rho^2 is extreme: can s5 lift it over zero?
    const Oct m = roots.middle[pair], wm = 1.0 / fma(m, m, Oct(1.0));
    const Oct cm = fnma(m, m, Oct(1.0)) * wm, sm = 2.0 * (m * wm), ce = select(folded, -cm, cm);
    const Oct L1 = fnma(Oct(l1), ce, Oct(t.l0)), L2 = fma(m1, sm, fma(m2, ce, m0));
    const Oct value = fma(L1, L1, fma(L2, L2, Oct(-t.rho * t.rho)));
    const Oct change =
        fma(2.0 * abs(L1), Oct(l1 * (kR5 - kD5) / kR5), fma((2.0 * kA5) * abs(L2), abs(c3), Oct(kA5 * kA5)));
    out.close[pair] = (abs(value) < kCaution * change).bits();
    out.faint[pair] = ((D < Oct(0.0)) & (Oct(-kFaint) < D)).bits();
    const Oct half = sqrt(max(D, Oct(0.0)));
    for (int side = 0; side < 2; ++side) {
      const Oct u = side == 0 ? roots.middle[pair] - half : roots.middle[pair] + half;
      const Oct w = 1.0 / fma(u, u, Oct(1.0));
      const Oct c = fnma(u, u, Oct(1.0)) * w;
      out.c[2 * pair + side] = select(folded, -c, c);
      out.s[2 * pair + side] = 2.0 * (u * w);
    }
  }
  return out;
}

struct LaneSolutions {
  static constexpr int kMost = 8 * kOct;
  int count = 0;
  unsigned faint = 0;  // lanes that may have roots of (1) close to real
  unsigned unsure = 0;  // lanes that may lack some, or have wrong ones
  double q[kMost][7];
  int lane[kMost];
};

// Newton's method on (1) and (2) without denominators: joint angles, and the lanes where it has ended
// well, not far from the start.
inline unsigned solve_plainly(const TaskLanes& t, const Point<Oct>& start, unsigned lanes, Oct* q) {
  Point<Oct> p = start;
  Inverse2 j;
  for (int i = 0;; ++i) {
    const WristAt v = wrist_at(t, p);
    const Oct size = (t.rho * v.D) * v.R;
    const unsigned exact = ((abs(v.g) < kLaneError * t.rho) & (abs(v.f) < kLaneError * size)).bits();
    if (!(lanes & ~exact) || i == kFullSteps + kFrozenSteps) {
      wrist_angles(t, p, v, q);
      const Mask near = (Oct(kNearStart) < fma(p.c, start.c, p.s * start.s)) &
                        (Oct(kNearStart) < fma(p.c5, start.c5, p.s5 * start.s5));
      return near.bits() & exact;
    }
    if (i < kFullSteps) j = inverse_jacobian(t, p, v);
    step_back(j, v, &p);
  }
}

// The same with damping, for starts that are farther off.
inline unsigned solve_patiently(const Target& t, Oct e0, Oct c3, Oct s3, Point<Oct> p, unsigned lanes,
                                Joints8* j) {
  unsigned exact = 0;
  for (int i = 0; i < 5; ++i) {
    // Quadratic convergence: a residual below 1e-6 before a step is at rounding after it.
    exact = (newton_step(t, c3, s3, &p) < Oct(kQuadratic)).bits();
    if (!(lanes & ~exact)) break;
  }
  *j = joint_angles(t, c3, s3, e0, p);
  return exact;
}

// One start in each of some lanes, made exact; lanes where that fails are unsure.
inline void add_lanes(const Target& t, const Limits& l, const TaskLanes& task, Oct e0, Point<Oct> p,
                      unsigned lanes, LaneSolutions* out) {
  Joints8 j;
  unsigned exact = solve_plainly(task, p, lanes, j.q);
  j.q[2] = e0;
  if (lanes & ~exact) {
    exact = solve_patiently(t, e0, task.c3, task.s3, p, lanes, &j);
  } else if (t.turned) {
    wrap8(t, &j);
  }
  out->unsure |= lanes & ~exact;
  Oct outside(0.0);
  for (int k = 0; k < 7; ++k) outside = max(outside, outside8(l, k, j.q[k]));
  lanes &= exact & (outside < Oct(kNearSteep)).bits();
  unsigned far = lanes & ~(outside < Oct(kNear)).bits();
  if (far) {
    Oct tangent[7];
    far &= unit_tangents(j, tangent) & (Oct(kSteep) < tangent[2]).bits();
    lanes &= ~far;
  }
  double q[7][kOct];
  for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    double* one = out->q[out->count];
    for (int k = 0; k < 7; ++k) one[k] = q[k][lane];
    for (int i = 0; i < out->count; ++i) {  // two starts of one solution: another may be lost
      if (out->lane[i] == lane && joint_distance(out->q[i], one) < kSameSolution) {
        out->unsure |= 1u << lane;
      }
    }
    out->lane[out->count++] = lane;
  }
}

inline void solve_e0_lanes(const Target& t, const Limits& l, const double* values, LaneSolutions* out) {
  const Oct e0 = Oct::load(values);
  Oct s3, c3;
  sincos(e0, &s3, &c3);
  const LaneRoots roots = lane_roots(t, c3, s3);
  const TaskLanes task = same_task(t, c3, s3);
  const double turned_s0 = kA5 / max(t.rho, kLeastRho),
               near_wrist = kNearWrist + kNearAxis / max(t.rho, kLeastRho);
  for (int i = 0; i < 4; ++i) {
    const unsigned real = roots.real[i / 2] | roots.close[i / 2] | roots.faint[i / 2];
    if (!real) continue;
    const Point<Oct> p = {roots.c[i], roots.s[i], Oct(1.0), Oct(0.0)};
    const Reduced<Oct> r = evaluate<Oct, Oct>(t, c3, s3, p);
    const Oct s0 =
        atan2(t.sin_phi * r.cos_psi - t.cos_phi * r.sin_psi, t.cos_phi * r.cos_psi + t.sin_phi * r.sin_psi);
    Oct outside = max(outside8(l, 0, s0) - turned_s0, outside8(l, 1, atan2(-r.c2, r.s2)));
    outside = max(outside, outside8(l, 3, atan2(r.s4, r.c4)));
    unsigned lanes = (outside < Oct(kNearSteep + kRough)).bits() & real;
    if (!lanes) continue;
    out->faint |= lanes & (roots.faint[i / 2] | roots.close[i / 2]);
    out->unsure |= lanes & roots.close[i / 2];
    lanes &= roots.real[i / 2] | roots.close[i / 2];
    const Oct sine = sqrt(fma(r.alpha, r.alpha, r.beta * r.beta));
    out->unsure |= lanes & (sine < Oct(near_wrist)).bits();
    lanes &= roots.real[i / 2] & ~out->unsure;
    if (!lanes) continue;
    const Oct w1 = atan2(sine, r.along), scale = 1.0 / max(sine, Oct(kLeastSine));
    for (int side = -1; side < 2; side += 2) {
      const unsigned near = lanes & (outside8(l, 5, double(side) * w1) < Oct(kNearSteep + kRough)).bits();
      if (!near) continue;
      const Oct turned = double(side) * scale;
      add_lanes(t, l, task, e0, {p.c, p.s, r.alpha * turned, r.beta * turned}, near, out);
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
