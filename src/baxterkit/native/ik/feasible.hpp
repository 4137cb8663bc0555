// The parts of the self-motion within the joint limits.
//
// Each link of the graph is a piece of curve, known at its ends with their tangents, and between
// them by the cubic that fits: parameter u along the chord. A joint stays within the hull of the
// cubic's control points, up to a margin for what the cubic leaves out. A piece is dropped where
// a hull lies outside, kept where all lie inside, and cut otherwise: exactly where a joint crosses
// its limit (Newton with that joint held at the limit), or in the middle.
#pragma once

#include "inside.hpp"
#include "trace.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kSameEnd = 1e-7;         // [rad] ends of intervals that are one
constexpr double kJoinedEnds = 1e-9;      // [rad] ends that meet where a closed curve was begun
constexpr double kAtStart = 1e-9;         // of u: at the beginning of a piece
constexpr double kShortestPiece = 1e-8;   // [rad] pieces are not cut further
constexpr double kWithinPiece = 1.5;  // lengths of a piece: a crossing farther from its ends is not on it
constexpr int kCrossingHalvings = 30;  // of a piece, on its cubic: a start for Newton's method

constexpr int kMaxFeasible = 4096;
constexpr int kMaxIntervals = 1024;
constexpr int kMaxClose = 16;  // points just outside that are kept
constexpr double kCloseApart = 0.005;  // [rad] from each other
constexpr double kCloseToLimits = 1e-3;  // [rad] outside the limits: a solution inside may be next to it
constexpr double kCorner = 1e-7;  // [rad] the same where others are inside: the curve touches a corner

// Within an interval consecutive points are ends of pieces that lie inside the limits.
struct Interval {
  int first, count;
  bool closed;  // a whole closed curve: the last point repeats the first
};

struct FeasibleSet {
  int points, intervals;
  int cuts;  // points of pieces that may still be computed
  unsigned shortage;  // what there was too little of: something was left out
  int close;  // solutions that violate the limits by little, the least ones first
  double close_by[kMaxClose], close_q[kMaxClose][7];
  CurvePoint point[kMaxFeasible];
  Interval interval[kMaxIntervals];
};

inline void clear(FeasibleSet* f, const Effort& effort) {
  f->points = f->intervals = f->close = 0;
  f->cuts = effort.cuts;
  f->shortage = 0;
}

// Notes a solution that violates the limits by little, unless a better one is known next to it, or many
// better ones.
inline void note_close(const Limits& l, const double* q, FeasibleSet* f) {
  const double v = worst_violation(l, q);
  if (v <= kLimitTolerance || v > kCloseToLimits ||
      (f->close == kMaxClose && v >= f->close_by[kMaxClose - 1]))
    return;
  int kept = 0;
  for (int i = 0; i < f->close; ++i) {
    if (joint_distance(f->close_q[i], q) < kCloseApart) {
      if (f->close_by[i] <= v) return;  // nothing has moved yet: the better ones come first
      continue;
    }
    f->close_by[kept] = f->close_by[i];
    for (int k = 0; k < 7; ++k) f->close_q[kept][k] = f->close_q[i][k];
    ++kept;
  }
  int at = kept < kMaxClose ? kept++ : kMaxClose - 1;
  f->close = kept;
  for (; at > 0 && f->close_by[at - 1] > v; --at) {
    f->close_by[at] = f->close_by[at - 1];
    for (int k = 0; k < 7; ++k) f->close_q[at][k] = f->close_q[at - 1][k];
  }
  f->close_by[at] = v;
  for (int k = 0; k < 7; ++k) f->close_q[at][k] = q[k];
}

