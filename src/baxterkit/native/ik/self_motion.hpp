// The self-motion of a target: all solution curves over e0.
//
// Slices: every solution at 32 values of e0, once round, and at some more where curves are known to
// be short. Between two slices each solution goes on to one of the next slice, or turns back at a
// fold (de0 = 0). Where tangents and positions of two
// solutions fit one cubic they are linked at once; all others are followed by arc length.
// The result is a graph of nodes with two ports each, whose cycles are the curves. Whoever needs
// only a part of it opens only some of the gaps between slices: the others stay empty.
#pragma once

#include "e0_scan.hpp"
#include "fixed_e0.hpp"
#include "reduced_curve.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kMaxSlices = 64;    // with the additional ones
constexpr int kMaxMotionNodes = 6144;
constexpr double kFit = 0.02;  // [rad] how well a cubic must fit to link two slices
constexpr double kAmbiguous = 4;      // times kFit: a second solution that fits as well as this forbids it
constexpr double kSameSlice = 1e-3;   // [rad] of e0: slices nearer than this are one
constexpr double kLeastRise = 1e-9;   // share of e0 in the tangent that is divided by, at least
// Where curves are short: the wrist this near to the s0 axis [m], or this near to the edge of reach [m].
constexpr double kShortNearAxis = 0.1, kShortNearEdge = 0.12;
constexpr double kShortestNearAxis = 0.03;  // [m] still nearer to the axis more slices are needed
// Additional slices on either side of e0 = 0 and pi, and how far out the last stands [rad].
constexpr int kMoreSlices = 3, kMostSlices = 6;
constexpr double kMoreWidth = 0.09;

struct MotionNode {
  double q[7];        // each joint in its turn (Target::turn)
  double tangent[7];  // unit direction of self-motion
  int link[2];        // neighbour against / along the tangent, -1: none yet
  int port[2];        // through which of its ports that neighbour is entered
  int slice;          // the slice it is a solution of, -1 between slices
};

enum GapState : unsigned char { kClosed = 0, kOpen = 1, kTraced = 2 };

struct SelfMotion {
  Target target;
  double base_e0;
  int nodes, aligned;  // the first `aligned` nodes have their tangents
  Effort effort;
  int steps;           // of paths and loops that are left
  unsigned shortage;   // what there was too little of: something may have been left out
  int slices;
  double e0[kMaxSlices];                     // of each slice
  bool solved[kMaxSlices];                   // else nothing is known of it, and it has no nodes
  bool faint[kMaxSlices];                    // may have roots of (1) that are close to real
  int first[kMaxSlices], count[kMaxSlices];  // its nodes
  int gaps, order[kMaxSlices];               // slices sorted by e0; gap g follows slice order[g]
  GapState gap[kMaxSlices];
  MotionNode node[kMaxMotionNodes];
};

inline double wrap_angle(double x) { return x - 2 * kPi * __builtin_rint(x * (0.5 / kPi)); }

// The slices on both sides of a gap, and its width.
inline int left_of(const SelfMotion& m, int gap) { return m.order[gap]; }
inline int right_of(const SelfMotion& m, int gap) { return m.order[gap + 1 == m.gaps ? 0 : gap + 1]; }
inline double gap_width(const SelfMotion& m, int gap) {
  if (m.gaps == 1) return 2 * kPi;
  const double w = wrap_angle(m.e0[right_of(m, gap)] - m.e0[left_of(m, gap)]);
  return w > 0 ? w : w + 2 * kPi;
}

inline void start_motion(const Target& t, double base_e0, const Effort& effort, SelfMotion* m) {
  m->target = t;
  m->base_e0 = base_e0;
  m->nodes = m->aligned = m->slices = m->gaps = 0;
  m->effort = effort;
  m->steps = effort.steps;
  m->shortage = 0;
}

// One more slice, of which nothing is known yet. There is room for all that `lay_slices` asks for.
inline int add_slice(SelfMotion* m, double e0) {
  if (m->slices == kMaxSlices) {
    m->shortage |= kOfSlices;
    return kMaxSlices - 1;
  }
  const int slice = m->slices++;
  m->e0[slice] = e0;
  m->solved[slice] = false;
  m->faint[slice] = true;
  m->first[slice] = m->count[slice] = 0;
  return slice;
}

