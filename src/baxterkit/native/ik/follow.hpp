// Following the self-motion by arc length from the solutions that could not be linked at once:
// through folds in e0, until the next slice, eight at a time. With `near`, only as far as the limits
// are near: slices then hold the solutions near the limits and no others.
#pragma once

#include "near_limits.hpp"
#include "self_motion.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kSameNode = 1e-4;         // [rad] nearer to a solution of the slice, a path has met it
// Pose error [m and 1] before a Newton step, and its length [rad], that leave rounding after it.
constexpr double kSmallError = 1e-9, kSmallStep = 1e-6;
constexpr double kFairError = 1e-7, kTinyStep = 3e-7;
constexpr double kLandingSlack = 1e-9;     // [rad] of a landing's fit
constexpr double kShortestLanding = 1e-8;  // [rad] of arc, on the way to a slice
constexpr double kShortestStep = 1e-6;     // [rad] of arc, between slices
constexpr double kFoldMargin = 1e-6;       // [rad] from a slice within which a fold is looked at closely
constexpr double kFoldArc = 1e-5;          // [rad] of arc that is short enough to tell
constexpr double kOnSlice = 1e-12;         // [rad] of e0: on a slice
constexpr double kNextToSlice = 1e-9;      // [rad] of e0: started at a slice

constexpr int kMaxArcs = 150;            // steps of one path
constexpr int kCorrections = 4;          // Newton steps of the corrector, at most
constexpr double kShortestRound = 0.02;  // [rad] step bound of the last attempt
constexpr double kSmallArc = 0.08;       // [rad] step bound at w1 = 0
constexpr double kArcOfWrist = 0.5;      // [rad] by which the step bound grows with |sin w1|
// Bounds of the steps [rad]: of the first attempt, the factor from one to the next, and none is below the last.
constexpr double kFirstRound = 0.3, kNextRound = 0.25, kLeastRound = 0.01;
constexpr double kFirstArc = 0.15;  // [rad] first step of a path
constexpr double kShortArc = 0.02;  // [rad] below it the corrector is thorough
// What a step must fulfil: the cosine between its tangents; the correction, and the misfit of one cubic,
// over the arc. With a misfit below kFineFit the next step is longer.
constexpr double kStepTurn = 0.85, kStepMoved = 0.3, kStepFit = 0.015, kFineFit = 0.005;
constexpr double kStepShorter = 0.4, kStepLonger = 1.6;  // from one step to the next
constexpr double kLandingFit = 0.03;  // misfit over the chord of a landing
constexpr double kTipMargin = 0.3;  // share of e0's way to a fold by which the estimate of it may be off
constexpr double kEarlyFold = 0.1;  // half the share of a step: a fold before it is right at the beginning,
constexpr double kToEarlyFold = 0.2;  // and the next step is shorter by this factor instead of a half
constexpr double kTurnedBack = 0.3;  // the factor where a path has turned back at once
// A joint leaves the neighbourhood of its limits if it is outside by kGoneFar [rad] after an arc of
// kGoneAhead [rad], with this share of e0 in the tangent at least.
constexpr double kGoneAhead = 0.3, kGoneFar = 0.25, kClearOfFold = 0.2;

// One path under way. It lies in the gap right of `gap`; positions are continuous (not wrapped).
struct Path {
  int origin, port;  // where it left
  int head, last;  // its first and newest node; -1: none yet
  int gap, arcs;
  double q[7], direction[7];
  double bend[7];  // half the second derivative by arc length, across the direction
  double arc, longest;  // arc length of the next step, and its bound
  double guess[7];  // where it is about to land on a slice
  int landing;  // 0: stepping, 1: landing on the left slice, 2: on the right
  bool active, last_try;
};

// e0 of a path relative to the left slice of its gap, in [-pi, pi).
inline double gap_position(const SelfMotion& m, const Path& p, double e0) {
  return wrap_angle(e0 - m.e0[left_of(m, p.gap)]);
}

inline bool add_path_node(SelfMotion* m, Path* p, const double* q, const double* direction) {
  if (m->nodes == kMaxMotionNodes) {
    m->shortage |= kOfMotionNodes;
    return false;
  }
  MotionNode& n = m->node[m->nodes];
  for (int k = 0; k < 7; ++k) n.q[k] = wrap_joint(m->target, k, q[k]), n.tangent[k] = direction[k];
  n.link[0] = n.link[1] = -1;
  n.slice = -1;
  if (p->last >= 0) link_nodes(m, p->last, 1, m->nodes, 0);
  if (p->head < 0) p->head = m->nodes;
  p->last = m->nodes++;
  return true;
}

