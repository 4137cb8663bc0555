// The wide search of one target, by a warp: a value of e0 for each lane, and Newton's method from both
// wrist angles of every branch there.
//
// For targets that the quick search leaves. Next to singular configurations nothing is certain about the
// branches, but a solution within the limits that Newton's method finds is a solution. What this
// search does not find may still exist.
#pragma once

#include "quick_ik.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kRounds = 8;      // of 32 values of e0, each between those before
constexpr int kWideSteps = 10;  // of Newton's method

// e0 of a lane: evenly spaced from the seed's, and the limits where that is beyond them.
BK_INLINE double wide_e0(const ik::Target& t, const ik::Limits& l, double base, int round, int lane) {
  constexpr double part[kRounds] = {0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875};
  const double step = 2 * ik::kPi / ik::kSlices;
  return ik::clip(l, 2, ik::even_e0(t, base + part[round] * step, lane));
}

// Newton's method from a start: whether it ends at a solution within the limits.
BK_INLINE bool solve_start(const ik::Target& t, double e0, double c3, double s3, const ik::Limits& l,
                           ik::Point<ik::Oct> p, double* q) {
  for (int i = 0; i < kWideSteps; ++i) {
    if (ik::newton_step(t, c3, s3, &p).p < ik::kPolished2) break;
  }
  const ik::Joints8 j = ik::joint_angles(t, c3, s3, ik::Oct(e0), p);
  for (int k = 0; k < 7; ++k) q[k] = j.q[k].p;
  return ik::worst_violation(l, q) == 0 && ik::pose_error8(t, j).p < ik::kAcceptError;
}

// The solution with that e0 that is nearest to the seed, of those found; its squared distance, or -1
// without one.
BK_INLINE double solve_at(const ik::Target& t, double e0, const IkArm& arm, const ik::LaneLimits& lanes,
                          const double* seed, double* q) {
  ik::LaneTask task;
  ik::fill_task(t, &task);
  joint_sincos(e0, task.s3, task.c3);
  ik::Roots roots;
  const int which[1] = {0};
  ik::find_roots(&task, which, 1, lanes.e1, &roots);
  double least = -1;
  for (int root = 0; root < roots.count; ++root) {
    const double u = roots.u[root], w = 1.0 / (1.0 + u * u);
    ik::Point<ik::Oct> p = {roots.fold[root] * (1.0 - u * u) * w, 2.0 * u * w, 0.0, 1.0};
    // (2) there: c5 beta = s5 alpha, on both sides
    const ik::Reduced<ik::Oct> r = ik::evaluate<ik::Oct, double>(t, task.c3, task.s3, p);
    const double size = sqrt(r.alpha.p * r.alpha.p + r.beta.p * r.beta.p);
    for (int side = 0; side < 2; ++side) {
      const double scale = (side == 0 ? 1.0 : -1.0) / (size + ik::kTiny);
      p.c5 = r.alpha * scale, p.s5 = r.beta * scale;
      double found[7];
      if (!solve_start(t, e0, task.c3, task.s3, arm.limits, p, found)) continue;
      const double distance = ik::seed_distance(found, seed);
      if (least >= 0 && !(distance < least)) continue;
      least = distance;
      for (int k = 0; k < 7; ++k) q[k] = found[k];
    }
  }
  return least;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
