// Points of a piece of curve where e0 turns back: its extremes lie there, not at the piece's ends.
#pragma once

#include "piece.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kFoldWidth = 1e-7;  // [rad] around a fold e0 moves by the square of this
constexpr double kFoldAside = 0.02;  // share of a piece that the next guess stays from its ends, at least
constexpr int kFoldSteps = 40;       // of the search for one fold

// The fold between two points whose tangents have opposite signs in e0.
inline bool find_fold(const Target& t, CurvePoint a, CurvePoint b, CurvePoint* fold) {
  for (int i = 0; i < kFoldSteps; ++i) {
    const Piece p = make_piece(a, b);
    const double share = a.tangent[2] / (a.tangent[2] - b.tangent[2]);
    // every third time in the middle, so that both ends come near
    const double u = i % 3 == 2 ? 0.5 : min(max(share, kFoldAside), 1 - kFoldAside);
    if (!point_of(t, p, u, -1, 0, fold)) return false;
    if (p.length < kFoldWidth || __builtin_fabs(fold->tangent[2]) < kFoldWidth) return true;
    ((fold->tangent[2] < 0) == (a.tangent[2] < 0) ? a : b) = *fold;
  }
  return true;
}

// Calls use(point) for the folds of a piece, in their order.
template <class Use>
inline void visit_folds(const Target& t, const CurvePoint& a, const CurvePoint& b, int depth,
                        const Use& use) {
  CurvePoint x;
  if ((a.tangent[2] < 0) != (b.tangent[2] < 0)) {
    if (find_fold(t, a, b, &x)) use(x);
    return;
  }
  const Piece p = make_piece(a, b);
  const double slope = 1.5 * p.chord[2] - 0.25 * (p.slope_a[2] + p.slope_b[2]);  // in the middle
  if (depth == 0 || (slope < 0) == (a.tangent[2] < 0) || !point_of(t, p, 0.5, -1, 0, &x)) return;
  visit_folds(t, a, x, depth - 1, use);
  visit_folds(t, x, b, depth - 1, use);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
