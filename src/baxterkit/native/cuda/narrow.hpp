// The narrow steps, an item of a list for each thread: capsules of links near parts of the body, boxes near
// those, links near links. All threads of a warp come to each function; `at` may be beyond the list.
#pragma once

#include "broad.hpp"
#include "shares.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <bool kNearest>
class Narrow {
 public:
  using Shares = SharedLooks<kNearest>;

  BK_INLINE Narrow(const PackedBody& body, const ConfigurationBatch& batch, const Work& work)
      : body(body), batch(batch), work(work) {}

  // Of the part and link that a row begins with: the capsule with the least bound.
  BK_INLINE void first(unsigned row) const {
    const bool some = row < batch.rows && work.first[row] != ~0u;
    const unsigned item = some ? work.first[row] : 0;
    const int part = int(item >> 8), link = int(item & 0xff), from = body.link_first[link];
    RowBounds<kNearest> bounds(body, batch, work, row, some);
    float smallest = 1e9f;
    int which = 0;
    if (bounds.open()) {
      const CoarsePose T = pose_for<kNearest>(body, batch, work, row, link, part);
      for (int k = 0; k < body.link_count[link]; ++k) {
        const DistanceBounds d = bounds_of_capsule(body.grid[part], body.coarse[from + k], T, bounds.near);
        bounds.at_most(d.most);
        if (d.least.v < smallest) smallest = d.least.v, which = from + k;
      }
    }
    const bool alive = bounds.open() && smallest < bounds.near;
    const unsigned place = reserve(work.counter(kFirst), alive);
    if (alive) put(work, work.items, work.item_room, place, row, capsule_item(part, which));
    bounds.finish();
  }

  // Capsules of a link near a part.
  BK_INLINE void part_links(unsigned at, unsigned count) const {
    const bool some = at < count;
    const Item item = some ? work.parts[at] : Item{};
    const int part = int(item.what >> 20 & 0xf), link = int(item.what >> 8 & 31);
    const int skipped = kGroup * int(item.what & 0xff), from = body.link_first[link] + skipped;
    RowBounds<kNearest> bounds(body, batch, work, item.row, some);
    unsigned alive = 0;
    if (bounds.open()) {
      const int rest = body.link_count[link] - skipped, end = rest < kGroup ? rest : kGroup;
      const CoarsePose T = pose_for<kNearest>(body, batch, work, item.row, link, part);
      for (int k = 0; k < end && bounds.open(); ++k) {
        const DistanceBounds d = bounds_of_capsule(body.grid[part], body.coarse[from + k], T, bounds.near);
        bounds.at_most(d.most);
        if (d.least.v < bounds.near) alive |= 1u << k;
      }
    }
    if (!bounds.open()) alive = 0;
    unsigned place = reserve(work.counter(kCapsules), count_bits(alive));
    for (; alive; alive &= alive - 1) {
      put(work, work.items, work.item_room, place++, item.row, capsule_item(part, from + lowest(alive)));
    }
    bounds.finish();
  }

  // The capsule that a row begins with against the boxes of its part.
  BK_INLINE void first_boxes(unsigned at, unsigned count) const {
    const bool some = at < count;
    const Item item = some ? work.items[at] : Item{};
    const int part = int(item.what >> 24), number = int(item.what & 0xffffff);
    RowBounds<kNearest> bounds(body, batch, work, item.row, some);
    if (bounds.open()) {
      const CoarsePose T =
          pose_for<kNearest>(body, batch, work, item.row, link_of_capsule(body, number), part);
      const CoarseCapsule& c = body.coarse[number];
      const Point<Floats> middle = T.place(c.middle), half = T.turn(c.half);
      const int end = body.part_first[part + 1];
      for (int begin = body.part_first[part]; begin < end && bounds.open(); begin += kBits) {
        const int n = end - begin < kBits ? end - begin : kBits;
        unsigned alive = boxes_near(begin, n, Floats(c.round) + Floats(bounds.near), middle, half);
        for (; alive && bounds.open(); alive &= alive - 1) {
          bounds.look_at_box(body.boxes[begin + lowest(alive)], c, number, middle, half);
        }
      }
    }
    bounds.finish();
  }

  // A capsule against the boxes of a part.
  BK_INLINE void part_boxes(unsigned at, unsigned count, Together& together) const {
    const bool some = at < count;
    const Item item = some ? work.items[at] : Item{};
    const int part = int(item.what >> 24), number = int(item.what & 0xffffff);
    Shares shares(batch, work, body.margin, together, item.row, number, some);
    Point<Floats> middle, half;
    if (shares.open()) {
      const CoarseCapsule& c = body.coarse[number];
      const CoarsePose T =
          pose_for<kNearest>(body, batch, work, item.row, link_of_capsule(body, number), part);
      middle = T.place(c.middle), half = T.turn(c.half);
      shares.put_segment(middle, half);
    }
    const int end = some ? body.part_first[part + 1] : 0;
    for (int begin = body.part_first[part]; any_of_warp(begin < end); begin += kBits) {
      const int n = end - begin < kBits ? end - begin : kBits;
      const Floats reach = Floats(body.coarse[number].round) + Floats(shares.near());
      const unsigned alive = shares.open() ? boxes_near(begin, n, reach, middle, half) : 0;
      shares.look(alive, begin,
                  [&](int capsule, int which, const Point<Floats>& middle, const Point<Floats>& half,
                      float near, Meeting& m) {
                    const CoarseBox& box = body.boxes[which];
                    m.radii = Floats(body.coarse[capsule].round) + Floats(box.round), m.other = box.number;
                    return near_sides(box, middle, half, m.radii + Floats(near), m.apart, m.at_least);
                  });
    }
    shares.finish();
  }

