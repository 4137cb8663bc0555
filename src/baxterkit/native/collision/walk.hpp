// Goes through the pairs of primitives of one configuration that may be near, coarse to fine: spheres
// around links; a sphere around each capsule, eight others at a time; then the distance of the cores.
// Coarse tests run in single precision with a margin.
//
// A visitor says how near is near, and takes the squared distances of cores:
//   float limit()                        what is farther apart than this does not matter [m]
//   Floats link_limits(int link, int at) the same of a link against eight links from `at` on
//   Floats standing_limits(int at)       the same of eight links against what does not move
//   bool meet(Vec squared, Vec radii, const int* some, int one)   primitives, counted through;
//                                        whether these links need no further look
//   bool meet_gap(Vec gap, const int* some, int one)   the same of distances less radii
//   bool sure(Floats squared, Floats radii, unsigned lanes)   points of the cores are that near, in
//                                        these lanes: whether that is enough to know
//   bool sure_gap(Floats gap, unsigned lanes)   the same of clearances that are not greater than these
//   bool sure_links(Floats gap, unsigned lanes) the same of eight links
//   bool done()
#pragma once

#include <cmath>

#include "grid.hpp"
#include "configuration.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class T>
BK_INLINE T squared_apart(const Point<T>& a, const Point<T>& b) {
  const Point<T> v = a - b;
  return dot(v, v);
}

BK_INLINE Floats squared(Floats a) {
  const Floats r = most(a, Floats(0.0f));
  return r * r;
}

template <class N>
BK_INLINE Point<Floats> same(const N (*x)[kEight], int lane) {
  return {Floats(x[0][lane]), Floats(x[1][lane]), Floats(x[2][lane])};
}
BK_INLINE Point<Floats> same(const float (*x)[kMovingLanes], int link) {
  return {Floats(x[0][link]), Floats(x[1][link]), Floats(x[2][link])};
}
BK_INLINE Point<Floats> links_from(const float (*x)[kMovingLanes], int link) {
  return {Floats::load(x[0] + link), Floats::load(x[1] + link), Floats::load(x[2] + link)};
}

BK_INLINE int lowest(unsigned bits) { return __builtin_ctz(bits); }

// The capsules of one link against those of another.
template <class Visitor>
BK_NOINLINE void walk_links(Configuration& configuration, int one, int other, Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const int arm_a = arm_of(one), a = place_of(one);
  const int arm_b = arm_of(other), b = place_of(other);
  const CoarseBlock* of_a = configuration.coarse(one);
  const CoarseBlock* of_b = configuration.coarse(other);
  const Point<Floats> center = same(configuration.links().at, other);
  const float reach = body.link_reach[other];
  for (int n = body.block_first[arm_a][a]; n < body.block_first[arm_a][a + 1]; ++n) {
    const CapsuleBlock& block = body.block[arm_a][n];
    unsigned near = below(squared_apart(eight<Floats>(of_a[n].middle), center),
                          squared(Floats::load(block.reach) + (reach + visitor.limit())));
    for (; near; near &= near - 1) {
      const int i = lowest(near);
      const Point<Floats> middle = same(of_a[n].middle, i), half = same(of_a[n].half, i);
      for (int m = body.block_first[arm_b][b]; m < body.block_first[arm_b][b + 1]; ++m) {
        const CapsuleBlock& others = body.block[arm_b][m];
        const Point<Floats> middles = eight<Floats>(of_b[m].middle);
        const Floats reaches = Floats::load(others.reach) + block.reach[i];
        unsigned bits = below(squared_apart(middles, middle), squared(reaches + visitor.limit()));
        if (!bits) continue;
        const Point<Floats> halves = eight<Floats>(of_b[m].half);
        const Floats coarse =
            segments_coarse(middles, halves, Floats::load(others.quarter), Floats::load(others.over), middle,
                            half, Floats(block.quarter[i]), Floats(block.over[i]));
        const Floats rounds = Floats::load(others.round) + block.round[i];
        if (visitor.sure(coarse + kBlur, rounds, bits)) return;
        bits &= below(coarse - kBlur, squared(rounds + visitor.limit()));
        if (!bits) continue;
        const ExactBlock &p = configuration.exact(one, n), &q = configuration.exact(other, m);
        const Point<Vec> start = {p.start[0][i], p.start[1][i], p.start[2][i]};
        const Point<Vec> span = {p.span[0][i], p.span[1][i], p.span[2][i]};
        for (int lane = 0; lane < kEight; lane += kWidth) {
          if (!(bits >> lane & ((1u << kWidth) - 1))) continue;
          const Vec apart = segments_squared(start, span, Vec(block.squared[i]), eight<Vec>(q.start, lane),
                                             eight<Vec>(q.span, lane), Vec::load(others.squared + lane));
          const Vec radii = Vec(block.radius[i]) + Vec::load(others.radius + lane);
          if (visitor.meet(apart, radii, others.number + lane, block.number[i])) return;
        }
      }
    }
  }
}