// Ends a path where it is, its far end open.
inline void end_open(SelfMotion* m, Path* p) {
  p->active = false;
  if (p->head >= 0 && m->node[p->origin].link[p->port] < 0) link_nodes(m, p->origin, p->port, p->head, 0);
}

// Ends a path at the node of its slice that it has arrived at, and links it at both ends.
inline void arrive(SelfMotion* m, const Limits* near, Path* p, const double* q, const double* direction) {
  p->active = false;
  const int slice = p->landing == 1 ? left_of(*m, p->gap) : right_of(*m, p->gap);
  double wrapped[7];
  for (int k = 0; k < 7; ++k) wrapped[k] = wrap_joint(m->target, k, q[k]);
  int best = -1;
  double nearest_distance = kSameNode;
  for (int i = m->first[slice]; i < m->first[slice] + m->count[slice]; ++i) {
    const double d = joint_distance(m->node[i].q, wrapped);
    if (d < nearest_distance) nearest_distance = d, best = i;
  }
  if (best < 0) {  // no node of that slice: it may have been left out for its distance
    if (near && add_path_node(m, p, q, direction)) end_open(m, p);
    return;
  }
  // Tangents of slices point to the right: the port into this gap is known.
  const int entered = p->landing == 1 ? 1 : 0;
  if (best == p->origin && entered == p->port) return;
  const int taken = m->node[best].link[entered];
  if (taken >= 0) {
    // Linked at once across the gap, to another: the path knows better. That other goes open, and
    // is followed in the next round.
    if (m->node[taken].slice < 0) return;
    m->node[taken].link[m->node[best].port[entered]] = -1;
  }
  if (p->head < 0) {
    link_nodes(m, p->origin, p->port, best, entered);
  } else {
    link_nodes(m, p->origin, p->port, p->head, 0);
    link_nodes(m, p->last, 1, best, entered);
  }
}

// A path that cannot be followed further keeps what it has found, with an open end.
inline void give_up(SelfMotion* m, Path* p) {
  p->active = false;
  if (p->last_try) end_open(m, p);
}

// Newton, until the next step would change nothing: at an error of rounding, or a last step so
// short that what it left, of the order of its square, is. (At a singular configuration steps are long.)
// Returns the lanes that are exact.
inline unsigned correct(const Target& t, const Oct* plane, unsigned lanes, Joints8* j, Oct* tangent) {
  unsigned exact = 0;
  for (int i = 0; i < kCorrections && (exact & lanes) != lanes; ++i) {
    Oct length;
    const Oct e = newton_in_plane(t, plane, 1, j, tangent, &length);
    exact = (((e < Oct(kSmallError)) & (length < Oct(kSmallStep))) |
             ((e < Oct(kFairError)) & (length < Oct(kTinyStep))))
                .bits();
  }
  return exact;
}

// The same in e0, e1 and w0 alone. Where that fails in some of the lanes `thorough`, as above.
inline unsigned correct_reduced(const Target& t, const Oct* plane, unsigned lanes, unsigned thorough,
                                Joints8* j, Oct* tangent) {
  OnCurve x;
  const unsigned exact = slide_to_curve(t, *j, plane, lanes, &x);
  if (thorough & ~exact) return correct(t, plane, lanes, j, tangent);
  *j = x.j;
  for (int k = 0; k < 7; ++k) tangent[k] = x.tangent[k];
  return exact;
}

