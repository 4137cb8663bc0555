// Visitors of the pairs that may be near: a verdict, and the nearest pair with its points and gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// Whether anything is nearer than the padding.
struct Verdict {
  Verdict(double padding, double margin)
      : padding(padding), near(static_cast<float>(padding + margin)),
        surely(static_cast<float>(padding - margin)) {}

  double padding;
  float near, surely;
  bool hit = false;

  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int, int) const { return near; }
  BK_INLINE Floats standing_limits(int) const { return near; }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    hit = (below(apart, squared(radii + surely)) & lanes) != 0;
    return hit;
  }
  BK_INLINE bool sure_gap(Floats gap, unsigned lanes) {
    hit = (below(gap, surely) & lanes) != 0;
    return hit;
  }
  BK_INLINE bool sure_links(Floats gap, unsigned lanes) { return sure_gap(gap, lanes); }
  BK_INLINE bool meet(Vec apart, Vec radii, const int*, int) {
    const Vec r = most(radii + Vec(padding), Vec(0.0));
    hit = any(below(apart, r * r));
    return hit;
  }
  BK_INLINE bool meet_gap(Vec gap, const int*, int) {
    hit = any(below(gap, Vec(padding)));
    return hit;
  }
  BK_INLINE bool done() const { return hit; }
};

constexpr double kMeet = 1e-9;  // [m]: cores that are nearer meet; their direction is rounding
constexpr double kFar = 1e3;  // [m]: clearance where no pair is checked

// The nearest pair. Distances at single precision tell which pairs may be it; those are kept, and looked at
// once more at double precision when all the others are known.
struct Closest {
  explicit Closest(double margin) : margin(static_cast<float>(margin)) {}

  struct Candidate {
    float least;
    int some, one;
  };
  static constexpr int kMost = 64;
  Candidate candidate[kMost];
  int candidates = 0;
  float margin;
  float near = static_cast<float>(kFar);
  double best = kFar;
  int first = -1, second = -1;

  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int, int) const { return near; }
  BK_INLINE Floats standing_limits(int) const { return near; }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    return sure_gap(sqrt(apart) - radii, lanes);
  }
  BK_INLINE bool sure_gap(Floats gap, unsigned lanes) {
    if (lanes == 0xff) {
      near = std::min(near, least_of(gap) + margin);
      return false;
    }
    unsigned bits = below(gap, near - margin) & lanes;
    if (bits) {
      float each[kEight];
      gap.store(each);
      for (; bits; bits &= bits - 1) near = std::min(near, each[lowest(bits)] + margin);
    }
    return false;
  }
  BK_INLINE bool sure_links(Floats gap, unsigned lanes) { return sure_gap(gap, lanes); }
  // Cores that are this near, about, of eight primitives and one; exact(some, one) is their clearance.
  template <class Exact>
  BK_INLINE void may_meet(Floats apart, Floats radii, unsigned lanes, const int* some, int one,
                          const Exact& exact) {
    const Floats bound = sqrt(most(apart - kBlur, Floats(0.0f))) - radii - margin;
    lanes &= below(bound, near);
    if (!lanes) return;
    sure_gap(sqrt(apart) - radii, lanes);
    lanes &= below(bound, near);
    float each[kEight];
    bound.store(each);
    for (; lanes; lanes &= lanes - 1) {
      const int lane = lowest(lanes);
      if (candidates == kMost) settle(exact);
      candidate[candidates++] = {each[lane], some[lane], one};
    }
  }
  // Looks at the candidates once more.
  template <class Exact>
  BK_INLINE void settle(const Exact& exact) {
    for (int i = 0; i < candidates; ++i) {
      if (candidate[i].least > near) continue;
      const double gap = exact(candidate[i].some, candidate[i].one);
      if (gap < best) {
        best = gap;
        first = std::min(candidate[i].some, candidate[i].one);
        second = std::max(candidate[i].some, candidate[i].one);
        near = std::min(near, static_cast<float>(best) + margin);
      }
    }
    candidates = 0;
  }
  BK_INLINE bool meet(Vec apart, Vec radii, const int* some, int one) {
    return meet_gap(sqrt(apart) - radii, some, one);
  }
  BK_INLINE bool meet_gap(Vec gap, const int* some, int one) {
    if (any(below(gap, Vec(best)))) {
      for (int lane = 0; lane < kWidth; ++lane) {
        if (gap[lane] < best) {
          best = gap[lane];
          first = std::min(some[lane], one);
          second = std::max(some[lane], one);
        }
      }
      near = std::min(near, static_cast<float>(best) + margin);
    }
    return false;
  }
  BK_INLINE bool done() const { return false; }
};

