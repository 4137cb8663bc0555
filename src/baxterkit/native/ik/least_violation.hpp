// The solution that violates the limits least, where none is within them.
//
// Bounds (limit_bounds.hpp) say what each gap between slices cannot fall below. Slices of the most
// promising gaps are solved eight at a time, and what they bring to light bounds the rest: curves
// matter only where they violate the limits by less, so that the search is that of the curves near
// the limits (near_motion.hpp), with limits widened by as much.
#pragma once

#include "links.hpp"
#include "near_motion.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kOftenEnough = 0.6;  // [rad] few targets have all solutions farther outside
constexpr double kAllCells = 4.0;     // [rad] no joint can be farther outside
constexpr double kNearLeast = 0.4;   // [rad] what kNear is here
// [rad] guesses of the least violation, one after the other.
constexpr double kFirstGuess = 0.2, kSecondGuess = 1.0;
constexpr double kAnyViolation = 1e9;  // [rad] more than any
constexpr int kDipSamples = 5;         // along one link, ends included
constexpr int kLowestRounds = 12;      // each leaves 2/9 of a piece: 1e-8 of it in the end
constexpr int kLowestCuts = 4;         // of a piece, where the curve was not what its cubic promised
constexpr double kAsPromised = 1e-10;  // [rad] of the violation

inline Limits widened(Limits l, double by) {
  for (int k = 0; k < 7; ++k) l.lower[k] -= by, l.upper[k] += by;
  return l;
}

inline double least_violation(const SelfMotion& m, const Limits& l, int from) {
  double least = kNoSolution;
  for (int i = from; i < m.nodes; ++i) least = min(least, worst_violation(l, m.node[i].q));
  return least;
}

// Traces the gaps that may hold it, from the most promising on, wherever their solutions are; no
// solution found means that there is none.
inline void trace_least_thoroughly(const LimitBounds& b, const Limits& l, SelfMotion* m) {
  double bound[kMaxSlices], least = least_violation(*m, l, 0);
  for (int i = 0; i < m->gaps; ++i) bound[i] = m->gap[i] == kClosed ? gap_bound(*m, b, i) : kNoSolution;
  while (true) {
    int next = 0;
    for (int i = 1; i < m->gaps; ++i) {
      if (m->gap[i] == kClosed && (m->gap[next] != kClosed || bound[i] < bound[next])) next = i;
    }
    if (m->gap[next] != kClosed || bound[next] >= least) break;
    const int known = m->nodes;
    open_gap(m, next);
    least = min(least, least_violation(*m, l, known));
  }
  for (int i = 0; i < m->gaps; ++i) {
    if (m->gap[i] == kOpen && bound[i] >= least) m->gap[i] = kClosed;
  }
  trace_links(m);
  trace_paths(m);
  trace_loops(m);
}

// Traces what may hold it, near the limits widened by what it violates them by: as much as the bounds
// say, and `guess` more at most [rad]. False if it violates them by more than that.
inline bool trace_least_near(const Limits& l, double guess, LimitBounds* b, SelfMotion* m) {
  double bound[kMaxSlices], least = least_violation(*m, l, 0), lowest = kNoSolution;
  bound_gaps(*m, *b, bound);
  for (int i = 0; i < m->gaps; ++i) lowest = min(lowest, bound[i]);
  const double reach = min(least, lowest + guess);
  if (reach > b->seen) extend_bounds(m->target, l, kAllCells, b);
  least = solve_promising(
      *b, reach, [&](double by) { return widened(l, by - (kNear - kNearLeast)); },
      [&](int first) { return least_violation(*m, l, first); }, m, bound);
  if (least > reach) return false;
  for (int i = 0; i < m->gaps; ++i) {
    if (bound[i] < least) m->gap[i] = kOpen;
  }
  trace_links(m);
  trace_paths_near(widened(l, least - (kNear - kNearLeast)), m);
  return true;
}

// With no solution within the limits: traces what may hold the one that violates them least.
inline void trace_least_violating(const Limits& l, LimitBounds* b, SelfMotion* m) {
  extend_bounds(m->target, l, kOftenEnough, b);
  for (const double guess : {kFirstGuess, kSecondGuess}) {
    if (trace_least_near(l, guess, b, m)) return;
    const unsigned shortage = m->shortage;  // of the search within the limits
    start_motion(m->target, m->base_e0, m->effort, m);  // slices hold too little
    m->shortage = shortage;
    lay_slices(m);
  }
  extend_bounds(m->target, l, kAllCells, b);
  trace_least_thoroughly(*b, l, m);
}

// Pieces of curve that may violate the limits less than all nodes do.
struct Dips {
  static constexpr int kMost = 64;
  int count = 0;
  LinkEnd link[kMost];
  double bound[kMost];
};

