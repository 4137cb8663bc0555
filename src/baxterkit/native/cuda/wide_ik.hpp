// The wide search of one target, by a warp: a value of e0 for each lane, and Newton's method from both
// wrist angles of every branch there.
//
// For targets that the quick search leaves. Next to singular configurations nothing is certain about the
// branches, but a solution within the limits that Newton's method finds is a solution. What this
// search does not find may still exist.
#pragma once

#include "quick_ik.hpp"
#include "warp.hpp"

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

// The roots of (1) at an e0, with e1 in that arc.
BK_INLINE void roots_at(const ik::Target& t, double e0, const ik::ArcLimit& e1, ik::LaneTask* task,
                        ik::Roots* roots) {
  ik::fill_task(t, task);
  joint_sincos(e0, task->s3, task->c3);
  roots->count = 0;
  const int which[1] = {0};
  ik::find_roots(task, which, 1, e1, roots);
}

// A start for Newton's method: a root, and theta5 from (2) there, c5 beta = s5 alpha, on one of two sides.
BK_INLINE ik::Point<ik::Oct> start_at(const ik::Target& t, const ik::LaneTask& task, const ik::Roots& roots,
                                      int root, int side) {
  const double u = roots.u[root], w = 1.0 / (1.0 + u * u);
  ik::Point<ik::Oct> p = {roots.fold[root] * (1.0 - u * u) * w, 2.0 * u * w, 0.0, 1.0};
  const ik::Reduced<ik::Oct> r = ik::evaluate<ik::Oct, double>(t, task.c3, task.s3, p);
  const double size = sqrt(r.alpha.p * r.alpha.p + r.beta.p * r.beta.p);
  const double scale = (side == 0 ? 1.0 : -1.0) / (size + ik::kTiny);
  p.c5 = r.alpha * scale, p.s5 = r.beta * scale;
  return p;
}

// The solution with that e0 that is nearest to the seed, of those found; false without one.
BK_INLINE bool solve_at(const ik::Target& t, double e0, const IkArm& arm, const ik::LaneLimits& lanes,
                        const double* seed, double* q) {
  ik::LaneTask task;
  ik::Roots roots;
  roots_at(t, e0, lanes.e1, &task, &roots);
  double least = -1;
  for (int start = 0; start < 2 * roots.count; ++start) {
    double found[7];
    const ik::Point<ik::Oct> p = start_at(t, task, roots, start / 2, start % 2);
    if (!solve_start(t, e0, task.c3, task.s3, arm.limits, p, found)) continue;
    const double distance = ik::seed_distance(found, seed);
    if (least >= 0 && !(distance < least)) continue;
    least = distance;
    for (int k = 0; k < 7; ++k) q[k] = found[k];
  }
  return least >= 0;
}

// Is there a solution at all, within the limits or not? Where Newton's method comes to one there is; else there
// may be some. All threads of a warp come here.
BK_INLINE bool some_solution(const ik::Target& t) {
  const ik::ArcLimit anywhere = {1.0, 0.0, -2.0};
  BK_NO_UNROLL for (int first = 0; first < ik::kSlices; first += kLanes) {
    ik::LaneTask task;
    ik::Roots roots;
    roots_at(t, ik::even_e0(t, 0.0, first + own_lane()), anywhere, &task, &roots);
    BK_NO_UNROLL for (int start = 0; any_of_warp(start < 2 * roots.count); ++start) {
      const bool some = start < 2 * roots.count;
      ik::Point<ik::Oct> p = start_at(t, task, roots, some ? start / 2 : 0, start % 2);
      BK_NO_UNROLL for (int i = 0; i < kWideSteps; ++i) {
        const bool there = ik::newton_step(t, task.c3, task.s3, &p).p < ik::kPolished2;
        if (any_of_warp(some && there)) return true;
      }
    }
  }
  return false;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
