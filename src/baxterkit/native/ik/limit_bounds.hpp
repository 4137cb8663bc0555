// Where along e0 the limits could be met: lower bounds of the violation, from the elbow alone.
//
// Every solution has a psi = phi - theta1, and psi leaves little freedom: Theta' up to its sign,
// since cos Theta' = a1 (l0 - rho cos psi) / (r3 R) with R in [d5, r5], then e0 up to its mirror
// image pi - e0, since s3 X + c3 Y = rho sin psi with |Y| <= a5, then s1, and with the elbow's place
// the angle between forearm and hand, which is |w1|. So psi is cut into cells, and over each cell
// and each choice of the two signs these angles are enclosed: by intervals and by centre and radius,
// never too narrow. How far outside the limits s0, s1, e0, e1 and w1 are then at least holds for
// all solutions of that cell, whatever theta5; what a range of e0 has is the least over its cells.
// Ranges where the limits are surely violated need not be solved, nor traced, nor searched for
// loops.
#pragma once

#include "enclose.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kBins = 64;       // of e0, from -pi to pi
constexpr int kPsiCells = 64;   // a multiple of eight; 0, pi/2, pi and -pi/2 are between cells
constexpr double kNoSolution = 1e9;      // violation [rad], or cost, that stands for no solution

struct LimitBounds {
  double least[kBins];  // of the worst violation [rad], or of the cost; kNoSolution: no solution there
  double seen;          // cells where s0 alone violates its limits by more are left out [rad]
};

// A cell of psi that may hold solutions within the limits, with the signs of Theta', cos e0 and w1, the range
// of e0 that it has [rad], and the least |w1| [rad].
struct OpenCell {
  int cell;
  double elbow, side, wrist, begin, end, least_w1;
};
struct OpenCells {
  static constexpr int kMost = 8 * kPsiCells;
  int count = 0;
  OpenCell cell[kMost];
};

// What is bounded: the violation of the limits, or a cost within them. With `cells` the ones that may hold
// solutions within the limits are listed instead.
struct BoundGoal {
  enum Kind { kViolation, kFeasible, kNearest, kMargins } kind = kViolation;
  const double* seed = nullptr;
  OpenCells* cells = nullptr;
};

// The least cost that joint k, enclosed, leaves: its squared distance to the seed, or minus its
// distance to the limits relative to its range.
BK_INLINE Oct least_cost(const Limits& l, const BoundGoal& goal, int k, Ball x) {
  if (goal.kind == BoundGoal::kNearest) {
    const Oct d = max(least_distance(x, goal.seed[k]) - kSlack, Oct(0.0));
    return d * d;
  }
  const double half = 0.5 * (l.upper[k] - l.lower[k]), middle = 0.5 * (l.upper[k] + l.lower[k]);
  return (least_distance(x, middle) - (half + kSlack)) * (0.5 / half);
}
BK_INLINE Oct join_costs(const BoundGoal& goal, Oct a, Oct b) {
  return goal.kind == BoundGoal::kNearest ? a + b : max(a, b);
}

// Lowers the bound of all bins that [low, high] meets.
inline void note_range(double low, double high, double violation, LimitBounds* out) {
  constexpr double per_radian = kBins / (2 * kPi);
  int first = int(__builtin_floor((low + kPi) * per_radian));
  int last = int(__builtin_floor((high + kPi) * per_radian));
  if (last - first >= kBins - 1) first = 0, last = kBins - 1;
  for (int i = first; i <= last; ++i) {
    double& bin = out->least[(i + 2 * kBins) % kBins];
    bin = min(bin, violation);
  }
}

// Cosines and sines of psi where cells begin and end (even entries) and in their middles (odd ones).
struct PsiTable {
  double c[2 * kPsiCells + kOct], s[2 * kPsiCells + kOct];
  PsiTable() {
    for (int i = 0; i < 2 * kPsiCells + kOct; i += kOct) {
      Oct sine, cosine;
      sincos(fma(ramp() + double(i), Oct(kPi / kPsiCells), Oct(-kPi)), &sine, &cosine);
      cosine.store(c + i), sine.store(s + i);
    }
  }
};