// All solutions of a slice.
inline void fill_slice(SelfMotion* m, int slice, const Solutions& s) {
  m->solved[slice] = true;
  m->first[slice] = m->nodes;
  const int room = kMaxMotionNodes - m->nodes, count = s.count < room ? s.count : room;
  m->count[slice] = count;
  m->shortage |= s.shortage | (count < s.count ? kOfMotionNodes : 0u);
  for (int i = 0; i < count; ++i) {
    MotionNode& n = m->node[m->nodes++];
    for (int k = 0; k < 7; ++k) n.q[k] = s.q[i][k], n.tangent[k] = 0;
    n.link[0] = n.link[1] = -1;
    n.slice = slice;
  }
}

inline void solve_slice(SelfMotion* m, int slice) {
  if (m->solved[slice]) return;
  Solutions s;
  solve_fixed_e0(m->target, m->e0[slice], &s);
  fill_slice(m, slice, s);
}

inline bool has_slice(const SelfMotion& m, double e0) {
  for (int i = 0; i < m.slices; ++i) {
    if (angle_between(m.e0[i], e0) < kSameSlice) return true;
  }
  return false;
}

// Lays out all slices, unsolved, and the gaps between them, closed. There must be none yet.
// Additional slices stand around e0 = 0 and pi at the edge of reach, and with the wrist near the s0
// axis: there |L2| = |s3 X + c3 a5 s5| must be small, so that curves may not leave |sin e0| < (rho +
// a5) / X.
inline void lay_slices(SelfMotion* m) {
  const Target& t = m->target;
  const double stretched = __builtin_fabs(t.l0 - kR3 * kR5 / kA1) - t.rho;
  const bool at_edge = stretched > -kShortNearEdge && stretched < kShortNearEdge;
  const bool short_curves = t.rho < kShortNearAxis || at_edge;
  for (int i = 0; i < kSlices; ++i) add_slice(m, even_e0(t, m->base_e0, i));
  const int more = t.rho < kShortestNearAxis ? kMostSlices : (short_curves ? kMoreSlices : -1);
  for (int i = -more; i <= more; ++i) {
    for (int half_turn = 0; half_turn < 2; ++half_turn) {
      const double e0 = wrap_joint(t, 2, kMoreWidth / more * i + half_turn * kPi);
      if (!has_slice(*m, e0)) add_slice(m, e0);
    }
  }
  m->gaps = m->slices;
  int lowest = 0, round[kSlices];  // the even slices once round, and where e0 is least on the way
  for (int i = 0; i < kSlices; ++i) {
    round[i] = i < kSlices / 2 ? kSlices - 2 - 2 * i : 2 * i - kSlices + 1;
    if (m->e0[round[i]] < m->e0[round[lowest]]) lowest = i;
  }
  for (int i = 0; i < kSlices; ++i) m->order[i] = round[(lowest + i) % kSlices];
  for (int i = kSlices; i < m->slices; ++i) {  // insertion sort
    int k = i;
    for (; k > 0 && m->e0[m->order[k - 1]] > m->e0[i]; --k) m->order[k] = m->order[k - 1];
    m->order[k] = i;
  }
  for (int i = 0; i < m->gaps; ++i) m->gap[i] = kClosed;
}

// Opens a gap: solves the slices on both sides of it.
inline void open_gap(SelfMotion* m, int gap) {
  m->gap[gap] = kOpen;
  solve_slice(m, left_of(*m, gap));
  solve_slice(m, right_of(*m, gap));
}

// Tangents of the nodes [first, first + count).
inline void find_tangents(SelfMotion* m, int first, int count) {
  for (int at = first; at < first + count; at += kOct) {
    const int n = first + count - at < kOct ? first + count - at : kOct;
    double b[7][kOct];
    for (int i = 0; i < kOct; ++i) {
      for (int k = 0; k < 7; ++k) b[k][i] = m->node[at + (i < n ? i : 0)].q[k];
    }
    Joints8 j;
    for (int k = 0; k < 7; ++k) j.q[k] = Oct::load(b[k]);
    Oct tangent[7];
    if (unit_tangents(j, tangent) != 255u) self_tangent(m->target, j, tangent);
    for (int k = 0; k < 7; ++k) tangent[k].store(b[k]);
    for (int i = 0; i < n; ++i) {
      const double sign = b[2][i] < 0 ? -1 : 1;
      for (int k = 0; k < 7; ++k) m->node[at + i].tangent[k] = sign * b[k][i];
    }
  }
}

