// Every solution within the limits at many values of e0, side by side.
//
// The same stages as the quick search, but all solutions are kept. Values of e0 where the bounds leave
// no room for a solution are left out; what the lanes cannot decide is decided by the sure path.
#pragma once

#include "quick.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// The solutions of a wave's tasks, visit(q) each; tasks that are uncertain give none.
template <class Visit>
inline void visit_wave(const Limits& l, LaneWave* w, const Visit& visit) {
  const Starts& x = w->starts;
  constexpr int kMost = 2 * kMaxLaneRoots;
  double found[kMost][7];
  int task_of[kMost], count = 0;
  for (int first = 0; first < x.count; first += kOct) {
    const int n = x.count - first < kOct ? x.count - first : kOct;
    Oct q[8];
    const unsigned exact = solve_starts(w->task, x, first, n, q);
    double e0[kOct], angle[7][kOct];
    for (int i = 0; i < kOct; ++i) e0[i] = w->e0[x.task[first + (i < n ? i : 0)]];
    q[2] = Oct::load(e0);
    Oct outside(0.0);
    for (int k = 0; k < 7; ++k) {
      outside = max(outside, max(l.lower[k] - q[k], q[k] - l.upper[k]));
      q[k].store(angle[k]);
    }
    const unsigned inside = (~(Oct(kLimitTolerance) < outside)).bits();
    for (int i = 0; i < n; ++i) {
      const int task = x.task[first + i];
      if (!(exact >> i & 1u)) w->uncertain[task] = true;
      if (!(exact & inside & 1u << i)) continue;
      for (int k = 0; k < 7; ++k) found[count][k] = angle[k][i];
      task_of[count++] = task;
    }
  }
  for (int i = 0; i < count; ++i) {
    if (!w->uncertain[task_of[i]]) visit(found[i]);
  }
}

// Where along e0 there may be solutions at all; made once for a target.
struct SweepBounds {
  bool known = false;
  LimitBounds limits;
};

inline SweepBounds sweep_bounds(const Target& t, const Limits& l) {
  SweepBounds b;
  b.known = !is_along_axis(t) && !t.turned;
  if (b.known) bound_limits(t, l, &b.limits);
  return b;
}

// visit(q) for every solution within the limits at each of n values of e0, in no particular order.
template <class Visit>
inline void sweep_e0(const Target& t, const Limits& l, const SweepBounds& bounds, int n, const double* e0,
                     Scratch* s, const Visit& visit) {
  LaneWave& w = s->rest;
  const LaneLimits& lanes = lanes_of(l, s);
  const auto surely = [&](double value) {
    Solutions found;
    Target here = t;
    if (t.turned) {  // the lanes know limits inside of [-pi, pi] only
      here.turn[2] = value;
      solve_fixed_e0(here, value, &found);
    } else {
      solve_fixed_e0_within(t, value, l, s->near, &found);
    }
    for (int i = 0; i < found.count; ++i) {
      if (within(l, found.q[i])) visit(found.q[i]);
    }
  };
  if (t.turned) {
    for (int i = 0; i < n; ++i) surely(e0[i]);
    return;
  }
  for (int next = 0; next < n;) {
    int count = 0;
    for (; next < n && count < kMaxLaneTasks; ++next) {
      if (bounds.known && least_between(bounds.limits, e0[next], 0.0) > 0.0) continue;
      fill_task(t, &w.task[count]);
      w.uncertain[count] = false;
      w.e0[count++] = e0[next];
    }
    wave_roots(lanes, count, &w);
    wave_starts(lanes, &w);
    visit_wave(l, &w, visit);
    for (int i = 0; i < count; ++i) {
      if (w.uncertain[i]) surely(w.e0[i]);
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
