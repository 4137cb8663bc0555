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

constexpr int kNearSteps = 400;  // of paths (eight at a time) and of loops, for one target

// The solutions of a slice that are near the limits, by the sure way.
inline void solve_slice_near(const Limits& l, int slice, SelfMotion* m) {
  Solutions all, kept;
  const double e0 = m->e0[slice], c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  if (!solve_fast(m->target, e0, c3, s3, nullptr, &all)) {
    const CurveLimits near = curve_limits(l, kNear);
    all.count = 0;
    solve_on_curve(m->target, e0, c3, s3, &near, &all);
  }
  m->limited |= all.limited;
  for (int i = 0; i < all.count; ++i) {
    if (!is_near(l, all.q[i])) continue;
    for (int k = 0; k < 7; ++k) kept.q[kept.count][k] = all.q[i][k];
    ++kept.count;
  }
  fill_slice(m, slice, kept);
}

// Solves up to eight slices in lanes of e0; returns those that are unsure.
inline unsigned solve_lanes_near(const Limits& l, const int* slice, int count, SelfMotion* m) {
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

// Solves n slices that are not solved yet, overwriting the list. One that is unsure is moved by a
// little, which is mostly enough to be clear of the place where roots meet.
inline void solve_slices_near(const Limits& l, int* slice, int n, SelfMotion* m) {
  constexpr double aside[3] = {0.0, 0.045, -0.045};
  double at[kMaxSlices];
  for (int i = 0; i < n; ++i) at[i] = m->e0[slice[i]];
  const bool movable = m->slices <= kSlices;  // else they stand close to one another
  for (int round = 0; round < 3 && n > 0; ++round) {
    int left = 0;
    for (int first = 0; first < n; first += kOct) {
      const int count = n - first < kOct ? n - first : kOct;
      for (int i = 0; i < count; ++i) {
        const int k = slice[first + i];
        m->e0[k] = wrap_joint(m->target, 2, at[first + i] + aside[round]);
      }
      const unsigned unsure = solve_lanes_near(l, slice + first, count, m);
      for (int i = 0; i < count; ++i) {
        if (!(unsure >> i & 1u)) continue;
        at[left] = at[first + i];
        slice[left++] = slice[first + i];
      }
    }
    n = left;
    if (!movable) break;
  }
  for (int i = 0; i < n; ++i) {
    m->e0[slice[i]] = at[i];
    solve_slice_near(l, slice[i], m);
  }
}

// Follows all open ports near the limits.
inline void trace_paths_near(const Limits& l, SelfMotion* m) {
  for (double longest = 0.3; longest > 0.01; longest *= 0.25) follow_near(m, longest, l);
}

// All curves near the limits.
inline void trace_near(const Limits& l, SelfMotion* m) {
  if (is_along_axis(m->target)) {  // then slices of e0 are no way to find them
    trace_motion(m);
    return;
  }
  m->steps = kMaxSteps - kNearSteps;
  lay_slices(m);
  int slice[kMaxSlices], n = 0;
  for (int i = 0; i < m->slices; ++i) {
    if (outside(l, 2, m->e0[i]) < kNear) slice[n++] = i;
  }
  solve_slices_near(l, slice, n, m);
  for (int i = 0; i < m->gaps; ++i) {
    if (m->solved[left_of(*m, i)] && m->solved[right_of(*m, i)]) m->gap[i] = kOpen;
  }
  trace_links(m);
  trace_paths_near(l, m);
  trace_loops(m, &l);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
