// Links near obstacles, an item of a list for each thread: planes and cylinders at once, boxes down a tree of
// bounds.
#pragma once

#include "narrow.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kFew = 64;  // boxes

template <bool kNearest>
class NarrowWorld : Narrow<kNearest> {
 public:
  using Narrow<kNearest>::Narrow;

  BK_INLINE void links(unsigned at, unsigned count) const {
    const bool some = at < count;
    const Item item = some ? work.links[at] : Item{};
    RowBounds<kNearest> bounds(body, batch, work, item.row, some);
    if (bounds.open()) {
      const int link = int(item.what);
      const CoarsePose T = pose_of<kNearest>(body, batch, work, item.row, link);
      const Point<Floats> middle = T.place(body.link_middle[link]);
      look_at_others(bounds, link, middle, T);
      if (bounds.open()) look_at_boxes(bounds, link, middle);
    }
    bounds.finish();
  }

  // The capsules of a link against one box.
  BK_INLINE void boxes(unsigned at, unsigned count) const {
    const bool some = at < count;
    const Item item = some ? work.items[at] : Item{};
    RowBounds<kNearest> bounds(body, batch, work, item.row, some);
    if (bounds.open()) {
      const int link = int(item.what >> 22), from = body.link_first[link];
      const CoarseBox& box = body.boxes[item.what & 0x3fffff];
      const CoarsePose T = pose_of<kNearest>(body, batch, work, item.row, link);
      for (int k = from; k < from + body.link_count[link] && bounds.open(); ++k) {
        const CoarseCapsule& c = body.coarse[k];
        const Point<Floats> middle = T.place(c.middle), half = T.turn(c.half);
        const Floats reach = Floats(box.round) + Floats(c.round) + Floats(bounds.near);
        if (below(bounds_apart(box, middle, half), square(reach)))
          bounds.look_at_box(box, c, k, middle, half);
      }
    }
    bounds.finish();
  }

  // A plane or a cylinder against a capsule.
  template <class Bounds>
  static BK_INLINE void look_at_plane(Bounds& bounds, const CoarseOther& plane, const CoarseCapsule& c,
                                      int number, const CoarsePose& T) {
    const Point<Floats> normal = coarse(plane.axis);
    const Floats gap = dot(T.place(c.middle), normal) - abs(dot(T.turn(c.half), normal)) -
                       Floats(plane.offset) - Floats(c.round);
    bounds.at_most(gap);
    bounds.offer(gap - Floats(bounds.margin), number, plane.number);
  }
  // The ball around the capsule against the cylinder.
  static BK_INLINE bool near_cylinder(const CoarseOther& y, const CoarseCapsule& c, const CoarsePose& T,
                                      float near) {
    const Point<Floats> axis = coarse(y.axis), at = T.place(c.middle) - coarse(y.center);
    const Floats z = dot(at, axis);
    const Point<Floats> across = along(at, -z, axis);
    const Floats out = most(sqrt(dot(across, across)) - Floats(y.radius), Floats(0.0f));
    const Floats over = beyond(z, Floats(y.half));
    return below(over * over + out * out, square(Floats(c.reach) + Floats(near)));
  }
  template <class Bounds>
  static BK_INLINE void look_at_cylinder(Bounds& bounds, const CoarseOther& y, const CoarseCapsule& c,
                                         int number, const CoarsePose& T) {
    if (!near_cylinder(y, c, T, bounds.near)) return;
    const Floats half(y.half), radius(y.radius);
    const Point<Floats> axis = coarse(y.axis), at = T.place(c.middle) - coarse(y.center),
                        ray = T.turn(c.half);
    const Point<Floats> span = {ray.x + ray.x, ray.y + ray.y, ray.z + ray.z};
    Floats apart, at_least;
    segment_cylinder_bounds(at - ray, span, axis, half, radius, apart, at_least);
    bounds.meet(apart, at_least, c.round, number, y.number);
  }

 private:
  using Base = Narrow<kNearest>;
  using Base::batch, Base::body, Base::work;

  BK_INLINE void look_at_others(RowBounds<kNearest>& bounds, int link, const Point<Floats>& middle,
                                const CoarsePose& T) const {
    const int from = body.link_first[link], end = from + body.link_count[link];
    for (int n = 0; n < int(body.others.size()); ++n) {
      const CoarseOther& other = body.others[n];
      if (!near_other(other, middle, link, Floats(body.link_reach[link]) + Floats(bounds.near))) continue;
      for (int begin = from; begin < end && bounds.open(); begin += kBits) {
        unsigned alive = 0;
        const int n = end - begin < kBits ? end - begin : kBits;
        for (int k = 0; k < n; ++k) {
          const CoarseCapsule& c = body.coarse[begin + k];
          if (other.plane) look_at_plane(bounds, other, c, begin + k, T);
          else if (near_cylinder(other, c, T, bounds.near)) alive |= 1u << k;
        }
        for (; alive && bounds.open(); alive &= alive - 1) {
          const int k = begin + lowest(alive);
          look_at_cylinder(bounds, other, body.coarse[k], k, T);
        }
      }
    }
  }

  // Boxes that a link may be near go to the list: few are looked at one by one, many down their tree.
  BK_INLINE void look_at_boxes(const RowBounds<kNearest>& bounds, int link,
                               const Point<Floats>& middle) const {
    const Floats reach = Floats(body.link_reach[link]) + Floats(bounds.near);
    const int first = body.part_first[kBodyParts], end = int(body.box.size());
    if (end - first <= kFew) {
      for (int box = first; box < end; ++box) offer_box(bounds, link, middle, box, reach);
      return;
    }
    int stack[40], depth = 0;
    stack[depth++] = int(body.nodes.size()) - 1;
    while (depth) {
      const PackedNode& node = body.nodes[stack[--depth]];
      if (!near_node(node, middle, link, reach)) continue;
      if (!node.count) stack[depth++] = node.first, stack[depth++] = node.second;
      for (int box = node.first; box < node.first + node.count; ++box)
        offer_box(bounds, link, middle, box, reach);
    }
  }
  BK_INLINE void offer_box(const RowBounds<kNearest>& bounds, int link, const Point<Floats>& middle, int box,
                           Floats reach) const {
    if (!near_box(body.boxes[box], middle, link, reach)) return;
    const unsigned place = reserve_one(work.counter(kWorldBoxes));
    put(work, work.items, work.item_room, place, bounds.row, unsigned(link << 22 | box));
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
