// Configurations of both arms as points.
#pragma once

#include <cmath>

#include "../planning_table.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct Point14 {
  double q[kPlanJoints];
};

BK_INLINE double distance(const Point14& a, const Point14& b) {
  double sum = 0.0;
  for (int j = 0; j < kPlanJoints; ++j) sum += (b.q[j] - a.q[j]) * (b.q[j] - a.q[j]);
  return std::sqrt(sum);
}

BK_INLINE Point14 between(const Point14& a, const Point14& b, double part) {
  Point14 c;
  for (int j = 0; j < kPlanJoints; ++j) c.q[j] = a.q[j] + part * (b.q[j] - a.q[j]);
  return c;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