// Appends one feasible piece to the set: it goes on from the last one, or starts an interval.
inline void keep_piece(FeasibleSet* f, const Piece& p, bool* open) {
  if (!*open) {
    if (f->intervals == kMaxIntervals || f->points + 2 > kMaxFeasible) {
      f->shortage |= f->intervals == kMaxIntervals ? kOfIntervals : kOfPoints;
      return;
    }
    f->interval[f->intervals++] = {f->points, 1, false};
    f->point[f->points++] = p.a;
    *open = true;
  }
  if (f->points == kMaxFeasible) {
    f->shortage |= kOfPoints;
    *open = false;
    return;
  }
  f->point[f->points++] = p.b;
  ++f->interval[f->intervals - 1].count;
}

// Keeps a single point within the limits that no kept piece ends at: where a curve only touches the
// feasible set, as at a corner of the limits.
inline void keep_point(const Limits& l, const CurvePoint& x, FeasibleSet* f) {
  if (!within(l, x.q)) return;
  if (f->intervals > 0) {
    const Interval& i = f->interval[f->intervals - 1];
    if (joint_distance(f->point[i.first].q, x.q) < kSameEnd ||
        joint_distance(f->point[f->points - 1].q, x.q) < kSameEnd)
      return;
  }
  if (f->intervals == kMaxIntervals || f->points == kMaxFeasible) {
    f->shortage |= f->intervals == kMaxIntervals ? kOfIntervals : kOfPoints;
    return;
  }
  f->interval[f->intervals++] = {f->points, 1, false};
  f->point[f->points++] = x;
}

// Does a point of a piece's curve lie between its ends, along the chord? A joint may reach a value on the piece and once more
// beyond it.
inline bool is_between_ends(const Piece& p, const CurvePoint& x) {
  double along = 0;
  for (int k = 0; k < 7; ++k) along += wrap_angle(x.q[k] - p.a.q[k]) * p.chord[k];
  return along > 0 && along < p.length * p.length;
}

inline bool may_cut(FeasibleSet* f) {
  if (f->cuts-- > 0) return true;
  f->shortage |= kOfCuts;
  return false;
}

