// The nearest pairs of several configurations, found together: each step goes through all configurations before the
// next one, so that it runs over lists of work and not through one configuration's branches.
//
// 1. Bounds of every link against torso, pedestal and head, from grids; lanes are configurations.
// 2. Bounds of capsules: of the link with the least bound of each configuration, then of the links that
//    these bounds leave.
// 3. Distances at single precision: of the capsule with the least bound of each configuration, of links
//    against links, of the other capsules that may still be the nearest.
// 4. Distances at double precision of what may be the nearest within the rounding.
#pragma once

#include "closest.hpp"
#include "many_configurations.hpp"
#include "set_bits.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

class Many : public ManyConfigurations {
 public:
  explicit Many(const BodyShape& body) : ManyConfigurations(body) {}

  double clearance[kMany];
  int primitive[kMany][2];

  BK_NOINLINE void run(int count) {
    dues_ = boxes_ = pair_blocks_ = segments_ = results_ = 0;
    for (int p = 0; p < count; ++p) {
      clearance[p] = kFar;
      primitive[p][0] = primitive[p][1] = -1;
      best_[p] = kAway;
      best_due_[p] = 0;
    }
    place_links(count);
    bound_links();
    if (body_.standing_pairs) {
      for (int p = 0; p < count; ++p) {
        const auto& pair = body_.standing_pair[static_cast<int>(first_[p])];
        least_[static_cast<int>(first_[p])][p] = kAway;
        place(pair.one, p);
        bound_capsules(pair.other, pair.one, p);
      }
      look_at_best(count);
      bound_others();
      look_at_best(count);
    }
    look_at_links();
    int count_left = 0;
    for (int d = 0; d < dues_; ++d) {
      const unsigned lanes = below(Floats::load(due_[d].least), near_[due_[d].configuration]);
      left_[count_left] = static_cast<std::uint16_t>(d);
      left_lanes_[count_left] = static_cast<std::uint16_t>(lanes);
      count_left += lanes != 0;
    }
    for (int i = 0; i < count_left; ++i) open(left_[i], left_lanes_[i]);
    look_at_boxes();
    settle();
  }

 private:
  // A block of capsules against a part of the body: bounds of their clearances from below.
  struct alignas(32) Due {
    float least[kEight];
    const CoarseBlock* at;
    const CapsuleBlock* block;
    int configuration, part;
  };
  struct PairOfBlocks {
    const CoarseBlock *one, *others;
    const CapsuleBlock *of_one, *of_others;
    int configuration;
  };
  // Bounds of the clearances of eight primitives and one.
  struct alignas(32) Result {
    float least[kEight];
    const int* some;
    int one, configuration;
  };
  static constexpr int kMostDues = kBodyParts * kManyBlocks, kMostWork = 256, kMostResults = 256;
  static constexpr int kMost = kMostWork + kEight;

  alignas(32) float least_[kBodyParts * kMoving][kMany];  // clearances of links from parts, at least
  alignas(32) float near_[kMany] = {}, first_[kMany], best_[kMany];
  int best_due_[kMany];
  Due due_[kMostDues + 1];
  std::uint16_t box_due_[kMost], box_lane_[kMost], box_block_[kMost];  // capsules and blocks of boxes
  std::uint16_t left_[kMostDues + 1], left_lanes_[kMostDues + 1];
  PairOfBlocks pair_block_[kMostWork];
  std::uint16_t one_lane_[kMost], segment_of_[kMost];  // capsules of the first against the second
  Result result_[kMostResults];
  struct {
    int configuration, one, box;
  } of_work_[kWidth];
  int dues_, boxes_, pair_blocks_, segments_, results_;

  // Of all links, from the middles of their spheres.
  BK_INLINE void bound_links() {
    for (int at = 0; at < kEight * groups_; at += kEight) {
      Floats near(static_cast<float>(kFar)), smallest(kAway), first(0.0f);
      for (int n = 0; n < body_.standing_pairs; ++n) {
        const int link = body_.standing_pair[n].one, part = body_.standing_pair[n].other;
        Point<Floats> x = middles(link, at);
        if (part == kHead - kTorso) {
          Floats r[12];
          for (int i = 0; i < 12; ++i) r[i] = Floats::load(frame_[i] + at);
          x = placed_at(r, x);
        }
        const DistanceBounds d = look_up(body_.grid[part], x);
        near = least(near, d.most + (Floats(margin_) - body_.link_depth[link]));
        const Floats bound = d.least - body_.link_reach[link];
        bound.store(least_[n] + at);
        first = blend(bound.v < smallest.v, Floats(static_cast<float>(n)), first);
        smallest = least(smallest, bound);
      }
      near.store(near_ + at);
      first.store(first_ + at);
    }
  }

