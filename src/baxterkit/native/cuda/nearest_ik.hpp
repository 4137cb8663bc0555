// The solution nearest to a seed, over all of the self-motion within the limits, by a warp.
//
// Ranges of psi, on each branch, are halved as in proof_ik.hpp. One is done with where no joint can be within its
// limits, or all joints together are farther from the seed than a solution that is known. What is left once
// ranges are narrow is computed: where all of a range is within the limits, a parabola through the
// squared distances has its lowest point; where a part of it is, the end of that part is a candidate too. A
// range that cannot be told so, next to singular configurations for instance, leaves the target to the
// processor, if its bound is lower than what is found in the end.
#pragma once

#include "branch.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr unsigned kSampleLevel = 4, kCrossLevel = 8;  // ranges of 12 and of 0.8 mrad
constexpr unsigned kDeepestParts = 7;  // of ranges where theta5 may be anything: 1.5 mrad
constexpr double kParabolaFits =
    1e-5;  // of a squared distance [rad^2] and one: what a parabola may miss it by
constexpr unsigned kTurnLevel = 9;  // ranges of 0.4 mrad: by e0, where it is so near [rad] to a quarter turn
constexpr double kNextToQuarter = 0.5, kWidestByE0 = 0.12, kPieceByE0 = 0.006;
constexpr double kNearPsi = 0.02;  // [rad] of psi: a solution by e0 so near is on the branch that was meant
// [rad] of a joint from one sample to the next; and where limits are met: from one to the other of w0, outside, it is 0.165.
constexpr double kLongestMove = 0.5, kLongestOutside = 0.07;
constexpr double kSurelyBeyond = 1e-10;  // [rad] beyond a limit
constexpr double kLowestFits = 1e-6;  // the same at its lowest point, if that may be the nearest
constexpr int kCrossSteps = 24;  // towards a limit
constexpr double kAtLimit = 1e-12;  // [rad] inside of it: that is the end of what is within the limits
constexpr int kPolishes = 16;  // parabolas around the nearest, at most
constexpr double kNarrowest = 2e-6;  // [rad] of psi or e0: of these parabolas
constexpr double kWorthPolish = 1e-4;  // [rad^2] more than the best: may be lower in the end
constexpr double kFirstByE0 = 8e-3;  // [rad] of e0: around the nearest, at first
constexpr double kNearestSlack = 1e-12;  // of a squared distance: what a bound may be lower by

// What points of a curve are found by: psi on a branch, or e0. (Where e0 is next to a quarter turn psi turns back, and two
// branches meet.)
struct Chart {
  Branch branch;
  bool by_e0;
};

// A point of a curve, and its squared distance from the seed.
struct Candidate1 {
  double value, at, elbow, theta5, half;  // half: of the range it is from
  Chart chart;
};

class NearestSearch {
 public:
  double known;  // the least squared distance of any thread
  double open = ik::kNoLimit;  // the lowest bound of what could not be told

  BK_INLINE NearestSearch(const ik::Target& t, const ik::Limits& l, const double* seed, double known)
      : known(known), t(t), l(l), seed(seed) {
    best.value = ik::kNoLimit;
  }

  // The middle of a wide range on all branches: a first idea of how near it gets.
  BK_INLINE void glance(double psi) {
    BK_NO_UNROLL for (int k = 0; k < 8; ++k) {
      const Chart chart = {{(k & 4) != 0, (k & 2) != 0, (k & 1) != 0}, false};
      Sample x = {psi, 0.0, 0.0};
      if (take(chart, &x) && x.beyond <= ik::kLimitTolerance) offer(chart, x, 0.01);
    }
  }

