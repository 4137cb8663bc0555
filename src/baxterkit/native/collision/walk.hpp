// Goes through the pairs of primitives that may be near, coarse to fine: spheres around links, a
// sphere around each capsule and box, then the distance of the cores.
//
// A visitor says in which lanes two things `gap` apart (the square of the distance of two points,
// and what of it their surroundings take up) still matter, and takes the squared distance of two
// cores:
//   Mask near(T squared, double reach)
//   void meet(T squared, double radii, int first, int second)   primitives, counted through
//   bool done()
#pragma once

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

template <class T, class Visitor>
BK_INLINE void walk_arms(Posture<T>& posture, int arm_a, int a, int arm_b, int b,
                         Visitor& visitor) {
  const BodyShape& body = posture.body;
  const double reach_a = body.link_bound[arm_a][a].radius, reach_b = body.link_bound[arm_b][b].radius;
  const Point<T>& link_b = posture.link[arm_b][b];
  if (!any(visitor.near(squared_apart(posture.link[arm_a][a], link_b), reach_a + reach_b))) return;
  posture.place(arm_a, a);
  for (int i = body.capsule_first[arm_a][a]; i < body.capsule_first[arm_a][a + 1]; ++i) {
    const double reach_i = body.capsule_bound[arm_a][i].radius;
    if (!any(visitor.near(squared_apart(posture.middle[arm_a][i], link_b), reach_i + reach_b))) {
      continue;
    }
    posture.place(arm_b, b);
    for (int j = body.capsule_first[arm_b][b]; j < body.capsule_first[arm_b][b + 1]; ++j) {
      const double reach_j = body.capsule_bound[arm_b][j].radius;
      const T apart = squared_apart(posture.middle[arm_a][i], posture.middle[arm_b][j]);
      if (!any(visitor.near(apart, reach_i + reach_j))) continue;
      const Segment<T>&p = posture.segment[arm_a][i], &q = posture.segment[arm_b][j];
      visitor.meet(segments_squared(p.start, p.span, q.start, q.span),
                   body.capsule[arm_a][i].radius + body.capsule[arm_b][j].radius,
                   capsule_number(body, arm_a, i), capsule_number(body, arm_b, j));
    }
    if (visitor.done()) return;
  }
}

template <class T, class Visitor>
BK_INLINE void walk_boxes(Posture<T>& posture, int arm, int k, int part, Visitor& visitor) {
  const BodyShape& body = posture.body;
  const bool head = part == kHead;
  const int p = part - kTorso;
  const double reach = body.link_bound[arm][k].radius;
  const Point<T>& link = head ? posture.link_in_head[arm][k] : posture.link[arm][k];
  const Point<T> outside = {link.x - most(least(link.x, T(body.high[p][0])), T(body.low[p][0])),
                            link.y - most(least(link.y, T(body.high[p][1])), T(body.low[p][1])),
                            link.z - most(least(link.z, T(body.high[p][2])), T(body.low[p][2]))};
  if (!any(visitor.near(dot(outside, outside), reach))) return;
  if (head) {
    posture.place_in_head(arm, k);
  } else {
    posture.place(arm, k);
  }
  const Segment<T>* segments = head ? posture.segment_in_head[arm] : posture.segment[arm];
  const Point<T>* middles = head ? posture.middle_in_head[arm] : posture.middle[arm];
  for (int j = body.box_first[p]; j < body.box_first[p + 1]; ++j) {
    const BodyBox& box = body.box[j];
    const Point<T> center = fixed<T>(box.center);
    if (!any(visitor.near(squared_apart(link, center), reach + body.box_bound[j].radius))) continue;
    // The link's sphere against the box itself.
    const Point<T> over = beyond_box(in_axes(link - center, box.axes), box.half);
    if (!any(visitor.near(dot(over, over), reach + box.radius))) continue;
    for (int i = body.capsule_first[arm][k]; i < body.capsule_first[arm][k + 1]; ++i) {
      const double reach_i = body.capsule_bound[arm][i].radius;
      const T apart = squared_apart(middles[i], center);
      if (!any(visitor.near(apart, reach_i + body.box_bound[j].radius))) continue;
      const Point<T> start = in_axes(segments[i].start - center, box.axes);
      const Point<T> span = in_axes(segments[i].span, box.axes);
      const Point<T> past = beyond_box(along(start, T(0.5), span), box.half);
      if (!any(visitor.near(dot(past, past), reach_i + box.radius))) continue;
      visitor.meet(segment_box_squared(start, span, box.half),
                   body.capsule[arm][i].radius + box.radius, capsule_number(body, arm, i),
                   box_number(body, j));
    }
    if (visitor.done()) return;
  }
}

template <class T, class Visitor>
BK_INLINE void walk(Posture<T>& posture, Visitor& visitor) {
  const BodyShape& body = posture.body;
  for (int n = 0; n < body.pairs && !visitor.done(); ++n) {
    const int a = body.pair[n][0], b = body.pair[n][1];
    if (b < kTorso) {
      walk_arms(posture, a / kArmLinks, a % kArmLinks, b / kArmLinks, b % kArmLinks, visitor);
    } else {
      walk_boxes(posture, a / kArmLinks, a % kArmLinks, b, visitor);
    }
  }
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