  // Bounds of the capsules of a link against a part.
  BK_INLINE void bound_capsules(int part, int link, int p) {
    const OfLink& of = of_link_[link];
    const PartGrid& grid = body_.grid[part];
    for (int n = 0; n < of.count; ++n) {
      const CapsuleBlock& block = of.block[n];
      const CoarseBlock* at = coarse_ + block_at(of, p) + n;
      Point<Floats> middle = eight<Floats>(at->middle), half = eight<Floats>(at->half);
      if (part == kHead - kTorso) {
        CoarseBlock* in_head = in_head_ + block_at(of, p) + n;
        Floats r[12];
        for (int i = 0; i < 12; ++i) r[i] = Floats(frame_[i][p]);
        middle = placed_at(r, middle);
        half = turned(r, half);
        keep(middle, in_head->middle);
        keep(half, in_head->half);
        at = in_head;
      }
      // Three balls cover a segment: a third of it each.
      const Floats third(2.0f / 3.0f);
      const Point<Floats> points[3] = {middle, along(middle, third, half), along(middle, -third, half)};
      DistanceBounds d[3];
      look_up(grid, points, d);
      const Floats round = Floats::load(block.round), reach = Floats::load(block.reach);
      const Floats most = least(least(d[1].most, d[2].most), d[0].most) - round;
      const float near = std::min(near_[p], least_of(most) + margin_);
      near_[p] = near;
      const Floats bound =
          least(least(d[1].least, d[2].least), d[0].least) - fma(reach - round, Floats(1.0f / 3.0f), round);
      Due& due = due_[dues_];
      bound.store(due.least);
      due.at = at;
      due.block = &block;
      due.configuration = p;
      due.part = part;
      const float smallest = least_of(bound);
      best_due_[p] = smallest < best_[p] ? dues_ : best_due_[p];
      best_[p] = std::min(best_[p], smallest);
      dues_ += smallest < near;
    }
  }

  // Those of the links that may still be the nearest.
  BK_INLINE void bound_others() {
    std::uint32_t due[kBodyParts * kMoving], todo[kMoving] = {};
    for (int n = 0; n < body_.standing_pairs; ++n) {
      std::uint32_t bits = 0;
      for (int at = 0; at < kMany; at += kEight) {
        bits |= below(Floats::load(least_[n] + at), Floats::load(near_ + at)) << at;
      }
      due[n] = bits & valid_;
      todo[body_.standing_pair[n].one] |= due[n];
    }
    place_all(todo);
    for (int n = 0; n < body_.standing_pairs; ++n) {
      const auto& pair = body_.standing_pair[n];
      for (std::uint32_t bits = due[n]; bits; bits &= bits - 1) {
        bound_capsules(pair.other, pair.one, lowest(bits));
      }
    }
  }

  // The capsule with the least bound of each configuration.
  BK_NOINLINE void look_at_best(int count) {
    int left = 0;
    for (int p = 0; p < count; ++p) {
      Due& due = due_[best_due_[p]];
      const unsigned lanes = ~below(Floats(best_[p]), Floats::load(due.least)) & 0xff;
      const bool open = best_[p] < near_[p];
      left_[left] = static_cast<std::uint16_t>(best_due_[p]);
      left_lanes_[left] = static_cast<std::uint16_t>(lanes & -lanes);
      left += open;
      best_[p] = kAway;
    }
    for (int i = 0; i < left; ++i) {
      open(left_[i], left_lanes_[i]);
      due_[left_[i]].least[lowest(left_lanes_[i])] = kAway;
    }
    look_at_boxes();
  }

