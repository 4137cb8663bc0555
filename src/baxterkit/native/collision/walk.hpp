// Goes through the pairs of primitives that may be near, coarse to fine: spheres around links, a
// sphere around each capsule and box, then the distance of the cores.
//
// A visitor says in which lanes two things `gap` apart (the square of the distance of two points,
// and what of it their surroundings take up) still matter, and takes the squared distance of two
// cores:
//   Mask near(T squared, double reach)
//   bool open(T squared, double radii, Mask near)   of two points of the cores: whether the cores
//                                                   have to be looked at more closely
//   void meet(T squared, double radii, int first, int second)   primitives, counted through
//   bool done()
//
// Tests of one level are done for all candidates before the next level looks at those that are left:
// a list is made without branches, which nobody could predict.
#pragma once

#include <cstdint>

#include "posture.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class T>
BK_INLINE T squared_apart(const Point<T>& a, const Point<T>& b) {
  const Point<T> v = a - b;
  return dot(v, v);
}

// The number of a primitive, counted through.
BK_INLINE int capsule_number(const BodyShape& body, int arm, int i) {
  return arm == 0 ? i : body.capsule_first[0][kArmLinks] + i;
}
BK_INLINE int box_number(const BodyShape& body, int i) {
  return body.capsule_first[0][kArmLinks] + body.capsule_first[1][kArmLinks] + i;
}

// Members `first` to `last`, 64 at most, for which near(i) has a lane: bit i - first.
template <class Near>
BK_INLINE uint64_t those(int first, int last, const Near& near) {
  uint64_t bits = 0;
  for (int i = first; i < last; ++i) bits |= uint64_t{any(near(i))} << (i - first);
  return bits;
}

// Calls work(i) for each of them.
template <class Work>
BK_INLINE void each(uint64_t bits, int first, const Work& work) {
  for (; bits; bits &= bits - 1) work(first + __builtin_ctzll(bits));
}

template <class T>
BK_INLINE T link_gap(const Posture<T>& posture, int arm, int k, int part) {
  const BodyShape& body = posture.body;
  const int p = part - kTorso;
  const Point<T>& c = part == kHead ? posture.link_in_head[arm][k] : posture.link[arm][k];
  const Point<T> outside = {c.x - most(least(c.x, T(body.high[p][0])), T(body.low[p][0])),
                            c.y - most(least(c.y, T(body.high[p][1])), T(body.low[p][1])),
                            c.z - most(least(c.z, T(body.high[p][2])), T(body.low[p][2]))};
  return dot(outside, outside);
}

// Whether two links may be near: the spheres around them, or a sphere and the bounds of a part.
template <class T, class Visitor>
BK_INLINE Mask<T> links_near(const Posture<T>& posture, int a, int b, const Visitor& visitor) {
  const BodyShape& body = posture.body;
  const int arm = a / kArmLinks, k = a % kArmLinks;
  const double reach = body.link_bound[arm][k].radius;
  if (b >= kTorso) return visitor.near(link_gap(posture, arm, k, b), reach);
  const int other = b / kArmLinks, l = b % kArmLinks;
  return visitor.near(squared_apart(posture.link[arm][k], posture.link[other][l]),
                      reach + body.link_bound[other][l].radius);
}

template <class T, class Visitor>
BK_NOINLINE void walk_arms(Posture<T>& posture, int arm_a, int a, int arm_b, int b,
                           Visitor& visitor) {
  const BodyShape& body = posture.body;
  const double reach_b = body.link_bound[arm_b][b].radius;
  posture.place(arm_a, a);
  posture.place(arm_b, b);
  const Point<T>* middle_a = posture.middle[arm_a];
  const Point<T>* middle_b = posture.middle[arm_b];
  const int first_b = body.capsule_first[arm_b][b], last_b = body.capsule_first[arm_b][b + 1];
  const int first_a = body.capsule_first[arm_a][a], last_a = body.capsule_first[arm_a][a + 1];
  const uint64_t of_a = those(first_a, last_a, [&](int i) {
    return visitor.near(squared_apart(middle_a[i], posture.link[arm_b][b]),
                        body.capsule_bound[arm_a][i].radius + reach_b);
  });
  each(of_a, first_a, [&](int i) {
    const double reach_i = body.capsule_bound[arm_a][i].radius;
    const uint64_t of_b = those(first_b, last_b, [&](int j) {
      return visitor.near(squared_apart(middle_a[i], middle_b[j]),
                          reach_i + body.capsule_bound[arm_b][j].radius);
    });
    each(of_b, first_b, [&](int j) {
      const BodyCapsule &one = body.capsule[arm_a][i], &two = body.capsule[arm_b][j];
      const Segment<T>&p = posture.segment[arm_a][i], &q = posture.segment[arm_b][j];
      visitor.meet(segments_squared(p.start, p.span, one.squared, q.start, q.span, two.squared),
                   one.radius + two.radius, capsule_number(body, arm_a, i), capsule_number(body, arm_b, j));
    });
  });
}

