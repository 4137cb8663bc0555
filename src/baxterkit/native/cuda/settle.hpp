// The last steps: candidates for the nearest pair are settled at double precision, rows that found no room
// in a list are looked at as a whole, and the answers are written.
#pragma once

#include "narrow_world.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <bool kNearest>
class Settle {
 public:
  BK_INLINE Settle(const PackedBody& body, const ConfigurationBatch& batch, const Work& work)
      : body(body), batch(batch), work(work) {}

  // Candidates that may still be the nearest go to a list. All threads of a block come here.
  BK_INLINE void sift(unsigned at, unsigned count) const {
    const bool open = at < count && work.candidates[at].at_least <= work.near[work.candidates[at].row];
    const unsigned place = reserve_in_block(work.counter(kOpen), open);
    if (open) work.open[place] = at;
  }

  BK_INLINE void settle(unsigned at) const {
    Candidate& c = work.candidates[work.open[at]];
    if (work.near[c.row] == kHit) return;
    const double gap = exact_gap(body, batch, c.row, c.one, c.other);
    if (kNearest) {
      c.order = order_of(gap);
      lower(work.best + c.row, c.order);
    } else if (gap < batch.padding) {
      work.near[c.row] = kHit;
    }
  }

  // Of several that are equally near, the one with the least numbers.
  BK_INLINE void ties(unsigned at) const {
    const Candidate& c = work.candidates[work.open[at]];
    if (c.order == work.best[c.row]) lower(work.pair + c.row, pair_key(c.one, c.other));
  }

  // A whole row, by a warp: a capsule for each thread, against everything.
  BK_INLINE void whole(unsigned row) const {
    const int capsules = int(body.capsule[0].size() + body.capsule[1].size());
    RowBounds<kNearest, true> bounds(body, batch, work, row, true);
    for (int begin = 0; begin < capsules; begin += kLanes) {
      const int number = begin + own_lane();
      if (number < capsules && bounds.open()) look_at_capsule(bounds, number);
      bounds.near = least_of_warp(bounds.near);
    }
    const unsigned long long best = least_of_warp(bounds.best);
    const unsigned long long pair = least_of_warp(bounds.best == best ? bounds.pair : ~0ull);
    if (own_lane()) return;
    work.near[row] = bounds.near;
    work.best[row] = best;
    work.pair[row] = pair;
  }

  // The answer of a row.
  BK_INLINE void write(unsigned row) const {
    const bool hit = work.near[row] == kHit;
    if (!kNearest) {
      batch.hit[row] = hit;
      return;
    }
    BodyNearest out;
    const unsigned long long pair = work.pair[row];
    const double nan = std::numeric_limits<double>::quiet_NaN();
    out.primitive[0] = pair == ~0ull ? -1 : int(pair >> 32);
    out.primitive[1] = pair == ~0ull ? -1 : int(pair & 0xffffffffu);
    out.clearance = hit ? nan : pair == ~0ull ? kFar : value_of(work.best[row]);
    batch.clearance[row] = out.clearance;
    if (!batch.gradient) return;
    if (pair == ~0ull) {
      nowhere(out);
      for (int i = 0; i < 14; ++i) batch.gradient[14 * size_t(row) + i] = hit ? nan : 0.0;
    } else {
      const Contact contact =
          find_contact(TwoPoses(body, batch, row, out.primitive[0], out.primitive[1]), out);
      write_gradient(row, contact);
    }
    for (int i = 0; i < 2; ++i) {
      batch.pair[2 * size_t(row) + i] = out.primitive[i] < 0 ? -1 : batch.owner[out.primitive[i]];
    }
    for (int i = 0; i < 6; ++i) batch.points[6 * size_t(row) + i] = out.point[i / 3][i % 3];
  }

 private:
  using Bounds = RowBounds<kNearest, true>;
  using World = NarrowWorld<kNearest>;

  const PackedBody& body;
  const ConfigurationBatch& batch;
  const Work& work;

  // Of each arm: of both sides of the contact, as far as it carries them.
  BK_INLINE void write_gradient(unsigned row, const Contact& contact) const {
    BK_NO_UNROLL for (int arm = 0; arm < 2; ++arm) {
      double* to = batch.gradient + 14 * size_t(row) + 7 * arm;
      const int first = contact.carrier[0].arm == arm ? contact.carrier[0].link : -1;
      const int second = contact.carrier[1].arm == arm ? contact.carrier[1].link : -1;
      double slope[7] = {};
      if (first >= 0 || second >= 0) {
        double all[8 * 16];
        exact_arm(body, batch, row, arm, all);
        BK_UNROLL for (int j = 0; j < 7; ++j) {
          if (j <= first) slope[j] += slope_of(contact, 0, all + 16 * j);
          if (j <= second) slope[j] += slope_of(contact, 1, all + 16 * j);
        }
      }
      BK_UNROLL for (int j = 0; j < 7; ++j) to[j] = slope[j];
    }
  }

  BK_INLINE void look_at_capsule(Bounds& bounds, int number) const {
    const CoarseCapsule& c = body.coarse[number];
    const int link = link_of_capsule(body, number);
    for (int n = 0; n < body.standing_first[kBodyParts]; ++n) {
      if (body.standing_link[n] != link) continue;
      const int part = (n >= body.standing_first[1]) + (n >= body.standing_first[2]);
      const CoarsePose T = pose_for<kNearest>(body, batch, work, bounds.row, link, part);
      look_at_boxes(bounds, number, body.part_first[part], body.part_first[part + 1], T, ~0u);
    }
    const CoarsePose T = pose_of<kNearest>(body, batch, work, bounds.row, link);
    look_at_boxes(bounds, number, body.part_first[kBodyParts], int(body.box.size()), T, 1u << link);
    for (int n = 0; n < int(body.others.size()); ++n) {
      const CoarseOther& other = body.others[n];
      if (!(other.allowed >> link & 1)) continue;
      if (other.plane) World::look_at_plane(bounds, other, c, number, T);
      else World::look_at_cylinder(bounds, other, c, number, T);
    }
    const Point<Floats> middle = T.place(c.middle), half = T.turn(c.half);
    for (unsigned left = body.allowed[link]; left; left &= left - 1) {
      const int other = lowest(left);
      const CoarsePose its = pose_of<kNearest>(body, batch, work, bounds.row, other);
      for (int k = body.link_first[other]; k < body.link_first[other] + body.link_count[other]; ++k) {
        const CoarseCapsule& d = body.coarse[k];
        const Point<Floats> at = its.place(d.middle), v = at - middle;
        const Floats reach = Floats(c.reach) + Floats(d.reach) + Floats(bounds.near);
        if (!below(dot(v, v), square(reach))) continue;
        const Floats apart =
            segments_coarse(at, its.turn(d.half), d.quarter, d.over, middle, half, c.quarter, c.over);
        bounds.meet(apart, apart, Floats(c.round) + Floats(d.round), number, k);
      }
    }
  }

  // Boxes from one number to another, if they are checked against one of the links.
  BK_INLINE void look_at_boxes(Bounds& bounds, int number, int from, int to, const CoarsePose& T,
                               unsigned links) const {
    const CoarseCapsule& c = body.coarse[number];
    const Point<Floats> middle = T.place(c.middle), half = T.turn(c.half);
    for (int k = from; k < to; ++k) {
      const CoarseBox& box = body.boxes[k];
      const Floats reach = Floats(c.round) + Floats(bounds.near) + Floats(box.round);
      if (links != ~0u && !(box.allowed & links)) continue;
      if (below(bounds_apart(box, middle, half), square(reach)))
        bounds.look_at_box(box, c, number, middle, half);
    }
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
