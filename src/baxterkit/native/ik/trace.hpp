// Tracing the self-motion, in all gaps between slices or in those that matter.
#pragma once

#include "limit_bounds.hpp"
#include "small_loops.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// Along the axis: distance of the wrist from the s0 axis [m], and the sine between it and the hand's.
constexpr double kAlongAxisRho = 0.02, kAlongAxisTilt = 0.05;
// [m] Between slices that are kMoreWidth / kMostSlices apart psi turns by that times X / rho: by 0.42 rad here.
constexpr double kNearAxisRho = 0.005;

// The tracing of the open gaps in three steps. First what can be linked at once,
inline void trace_links(SelfMotion* m) {
  find_tangents(m, m->aligned, m->nodes - m->aligned);
  m->aligned = m->nodes;
  for (int i = 0; i < m->gaps; ++i) {
    if (m->gap[i] == kOpen) link_gap(m, i);
  }
}

// then the paths that turn or bend,
inline void trace_paths(SelfMotion* m) {
  for (double longest = kFirstRound; longest > kLeastRound; longest *= kNextRound) {
    follow_all(m, longest);
  }
}

// and last the curves that cross no slice. The gaps are traced then.
inline void trace_loops(SelfMotion* m, const Limits* near = nullptr) {
  NearMisses near_misses;
  near_misses.near = near;
  loops_on_edge(m, &near_misses);
  loops_at_reach(m, &near_misses);
  loops_at_wrist(m, &near_misses);
  for (int i = 0; i < m->gaps; ++i) {
    const int before = i == 0 ? m->gaps - 1 : i - 1;
    if (m->gap[i] != kOpen && m->gap[before] != kOpen) continue;
    const int slice = left_of(*m, i);
    if (slice < kSlices && m->faint[slice]) loops_near_slice(m, m->e0[slice], &near_misses);
  }
  try_near_misses(m, &near_misses);
  loops_on_axis_edge(m, near);
  for (int i = 0; i < m->gaps; ++i) {
    if (m->gap[i] == kOpen) m->gap[i] = kTraced;
  }
  m->aligned = m->nodes;
}

// The last two steps, if the first has been enough so far.
inline void trace_rest(SelfMotion* m) {
  bool open = false;
  for (int i = 0; i < m->gaps; ++i) open |= m->gap[i] == kOpen;
  if (!open) return;
  trace_paths(m);
  trace_loops(m);
}

// Whether the wrist lies on the s0 axis, or nearly, and the hand along it: then curves may keep to so
// short a range of e0 that slices of e0 are no way to find them.
inline bool is_along_axis(const Target& t) {
  const double tilt2 = t.axis[2][0] * t.axis[2][0] + t.axis[2][1] * t.axis[2][1];
  return t.rho < kAlongAxisRho && tilt2 < kAlongAxisTilt * kAlongAxisTilt;
}

// Whether the wrist is so near to the s0 axis that s0 may turn, from one slice to the next, by as much as
// curves are followed beyond the limits (kNear): then the whole self-motion is traced instead.
inline bool is_near_axis(const Target& t) { return t.rho < kNearAxisRho; }

// One slice without solutions, so that every curve counts as a loop.
inline void lay_no_slices(SelfMotion* m) {
  const int slice = add_slice(m, wrap_joint(m->target, 2, m->base_e0 + kPi));
  m->solved[slice] = true;
  m->order[0] = slice;
  m->gaps = 1;
  m->gap[0] = kOpen;
}

// All curves of such a target.
inline void trace_along_axis(SelfMotion* m) {
  lay_no_slices(m);
  NearMisses near_misses;
  loops_over_s0(m, &near_misses);
  loops_on_edge(m, &near_misses);
  loops_at_reach(m, &near_misses);
  loops_at_wrist(m, &near_misses);
  try_near_misses(m, &near_misses);
  loops_on_axis_edge(m, nullptr);
  m->gap[0] = kTraced;
  m->aligned = m->nodes;
}

// All curves of a target.
inline void trace_motion(SelfMotion* m) {
  if (is_along_axis(m->target)) {
    trace_along_axis(m);
    return;
  }
  lay_slices(m);
  for (int i = 0; i < m->gaps; ++i) open_gap(m, i);
  trace_links(m);
  trace_paths(m);
  trace_loops(m);
}

// The violation that no solution in a gap falls below.
inline double gap_bound(const SelfMotion& m, const LimitBounds& b, int gap) {
  return least_between(b, m.e0[left_of(m, gap)], gap_width(m, gap));
}

// Opens the gaps that may hold solutions within the limits; false if there are none.
inline bool open_feasible_gaps(const LimitBounds& b, SelfMotion* m) {
  bool any = false;
  for (int i = 0; i < m->gaps; ++i) {
    if (gap_bound(*m, b, i) > 0.0) continue;
    open_gap(m, i);
    any = true;
  }
  return any;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