// Cuts a piece into what is inside and what is outside. `settled` has bit 2k (2k + 1) where joint
// k is known to respect its lower (upper) limit on the whole piece. `open`: the curve before this
// piece ended inside.
inline void cut_piece(const Target& t, const Limits& l, const Piece& p, unsigned settled, int depth,
                      FeasibleSet* f, bool* open) {
  // A piece that leaves a joint's turn, as at the angle pi, is cut there, and goes on at -pi.
  bool wraps = false;
  for (int k = 0; k < 7; ++k) {
    const double end = p.a.q[k] + p.chord[k];
    if (end <= t.turn[k] + kPi && end >= t.turn[k] - kPi) continue;
    const double side = end > t.turn[k] ? kPi : -kPi, border = t.turn[k] + side;
    CurvePoint x;
    const double u = (border - p.a.q[k]) / p.chord[k];
    settled = 0;  // another turn may follow: nothing known of this one holds there
    if (u < kAtStart && depth > 0) {  // begins there: goes on at the other end of the turn
      CurvePoint a = p.a;
      a.q[k] -= 2 * side;
      *open = false;
      cut_piece(t, l, make_piece(a, p.b), 0, depth - 1, f, open);
      return;
    }
    if (depth == 0 || p.length < kShortestPiece || !may_cut(f) || !point_of(t, p, u, k, border, &x) ||
        !is_between_ends(p, x)) {
      wraps = true;
      break;
    }
    x.q[k] = border;
    cut_piece(t, l, make_piece(p.a, x), 0, depth - 1, f, open);
    x.q[k] = t.turn[k] - side;
    *open = false;
    cut_piece(t, l, make_piece(x, p.b), 0, depth - 1, f, open);
    return;
  }
  int crossing = -1, side_of = 0;
  bool unsure = false;
  for (int k = 0; k < 7; ++k) {
    const double a = p.a.q[k], b = a + p.chord[k];
    const double c1 = a + p.slope_a[k] * (1.0 / 3), c2 = b - p.slope_b[k] * (1.0 / 3);
    const double low = min(min(a, b), min(c1, c2)) - p.stray[k];
    const double high = max(max(a, b), max(c1, c2)) + p.stray[k];
    for (int side = 0; side < 2; ++side) {
      if (settled >> (2 * k + side) & 1u) continue;
      const double limit = side == 0 ? l.lower[k] : l.upper[k];
      // outside, and not so far that it comes in again on the other side
      const bool is_still = high - low < kLimitTolerance;  // then its middle decides
      const double least = is_still ? 0.5 * (low + high) : low;
      const double most = is_still ? 0.5 * (low + high) : high;
      if (side == 0 ? most < limit - kLimitTolerance && low > l.upper[k] - 2 * kPi
                    : least > limit + kLimitTolerance && high < l.lower[k] + 2 * kPi) {
        *open = false;
        return;
      }
      if (side == 0 ? least >= limit - kLimitTolerance : most <= limit + kLimitTolerance) {
        settled |= 1u << (2 * k + side);
        continue;
      }
      unsure = true;
      const bool in_a = side == 0 ? a >= limit : a <= limit;
      const bool in_b = side == 0 ? b >= limit : b <= limit;
      // monotone: both slopes and the middle of the control polygon along the chord
      const double s = p.chord[k] < 0 ? -1 : 1;
      const double slope = min(s * p.slope_a[k], min(s * p.slope_b[k], 3 * s * (c2 - c1)));
      if (in_a != in_b && slope > 6 * p.stray[k] && crossing < 0) crossing = k, side_of = side;
    }
  }
  if (!unsure) {
    keep_piece(f, p, open);
    return;
  }
  if (depth == 0 || p.length < kShortestPiece || !may_cut(f)) {
    if (within(l, p.a.q) && within(l, p.b.q)) {
      keep_piece(f, p, open);
    } else {
      keep_point(l, p.a, f);
      keep_point(l, p.b, f);
      *open = false;
    }
    return;
  }
  CurvePoint x;
  if (crossing >= 0) {
    const int k = crossing;
    const double limit = side_of == 0 ? l.lower[k] : l.upper[k];
    double from = 0, to = 1;  // bisection on the cubic: a start for Newton
    const bool rising = p.chord[k] > 0;
    for (int i = 0; i < kCrossingHalvings; ++i) {
      const double u = 0.5 * (from + to);
      if ((cubic_at(p, k, u) < limit) == rising) from = u;
      else to = u;
    }
    if (point_of(t, p, 0.5 * (from + to), k, limit, &x) &&
        joint_distance(x.q, p.a.q) < kWithinPiece * p.length &&
        joint_distance(x.q, p.b.q) < kWithinPiece * p.length) {
      note_close(l, x.q, f);
      // on the other side of a turn nothing is settled
      const unsigned known = wraps ? 0u : settled | 1u << (2 * k + side_of);
      const bool first_inside = (side_of == 0) != rising;
      // the half outside is dropped, unless it shrinks to the crossing itself
      if (first_inside) {
        cut_piece(t, l, make_piece(p.a, x), known, depth - 1, f, open);
        keep_point(l, x, f);
        *open = false;
      } else {
        *open = false;
        cut_piece(t, l, make_piece(x, p.b), known, depth - 1, f, open);
        if (!*open) keep_point(l, x, f);
      }
      return;
    }
  }
  if (!point_near(t, p, 0.5, &x)) {
    *open = false;
    return;
  }
  note_close(l, x.q, f);
  if (wraps) settled = 0;
  cut_piece(t, l, make_piece(p.a, x), settled, depth - 1, f, open);
  cut_piece(t, l, make_piece(x, p.b), settled, depth - 1, f, open);
}

