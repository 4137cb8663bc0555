// The links of postures among obstacles: planes, cylinders, and boxes down a tree of bounds; and all of a
// posture together.
#pragma once

#include "near.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <bool kNearest>
class Look : Near<kNearest> {
 public:
  BK_INLINE Look(const PackedBody& body, const PostureBatch& batch, Desk& desk)
      : Near<kNearest>(body, batch, desk) {}

  // A posture for each thread, from that row on. All warps of a block come here.
  BK_INLINE void run(unsigned first_row) {
    first = first_row;
    const unsigned row = first + unsigned(lane);
    const bool mine = row < batch.rows;
    links = capsules = 0;
    sync_warp();
    const bool fine = mine && desk.set(body, batch, row, lane);
    Base::begin(fine);
    sync_warp();
    if (kNearest) {
      Base::look_at_first_part();
      next_step();
      Base::look_at_part_capsules();
      next_step();
    }
    Base::look_at_parts();
    next_step();
    Base::look_at_part_links();
    next_step();
    Base::look_at_part_capsules();
    next_step();
    if (body.world) {
      look_at_world();
      next_step();
      look_at_world_links();
      next_step();
      look_at_world_boxes();
      next_step();
    }
    Base::look_at_links();
    next_step();
    Base::look_at_link_pairs();
    next_step();
    Base::look_at_segments();
    next_step();
    Base::settle();
    next_step();
    if (mine) Base::write(row, fine);
  }

 private:
  using Base = Near<kNearest>;
  using Base::at_most, Base::batch, Base::body, Base::desk, Base::lane, Base::margin, Base::meet, Base::offer;
  using Base::capsules, Base::first, Base::links;

  BK_NOINLINE void look_at_world() {
    for (int link = 0; link < kMoving; ++link) {
      if (!(body.world >> link & 1) || !body.link_count[link]) continue;
      const bool near = desk.near[lane] > kHit && near_world(link, desk.middle_of(link, lane));
      desk.links.put(links, lane, near, unsigned(lane) << 27 | unsigned(link));
      if (desk.links.full(links)) look_at_world_links();
    }
  }

  BK_INLINE bool near_world(int link, const Point<Floats>& x) const {
    bool near = body.nodes.size() && near_node(body.nodes[body.nodes.size() - 1], x, link, lane);
    for (int n = 0; n < int(body.others.size()); ++n)
      near = near || near_other(body.others[n], link, x, lane);
    return near;
  }
  // A plane, or a cylinder by the ball around it.
  BK_INLINE bool near_other(const CoarseOther& y, int link, const Point<Floats>& x, int who) const {
    if (!(y.allowed >> link & 1)) return false;
    const Floats reach = Floats(body.link_reach[link]) + Floats(desk.near[who]);
    if (y.plane) return below(dot(x, coarse(y.axis)) - Floats(y.offset), reach);
    const Point<Floats> v = x - coarse(y.center);
    return below(dot(v, v), square(reach + Floats(y.reach)));
  }
  BK_INLINE bool near_node(const PackedNode& node, const Point<Floats>& x, int link, int who) const {
    if (!(node.allowed >> link & 1)) return false;
    const auto off = [](Floats x, float low, float high) {
      return x - most(least(x, Floats(high)), Floats(low));
    };
    const Point<Floats> v = {off(x.x, node.low[0], node.high[0]), off(x.y, node.low[1], node.high[1]),
                             off(x.z, node.low[2], node.high[2])};
    return below(dot(v, v),
                 square(Floats(body.link_reach[link]) + Floats(node.roundest) + Floats(desk.near[who])));
  }
  BK_INLINE bool near_box(const CoarseBox& b, const Point<Floats>& x, int link, int who) const {
    if (!(b.allowed >> link & 1)) return false;
    const Point<Floats> v = x - coarse(b.middle);
    const auto off = [&](int i) {
      const Floats along =
          fma(v.z, b.turn[3 * i + 2], fma(v.y, b.turn[3 * i + 1], v.x * Floats(b.turn[3 * i])));
      return beyond(along, Floats(b.side[i]));
    };
    const Point<Floats> over = {off(0), off(1), off(2)};
    return below(dot(over, over),
                 square(Floats(b.round) + Floats(body.link_reach[link]) + Floats(desk.near[who])));
  }

  BK_NOINLINE void look_at_world_links() {
    sync_warp();
    for (int at = 0; at < links; at += kLanes) {
      const bool some = at + lane < links;
      const unsigned item = some ? desk.links.item[at + lane] : 0;
      const int who = int(item >> 27), link = int(item & 31);
      const Point<Floats> middle = desk.middle_of(link, who);
      look_at_others(some, who, link, middle);
      look_at_nodes(some, who, link, middle);
    }
    links = 0;
    sync_warp();
  }

