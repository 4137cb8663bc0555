// The nearest primitives of a posture, or whether any are nearer than a limit, by a warp: a posture for
// each of its threads.
//
// Coarse to fine, at single precision: spheres around links (a thread for each posture); capsules of
// links that may be near (a thread for eight of them); single capsules and what they may be near (a thread
// for each). What a step leaves goes to a list, and the threads share the list: so they have the same work,
// whatever the postures are. Distances that single precision cannot tell are settled at double precision.
#pragma once

#include "settle.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kHeadPart = kHead - kTorso;

template <bool kNearest>
class Near : protected Settle<kNearest> {
 protected:
  using Base = Settle<kNearest>;
  using Base::at_most, Base::batch, Base::body, Base::desk, Base::lane, Base::margin, Base::meet;

  BK_INLINE Near(const PackedBody& body, const PostureBatch& batch, Desk& desk) : Base(body, batch, desk) {}

  int links, capsules;  // in the lists

  // ---- The body's parts that stand ----

  // Links, a bit for each, that may be near a part.
  BK_INLINE unsigned links_near(int part, const HeadFrame<Floats>& frame, float& near) const {
    const PartGrid& grid = body.grid[part];
    unsigned alive = 0;
#pragma unroll 2
    for (int n = body.standing_first[part]; n < body.standing_first[part + 1]; ++n) {
      const int link = body.standing_link[n];
      Point<Floats> x = desk.middle_of(link, lane);
      if (part == kHeadPart) x = placed_at(frame.row, x);
      const DistanceBounds d = look_up(grid, x);
      const float upper = d.most.v - body.link_depth[link];
      if (kNearest) near = ::fminf(near, upper + margin);
      else if (upper < float(batch.padding) - margin) near = kHit;
      if (d.least.v - body.link_reach[link] < near) alive |= 1u << link;
    }
    return alive;
  }

  // The capsule with the least bound of one link near a part: then less is near.
  BK_NOINLINE void look_at_first_part() {
    const HeadFrame<Floats> frame = desk.head_of(body, lane);
    float smallest = 1e9f, near = desk.near[lane];
    int link = 0, part = -1;
    for (int p = 0; p < kBodyParts; ++p) {
      for (int n = body.standing_first[p]; n < body.standing_first[p + 1]; ++n) {
        const int one = body.standing_link[n];
        Point<Floats> x = desk.middle_of(one, lane);
        if (p == kHeadPart) x = placed_at(frame.row, x);
        const DistanceBounds d = look_up(body.grid[p], x);
        near = ::fminf(near, d.most.v - body.link_depth[one] + margin);
        const float bound = d.least.v - body.link_reach[one];
        if (bound < smallest) smallest = bound, link = one, part = p;
      }
    }
    if (near < desk.near[lane]) desk.near[lane] = near;
    const int count = part >= 0 && smallest < near ? body.link_count[link] : 0, from = body.link_first[link];
    if (part < 0) part = 0;
    const CoarsePose T = desk.pose_of(body, link, lane, lane, part == kHeadPart);
    int which = 0;
    smallest = 1e9f;
    for (int k = 0; ballot(k < count); ++k) {
      if (k >= count) continue;
      const DistanceBounds d = bounds_of_capsule(part, body.coarse[from + k], T);
      at_most(lane, d.most);
      if (d.least.v < smallest) smallest = d.least.v, which = from + k;
    }
    desk.capsules.put(capsules, lane, smallest < desk.near[lane], part_item(lane, part, which));
  }

  BK_NOINLINE void look_at_parts() {
    const HeadFrame<Floats> frame = desk.head_of(body, lane);
    float near = desk.near[lane];
    unsigned alive[kBodyParts];
    BK_UNROLL for (int part = 0; part < kBodyParts; ++part) alive[part] = links_near(part, frame, near);
    if (near < desk.near[lane]) desk.near[lane] = near;
    BK_UNROLL for (int part = 0; part < kBodyParts; ++part) {
      unsigned left = near == kHit ? 0 : alive[part];
      for (; ballot(left != 0); left &= left - 1) {
        const int link = left ? lowest(left) : 0;
        const int groups = left ? (body.link_count[link] + kGroup - 1) / kGroup : 0;
        for (int g = 0; ballot(g < groups); ++g) {
          desk.links.put(links, lane, g < groups,
                         unsigned(lane) << 27 | unsigned(part) << 20 | unsigned(link) << 8 | unsigned(g));
          if (desk.links.full(links)) look_at_part_links();
        }
      }
    }
  }

