// Closed curves that lie between two slices and cross none.
//
// They are born where a solution of (1) or (2) is just missed: at the edge of reach (edge_loops.hpp),
// where two roots of the quartic (1) are complex but close to real, or where |z5 . z7| has little room
// (wrist_loops.hpp). From such near misses Newton's method in all seven joints runs to the closest
// solution; one that is on no known curve starts a new one.
#pragma once

#include "closed_curve.hpp"
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
constexpr double kLeastRoom = 1e-3;  // [m^2] of |L1| l1, that is divided by, at least
// Theta' next to a crest: its square is more than this [rad^2], and it is less than this [rad].
constexpr double kOffCrest2 = 1e-10, kOffCrestMost = 0.3;
constexpr int kCrestHalvings = 20;   // of a level step: to 1e-6 of it
// Starts within the circle w1 = 0: zeta over that of the circle, and three eta about evenly round [rad].
constexpr double kWithinCircle = 0.5, kWithinEta1 = 0.3, kWithinEta2 = 2.4, kWithinEta3 = 4.5;

// Starts for Newton in all seven joints, next to solutions that may belong to unknown loops.
struct NearMisses {
  static constexpr int kMost = 256;
  const Limits* near = nullptr;  // keep only what is near these limits
  int count = 0;
  double q[kMost][7];
};

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
    // (Not further: at a singular posture more steps may lead away again.)
    const unsigned close = (error_before < Oct(kAtRounding)).bits();
    for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
    unsigned ended = 0;
    for (int i = 0; i < kOct; ++i) {
      if (steps[i] >= 0 && (++steps[i] == most_steps || (close >> i & 1u))) ended |= 1u << i;
    }
    if (!ended) continue;
    // at a singular posture the last step may have led away
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
  }
  double q[7][kOct];
  for (int k = 0; k < 7; ++k) j.q[k].store(q[k]);
  for (; lanes; lanes &= lanes - 1) {
    if (to->count == NearMisses::kMost) try_near_misses(m, to);
    for (int k = 0; k < 7; ++k) to->q[to->count][k] = q[k][__builtin_ctz(lanes)];
    ++to->count;
  }
}

// Loops at the edge of reach: the wrist is reached with the elbow stretched or folded (Theta' = 0,
// pi) and |L| extreme in e0 too: L2 = 0, e0 = atan2(-Y, X), or its derivative is, e0 = atan2(X, Y).
// Along each of these crests, over theta5, loops are centred where f = 0.
struct Crest {
  double c;     // cos Theta': 1 stretched, -1 folded
  double X;
  int kind;     // 0, 1: L2 = 0;  2, 3: L2 extreme
};

// e0 and the point next to the crest: off it by as much as (1) leaves, |L|^2 - rho^2 changes by
// L1 l1 Theta'^2.
inline void crest_point(const Target& t, const Crest& k, Oct c5, Oct s5, Oct* e0, Point<Oct>* p) {
  const Oct Y = kA5 * s5;
  const double sign = k.kind % 2 == 0 ? 1.0 : -1.0;
  *e0 = k.kind < 2 ? atan2(-sign * Y, Oct(sign * k.X)) : atan2(Oct(sign * k.X), sign * Y);
  Oct s3, c3, sa, ca;
  sincos(*e0, &s3, &c3);
  const Oct R = sqrt(kR5Squared - Y * Y);
  const Oct L2 = s3 * k.X + c3 * Y, L1 = t.l0 - (k.c * kR3 / kA1) * R;
  const Oct deficit = abs(fma(L1, L1, fma(L2, L2, Oct(-t.rho * t.rho))));
  const Oct room = max(abs(L1) * R * (kR3 / kA1), Oct(kLeastRoom));
  sincos(min(sqrt(deficit / room + kOffCrest2), Oct(kOffCrestMost)), &sa, &ca);
  *p = {k.c * ca, sa, c5, s5};
}