inline const PsiTable& psi_table() {
  static const PsiTable table;
  return table;
}

// What eight cells of psi fix before the signs are chosen.
struct PsiCells {
  Oct cos_psi, sin_psi;   // in the middle
  Oct L2_low, L2_high;
  Oct Theta_low, Theta_high;  // |Theta'|
  Ball x1, lift;          // L1 - a1, atan2(h, x1)
  Ball s0;
  Oct s0_violation;
  const int* cell;
  unsigned reached;       // lanes that hold solutions of (1) at all
};

inline PsiCells psi_cells(const Target& t, double phi, const int* cell, const double* s0, int n) {
  const PsiTable& table = psi_table();
  double b[8][kOct];
  for (int i = 0; i < kOct; ++i) {
    const int k = cell[i < n ? i : 0], at = 2 * k;
    b[0][i] = table.c[at], b[1][i] = table.c[at + 1], b[2][i] = table.c[at + 2];
    b[3][i] = table.s[at], b[4][i] = table.s[at + 1], b[5][i] = table.s[at + 2];
    b[6][i] = s0[k], b[7][i] = phi + kPi - (at + 1) * (kPi / kPsiCells);
  }
  PsiCells p;
  p.cell = cell;
  const Oct ca = Oct::load(b[0]), cb = Oct::load(b[2]), sa = Oct::load(b[3]), sb = Oct::load(b[5]);
  p.cos_psi = Oct::load(b[1]), p.sin_psi = Oct::load(b[4]);
  const Oct L1_low = t.rho * min(ca, cb), L1_high = t.rho * max(ca, cb);
  p.L2_low = t.rho * min(sa, sb), p.L2_high = t.rho * max(sa, sb);
  const Oct low = (kA1 / kR3) * (t.l0 - L1_high), high = (kA1 / kR3) * (t.l0 - L1_low);
  const Oct c_low = min(low * (1 / kR5), low * (1 / kD5)) - kEnclose;
  const Oct c_high = max(high * (1 / kR5), high * (1 / kD5)) + kEnclose;
  p.reached = ((c_low < Oct(1.0)) & (Oct(-1.0) < c_high)).bits() & ((1u << n) - 1u);
  if (!p.reached) return p;
  p.Theta_low = arc_cos(clamp_one(c_high));
  p.Theta_high = arc_cos(clamp_one(c_low));
  p.x1 = between(L1_low - kA1, L1_high - kA1);
  const Oct lift_a = atan2(Oct(t.h), L1_low - kA1), lift_b = atan2(Oct(t.h), L1_high - kA1);
  p.lift = between(min(lift_a, lift_b), max(lift_a, lift_b));
  p.s0_violation = Oct::load(b[6]);
  p.s0 = {Oct::load(b[7]), Oct(kPi / kPsiCells)};
  return p;
}