  // Which blocks of boxes these capsules may be near.
  BK_INLINE void open(int d, unsigned lanes) {
    const Due& due = due_[d];
    const Point<Floats> middle = eight<Floats>(due.at->middle), half = eight<Floats>(due.at->half);
    const Floats reach = Floats::load(due.block->round) + near_[due.configuration];
    for (int b = body_.part_first[due.part]; b < body_.part_first[due.part + 1]; ++b) {
      const BoxBlock& boxes = body_.boxes[b];
      const auto off = [&](Floats middle, Floats half, int i) {
        return most(most(Floats(boxes.low[i]) - (middle + abs(half)), (middle - abs(half)) - boxes.high[i]),
                    Floats(0.0f));
      };
      const Point<Floats> gap = {off(middle.x, half.x, 0), off(middle.y, half.y, 1),
                                 off(middle.z, half.z, 2)};
      const unsigned near = lanes & below(dot(gap, gap), squared(reach + boxes.roundest));
      if (boxes_ > kMostWork) look_at_boxes();
      put(places_of(near), box_lane_ + boxes_);
      put(same_place(d), box_due_ + boxes_);
      put(same_place(b), box_block_ + boxes_);
      boxes_ += count_of(near);
    }
  }

  struct InBoxes {
    Point<Floats> at, way;
    Floats sides[3];
  };
  // A segment along the axes of eight boxes.
  BK_INLINE InBoxes in_boxes(const BoxBlock& boxes, const CoarseBlock& capsules, int lane) const {
    return {along_axes(boxes.turn, same(capsules.middle, lane) - eight<Floats>(boxes.middle)),
            along_axes(boxes.turn, same(capsules.half, lane)),
            {Floats::load(boxes.side[0]), Floats::load(boxes.side[1]), Floats::load(boxes.side[2])}};
  }

  BK_NOINLINE void look_at_boxes() {
    int kept = 0;
    for (int n = 0; n < boxes_; ++n) {
      const Due& due = due_[box_due_[n]];
      const BoxBlock& boxes = body_.boxes[box_block_[n]];
      const int lane = box_lane_[n];
      const InBoxes in = in_boxes(boxes, *due.at, lane);
      // The bounds of the segment along the boxes' axes.
      const Point<Floats> gap = {gap_along(in.at.x, in.way.x, in.sides[0]),
                                 gap_along(in.at.y, in.way.y, in.sides[1]),
                                 gap_along(in.at.z, in.way.z, in.sides[2])};
      const Floats rounds = Floats::load(boxes.round) + due.block->round[lane];
      // The square of the distance grows at least as along its tangent at the middle.
      const Point<Floats> past = beyond_box(in.at, in.sides);
      const Floats slope = abs(dot(past, in.way));
      const Floats bound = most(dot(gap, gap), dot(past, past) - (slope + slope));
      const bool near = below(bound, squared(rounds + near_[due.configuration])) != 0;
      box_due_[kept] = box_due_[n];
      box_lane_[kept] = box_lane_[n];
      box_block_[kept] = box_block_[n];
      kept += near;
    }
    for (int n = 0; n < kept; ++n) {
      const Due& due = due_[box_due_[n]];
      const BoxBlock& boxes = body_.boxes[box_block_[n]];
      const int lane = box_lane_[n];
      const InBoxes in = in_boxes(boxes, *due.at, lane);
      Floats apart, at_least;
      segment_box_bounds(in.at, in.way, in.sides, apart, at_least);
      may_meet(due.configuration, apart, at_least, Floats::load(boxes.round) + due.block->round[lane],
               boxes.number, due.block->number[lane]);
    }
    boxes_ = 0;
  }

  BK_INLINE void look_at_links() {
    std::uint32_t due[kMoving * kMoving / 2], todo[kMoving] = {};
    for (int n = 0; n < body_.link_pairs; ++n) {
      const int one = body_.link_pair[n].one, other = body_.link_pair[n].other;
      const Floats reach(body_.link_reach[one] + body_.link_reach[other]);
      std::uint32_t bits = 0;
      for (int at = 0; at < kMany; at += kEight) {
        bits |= below(squared_apart(middles(one, at), middles(other, at)),
                      squared(reach + Floats::load(near_ + at)))
                << at;
      }
      due[n] = bits & valid_;
      todo[one] |= due[n];
      todo[other] |= due[n];
    }
    place_all(todo);
    for (int n = 0; n < body_.link_pairs; ++n) {
      const auto& pair = body_.link_pair[n];
      for (std::uint32_t bits = due[n]; bits; bits &= bits - 1) {
        open_links(pair.one, pair.other, lowest(bits));
      }
    }
    look_at_segments();
  }