  // Planes and cylinders.
  BK_INLINE void look_at_others(bool some, int who, int link, const Point<Floats>& middle) {
    const int from = body.link_first[link];
    for (int n = 0; n < int(body.others.size()); ++n) {
      const CoarseOther& other = body.others[n];
      const bool near = some && near_other(other, link, middle, who);
      if (!ballot(near)) continue;
      const int count = near ? body.link_count[link] : 0;
      const CoarsePose T = desk.pose_of(body, link, who, lane);
      for (int k = 0; ballot(k < count); ++k) {
        if (other.plane) look_at_plane(k < count, who, other, from + k, T);
        else look_at_cylinder(k < count, who, other, from + k, T);
      }
    }
  }
  BK_INLINE void look_at_plane(bool mine, int who, const CoarseOther& plane, int capsule,
                               const CoarsePose& T) {
    Floats gap = 0.0f;
    if (mine) {
      const CoarseCapsule& c = body.coarse[capsule];
      const Point<Floats> normal = coarse(plane.axis);
      gap = dot(T.place(c.middle), normal) - abs(dot(T.turn(c.half), normal)) - Floats(plane.offset) -
            Floats(c.round);
      at_most(who, gap);
      gap = gap - Floats(margin);
    }
    offer(mine && gap.v < desk.near[who], who, gap, capsule, plane.number);
  }
  BK_INLINE void look_at_cylinder(bool mine, int who, const CoarseOther& y, int capsule,
                                  const CoarsePose& T) {
    const CoarseCapsule& c = body.coarse[mine ? capsule : 0];
    Floats apart = 0.0f, at_least = 0.0f;
    if (mine) {
      const Floats half(y.half), radius(y.radius);
      const Point<Floats> axis = coarse(y.axis), at = T.place(c.middle) - coarse(y.center),
                          way = T.turn(c.half);
      // The ball around the capsule against the cylinder.
      const Floats z = dot(at, axis);
      const Point<Floats> across = along(at, -z, axis);
      const Floats out = most(sqrt(dot(across, across)) - radius, Floats(0.0f)), over = beyond(z, half);
      mine = below(over * over + out * out, square(Floats(c.reach) + Floats(desk.near[who])));
      if (mine) {
        const Point<Floats> span = {way.x + way.x, way.y + way.y, way.z + way.z};
        segment_cylinder_bounds(at - way, span, axis, half, radius, apart, at_least);
      }
    }
    meet(mine, who, apart, at_least, c.round, capsule, y.number);
  }

  // Boxes that a link may be near, down the tree of bounds.
  BK_INLINE void look_at_nodes(bool some, int who, int link, const Point<Floats>& middle) {
    if (!body.nodes.size()) return;
    int stack[40], depth = 0, box = 0, boxes = 0;
    if (some) stack[depth++] = int(body.nodes.size()) - 1;
    while (ballot(depth || boxes)) {
      bool near = false;
      int which = 0;
      if (boxes) {
        which = box++, --boxes;
        near = near_box(body.boxes[which], middle, link, who);
      } else if (depth) {
        const PackedNode& node = body.nodes[stack[--depth]];
        if (near_node(node, middle, link, who)) {
          box = node.first, boxes = node.count;
          if (!boxes) stack[depth++] = node.first, stack[depth++] = node.second;
        }
      }
      desk.capsules.put(capsules, lane, near, unsigned(who) << 27 | unsigned(link) << 22 | unsigned(which));
      if (desk.capsules.full(capsules)) look_at_world_boxes();
    }
  }

  // The capsules of a link against one box.
  BK_NOINLINE void look_at_world_boxes() {
    sync_warp();
    for (int at = 0; at < capsules; at += kLanes) {
      const bool some = at + lane < capsules;
      const unsigned item = some ? desk.capsules.item[at + lane] : 0;
      const int who = int(item >> 27), link = int(item >> 22 & 31);
      const CoarseBox& box = body.boxes[item & 0x3fffff];
      const int count = some && desk.near[who] > kHit ? body.link_count[link] : 0,
                from = body.link_first[link];
      if (!ballot(count > 0)) continue;
      const CoarsePose T = desk.pose_of(body, link, who, lane);
      for (int begin = 0; ballot(begin < count); begin += kBits) {
        unsigned alive = 0;
        const int some_of = count - begin < kBits ? count - begin : kBits;
        const Floats reach = Floats(box.round) + Floats(desk.near[who]);
        for (int k = 0; k < some_of; ++k) {
          const CoarseCapsule& c = body.coarse[from + begin + k];
          const Floats apart = Base::bounds_apart(box, T.place(c.middle), T.turn(c.half));
          if (below(apart, square(reach + Floats(c.round)))) alive |= 1u << k;
        }
        for (; ballot(alive != 0); alive &= alive - 1) {
          const int k = alive ? from + begin + lowest(alive) : from;
          const CoarseCapsule& c = body.coarse[k];
          Base::look_at_box(alive != 0, who, box, c, k, T.place(c.middle), T.turn(c.half));
        }
      }
    }
    capsules = 0;
    sync_warp();
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
