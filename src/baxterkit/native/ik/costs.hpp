// What a solution may be chosen by: costs of joint positions, many at a time. Smaller is better.
#pragma once

#include "../generated/gravity.hpp"
#include "near_limits.hpp"
#include "reduced_curve.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// Costs of n joint vectors (n, 7), one after the other; `context` is the caller's.
typedef void (*CostFunction)(const double* q, int n, double* values, const void* context);

// How a cost behaves along a curve, and so how its minimum is found in the end.
enum CostKind : int {
  kSmoothCost,  // a parabola through three close points
  kCheapCost,   // perhaps with kinks, but nothing to compute: by trial on the cubic
  kAnyCost,     // nothing is known: by trial on the curve
};

// The same of eight joint vectors, by the sines and cosines of their joints.
typedef Oct (*LaneCost)(const Oct* s, const Oct* c, const void* context);

struct Cost {
  CostFunction values;
  const void* context;
  CostKind kind;
  LaneCost of_lanes = nullptr;  // of smooth ones
};

inline double cost_of(const Cost& cost, const double* q) {
  double value;
  cost.values(q, 1, &value, cost.context);
  return value;
}

// Squared distance to a seed: context is the seed, seven numbers.
inline void nearest_cost(const double* q, int n, double* values, const void* context) {
  for (int i = 0; i < n; ++i) values[i] = seed_distance(q + 7 * i, static_cast<const double*>(context));
}

// The same, but of a joint outside its limits in the turn nearest to the seed: what a curve next to there may have that comes
// in again at the end of a turn. Where the ends of turns are within the limits, that holds of all joints.
inline void nearest_turn_cost(const Target& t, const Limits& l, const double* q, int n, double* values,
                              const double* seed) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < 7; ++k) {
      const double x = q[7 * i + k], off = x - seed[k];
      const bool inside = x >= l.lower[k] && x <= l.upper[k] && !t.turned;
      const double d = inside ? off : off - 2 * kPi * __builtin_rint(off * (0.5 / kPi));
      sum += d * d;
    }
    values[i] = sum;
  }
}

// Minus the smallest distance to a limit, relative to the joint's range: context is the limits.
inline void limits_cost(const double* q, int n, double* values, const void* context) {
  const Limits& l = *static_cast<const Limits*>(context);
  double inverse_range[7];
  for (int k = 0; k < 7; ++k) inverse_range[k] = 1.0 / (l.upper[k] - l.lower[k]);
  for (int i = 0; i < n; ++i) {
    double least = 1;
    for (int k = 0; k < 7; ++k) {
      const double x = q[7 * i + k];
      least = min(least, min(x - l.lower[k], l.upper[k] - x) * inverse_range[k]);
    }
    values[i] = -least;
  }
}

// By how much joints stray, between samples of a curve that follow one another, from what is between two of them: twice as
// much as parabolas do. Where a joint passes the end of a turn, by a turn.
inline void strays_of_samples(const double (*q)[7], int n, double* stray) {
  for (int k = 0; k < 7; ++k) {
    stray[k] = 0;
    for (int i = 1; i + 1 < n; ++i) {
      stray[k] = max(stray[k], 0.25 * __builtin_fabs(q[i - 1][k] - 2 * q[i][k] + q[i + 1][k]));
    }
  }
}

// What `limits_cost` does not fall below between two points, from between which joint k strays by no more than `stray[k]`: the
// joint that is nearest to a limit there decides.
inline double least_limits_cost(const Limits& l, const double* a, const double* b, const double* stray) {
  double most = 1;
  for (int k = 0; k < 7; ++k) {
    const double way = __builtin_fabs(b[k] - a[k]);
    const double half = 0.5 * (l.upper[k] - l.lower[k]), middle = 0.5 * (l.lower[k] + l.upper[k]);
    const double off = __builtin_fabs(0.5 * (a[k] + b[k]) - middle) - (0.5 * way + stray[k]);
    most = min(most, (half - max(off, 0.0)) * (0.5 / half));
  }
  return -most;
}

// Costs of n joint vectors by a function of eight.
template <LaneCost of_lanes>
inline void lane_values(const double* q, int n, double* values, const void* context) {
  for (int first = 0; first < n; first += kOct) {
    const int count = n - first < kOct ? n - first : kOct;
    Oct s[7], c[7];
    for (int k = 0; k < 7; ++k) {
      double x[kOct];
      for (int i = 0; i < kOct; ++i) x[i] = q[7 * (first + (i < count ? i : 0)) + k];
      sincos(Oct::load(x), &s[k], &c[k]);
    }
    double value[kOct];
    of_lanes(s, c, context).store(value);
    for (int i = 0; i < count; ++i) values[first + i] = value[i];
  }
}

template <LaneCost of_lanes>
inline Cost smooth_cost(const void* context) {
  return {lane_values<of_lanes>, context, kSmoothCost, of_lanes};
}

// Minus the manipulability sqrt(det(J J')), the same for every tool; no context.
inline Oct manipulability_cost(const Oct* s, const Oct* c, const void*) {
  Oct direction[7];
  return -null_vectors(s, c, direction);
}

// The squared norm of the gravity torque.
inline Oct gravity_cost(const Oct* s, const Oct* c, const void* context) {
  const IkGravity& arm = *static_cast<const IkGravity*>(context);
  Oct torque[7], sum(0.0);
  generated::gravity<Oct>(s, c, arm.beta, arm.gravity, torque);
  for (int k = 0; k < 7; ++k) sum = fma(torque[k], torque[k], sum);
  return sum;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
