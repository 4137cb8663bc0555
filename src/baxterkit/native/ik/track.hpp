// Following a moving target: from eight solutions of one pose to eight of the next, in microseconds.
//
// Newton's method leads to the next pose; what is free then is a shift along its self-motion. To first
// order the limits and the steps that the joints may make leave an interval for that shift. Within
// it the shift that makes the step shortest is taken, or one nearer to the middle of the interval,
// or to one of its ends: that is the policy of a lane.
#pragma once

#include "joint_newton.hpp"
#include "near_limits.hpp"
#include "reduced_curve.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kTrackAxis = 0.01;    // [m] nearer to the s0 axis all joints are solved for at once
constexpr double kTrackInside = 1e-9;  // [rad] solutions stay this far inside the limits
constexpr double kTrackError = 1e-11;  // sum of pose errors [m and 1] of an accepted solution
constexpr double kClearance = 0.02;    // [rad] they keep this far from the limits where they can
constexpr double kLongestShift = 0.15; // [rad] along the self-motion, at one pose
constexpr double kNoShift = 1e-7;      // [rad] a shift below changes nothing worth mentioning
constexpr double kStillJoint = 1e-9;   // a joint with less than this in the tangent stands still
constexpr double kStepRounding = 1e-12;   // [rad] in comparisons of steps
constexpr double kTrackNewton = 0.3;      // [rad] of one Newton step in joint space
constexpr int kTrackSteps = 6;            // Newton steps in joint space, at most
constexpr double kTrackConverged = 1e-9;  // pose error before a step that leaves rounding after it
constexpr double kNoSoftLimit = 10.0;     // [rad] a shift that no limit asks for
// Of half the interval of shifts, which is only a first approximation: what an aim goes to at most, and what
// a shift keeps from the ends.
constexpr double kAimShare = 0.95, kEndShare = 0.05;

// Where between the ends of the interval (-1, 1; 0: its middle) a lane wants to be, and which part
// of the way there it goes in one step (0: the shortest step).
struct TrackPolicy {
  Oct aim, rate;
};

// Eight policies: the shortest steps; towards the middle of what limits and steps leave, faster and
// faster; and towards either end of it.
constexpr double kTrackAim[kOct] = {0, 0, 0, 0.5, -0.5, 0, 0.9, -0.9};
constexpr double kTrackRate[kOct] = {0, 0.1, 0.4, 0.1, 0.1, 1, 0.4, 0.4};

struct Tracked {
  Joints8 j;
  unsigned good;     // lanes that have arrived, within the limits and the steps
  unsigned reached;  // lanes that have arrived at the pose, wherever
};

// The solution next to `from`, and the self-motion's tangent there. Returns the lanes that have it.
inline unsigned next_solution(const Target& t, const Joints8& from, const Oct* tangent, unsigned lanes,
                              OnCurve* out) {
  unsigned good = 0;
  if (t.rho > kTrackAxis) good = slide_to_curve(t, from, tangent, lanes, out);
  if (!(lanes & ~good)) return good;
  Joints8 j = from;
  for (int i = 0; i < kTrackSteps; ++i) {
    const unsigned exact = (joint_newton_step(t, false, kTrackNewton, &j) < Oct(kTrackConverged)).bits();
    if (!(lanes & ~exact)) break;
  }
  Oct direction[7];
  self_tangent(t, j, direction);
  const unsigned reached = (pose_error8(t, j) < Oct(kTrackError)).bits() & ~good;
  double mask[kOct];
  for (int i = 0; i < kOct; ++i) mask[i] = reached >> i & 1u ? 1.0 : -1.0;
  const Mask other = Oct(0.0) < Oct::load(mask);
  for (int k = 0; k < 7; ++k) {
    out->j.q[k] = select(other, j.q[k], out->j.q[k]);
    out->tangent[k] = select(other, direction[k], out->tangent[k]);
  }
  return good | reached;
}

// One step to the next pose. `most` is how far each joint may move [rad]; `lanes` are in use, all at
// solutions of the pose before.
inline Tracked track8(const Target& t, const Limits& l, const double* most, const Joints8& from,
                      const TrackPolicy& policy, unsigned lanes) {
  Tracked out;
  Oct tangent[7];
  if (unit_tangents(from, tangent) != 255u) self_tangent(t, from, tangent);
  OnCurve x;
  unsigned good = next_solution(t, from, tangent, lanes, &x) & lanes;
  if (!good) {
    out.good = out.reached = 0;
    return out;
  }
  // What limits and steps leave for a shift along the tangent, and the one of the shortest step.
  Oct low(-kLongestShift), high(kLongestShift), shortest(0.0);
  Oct soft_low(-kNoSoftLimit), soft_high(kNoSoftLimit);  // that keeps clear of the limits
  for (int k = 0; k < 7; ++k) {
    const Oct moved = x.j.q[k] - from.q[k], v = x.tangent[k];
    shortest = fnma(moved, v, shortest);
    const Oct slow = select(abs(v) < Oct(kStillJoint), copysign_of(Oct(kStillJoint), v), v),
              inverse = 1.0 / slow;
    const Oct room_low = max(l.lower[k] + kTrackInside - x.j.q[k], -most[k] - moved);
    const Oct room_high = min(l.upper[k] - kTrackInside - x.j.q[k], most[k] - moved);
    const Oct a = room_low * inverse, b = room_high * inverse;
    low = max(low, min(a, b));
    high = min(high, max(a, b));
    const Oct c = (l.lower[k] + kClearance - x.j.q[k]) * inverse;
    const Oct d = (l.upper[k] - kClearance - x.j.q[k]) * inverse;
    soft_low = max(soft_low, min(c, d));
    soft_high = min(soft_high, max(c, d));
  }
  const Oct middle = 0.5 * (low + high), half = 0.5 * (high - low);
  const Oct aim = fma(policy.aim, kAimShare * max(half, Oct(0.0)), middle);
  Oct shift = fma(policy.rate, aim - shortest, shortest);
  shift = select(soft_low < soft_high, min(max(shift, soft_low), soft_high), 0.5 * (soft_low + soft_high));
  // away from the ends of the interval, which is only a first approximation
  const Oct inner = kEndShare * max(half, Oct(0.0));
  shift = select(low < high, min(max(shift, low + inner), high - inner), middle);
  // A shift that changes nothing worth mentioning is left out.
  const unsigned moves = (Oct(kNoShift) < abs(shift)).bits() & good;
  if (moves) {
    Joints8 shifted;
    for (int k = 0; k < 7; ++k) shifted.q[k] = fma(shift, x.tangent[k], x.j.q[k]);
    OnCurve y;
    const unsigned reached = next_solution(t, shifted, x.tangent, moves, &y) & moves;
    double mask[kOct];
    for (int i = 0; i < kOct; ++i) mask[i] = reached >> i & 1u ? 1.0 : -1.0;
    const Mask other = Oct(0.0) < Oct::load(mask);
    for (int k = 0; k < 7; ++k) x.j.q[k] = select(other, y.j.q[k], x.j.q[k]);
  }
  Mask fine = pose_error8(t, x.j) < Oct(kTrackError);
  out.reached = good & fine.bits();
  for (int k = 0; k < 7; ++k) {
    fine = fine & ~(x.j.q[k] < Oct(l.lower[k])) & ~(Oct(l.upper[k]) < x.j.q[k]);
    fine = fine & ~(Oct(most[k] + kStepRounding) < abs(x.j.q[k] - from.q[k]));
  }
  out.j = x.j;
  out.good = good & fine.bits();
  return out;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
