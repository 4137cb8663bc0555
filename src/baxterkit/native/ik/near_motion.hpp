// The self-motion near the limits: the curves of a target as far as the limits let them matter.
//
// The same graph as that of the whole self-motion (self_motion.hpp), with nodes only where solutions
// are within the limits or near them: a quarter of all. The slices are solved in lanes of e0.
#pragma once

#include "e0_lanes.hpp"
#include "trace.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kClearSlice = 0.15;  // [rad] of e0, from a slice that may be moved to all others
constexpr double kAside = 0.045;      // [rad] of e0 by which an unsure slice is moved, to either side

// The solutions of a slice that are near the limits, by the sure way.
BK_NOINLINE inline void solve_slice_near(const Limits& l, int slice, SelfMotion* m) {
  Solutions all, kept;
  const double e0 = m->e0[slice], c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  if (!solve_fast(m->target, e0, c3, s3, nullptr, &all)) {
    const CurveLimits near = curve_limits(l, kNearSteep);
    all.count = 0;
    solve_on_curve(m->target, e0, c3, s3, &near, &all);
  }
  for (int i = 0; i < all.count; ++i) {
    if (!is_near(l, all.q[i], kNearSteep)) continue;
    for (int k = 0; k < 7; ++k) kept.q[kept.count][k] = all.q[i][k];
    ++kept.count;
  }
  kept.shortage = all.shortage;
  fill_slice(m, slice, kept);
}

// Solves up to eight slices in lanes of e0; returns those that are unsure, which stay unsolved.
BK_NOINLINE inline unsigned solve_lanes_near(const Limits& l, const int* slice, int count, SelfMotion* m) {
  double e0[kOct];
  for (int i = 0; i < kOct; ++i) e0[i] = m->e0[slice[i < count ? i : 0]];
  LaneSolutions found;
  solve_e0_lanes(m->target, l, e0, &found);
  for (int i = 0; i < count; ++i) {
    if (found.unsure >> i & 1u) continue;
    Solutions kept;
    for (int k = 0; k < found.count; ++k) {
      if (found.lane[k] != i || kept.count == kMaxSolutions) continue;
      for (int j = 0; j < 7; ++j) kept.q[kept.count][j] = found.q[k][j];
      ++kept.count;
    }
    fill_slice(m, slice[i], kept);
    m->faint[slice[i]] = found.faint >> i & 1u;
  }
  return found.unsure & ((1u << count) - 1u);
}

// Does a slice stand clear of the others, so that it may be moved by a little?
inline bool is_movable(const SelfMotion& m, int slice) {
  if (m.slices <= kSlices) return true;
  for (int i = 0; i < m.slices; ++i) {
    if (i != slice && angle_between(m.e0[i], m.e0[slice]) < kClearSlice) return false;
  }
  return true;
}

// Solves n slices that are unsure in lanes, moved by a little, which is mostly enough to be clear of the place
// where roots meet. Returns how many are still unsure; the list has these, where they were.
BK_NOINLINE inline int solve_aside(const Limits& l, int* slice, int n, SelfMotion* m) {
  double at[kMaxSlices];
  for (int i = 0; i < n; ++i) at[i] = m->e0[slice[i]];
  for (const double aside : {kAside, -kAside}) {
    int left = 0, group[kOct], count = 0;
    double from[kOct];
    for (int i = 0; i < n; ++i) {
      const int x = slice[i];
      if (is_movable(*m, x)) {
        from[count] = at[i], group[count++] = x;
        m->e0[x] = wrap_joint(m->target, 2, at[i] + aside);
      } else {
        at[left] = at[i], slice[left++] = x;
      }
      if (count == 0 || (count < kOct && i + 1 < n)) continue;
      const unsigned unsure = solve_lanes_near(l, group, count, m);
      for (int k = 0; k < count; ++k) {
        if (!(unsure >> k & 1u)) continue;
        m->e0[group[k]] = from[k];
        at[left] = from[k], slice[left++] = group[k];
      }
      count = 0;
    }
    n = left;
  }
  return n;
}

// What a slice waits for: to be moved by a little, or to be solved the sure way.
enum Waits : unsigned char { kForNothing = 0, kToBeMoved = 1, kForSureWay = 2 };

// Up to eight slices that are neither solved nor waiting, of the gaps with the least bounds below
// `reach`.
BK_NOINLINE inline int promising_slices(const SelfMotion& m, const double* bound, double reach,
                                        const Waits* waits, int* slice) {
  bool done[kMaxSlices];
  for (int i = 0; i < m.slices; ++i) done[i] = m.solved[i] || waits[i] != kForNothing;
  int n = 0;
  while (n < kOct) {
    int next = -1;
    double least = reach;
    for (int i = 0; i < m.gaps; ++i) {
      if (bound[i] < least && !(done[left_of(m, i)] && done[right_of(m, i)])) {
        least = bound[i], next = i;
      }
    }
    if (next < 0) break;
    for (const int x : {left_of(m, next), right_of(m, next)}) {
      if (done[x] || n == kOct) continue;
      done[x] = true;
      slice[n++] = x;
    }
  }
  return n;
}

