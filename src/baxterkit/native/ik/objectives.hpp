// The best solution over the whole self-motion within the limits.
#pragma once

#include "best_point.hpp"
#include "cost_samples.hpp"
#include "near_motion.hpp"
#include "quick.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

inline Answer solved_by(const Target& t, const Limits& l, const double* q) {
  Answer a;
  a.status = kSolved;
  for (int k = 0; k < 7; ++k) a.q[k] = q[k];
  settle(t, l, a.q);
  return a;
}

// What is bounded of a cost.
inline BoundGoal bound_goal_of(const Cost& cost, const double* seed) {
  if (cost.values == nearest_cost) return {BoundGoal::kNearest, seed};
  if (cost.values == limits_cost) return {BoundGoal::kMargins};
  return {BoundGoal::kFeasible};
}

// Bounds of a cost over e0; where nothing is known of it, of whether the limits can be met.
inline void bound_cost(const Target& t, const Limits& l, const Cost& cost, BoundGoal goal, LimitBounds* out) {
  OpenCells cells;
  if (cost.of_lanes) goal.cells = &cells;
  bound_goal(t, l, goal, out);
  if (cost.of_lanes) sample_cost(t, cells, cost, out);
}

// The least cost of the nodes from `first` on that are within the limits, and of those before.
inline double offer_nodes(const SelfMotion& m, const Limits& l, const Cost& cost, int first, Best* best) {
  constexpr int kMost = 64;
  double q[kMost][7], value[kMost];
  for (int i = first, n = 0; i < m.nodes; ++i) {
    if (within(l, m.node[i].q)) {
      for (int k = 0; k < 7; ++k) q[n][k] = m.node[i].q[k];
      ++n;
    }
    if (n < kMost && (n == 0 || i + 1 < m.nodes)) continue;
    cost.values(q[0], n, value, cost.context);
    for (; n > 0; --n) offer(value[n - 1], q[n - 1], best);
  }
  return best->found ? best->value : kNoSolution;
}

// The least cost near the limits: first over what can be linked at once, then over what has to be
// followed where it can be better.
inline Best best_near(const Target& t, const double* seed, const Limits& l, const Cost& cost, Scratch* s,
                      Prospects* prospects) {
  SelfMotion& m = s->motion;
  start_motion(t, clip(l, 2, seed[2]), kOnce, &m);
  if (is_along_axis(t) || is_near_axis(t)) {
    trace_motion(&m);
    return best_point(m, l, cost, seed, kOnce, prospects, &s->feasible);
  }
  const BoundGoal goal = bound_goal_of(cost, seed);
  const bool bounded = goal.kind != BoundGoal::kFeasible || cost.of_lanes;
  LimitBounds b;
  double bound[kMaxSlices];
  bound_cost(t, l, cost, goal, &b);
  Best best;
  best.seed = seed;
  link_near(
      l, goal, b, [&](int first) { return bounded ? offer_nodes(m, l, cost, first, &best) : kNoSolution; },
      &m, bound);
  start_prospects(prospects);
  if (bounded) {
    improve_point(m, l, cost, kOnce, prospects, &s->feasible, &best);
    for (int i = 0; i < m.gaps && best.found; ++i) {
      if (bound[i] > best.value) m.gap[i] = kClosed;
    }
  }
  trace_paths_near(best.found ? within_reach(l, goal, best.value) : l, &m);
  improve_point(m, l, cost, kOnce, prospects, &s->feasible, &best);
  return best;
}

// The least cost within the limits, over all of the self-motion; else the reason why there is
// nothing. What is near the limits nearly always has it all; where it has nothing, any one solution
// is looked for, and if there is one, the best of all curves; where that had to trace them, of those
// that can meet the limits. All curves are searched, too, where there was no room for something; if
// only steps or cuts have run out, the answer is the best of what they have seen. (Cuts do where a joint
// keeps to its stop all along a curve hardly larger than a point: more of them would find no other.)
inline Answer solve_best(const Target& t, const double* seed, const Limits& l, const Cost& cost, Scratch* s,
                         Prospects* prospects) {
  if (wrist_out_of_reach(t)) return solve_quick(t, seed, l, s);
  Best best = best_near(t, seed, l, cost, s, prospects);
  const unsigned shortage = s->motion.shortage | s->feasible.shortage | prospects->shortage;
  const bool had_room = !(shortage & ~unsigned(kOfSteps | kOfCuts));
  s->repeated += !had_room;
  s->cut_short += shortage && had_room;
  if (best.found && had_room) return solved_by(t, l, best.q);
  const Answer any = solve_quick(t, seed, l, s);
  if (any.status != kSolved) return any;
  if (s->traced && had_room) {
    trace_rest(&s->motion);
  } else {
    start_motion(t, clip(l, 2, seed[2]), kAgain, &s->motion);
    trace_motion(&s->motion);
  }
  best = best_point(s->motion, l, cost, seed, kLast, prospects, &s->feasible);
  offer(cost_of(cost, any.q), any.q, &best);
  return solved_by(t, l, best.q);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