  // Which capsules of a link may be near another link.
  BK_INLINE void open_links(int one, int other, int p) {
    const OfLink &a = of_link_[one], &b = of_link_[other];
    const Point<Floats> center = {Floats(at_[other][0][p]), Floats(at_[other][1][p]),
                                  Floats(at_[other][2][p])};
    const float reach = body_.link_reach[other] + near_[p];
    const CoarseBlock *of_a = coarse_ + block_at(a, p), *of_b = coarse_ + block_at(b, p);
    for (int n = 0; n < a.count; ++n) {
      const unsigned near = below(squared_apart(eight<Floats>(of_a[n].middle), center),
                                  squared(Floats::load(a.block[n].reach) + reach));
      for (int m = 0; m < b.count; ++m) {
        if (segments_ > kMostWork || pair_blocks_ == kMostWork) look_at_segments();
        const int at = segments_, pair = pair_blocks_;
        put(places_of(near), one_lane_ + at);
        put(same_place(pair), segment_of_ + at);
        segments_ = at + count_of(near);
        pair_blocks_ = pair + 1;
        pair_block_[pair] = {of_a + n, of_b + m, a.block + n, b.block + m, p};
      }
    }
  }

  BK_NOINLINE void look_at_segments() {
    int kept = 0;
    for (int n = 0; n < segments_; ++n) {
      const PairOfBlocks& pair = pair_block_[segment_of_[n]];
      const int i = one_lane_[n];
      const float reach = pair.of_one->reach[i] + near_[pair.configuration];
      const bool near = below(squared_apart(eight<Floats>(pair.others->middle), same(pair.one->middle, i)),
                              squared(Floats::load(pair.of_others->reach) + reach)) != 0;
      segment_of_[kept] = segment_of_[n];
      one_lane_[kept] = one_lane_[n];
      kept += near;
    }
    for (int n = 0; n < kept; ++n) {
      const PairOfBlocks& pair = pair_block_[segment_of_[n]];
      const int i = one_lane_[n];
      const Point<Floats> middle = same(pair.one->middle, i), half = same(pair.one->half, i);
      const Point<Floats> middles = eight<Floats>(pair.others->middle);
      const Point<Floats> halves = eight<Floats>(pair.others->half);
      const Floats apart = segments_coarse(middles, halves, Floats::load(pair.of_others->quarter),
                                           Floats::load(pair.of_others->over), middle, half,
                                           Floats(pair.of_one->quarter[i]), Floats(pair.of_one->over[i]));
      may_meet(pair.configuration, apart, apart - kBlur,
               Floats::load(pair.of_others->round) + pair.of_one->round[i], pair.of_others->number,
               pair.of_one->number[i]);
    }
    segments_ = pair_blocks_ = 0;
  }

  // Squared distances of the cores of eight primitives and one, about and at least.
  BK_INLINE void may_meet(int p, Floats apart, Floats at_least, Floats radii, const int* some, int one) {
    if (results_ == kMostResults) settle();
    near_[p] = std::min(near_[p], least_of(sqrt(apart) - radii) + margin_);
    Result& to = result_[results_++];
    (sqrt(most(at_least, Floats(0.0f))) - radii - margin_).store(to.least);
    to.some = some;
    to.one = one;
    to.configuration = p;
  }

  // Looks once more at what may be the nearest, at double precision.
  BK_NOINLINE void settle() {
    const int arms = static_cast<int>(body_.capsule[0].size() + body_.capsule[1].size());
    SegmentsAndBoxes work;
    int count = 0;
    for (int n = 0; n < results_; ++n) {
      const Result& result = result_[n];
      const int p = result.configuration;
      unsigned lanes = ~below(Floats(near_[p]), Floats::load(result.least)) & 0xff;
      for (; lanes; lanes &= lanes - 1) {
        const int some = result.some[lowest(lanes)];
        if (some < arms) {
          found(p, clearance_of(poses(p), some, result.one), result.one, some);
          continue;
        }
        work.set(poses(p), result.one, some, count);
        of_work_[count++] = {p, result.one, some};
        if (count == kWidth) settle(work, count);
      }
    }
    if (count) settle(work, count);
    results_ = 0;
  }

  BK_INLINE void settle(const SegmentsAndBoxes& work, int& count) {
    double gap[kWidth];
    work.clearances().store(gap);
    for (int i = 0; i < count; ++i)
      found(of_work_[i].configuration, gap[i], of_work_[i].one, of_work_[i].box);
    count = 0;
  }

  BK_INLINE void found(int p, double gap, int one, int other) {
    if (!(gap < clearance[p])) return;
    clearance[p] = gap;
    primitive[p][0] = std::min(one, other);
    primitive[p][1] = std::max(one, other);
    near_[p] = std::min(near_[p], static_cast<float>(gap) + margin_);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