// |w1|, with the elbow enclosed through psi, theta2' and e0. The wrist
// stays, so that the forearm turns by no more than the elbow moves over r5; the forearm's line
// from E to W is off the axis of w0 by atan(a5 / d5) at most.
struct WristBalls {
  Ball w1;           // |w1|
  Ball w0, w2;       // with w1 > 0; half a turn more with w1 < 0
};
BK_NOINLINE inline WristBalls enclose_wrist(const Target& t, const PsiCells& p, Ball theta2, Ball e0, Ball e1,
                                            bool all) {
  constexpr double half = kPi / kPsiCells, bent = kMostBent;
  Oct s2, c2, s3, c3;
  sincos(theta2.c, &s2, &c2);
  sincos(e0.c, &s3, &c3);
  const Oct x = fma(c2, kA3 * c3, fma(s2, Oct(kD3), Oct(kA1)));
  const Oct y = kA3 * s3, down = s2 * (kA3 * c3) - kD3 * c2;
  const Oct fx = t.rho * p.cos_psi - x, fy = t.rho * p.sin_psi - y, fz = t.h - down;
  const double* z7 = t.axis[2];
  const Oct zx = z7[0] * p.cos_psi - z7[1] * p.sin_psi, zy = z7[1] * p.cos_psi + z7[0] * p.sin_psi;
  const Oct dot = fma(fx, zx, fma(fy, zy, fz * z7[2]));
  const Oct length = sqrt(max(fma(fx, fx, fma(fy, fy, fz * fz)), Oct(kLeastForearm2)));
  const Oct angle = arc_cos(clamp_one(dot / length));
  const Oct moved = fma(Oct(kR3), theta2.r, fma(Oct(kA3), e0.r, Oct((kA1 + kR3) * half)));
  const Oct error = arc_sin_bound(moved * (1 / kR5)) + bent;
  WristBalls out;
  out.w1 = between(max(angle - error, Oct(0.0)), min(angle + error, Oct(kPi)));
  if (!all) return out;
  // z4, which is the forearm's line but for `bent`, is (-s6 c7, s6 s7, c6) in the axes of the hand. A
  // direction off by that much is turned about another one by arcsin(error / sine) at most.
  const Oct sine = sqrt(max(fnma(dot / length, dot / length, Oct(1.0)), Oct(kLeastForearm2)));
  Oct part[2];
  for (int i = 0; i < 2; ++i) {
    const double* d = t.axis[i];
    const Oct dx = d[0] * p.cos_psi - d[1] * p.sin_psi, dy = d[1] * p.cos_psi + d[0] * p.sin_psi;
    part[i] = fma(fx, dx, fma(fy, dy, fz * d[2]));
  }
  out.w2 = {atan2(part[1], -part[0]), arc_sin_bound(error / sine) + kSlack};
  // z7 in the axes of the forearm, which are off by what all joints before them are.
  const Oct a = zx, e = zy, x0 = fma(c2, a, z7[2] * s2), z0 = s2 * a - z7[2] * c2;
  const Oct wX = fma(c3, x0, s3 * e), wY = fma(c3, e, -(s3 * x0));
  Oct s4, c4;
  sincos(e1.c, &s4, &c4);
  const Oct alpha = fma(c4, wX, -(s4 * z0)),
            tilt = sqrt(max(fma(alpha, alpha, wY * wY), Oct(kLeastForearm2)));
  const Oct turned = theta2.r + e0.r + e1.r + half;
  out.w0 = {atan2(wY, alpha), arc_sin_bound(turned / tilt) + kSlack};
  return out;
}

