// The self-motion of a target: all solution curves over e0.
//
// Slices: every solution at 32 values of e0, once round. Between two slices each solution goes on
// to one of the next slice, or turns back at a fold (de0 = 0). Where tangents and positions of two
// solutions fit one cubic they are linked at once; all others are followed by arc length.
// The result is a graph of nodes with two ports each, whose cycles are the curves.
#pragma once

#include "fixed_e0.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kSlices = 32;
constexpr double kSliceStep = 2 * kPi / kSlices;
constexpr int kMaxMotionNodes = 6144;
constexpr double kFit = 0.02;  // [rad] how well a cubic must fit to link two slices

struct MotionNode {
  double q[7];        // s0, e0, w0, w2 wrapped into (-pi, pi]
  double tangent[7];  // unit direction of self-motion
  int link[2];        // neighbour against / along the tangent, -1: none yet
  int port[2];        // through which of its ports that neighbour is entered
};

struct SelfMotion {
  Target target;
  double base_e0;
  int nodes;
  bool solved[kSlices];
  int first[kSlices], count[kSlices];  // nodes of each slice
  int near_misses;
  MotionNode node[kMaxMotionNodes];
};

inline double wrap_angle(double x) { return x - 2 * kPi * __builtin_rint(x * (0.5 / kPi)); }

inline double slice_e0(const SelfMotion& m, int slice) {
  return wrap_angle(m.base_e0 + slice * kSliceStep);
}

inline void start_motion(const Target& t, double base_e0, SelfMotion* m) {
  m->target = t;
  m->base_e0 = base_e0;
  m->nodes = 0;
  m->near_misses = 0;
  for (int i = 0; i < kSlices; ++i) m->solved[i] = false, m->first[i] = 0, m->count[i] = 0;
}

// Solves one slice, with the tangents of its solutions along increasing e0.
inline void solve_slice(SelfMotion* m, int slice) {
  if (m->solved[slice]) return;
  m->solved[slice] = true;
  m->first[slice] = m->nodes;
  Solutions s;
  solve_fixed_e0(m->target, slice_e0(*m, slice), &s);
  if (m->nodes + s.count > kMaxMotionNodes) s.count = kMaxMotionNodes - m->nodes;
  m->count[slice] = s.count;
  for (int i = 0; i < s.count; ++i) {
    MotionNode& n = m->node[m->nodes++];
    for (int k = 0; k < 7; ++k) n.q[k] = s.q[i][k], n.tangent[k] = 0;
    n.link[0] = n.link[1] = -1;
  }
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
    Oct squares[7], hint[7];
    tangent_squares(m->target, j, squares);
    // Project e0's axis, or at a fold the axis that moves most.
    Oct most = squares[2];
    for (int k = 0; k < 7; ++k) hint[k] = Oct(k == 2 ? 1.0 : 0.0);
    const Mask fold = squares[2] < Oct(1e-6);
    for (int k = 0; k < 7; ++k) {
      const Mask better = (most < squares[k]) & fold;
      most = select(better, squares[k], most);
      for (int i = 0; i < 7; ++i) hint[i] = select(better, Oct(i == k ? 1.0 : 0.0), hint[i]);
    }
    const Motion8 x = motion8(m->target, j, hint);
    for (int k = 0; k < 7; ++k) x.tangent[k].store(b[k]);
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

// How far positions and slopes of a (going right) and b (coming from the left) are from fitting
// one cubic over a slice step: |qb - qa - step (qa' + qb') / 2|, largest over the joints.
inline double misfit(const MotionNode& a, const MotionNode& b, double step, double limit) {
  const double sa = 1 / max(a.tangent[2], 1e-9), sb = 1 / max(b.tangent[2], 1e-9);
  double worst = 0;
  for (int k = 0; k < 7; ++k) {
    const double chord = k == 2 ? step : wrap_angle(b.q[k] - a.q[k]);
    const double e = chord - 0.5 * step * (a.tangent[k] * sa + b.tangent[k] * sb);
    worst = max(worst, __builtin_fabs(e));
    if (worst > limit) break;
  }
  return worst;
}

// Links what fits one cubic, one to one, across the gap right of `slice`.
inline void link_gap(SelfMotion* m, int slice) {
  const int right = (slice + 1) % kSlices;
  const int a0 = m->first[slice], na = m->count[slice];
  const int b0 = m->first[right], nb = m->count[right];
  int partner[kMaxSolutions], claims[kMaxSolutions];
  for (int j = 0; j < nb; ++j) claims[j] = 0;
  for (int i = 0; i < na; ++i) {
    partner[i] = -1;
    int fits = 0;
    for (int j = 0; j < nb; ++j) {
      if (misfit(m->node[a0 + i], m->node[b0 + j], kSliceStep, 4 * kFit) > 4 * kFit) continue;
      ++fits;
      if (misfit(m->node[a0 + i], m->node[b0 + j], kSliceStep, kFit) < kFit) partner[i] = j;
    }
    if (fits != 1) partner[i] = -1;
    if (partner[i] >= 0) ++claims[partner[i]];
  }
  for (int i = 0; i < na; ++i) {
    if (partner[i] >= 0 && claims[partner[i]] == 1) link_nodes(m, a0 + i, 1, b0 + partner[i], 0);
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
