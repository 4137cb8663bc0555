// Closed curves that lie between two slices and cross none.
//
// They are born where a solution of (1) or (2) is just missed: at the edge of reach (edge_loops.hpp),
// where two roots of the quartic (1) are complex but close to real, or where |z5 . z7| has little room
// (wrist_loops.hpp). From such near misses Newton's method in all seven joints runs to the closest
// solution; one that is on no known curve starts a new one.
#pragma once

#include "closed_curve.hpp"
#include "crest_loops.hpp"
#include "edge_loops.hpp"
#include "s0_slices.hpp"
#include "wrist_loops.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kAtRounding = 1e-12;  // pose error [m and 1] that one more step brings to rounding

constexpr double kNearReal = 0.002;  // -D of a complex pair of (1) that may be real nearby
constexpr double kLongestDamped = 0.3;  // [rad] of one step from a near miss
constexpr int kMissSteps = 20, kMissStepsNear = 12;  // from a near miss, at most: of all, and near limits
constexpr double kMissSlack = 0.1;   // [rad] that a near miss may be farther from the limits than its loop
constexpr double kMissE0 = 0.4;  // [rad] of e0 that it may be away from a gap that is not closed, near limits
// Wrists nearer to the s0 axis than this [m] leave psi free; |s5| that is little; and values of e0 on either
// side of 0 and pi.
constexpr double kPsiFree = 1e-4, kLittleS5 = 0.5;
constexpr int kAxisValues = 3;
// Starts within the circle w1 = 0: zeta over that of the circle, and three eta about evenly round [rad].
constexpr double kWithinCircle = 0.5, kWithinEta1 = 0.3, kWithinEta2 = 2.4, kWithinEta3 = 4.5;

// Starts for Newton in all seven joints, next to solutions that may belong to unknown loops.
struct NearMisses {
  static constexpr int kMost = 256;
  const Limits* near = nullptr;  // keep only what is near these limits
  int count = 0;
  double q[kMost][7];
};

// The ones of eight near misses that are next to gaps which are not closed.
inline unsigned next_to_gaps(const SelfMotion& m, Oct e0) {
  unsigned lanes = 0;
  for (int i = 0; i < m.gaps && lanes != 255u; ++i) {
    if (m.gap[i] == kClosed) continue;
    const double half = 0.5 * gap_width(m, i);
    const Oct off = e0 - (m.e0[left_of(m, i)] + half);
    lanes |= (abs(fnma(nearest(off * (0.5 / kPi)), Oct(2.0 * kPi), off)) < Oct(half + kMissE0)).bits();
  }
  return lanes;
}

// Newton from all near misses, eight under way at a time: calls use(q) with every solution.
template <class Use>
inline void solve_near_misses(const Target& t, NearMisses* from, const Use& use) {
  const int most_steps = from->near ? kMissStepsNear : kMissSteps;
  double q[7][kOct] = {};
  int steps[kOct], next_start = 0;
  for (int i = 0; i < kOct; ++i) steps[i] = -1;
  while (true) {
    int active = 0;
    for (int i = 0; i < kOct; ++i) {
      if (steps[i] < 0 && next_start < from->count) {
        for (int k = 0; k < 7; ++k) q[k][i] = from->q[next_start][k];
        steps[i] = 0;
        ++next_start;
      }
      active += steps[i] >= 0;
    }
    if (active == 0) break;
    Joints8 j;
    for (int k = 0; k < 7; ++k) j.q[k] = Oct::load(q[k]);
    const Joints8 before = j;
    const Oct error_before = damped_step(t, kLongestDamped, &j);
    // (Not further: at a singular configuration more steps may lead away again.)
    const unsigned close = (error_before < Oct(kAtRounding)).bits();
    for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
    unsigned ended = 0;
    for (int i = 0; i < kOct; ++i) {
      if (steps[i] >= 0 && (++steps[i] == most_steps || (close >> i & 1u))) ended |= 1u << i;
    }
    if (!ended) continue;
    // at a singular configuration the last step may have led away
    const Oct error = pose_error8(t, j);
    const Mask worse = error_before < error;
    for (int k = 0; k < 7; ++k) j.q[k] = select(worse, before.q[k], j.q[k]);
    wrap8(t, &j);
    const unsigned good = (min(error, error_before) < Oct(kPieceError)).bits() & ended;
    double wrapped[7][kOct];
    for (int k = 0; k < 7; ++k) j.q[k].store(wrapped[k]);
    for (int i = 0; i < kOct; ++i) {
      if (ended >> i & 1u) steps[i] = -1;
      if (!(good >> i & 1u)) continue;
      double one[7];
      for (int k = 0; k < 7; ++k) one[k] = wrapped[k][i];
      use(one);
    }
  }
  from->count = 0;
}

