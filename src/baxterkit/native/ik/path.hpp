// A continuous joint path through a sequence of poses: many solutions of the first pose tracked side
// by side, each with its own way of using the redundancy.
//
// Tracks that die, at a limit or because a joint is too slow, are replaced by copies of living ones,
// which go on in the manner of the dead one. The cheapest track that arrives is the path; the cost
// is the sum of the squared steps. Eight tracks nearly always do; if none of them arrives, many more
// start, and at every fourth pose, or at every one if need be, they spread over all of its self-motion
// that can be reached from them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "best_point.hpp"
#include "near_motion.hpp"
#include "quick.hpp"
#include "track.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kMostTracks = 64;  // side by side
// Spreading [rad]: a new track is this far from all others, of two tracks as near as twins one is needless,
// and a track may come from an anchor no farther than this.
constexpr double kApart = 0.05, kTwin = 0.03, kFarAnchor = 0.5;
constexpr double kAtAnchor = 1e-5;     // [rad] so near to the anchor a direction says nothing
constexpr double kAlongCurve2 = 0.8;  // squared cosine of tangent and way from the anchor, along the curve

// A solution at one pose, and which track of the pose before it comes from.
struct TrackPoint {
  double q[7], cost;
  int from;
  bool alive;
  bool anchor;  // a solution, but beyond the limits or the steps: others may be next to it
};

// Calls use(q, tangent) for solutions within the limits all along a traced self-motion: its nodes, and
// of the stretches that have none the ends, which lie on limits, and the middles.
template <class Use>
inline void visit_inside(const SelfMotion& m, const Limits& l, Prospects* prospects, FeasibleSet* f,
                         const Use& use) {
  for (int i = 0; i < m.nodes; ++i) {
    if (worst_violation(l, m.node[i].q) == 0) use(m.node[i].q, m.node[i].tangent);
  }
  clear(f, kOnce);
  start_prospects(prospects);
  collect_links(m, l, prospects);
  for (int i = 0; i < prospects->count; ++i) {
    const LinkEnd e = prospects->link[i];
    const MotionNode &a = m.node[e.node], &b = m.node[a.link[e.port]];
    if (worst_violation(l, a.q) == 0 || worst_violation(l, b.q) == 0) continue;
    f->points = f->intervals = 0;
    bool open = false;
    cut_piece(m.target, l, make_piece(oriented(a, e.port == 1), oriented(b, a.port[e.port] == 0)), 0, 60, f,
              &open);
    for (int k = 0; k < f->intervals; ++k) {
      const CurvePoint* point = f->point + f->interval[k].first;
      for (int j = 0; j < f->interval[k].count; ++j) {
        CurvePoint x;
        if (j + 1 < f->interval[k].count &&
            point_of(m.target, make_piece(point[j], point[j + 1]), 0.5, -1, 0, &x) &&
            worst_violation(l, x.q) == 0) {
          use(x.q, x.tangent);
        }
        double q[7];
        for (int n = 0; n < 7; ++n) q[n] = clip(l, n, point[j].q[n]);
        use(q, point[j].tangent);
      }
    }
  }
  // corners of the limits that curves pass within rounding of
  for (int i = 0; i < m.nodes; ++i) note_close(l, m.node[i].q, f);
  for (int i = 0; i < f->close && f->close_by[i] < kCorner; ++i) {
    double q[7], tangent[7];
    for (int k = 0; k < 7; ++k) q[k] = f->close_q[i][k];
    if (!(move_inside(m.target, l, q) < kReached)) continue;
    Joints8 j;
    Oct direction[7];
    for (int k = 0; k < 7; ++k) j.q[k] = Oct(q[k]);
    self_tangent(m.target, j, direction);
    for (int k = 0; k < 7; ++k) {
      double b[kOct];
      direction[k].store(b);
      tangent[k] = b[0];
    }
    use(q, tangent);
  }
}

// Solutions of a pose all along its self-motion within the limits, at most `most`, evenly chosen;
// the one with the least cost first. Their costs are zero, or with a seed their squared distance to it.
inline int spread_solutions(const Target& t, const Limits& l, const double* seed, int most, Scratch* s,
                            Prospects* prospects, TrackPoint* out) {
  start_motion(t, clip(l, 2, seed ? seed[2] : 0.0), kOnce, &s->motion);
  trace_near(l, &s->motion);
  const Cost cost = seed ? Cost{nearest_cost, seed, kCheapCost} : Cost{limits_cost, &l, kCheapCost};
  const Best best = best_point(s->motion, l, cost, seed, kOnce, prospects, &s->feasible);
  int count = 0, seen = 0;
  const auto add = [&](const double* q) {
    TrackPoint& p = out[count++];
    for (int k = 0; k < 7; ++k) p.q[k] = clip(l, k, q[k]);
    p.cost = seed ? seed_distance(p.q, seed) : 0, p.from = -1, p.alive = true, p.anchor = false;
  };
  if (best.found) add(best.q);
  std::vector<double> inside;
  visit_inside(s->motion, l, prospects, &s->feasible,
               [&](const double* q, const double*) { inside.insert(inside.end(), q, q + 7); });
  const int total = int(inside.size() / 7), room = most - count;
  for (; seen < total; ++seen) {  // every (total / room)-th of them
    if (total <= room || size_t(seen) * room / total != size_t(seen + 1) * room / total) {
      add(inside.data() + 7 * size_t(seen));
    }
  }
  return count;
}

// How a track uses the redundancy.
inline void policy_of(int track, double* aim, double* rate) {
  *aim = kTrackAim[track % kOct], *rate = kTrackRate[track % kOct];
}

