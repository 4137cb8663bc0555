// The best solution over the whole self-motion within the limits.
#pragma once

#include "best_point.hpp"
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

// The least cost within the limits, over all of the self-motion; else the reason why there is
// nothing. What is near the limits nearly always has it all; where it has nothing, any one solution
// is looked for, and if there is one, the best of all curves.
inline Answer solve_best(const Target& t, const double* seed, const Limits& l, const Cost& cost,
                         Scratch* s, Prospects* prospects) {
  if (wrist_out_of_reach(t)) return solve_quick(t, seed, l, s);
  start_motion(t, clip(l, 2, seed[2]), &s->motion);
  trace_near(l, &s->motion);
  Best best = best_point(s->motion, l, cost, seed, prospects, &s->feasible);
  if (best.found) return solved_by(t, l, best.q);
  const Answer any = solve_quick(t, seed, l, s);
  if (any.status != kSolved) return any;
  start_motion(t, clip(l, 2, seed[2]), &s->motion);
  trace_motion(&s->motion);
  best = best_point(s->motion, l, cost, seed, prospects, &s->feasible);
  offer(cost_of(cost, any.q), any.q, &best);
  return solved_by(t, l, best.q);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
