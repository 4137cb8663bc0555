// Is a solution on a curve that is known already? If not, the closed curve through it.
#pragma once

#include "follow.hpp"
#include "piece.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kGapSlack = 1e-3;            // [rad] that a piece may be wider in e0 than its gap
constexpr double kSamePoint2 = 1e-12;         // [rad^2] squared distance of points that are one
constexpr double kLeastSquareChord = 1e-30;   // [rad^2] that is divided by, at least
constexpr double kOnPiece = 1e-5;             // [rad] nearer to a piece, a point is on it
// Pose error [m and 1] and length [rad] of a Newton step that leaves rounding after it.
constexpr double kStepError = 1e-8, kShortStep = 2e-7;
constexpr double kShortestArc = 1e-9;         // [rad] below it a curve breaks off
// Length of the longest pieces [rad], rounded up, and its square.
constexpr double kLongestPiece = 1.41422, kLongestPiece2 = 2.0;
constexpr double kBeyondEnds = 0.05;          // of u: so far out a point may still belong to a piece
// How far from the cubic the point on the curve itself is looked for: a share of the piece's length, and
// times its margin.
constexpr double kNearPiece = 0.1, kNearMargin = 4;
constexpr int kLoopCorrections = 3;           // Newton steps of one step along a closed curve, at most
constexpr double kFirstLoopArc = 0.01;        // [rad] first step along a closed curve
// A curve closes where its start is no farther than this many arcs, and the cosines of direction with that
// at the start, and with the way to it, are no smaller than kCloses; not before kAwayFirst arcs.
constexpr double kWithinArc = 1.01, kCloses = 0.7, kAwayFirst = 3;

inline int gap_of(const SelfMotion& m, double e0) {
  const double x = wrap_joint(m.target, 2, e0);
  int gap = m.gaps - 1;
  for (int g = 0; g < m.gaps && m.e0[m.order[g]] <= x; ++g) gap = g;
  return gap;
}

// One joint in each lane (the eighth is of no account): does any differ by more than its bound?
BK_INLINE bool far_apart(Oct x, const MotionNode& n, Oct bound) {
  const Oct d = x - Oct::load(n.q);  // reads q and the first number of the tangent
  const Oct wrapped = fnma(nearest(d * (0.5 / kPi)), Oct(2.0 * kPi), d);
  return ((bound < abs(wrapped)).bits() & 0x7fu) != 0;
}

// Is x on a piece of curve that the graph has already, or had when it was of so many `nodes`?
inline bool is_known(const SelfMotion& m, const double* x, int nodes) {
  const double padded[kOct] = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], 0};
  const Oct all = Oct::load(padded);
  // A piece never leaves its gap: its ends are no farther in e0 than the gap is wide. In the other
  // joints pieces are shorter than sqrt(2).
  double bounds[kOct];
  for (int k = 0; k < kOct; ++k) bounds[k] = kLongestPiece;
  bounds[2] = gap_width(m, gap_of(m, x[2])) + kGapSlack;
  const Oct bound = Oct::load(bounds);
  for (int i = 0; i < nodes; ++i) {
    const MotionNode& n = m.node[i];
    if (angle_between(n.q[2], x[2]) > bounds[2] || far_apart(all, n, bound)) continue;
    double d2 = 0;
    for (int k = 0; k < 7; ++k) {
      const double d = wrap_angle(x[k] - n.q[k]);
      d2 += d * d;
    }
    if (d2 > kLongestPiece2) continue;
    if (d2 < kSamePoint2) return true;
    for (int port = 0; port < 2; ++port) {
      if (n.link[port] < 0 || n.link[port] >= nodes) continue;
      const Piece p = make_piece(oriented(n, port == 1), oriented(m.node[n.link[port]], n.port[port] == 0));
      double along = 0;
      for (int k = 0; k < 7; ++k) along += wrap_angle(x[k] - n.q[k]) * p.chord[k];
      const double u = along / max(p.length * p.length, kLeastSquareChord);
      if (u < -kBeyondEnds || u > 1 + kBeyondEnds) continue;
      double far = 0;
      for (int k = 0; k < 7; ++k) far = max(far, __builtin_fabs(wrap_angle(x[k] - cubic_at(p, k, u))));
      if (far > kNearPiece * p.length + kNearMargin * p.margin + kSameSolution) continue;
      if (far < kOnPiece) return true;
      CurvePoint exact;
      if (point_of(m.target, p, u, -1, 0, &exact) && joint_distance(exact.q, x) < kOnPiece) return true;
    }
  }
  return false;
}

inline bool is_known(const SelfMotion& m, const double* x) { return is_known(m, x, m.nodes); }

constexpr double kTinyLoop = 0.01;  // [rad] a curve so short may be missing in a slice that it meets

constexpr int kCrossing = 4;  // a curve with more new nodes than this is no known one that was not recognised

enum LoopEnd { kClosesUp, kMeetsSlice, kBreaksOff };