// One step of up to eight paths.
inline void advance(SelfMotion* m, const Limits* near, Path* path, int n) {
  double q[7][kOct], w[7][kOct];
  for (int i = 0; i < kOct; ++i) {
    const Path& p = path[i < n ? i : 0];
    for (int k = 0; k < 7; ++k) {
      q[k][i] = p.landing ? p.guess[k] : p.q[k] + p.arc * (p.direction[k] + p.arc * p.bend[k]);
      w[k][i] = p.landing ? (k == 2 ? (p.landing == 1 ? -1.0 : 1.0) : 0.0) : p.direction[k];
    }
  }
  Joints8 j;
  Oct plane[7], tangent[7];
  for (int k = 0; k < 7; ++k) j.q[k] = Oct::load(q[k]), plane[k] = Oct::load(w[k]);
  const unsigned lanes = (1u << n) - 1u;
  unsigned thorough = 0;  // paths whose steps have become short
  for (int i = 0; i < n; ++i) thorough |= unsigned(path[i].arc < kShortArc) << i;
  const unsigned exact = near && m->target.rho > kClearOfAxis
                             ? correct_reduced(m->target, plane, lanes, thorough, &j, tangent)
                             : correct(m->target, plane, lanes, &j, tangent);
  double t[7][kOct], from[7][kOct];
  for (int k = 0; k < 7; ++k) {
    for (int i = 0; i < kOct; ++i) from[k][i] = q[k][i];
    j.q[k].store(q[k]);
    tangent[k].store(t[k]);
  }
  for (int i = 0; i < n; ++i) {
    Path& p = path[i];
    if (!p.active) continue;
    double turn = 0, moved = 0, one[7], dir[7];
    for (int k = 0; k < 7; ++k) {
      one[k] = q[k][i], dir[k] = t[k][i];
      turn += dir[k] * p.direction[k];
      moved += (one[k] - from[k][i]) * (one[k] - from[k][i]);
    }
    moved = __builtin_sqrt(moved);
    if (p.landing) {
      double chord = 0, misfit = 0;
      for (int k = 0; k < 7; ++k) chord += (one[k] - p.q[k]) * (one[k] - p.q[k]);
      chord = __builtin_sqrt(chord);
      for (int k = 0; k < 7; ++k) {
        misfit = max(misfit, __builtin_fabs(one[k] - p.q[k] - 0.5 * chord * (dir[k] + p.direction[k])));
      }
      if ((exact >> i & 1u) && misfit < kLandingFit * chord + kLandingSlack) {
        arrive(m, near, &p, one, dir);
      } else {  // not the place that the path leads to: go nearer first
        p.landing = 0;
        p.arc *= kStepShorter;
        if (++p.arcs > kMaxArcs || p.arc < kShortestLanding) give_up(m, &p);
      }
      continue;
    }
    // The step and its two tangents must fit one cubic: else it may have jumped to a curve nearby.
    double fit = 0;
    for (int k = 0; k < 7; ++k) {
      fit = max(fit, __builtin_fabs(one[k] - p.q[k] - 0.5 * p.arc * (dir[k] + p.direction[k])));
    }
    const bool good =
        (exact >> i & 1u) && turn > kStepTurn && moved < kStepMoved * p.arc && fit < kStepFit * p.arc;
    if (!good) {
      p.arc *= kStepShorter;
      if (++p.arcs > kMaxArcs || p.arc < kShortestStep) give_up(m, &p);
      continue;
    }
    // Does e0 reach a slice on the way? Cubic in the arc length, at its ends and its extremum.
    const double width = gap_width(*m, p.gap);
    const double x0 = gap_position(*m, p, p.q[2]), x1 = gap_position(*m, p, one[2]);
    int reached = 0;
    if (p.direction[2] * dir[2] < 0 && x1 > 0 && x1 < width) {
      // e0 turns back on the way: how far does it get? If that is close to a slice, look closer.
      const double a = p.direction[2], b = dir[2];
      const double u = a / (a - b);
      const double tip = x0 + p.arc * a * u * 0.5;
      const double margin = kTipMargin * __builtin_fabs(tip - x0) + kFoldMargin;
      if ((tip < margin || tip > width - margin) && p.arc > kFoldArc) {
        p.arc *= 0.5 * u > kEarlyFold ? 0.5 : kToEarlyFold;
        if (++p.arcs > kMaxArcs) give_up(m, &p);
        continue;
      }
    }
    if (x1 <= 0 && !(x0 <= kOnSlice && x1 > x0)) reached = 1;
    if (x1 >= width && !(x0 >= width - kOnSlice && x1 < x0)) reached = 2;
    if (p.head < 0 && reached &&
        ((x0 < kNextToSlice && reached == 1 && p.direction[2] > 0) ||
         (x0 > width - kNextToSlice && reached == 2 && p.direction[2] < 0))) {
      // turned back at once: a fold right next to the slice; shorter steps see it
      if (p.arc > kShortestLanding) {
        p.arc *= kTurnedBack, ++p.arcs;
        continue;
      }
    }
    if (reached) {
      // landing: start where the chord meets the slice
      const double goal = reached == 1 ? 0.0 : width;
      const double u = (goal - x0) / (x1 - x0);
      for (int k = 0; k < 7; ++k) p.guess[k] = p.q[k] + u * (one[k] - p.q[k]);
      p.guess[2] = p.q[2] + (goal - x0);
      p.landing = reached;
      ++p.arcs;
      continue;
    }
    if (!add_path_node(m, &p, one, dir) || ++p.arcs > kMaxArcs) give_up(m, &p);
    if (near && p.active && !is_near(*near, one, __builtin_fabs(dir[2]) < kSteep ? kNearSteep : kNear))
      end_open(m, &p);
    for (int k = 0; k < 7; ++k) {
      p.bend[k] = 0.5 / p.arc * (turn * dir[k] - p.direction[k]);
      p.q[k] = one[k], p.direction[k] = dir[k];
    }
    if (fit < kFineFit * p.arc) p.arc = min(p.arc * kStepLonger, p.longest);
    p.arc = min(p.arc, kSmallArc + kArcOfWrist * wrist_scale(p.q));
  }
}

