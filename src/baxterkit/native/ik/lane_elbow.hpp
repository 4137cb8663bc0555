// First stage of a task: the elbow angles of the arm without its wrist offset.
//
// With theta5 at the middle of its effect (Y = 0, R = kMeanR) equation (1) is a quartic in
// u = tan(Theta'/2). Its real roots are the branches on which the true solutions lie, a few
// hundredths of a radian away; a complex pair close to the real axis is kept as a ghost, since the
// offset might make it real. Roots that leave e1 outside its limits by far are dropped at once.
#pragma once

#include "lane_task.hpp"
#include "quartic.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kMeanL1 = kR3 / kA1 * kMeanR;
constexpr double kGhost = 0.05;  // a pair u +- iv with v^2 beyond this, times (1 + u^2)^2, stays complex

// Roots of tasks, in the order of the roots for each task.
struct Roots {
  int count = 0;
  double u[kMaxLaneRoots];     // tan(Theta'/2), or its inverse where `fold` is -1
  double fold[kMaxLaneRoots];
  double ghost[kMaxLaneRoots]; // 1 for a ghost
  int task[kMaxLaneRoots];
};

BK_LONG void find_roots(const LaneTask* task, const int* which, int n, const ArcLimit& e1, Roots* out) {
  // only rho, l0 and s3 are needed
  double b[3][kOct];
  for (int i = 0; i < kOct; ++i) {
    const LaneTask& t = task[which[i < n ? i : 0]];
    b[0][i] = t.rho, b[1][i] = t.l0, b[2][i] = t.s3;
  }
  const Oct rho = Oct::load(b[0]), l0 = Oct::load(b[1]), s3 = Oct::load(b[2]);
  const Oct m0 = kA3 * s3, m1 = (kCosGamma * kMeanR) * s3, m2 = (kSinGamma * kMeanR) * s3;
  const Oct A0 = fma(m0, m0, fms(l0, l0, rho * rho));
  const Oct A1 = 2.0 * fms(m0, m2, kMeanL1 * l0);
  const Oct B1 = 2.0 * (m0 * m1);
  const Oct A2 = fma(m2, m2, Oct(kMeanL1 * kMeanL1)), B2 = m1 * m1, C2 = 2.0 * (m1 * m2);
  const Oct sum = A0 + A2, at_zero = sum + A1, at_pi = sum - A1;
  const Mask folded = abs(at_pi) < abs(at_zero);
  const Oct lead = 1.0 / select(folded, at_zero, at_pi);
  const Oct last = select(folded, at_pi, at_zero);
  const Oct up = 2.0 * (B1 - C2), down = 2.0 * (B1 + C2);
  const QuarticRoots roots =
      solve_quartic(select(folded, down, up) * lead, fma(Oct(4.0), B2, 2.0 * (A0 - A2)) * lead,
                    select(folded, up, down) * lead, last * lead);
  const Oct fold = select(folded, Oct(-1.0), Oct(1.0));
  const Oct cosine = e1.c * fold;
  const unsigned lanes = (1u << n) - 1u;
  double ub[kOct], fb[kOct];
  fold.store(fb);
  for (int pair = 0; pair < 2; ++pair) {
    const Oct m = roots.middle[pair], D = roots.discriminant[pair];
    const Mask complex = D < Oct(0.0);
    const Oct half = sqrt(max(D, Oct(0.0)));
    for (int side = 0; side < 2; ++side) {
      const Oct u = side == 0 ? m - half : m + half;
      const Oct u2 = u * u, norm = 1.0 + u2;
      const Oct along = fma(cosine, 1.0 - u2, (2.0 * e1.s) * u);
      Mask drop = along < e1.least * norm;
      if (side == 1) drop = drop | complex;
      else drop = drop | (complex & (kGhost * (norm * norm) < -D));
      unsigned keep = ~drop.bits() & lanes;
      if (!keep) continue;
      const unsigned ghosts = complex.bits();
      u.store(ub);
      for (; keep; keep &= keep - 1) {
        const int i = __builtin_ctz(keep);
        const int k = out->count++;
        out->u[k] = ub[i], out->fold[k] = fb[i];
        out->ghost[k] = (ghosts >> i & 1u) ? 1.0 : 0.0;
        out->task[k] = which[i];
      }
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