// The coordinates of a vector along the axes of eight boxes.
BK_INLINE Point<Floats> along_axes(const float (*axes)[kEight], const Point<Floats>& x) {
  const auto row = [&](int i) {
    return fma(x.z, Floats::load(axes[3 * i + 2]),
               fma(x.y, Floats::load(axes[3 * i + 1]), x.x * Floats::load(axes[3 * i])));
  };
  return {row(0), row(1), row(2)};
}

// The coordinates of eight vectors, or fewer, along the axes of one box of a block.
template <class V, class N>
BK_INLINE Point<V> along_axes_of(const N (*axes)[kEight], int box, const Point<V>& x) {
  const auto row = [&](int i) {
    return fma(x.z, V(axes[3 * i + 2][box]), fma(x.y, V(axes[3 * i + 1][box]), x.x * V(axes[3 * i][box])));
  };
  return {row(0), row(1), row(2)};
}

// The coordinates of some vectors along axes, three vectors one after another.
BK_INLINE Point<Vec> along_axes_of(const double* axes, const Point<Vec>& x) {
  const auto row = [&](int i) {
    return fma(x.z, Vec(axes[3 * i + 2]), fma(x.y, Vec(axes[3 * i + 1]), x.x * Vec(axes[3 * i])));
  };
  return {row(0), row(1), row(2)};
}

BK_INLINE Floats gap_along(Floats middle, Floats half_span, Floats half) {
  return most(abs(middle) - (abs(half_span) + half), Floats(0.0f));
}

// The capsules of a link against a block of boxes: of the first `count` blocks of the link, those of
// `alive`, bits.
template <class Visitor>
BK_NOINLINE void walk_boxes(Configuration& configuration, int link, const BoxBlock& boxes,
                            const unsigned* alive, int count, Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const Floats sides[3] = {Floats::load(boxes.side[0]), Floats::load(boxes.side[1]),
                           Floats::load(boxes.side[2])};
  // The link's sphere against the boxes themselves.
  const Point<Floats> off =
      along_axes(boxes.turn, same(configuration.links(boxes.head).at, link) - eight<Floats>(boxes.middle));
  const Point<Floats> over = beyond_box(off, sides);
  unsigned close =
      boxes.lanes[link] &
      below(dot(over, over), squared(Floats::load(boxes.round) + (body.link_reach[link] + visitor.limit())));
  if (!close) return;
  const int arm = arm_of(link), k = place_of(link);
  const CoarseBlock* coarse = boxes.head ? configuration.coarse_in_head(link) : configuration.coarse(link);
  for (; close; close &= close - 1) {
    const int box = lowest(close);
    const Point<Floats> center = same(boxes.middle, box);
    const Floats half[3] = {Floats(boxes.side[0][box]), Floats(boxes.side[1][box]),
                            Floats(boxes.side[2][box])};
    for (int i = 0; i < count; ++i) {
      if (!alive[i]) continue;
      const int n = body.block_first[arm][k] + i;
      const CapsuleBlock& block = body.block[arm][n];
      const Point<Floats> away = eight<Floats>(coarse[n].middle) - center;
      unsigned bits =
          alive[i] &
          below(dot(away, away), squared(Floats::load(block.reach) + (boxes.reach[box] + visitor.limit())));
      if (!bits) continue;
      // The bounds of a segment along the box's axes are this far from the box, at least.
      const Point<Floats> middle = along_axes_of(boxes.turn, box, away);
      const Point<Floats> span = along_axes_of(boxes.turn, box, eight<Floats>(coarse[n].half));
      const Point<Floats> gap = {gap_along(middle.x, span.x, half[0]), gap_along(middle.y, span.y, half[1]),
                                 gap_along(middle.z, span.z, half[2])};
      const Floats radii = Floats::load(block.round) + boxes.round[box];
      bits &= below(dot(gap, gap), squared(radii + visitor.limit()));
      if (!bits) continue;
      Floats apart_at_most, at_least;
      segment_box_bounds(middle, span, half, apart_at_most, at_least);
      if (visitor.sure(apart_at_most + kBlur, radii, bits)) return;
      bits &= below(at_least, squared(radii + visitor.limit()));
      if (!bits) continue;
      const ExactBlock& exact =
          boxes.head ? configuration.exact_in_head(link, n) : configuration.exact(link, n);
      const BodyBox& solid =
          body.box[boxes.number[box] - static_cast<int>(body.capsule[0].size() + body.capsule[1].size())];
      for (int lane = 0; lane < kEight; lane += kWidth) {
        if (!(bits >> lane & ((1u << kWidth) - 1))) continue;
        const Vec wide[3] = {Vec(solid.half[0]), Vec(solid.half[1]), Vec(solid.half[2])};
        const Vec apart = segment_box_squared(
            along_axes_of(solid.axes, eight<Vec>(exact.start, lane) - fixed<Vec>(solid.center)),
            along_axes_of(solid.axes, eight<Vec>(exact.span, lane)), wide);
        const Vec rounding = Vec::load(block.radius + lane) + Vec(solid.radius);
        if (visitor.meet(apart, rounding, block.number + lane, boxes.number[box])) return;
      }
    }
  }
}

