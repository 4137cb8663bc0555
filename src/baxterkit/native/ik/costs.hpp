// What a solution may be chosen by: costs of joint positions, many at a time. Smaller is better.
#pragma once

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

struct Cost {
  CostFunction values;
  const void* context;
  CostKind kind;
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

// Minus the manipulability sqrt(det(J J')), the same for every tool; no context.
inline void manipulability_cost(const double* q, int n, double* values, const void*) {
  for (int first = 0; first < n; first += kOct) {
    const int count = n - first < kOct ? n - first : kOct;
    Oct s[7], c[7], direction[7];
    for (int k = 1; k < 6; ++k) {
      double x[kOct];
      for (int i = 0; i < kOct; ++i) x[i] = q[7 * (first + (i < count ? i : 0)) + k];
      sincos(Oct::load(x), &s[k], &c[k]);
    }
    double size[kOct];
    null_vectors(s, c, direction).store(size);
    for (int i = 0; i < count; ++i) values[first + i] = -size[i];
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