// A block of capsules of a link against a part of the body: bounds of their clearances from below.
struct Due {
  int part, link, block;
  Floats least;
};

// A vector of base along fixed axes, three vectors one after another.
BK_INLINE Point<double> in_axes(const Point<double>& p, const double* axes) {
  return {fma(p.z, axes[2], fma(p.y, axes[1], p.x * axes[0])),
          fma(p.z, axes[5], fma(p.y, axes[4], p.x * axes[3])),
          fma(p.z, axes[8], fma(p.y, axes[7], p.x * axes[6]))};
}

// The clearance of two primitives of the body, at double precision.
inline double clearance_of(const Posture& posture, int some, int one) {
  const BodyShape& body = posture.body;
  const int left = static_cast<int>(body.capsule[0].size());
  const int both_arms = left + static_cast<int>(body.capsule[1].size());
  const int numbers[2] = {std::min(some, one), std::max(some, one)};
  Segment<double> segment[2];
  double radii = 0.0;
  for (int side = 0; side < 2 && numbers[side] < both_arms; ++side) {
    const int arm = numbers[side] >= left;
    const BodyCapsule& capsule = body.capsule[arm][numbers[side] - (arm ? left : 0)];
    double pose[12];
    posture.pose(link_of(arm, capsule.link), pose);
    const Point<double> start = moved(pose, capsule.start);
    segment[side] = {start, moved(pose, capsule.end) - start};
    radii += capsule.radius;
  }
  if (numbers[1] < both_arms) {
    const Segment<double>&a = segment[0], &b = segment[1];
    return std::sqrt(segments_squared(a.start, a.span, dot(a.span, a.span), b.start, b.span,
                                      dot(b.span, b.span))) - radii;
  }
  const BodyBox& box = body.box[numbers[1] - both_arms];
  Point<double> start = segment[0].start, span = segment[0].span;
  if (box.link == kHead) {
    double frame[12];
    posture.head_frame(frame);
    start = placed_at(frame, start);
    span = turned(frame, span);
  }
  return std::sqrt(segment_box_squared(in_axes(start - fixed<double>(box.center), box.axes),
                                       in_axes(span, box.axes), box.half)) -
         (radii + box.radius);
}

// How far segments, coarse, are from bounds along an axis, at least.
BK_INLINE Floats gap_from(Floats middle, Floats half, float low, float high) {
  const Floats reach = abs(half);
  return most(most(Floats(low) - (middle + reach), (middle - reach) - high), Floats(0.0f));
}

// Those capsules of a block, bits, against the boxes of a part, eight boxes at a time.
BK_INLINE void walk_due(Posture& posture, const Due& due, unsigned lanes, Closest& visitor) {
  const BodyShape& body = posture.body;
  const bool head = due.part == kHead - kTorso;
  const CoarseBlock& coarse =
      (head ? posture.coarse_in_head(due.link) : posture.coarse(due.link))[due.block];
  const CapsuleBlock& block = body.block[arm_of(due.link)][due.block];
  const Point<Floats> middles = eight<Floats>(coarse.middle), halves = eight<Floats>(coarse.half);
  for (int b = body.part_first[due.part]; b < body.part_first[due.part + 1]; ++b) {
    const BoxBlock& boxes = body.boxes[b];
    const Point<Floats> off = {
        gap_from(middles.x, halves.x, boxes.low[0], boxes.high[0]),
        gap_from(middles.y, halves.y, boxes.low[1], boxes.high[1]),
        gap_from(middles.z, halves.z, boxes.low[2], boxes.high[2])};
    unsigned near = lanes & below(dot(off, off), squared(Floats::load(block.round) +
                                                         (boxes.roundest + visitor.limit())));
    for (; near; near &= near - 1) {
      const int lane = lowest(near);
      const Point<Floats> middle = same(coarse.middle, lane), half = same(coarse.half, lane);
      const Floats sides[3] = {Floats::load(boxes.side[0]), Floats::load(boxes.side[1]),
                               Floats::load(boxes.side[2])};
      // The bounds of the segment along the boxes' axes.
      const Point<Floats> at = along_axes(boxes.turn, middle - eight<Floats>(boxes.middle));
      const Point<Floats> way = along_axes(boxes.turn, half);
      const Point<Floats> gap = {gap_along(at.x, way.x, sides[0]), gap_along(at.y, way.y, sides[1]),
                                 gap_along(at.z, way.z, sides[2])};
      const Floats rounds = Floats::load(boxes.round) + block.round[lane];
      // The square of the distance grows at least as along its tangent at the middle.
      const Point<Floats> past = beyond_box(at, sides);
      const Floats slope = abs(dot(past, way));
      const Floats bound = most(dot(gap, gap), dot(past, past) - (slope + slope));
      const unsigned close =
          boxes.lanes[due.link] & below(bound, squared(rounds + visitor.limit()));
      if (!close) continue;
      visitor.may_meet(segment_box_coarse(at, way, sides), rounds, close, boxes.number,
                       block.number[lane],
                       [&](int some, int one) { return clearance_of(posture, some, one); });
    }
  }
}

