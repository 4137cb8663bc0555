// Feasible points of a self-motion while it is being traced, for callers that ask for any one.
//
// The pieces of curve are examined as they become known, each once, so that the search can stop
// as soon as one of them enters the limits. Most pieces are far outside: eight at a time are
// dismissed by the hull of their control points, by the rule of `cut_piece`; only the rest is cut.
#pragma once

#include "feasible.hpp"
#include "links.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// The ones of up to eight links (lanes) on which some joint lies outside its limits all along: the
// hull of the cubic's control points, widened by the margin, does not meet [lower, upper], nor
// [lower, upper] shifted by a turn.
inline unsigned surely_outside(const SelfMotion& m, const Limits& l, const LinkEnd* x, int n) {
  const LinkEnds8 ends(m, x, n);
  const auto &q = ends.q, &tangent = ends.tangent;
  Oct chord[7], length2(0.0), along_a(0.0), along_b(0.0);
  for (int k = 0; k < 7; ++k) {
    const Oct d = Oct::load(q[1][k]) - Oct::load(q[0][k]);
    chord[k] = fnma(nearest(d * (0.5 / kPi)), Oct(2.0 * kPi), d);
    length2 = fma(chord[k], chord[k], length2);
    along_a = fma(chord[k], Oct::load(tangent[0][k]), along_a);
    along_b = fma(chord[k], Oct::load(tangent[1][k]), along_b);
  }
  const Oct least = kAlongChord * sqrt(length2);
  const Oct scale_a = length2 / max(along_a, least), scale_b = length2 / max(along_b, least);
  Oct misfit(0.0);
  for (int k = 0; k < 7; ++k) {
    const Oct slopes = fma(scale_a, Oct::load(tangent[0][k]), scale_b * Oct::load(tangent[1][k]));
    misfit = max(misfit, abs(fnma(Oct(0.5), slopes, chord[k])));
  }
  const Oct margin = fma(Oct(0.5), misfit, Oct(kPieceRounding));
  Mask outside = Oct(1.0) < Oct(0.0);
  for (int k = 0; k < 7; ++k) {
    const Oct a = Oct::load(q[0][k]), b = a + chord[k];
    const Oct c1 = fma(scale_a * (1.0 / 3), Oct::load(tangent[0][k]), a);
    const Oct c2 = fnma(scale_b * (1.0 / 3), Oct::load(tangent[1][k]), b);
    const Oct low = min(min(a, b), min(c1, c2)) - margin;
    const Oct high = max(max(a, b), max(c1, c2)) + margin;
    outside = outside | ((high < Oct(l.lower[k] - kLimitTolerance)) &
                         (Oct(l.upper[k] - 2 * kPi + kLimitTolerance) < low));
    outside = outside | ((Oct(l.upper[k] + kLimitTolerance) < low) &
                         (high < Oct(l.lower[k] + 2 * kPi - kLimitTolerance)));
  }
  return outside.bits() & ((1u << n) - 1u);
}

// Cuts those of up to eight links that are not surely outside.
inline void cut_links(const SelfMotion& m, const Limits& l, const LinkEnd* x, int n, FeasibleSet* f) {
  const unsigned outside = surely_outside(m, l, x, n);
  for (int i = 0; i < n; ++i) {
    if (outside >> i & 1u) continue;
    const MotionNode& a = m.node[x[i].node];
    const MotionNode& b = m.node[a.link[x[i].port]];
    bool open = false;
    cut_piece(m.target, l, make_piece(oriented(a, x[i].port == 1), oriented(b, a.port[x[i].port] == 0)), 0,
              60, f, &open);
  }
}

// Examines all nodes and links that have come since the last call; true if any feasible point is
// known now.
inline bool examine_new(const SelfMotion& m, const Limits& l, SeenLinks* seen, FeasibleSet* f) {
  for (int i = seen->nodes; i < m.nodes; ++i) {
    if (within(l, m.node[i].q)) keep_point(l, oriented(m.node[i], true), f);
  }
  visit_new_links(m, seen, [&](const LinkEnd* x, int n) { cut_links(m, l, x, n, f); });
  return f->points > 0;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
