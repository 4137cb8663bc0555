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

// The nearest pair.
struct Closest {
  explicit Closest(double margin) : margin(static_cast<float>(margin)) {}

  float margin;
  float near = static_cast<float>(kFar);
  double best = kFar;
  int first = -1, second = -1;

  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int, int) const { return near; }
  BK_INLINE Floats standing_limits(int) const { return near; }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    const Floats gap = sqrt(apart) - radii + margin;
    if (below(gap, near) & lanes) {
      float each[kEight];
      gap.store(each);
      for (unsigned bits = lanes; bits; bits &= bits - 1) {
        near = std::min(near, each[lowest(bits)]);
      }
    }
    return false;
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

// Goes through the links roughly in the order of the least that they can be apart: in the first
// round those below the first of the steps, and so on, until nothing nearer can come.
BK_INLINE void walk_closest(Posture& posture, Closest& visitor) {
  constexpr float kSteps[] = {-kAway, -0.1f, -0.03f, 0.02f, 0.1f, kAway};  // [m]
  constexpr int kRows = kMovingLanes / kEight;
  constexpr int kMost = 16;  // blocks of the body
  const BodyShape& body = posture.body;
  const int blocks = body.body_blocks;
  // The least that they can be apart; who is not checked is away.
  alignas(32) float box_bound[kMost][kMovingLanes], link_bound[kMoving][kMovingLanes];
  for (int n = 0; n < blocks; ++n) {
    const BoxBlock& boxes = body.boxes[n];
    for (int at = 0; at < kMovingLanes; at += kEight) {
      const Floats bound = sqrt(squared_from_bounds(posture, boxes, boxes.head, at)) -
                           (Floats::load(body.link_reach + at) + boxes.roundest);
      bound.store(box_bound[n] + at);
    }
  }
  for (int link = 0; link < kMoving; ++link) {
    const Point<Floats> center = same(posture.links().at, link);
    const Floats reach = body.link_reach[link];
    for (int at = 0; at < kMovingLanes; at += kEight) {
      if (!(body.allowed[link] >> at & 0xff)) continue;
      const Floats bound = sqrt(squared_apart(links_from(posture.links().at, at), center)) -
                           (Floats::load(body.link_reach + at) + reach);
      bound.store(link_bound[link] + at);
    }
  }
  for (int step = 0; step < 5 && visitor.limit() > kSteps[step]; ++step) {
    const Floats low = kSteps[step];
    const auto due = [&](const float* bounds, std::uint32_t allowed) {
      const Floats high = std::min(kSteps[step + 1], visitor.limit());
      std::uint32_t bits = 0;
      for (int row = 0; row < kRows; ++row) {
        if (!(allowed >> kEight * row & 0xff)) continue;
        const Floats bound = Floats::load(bounds + kEight * row);
        bits |= (below(bound, high) & ~below(bound, low)) << kEight * row;
      }
      return bits & allowed;
    };
    for (int n = 0; n < blocks; ++n) {
      std::uint32_t near = due(box_bound[n], body.boxes[n].allowed);
      for (; near; near &= near - 1) walk_boxes(posture, lowest(near), body.boxes[n], visitor);
    }
    for (int link = 0; link < kMoving; ++link) {
      if (!body.allowed[link]) continue;
      std::uint32_t near = due(link_bound[link], body.allowed[link]);
      for (; near; near &= near - 1) walk_links(posture, link, lowest(near), visitor);
    }
  }
  if (body.world) {
    walk_world(posture, body.world, visitor, [](int) {}, [](int) { return true; });
  }
}

// A vector of base along fixed axes, three vectors one after another.
BK_INLINE Point<double> in_axes(const Point<double>& p, const double* axes) {
  return {fma(p.z, axes[2], fma(p.y, axes[1], p.x * axes[0])),
          fma(p.z, axes[5], fma(p.y, axes[4], p.x * axes[3])),
          fma(p.z, axes[8], fma(p.y, axes[7], p.x * axes[6]))};
}

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
    posture.pose(arm * kArmLinks + capsule.link, pose);
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
      posture.pose(carrier[side].arm * kArmLinks + j, T);
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