// The capsules of one link against those of another.
BK_NOINLINE inline void walk_links_closest(Posture& posture, int one, int other, Closest& visitor) {
  const BodyShape& body = posture.body;
  const int arm_a = arm_of(one), a = place_of(one);
  const int arm_b = arm_of(other), b = place_of(other);
  const CoarseBlock *of_a = posture.coarse(one), *of_b = posture.coarse(other);
  const Point<Floats> center = same(posture.links().at, other);
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
        const unsigned bits =
            below(squared_apart(middles, middle), squared(reaches + visitor.limit()));
        if (!bits) continue;
        const Point<Floats> halves = eight<Floats>(of_b[m].half);
        const Floats apart = segments_coarse(middles, halves, dot(halves, halves), middle, half,
                                             dot(half, half));
        visitor.may_meet(apart, Floats::load(others.round) + block.round[i], bits, others.number,
                         block.number[i],
                         [&](int x, int y) { return clearance_of(posture, x, y); });
      }
    }
  }
}

// Bounds of all links first, and of the capsules of links that may be the nearest; then, from the
// capsule with the least bound on, the boxes and the links that these bounds leave.
class ClosestWalk {
 public:
  ClosestWalk(Posture& posture, Closest& visitor)
      : posture_(posture), body_(posture.body), visitor_(visitor) {}

  BK_INLINE void run() {
    bound_links();
    bound_capsules();
    if (best_ >= 0) {
      const Due& due = due_[best_];
      walk_due(posture_, due, ~below(Floats(least_), due.least) & 0xff, visitor_);
    }
    for (int link = 0; link < kMoving; ++link) {
      if (!body_.allowed[link]) continue;
      std::uint32_t others = links_near(posture_, link, body_.allowed[link], visitor_);
      for (; others; others &= others - 1) {
        walk_links_closest(posture_, link, lowest(others), visitor_);
      }
    }
    for (int i = 0; i < count_; ++i) {
      unsigned lanes = below(due_[i].least, visitor_.limit());
      if (i == best_) lanes &= below(Floats(least_), due_[i].least);  // the others of that block
      if (lanes) walk_due(posture_, due_[i], lanes, visitor_);
    }
    visitor_.settle([&](int some, int one) { return clearance_of(posture_, some, one); });
    if (body_.world) {
      walk_world(posture_, body_.world, visitor_, [](int) {}, [](int) { return true; });
    }
  }

 private:
  static constexpr int kGroups = kMovingLanes / kEight;

  Posture& posture_;
  const BodyShape& body_;
  Closest& visitor_;
  Floats of_links_[kBodyParts][kGroups];  // the least of their clearances, or more than any
  Due due_[kBodyParts * 2 * kMaxBlocks];
  int count_ = 0, best_ = -1;
  float least_ = kAway;  // of the best