// Follows a curve from its node `first` out of a port: once round, to a slice, or as far as it can be
// followed. Along the way it is shorter than `kFarthestStep` from node to node.
constexpr double kFarthestStep = 0.3;  // [rad]
inline LoopEnd follow_loop(SelfMotion* m, int first, int port) {
  const MotionNode start = m->node[first];
  double q[7], direction[7], bend[7] = {}, arc = kFirstLoopArc, gone = 0;  // bend: see Path
  const double sign = port == 1 ? 1.0 : -1.0;
  for (int k = 0; k < 7; ++k) q[k] = start.q[k], direction[k] = sign * start.tangent[k];
  int last = first;
  while (true) {
    // Close the loop when the start is ahead within a step.
    double ahead = 0, away = 0, same = 0;
    for (int k = 0; k < 7; ++k) {
      const double d = wrap_angle(start.q[k] - q[k]);
      ahead += d * direction[k];
      away += d * d;
      same += direction[k] * sign * start.tangent[k];
    }
    away = __builtin_sqrt(away);
    if (gone > kAwayFirst * arc && ahead > 0 && away < kWithinArc * arc && same > kCloses &&
        ahead > kCloses * away) {
      link_nodes(m, last, 1, first, 1 - port);
      return kClosesUp;
    }
    if (--m->steps < 0) {
      m->shortage |= kOfSteps;
      return kBreaksOff;
    }
    Joints8 j;
    Oct w[7], tangent[7];
    for (int k = 0; k < 7; ++k) {
      j.q[k] = Oct(q[k] + arc * (direction[k] + arc * bend[k]));
      w[k] = Oct(direction[k]);
    }
    // Until the last step is so short that what it left, of the order of its square, is rounding.
    bool exact = false;
    double b[kOct], one[7], dir[7], turn = 0, fit = 0;
    for (int i = 0; i < kLoopCorrections && !exact; ++i) {
      Oct length;
      newton_in_plane(m->target, w, 1, &j, tangent, &length).store(b);
      exact = b[0] < kStepError;
      length.store(b);
      exact &= b[0] < kShortStep;
    }
    if (!exact) {  // at a singular configuration steps stay long
      const Motion8 here = motion8(m->target, j, tangent);
      here.error.store(b);
      exact = b[0] < kAcceptError;
      for (int k = 0; k < 7; ++k) tangent[k] = here.tangent[k];
    }
    for (int k = 0; k < 7; ++k) {
      j.q[k].store(b);
      one[k] = b[0];
      tangent[k].store(b);
      dir[k] = b[0];
      turn += dir[k] * direction[k];
      fit = max(fit, __builtin_fabs(one[k] - q[k] - 0.5 * arc * (dir[k] + direction[k])));
    }
    if (!(exact && turn > kStepTurn && fit < kStepFit * arc)) {
      arc *= kStepShorter;
      if (arc < kShortestArc) return kBreaksOff;
      continue;
    }
    if (gap_of(*m, q[2]) != gap_of(*m, one[2])) return kMeetsSlice;
    if (m->nodes == kMaxMotionNodes) {
      m->shortage |= kOfMotionNodes;
      return kBreaksOff;
    }
    MotionNode& n = m->node[m->nodes];
    for (int k = 0; k < 7; ++k) {
      n.q[k] = wrap_joint(m->target, k, one[k]), n.tangent[k] = dir[k];
      bend[k] = 0.5 / arc * (turn * dir[k] - direction[k]);
      q[k] = one[k], direction[k] = dir[k];
    }
    n.link[0] = n.link[1] = -1;
    n.slice = -1;
    link_nodes(m, last, last == first ? port : 1, m->nodes, 0);
    last = m->nodes++;
    gone += arc;
    if (fit < kFineFit * arc) arc = min(kStepLonger * arc, kFarthestStep);
  }
}

// Of a curve that was followed from its node `first` on, with nodes from `from` on, drops what comes after
// the first node that was known before: there it has run into another curve.
inline void drop_known(SelfMotion* m, int first, int from) {
  for (int i = from; i + 1 < m->nodes; ++i) {
    if (!is_known(*m, m->node[i].q, first)) continue;
    m->node[i].link[1] = -1;
    m->nodes = i + 1;
  }
}

// Follows the closed curve through x and adds it to the graph. A curve that breaks off at a singular
// point, or meets a slice, is followed both ways: in the latter case it crosses another curve, whose
// nodes the slice has, and what is known of it ends there. One that cannot be followed at all, or is
// hardly larger than a point, is kept as the point that is known of it.
inline bool add_loop(SelfMotion* m, const double* x) {
  if (m->nodes == kMaxMotionNodes) {
    m->shortage |= kOfMotionNodes;
    return false;
  }
  const int first = m->nodes++;
  MotionNode& n = m->node[first];
  for (int k = 0; k < 7; ++k) n.q[k] = wrap_joint(m->target, k, x[k]);
  n.link[0] = n.link[1] = -1;
  n.slice = -1;
  find_tangents(m, first, 1);
  bool meets_slice = false;
  for (const int port : {1, 0}) {
    const int from = m->nodes;
    const LoopEnd end = follow_loop(m, first, port);
    if (end == kClosesUp) return true;
    if (end == kBreaksOff) continue;
    meets_slice = true;
    // Of a curve hardly larger than a point the slice may know nothing.
    if (joint_distance(m->node[first].q, m->node[m->nodes - 1].q) < kTinyLoop) {
      m->nodes = first + 1;
      n.link[0] = n.link[1] = -1;
      return true;
    }
    drop_known(m, first, from);
  }
  if (!meets_slice || m->nodes > first + 1 + kCrossing) return true;
  m->nodes = first;
  return false;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
