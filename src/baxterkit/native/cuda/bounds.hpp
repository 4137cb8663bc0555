// What is known of a row while a thread looks at it, and the tests at single precision: what is near, what
// touches surely, and what must be settled at double precision.
#pragma once

#include "exact_poses.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// Bounds of the squared distance of a segment from the sides of a box; false if that is farther than `reach`.
BK_INLINE bool near_sides(const CoarseBox& box, const Point<Floats>& middle, const Point<Floats>& half,
                          Floats reach, Floats& apart, Floats& at_least) {
  const auto in_axes = [&](const Point<Floats>& x) {
    const auto row = [&](int i) {
      return fma(x.z, box.turn[3 * i + 2], fma(x.y, box.turn[3 * i + 1], x.x * Floats(box.turn[3 * i])));
    };
    return Point<Floats>{row(0), row(1), row(2)};
  };
  const Point<Floats> at = in_axes(middle - coarse(box.middle)), ray = in_axes(half);
  const auto gap = [](Floats at, Floats ray, float side) {
    return most(abs(at) - (abs(ray) + Floats(side)), Floats(0.0f));
  };
  const Point<Floats> off = {gap(at.x, ray.x, box.side[0]), gap(at.y, ray.y, box.side[1]),
                             gap(at.z, ray.z, box.side[2])};
  if (!below(dot(off, off), square(reach))) return false;
  const Floats side[3] = {box.side[0], box.side[1], box.side[2]};
  segment_box_bounds(at, ray, side, apart, at_least);
  return true;
}

// kNearest: the nearest pair of a row; else whether any is nearer than the padding. kAtOnce: what single
// precision cannot tell is settled at once; else it goes to the list of candidates.
template <bool kNearest, bool kAtOnce = false>
struct RowBounds {
  const PackedBody& body;
  const ConfigurationBatch& batch;
  const Work& work;
  unsigned row;
  float near, before, margin;
  Candidate held;  // the last that may be the nearest
  bool some;
  unsigned long long best = ~0ull, pair = ~0ull;  // where it is settled at once

  BK_INLINE RowBounds(const PackedBody& body, const ConfigurationBatch& batch, const Work& work, unsigned row,
                      bool mine)
      : body(body), batch(batch), work(work), row(row), margin(2.0f * body.margin), some(false) {
    near = before = mine ? work.near[row] : kHit;
  }

  BK_INLINE bool open() const { return near > kHit; }

  // Something is not farther apart than that.
  BK_INLINE void at_most(Floats gap) {
    if (kNearest) near = ::fminf(near, gap.v + margin);
    else if (gap.v < float(batch.padding) - margin) near = kHit;
  }

  // Squared distances of two cores, at most and at least; radii: of both.
  BK_INLINE void meet(Floats apart, Floats at_least, Floats radii, int one, int other) {
    at_most(sqrt(most(apart, Floats(0.0f)) + Floats(kBlur)) - radii);
    offer(sqrt(most(at_least - Floats(kBlur), Floats(0.0f))) - radii - margin, one, other);
  }
  BK_INLINE void offer(Floats gap, int one, int other) {
    if (!(gap.v < near)) return;
    if (kAtOnce) {
      settle(one < other ? one : other, one < other ? other : one);
      return;
    }
    if (some && held.at_least <= near) put_candidate(reserve_one(work.counter(kCandidates)));
    held = {gap.v, row, one < other ? one : other, one < other ? other : one, ~0ull};
    some = true;
  }

  // Tells others what is known now. All threads of a warp come here.
  BK_INLINE void finish() {
    if (near < before) {
      if (kNearest) lower(work.near + row, near);
      else work.near[row] = kHit;
    }
    const bool mine = some && held.at_least <= near;
    const unsigned place = reserve(work.counter(kCandidates), mine);
    if (mine) put_candidate(place);
  }

  // A capsule against a box of the body or the world.
  BK_INLINE void look_at_box(const CoarseBox& box, const CoarseCapsule& c, int number,
                             const Point<Floats>& middle, const Point<Floats>& half) {
    const Floats radii = Floats(c.round) + Floats(box.round);
    Floats apart, at_least;
    if (near_sides(box, middle, half, radii + Floats(near), apart, at_least))
      meet(apart, at_least, radii, number, box.number);
  }