  // The capsules of a link against the ball around another.
  BK_INLINE void link_pairs(unsigned at, unsigned count) const {
    const bool some = at < count;
    const Item item = some ? work.pairs[at] : Item{};
    const int a = int(item.what >> 8), b = int(item.what & 0xff);
    const bool swap = body.link_reach[a] < body.link_reach[b];
    const int one = swap ? b : a, other = swap ? a : b;
    const float near = some ? work.near[item.row] : kHit;
    const int from = body.link_first[one], end = near > kHit ? body.link_count[one] : 0;
    Point<Floats> middle;  // of the ball, in the frame of the capsules
    if (near > kHit) {
      BK_NO_UNROLL for (int which = 0; which < 2; ++which) {
        const CoarsePose T = pose_of<kNearest>(body, batch, work, item.row, which ? one : other);
        middle = which ? T.place_back(middle) : T.place(body.link_middle[other]);
      }
    }
    const Floats reach = Floats(body.link_reach[other]) + Floats(near);
    for (int begin = 0; any_of_warp(begin < end); begin += kBits) {
      unsigned alive = 0;
      const int n = end - begin < kBits ? end - begin : kBits;
      for (int k = 0; k < n; ++k) {
        const CoarseCapsule& c = body.coarse[from + begin + k];
        const Point<Floats> half = coarse(c.half), v = to_segment(coarse(c.middle) - middle, half, c.over);
        if (below(dot(v, v), square(Floats(c.round) + reach))) alive |= 1u << k;
      }
      unsigned place = reserve(work.counter(kSegments), count_bits(alive));
      for (; alive; alive &= alive - 1) {
        const int k = from + begin + lowest(alive);
        put(work, work.items, work.item_room, place++, item.row, unsigned(other << 24 | k));
      }
    }
  }

  // A capsule against those of a link.
  BK_INLINE void segments(unsigned at, unsigned count, Together& together) const {
    const bool some = at < count;
    const Item item = some ? work.items[at] : Item{};
    const int link = int(item.what >> 24), number = int(item.what & 0xffffff);
    Shares shares(batch, work, body.margin, together, item.row, number, some);
    Point<Floats> middle, half;  // of the capsule, in the frame of the others
    if (shares.open()) {
      const CoarseCapsule& c = body.coarse[number];
      BK_NO_UNROLL for (int which = 0; which < 2; ++which) {
        const CoarsePose T =
            pose_of<kNearest>(body, batch, work, item.row, which ? link : link_of_capsule(body, number));
        middle = which ? T.place_back(middle) : T.place(c.middle);
        half = which ? T.turn_back(half) : T.turn(c.half);
      }
      shares.put_segment(middle, half);
    }
    const int from = body.link_first[link], end = some ? from + body.link_count[link] : 0;
    for (int begin = from; any_of_warp(begin < end); begin += kBits) {
      unsigned alive = 0;
      const int n = end - begin < kBits ? end - begin : kBits;
      if (shares.open()) {
        const Floats reach = Floats(body.coarse[number].reach) + Floats(shares.near());
        BK_UNROLL_4 for (int k = 0; k < n; ++k) {
          const CoarseCapsule& d = body.coarse[begin + k];
          const Point<Floats> v = to_segment(coarse(d.middle) - middle, coarse(d.half), d.over);
          if (below(dot(v, v), square(reach + Floats(d.round)))) alive |= 1u << k;
        }
      }
      shares.look(alive, begin,
                  [&](int capsule, int which, const Point<Floats>& middle, const Point<Floats>& half, float,
                      Meeting& m) {
                    const CoarseCapsule &c = body.coarse[capsule], &d = body.coarse[which];
                    m.radii = Floats(c.round) + Floats(d.round), m.other = which;
                    m.apart = m.at_least = segments_coarse(coarse(d.middle), coarse(d.half), d.quarter,
                                                           d.over, middle, half, c.quarter, c.over);
                    return true;
                  });
    }
    shares.finish();
  }

 protected:
  const PackedBody& body;
  const ConfigurationBatch& batch;
  const Work& work;

  // Boxes that bounds of a segment are near, as bits.
  BK_INLINE unsigned boxes_near(int begin, int n, Floats reach, const Point<Floats>& middle,
                                const Point<Floats>& half) const {
    unsigned alive = 0;
    BK_UNROLL_4 for (int k = 0; k < n; ++k) {
      const CoarseBox& box = body.boxes[begin + k];
      if (below(bounds_apart(box, middle, half), square(reach + Floats(box.round)))) alive |= 1u << k;
    }
    return alive;
  }
  static BK_INLINE unsigned capsule_item(int part, int capsule) { return unsigned(part << 24 | capsule); }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
