// Third stage of a task: Newton's method on (1) and (2), and the joint angles.
#pragma once

#include "lane_wrist.hpp"
#include "polynomials.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kNearStart = 0.98;   // cosine of the farthest way from a start to its solution
constexpr double kLaneError = 1e-13;  // largest residual of (1) [m] and (2) [1]

// Solutions from starts [first, first + n): joint angles, and the lanes where Newton ended well.
BK_INLINE unsigned solve_starts(const LaneTask* task, const Starts& starts, int first, int n, Oct* q) {
  const TaskLanes t = load_tasks(task, starts.task + first, n);
  Point<Oct> p = {Oct::load(starts.c + first), Oct::load(starts.s + first), Oct::load(starts.c5 + first),
                  Oct::load(starts.s5 + first)};
  const Point<Oct> start = p;
  WristAt v = wrist_at(t, p);
  Inverse2 j = inverse_jacobian(t, p, v);
  step_back(j, v, &p);
  v = wrist_at(t, p);
  j = inverse_jacobian(t, p, v);
  step_back(j, v, &p);
  v = wrist_at(t, p);
  step_back(j, v, &p);
  v = wrist_at(t, p);
  wrist_angles(t, p, v, q);
  const Oct size = (t.rho * v.D) * v.R;
  const Mask near = (Oct(kNearStart) < fma(p.c, start.c, p.s * start.s)) &
                    (Oct(kNearStart) < fma(p.c5, start.c5, p.s5 * start.s5));
  const Mask exact = (abs(v.g) < kLaneError * t.rho) & (abs(v.f) < kLaneError * size);
  return (near & exact).bits() & ((1u << n) - 1u);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