inline Oct crest_f(const Target& t, const Crest& k, Oct c5, Oct s5) {
  Oct e0, s3, c3;
  Point<Oct> p;
  crest_point(t, k, c5, s5, &e0, &p);
  sincos(e0, &s3, &c3);
  return evaluate<Oct, Oct>(t, c3, s3, p).f;
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
      double from[2 * kOct], to[2 * kOct];  // room for a zero in each of the 14 gaps
      int n = 0;
      for (int sheet = 0; sheet < 2; ++sheet) {
        const Oct c5 = sheet == 0 ? level_cos() : -level_cos(), s5 = level_sin();
        Oct e0, s3, c3;
        Point<Oct> p;
        crest_point(t, k, c5, s5, &e0, &p);
        sincos(e0, &s3, &c3);
        if (!folded && k.kind < 2) {
          add_near_misses(m, joint_angles<Oct>(t, c3, s3, e0, p), 255u, near_misses);
        }
        const unsigned negative = (evaluate<Oct, Oct>(t, c3, s3, p).f < Oct(0.0)).bits();
        for (unsigned x = (negative ^ (negative >> 1)) & kGaps; x; x &= x - 1) {
          const double a = -kHalfPi + __builtin_ctz(x) * kLevelStep, b = a + kLevelStep;
          from[n] = sheet == 0 ? a : kPi - a;
          to[n] = sheet == 0 ? b : kPi - b;
          ++n;
        }
      }
      for (int i = n; i % kOct != 0; ++i) from[i] = from[0], to[i] = to[0];
      for (int first = 0; first < n; first += kOct) {
        Oct a = Oct::load(from + first), b = Oct::load(to + first), s5, c5;
        sincos(a, &s5, &c5);
        const Oct fa = crest_f(t, k, c5, s5);
        for (int i = 0; i < kCrestHalvings; ++i) {  // bisection
          const Oct middle = 0.5 * (a + b);
          sincos(middle, &s5, &c5);
          const Mask same = Oct(0.0) < fa * crest_f(t, k, c5, s5);
          a = select(same, middle, a);
          b = select(same, b, middle);
        }
        Oct e0, s3, c3;
        Point<Oct> p;
        crest_point(t, k, c5, s5, &e0, &p);
        sincos(e0, &s3, &c3);
        const int count = n - first < kOct ? n - first : kOct;
        add_near_misses(m, joint_angles<Oct>(t, c3, s3, e0, p), (1u << count) - 1u, near_misses);
      }
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

// Curves that meet slices of s0.
inline void loops_over_s0(SelfMotion* m, NearMisses* near_misses) {
  s0_starts(m->target, [m, near_misses](const Joints8& j, unsigned lanes) {
    add_near_misses(m, j, lanes, near_misses);
  });
}

// Loops around w1 = 0 and pi. Of the starts on the circle with w1 = 0 those that miss least, or miss
// on different sides, are enough, unless (1) is flat in e0 and Theta' there: then all, and some
// within the circle.
inline void loops_at_wrist(SelfMotion* m, NearMisses* near_misses) {
  constexpr int kGroups = kWristPoints / kOct;
  for (int choice = 0; choice < 8; ++choice) {
    const WristSigns sign = {choice & 1 ? 1.0 : -1.0, choice & 2 ? 1.0 : -1.0,
                             choice & 4 ? 1.0 : -1.0};
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
    if (!near) continue;
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
    if (!flat) continue;
    const double zeta[kOct] = {0, kWithinCircle, kWithinCircle, kWithinCircle,
                               0, kWithinCircle, kWithinCircle, kWithinCircle};
    const double eta[kOct] = {0, kWithinEta1, kWithinEta2, kWithinEta3,
                              0, kWithinEta1, kWithinEta2, kWithinEta3};
    const double c5[kOct] = {1, 1, 1, 1, -1, -1, -1, -1};
    const WristStarts more = wrist_starts(m->target, sign, kWristBend * Oct::load(zeta),
                                          Oct::load(eta), Oct::load(c5));
    if (more.near) add_near_misses(m, more.joints, more.near, near_misses);
  }
}

// Loops where two roots of (1) are complex at a slice but close to real: they may be real for a
// short range of e0 next to it. Starts are the real parts of the roots, next to sign changes of f.
inline void loops_near_slice(SelfMotion* m, double e0, NearMisses* near_misses) {
  const double c3 = __builtin_cos(e0), s3 = __builtin_sin(e0);
  const Oct s5 = level_sin();
  const Levels levels = solve_levels(m->target, c3, s3, s5, true);
  for (int pair = 0; pair < 2; ++pair) {
    const unsigned near = ((levels.discriminant[pair] < Oct(0.0)) &
                           (Oct(-kNearReal) < levels.discriminant[pair])).bits();
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
