// One solution of a target within the limits, or the reason why there is none.
#pragma once

#include "e0_scan.hpp"
#include "first_feasible.hpp"
#include "inside.hpp"
#include "lane_search.hpp"
#include "least_violation.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kNoMove = 1e-13;      // [rad] a joint that is put on its limit by less needs no solving

struct Answer {
  IkStatus status;
  double q[7];  // the solution; with kLimits the one that violates them least
};

// What a call needs besides its arguments; one for each thread.
struct Scratch {
  SelfMotion motion;
  FeasibleSet feasible;
  SeenLinks seen;
  LaneWave wave;
  LaneWave rest;  // of one target, while `wave` holds many
  bool traced = false;  // whether the last quick search has traced `motion`
  int repeated = 0;     // searches that have run out of something, and were repeated with more of it
  int cut_short = 0;  // searches by an objective that have run out of steps or cuts, and took the best so far
  bool has_lanes = false;
  Limits lane_limits_of;  // the limits that the next two were made for
  LaneLimits lanes;
  CurveLimits near;
};

inline double pose_error(const Target& t, const double* q) {
  Joints8 j;
  double b[kOct];
  for (int k = 0; k < 7; ++k) j.q[k] = Oct(q[k]);
  pose_error8(t, j).store(b);
  return b[0];
}

// Puts a solution within tolerance of its limits exactly inside: joints that are out by less than
// the tolerance are held at the limit, one after the other, and the rest is solved again.
// `exact`: q is known to reach the target.
inline void settle(const Target& t, const Limits& l, double* q, bool exact = false) {
  const bool inside = worst_violation(l, q) == 0;
  if (inside && (exact || pose_error(t, q) < kAcceptError)) return;
  double clipped[7];
  for (int k = 0; k < 7; ++k) clipped[k] = clip(l, k, q[k]);
  for (int k = 0; k < 7; ++k) {
    const double c = clip(l, k, q[k]);
    if (c == q[k]) continue;
    if (__builtin_fabs(c - q[k]) > kNoMove) {
      Joints8 j;
      Oct w[7], tangent[7];
      for (int i = 0; i < 7; ++i) j.q[i] = Oct(i == k ? c : q[i]), w[i] = Oct(i == k ? 1.0 : 0.0);
      newton_in_plane(t, w, 2, &j, tangent);
      double moved[7], b[kOct], far = 0;
      for (int i = 0; i < 7; ++i) {
        j.q[i].store(b);
        moved[i] = i == k ? c : b[0];
        far = max(far, __builtin_fabs(moved[i] - q[i]));
      }
      if (far < kSameSolution) {
        for (int i = 0; i < 7; ++i) q[i] = moved[i];
      }
    }
    q[k] = c;
  }
  for (int k = 0; k < 7; ++k) q[k] = clip(l, k, q[k]);
  double error = pose_error(t, q);
  if (error < kAcceptError) return;
  const double plain = pose_error(t, clipped);
  if (plain < error) {  // at a singular configuration the rest cannot be solved again
    error = plain;
    for (int k = 0; k < 7; ++k) q[k] = clipped[k];
  }
  double moved[7];
  for (int k = 0; k < 7; ++k) moved[k] = q[k];
  if (!(move_inside(t, l, moved) < error)) return;
  for (int k = 0; k < 7; ++k) q[k] = moved[k];
}

// The nearest to the seed of the solutions within the limits; -1 if there is none.
inline int best_of(const Solutions& s, const Limits& l, const double* seed) {
  int best = -1;
  double least = 0;
  for (int i = 0; i < s.count; ++i) {
    if (!within(l, s.q[i])) continue;
    const double d = seed_distance(s.q[i], seed);
    if (best < 0 || d < least) best = i, least = d;
  }
  return best;
}

constexpr double kFirstOfAll = 1e3;  // weight of e0 beside the distance to the seed: e0 decides first
constexpr double kAnyDistance = 1e300;  // more than any

// The feasible point whose e0 is nearest to the seed's, and of those the nearest to the seed; -1 if
// there is none.
inline int nearest_feasible(const FeasibleSet& f, const double* seed) {
  double least = kAnyDistance;
  int best = -1;
  for (int i = 0; i < f.points; ++i) {
    const double e = __builtin_fabs(f.point[i].q[2] - seed[2]);
    const double d = e * kFirstOfAll + seed_distance(f.point[i].q, seed);
    if (d < least) least = d, best = i;
  }
  return best;
}