  BK_INLINE void bound_links() {
    Floats greatest(kAway);
    for (int part = 0; part < kBodyParts; ++part) {
      const bool head = part == kHead - kTorso;
      for (int group = 0; group < kGroups; ++group) {
        const int at = kEight * group;
        of_links_[part][group] = Floats(kAway);
        if (!(body_.part_allowed[part] >> at & 0xff)) continue;
        const DistanceBounds d = look_up(body_.grid[part], links_from(posture_.links(head).at, at));
        const Floats off = Floats::load(body_.part_off[part] + at);
        greatest = least(greatest, d.most - Floats::load(body_.link_depth + at) + off);
        of_links_[part][group] = d.least - Floats::load(body_.link_reach + at) + off;
      }
    }
    visitor_.sure_gap(greatest, 0xff);
  }

  BK_INLINE void bound_capsules() {
    // The link with the least bound first: then most of the others are known to be farther.
    Floats smallest(kAway);
    for (const auto& part : of_links_) {
      for (Floats bound : part) smallest = least(smallest, bound);
    }
    const float smallest_of_all = least_of(smallest);
    int first_part = -1, first_link = -1;
    for (int part = 0; part < kBodyParts && first_part < 0; ++part) {
      for (int group = 0; group < kGroups; ++group) {
        const unsigned bits = ~below(Floats(smallest_of_all), of_links_[part][group]) & 0xff;
        if (!bits) continue;
        first_part = part;
        first_link = kEight * group + lowest(bits);
        break;
      }
    }
    if (!(smallest_of_all < visitor_.limit())) return;
    bound_capsules_of(first_part, first_link);
    for (int part = 0; part < kBodyParts; ++part) {
      for (int group = 0; group < kGroups; ++group) {
        unsigned bits = below(of_links_[part][group], visitor_.limit());
        for (; bits; bits &= bits - 1) {
          const int link = kEight * group + lowest(bits);
          if (part != first_part || link != first_link) bound_capsules_of(part, link);
        }
      }
    }
  }

  BK_INLINE void bound_capsules_of(int part, int link) {
    const int arm = arm_of(link), k = place_of(link);
    const CoarseBlock* coarse =
        part == kHead - kTorso ? posture_.coarse_in_head(link) : posture_.coarse(link);
    for (int n = body_.block_first[arm][k]; n < body_.block_first[arm][k + 1]; ++n) {
      const CapsuleBlock& block = body_.block[arm][n];
      const Point<Floats> middle = eight<Floats>(coarse[n].middle);
      const Point<Floats> half = eight<Floats>(coarse[n].half);
      const DistanceBounds at_middle = look_up(body_.grid[part], middle);
      const Floats round = Floats::load(block.round), reach = Floats::load(block.reach);
      if (!below(at_middle.least - reach, visitor_.limit())) continue;
      // From the middle to an end nothing is nearer than half of what both ends of that way and its
      // length leave.
      const DistanceBounds ends[2] = {look_up(body_.grid[part], along(middle, Floats(1.0f), half)),
                                      look_up(body_.grid[part], along(middle, Floats(-1.0f), half))};
      visitor_.sure_gap(least(least(ends[0].most, ends[1].most), at_middle.most) - round, 0xff);
      const Floats nearer = least(ends[0].least, ends[1].least);
      const Floats bound = Floats(0.5f) * (at_middle.least + nearer - (reach - round)) - round;
      if (!below(bound, visitor_.limit())) continue;
      const float smallest = least_of(bound);
      if (smallest < least_) {
        least_ = smallest;
        best_ = count_;
      }
      due_[count_++] = {part, link, n, bound};
    }
  }
};

// Frame and arm that a primitive rides on; links 0 ... 6, or -1 for what no joint of an arm moves.
struct Carrier {
  int arm, link;
};