  // A range on one side of the wrist; true if nothing more is to be known of it.
  BK_INLINE bool settle(const Branch& branch, const PsiRange& range, const PsiBounds::Side& side) {
    const double half = 0.5 * range.width();
    const double middle = fma(double(2 * range.place + 1), half, -ik::kPi);
    double theta5 = side.theta5, elbow = side.elbow;
    const bool ends = range.level >= kCrossLevel;
    if (settle_piece({branch, false}, middle, half, &elbow, &theta5, ends)) return true;
    const double turned = ::fabs(side.e0.c) - ik::kPi * ::rint(::fabs(side.e0.c) / ik::kPi);
    if (range.level < kTurnLevel || ik::kHalfPi - ::fabs(turned) > kNextToQuarter || side.e0.r > kWidestByE0)
      return false;
    const int pieces = 1 + int(side.e0.r / kPieceByE0);
    const double part = side.e0.r / pieces, first = side.e0.c - side.e0.r + part;
    elbow = side.elbow, theta5 = side.theta5;
    const double s0 = ik::wrap_joint(t, 0, arc_tan(t.sin_phi, t.cos_phi) - middle);
    BK_NO_UNROLL for (int i = 0; i < pieces; ++i) {
      if (!settle_piece({branch, true}, fma(2.0 * i, part, first), part, &elbow, &theta5, true, s0))
        return false;
    }
    return true;
  }

  BK_INLINE void leave_open(double least) { open = ::fmin(open, least); }
  BK_INLINE double least_value() const { return best.value; }

  // The candidate of this thread made exact, if it may be the nearest of all: its value, and joint positions. By e0 too:
  // where psi turns back, or nearly so, it says little.
  BK_INLINE double finish(double* q) const {
    double least = ik::kNoLimit;
    if (!(best.value < known + kWorthPolish)) return least;
    Candidate1 c = best;
    BK_NO_UNROLL for (int pass = 0; pass < 2; ++pass) {
      polish(&c);
      Sample x = {c.at, c.elbow, c.theta5};
      if (!take(c.chart, &x)) break;
      if (x.value < least && x.beyond <= ik::kLimitTolerance) {
        least = x.value;
        for (int k = 0; k < 7; ++k) q[k] = ik::clip(l, k, x.q[k]);
      }
      if (c.chart.by_e0) break;
      double sine, cosine;
      sine_and_cosine(x.q[4], sine, cosine);
      const double elbow = x.q[3] + arc_tan(kA5 * cosine, kD5) - kGamma;
      c = {x.value, x.q[2], elbow, x.q[4], kFirstByE0, {c.chart.branch, true}};
    }
    return least;
  }

 private:
  struct Sample {
    double at, elbow, theta5;  // psi or e0; Theta' and theta5: before, a guess
    double value, beyond;  // beyond: what it is outside the limits by, at the worst; negative inside
    double q[7];
  };

  const ik::Target& t;
  const ik::Limits& l;
  const double* seed;
  Candidate1 best;

  BK_INLINE bool take(const Chart& chart, Sample* x) const {
    const bool there = chart.by_e0 ? arm_by_e0(t, x->at, &x->elbow, &x->theta5, x->q)
                                   : arm_at(t, chart.branch, x->at, &x->theta5, x->q);
    if (!there) return false;
    x->beyond = -ik::kNoLimit;
    BK_UNROLL for (int k = 0; k < 7; ++k) {
      x->beyond = ::fmax(x->beyond, ::fmax(l.lower[k] - x->q[k], x->q[k] - l.upper[k]));
    }
    x->value = ik::seed_distance(x->q, seed);
    return true;
  }
  // Parabolas around a candidate, each narrower than the one before; where one's lowest point is not between its ends,
  // the next is around the lower end.
  BK_INLINE void polish(Candidate1* c) const {
    double h = 0.5 * c->half;
    BK_NO_UNROLL for (int i = 0; i < kPolishes && h > kNarrowest; ++i) {
      Sample x[2] = {{c->at - h, c->elbow, c->theta5}, {c->at + h, c->elbow, c->theta5}};
      const bool before = take(c->chart, x), after = take(c->chart, x + 1);
      bool goes_on = false;
      if (before && after) {
        const double a = 0.5 * (x[0].value + x[1].value) - c->value, b = 0.5 * (x[1].value - x[0].value);
        const bool between = ::fabs(b) < 2 * a;
        const double step = between ? -b / (2 * a) : b < 0 ? 1.0 : -1.0;
        Sample lowest = {fma(step, h, c->at), c->elbow, c->theta5};
        if (take(c->chart, &lowest) && lowest.beyond <= ik::kLimitTolerance && lowest.value < c->value) {
          *c = {lowest.value, lowest.at, lowest.elbow, lowest.theta5, c->half, c->chart};
          goes_on = !between;
        }
      }
      h *= goes_on ? 1.5 : 0.25;
    }
  }
  BK_INLINE void offer(const Chart& chart, const Sample& x, double half) {
    if (x.value < best.value) best = {x.value, x.at, x.elbow, x.theta5, half, chart};
  }