// That point made exact within the limits, or where that fails, as next to a singular configuration, the
// next one. False if none will do; the points are used up then, and there is no saying "no".
constexpr double kSettled = 1e-10;  // sum of pose errors [m and 1] of an answer
inline bool settle_feasible(const Target& t, const double* seed, const Limits& l, FeasibleSet* f, double* q) {
  for (int i = nearest_feasible(*f, seed); i >= 0; i = nearest_feasible(*f, seed)) {
    for (int k = 0; k < 7; ++k) q[k] = f->point[i].q[k];
    settle(t, l, q);
    if (pose_error(t, q) < kSettled) return true;
    f->point[i] = f->point[--f->points];
  }
  f->shortage |= kOfPoints;
  return false;
}

// Before a "no": a solution inside the limits next to one that violates them by little.
inline bool find_inside(const SelfMotion& m, const Limits& l, FeasibleSet* f, double* q) {
  for (int i = 0; i < m.nodes; ++i) note_close(l, m.node[i].q, f);
  for (int i = 0; i < f->close; ++i) {
    for (int k = 0; k < 7; ++k) q[k] = f->close_q[i][k];
    if (move_inside(m.target, l, q) < kReached) return true;
  }
  return false;
}

// No feasible solution: says why.
inline void finish_without(const Limits& l, Scratch* s, Answer* a) {
  const SelfMotion& m = s->motion;
  FeasibleSet* f = &s->feasible;
  if (find_inside(m, l, f, a->q)) {
    a->status = kSolved;
    return;
  }
  // A "no" must have seen everything.
  const bool limited = (m.shortage | f->shortage) != 0;
  if (m.nodes == 0) {
    a->status = limited ? kNotConverged : kOutOfReach;
    return;
  }
  a->status = limited ? kNotConverged : kLimits;
  least_violating(m, l, &s->seen, a->q);
  if (!within(l, a->q)) return;
  settle(m.target, l, a->q);  // what the search within the limits has overlooked
  if (worst_violation(l, a->q) == 0 && pose_error(m.target, a->q) < kSettled) a->status = kSolved;
}

// Examines the gaps that may hold solutions within the limits step by step, until a step has brought
// one to light.
inline bool trace_until_feasible(const LimitBounds& b, const Limits& l, const Effort& effort, Scratch* s) {
  s->seen.nodes = 0;
  clear(&s->feasible, effort);
  if (!open_feasible_gaps(b, &s->motion)) return false;
  trace_links(&s->motion);
  if (examine_new(s->motion, l, &s->seen, &s->feasible)) return true;
  trace_paths(&s->motion);
  if (examine_new(s->motion, l, &s->seen, &s->feasible)) return true;
  trace_loops(&s->motion);
  return examine_new(s->motion, l, &s->seen, &s->feasible);
}

// The same where e0 is no way to tell solutions apart.
inline void solve_along_axis(const double* seed, const Limits& l, const Effort& effort, Scratch* s,
                             Answer* a) {
  s->seen.nodes = 0;
  clear(&s->feasible, effort);
  trace_along_axis(&s->motion);
  if (examine_new(s->motion, l, &s->seen, &s->feasible) &&
      settle_feasible(s->motion.target, seed, l, &s->feasible, a->q)) {
    a->status = kSolved;
    return;
  }
  finish_without(l, s, a);
}

// Limits with their margins for the lanes, made anew when the limits change.
inline const LaneLimits& lanes_of(const Limits& l, Scratch* s) {
  if (!s->has_lanes || std::memcmp(&l, &s->lane_limits_of, sizeof l) != 0) {
    s->lanes = lane_limits(l);
    s->near = curve_limits(l);
    s->lane_limits_of = l;
    s->has_lanes = true;
  }
  return s->lanes;
}

inline Answer no_answer(IkStatus status) {
  Answer a;
  a.status = status;
  for (int k = 0; k < 7; ++k) a.q[k] = 0;
  return a;
}

inline void accept(const Target& t, const Limits& l, const double* q, Answer* a) {
  a->status = kSolved;
  for (int k = 0; k < 7; ++k) a->q[k] = q[k];
  settle(t, l, a->q, true);
}