// Fills points and gradient of a row's nearest pair.
inline void finish(const Posture& posture, BodyNearest& out) {
  const BodyShape& body = posture.body;
  const int left = static_cast<int>(body.capsule[0].size());
  const int both_arms = left + static_cast<int>(body.capsule[1].size());
  Carrier carrier[2] = {{-1, -1}, {-1, -1}};
  Segment<double> segment[2];
  double radius[2], squared[2];
  for (int side = 0; side < 2; ++side) {
    const int n = out.primitive[side];
    if (n >= both_arms) continue;
    const int arm = n >= left, i = n - (arm ? left : 0);
    const BodyCapsule& capsule = body.capsule[arm][i];
    carrier[side] = {arm, std::min(capsule.link, 6)};
    double pose[12];
    posture.pose(link_of(arm, capsule.link), pose);
    const Point<double> start = moved(pose, capsule.start);
    segment[side] = {start, moved(pose, capsule.end) - start};
    radius[side] = capsule.radius;
    squared[side] = dot(segment[side].span, segment[side].span);
  }
  Point<double> core[2], normal = {0.0, 0.0, 0.0};
  if (out.primitive[1] < both_arms) {
    double s, t;
    nearest_on_segments(segment[0].start, segment[0].span, squared[0], segment[1].start,
                        segment[1].span, squared[1], s, t);
    core[0] = along(segment[0].start, s, segment[0].span);
    core[1] = along(segment[1].start, t, segment[1].span);
  } else if (out.primitive[1] < both_arms + static_cast<int>(body.box.size())) {
    const int j = out.primitive[1] - both_arms;
    const BodyBox& box = body.box[j];
    radius[1] = box.radius;
    const bool head = box.link == kHead;
    double frame[12];
    posture.head_frame(frame);
    const Point<double> start = head ? placed_at(frame, segment[0].start) : segment[0].start;
    const Point<double> span = head ? turned(frame, segment[0].span) : segment[0].span;
    const Point<double> center = fixed<double>(box.center);
    const Point<double> p = in_axes(start - center, box.axes), d = in_axes(span, box.axes);
    const double t = nearest_to_box(p, d, box.half);
    core[0] = along(segment[0].start, t, segment[0].span);
    const Point<double> v = beyond_box(along(p, t, d), box.half);
    const double* A = box.axes;
    Point<double> w = {A[0] * v.x + A[3] * v.y + A[6] * v.z, A[1] * v.x + A[4] * v.y + A[7] * v.z,
                       A[2] * v.x + A[5] * v.y + A[8] * v.z};
    if (head) {
      const double* R = frame;  // transposed: from the head's axes to base
      w = {R[0] * w.x + R[4] * w.y + R[8] * w.z, R[1] * w.x + R[5] * w.y + R[9] * w.z,
           R[2] * w.x + R[6] * w.y + R[10] * w.z};
    }
    core[1] = core[0] - w;
  } else {
    int j = out.primitive[1] - both_arms - static_cast<int>(body.box.size());
    radius[1] = 0.0;
    const Point<double>& p = segment[0].start;
    const Point<double>& d = segment[0].span;
    if (j < static_cast<int>(body.cylinder.size())) {
      const BodyCylinder& c = body.cylinder[j];
      const Point<double> from = p - fixed<double>(c.center), axis = fixed<double>(c.axis);
      const double t = nearest_to_cylinder(from, d, axis, c.half, c.radius);
      core[0] = along(p, t, d);
      core[1] = core[0] - beyond_cylinder(along(from, t, d), axis, c.half, c.radius);
    } else {
      const BodyPlane& plane = body.plane[j - body.cylinder.size()];
      normal = fixed<double>(plane.normal);
      core[0] = dot(d, normal) < 0.0 ? along(p, 1.0, d) : p;
      core[1] = along(core[0], plane.offset - dot(core[0], normal), normal);
    }
  }
  const Point<double> v = core[0] - core[1];
  const double length = std::sqrt(dot(v, v));
  const double over = length > kMeet ? 1.0 / length : 0.0;
  // From the second to the first; a plane's own where it is one.
  const bool plane = dot(normal, normal) > 0.0;
  const Point<double> n = plane ? normal : Point<double>{v.x * over, v.y * over, v.z * over};
  for (int side = 0; side < 2; ++side) {
    const Point<double> p = along(core[side], side ? radius[1] : -radius[0], n);
    out.point[side][0] = p.x;
    out.point[side][1] = p.y;
    out.point[side][2] = p.z;
  }
  for (double& g : out.gradient) g = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (carrier[side].arm < 0) continue;
    for (int j = 0; j <= carrier[side].link; ++j) {
      double T[12];
      posture.pose(link_of(carrier[side].arm, j), T);
      const Point<double> arm = core[side] - Point<double>{T[3], T[7], T[11]};
      const Point<double> axis = {T[2], T[6], T[10]};
      const Point<double> velocity = {axis.y * arm.z - axis.z * arm.y,
                                      axis.z * arm.x - axis.x * arm.z,
                                      axis.x * arm.y - axis.y * arm.x};
      out.gradient[7 * carrier[side].arm + j] += (side ? -1.0 : 1.0) * dot(n, velocity);
    }
  }
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