// Both mirror images in e0 of eight cells with one sign of Theta'.
inline void bound_elbow(const Target& t, const Limits& l, const BoundGoal& goal, const PsiCells& p,
                        double sign, LimitBounds* out) {
  constexpr double bent = kMostBent;
  const Ball size = between(p.Theta_low, p.Theta_high);
  const Ball Theta = {fma(Oct(sign), size.c, Oct(kGamma)), size.r + kArcRounding};
  const Ball e1 = {Theta.c, Theta.r + bent};
  const Oct joints = max(p.s0_violation, least_violation(l, 3, e1));
  // Of a cost nothing is asked where the limits are surely violated: s0 and e1 alone leave few cells, mostly.
  const bool only_within = goal.kind != BoundGoal::kViolation;
  const unsigned asked = only_within ? p.reached & ~(Oct(kSlack) < joints).bits() : p.reached;
  if (!asked) return;
  Ball sine, cosine;
  enclose_sincos(Theta, &sine, &cosine);
  const Ball X = {fma(Oct(kR5), sine.c, Oct(kA3)), fma(Oct(kR5), sine.r, Oct(kR5 - kD5 + kEnclose))};
  const Ball Z = {fma(Oct(kR5), cosine.c, Oct(kD3)), fma(Oct(kR5), cosine.r, Oct(kR5 - kD5 + kEnclose))};
  // r = |(X, Y)|: the two e0 are asin(L2 / r) -+ atan(Y / X) and pi minus that, with the sign of X
  const Oct least = abs(X.c) - X.r, most = abs(X.c) + X.r;
  const Mask any_e0 = least < Oct(kAnyE0);
  const Oct near = max(least, Oct(kAnyE0)), far2 = fma(most, most, Oct(kA5 * kA5));
  const Oct near_inverse = copysign_of(1.0 / near, X.c), far_inverse = copysign_of(1.0 / sqrt(far2), X.c);
  const Oct p1 = p.L2_low * near_inverse, p2 = p.L2_low * far_inverse;
  const Oct p3 = p.L2_high * near_inverse, p4 = p.L2_high * far_inverse;
  const Oct low = min(min(p1, p2), min(p3, p4)), high = max(max(p1, p2), max(p3, p4));
  const unsigned reached = ((low < Oct(1.0 + kEnclose)) & (Oct(-1.0 - kEnclose) < high)).bits();
  const unsigned lanes = asked & (reached | any_e0.bits());
  if (!lanes) return;
  const Oct from = kHalfPi - arc_cos(clamp_one(low)), to = kHalfPi - arc_cos(clamp_one(high));
  const Ball angle = {0.5 * (from + to), fma(Oct(0.5), to - from, kA5 / near)};
  // |ux|^2 = r^2 - L2^2
  const Oct most_L2 = max(abs(p.L2_low), abs(p.L2_high)), least_L2 = min(abs(p.L2_low), abs(p.L2_high));
  const Oct u_low = sqrt(max(fms(near, near, most_L2 * most_L2), Oct(0.0)));
  const Oct u_high = sqrt(max(fma(least_L2, -least_L2, far2), Oct(0.0)));
  const Ball u = between(select(any_e0, -u_high, u_low), u_high);
  double violation[kOct], begin[kOct], end[kOct], least_w1[kOct];
  for (int mirror = 0; mirror < 2; ++mirror) {
    const Oct side = copysign_of(Oct(mirror == 0 ? 1.0 : -1.0), X.c);
    const Ball e0 = {mirror == 0 ? angle.c : kPi - angle.c, select(any_e0, Oct(kPi), angle.r)};
    const Oct ux = side * u.c;
    const Oct off = sqrt(fma(u.r, u.r, Z.r * Z.r)), length = sqrt(fma(ux, ux, Z.c * Z.c));
    const Oct turn = arc_sin_bound(off / max(length, Oct(kEnclose)));
    const Ball theta2 = {p.lift.c - atan2(-Z.c, ux), p.lift.r + turn}, s1 = {theta2.c - kHalfPi, theta2.r};
    Oct worst = max(joints, max(least_violation(l, 1, s1), least_violation(l, 2, e0)));
    unsigned noted = lanes;
    if (only_within) noted &= ~(Oct(kSlack) < worst).bits();
    if (!noted) continue;
    const bool costs = goal.kind == BoundGoal::kNearest || goal.kind == BoundGoal::kMargins;
    const WristBalls wrist = enclose_wrist(t, p, theta2, e0, e1, costs);
    const Ball w1 = wrist.w1, minus_w1 = {-w1.c, w1.r};
    const Oct up = least_violation(l, 5, w1), down = least_violation(l, 5, minus_w1);
    worst = max(worst, min(up, down)) - kSlack;
    if (only_within) {
      noted &= ~(Oct(0.0) < worst).bits();
      if (!noted) continue;
      worst = Oct(0.0);
    }
    if (costs) {
      const Ball other_w0 = {wrist.w0.c + kPi, wrist.w0.r}, other_w2 = {wrist.w2.c + kPi, wrist.w2.r};
      const Oct above = join_costs(goal, least_cost(l, goal, 4, wrist.w0), least_cost(l, goal, 6, wrist.w2));
      const Oct below = join_costs(goal, least_cost(l, goal, 4, other_w0), least_cost(l, goal, 6, other_w2));
      worst = min(join_costs(goal, least_cost(l, goal, 5, w1), above),
                  join_costs(goal, least_cost(l, goal, 5, minus_w1), below));
      const Ball* others[4] = {&p.s0, &s1, &e0, &e1};
      for (int k = 0; k < 4; ++k) worst = join_costs(goal, worst, least_cost(l, goal, k, *others[k]));
    }
    worst.store(violation);
    (w1.c - w1.r).store(least_w1);
    (e0.c - e0.r - kSlack).store(begin);
    (e0.c + e0.r + kSlack).store(end);
    const unsigned up_wrist = (up < Oct(kSlack)).bits(), down_wrist = (down < Oct(kSlack)).bits();
    for (; noted; noted &= noted - 1) {
      const int i = __builtin_ctz(noted);
      if (goal.cells) {
        for (const double wrist : {1.0, -1.0}) {
          if (!((wrist > 0 ? up_wrist : down_wrist) >> i & 1u)) continue;
          goal.cells->cell[goal.cells->count++] = {
              p.cell[i], sign, mirror == 0 ? 1.0 : -1.0, wrist, begin[i], end[i], least_w1[i]};
        }
      } else {
        note_range(begin[i], end[i], violation[i], out);
      }
    }
  }
}