// New solutions start loops.
inline void try_near_misses(SelfMotion* m, NearMisses* from) {
  solve_near_misses(m->target, from, [m, from](const double* q) {
    if (from->near && !is_near(*from->near, q, kNearLoop)) return;
    if (m->gap[gap_of(*m, q[2])] != kClosed && !is_known(*m, q)) add_loop(m, q);
  });
}

// Adds some of eight near misses; a full list is tried at once.
inline void add_near_misses(SelfMotion* m, const Joints8& j, unsigned lanes, NearMisses* to) {
  if (to->near) {
    Oct off(0.0);
    for (int k = 0; k < 6; ++k) {  // w0 may turn on the way
      if (k != 4) off = max(off, outside8(*to->near, k, j.q[k]));
    }
    lanes &= (off < Oct(kNearLoop + kMissSlack)).bits();
    if (lanes) lanes &= next_to_gaps(*m, j.q[2]);
  }
  double q[7][kOct];
  for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
  for (; lanes; lanes &= lanes - 1) {
    if (to->count == NearMisses::kMost) try_near_misses(m, to);
    for (int k = 0; k < 7; ++k) to->q[to->count][k] = q[k][__builtin_ctz(lanes)];
    ++to->count;
  }
}

inline void loops_at_reach(SelfMotion* m, NearMisses* near_misses) {
  const Target& t = m->target;
  for (int folded = 0; folded < 2; ++folded) {
    Crest k;
    k.c = folded ? -1.0 : 1.0;
    k.X = kA3 + k.c * kR5 * kSinGamma;
    // |L1| at the crest against rho: only near the edge can a loop be small
    const double L1 = t.l0 - k.c * (kR3 * kR5 / kA1);
    const double over = __builtin_fabs(L1) - t.rho;
    const double near = t.rho < kEdgeByAxis ? kNearEdgeByAxis : kNearEdge;
    if (over > near || over < -near) continue;
    // with psi = 0 at the crest, loops_on_edge has those with L2 = 0
    for (k.kind = !folded && L1 > 0 ? 2 : 0; k.kind < 4; ++k.kind) {
      const auto next_to = [&](Oct c5, Oct s5, unsigned lanes) {
        Oct e0, s3, c3;
        Point<Oct> p;
        crest_point(t, k, c5, s5, &e0, &p);
        sincos(e0, &s3, &c3);
        add_near_misses(m, joint_angles<Oct>(t, c3, s3, e0, p), lanes, near_misses);
      };
      if (!folded && k.kind < 2) {
        for (const double side : {1.0, -1.0}) next_to(side * level_cos(), level_sin(), 255u);
      }
      crest_zeros([&](Oct c5, Oct s5) { return crest_f(t, k, c5, s5); }, next_to);
    }
    for (int choice = 0; choice < 4; ++choice) {
      k.kind = choice & 1;
      const double cos_psi = choice & 2 ? -1.0 : 1.0, off = L1 - cos_psi * t.rho;
      if (off > near || off < -near) continue;
      crest_zeros([&](Oct c5, Oct s5) { return crest_line(t, k, cos_psi, c5, s5).r.f; },
                  [&](Oct c5, Oct s5, unsigned lanes) {
                    const CrestLine x = crest_line(t, k, cos_psi, c5, s5);
                    add_near_misses(m, joints_of<Oct>(t, x.c3, x.s3, x.e0, x.p, x.r), lanes, near_misses);
                  });
    }
  }
}

// Loops on the small spheres and tubes at the edge of reach.
inline void loops_on_edge(SelfMotion* m, NearMisses* near_misses) {
  EdgeSurface surface[4];
  const int n = edge_surfaces(m->target, surface);
  for (int i = 0; i < n; ++i) {
    EdgeZeros zeros;
    edge_zeros(surface[i], &zeros);
    m->shortage |= zeros.shortage;
    for (int first = 0; first < zeros.count; first += kOct) {
      const int count = zeros.count - first < kOct ? zeros.count - first : kOct;
      add_near_misses(m, edge_joints(surface[i], zeros, first), (1u << count) - 1u, near_misses);
    }
  }
}

// Loops at the edge of reach with the wrist on the s0 axis, or nearly, where psi is free: with |L1| <=
// rho, s5^2 and with it |e0| have so little room that a few values of e0, spread over it, meet them.
inline void loops_on_axis_edge(SelfMotion* m, const Limits* near) {
  const Target& t = m->target;
  const double room = t.rho - (t.l0 - kR3 * kR5 / kA1);  // L1 grows by kOfS5 s5^2
  constexpr double kOfS5 = kR3 * kA5 * kA5 / (2 * kA1 * kR5), kX = kA3 + kR5 * kSinGamma;
  if (t.rho > kPsiFree || room < 0 || room > kLittleS5 * kLittleS5 * kOfS5) return;
  const double widest = (kA5 * __builtin_sqrt(room / kOfS5) + t.rho) / kX;
  for (int i = -kAxisValues; i <= kAxisValues; ++i) {
    for (int half_turn = 0; half_turn < 2; ++half_turn) {
      const double e0 = wrap_joint(t, 2, i * widest / (kAxisValues + 0.5) + half_turn * kPi);
      if (m->gap[gap_of(*m, e0)] == kClosed) continue;
      Solutions found;
      solve_fixed_e0(t, e0, &found);
      m->shortage |= found.shortage;
      for (int k = 0; k < found.count; ++k) {
        if (near && !is_near(*near, found.q[k], kNearLoop)) continue;
        if (!is_known(*m, found.q[k])) add_loop(m, found.q[k]);
      }
    }
  }
}