  // A piece of curve around `middle`, by four samples; the guesses become those of the last one. `ends`: whether the end of
  // what is within the limits may be in it. By e0, joint s0 is next to `s0`.
  BK_INLINE bool settle_piece(const Chart& chart, double middle, double half, double* elbow, double* theta5,
                              bool ends, double s0 = 0.0) {
    Sample x[4];
    unsigned inside = 0;
    double moved = 0;
    BK_NO_UNROLL for (int i = 0; i < 4; ++i) {
      x[i].at = fma(i < 3 ? 0.5 * i - 1.0 : 1.0, half, middle), x[i].elbow = *elbow, x[i].theta5 = *theta5;
      if (!take(chart, x + i)) return false;
      if (i) moved = ::fmax(moved, ik::joint_distance(x[i].q, x[i - 1].q));
      if (chart.by_e0 && !(ik::angle_between(x[i].q[0], s0) < kNearPsi)) return false;
      *elbow = x[i].elbow, *theta5 = x[i].theta5;
      if (x[i].beyond <= ik::kLimitTolerance) inside |= 1u << i, offer(chart, x[i], half);
    }
    if (moved > (inside == 15u ? kLongestMove : kLongestOutside)) return false;
    if (!inside) return all_outside(x);
    const double value[4] = {x[0].value, x[1].value, x[2].value, x[3].value};
    const Parabola d = parabola(value);
    if (!(d.missed < kParabolaFits * (1.0 + d.c))) return false;
    const bool whole = inside == 15u;
    if (!whole && (!ends || !find_end(chart, x, inside, half))) return false;
    if (!d.has_lowest() || d.lowest() - 4 * d.missed > ::fmin(best.value, known)) return true;
    Sample lowest = {fma(-d.b / (2 * d.a), half, middle), *elbow, *theta5};
    if (!take(chart, &lowest) || !(::fabs(lowest.value - d.lowest()) < kLowestFits * (1.0 + d.c)))
      return false;
    if (lowest.beyond <= ik::kLimitTolerance) offer(chart, lowest, half);
    else if (whole) return false;
    return true;
  }

  // a u^2 + b u + c through samples at -1, 0 and 1, and what it misses that at -1/2 by.
  struct Parabola {
    double a, b, c, missed;
    BK_INLINE bool has_lowest() const { return a > 0 && ::fabs(b) < 2 * a; }
    BK_INLINE double lowest() const { return c - b * b / (4 * a); }
  };
  static BK_INLINE Parabola parabola(const double* x) {
    const double a = 0.5 * (x[0] + x[3]) - x[2], b = 0.5 * (x[3] - x[0]);
    return {a, b, x[2], ::fabs(fma(0.25, a, fma(-0.5, b, x[2])) - x[1])};
  }

  // Whether one joint is beyond a limit all along a piece.
  BK_INLINE bool all_outside(const Sample* x) const {
    BK_NO_UNROLL for (int k = 0; k < 7; ++k) {
      const bool above = x[0].q[k] > l.upper[k];
      const double gap = 2 * ik::kPi - (l.upper[k] - l.lower[k]);  // from one limit to the other, outside
      double beyond[4], least = ik::kNoLimit, most = 0;
      for (int i = 0; i < 4; ++i) {
        // in one turn with the first
        const double q = x[i].q[k] - 2 * ik::kPi * ::rint((x[i].q[k] - x[0].q[k]) * (0.5 / ik::kPi));
        beyond[i] = above ? q - l.upper[k] : l.lower[k] - q;
        least = ::fmin(least, beyond[i]), most = ::fmax(most, beyond[i]);
      }
      const Parabola d = parabola(beyond);
      const double slack = fma(4.0, d.missed, kSurelyBeyond);
      if (::fabs(d.b) < 2 * ::fabs(d.a)) least = ::fmin(least, d.lowest()), most = ::fmax(most, d.lowest());
      if (least > slack && most + slack < gap) return true;
    }
    return false;
  }