// Squared distances of eight points from bounds.
BK_INLINE Floats squared_beyond(const Point<Floats>& c, const float* low, const float* high) {
  const Point<Floats> out = {c.x - most(least(c.x, Floats(high[0])), Floats(low[0])),
                             c.y - most(least(c.y, Floats(high[1])), Floats(low[1])),
                             c.z - most(least(c.z, Floats(high[2])), Floats(low[2]))};
  return dot(out, out);
}

// Links that may be near a part of the body, bits.
template <class Visitor>
BK_INLINE std::uint32_t links_near_part(const Configuration& configuration, int part, std::uint32_t allowed,
                                        Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const bool head = part == kHead - kTorso;
  std::uint32_t near = 0;
  for (int at = 0; at < kMovingLanes; at += kEight) {
    unsigned lanes = allowed >> at & 0xff;
    if (!lanes) continue;
    const PartGrid& grid = body.grid[part];
    const Point<Floats> center = links_from(configuration.links(head).at, at);
    const Floats limits = Floats::load(body.link_reach + at) + visitor.standing_limits(at);
    lanes &= below(squared_beyond(center, grid.from, grid.to), squared(limits));
    if (!lanes) continue;
    const DistanceBounds d = look_up(grid, center);
    if (visitor.sure_links(d.most - Floats::load(body.link_depth + at), lanes)) return 0;
    near |= (below(d.least, limits) & lanes) << at;
  }
  return near;
}

// The capsules of a link against a part of the body.
template <class Visitor>
BK_INLINE void walk_part(Configuration& configuration, int part, int link, Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const bool head = part == kHead - kTorso;
  const int arm = arm_of(link), first = body.block_first[arm][place_of(link)];
  const int blocks = body.block_first[arm][place_of(link) + 1] - first;
  const CoarseBlock* coarse = head ? configuration.coarse_in_head(link) : configuration.coarse(link);
  unsigned alive[kMaxBlocks], any = 0;
  for (int n = first; n < first + blocks; ++n) {
    const CapsuleBlock& block = body.block[arm][n];
    const DistanceBounds d = look_up(body.grid[part], eight<Floats>(coarse[n].middle));
    if (visitor.sure_gap(d.most - Floats::load(block.round), 0xff)) return;
    alive[n - first] = below(d.least - Floats::load(block.reach), visitor.limit());
    any |= alive[n - first];
  }
  if (!any) return;
  for (int b = body.part_first[part]; b < body.part_first[part + 1]; ++b) {
    walk_boxes(configuration, link, body.boxes[b], alive, blocks, visitor);
    if (visitor.done()) return;
  }
}

// Links of `allowed` that may be near obstacles within bounds (roundings apart), bits.
template <class Visitor>
BK_INLINE std::uint32_t links_near(const Configuration& configuration, const BoundNode& bounds,
                                   std::uint32_t allowed, const Visitor& visitor) {
  std::uint32_t near = 0;
  for (int at = 0; at < kMovingLanes; at += kEight) {
    if (!(allowed >> at & 0xff)) continue;
    near |= below(squared_beyond(links_from(configuration.links().at, at), bounds.low, bounds.high),
                  squared(Floats::load(configuration.body.link_reach + at) +
                          (visitor.standing_limits(at) + bounds.roundest)))
            << at;
  }
  return near & allowed;
}

