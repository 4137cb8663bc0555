// A continuous joint path through a sequence of poses: many solutions of the first pose tracked side
// by side, each with its own way of using the redundancy.
//
// Tracks that die, at a limit or because a joint is too slow, are replaced by copies of living ones,
// which go on in the manner of the dead one. The cheapest track that arrives is the path; the cost
// is the sum of the squared steps.
#pragma once

#include <vector>

#include "best_point.hpp"
#include "near_motion.hpp"
#include "quick.hpp"
#include "track.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kMostTracks = 64;

// A solution at one pose, and which track of the pose before it comes from.
struct TrackPoint {
  double q[7], cost;
  int from;
  bool alive;
};

// Solutions of a pose all along its self-motion within the limits, at most `most`, evenly chosen;
// the one with the least cost first.
inline int spread_solutions(const Target& t, const Limits& l, const Cost& cost, int most, Scratch* s,
                            Prospects* prospects, TrackPoint* out) {
  start_motion(t, clip(l, 2, 0.0), &s->motion);
  trace_near(l, &s->motion);
  const Best best = best_point(s->motion, l, cost, prospects, &s->feasible);
  int count = 0;
  const auto add = [&](const double* q) {
    TrackPoint& p = out[count++];
    for (int k = 0; k < 7; ++k) p.q[k] = clip(l, k, q[k]);
    p.cost = 0, p.from = -1, p.alive = true;
  };
  if (best.found) add(best.q);
  int inside = 0;
  for (int i = 0; i < s->motion.nodes; ++i) inside += worst_violation(l, s->motion.node[i].q) == 0;
  const int room = most - count;
  int seen = 0;
  for (int i = 0; i < s->motion.nodes; ++i) {
    const double* q = s->motion.node[i].q;
    if (worst_violation(l, q) != 0) continue;
    // every (inside / room)-th of them
    if (inside <= room || seen * room / inside != (seen + 1) * room / inside) add(q);
    ++seen;
  }
  return count;
}

// How a track uses the redundancy: 0 the shortest steps, then towards the middle of what limits and
// steps leave, faster and faster, then towards either end of it.
inline void policy_of(int track, double* aim, double* rate) {
  constexpr double aims[8] = {0, 0, 0, 0.5, -0.5, 0, 0.9, -0.9};
  constexpr double rates[8] = {0, 0.1, 0.4, 0.1, 0.1, 1, 0.4, 0.4};
  *aim = aims[track % 8], *rate = rates[track % 8];
}

// Up to kMostTracks tracks through all poses, from `tracks` starts; eight side by side.
struct PathSearch {
  int tracks = 0;
  std::vector<TrackPoint> points;  // (poses, tracks)
};

// One pose further, for all tracks; false if none arrives.
inline bool advance_tracks(const Target& t, const Limits& l, const double* most, int pose,
                           PathSearch* s) {
  const int n = s->tracks;
  TrackPoint* before = s->points.data() + size_t(pose - 1) * n;
  TrackPoint* after = s->points.data() + size_t(pose) * n;
  int source[kMostTracks], living[kMostTracks], alive = 0;
  for (int i = 0; i < n; ++i) {
    if (before[i].alive) living[alive++] = i;
  }
  for (int i = 0; i < n; ++i) source[i] = before[i].alive ? i : living[i % alive];
  bool any = false;
  for (int first = 0; first < n; first += kOct) {
    double q[7][kOct], aim[kOct], rate[kOct];
    for (int i = 0; i < kOct; ++i) {
      const int track = first + i < n ? first + i : first;
      for (int k = 0; k < 7; ++k) q[k][i] = before[source[track]].q[k];
      policy_of(track, &aim[i], &rate[i]);
    }
    Joints8 from;
    for (int k = 0; k < 7; ++k) from.q[k] = Oct::load(q[k]);
    const unsigned lanes = n - first < kOct ? (1u << (n - first)) - 1u : 255u;
    const Tracked next =
        track8(t, l, most, from, {Oct::load(aim), Oct::load(rate)}, lanes);
    double to[7][kOct];
    if (next.good) {
      for (int k = 0; k < 7; ++k) next.j.q[k].store(to[k]);
    }
    for (int i = 0; i < kOct && first + i < n; ++i) {
      TrackPoint& p = after[first + i];
      p.alive = next.good >> i & 1u;
      p.from = source[first + i];
      if (!p.alive) continue;
      any = true;
      p.cost = before[p.from].cost;
      for (int k = 0; k < 7; ++k) {
        p.q[k] = to[k][i];
        p.cost += (to[k][i] - q[k][i]) * (to[k][i] - q[k][i]);
      }
    }
  }
  return any;
}

// The path of the cheapest track that is alive at pose `last`, written to q (last + 1, 7).
inline void collect_path(const PathSearch& s, int last, double* q) {
  const TrackPoint* end = s.points.data() + size_t(last) * s.tracks;
  int at = -1;
  for (int i = 0; i < s.tracks; ++i) {
    if (end[i].alive && (at < 0 || end[i].cost < end[at].cost)) at = i;
  }
  for (int pose = last; pose >= 0 && at >= 0; --pose) {
    const TrackPoint& p = s.points[size_t(pose) * s.tracks + at];
    for (int k = 0; k < 7; ++k) q[size_t(pose) * 7 + k] = p.q[k];
    at = p.from;
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