  BK_INLINE DistanceBounds bounds_of_capsule(int part, const CoarseCapsule& c, const CoarsePose& T) const {
    // Three balls cover a segment: a third of it each.
    const Point<Floats> middle = T.place(c.middle), half = T.turn(c.half);
    const Floats third(2.0f / 3.0f), round(c.round);
    const Point<Floats> points[3] = {middle, along(middle, third, half), along(middle, -third, half)};
    DistanceBounds d[3];
    look_up(body.grid[part], points, d);
    return {least(least(d[1].least, d[2].least), d[0].least) -
                fma(Floats(c.reach) - round, Floats(1.0f / 3.0f), round),
            least(least(d[1].most, d[2].most), d[0].most) - round};
  }

  static BK_INLINE unsigned part_item(int who, int part, int capsule) {
    return unsigned(who) << 27 | unsigned(part) << 24 | unsigned(capsule);
  }

  // Eight capsules of a link against a part.
  BK_NOINLINE void look_at_part_links() {
    sync_warp();
    for (int at = 0; at < links; at += kLanes) {
      const bool some = at + lane < links;
      const unsigned item = some ? desk.links.item[at + lane] : 0;
      const int who = int(item >> 27), part = int(item >> 20 & 0xf), link = int(item >> 8 & 31);
      const int skipped = kGroup * int(item & 0xff), from = body.link_first[link] + skipped;
      int count = some && desk.near[who] > kHit ? body.link_count[link] - skipped : 0;
      if (count > kGroup) count = kGroup;
      if (!ballot(count > 0)) continue;
      const CoarsePose T = desk.pose_of(body, link, who, lane, part == kHeadPart);
      unsigned alive = 0;
      for (int k = 0; k < count; ++k) {
        const DistanceBounds d = bounds_of_capsule(part, body.coarse[from + k], T);
        at_most(who, d.most);
        if (d.least.v < desk.near[who]) alive |= 1u << k;
      }
      if (desk.near[who] == kHit) alive = 0;
      for (; ballot(alive != 0); alive &= alive - 1) {
        desk.capsules.put(capsules, lane, alive != 0, part_item(who, part, alive ? from + lowest(alive) : 0));
        if (desk.capsules.full(capsules)) look_at_part_capsules();
      }
    }
    links = 0;
    sync_warp();
  }

  BK_INLINE int link_of_capsule(int number) const {
    const int left = int(body.capsule[0].size()), arm = number >= left;
    return link_of(arm, body.capsule[arm][number - (arm ? left : 0)].link);
  }

  // How far the bounds of a segment are from those of a box, at least, squared.
  static BK_INLINE Floats bounds_apart(const CoarseBox& box, const Point<Floats>& middle,
                                       const Point<Floats>& half) {
    const auto off = [](Floats x, float center, Floats way, float extent) {
      return most(abs(x - Floats(center)) - (abs(way) + Floats(extent)), Floats(0.0f));
    };
    const Point<Floats> v = {off(middle.x, box.middle[0], half.x, box.extent[0]),
                             off(middle.y, box.middle[1], half.y, box.extent[1]),
                             off(middle.z, box.middle[2], half.z, box.extent[2])};
    return dot(v, v);
  }