template <class T>
BK_INLINE T gap_along(T middle, T span, double half) {
  return most(abs(middle) - fma(abs(span), T(0.5), T(half)), T(0.0));
}

template <class T, class Visitor>
BK_NOINLINE void walk_boxes(Posture<T>& posture, int arm, int k, int part, Visitor& visitor) {
  const BodyShape& body = posture.body;
  const bool head = part == kHead;
  const int p = part - kTorso;
  const double reach = body.link_bound[arm][k].radius;
  const Point<T> link = head ? posture.link_in_head[arm][k] : posture.link[arm][k];
  const Segment<T>* segments = head ? posture.segment_in_head[arm] : posture.segment[arm];
  const Point<T>* middles = head ? posture.middle_in_head[arm] : posture.middle[arm];
  const int first = body.capsule_first[arm][k], last = body.capsule_first[arm][k + 1];
  const uint64_t boxes = those(body.box_first[p], body.box_first[p + 1], [&](int j) {
    return visitor.near(squared_apart(link, fixed<T>(body.box[j].center)),
                        reach + body.box_bound[j].radius);
  });
  each(boxes, body.box_first[p], [&](int j) {
    const BodyBox& box = body.box[j];
    const Point<T> center = fixed<T>(box.center);
    // The link's sphere against the box itself.
    const Point<T> over = beyond_box(in_axes(link - center, box.axes), box.half);
    if (!any(visitor.near(dot(over, over), reach + box.radius))) return;
    if (head) {
      posture.place_in_head(arm, k);
    } else {
      posture.place(arm, k);
    }
    const uint64_t capsules = those(first, last, [&](int i) {
      return visitor.near(squared_apart(middles[i], center),
                          body.capsule_bound[arm][i].radius + body.box_bound[j].radius);
    });
    each(capsules, first, [&](int i) {
      const double radii = body.capsule[arm][i].radius + box.radius;
      // The bounds of the segment along the box's axes are this far from the box, at least.
      const Point<T> middle = in_axes(middles[i] - center, box.axes);
      const Point<T> span = in_axes(segments[i].span, box.axes);
      const Point<T> gap = {gap_along(middle.x, span.x, box.half[0]),
                            gap_along(middle.y, span.y, box.half[1]),
                            gap_along(middle.z, span.z, box.half[2])};
      const Mask<T> near = visitor.near(dot(gap, gap), radii);
      if (!any(near)) return;
      const Point<T> past = beyond_box(middle, box.half);
      if (!visitor.open(dot(past, past), radii, near)) return;
      visitor.meet(segment_box_squared(along(middle, T(-0.5), span), span, box.half), radii,
                   capsule_number(body, arm, i), box_number(body, j));
    });
  });
}

template <class T, class Visitor>
BK_INLINE void walk(Posture<T>& posture, Visitor& visitor) {
  const BodyShape& body = posture.body;
  const auto look = [&](int n) {
    const int a = body.pair[n][0], b = body.pair[n][1];
    if (!any(links_near(posture, a, b, visitor))) return;
    if (b < kTorso) {
      walk_arms(posture, a / kArmLinks, a % kArmLinks, b / kArmLinks, b % kArmLinks, visitor);
    } else {
      walk_boxes(posture, a / kArmLinks, a % kArmLinks, b, visitor);
    }
  };
  if constexpr (sizeof(T) == sizeof(double)) {
    for (int n = 0; n < body.pairs && !visitor.done(); ++n) look(n);
    return;
  }
  short left[kMaxPairs];
  int count = 0;
  for (int n = 0; n < body.pairs; ++n) {
    left[count] = static_cast<short>(n);
    count += any(links_near(posture, body.pair[n][0], body.pair[n][1], visitor));
  }
  for (int n = 0; n < count && !visitor.done(); ++n) look(left[n]);
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