// Drops single points at which another interval begins or ends.
inline void drop_repeated_points(FeasibleSet* f) {
  int kept = 0;
  for (int i = 0; i < f->intervals; ++i) {
    const Interval one = f->interval[i];
    bool repeated = false;
    for (int k = 0; k < f->intervals && one.count == 1 && !repeated; ++k) {
      const Interval& other = f->interval[k];
      if (k == i || (other.count == 1 && k > i)) continue;
      const double* q = f->point[one.first].q;
      repeated = joint_distance(f->point[other.first].q, q) < kSameEnd ||
                 joint_distance(f->point[other.first + other.count - 1].q, q) < kSameEnd;
    }
    if (!repeated) f->interval[kept++] = one;
  }
  f->intervals = kept;
}

// Solutions inside a corner of the limits that curves pass within rounding of; where no other is
// known, next to those that violate the limits by little.
inline void keep_corners(const Target& t, const Limits& l, FeasibleSet* f) {
  const double within_reach = f->points > 0 ? kCorner : kCloseToLimits;
  for (int i = 0; i < f->close && f->close_by[i] < within_reach; ++i) {
    CurvePoint x;
    for (int k = 0; k < 7; ++k) x.q[k] = f->close_q[i][k], x.tangent[k] = k == 2 ? 1.0 : 0.0;
    bool known = !(move_inside(t, l, x.q) < kReached);
    for (int n = 0; n < f->points && !known; ++n) known = joint_distance(f->point[n].q, x.q) < kOnPiece;
    if (!known) keep_point(l, x, f);
  }
}

// A closed curve was walked from a node inside, and its last interval leads back to there: the first
// one goes on from it.
inline void join_ends(FeasibleSet* f, int first, const double* start) {
  const Interval head = f->interval[first];
  Interval& tail = f->interval[f->intervals - 1];
  if (head.count < 2 || joint_distance(f->point[head.first].q, start) > kJoinedEnds) return;
  if (f->points + head.count > kMaxFeasible) {
    f->shortage |= kOfPoints;
    return;
  }
  for (int i = 1; i < head.count; ++i) f->point[f->points++] = f->point[head.first + i];
  tail.count += head.count - 1;
  for (int i = first; i + 1 < f->intervals; ++i) f->interval[i] = f->interval[i + 1];
  --f->intervals;
}

// Walks all curves and collects their feasible intervals.
inline void find_feasible(const SelfMotion& m, const Limits& l, const Effort& effort, FeasibleSet* f) {
  clear(f, effort);
  bool done[kMaxMotionNodes];
  for (int i = 0; i < m.nodes; ++i) done[i] = m.node[i].link[0] < 0 && m.node[i].link[1] < 0;
  // Open ends first, then closed curves from a node outside the limits, then what is left.
  for (int round = 0; round < 3; ++round) {
    for (int start = 0; start < m.nodes; ++start) {
      const MotionNode& s = m.node[start];
      if (done[start]) continue;
      if (round == 0 && s.link[0] >= 0 && s.link[1] >= 0) continue;
      if (round == 1 && worst_violation(l, s.q) < kSameSolution) continue;
      int at = start, out = s.link[1] >= 0 ? 1 : 0;
      bool open = false;
      const int first_interval = f->intervals;
      do {
        done[at] = true;
        const MotionNode& n = m.node[at];
        if (n.link[out] < 0) break;
        const int next_at = n.link[out], entered = n.port[out];
        const Piece p = make_piece(oriented(n, out == 1), oriented(m.node[next_at], entered == 0));
        cut_piece(m.target, l, p, 0, 60, f, &open);
        if (!open) keep_point(l, p.b, f);
        at = next_at;
        out = 1 - entered;
      } while (at != start && !done[at]);
      if (round != 2 || at != start || !open) continue;
      if (f->intervals == first_interval + 1) {
        f->interval[first_interval].closed = true;
      } else {
        join_ends(f, first_interval, s.q);
      }
    }
  }
  for (int i = 0; i < m.nodes; ++i) {
    note_close(l, m.node[i].q, f);
    // solutions that no path leads on from
    if (m.node[i].link[0] < 0 && m.node[i].link[1] < 0) keep_point(l, oriented(m.node[i], true), f);
  }
  drop_repeated_points(f);
  keep_corners(m.target, l, f);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
