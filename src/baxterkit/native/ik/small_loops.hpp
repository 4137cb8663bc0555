// Closed curves that lie between two slices and cross none.
//
// They are born where a solution of (1) or (2) is just missed: where two roots of the quartic (1)
// are complex but close to real (the edge of reach), or where |z5 . z7| has little room (near
// w1 = 0). From such near misses Newton's method in all seven joints runs to the closest solution;
// one that is on no known curve starts a new one.
#pragma once

#include "piece.hpp"
#include "follow.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kNearReal = 0.002;  // -D of a complex pair of (1) that may be real nearby

inline int gap_of(const SelfMotion& m, double e0) {
  const double x = wrap_angle(e0);
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

// Is x on a piece of curve that the graph has already?
inline bool is_known(const SelfMotion& m, const double* x) {
  const double padded[kOct] = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], 0};
  const Oct all = Oct::load(padded);
  // A piece never leaves its gap: its ends are no farther in e0 than the gap is wide. In the other
  // joints pieces are shorter than sqrt(2).
  double bounds[kOct];
  for (int k = 0; k < kOct; ++k) bounds[k] = 1.41422;
  bounds[2] = gap_width(m, gap_of(m, x[2])) + 1e-3;
  const Oct bound = Oct::load(bounds);
  for (int i = 0; i < m.nodes; ++i) {
    const MotionNode& n = m.node[i];
    if (far_apart(all, n, bound)) continue;
    double d2 = 0;
    for (int k = 0; k < 7; ++k) {
      const double d = wrap_angle(x[k] - n.q[k]);
      d2 += d * d;
    }
    if (d2 > 2.0) continue;
    if (d2 < 1e-12) return true;
    for (int port = 0; port < 2; ++port) {
      if (n.link[port] < 0) continue;
      const Piece p = make_piece(oriented(n, port == 1),
                                 oriented(m.node[n.link[port]], n.port[port] == 0));
      double along = 0;
      for (int k = 0; k < 7; ++k) along += wrap_angle(x[k] - n.q[k]) * p.chord[k];
      const double u = along / max(p.length * p.length, 1e-30);
      if (u < -0.05 || u > 1.05) continue;
      double far = 0;
      for (int k = 0; k < 7; ++k) far = max(far, __builtin_fabs(wrap_angle(x[k] - cubic_at(p, k, u))));
      if (far > 0.1 * p.length + 4 * p.margin + 1e-6) continue;
      if (far < 1e-5) return true;
      CurvePoint exact;
      if (point_of(m.target, p, u, -1, 0, &exact) && joint_distance(exact.q, x) < 1e-5) return true;
    }
  }
  return false;
}

// Follows the closed curve through x and adds it to the graph. If it meets a slice after all it
// is no small loop, and nothing is added.
inline bool add_loop(SelfMotion* m, const double* x) {
  const int first = m->nodes;
  double q[7], direction[7];
  {
    if (m->nodes == kMaxMotionNodes) return false;
    MotionNode& n = m->node[m->nodes++];
    for (int k = 0; k < 7; ++k) n.q[k] = wrap_angle(x[k]);
    n.link[0] = n.link[1] = -1;
    n.slice = -1;
    find_tangents(m, first, 1);
    for (int k = 0; k < 7; ++k) q[k] = n.q[k], direction[k] = n.tangent[k];
  }
  const MotionNode start = m->node[first];
  double arc = 0.01, gone = 0;
  for (int steps = 0; steps < 2000; ++steps) {
    // Close the loop when the start is ahead within a step.
    double ahead = 0, away = 0, same = 0;
    for (int k = 0; k < 7; ++k) {
      const double d = wrap_angle(start.q[k] - q[k]);
      ahead += d * direction[k];
      away += d * d;
      same += direction[k] * start.tangent[k];
    }
    away = __builtin_sqrt(away);
    if (gone > 3 * arc && ahead > 0 && away < 1.01 * arc && same > 0.7 && ahead > 0.7 * away) {
      link_nodes(m, m->nodes - 1, 1, first, 0);
      return true;
    }
    Joints8 j;
    Oct w[7], tangent[7];
    for (int k = 0; k < 7; ++k) {
      j.q[k] = Oct(q[k] + arc * direction[k]);
      w[k] = Oct(direction[k]);
    }
    newton_in_plane(m->target, w, 3, &j, tangent);
    const Motion8 here = motion8(m->target, j, tangent);
    double b[kOct], one[7], dir[7], turn = 0, fit = 0;
    here.error.store(b);
    const double error = b[0];
    for (int k = 0; k < 7; ++k) {
      j.q[k].store(b);
      one[k] = b[0];
      here.tangent[k].store(b);
      dir[k] = b[0];
      turn += dir[k] * direction[k];
      fit = max(fit, __builtin_fabs(one[k] - q[k] - 0.5 * arc * (dir[k] + direction[k])));
    }
    if (!(error < 1e-9 && turn > 0.85 && fit < 0.015 * arc)) {
      arc *= 0.4;
      if (arc < 1e-9) break;
      continue;
    }
    if (gap_of(*m, q[2]) != gap_of(*m, one[2])) break;
    if (m->nodes == kMaxMotionNodes) break;
    MotionNode& n = m->node[m->nodes];
    for (int k = 0; k < 7; ++k) {
      n.q[k] = wrap_angle(one[k]), n.tangent[k] = dir[k];
      q[k] = one[k], direction[k] = dir[k];
    }
    n.link[0] = n.link[1] = -1;
    n.slice = -1;
    link_nodes(m, m->nodes - 1, 1, m->nodes, 0);
    ++m->nodes;
    gone += arc;
    if (fit < 0.005 * arc) arc = min(1.6 * arc, 0.2);
  }
  m->nodes = first;
  return false;
}