  // The end of what is within the limits, between two of four samples; false if it is not plain where it is.
  BK_INLINE bool find_end(const Chart& chart, const Sample* x, unsigned inside, double half) {
    const bool first = inside & 1u;
    const unsigned from_first = first ? inside : ~inside & 15u;
    if (from_first & (from_first + 1u)) return false;  // inside, outside, and inside again
    const int last = count_bits(from_first) - 1;
    // farther outside from one sample to the next
    for (int i = 0; i < 3; ++i) {
      const double here = x[first ? i : 3 - i].beyond, next = x[first ? i + 1 : 2 - i].beyond;
      const bool out = first ? i > last : 3 - i <= last;
      if (out && !(next > here)) return false;
    }
    Sample in = x[first ? last : last + 1], out = x[first ? last + 1 : last];
    double in_beyond = ::fmin(in.beyond, 0.0), out_beyond = out.beyond;
    int kept = 0;
    BK_NO_UNROLL for (int i = 0; i < kCrossSteps; ++i) {
      if (in.beyond > -kAtLimit || !(::fabs(out.at - in.at) > 1e-15)) break;
      const double share = in_beyond / (in_beyond - out_beyond);
      Sample next = {fma(share, out.at - in.at, in.at), in.elbow, in.theta5};
      if (!take(chart, &next)) return false;
      // the Illinois rule: the end that stays counts half
      if (next.beyond <= 0) {
        in = next, in_beyond = next.beyond;
        if (kept > 0) out_beyond *= 0.5;
        kept = 1;
      } else {
        out = next, out_beyond = next.beyond;
        if (kept < 0) in_beyond *= 0.5;
        kept = -1;
      }
    }
    if (!(in.beyond > -1e-9)) return false;
    offer(chart, in, half);
    return true;
  }
};

// A range that waits, with the sides of the wrist that are open.
BK_INLINE unsigned waiting_range(const PsiRange& range, unsigned sides) { return sides << 28 | range.bits(); }

// Ranges that wait, in the warp's own memory: to be looked at, and, with one side each, to be computed. These are
// many times the work, so that all threads of the warp compute one at a time: few of the ranges looked at are such.
constexpr unsigned kNarrow = 3 * kLanes;  // fewer than a warp's, and two of each thread
struct WaitingRanges {
  unsigned *wide, *narrow, count, narrow_count;
  bool room = true;

  BK_INLINE WaitingRanges(unsigned* stack)
      : wide(stack + kNarrow), narrow(stack), count(0), narrow_count(0) {}

  BK_INLINE bool some() const { return count + narrow_count != 0; }
  BK_INLINE bool computes() const { return narrow_count >= kLanes || !count; }

  // One for each thread, where there is one.
  BK_INLINE bool take(bool compute, unsigned* bits) {
    const unsigned* from = compute ? narrow : wide;
    unsigned& number = compute ? narrow_count : count;
    const unsigned n = number < kLanes ? number : kLanes;
    const bool has = unsigned(own_lane()) < n;
    *bits = from[number - n + (has ? own_lane() : 0)];
    sync_warp();
    number -= n;
    return has;
  }

  // Both halves of a range, for those sides.
  BK_INLINE void halve(const PsiRange& range, unsigned sides) {
    const unsigned who = which_of_warp(sides != 0);
    if (count + 2 * count_bits(who) > kStack - kNarrow) {
      room = false;
      return;
    }
    if (sides) {
      const unsigned at = count + 2 * count_before(who);
      wide[at] = waiting_range(range.half(0), sides), wide[at + 1] = waiting_range(range.half(1), sides);
    }
    count += 2 * count_bits(who);
  }

  // To be computed, on those sides.
  BK_INLINE void put_narrow(const PsiRange& range, unsigned sides) {
    BK_UNROLL for (unsigned side = 1; side < 4; side *= 2) {
      const unsigned who = which_of_warp(sides & side);
      if (sides & side) narrow[narrow_count + count_before(who)] = waiting_range(range, side);
      narrow_count += count_bits(who);
    }
  }
};