// Tracks through all poses, eight side by side.
struct PathSearch {
  int tracks = 0;
  std::vector<TrackPoint> points;  // (poses, tracks)
};

// One pose further, for all tracks; false if none arrives.
inline bool advance_tracks(const Target& t, const Limits& l, const double* most, int pose, PathSearch* s) {
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
    const Tracked next = track8(t, l, most, from, {Oct::load(aim), Oct::load(rate)}, lanes);
    double to[7][kOct];
    if (next.reached) {
      for (int k = 0; k < 7; ++k) next.j.q[k].store(to[k]);
    }
    for (int i = 0; i < kOct && first + i < n; ++i) {
      TrackPoint& p = after[first + i];
      p.alive = next.good >> i & 1u;
      p.anchor = !p.alive && (next.reached >> i & 1u);
      p.from = source[first + i];
      if (!p.alive && !p.anchor) continue;
      any |= p.alive;
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

// Spreads tracks over the self-motion of a pose: solutions far from all tracks that one of them could
// have come to instead, along the curve, take the places of dead and double tracks. Tracks that have
// left the limits serve as anchors. False if no track is alive then.
inline bool spread_tracks(const Target& t, const Limits& l, const double* most, int pose, PathSearch* s,
                          Scratch* scratch, Prospects* prospects) {
  const int n = s->tracks;
  const TrackPoint* before = s->points.data() + size_t(pose - 1) * n;
  TrackPoint* here = s->points.data() + size_t(pose) * n;
  int free_track[kMostTracks], places = 0;
  for (int i = 0; i < n; ++i) {
    bool needless = !here[i].alive;
    for (int k = 0; k < n && !needless; ++k) {
      if (k == i || !here[k].alive || joint_distance(here[i].q, here[k].q) > kTwin) continue;
      needless = here[k].cost < here[i].cost || (here[k].cost == here[i].cost && k < i);
    }
    if (needless) free_track[places++] = i;
  }
  start_motion(t, clip(l, 2, 0.0), kOnce, &scratch->motion);
  trace_near(l, &scratch->motion);
  TrackPoint anchor[kMostTracks];  // their places may be taken meanwhile
  std::copy(here, here + n, anchor);
  const auto offer_track = [&](const double* q, const double* tangent) {
    int from = -1;
    for (int k = 0; k < n && places > 0; ++k) {
      if (here[k].alive && joint_distance(q, here[k].q) < kApart) return;
      if (!anchor[k].alive && !anchor[k].anchor) continue;
      const TrackPoint& start = before[anchor[k].from];
      double length2 = 0, along = 0, off = 0, over = -1;
      for (int j = 0; j < 7; ++j) {
        const double d = q[j] - anchor[k].q[j];
        length2 += d * d;
        along += d * tangent[j];
        off = max(off, __builtin_fabs(d));
        over = max(over, __builtin_fabs(q[j] - start.q[j]) - most[j]);
      }
      const bool along_curve = off < kAtAnchor || along * along > kAlongCurve2 * length2;
      if (off < kFarAnchor && over <= 0 && along_curve) from = anchor[k].from;
    }
    if (from < 0) return;
    TrackPoint& p = here[free_track[--places]];
    p.alive = true, p.anchor = false;
    p.from = from;
    p.cost = before[from].cost + seed_distance(q, before[from].q);
    for (int k = 0; k < 7; ++k) p.q[k] = q[k];
  };
  visit_inside(scratch->motion, l, prospects, &scratch->feasible, offer_track);
  bool any = false;
  for (int i = 0; i < n; ++i) any |= here[i].alive;
  return any;
}

// What a path is asked for. `most` (poses - 1, 7) is how far each joint may move from one pose to the
// next [rad]; with `start` the seed is the solution of the first pose.
struct PathTask {
  int poses;
  const Target* target;
  const Limits* limits;  // one for each pose
  const double* most;
  const double* seed;  // or null
  bool start;
};

// Writes the path to q (poses, 7), as far as it goes; returns how many poses that are. `stopped` is
// asked at every pose whether to give up.
template <class Stopped>
inline int find_path(const PathTask& task, Scratch* scratch, Prospects* prospects, const Stopped& stopped,
                     double* q) {
  int farthest = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const int tracks = attempt == 0 ? 8 : kMostTracks, spread_every = attempt == 1 ? 4 : 1;
    PathSearch s;
    s.tracks = tracks;
    s.points.resize(size_t(tracks) * task.poses);
    TrackPoint start[kMostTracks];
    int count = 1;
    if (task.start) {
      for (int k = 0; k < 7; ++k) start[0].q[k] = task.seed[k];
      start[0].cost = 0, start[0].from = -1, start[0].alive = true, start[0].anchor = false;
    } else {
      count = spread_solutions(task.target[0], task.limits[0], task.seed, tracks, scratch, prospects, start);
    }
    if (count == 0) return 0;
    for (int i = 0; i < tracks; ++i) s.points[i] = start[i % count];
    int pose = 1;
    for (; pose < task.poses; ++pose) {
      if (stopped()) return 0;
      const double* most = task.most + 7 * size_t(pose - 1);
      const Target& t = task.target[pose];
      bool alive = advance_tracks(t, task.limits[pose], most, pose, &s);
      if (attempt > 0 && (!alive || pose % spread_every == 0)) {
        alive = spread_tracks(t, task.limits[pose], most, pose, &s, scratch, prospects);
      }
      if (!alive) break;
    }
    if (pose > farthest) {
      collect_path(s, pose - 1, q);
      farthest = pose;
    }
    if (farthest == task.poses) break;
  }
  return farthest;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