// Does a curve leave the neighbourhood of the limits through this port? A joint is outside, and
// moves away from its limits by so much that it will not be back before the next slice. Where curves
// bend sharply (at w1 = 0, at folds in e0) that is not said.
inline bool leaves(const Limits& l, const MotionNode& n, int port) {
  if (n.tangent[2] < kClearOfFold || !is_clear_of_wrist(n.q)) return false;
  for (int k = 0; k < 7; ++k) {
    const double v = outside(l, k, n.q[k]);
    if (v < 0) continue;
    const double off = wrap_angle(n.q[k] - 0.5 * (l.lower[k] + l.upper[k]));
    const double outward = (off < 0 ? -1 : 1) * (port == 1 ? 1 : -1) * n.tangent[k];
    const double gone = v + kGoneAhead * outward, beyond = 2 * kPi - (l.upper[k] - l.lower[k]);
    // (of limits nearly a turn wide the other one is soon there)
    if (outward > 0 && gone > kGoneFar && beyond - gone > kGoneFar) return true;
  }
  return false;
}

// How many ports lead into the gap right of `gap`: those of its left slice first, then of its right.
inline int left_ports(const SelfMotion& m, int gap) { return m.count[left_of(m, gap)]; }
inline int all_ports(const SelfMotion& m, int gap) { return left_ports(m, gap) + m.count[right_of(m, gap)]; }

// The next open one of the ports [*at, end); false if none is left.
inline bool next_port(const SelfMotion& m, const Limits* near, int gap, double longest, int end, int* at,
                      Path* p) {
  const int left = left_of(m, gap), right = right_of(m, gap);
  for (; *at < end; ++*at) {
    const bool leftward = *at >= m.count[left];
    const int index = leftward ? m.first[right] + *at - m.count[left] : m.first[left] + *at;
    const MotionNode& n = m.node[index];
    const int port = leftward ? 0 : 1;
    if (n.link[port] >= 0 || (near && leaves(*near, n, port))) continue;
    *p = Path();
    p->origin = index;
    p->head = p->last = -1;
    p->port = port;
    p->gap = gap;
    p->arc = min(min(kFirstArc, longest), kSmallArc + kArcOfWrist * wrist_scale(n.q));
    p->longest = longest;
    p->last_try = longest < kShortestRound;
    p->active = true;
    for (int k = 0; k < 7; ++k) {
      p->q[k] = n.q[k];
      p->direction[k] = port == 1 ? n.tangent[k] : -n.tangent[k];
    }
    ++*at;
    return true;
  }
  return false;
}

// Follows every open port into its gap, if that is open: eight gaps at a time, one path in each, so
// that no path is followed from both ends. `longest` bounds the steps [rad].
inline void follow_all(SelfMotion* m, double longest) {
  Path path[kOct];
  int at[kOct], active = 0, gap = 0;
  while (true) {
    while (active < kOct && gap < m->gaps) {
      at[active] = 0;
      if (m->gap[gap] == kOpen &&
          next_port(*m, nullptr, gap, longest, all_ports(*m, gap), &at[active], &path[active])) {
        ++active;
      }
      ++gap;
    }
    if (active == 0) return;
    if (--m->steps < 0) {
      m->shortage |= kOfSteps;
      return;
    }
    advance(m, nullptr, path, active);
    for (int i = 0; i < active;) {
      if (path[i].active ||
          next_port(*m, nullptr, path[i].gap, longest, all_ports(*m, path[i].gap), &at[i], &path[i])) {
        ++i;
        continue;
      }
      --active;
      path[i] = path[active];
      at[i] = at[active];
    }
  }
}

// The same near the limits, all open ports at once: first those into their gaps from the left, then
// what is left of those from the right. A path that is followed from both ends all the same is
// dropped where it comes second.
inline void follow_near(SelfMotion* m, double longest, const Limits& near) {
  Path path[kOct];
  int active = 0, side = 0, gap = 0, at = 0;
  while (true) {
    while (active < kOct && side < 2) {
      const int end = m->gap[gap] != kOpen ? 0 : side == 0 ? left_ports(*m, gap) : all_ports(*m, gap);
      if (next_port(*m, &near, gap, longest, end, &at, &path[active])) {
        ++active;
        continue;
      }
      if (++gap == m->gaps) gap = 0, ++side;
      at = side == 0 ? 0 : left_ports(*m, gap);
    }
    if (active == 0) return;
    if (--m->steps < 0) {
      m->shortage |= kOfSteps;
      return;
    }
    advance(m, &near, path, active);
    for (int i = 0; i < active;) {
      if (path[i].active && m->node[path[i].origin].link[path[i].port] < 0) {
        ++i;
      } else {
        path[i] = path[--active];
      }
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