// Notes those of up to eight links (lanes) on which the violation may fall below `least`: by the
// least of the samples along the cubic, less half of the largest change from one to the next.
inline void note_dips(const SelfMotion& m, const Limits& l, const LinkEnd* x, int n, double least,
                      Dips* out) {
  const Links8 p = links8(m, x, n);
  Oct worst[kDipSamples];
  for (int i = 0; i < kDipSamples; ++i) worst[i] = Oct(0.0);
  for (int k = 0; k < 7; ++k) {
    for (int i = 0; i < kDipSamples; ++i) {
      const Oct q = cubic_at(p, k, i / (kDipSamples - 1.0));
      worst[i] = max(worst[i], max(l.lower[k] - q, q - l.upper[k]));
    }
  }
  Oct lowest = worst[0], change(0.0);
  for (int i = 1; i < kDipSamples; ++i) {
    lowest = min(lowest, worst[i]);
    change = max(change, abs(worst[i] - worst[i - 1]));
  }
  const Oct bound = lowest - 0.5 * change;
  double b[kOct];
  bound.store(b);
  for (int i = 0; i < n; ++i) {
    if (!(b[i] < least)) continue;
    int at = out->count;
    if (at < Dips::kMost) {
      ++out->count;
    } else {  // no room: the least promising one goes
      at = 0;
      for (int k = 1; k < Dips::kMost; ++k) {
        if (out->bound[k] > out->bound[at]) at = k;
      }
      if (!(b[i] < out->bound[at])) continue;
    }
    out->link[at] = x[i];
    out->bound[at] = b[i];
  }
}

// Where on the cubic of a piece the violation is least, and how much it is: eight points, then the parts next
// to the best one.
inline double lowest_on(const Piece& p, const Limits& l, double* value) {
  double from = 0, to = 1;
  for (int round = 0; round < kLowestRounds; ++round) {
    const double step = (to - from) / (kOct + 1);
    const Oct u = fma(ramp() + 1.0, Oct(step), Oct(from)), v = 1.0 - u;
    const Oct uu = u * u * fnma(Oct(2.0), u, Oct(3.0)), uv = u * v;
    Oct worst(0.0);
    for (int k = 0; k < 7; ++k) {
      const Oct q = fma(uu, Oct(p.chord[k]), p.a.q[k] + uv * (v * p.slope_a[k] - u * p.slope_b[k]));
      worst = max(worst, max(l.lower[k] - q, q - l.upper[k]));
    }
    double w[kOct];
    worst.store(w);
    int best = 0;
    for (int i = 1; i < kOct; ++i) {
      if (w[i] < w[best]) best = i;
    }
    *value = w[best];
    from = from + best * step, to = from + 2 * step;
  }
  return 0.5 * (from + to);
}

// The least violation on a piece of curve, if it is less than `least`: with q where it is. The piece is cut
// where the cubic has its least, until the curve has it there, too.
inline void lower_on(const Target& t, const Limits& l, Piece p, double* least, double* q) {
  double promised;
  double u = lowest_on(p, l, &promised);
  for (int cut = 0; cut < kLowestCuts; ++cut) {
    CurvePoint x;
    if (!point_near(t, p, u, &x)) return;
    const double v = worst_violation(l, x.q);
    if (v < *least) {
      *least = v;
      for (int k = 0; k < 7; ++k) q[k] = x.q[k];
    }
    if (__builtin_fabs(v - promised) < kAsPromised) return;
    const Piece before = make_piece(p.a, x), after = make_piece(x, p.b);
    double promised_after;
    const double u_after = lowest_on(after, l, &promised_after);
    p = before;
    u = lowest_on(before, l, &promised);
    if (promised_after < promised) p = after, u = u_after, promised = promised_after;
    if (promised > *least) return;
  }
}

// The solution that violates the limits least, over all that was traced.
inline void least_violating(const SelfMotion& m, const Limits& l, SeenLinks* seen, double* q) {
  seen->nodes = 0;
  double least = kAnyViolation;
  int best = -1;
  for (int i = 0; i < m.nodes; ++i) {
    const double v = worst_violation(l, m.node[i].q);
    if (v < least) least = v, best = i;
  }
  for (int k = 0; k < 7; ++k) q[k] = m.node[best].q[k];
  Dips dips;
  visit_new_links(m, seen, [&](const LinkEnd* x, int n) { note_dips(m, l, x, n, least, &dips); });
  while (true) {
    int next = -1;
    for (int i = 0; i < dips.count; ++i) {
      if (dips.bound[i] < least && (next < 0 || dips.bound[i] < dips.bound[next])) next = i;
    }
    if (next < 0) return;
    const LinkEnd e = dips.link[next];
    dips.bound[next] = kNoSolution;
    const MotionNode& a = m.node[e.node];
    lower_on(m.target, l,
             make_piece(oriented(a, e.port == 1), oriented(m.node[a.link[e.port]], a.port[e.port] == 0)),
             &least, q);
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