  // Capsules against the boxes of parts.
  BK_NOINLINE void look_at_part_capsules() {
    sync_warp();
    for (int at = 0; at < capsules; at += kLanes) {
      const bool some = at + lane < capsules;
      const unsigned item = some ? desk.capsules.item[at + lane] : 0;
      const int who = int(item >> 27), part = int(item >> 24 & 7), number = int(item & 0xffff);
      const CoarseCapsule& c = body.coarse[number];
      const int from = body.part_first[part];
      const int count = some && desk.near[who] > kHit ? body.part_first[part + 1] - from : 0;
      if (!ballot(count > 0)) continue;
      const CoarsePose T = desk.pose_of(body, link_of_capsule(number), who, lane, part == kHeadPart);
      const Point<Floats> middle = T.place(c.middle), half = T.turn(c.half);
      for (int begin = 0; ballot(begin < count); begin += kBits) {
        unsigned alive = 0;
        const int some_of = count - begin < kBits ? count - begin : kBits;
        const Floats reach = Floats(c.round) + Floats(desk.near[who]);
#pragma unroll 4
        for (int k = 0; k < some_of; ++k) {
          const CoarseBox& box = body.boxes[from + begin + k];
          if (below(bounds_apart(box, middle, half), square(reach + Floats(box.round)))) alive |= 1u << k;
        }
        for (; ballot(alive != 0); alive &= alive - 1) {
          const int k = alive ? from + begin + lowest(alive) : from;
          look_at_box(alive != 0, who, body.boxes[k], c, number, middle, half);
        }
      }
    }
    capsules = 0;
    sync_warp();
  }

  // A capsule against a box. All threads come here.
  BK_INLINE void look_at_box(bool mine, int who, const CoarseBox& box, const CoarseCapsule& c, int number,
                             const Point<Floats>& middle, const Point<Floats>& half) {
    Floats apart = 0.0f, at_least = 0.0f;
    const Floats radii = Floats(c.round) + Floats(box.round);
    if (mine) {
      const auto in_axes = [&](const Point<Floats>& x) {
        const auto row = [&](int i) {
          return fma(x.z, box.turn[3 * i + 2], fma(x.y, box.turn[3 * i + 1], x.x * Floats(box.turn[3 * i])));
        };
        return Point<Floats>{row(0), row(1), row(2)};
      };
      const Point<Floats> at = in_axes(middle - coarse(box.middle)), way = in_axes(half);
      const auto gap = [](Floats at, Floats way, float side) {
        return most(abs(at) - (abs(way) + Floats(side)), Floats(0.0f));
      };
      const Point<Floats> off = {gap(at.x, way.x, box.side[0]), gap(at.y, way.y, box.side[1]),
                                 gap(at.z, way.z, box.side[2])};
      mine = below(dot(off, off), square(radii + Floats(desk.near[who])));
      if (mine) {
        const Floats side[3] = {box.side[0], box.side[1], box.side[2]};
        segment_box_bounds(at, way, side, apart, at_least);
      }
    }
    meet(mine, who, apart, at_least, radii, number, box.number);
  }

  // ---- Links against links ----

  BK_NOINLINE void look_at_links() {
    const Floats near = desk.near[lane];
    Point<Floats> middle[2 * kHeld];
    BK_UNROLL for (int link = 0; link < 2 * kHeld; ++link) middle[link] = desk.middle_of(link, lane);
    BK_UNROLL for (int one = 0; one < 2 * kHeld; ++one) {
      unsigned alive = 0;
      if (!body.allowed[one]) continue;
      BK_UNROLL for (int other = one + 1; other < 2 * kHeld; ++other) {
        const Point<Floats> v = middle[other] - middle[one];
        if (below(dot(v, v), square(near + Floats(body.pair_reach[pair_of(one, other)]))))
          alive |= 1u << other;
      }
      put_pairs(one, alive);
    }
    if (!body.held) return;
    for (int other = 2 * kHeld; other < kMoving; ++other) {
      const Point<Floats> to = desk.middle_of(other, lane);
      for (int one = 0; one < other; ++one) {
        const Point<Floats> v = to - desk.middle_of(one, lane);
        const bool alive = below(dot(v, v), square(near + Floats(body.pair_reach[pair_of(one, other)])));
        put_pairs(one, alive ? 1u << other : 0);
      }
    }
  }

  static BK_INLINE constexpr int pair_of(int one, int other) {
    return one * (2 * kMoving - one - 1) / 2 + other - one - 1;
  }