inline void link_nodes(SelfMotion* m, int a, int port_a, int b, int port_b) {
  m->node[a].link[port_a] = b;
  m->node[a].port[port_a] = port_b;
  m->node[b].link[port_b] = a;
  m->node[b].port[port_b] = port_a;
}

// |sin w1|: near w1 = 0 curves bend within a few hundredths of a radian (a5 / d5 = 0.027), too
// sharply for cubics over a gap.
inline double wrist_scale(const double* q) { return __builtin_fabs(__builtin_sin(q[5])); }
constexpr double kClearW1 = 0.20135792079033080;  // [rad] of w1 beyond which they do not: |sin w1| > 0.2

inline bool is_clear_of_wrist(const double* q) {
  return __builtin_fabs(q[5] - kPi * __builtin_rint(q[5] * (1 / kPi))) > kClearW1;
}

// A node of a slice as the linking sees it, one joint in each lane (the eighth is of no account).
struct LinkSide {
  Oct q, half_rise;  // joint angles, and half of their change over the gap along the tangent
  bool clear;        // w1 is away from 0
};

inline LinkSide link_side(const MotionNode& n, double step) {
  LinkSide s;
  s.q = Oct::load(n.q);  // reads q and the first number of the tangent
  double tangent[kOct] = {};
  for (int k = 0; k < 7; ++k) tangent[k] = n.tangent[k];
  s.half_rise = Oct::load(tangent) * (0.5 * step / max(n.tangent[2], kLeastRise));
  s.clear = is_clear_of_wrist(n.q);
  return s;
}

// How far positions and slopes of a (going right) and b (coming from the left) are from fitting
// one cubic over the gap: |qb - qa - step (qa' + qb') / 2|, by joints.
BK_INLINE Oct misfit(const LinkSide& a, const LinkSide& b) {
  const Oct d = b.q - a.q;
  const Oct chord = fnma(nearest(d * (0.5 / kPi)), Oct(2.0 * kPi), d);
  return abs(chord - (a.half_rise + b.half_rise));
}

// Do both tangents keep within 60 degrees of the chord? Pieces are described by their way along the
// chord, so one that turns more sharply is followed instead.
inline bool goes_along_chord(const MotionNode& a, const MotionNode& b) {
  double length2 = 0, along_a = 0, along_b = 0;
  for (int k = 0; k < 7; ++k) {
    const double d = wrap_angle(b.q[k] - a.q[k]);
    length2 += d * d;
    along_a += d * a.tangent[k];
    along_b += d * b.tangent[k];
  }
  const double least = min(along_a, along_b);
  return least > 0 && 4 * least * least > length2;
}

// Links what fits one cubic, one to one, across a gap.
inline void link_gap(SelfMotion* m, int gap) {
  constexpr unsigned kJoints = 0x7f;
  const int left = left_of(*m, gap), right = right_of(*m, gap);
  const int a0 = m->first[left], na = m->count[left];
  const int b0 = m->first[right], nb = m->count[right];
  const double step = gap_width(*m, gap);
  LinkSide to[kMaxSolutions];
  int partner[kMaxSolutions], claims[kMaxSolutions];
  for (int j = 0; j < nb; ++j) to[j] = link_side(m->node[b0 + j], step), claims[j] = 0;
  for (int i = 0; i < na; ++i) {
    partner[i] = -1;
    const LinkSide from = link_side(m->node[a0 + i], step);
    if (!from.clear) continue;
    int fits = 0;
    for (int j = 0; j < nb; ++j) {
      const Oct off = misfit(from, to[j]);
      if ((Oct(kAmbiguous * kFit) < off).bits() & kJoints) continue;
      ++fits;
      if (((off < Oct(kFit)).bits() & kJoints) == kJoints && to[j].clear) partner[i] = j;
    }
    if (fits != 1 || (partner[i] >= 0 && !goes_along_chord(m->node[a0 + i], m->node[b0 + partner[i]]))) {
      partner[i] = -1;
    }
    if (partner[i] >= 0) ++claims[partner[i]];
  }
  for (int i = 0; i < na; ++i) {
    if (partner[i] >= 0 && claims[partner[i]] == 1) link_nodes(m, a0 + i, 1, b0 + partner[i], 0);
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