 private:
  BK_INLINE void settle(int one, int other) {
    const double gap = exact_gap(body, batch, row, one, other);
    if (!kNearest) {
      if (gap < batch.padding) near = kHit;
      return;
    }
    const unsigned long long order = order_of(gap), both = pair_key(one, other);
    if (order < best) best = order, pair = both;
    else if (order == best && both < pair) pair = both;
    near = ::fminf(near, float(gap) + margin);
  }
  BK_INLINE void put_candidate(unsigned place) const {
    if (place < work.candidate_room) work.candidates[place] = held;
    else leave_row(work, row);
  }
};

// How far the bounds of a segment are from those of a box, at least, squared.
BK_INLINE Floats bounds_apart(const CoarseBox& box, const Point<Floats>& middle, const Point<Floats>& half) {
  const auto off = [](Floats x, float center, Floats ray, float extent) {
    return most(abs(x - Floats(center)) - (abs(ray) + Floats(extent)), Floats(0.0f));
  };
  const Point<Floats> v = {off(middle.x, box.middle[0], half.x, box.extent[0]),
                           off(middle.y, box.middle[1], half.y, box.extent[1]),
                           off(middle.z, box.middle[2], half.z, box.extent[2])};
  return dot(v, v);
}

// Distances of a capsule from a part of the body, by its grid; rough ones where it is not near.
BK_INLINE DistanceBounds bounds_of_capsule(const PartGrid& grid, const CoarseCapsule& c, const CoarsePose& T,
                                           float near) {
  const Point<Floats> middle = T.place(c.middle);
  const Floats round(c.round);
  const DistanceBounds m = look_up(grid, middle);
  if (!(m.least.v - c.reach < near)) return {m.least - Floats(c.reach), m.most - round};
  // Three balls cover a segment: a third of it each.
  const Point<Floats> half = T.turn(c.half);
  const Floats third(2.0f / 3.0f);
  const Point<Floats> points[2] = {along(middle, third, half), along(middle, -third, half)};
  DistanceBounds d[2];
  look_up(grid, points, d);
  return {least(least(d[0].least, d[1].least), m.least) -
              fma(Floats(c.reach) - round, Floats(1.0f / 3.0f), round),
          least(least(d[0].most, d[1].most), m.most) - round};
}

// Nodes and obstacles near the ball around a link, whose middle is x and which reaches that far.
BK_INLINE bool near_node(const PackedNode& node, const Point<Floats>& x, int link, Floats reach) {
  if (!(node.allowed >> link & 1)) return false;
  const auto off = [](Floats x, float low, float high) {
    return x - most(least(x, Floats(high)), Floats(low));
  };
  const Point<Floats> v = {off(x.x, node.low[0], node.high[0]), off(x.y, node.low[1], node.high[1]),
                           off(x.z, node.low[2], node.high[2])};
  return below(dot(v, v), square(reach + Floats(node.roundest)));
}
// A plane, or a cylinder by the ball around it.
BK_INLINE bool near_other(const CoarseOther& y, const Point<Floats>& x, int link, Floats reach) {
  if (!(y.allowed >> link & 1)) return false;
  if (y.plane) return below(dot(x, coarse(y.axis)) - Floats(y.offset), reach);
  const Point<Floats> v = x - coarse(y.center);
  return below(dot(v, v), square(reach + Floats(y.reach)));
}
BK_INLINE bool near_box(const CoarseBox& b, const Point<Floats>& x, int link, Floats reach) {
  if (!(b.allowed >> link & 1)) return false;
  const Point<Floats> v = x - coarse(b.middle);
  const auto off = [&](int i) {
    const Floats along =
        fma(v.z, b.turn[3 * i + 2], fma(v.y, b.turn[3 * i + 1], v.x * Floats(b.turn[3 * i])));
    return beyond(along, Floats(b.side[i]));
  };
  const Point<Floats> over = {off(0), off(1), off(2)};
  return below(dot(over, over), square(Floats(b.round) + reach));
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