// Starts for Newton in all seven joints, next to solutions that may belong to unknown loops.
struct NearMisses {
  static constexpr int kMost = 256;
  int count = 0;
  double q[kMost][7];
};

// Newton from all near misses, eight under way at a time; new solutions start loops.
inline void try_near_misses(SelfMotion* m, NearMisses* from) {
  constexpr int kSteps = 20;
  double q[7][kOct] = {};
  int steps[kOct], next_start = 0;
  for (int i = 0; i < kOct; ++i) steps[i] = -1;
  while (true) {
    int active = 0;
    for (int i = 0; i < kOct; ++i) {
      if (steps[i] < 0 && next_start < from->count) {
        for (int k = 0; k < 7; ++k) q[k][i] = from->q[next_start][k];
        steps[i] = 0;
        ++next_start;
      }
      active += steps[i] >= 0;
    }
    if (active == 0) break;
    Joints8 j;
    for (int k = 0; k < 7; ++k) j.q[k] = Oct::load(q[k]);
    const unsigned close = (damped_step(m->target, 0.3, &j) < Oct(1e-12)).bits();
    for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
    unsigned ended = 0;
    for (int i = 0; i < kOct; ++i) {
      if (steps[i] >= 0 && (++steps[i] == kSteps || (close >> i & 1u))) ended |= 1u << i;
    }
    if (!ended) continue;
    wrap8(&j);
    const unsigned good = (pose_error8(m->target, j) < Oct(1e-11)).bits() & ended;
    double wrapped[7][kOct];
    for (int k = 0; k < 7; ++k) j.q[k].store(wrapped[k]);
    for (int i = 0; i < kOct; ++i) {
      if (ended >> i & 1u) steps[i] = -1;
      if (!(good >> i & 1u)) continue;
      double one[7];
      for (int k = 0; k < 7; ++k) one[k] = wrapped[k][i];
      if (!is_known(*m, one)) add_loop(m, one);
    }
  }
  from->count = 0;
}

// Adds some of eight near misses; a full list is tried at once.
inline void add_near_misses(SelfMotion* m, const Joints8& j, unsigned lanes, NearMisses* to) {
  double q[7][kOct];
  for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
  for (; lanes; lanes &= lanes - 1) {
    if (to->count == NearMisses::kMost) try_near_misses(m, to);
    for (int k = 0; k < 7; ++k) to->q[to->count][k] = q[k][__builtin_ctz(lanes)];
    ++to->count;
  }
}

// Loops at the edge of reach: the wrist is reached with the elbow stretched or folded (Theta' = 0,
// pi) and |L| extreme in e0 too: L2 = 0, e0 = atan2(-Y, X), or its derivative is, e0 = atan2(X, Y).
// Along each of these crests, over theta5, loops are centred where f = 0.
struct Crest {
  double c;     // cos Theta': 1 stretched, -1 folded
  double X;
  int kind;     // 0, 1: L2 = 0;  2, 3: L2 extreme
};

// e0 and the point next to the crest: off it by as much as (1) leaves, |L|^2 - rho^2 changes by
// L1 l1 Theta'^2.
inline void crest_point(const Target& t, const Crest& k, Oct c5, Oct s5, Oct* e0, Point<Oct>* p) {
  const Oct Y = kA5 * s5;
  const double sign = k.kind % 2 == 0 ? 1.0 : -1.0;
  *e0 = k.kind < 2 ? atan2(-sign * Y, Oct(sign * k.X)) : atan2(Oct(sign * k.X), sign * Y);
  Oct s3, c3, sa, ca;
  sincos(*e0, &s3, &c3);
  const Oct R = sqrt(kR5Squared - Y * Y);
  const Oct L2 = s3 * k.X + c3 * Y, L1 = t.l0 - (k.c * kR3 / kA1) * R;
  const Oct deficit = abs(fma(L1, L1, fma(L2, L2, Oct(-t.rho * t.rho))));
  const Oct room = max(abs(L1) * R * (kR3 / kA1), Oct(1e-3));
  sincos(min(sqrt(deficit / room + 1e-10), Oct(0.3)), &sa, &ca);
  *p = {k.c * ca, sa, c5, s5};
}

inline Oct crest_f(const Target& t, const Crest& k, Oct c5, Oct s5) {
  Oct e0, s3, c3;
  Point<Oct> p;
  crest_point(t, k, c5, s5, &e0, &p);
  sincos(e0, &s3, &c3);
  return evaluate<Oct, Oct>(t, c3, s3, p).f;
}

