// The best solution over the whole self-motion within the limits.
#pragma once

#include "quick.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// Smaller is better; `context` is the caller's.
typedef double (*Objective)(const double* q, const void* context);

constexpr int kSamples = 4;     // of each piece, before refinement
constexpr int kMinima = 6;      // local minima that are refined

// The exact point of an interval at s in [0, count - 1]: piece floor(s), at the rest of s.
inline bool interval_point(const Target& t, const FeasibleSet& f, int interval, double s,
                           CurvePoint* out) {
  const Interval& i = f.interval[interval];
  if (i.count == 1) {
    *out = f.point[i.first];
    return true;
  }
  int piece = int(s);
  piece = piece < 0 ? 0 : (piece > i.count - 2 ? i.count - 2 : piece);
  const double u = s - piece;
  if (u <= 0 || u >= 1) {
    *out = f.point[i.first + piece + (u >= 1 ? 1 : 0)];
    return true;
  }
  const Piece p = make_piece(f.point[i.first + piece], f.point[i.first + piece + 1]);
  return point_of(t, p, u, -1, 0, out);
}

// The value of an objective at s, by the cubics (near enough to compare) or exactly.
inline double value_at(const Target& t, const FeasibleSet& f, int interval, double s, bool exact,
                       Objective objective, const void* context) {
  CurvePoint x;
  if (exact) {
    if (!interval_point(t, f, interval, s, &x)) return 1e300;
    return objective(x.q, context);
  }
  const Interval& i = f.interval[interval];
  const int piece = int(s) > i.count - 2 ? i.count - 2 : int(s);
  if (piece < 0) return objective(f.point[i.first].q, context);
  const Piece p = make_piece(f.point[i.first + piece], f.point[i.first + piece + 1]);
  for (int k = 0; k < 7; ++k) x.q[k] = cubic_at(p, k, s - piece);
  return objective(x.q, context);
}

// The minimum over a feasible set. False if the set is empty.
inline bool minimise(const Target& t, const FeasibleSet& f, Objective objective,
                     const void* context, double* q, double* value) {
  struct Minimum {
    double value, s;
    int interval;
  } low[kMinima];
  int n = 0;
  for (int i = 0; i < f.intervals; ++i) {
    const int last = (f.interval[i].count - 1) * kSamples;
    double before = 1e300, here = value_at(t, f, i, 0, false, objective, context);
    for (int k = 0; k <= last; ++k) {
      const double after =
          k == last ? 1e300
                    : value_at(t, f, i, double(k + 1) / kSamples, false, objective, context);
      if (here <= before && here <= after) {  // keep the lowest few, sorted
        Minimum m = {here, double(k) / kSamples, i};
        for (int j = 0; j < n; ++j) {
          if (m.value < low[j].value) {
            const Minimum swap = low[j];
            low[j] = m;
            m = swap;
          }
        }
        if (n < kMinima) low[n++] = m;
      }
      before = here;
      here = after;
    }
  }
  bool found = false;
  for (int j = 0; j < n; ++j) {
    const double end = f.interval[low[j].interval].count - 1;
    double a = max(low[j].s - 1.0 / kSamples, 0.0), b = min(low[j].s + 1.0 / kSamples, end);
    const double ratio = 0.6180339887498949;
    double x1 = b - ratio * (b - a), x2 = a + ratio * (b - a);
    double v1 = value_at(t, f, low[j].interval, x1, true, objective, context);
    double v2 = value_at(t, f, low[j].interval, x2, true, objective, context);
    while (b - a > 1e-7) {
      if (v1 < v2) {
        b = x2, x2 = x1, v2 = v1, x1 = b - ratio * (b - a);
        v1 = value_at(t, f, low[j].interval, x1, true, objective, context);
      } else {
        a = x1, x1 = x2, v1 = v2, x2 = a + ratio * (b - a);
        v2 = value_at(t, f, low[j].interval, x2, true, objective, context);
      }
    }
    // the middle, and the ends of the search (the interval may end there)
    const double at[3] = {0.5 * (a + b), max(low[j].s - 1.0 / kSamples, 0.0),
                          min(low[j].s + 1.0 / kSamples, end)};
    for (int k = 0; k < 3; ++k) {
      CurvePoint x;
      if (!interval_point(t, f, low[j].interval, at[k], &x)) continue;
      const double v = objective(x.q, context);
      if (found && v >= *value) continue;
      found = true;
      *value = v;
      for (int i = 0; i < 7; ++i) q[i] = x.q[i];
    }
    // the others cannot win by the error of the cubics
    if (j + 1 < n && low[j + 1].value > *value + 1e-2 * (__builtin_fabs(*value) + 1e-3)) break;
  }
  return found;
}