// How near a range that waits gets to `seed` at least, on its one side, where theta5 may be anything: a part of its turn
// for each thread. All threads of a warp come here.
BK_INLINE double look_by_parts(const ik::Target& t, const ik::Limits& l, double phi, unsigned bits,
                               const double* seed, double known) {
  PsiBounds bounds(t, l, phi, PsiRange::of(bits & 0xfffffffu));
  double least = ik::kNoLimit;
  BK_NO_UNROLL for (int part = own_lane(); part < PsiBounds::kParts; part += kLanes) {
    least = ::fmin(least, bounds.look_at_part(part, seed, bits >> 29, known));
  }
  return value_of(least_of_warp(order_of(least)));
}

// Looks everywhere. True if `q` of one thread, `mine`, is the nearest solution surely. All threads of a
// warp come here; `stack` is the warp's own. `given` is the squared distance of a solution.
BK_INLINE bool find_nearest(const ik::Target& t, const ik::Limits& l, const double* seed, double given,
                            unsigned* stack, double* q, bool* mine) {
  constexpr unsigned places = 1u << kFirstLevel;
  if (t.rho < kPsiRadius) return false;
  NearestSearch search(t, l, seed, given);
  const auto share = [&] {
    search.known = ::fmin(search.known, value_of(least_of_warp(order_of(search.least_value()))));
  };
  const double phi = arc_tan(t.sin_phi, t.cos_phi), width = PsiRange{}.width();
  WaitingRanges waiting(stack);
  for (unsigned first = 0; first < places; first += kLanes) {
    const unsigned place = first + own_lane();
    const double psi = (place + 0.5) * width - ik::kPi;
    const bool open = !surely_outside(l, 0, {phi - psi, 0.5 * width});
    const unsigned who = which_of_warp(open), at = waiting.count + 4 * count_before(who);
    if (open) {
      for (unsigned k = 0; k < 4; ++k)
        waiting.wide[at + k] = waiting_range(PsiRange{place, 0, k >> 1, k & 1}, 3u);
      search.glance(psi);
    }
    waiting.count += 4 * count_bits(who);
  }
  share();
  sync_warp();
  while (waiting.some() && waiting.room) {
    const bool computes = waiting.computes();
    unsigned bits;
    const bool has = waiting.take(computes, &bits);
    const PsiRange range = PsiRange::of(bits & 0xfffffffu);
    PsiBounds bounds(t, l, phi, range);
    PsiBounds::Side side[2];
    bounds.look(seed, has ? bits >> 28 : 0u, side);
    unsigned sides = 0;
    BK_UNROLL for (int k = 0; k < 2; ++k) {
      if (side[k].open && side[k].least < search.known) sides |= 1u << k;
    }
    if (!computes) {
      const bool narrow = range.level >= kSampleLevel;
      waiting.put_narrow(range, narrow ? sides : 0u);
      waiting.halve(range, narrow ? 0u : sides);
    } else {
      const int k = sides >> 1;
      const Branch at = {range.folded != 0, range.mirrored != 0, k == 1};
      const double psi = fma(double(2 * range.place + 1), 0.5 * range.width(), -ik::kPi);
      const bool by_parts = sides && !side[k].steady && !one_theta5(t, at, psi);
      double least = sides ? side[k].least : 0.0;
      for (unsigned left = which_of_warp(by_parts); left; left &= left - 1) {
        const int who = lowest(left);
        const double found = look_by_parts(t, l, phi, of_lane(bits, who), seed, search.known);
        if (own_lane() == who) least = found;
      }
      if (sides) {
        const bool done = by_parts ? !(least < search.known) : search.settle(at, range, side[k]);
        const bool deepest = range.level >= (by_parts ? kDeepestParts : kDeepest);
        if (!done && deepest) search.leave_open(least);
        if (done || deepest) sides = 0;
      }
      waiting.halve(range, sides);
      share();
    }
    sync_warp();
  }
  const double own = waiting.room ? search.finish(q) : ik::kNoLimit;
  const double least = value_of(least_of_warp(order_of(own))),
               open = value_of(least_of_warp(order_of(search.open)));
  const unsigned who = which_of_warp(own == least);
  *mine = own == least && count_before(who) == 0;
  return waiting.room && least < ik::kNoLimit && least <= given + kNearestSlack * (1 + given) &&
         !(open < least - kNearestSlack * (1 + least));
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