// Curves that meet slices of s0.
inline void loops_over_s0(SelfMotion* m, NearMisses* near_misses) {
  s0_starts(m->target, [m, near_misses](const Joints8& j, unsigned lanes) {
    add_near_misses(m, j, lanes, near_misses);
  });
}

// Loops around w1 = 0 and pi. Of the starts on the circle with w1 = 0 those that miss least, or miss
// on different sides, are enough, with those on its axis, where the hand is along the line from elbow
// to wrist; unless (1) is flat in e0 and Theta' there: then all, and some within the circle.
inline void loops_at_wrist(SelfMotion* m, NearMisses* near_misses) {
  constexpr int kGroups = kWristPoints / kOct;
  for (int choice = 0; choice < 8; ++choice) {
    const WristSigns sign = {choice & 1 ? 1.0 : -1.0, choice & 2 ? 1.0 : -1.0, choice & 4 ? 1.0 : -1.0};
    WristStarts starts[kGroups];
    double miss[kWristPoints];
    unsigned near = 0, flat = 0;
    for (int i = 0; i < kGroups; ++i) {
      const Oct eta = (ramp() + double(i * kOct)) * (2 * kPi / kWristPoints);
      starts[i] = wrist_starts(m->target, sign, Oct(kWristBend), eta, Oct(0.0));
      near |= starts[i].near << (i * kOct);
      flat |= starts[i].flat;
      if (starts[i].near) starts[i].miss.store(miss + i * kOct);
    }
    unsigned kept = flat ? near : 0;
    for (int i = 0; i < kWristPoints && !flat; ++i) {
      if (!(near >> i & 1u)) continue;
      bool least = true, change = false;
      for (int side = -1; side < 2; side += 2) {
        const int k = (i + side + kWristPoints) % kWristPoints;
        if (!(near >> k & 1u)) continue;
        least &= __builtin_fabs(miss[i]) <= __builtin_fabs(miss[k]);
        change |= (miss[i] < 0) != (miss[k] < 0);
      }
      if (least || change) kept |= 1u << i;
    }
    for (int i = 0; i < kGroups; ++i) {
      const unsigned lanes = kept >> (i * kOct) & 0xffu;
      if (lanes) add_near_misses(m, starts[i].joints, lanes, near_misses);
    }
    const double zeta[kOct] = {0, kWithinCircle, kWithinCircle, kWithinCircle,
                               0, kWithinCircle, kWithinCircle, kWithinCircle};
    const double eta[kOct] = {0, kWithinEta1, kWithinEta2, kWithinEta3,
                              0, kWithinEta1, kWithinEta2, kWithinEta3};
    const double c5[kOct] = {1, 1, 1, 1, -1, -1, -1, -1};
    constexpr unsigned kOnLine = 0x11;  // the lanes with zeta = 0
    const WristStarts more =
        wrist_starts(m->target, sign, kWristBend * Oct::load(zeta), Oct::load(eta), Oct::load(c5));
    const unsigned lanes = more.near & (flat ? 255u : kOnLine);
    if (lanes) add_near_misses(m, more.joints, lanes, near_misses);
  }
}

// Loops where two roots of (1) are complex at a slice but close to real: they may be real for a
// short range of e0 next to it. Starts are the real parts of the roots, next to sign changes of f.
inline void loops_near_slice(SelfMotion* m, double e0, NearMisses* near_misses) {
  const double c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  const Oct s5 = level_sin();
  const Levels levels = solve_levels(m->target, c3, s3, s5, true);
  for (int pair = 0; pair < 2; ++pair) {
    const unsigned near =
        ((levels.discriminant[pair] < Oct(0.0)) & (Oct(-kNearReal) < levels.discriminant[pair])).bits();
    if (!near) continue;
    for (int sheet = 0; sheet < 2; ++sheet) {
      const Oct c5 = sheet == 0 ? level_cos() : -level_cos();
      const Point<Oct> p = {levels.c[2 * pair], levels.s[2 * pair], c5, s5};
      const unsigned negative = (evaluate<Oct, double>(m->target, c3, s3, p).f < Oct(0.0)).bits();
      const unsigned change = (negative ^ (negative >> 1)) & kGaps;
      const unsigned lanes = (change | change << 1) & near;
      if (!lanes) continue;
      add_near_misses(m, joint_angles<double>(m->target, c3, s3, Oct(e0), p), lanes, near_misses);
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