// Distance to a seed: context is the seed, seven numbers.
inline double nearest_objective(const double* q, const void* context) {
  return seed_distance(q, static_cast<const double*>(context));
}

// Minus the smallest distance to a limit, relative to the joint's range: context is the limits.
inline double limits_objective(const double* q, const void* context) {
  const Limits& l = *static_cast<const Limits*>(context);
  double least = 1;
  for (int k = 0; k < 7; ++k) {
    const double room = min(q[k] - l.lower[k], l.upper[k] - q[k]);
    least = min(least, room / (l.upper[k] - l.lower[k]));
  }
  return -least;
}

// Minus sqrt(det(J J^T)); the same for every tool.
inline double manipulability_objective(const double* q, const void* context) {
  const Target& t = *static_cast<const Target*>(context);
  Joints8 j;
  for (int k = 0; k < 7; ++k) j.q[k] = Oct(q[k]);
  Linearised8 l = linearise8(t, j);
  double volume = 1, b[kOct];
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) {
      const Oct projection = dot7(l.J[i], l.J[k]);
      for (int m = 0; m < 7; ++m) l.J[i][m] = fnma(projection, l.J[k][m], l.J[i][m]);
    }
    const Oct norm = sqrt(dot7(l.J[i], l.J[i]));
    const Oct scale = 1.0 / max(norm, Oct(1e-300));
    for (int m = 0; m < 7; ++m) l.J[i][m] = l.J[i][m] * scale;
    norm.store(b);
    volume *= b[0];
  }
  return -volume;
}

enum Goal : int { kNearest = 0, kFarthestFromLimits = 1, kManipulability = 2 };

// The best solution within the limits by one of the objectives above, over all of the self-motion;
// else the reason why there is none. `scratch` keeps the curves and intervals.
inline Answer solve_best(const Target& t, const double* seed, const Limits& l, Goal goal,
                         Scratch* s) {
  Answer a;
  a.traced = true;
  for (int k = 0; k < 7; ++k) a.q[k] = a.violation[k] = 0;
  a.status = kOutOfReach;
  if (wrist_out_of_reach(t)) {
    s->motion.nodes = 0;
    clear(&s->feasible);
    return a;
  }
  start_motion(t, clip(l, 2, seed[2]), &s->motion);
  trace_motion(&s->motion);
  find_feasible(s->motion, l, &s->feasible);
  const Objective objective = goal == kNearest ? nearest_objective
                              : goal == kFarthestFromLimits ? limits_objective
                                                            : manipulability_objective;
  const void* context = goal == kNearest ? static_cast<const void*>(seed)
                        : goal == kFarthestFromLimits ? static_cast<const void*>(&l)
                                                      : static_cast<const void*>(&t);
  double value;
  if (minimise(t, s->feasible, objective, context, a.q, &value)) {
    a.status = kSolved;
    settle(t, l, a.q);
    return a;
  }
  // Before a "no": every node and every piece by itself.
  s->examined.nodes = 0;
  clear(&s->feasible);
  if (examine_new(s->motion, l, &s->examined, &s->feasible) &&
      minimise(t, s->feasible, objective, context, a.q, &value)) {
    a.status = kSolved;
    settle(t, l, a.q);
    return a;
  }
  finish_without(s->motion, l, &s->feasible, &a);
  return a;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
