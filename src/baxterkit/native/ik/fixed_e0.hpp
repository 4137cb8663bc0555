// Every solution with e0 given: the fast path under its certificate, else the sure path.
#pragma once

#include "curve_roots.hpp"
#include "levels.hpp"
#include "limits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// The fast path. False: nothing is certain. With `limits`, candidates that lie outside by far are
// not made exact: only solutions within the limits are complete.
inline bool solve_fast(const Target& t, double e0, double c3, double s3, const Limits* limits,
                       Solutions* out) {
  Candidates candidates;
  if (!level_candidates(t, c3, s3, &candidates)) return false;
  if (limits) keep_candidates_within(t, e0, c3, s3, *limits, &candidates);
  const int before = out->count;
  polish(t, e0, c3, s3, candidates, 6, out);
  return out->count - before == candidates.count;
}

// Appends every solution with this e0 to `out`, without regard to limits.
inline void solve_fixed_e0(const Target& t, double e0, Solutions* out) {
  const double c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  if (!solve_fast(t, e0, c3, s3, nullptr, out)) {
    out->count = 0;
    solve_on_curve(t, e0, c3, s3, nullptr, out);
  }
}

// Every solution with this e0 that lies within the limits, and perhaps others.
inline void solve_fixed_e0_within(const Target& t, double e0, const Limits& limits, const CurveLimits& near,
                                  Solutions* out) {
  const double c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  if (solve_fast(t, e0, c3, s3, &limits, out)) return;
  out->count = 0;
  solve_on_curve(t, e0, c3, s3, &near, out);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