inline void loops_at_reach(SelfMotion* m, NearMisses* near_misses) {
  const Target& t = m->target;
  for (int folded = 0; folded < 2; ++folded) {
    Crest k;
    k.c = folded ? -1.0 : 1.0;
    k.X = kA3 + k.c * kR5 * kSinGamma;
    // |L1| at the crest against rho: only near the edge can a loop be small
    const double L1 = t.l0 - k.c * (kR3 * kR5 / kA1);
    const double over = __builtin_fabs(L1) - t.rho;
    const double near = t.rho < 0.05 ? 0.02 : 0.005;
    if (over > near || over < -near) continue;
    for (k.kind = 0; k.kind < 4; ++k.kind) {
      double from[kOct], to[kOct];
      int n = 0;
      for (int sheet = 0; sheet < 2; ++sheet) {
        const Oct c5 = sheet == 0 ? level_cos() : -level_cos(), s5 = level_sin();
        Oct e0, s3, c3;
        Point<Oct> p;
        crest_point(t, k, c5, s5, &e0, &p);
        sincos(e0, &s3, &c3);
        if (!folded && k.kind < 2) {
          add_near_misses(m, joint_angles<Oct>(t, c3, s3, e0, p), 255u, near_misses);
        }
        const unsigned negative = (evaluate<Oct, Oct>(t, c3, s3, p).f < Oct(0.0)).bits();
        for (unsigned x = (negative ^ (negative >> 1)) & kGaps; x && n < kOct; x &= x - 1) {
          const double a = -kHalfPi + __builtin_ctz(x) * kLevelStep, b = a + kLevelStep;
          from[n] = sheet == 0 ? a : kPi - a;
          to[n] = sheet == 0 ? b : kPi - b;
          ++n;
        }
      }
      if (n == 0) continue;
      for (int i = n; i < kOct; ++i) from[i] = from[0], to[i] = to[0];
      Oct a = Oct::load(from), b = Oct::load(to), s5, c5;
      sincos(a, &s5, &c5);
      const Oct fa = crest_f(t, k, c5, s5);
      for (int i = 0; i < 20; ++i) {  // bisection
        const Oct middle = 0.5 * (a + b);
        sincos(middle, &s5, &c5);
        const Mask same = Oct(0.0) < fa * crest_f(t, k, c5, s5);
        a = select(same, middle, a);
        b = select(same, b, middle);
      }
      Oct e0, s3, c3;
      Point<Oct> p;
      crest_point(t, k, c5, s5, &e0, &p);
      sincos(e0, &s3, &c3);
      add_near_misses(m, joint_angles<Oct>(t, c3, s3, e0, p), (1u << n) - 1u, near_misses);
    }
  }
}

// Loops where two roots of (1) are complex at a slice but close to real: they may be real for a
// short range of e0 next to it. Starts are the real parts of the roots, next to sign changes of f.
inline void loops_near_slice(SelfMotion* m, double e0, NearMisses* near_misses) {
  const double c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  const Oct s5 = level_sin();
  const Levels levels = solve_levels(m->target, c3, s3, s5, true);
  for (int pair = 0; pair < 2; ++pair) {
    const unsigned near = ((levels.discriminant[pair] < Oct(0.0)) &
                           (Oct(-kNearReal) < levels.discriminant[pair])).bits();
    if (!near) continue;
    for (int sheet = 0; sheet < 2; ++sheet) {
      const Oct c5 = sheet == 0 ? level_cos() : -level_cos();
      const Point<Oct> p = {levels.c[2 * pair], levels.s[2 * pair], c5, s5};
      const unsigned negative = (evaluate<Oct, double>(m->target, c3, s3, p).f < Oct(0.0)).bits();
      const unsigned change = (negative ^ (negative >> 1)) & kGaps;
      const unsigned lanes = (change | change << 1) & near;
      if (!lanes) continue;
      add_near_misses(m, joint_angles<double>(m->target, c3, s3, Oct(e0), p), lanes, near_misses);
    }
  }
}

// The tracing in three steps. First the slices, and what can be linked between them at once,
inline void trace_slices(SelfMotion* m) {
  complete_slices(m);
  find_tangents(m, 0, m->nodes);
  for (int i = 0; i < m->gaps; ++i) link_gap(m, i);
}

// then the paths between slices that turn or bend,
inline void trace_paths(SelfMotion* m) {
  for (double longest = 0.3; longest > 0.01; longest *= 0.25) follow_all(m, longest);
}

// and last the curves that cross no slice.
inline void trace_loops(SelfMotion* m) {
  NearMisses near_misses;
  loops_at_reach(m, &near_misses);
  for (int i = 0; i < kSlices && i < m->slices; ++i) loops_near_slice(m, m->e0[i], &near_misses);
  try_near_misses(m, &near_misses);
}

// All curves of a target.
inline void trace_motion(SelfMotion* m) {
  trace_slices(m);
  trace_paths(m);
  trace_loops(m);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