// Links with a greater number that may be near a link, bits.
template <class Visitor>
BK_INLINE std::uint32_t links_near(const Configuration& configuration, int link, std::uint32_t allowed,
                                   const Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const Point<Floats> center = same(configuration.links().at, link);
  std::uint32_t near = 0;
  for (int at = 0; at < kMovingLanes; at += kEight) {
    if (!(allowed >> at & 0xff)) continue;
    near |= below(squared_apart(links_from(configuration.links().at, at), center),
                  squared(Floats::load(body.link_reach + at) +
                          (Floats(body.link_reach[link]) + visitor.link_limits(link, at))))
            << at;
  }
  return near & allowed;
}

// The capsules of a link against a cylinder.
template <class Visitor>
BK_NOINLINE void walk_cylinder(Configuration& configuration, int link, int n, Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const BodyCylinder& c = body.cylinder[n];
  const int number = static_cast<int>(body.capsule[0].size() + body.capsule[1].size() + body.box.size()) + n;
  const int arm = arm_of(link), k = place_of(link);
  const CoarseBlock* coarse = configuration.coarse(link);
  const Point<Floats> center = {Floats(static_cast<float>(c.center[0])),
                                Floats(static_cast<float>(c.center[1])),
                                Floats(static_cast<float>(c.center[2]))};
  const Point<Floats> axis = {Floats(static_cast<float>(c.axis[0])), Floats(static_cast<float>(c.axis[1])),
                              Floats(static_cast<float>(c.axis[2]))};
  for (int b = body.block_first[arm][k]; b < body.block_first[arm][k + 1]; ++b) {
    const CapsuleBlock& block = body.block[arm][b];
    // The sphere around the capsule against the cylinder.
    const Point<Floats> x = eight<Floats>(coarse[b].middle) - center;
    const Floats z = dot(x, axis);
    const Point<Floats> across = along(x, -z, axis);
    const Floats rho = sqrt(dot(across, across));
    const Floats over = beyond(z, Floats(static_cast<float>(c.half)));
    const Floats out = most(rho - Floats(static_cast<float>(c.radius)), Floats(0.0f));
    const unsigned bits =
        below(over * over + out * out, squared(Floats::load(block.reach) + visitor.limit()));
    if (!bits) continue;
    const ExactBlock& exact = configuration.exact(link, b);
    for (int lane = 0; lane < kEight; lane += kWidth) {
      if (!(bits >> lane & ((1u << kWidth) - 1))) continue;
      const Point<Vec> p = eight<Vec>(exact.start, lane) - fixed<Vec>(c.center);
      const Point<Vec> d = eight<Vec>(exact.span, lane), along_z = fixed<Vec>(c.axis);
      const Vec t = nearest_to_cylinder(p, d, along_z, Vec(c.half), Vec(c.radius));
      const Point<Vec> v = beyond_cylinder(along(p, t, d), along_z, Vec(c.half), Vec(c.radius));
      if (visitor.meet(dot(v, v), Vec::load(block.radius + lane), block.number + lane, number)) {
        return;
      }
    }
  }
}

// The capsules of a link against a plane.
template <class Visitor>
BK_NOINLINE void walk_plane(Configuration& configuration, int link, int n, Visitor& visitor) {
  const BodyShape& body = configuration.body;
  const BodyPlane& plane = body.plane[n];
  const int number = static_cast<int>(body.capsule[0].size() + body.capsule[1].size() + body.box.size() +
                                      body.cylinder.size()) +
                     n;
  const int arm = arm_of(link), k = place_of(link);
  for (int b = body.block_first[arm][k]; b < body.block_first[arm][k + 1]; ++b) {
    const CapsuleBlock& block = body.block[arm][b];
    const ExactBlock& exact = configuration.exact(link, b);
    for (int lane = 0; lane < block.count; lane += kWidth) {
      const Vec start = dot(eight<Vec>(exact.start, lane), fixed<Vec>(plane.normal));
      const Vec rise = dot(eight<Vec>(exact.span, lane), fixed<Vec>(plane.normal));
      Vec gap = start + least(rise, Vec(0.0)) - Vec(plane.offset);
      gap = gap - Vec::load(block.radius + lane);
      for (int i = block.count - lane; i < kWidth; ++i) gap.v[i] = kAway;  // spare lanes
      if (visitor.meet_gap(gap, block.number + lane, number)) return;
    }
  }
}

