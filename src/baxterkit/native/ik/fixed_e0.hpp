// Every solution with e0 given: the fast path under its certificate, else the sure path.
#pragma once

#include "curve_roots.hpp"
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

inline void solve_sure(const Target& t, double e0, Solutions* out) {
  solve_on_curve(t, e0, __builtin_cos(e0), __builtin_sin(e0), out);
}

// Appends every solution with this e0, without regard to limits, to `out`.
inline void solve_fixed_e0(const Target& t, double e0, Solutions* out) {
  if (!solve_fast(t, e0, out)) solve_sure(t, e0, out);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