  BK_INLINE void put_pairs(int one, unsigned alive) {
    for (; ballot(alive != 0); alive &= alive - 1) {
      const int other = alive ? lowest(alive) : 0;
      desk.links.put(links, lane, alive != 0, unsigned(lane) << 27 | unsigned(one) << 8 | unsigned(other));
      if (desk.links.full(links)) look_at_link_pairs();
    }
  }

  // The capsules of a link against the sphere around another.
  BK_NOINLINE void look_at_link_pairs() {
    sync_warp();
    for (int at = 0; at < links; at += kLanes) {
      const bool some = at + lane < links;
      const unsigned item = some ? desk.links.item[at + lane] : 0;
      const int who = int(item >> 27), a = int(item >> 8 & 31), b = int(item & 31);
      const bool swap = body.link_reach[a] < body.link_reach[b];
      const int one = swap ? b : a, other = swap ? a : b;
      const int count = some && desk.near[who] > kHit ? body.link_count[one] : 0, from = body.link_first[one];
      if (!ballot(count > 0)) continue;
      const CoarsePose T = desk.pose_of(body, one, who, lane);
      const Point<Floats> middle = desk.middle_of(other, who);
      const Floats reach = Floats(body.link_reach[other]) + Floats(desk.near[who]);
      for (int begin = 0; ballot(begin < count); begin += kBits) {
        unsigned alive = 0;
        const int some_of = count - begin < kBits ? count - begin : kBits;
        for (int k = 0; k < some_of; ++k) {
          const CoarseCapsule& c = body.coarse[from + begin + k];
          const Point<Floats> v = T.place(c.middle) - middle;
          if (below(dot(v, v), square(Floats(c.reach) + reach))) alive |= 1u << k;
        }
        for (; ballot(alive != 0); alive &= alive - 1) {
          const int k = alive ? from + begin + lowest(alive) : 0;
          desk.capsules.put(capsules, lane, alive != 0,
                            unsigned(who) << 27 | unsigned(other) << 16 | unsigned(k));
          if (desk.capsules.full(capsules)) look_at_segments();
        }
      }
    }
    links = 0;
    sync_warp();
  }

  // A capsule against those of a link.
  BK_NOINLINE void look_at_segments() {
    sync_warp();
    for (int at = 0; at < capsules; at += kLanes) {
      const bool some = at + lane < capsules;
      const unsigned item = some ? desk.capsules.item[at + lane] : 0;
      const int who = int(item >> 27), link = int(item >> 16 & 31), number = int(item & 0xffff);
      const CoarseCapsule& c = body.coarse[number];
      const int count = some && desk.near[who] > kHit ? body.link_count[link] : 0,
                from = body.link_first[link];
      if (!ballot(count > 0)) continue;
      const CoarsePose own = desk.pose_of(body, link_of_capsule(number), who, lane);
      const Point<Floats> middle = own.place(c.middle), half = own.turn(c.half);
      const CoarsePose T = desk.pose_of(body, link, who, lane);
      for (int begin = 0; ballot(begin < count); begin += kBits) {
        unsigned alive = 0;
        const int some_of = count - begin < kBits ? count - begin : kBits;
        const Floats reach = Floats(c.reach) + Floats(desk.near[who]);
        for (int k = 0; k < some_of; ++k) {
          const CoarseCapsule& d = body.coarse[from + begin + k];
          const Point<Floats> v = T.place(d.middle) - middle;
          if (below(dot(v, v), square(reach + Floats(d.reach)))) alive |= 1u << k;
        }
        for (; ballot(alive != 0); alive &= alive - 1) {
          const int k = alive ? from + begin + lowest(alive) : from;
          const CoarseCapsule& d = body.coarse[k];
          Floats apart = 0.0f;
          if (alive) {
            apart = segments_coarse(T.place(d.middle), T.turn(d.half), d.quarter, d.over, middle, half,
                                    c.quarter, c.over);
          }
          meet(alive != 0, who, apart, apart, Floats(c.round) + Floats(d.round), number, k);
        }
      }
    }
    capsules = 0;
    sync_warp();
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