// What became of task i of a wave: true if it ends the search of its target.
inline bool ends_search(const Target& t, const Limits& l, const CurveLimits& near, const LaneWave& w, int i,
                        Answer* a) {
  if (w.outcome[i] == kFound) {
    accept(t, l, w.q[i], a);
    return true;
  }
  if (w.outcome[i] == kNothing) return false;
  Solutions found;
  solve_fixed_e0_within(t, w.e0[i], l, near, &found);
  const int best = best_of(found, l, w.seed[i]);
  if (best < 0) return false;
  accept(t, l, found.q[best], a);
  return true;
}

// Tries e0 values of one target side by side: true if one of them ends the search.
inline bool try_wave(const Target& t, const double* seed, const Limits& l, int n, Scratch* s, Answer* a) {
  LaneWave& w = s->rest;
  for (int i = 0; i < n; ++i) {
    fill_task(t, &w.task[i]);
    for (int k = 0; k < 7; ++k) w.seed[i][k] = seed[k];
  }
  if (t.turned) {  // the lanes know limits inside of [-pi, pi] only
    for (int i = 0; i < n; ++i) w.outcome[i] = kUncertain;
  } else {
    run_wave(l, lanes_of(l, s), n, &w);
  }
  for (int i = 0; i < n; ++i) {
    if (ends_search(t, l, s->near, w, i, a)) return true;
  }
  return false;
}

// The feasible parts of the whole self-motion; the bounds are of no account where the hand is along
// the s0 axis.
inline Answer solve_traced(const Target& t, const double* seed, const Limits& l, LimitBounds bounds,
                           const Effort& effort, Scratch* s) {
  Answer a = no_answer(kOutOfReach);
  SelfMotion& m = s->motion;
  start_motion(t, clip(l, 2, seed[2]), effort, &m);
  if (is_along_axis(t)) {
    solve_along_axis(seed, l, effort, s, &a);
    return a;
  }
  lay_slices(&m);
  if (trace_until_feasible(bounds, l, effort, s)) {
    bool found = settle_feasible(t, seed, l, &s->feasible, a.q);
    if (!found) {  // what the search has stopped before
      trace_rest(&m);
      examine_new(m, l, &s->seen, &s->feasible);
      found = settle_feasible(t, seed, l, &s->feasible, a.q);
    }
    if (found) {
      a.status = kSolved;
      return a;
    }
  }
  trace_least_violating(l, &bounds, &m);
  finish_without(l, s, &a);
  return a;
}

// After the first e0 values: the others where the bounds leave room for solutions, then the feasible
// parts of the whole self-motion; twice where something has run out.
inline Answer solve_rest(const Target& t, const double* seed, const Limits& l, Scan scan, Scratch* s) {
  Answer a = no_answer(kOutOfReach);
  const bool along_axis = is_along_axis(t);
  LimitBounds bounds = {};
  if (!along_axis) bound_limits(t, l, &bounds);
  while (true) {
    double e0;
    int n = 0;
    while (n < kOct && next_e0(t, l, kSlices, &scan, &e0)) {
      if (along_axis || least_between(bounds, e0, 0.0) <= 0.0) s->rest.e0[n++] = e0;
    }
    if (n == 0) break;
    if (try_wave(t, seed, l, n, s, &a)) return a;
  }
  s->traced = true;
  a = solve_traced(t, seed, l, bounds, kOnce, s);
  if (a.status != kNotConverged) return a;
  ++s->repeated;
  return solve_traced(t, seed, l, bounds, kAgain, s);
}

// e0 values outward from the seed's; at the first with solutions within the limits, the one
// nearest to the seed. Failing those, the feasible parts of the whole self-motion. `before_long` is
// called before anything that takes long: at most once, and not at all for most targets.
template <class BeforeLong>
inline Answer solve_quick(const Target& t, const double* seed, const Limits& l, Scratch* s,
                          const BeforeLong& before_long) {
  Answer a = no_answer(kOutOfReach);
  s->traced = false;
  if (wrist_out_of_reach(t)) return a;
  lanes_of(l, s);
  Scan scan = start_scan(l, seed);
  for (int round = 0;; ++round) {
    // The first e0 alone, since it mostly ends the search; then the others.
    const int room = round == 0 ? 1 : kFirstTries - 1;
    int n = 0;
    while (n < room && next_e0(t, l, kFirstTries, &scan, &s->rest.e0[n])) ++n;
    if (n == 0) {
      before_long();
      return solve_rest(t, seed, l, scan, s);
    }
    if (try_wave(t, seed, l, n, s, &a)) return a;
  }
}

inline Answer solve_quick(const Target& t, const double* seed, const Limits& l, Scratch* s) {
  return solve_quick(t, seed, l, s, [] {});
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
