// Every solution with e0 given.
#pragma once

#include "levels.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

inline bool solve_fast(const Target& t, double e0, Solutions* out) {
  double c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  Candidates candidates;
  if (!level_candidates(t, c3, s3, &candidates)) return false;
  const int before = out->count;
  polish(t, e0, c3, s3, candidates, 6, out);
  return out->count - before == candidates.count;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