// Takes in the cells where s0 violates its limits by `beyond` at most.
inline void extend_bounds(const Target& t, const Limits& l, double beyond, LimitBounds* out,
                          const BoundGoal& goal = {}) {
  const double phi = __builtin_atan2(t.sin_phi, t.cos_phi);
  double s0[kPsiCells];
  int cell[kPsiCells + kOct], n = 0;
  for (int first = 0; first < kPsiCells; first += kOct) {
    const Oct middle = fma(ramp() + (first + 0.5), Oct(2 * kPi / kPsiCells), Oct(-kPi));
    least_violation(l, 0, {phi - middle, Oct(kPi / kPsiCells)}).store(s0 + first);
  }
  for (int i = 0; i < kPsiCells; ++i) {
    if (s0[i] > out->seen && s0[i] <= beyond) cell[n++] = i;
  }
  for (int first = 0; first < n; first += kOct) {
    const PsiCells p = psi_cells(t, phi, cell + first, s0, n - first < kOct ? n - first : kOct);
    if (!p.reached) continue;
    bound_elbow(t, l, goal, p, 1.0, out);
    bound_elbow(t, l, goal, p, -1.0, out);
  }
  out->seen = beyond;
}

// Bounds that tell where the violation is zero: of cells with s0 outside its limits that is known.
inline void bound_limits(const Target& t, const Limits& l, LimitBounds* out) {
  for (int i = 0; i < kBins; ++i) out->least[i] = kNoSolution;
  out->seen = -1.0;
  extend_bounds(t, l, kSlack, out);
}

// Bounds of a cost within the limits.
inline void bound_goal(const Target& t, const Limits& l, const BoundGoal& goal, LimitBounds* out) {
  for (int i = 0; i < kBins; ++i) out->least[i] = kNoSolution;
  out->seen = -1.0;
  extend_bounds(t, l, kSlack, out, goal);
  out->seen = kNoSolution;  // the others hold nothing
}

// The least over e0 in [from, from + width].
inline double least_between(const LimitBounds& b, double from, double width) {
  constexpr double per_radian = kBins / (2 * kPi);
  from -= 2 * kPi * __builtin_rint(from * (0.5 / kPi));
  const int first = int(__builtin_floor((from + kPi - kSlack) * per_radian));
  const int last = int(__builtin_floor((from + width + kPi + kSlack) * per_radian));
  double least = b.seen < kPi ? b.seen : kNoSolution;  // no joint can be farther outside
  for (int i = first; i <= last && i < first + kBins; ++i) {
    least = min(least, b.least[(i + 2 * kBins) % kBins]);
  }
  return least;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