// Obstacles near the links in `alive`: each(link) is asked before and after(link) after a link's look
// at one of them; done() ends it.
template <class Visitor, class Before, class After>
BK_NOINLINE void walk_world(Configuration& configuration, std::uint32_t alive, Visitor& visitor,
                            const Before& before, const After& after) {
  const BodyShape& body = configuration.body;
  const auto look = [&](std::uint32_t near, const auto& work) {
    for (; near; near &= near - 1) {
      const int link = lowest(near);
      before(link);
      work(link);
      if (!after(link)) return false;
    }
    return true;
  };
  for (std::size_t n = 0; n < body.plane.size(); ++n) {
    const BodyPlane& plane = body.plane[n];
    std::uint32_t near = 0;
    for (int at = 0; at < kMovingLanes; at += kEight) {
      const Point<Floats> c = links_from(configuration.links().at, at);
      const Point<Floats> normal = {Floats(static_cast<float>(plane.normal[0])),
                                    Floats(static_cast<float>(plane.normal[1])),
                                    Floats(static_cast<float>(plane.normal[2]))};
      near |= below(dot(c, normal) - Floats(static_cast<float>(plane.offset)),
                    Floats::load(body.link_reach + at) + visitor.standing_limits(at))
              << at;
    }
    if (!look(near & plane.allowed & alive,
              [&](int link) { walk_plane(configuration, link, static_cast<int>(n), visitor); })) {
      return;
    }
  }
  for (std::size_t n = 0; n < body.cylinder.size(); ++n) {
    const BodyCylinder& c = body.cylinder[n];
    std::uint32_t near = 0;
    const float reach = static_cast<float>(std::hypot(c.half, c.radius));
    const Point<Floats> center = {Floats(static_cast<float>(c.center[0])),
                                  Floats(static_cast<float>(c.center[1])),
                                  Floats(static_cast<float>(c.center[2]))};
    for (int at = 0; at < kMovingLanes; at += kEight) {
      near |= below(squared_apart(links_from(configuration.links().at, at), center),
                    squared(Floats::load(body.link_reach + at) + (visitor.standing_limits(at) + reach)))
              << at;
    }
    if (!look(near & c.allowed & alive,
              [&](int link) { walk_cylinder(configuration, link, static_cast<int>(n), visitor); })) {
      return;
    }
  }
  if (body.bounds.empty()) return;
  unsigned every[kMaxBlocks];
  for (unsigned& lanes : every) lanes = 0xff;
  struct Open {
    int node;
    std::uint32_t links;
  } stack[64];
  int depth = 0;
  stack[depth++] = {static_cast<int>(body.bounds.size()) - 1, alive};
  while (depth) {
    const Open open = stack[--depth];
    const BoundNode& node = body.bounds[open.node];
    const std::uint32_t near = links_near(configuration, node, open.links & node.allowed, visitor);
    if (!near) continue;
    if (node.block < 0) {
      stack[depth++] = {node.child[0], near};
      stack[depth++] = {node.child[1], near};
      continue;
    }
    const BoxBlock& boxes = body.boxes[node.block];
    if (!look(near, [&](int link) {
          const int* blocks = body.block_first[arm_of(link)] + place_of(link);
          walk_boxes(configuration, link, boxes, every, blocks[1] - blocks[0], visitor);
        }))
      return;
  }
}

// All pairs of a configuration, for visitors whose limit is the same for all.
template <class Visitor>
BK_INLINE void walk(Configuration& configuration, Visitor& visitor) {
  const BodyShape& body = configuration.body;
  std::uint32_t near_parts[kBodyParts];
  for (int part = 0; part < kBodyParts; ++part) {
    near_parts[part] = links_near_part(configuration, part, body.part_allowed[part], visitor);
    if (visitor.done()) return;
  }
  // The upper arms last: they are always near, and seldom touch.
  constexpr std::uint32_t kUpper = 1u << link_of(0, 2) | 1u << link_of(1, 2);
  for (const std::uint32_t of : {~kUpper, kUpper}) {
    for (int part = 0; part < kBodyParts; ++part) {
      for (std::uint32_t near = near_parts[part] & of; near; near &= near - 1) {
        walk_part(configuration, part, lowest(near), visitor);
        if (visitor.done()) return;
      }
    }
  }
  if (body.world) {
    walk_world(configuration, body.world, visitor, [](int) {}, [&](int) { return !visitor.done(); });
    if (visitor.done()) return;
  }
  for (int link = 0; link < kMoving; ++link) {
    if (!body.allowed[link]) continue;
    std::uint32_t near = links_near(configuration, link, body.allowed[link], visitor);
    for (; near; near &= near - 1) {
      const int other = lowest(near);
      walk_links(configuration, link, other, visitor);
      if (visitor.done()) return;
    }
  }
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