// Bounds of the gaps that are closed, kNoSolution for the others.
BK_NOINLINE inline void bound_gaps(const SelfMotion& m, const LimitBounds& b, double* bound) {
  for (int i = 0; i < m.gaps; ++i) {
    bound[i] = m.gap[i] == kClosed ? gap_bound(m, b, i) : kNoSolution;
  }
}

// Solves the slices of all closed gaps whose bound is below `reach`, from the most promising on: first in lanes; then
// those that are unsure, moved by a little; and last, one by one, what is still unsure. What nodes are found lowers
// the reach: `value(first)` is the best of those from `first` on. `near(reach)` are the limits that matter then.
// Returns the best value.
template <class Near, class Value>
inline double solve_promising(const LimitBounds& b, double reach, const Near& near, const Value& value,
                              SelfMotion* m, double* bound) {
  double best = value(0);
  // What is unsure is solved within the limits that matter when the first of it is: next to w1 = 0, where much of it is,
  // curves move farther from slice to slice.
  double unsure_reach = reach;
  bool any_unsure = false;
  Waits waits[kMaxSlices] = {};
  bound_gaps(*m, b, bound);
  while (true) {
    reach = min(reach, best);
    int slice[kMaxSlices];
    const int known = m->nodes;
    int n = promising_slices(*m, bound, reach, waits, slice);
    if (n > 0) {
      const unsigned unsure = solve_lanes_near(near(reach), slice, n, m);
      for (int i = 0; i < n; ++i) {
        if (unsure >> i & 1u) waits[slice[i]] = kToBeMoved;
      }
    } else {
      int surest = -1;
      double least = reach;
      for (int i = 0; i < m->gaps; ++i) {
        if (!(bound[i] < reach)) continue;
        for (const int x : {left_of(*m, i), right_of(*m, i)}) {
          if (waits[x] == kToBeMoved) waits[x] = kForNothing, slice[n++] = x;
          if (waits[x] == kForSureWay && bound[i] < least) least = bound[i], surest = x;
        }
      }
      if (!any_unsure) any_unsure = true, unsure_reach = reach;
      if (n > 0) {
        n = solve_aside(near(unsure_reach), slice, n, m);
        for (int i = 0; i < n; ++i) waits[slice[i]] = kForSureWay;
        bound_gaps(*m, b, bound);  // some have been moved
      } else if (surest >= 0) {
        waits[surest] = kForNothing;
        solve_slice_near(near(unsure_reach), surest, m);
      } else {
        return best;
      }
    }
    best = min(best, value(known));
  }
}

// Follows what is left open in the open gaps, near the limits, and looks for loops.
inline void trace_paths_near(const Limits& l, SelfMotion* m) {
  for (double longest = kFirstRound; longest > kLeastRound; longest *= kNextRound) {
    follow_near(m, longest, l);
  }
  trace_loops(m, &l);
}

// The limits within which the cost may be lower than that of a known solution. (Not of w0 and w2, which may
// turn by far between two slices where w1 is nearly 0.)
inline Limits within_reach(Limits l, const BoundGoal& goal, double best) {
  for (const int k : {0, 1, 2, 3, 5}) {
    if (goal.kind == BoundGoal::kNearest) {
      const double reach = __builtin_sqrt(best) + kSlack;
      l.lower[k] = max(l.lower[k], goal.seed[k] - reach);
      l.upper[k] = min(l.upper[k], goal.seed[k] + reach);
    } else if (goal.kind == BoundGoal::kMargins && best < 0.0) {
      const double margin = -best * (l.upper[k] - l.lower[k]) - kSlack;
      l.lower[k] += margin;
      l.upper[k] -= margin;
    }
  }
  return l;
}

// Solves the slices of all gaps where the limits can be met and, by the bounds `b` of the goal, the cost
// can be as low as that of some other solution, opens these gaps and links what can be linked at once.
// `value(first)` is the least cost of the nodes from `first` on that are within the limits, `bound` what no
// cost in a gap falls below.
template <class Value>
inline void link_near(const Limits& l, const BoundGoal& goal, const LimitBounds& b, const Value& value,
                      SelfMotion* m, double* bound) {
  m->steps = m->effort.near_steps;
  lay_slices(m);
  const double best = solve_promising(
      b, kNoSolution, [&](double best_known) { return within_reach(l, goal, best_known); }, value, m, bound);
  for (int i = 0; i < m->gaps; ++i) {
    if (bound[i] < best) m->gap[i] = kOpen;
  }
  trace_links(m);
}

// All curves near the limits.
inline void trace_near(const Limits& l, SelfMotion* m) {
  if (is_along_axis(m->target) || is_near_axis(m->target)) {
    trace_motion(m);
    return;
  }
  const BoundGoal goal = {BoundGoal::kFeasible};
  double bound[kMaxSlices];
  LimitBounds b;
  bound_goal(m->target, l, goal, &b);
  link_near(l, goal, b, [](int) { return kNoSolution; }, m, bound);
  trace_paths_near(l, m);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
