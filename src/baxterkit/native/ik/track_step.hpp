// One step after a moving target: the solution next to one joint vector.
//
// Eight lanes of track8 start at the same joints, each with a policy of its own; the shortest step
// that arrives is taken. Where none arrives (a singular configuration, the end of a range, a target that
// has jumped) e0 is held at a few values around the present one, and all solutions there are looked at.
#pragma once

#include "fixed_e0.hpp"
#include "track.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kFan = 11;
// [rad] e0 values that are tried, relative to the present one, nearest first
constexpr double kFanShift[kFan] = {0.0, 0.01, -0.01, 0.03, -0.03, 0.08, -0.08, 0.2, -0.2, 0.4, -0.4};

// The shortest of eight steps along the curve; false if none arrives.
inline bool step_along(const Target& t, const Limits& l, const double* most, const double* from, double* q) {
  Joints8 start;
  for (int k = 0; k < 7; ++k) start.q[k] = Oct(from[k]);
  const Tracked next = track8(t, l, most, start, {Oct::load(kTrackAim), Oct::load(kTrackRate)}, 255u);
  if (!next.good) return false;
  double to[7][kOct], least = 0;
  for (int k = 0; k < 7; ++k) next.j.q[k].store(to[k]);
  int best = -1;
  for (int i = 0; i < kOct; ++i) {
    if (!(next.good >> i & 1u)) continue;
    double d = 0;
    for (int k = 0; k < 7; ++k) d += (to[k][i] - from[k]) * (to[k][i] - from[k]);
    if (best < 0 || d < least) best = i, least = d;
  }
  for (int k = 0; k < 7; ++k) q[k] = to[k][best];
  return true;
}

// The nearest step so far, and the square of its length; negative while there is none.
struct NearestStep {
  double least = -1;
  double q[7];
};

// Looks at every solution with this e0; `part` of `most` is what a joint may move.
inline void step_at(Target t, const Limits& l, const double* most, double part, const double* from, double e0,
                    NearestStep* best) {
  Solutions found;
  t.turn[2] = t.turned ? e0 : 0.0;
  solve_fixed_e0(t, e0, &found);
  for (int i = 0; i < found.count; ++i) {
    const double* x = found.q[i];
    bool fits = within(l, x);
    for (int k = 0; k < 7; ++k) {
      fits &= __builtin_fabs(x[k] - from[k]) <= part * most[k] + kStepRounding;
    }
    const double d = seed_distance(x, from);
    if (!fits || (best->least >= 0 && d >= best->least)) continue;
    best->least = d;
    for (int k = 0; k < 7; ++k) best->q[k] = clip(l, k, x[k]);
  }
}

// The solution next to `from` within the limits, no joint moving farther than `most`. With
// `hold_elbow` e0 stays as it is, unless that makes another joint move more than half as far as it
// may. False: there is none nearby, which proves nothing.
inline bool track_step(const Target& t, const Limits& l, const double* most, const double* from,
                       bool hold_elbow, double* q) {
  NearestStep best;
  if (hold_elbow) step_at(t, l, most, 0.5, from, from[2], &best);
  if (best.least < 0 && step_along(t, l, most, from, q)) return true;
  if (best.least < 0) {
    for (double shift : kFanShift) {
      if (best.least >= 0 && shift * shift > best.least) break;  // e0 alone would move farther
      step_at(t, l, most, 1.0, from, from[2] + shift, &best);
    }
  }
  if (best.least < 0) return false;
  for (int k = 0; k < 7; ++k) q[k] = best.q[k];
  return true;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
