// Visitors of the pairs that may be near: a verdict, and the nearest pair with its points and gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// Whether anything is nearer than the padding.
struct Verdict {
  Verdict(double padding, double margin)
      : padding(padding),
        near(static_cast<float>(padding + margin)),
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

// The nearest pair.
struct Closest {
  explicit Closest(double margin) : margin(static_cast<float>(margin)) {}

  float margin;
  float near = static_cast<float>(kFar);
  double best = kFar;
  int first = -1, second = -1;

  // What is known already.
  BK_INLINE void set(double clearance, int one, int other) {
    best = clearance;
    near = static_cast<float>(clearance) + margin;
    first = one;
    second = other;
  }

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

// A vector of base along fixed axes, three vectors one after another.
BK_INLINE Point<double> in_axes(const Point<double>& p, const double* axes) {
  return {fma(p.z, axes[2], fma(p.y, axes[1], p.x * axes[0])),
          fma(p.z, axes[5], fma(p.y, axes[4], p.x * axes[3])),
          fma(p.z, axes[8], fma(p.y, axes[7], p.x * axes[6]))};
}

// The capsule of a number, in base; its radius is added.
BK_INLINE Segment<double> placed_capsule(const Poses& posture, int number, double& radii) {
  const BodyShape& body = posture.body;
  const int left = static_cast<int>(body.capsule[0].size()), arm = number >= left;
  const BodyCapsule& capsule = body.capsule[arm][number - (arm ? left : 0)];
  double pose[12];
  posture.pose(link_of(arm, capsule.link), pose);
  const Point<double> start = moved(pose, capsule.start);
  radii += capsule.radius;
  return {start, moved(pose, capsule.end) - start};
}

// The clearance of two capsules, at double precision.
inline double clearance_of(const Poses& posture, int some, int one) {
  double radii = 0.0;
  const Segment<double> a = placed_capsule(posture, std::min(some, one), radii);
  const Segment<double> b = placed_capsule(posture, std::max(some, one), radii);
  return std::sqrt(
             segments_squared(a.start, a.span, dot(a.span, a.span), b.start, b.span, dot(b.span, b.span))) -
         radii;
}

// Capsules and boxes of the body, a pair in each lane, at double precision.
struct SegmentsAndBoxes {
  double start[3][kWidth] = {}, span[3][kWidth] = {}, frame[12][kWidth] = {}, center[3][kWidth] = {};
  double axes[9][kWidth] = {}, half[3][kWidth] = {}, radii[kWidth] = {};

  BK_INLINE void set(const Poses& posture, int capsule, int number, int lane) {
    const BodyShape& body = posture.body;
    const BodyBox& box = body.box[number - static_cast<int>(body.capsule[0].size() + body.capsule[1].size())];
    double radius = 0.0, head[12];
    const Segment<double> segment = placed_capsule(posture, capsule, radius);
    start[0][lane] = segment.start.x;
    start[1][lane] = segment.start.y;
    start[2][lane] = segment.start.z;
    span[0][lane] = segment.span.x;
    span[1][lane] = segment.span.y;
    span[2][lane] = segment.span.z;
    posture.head_frame(head);
    const double* from = box.link == kHead ? head : kNone;
    for (int i = 0; i < 12; ++i) frame[i][lane] = from[i];
    for (int i = 0; i < 3; ++i) {
      center[i][lane] = box.center[i];
      half[i][lane] = box.half[i];
    }
    for (int i = 0; i < 9; ++i) axes[i][lane] = box.axes[i];
    radii[lane] = radius + box.radius;
  }

  BK_INLINE Vec clearances() const {
    const auto three = [](const double (*x)[kWidth]) {
      return Point<Vec>{Vec::load(x[0]), Vec::load(x[1]), Vec::load(x[2])};
    };
    const auto in_axes = [&](const Point<Vec>& p) {
      const auto row = [&](int i) {
        return fma(p.z, Vec::load(axes[i + 2]), fma(p.y, Vec::load(axes[i + 1]), p.x * Vec::load(axes[i])));
      };
      return Point<Vec>{row(0), row(3), row(6)};
    };
    Vec r[12];
    for (int i = 0; i < 12; ++i) r[i] = Vec::load(frame[i]);
    const Point<Vec> p = placed_at(r, three(start)), d = turned(r, three(span));
    const Vec sides[3] = {Vec::load(half[0]), Vec::load(half[1]), Vec::load(half[2])};
    return sqrt(segment_box_squared(in_axes(p - three(center)), in_axes(d), sides)) - Vec::load(radii);
  }
};

// Frame and arm that a primitive rides on; links 0 ... 6, or -1 for what no joint of an arm moves.
struct Carrier {
  int arm, link;
};

// Points and gradient of a row in which no pair is checked: there are no points, and no joint changes
// the clearance.
inline void nowhere(BodyNearest& out) {
  for (auto& point : out.point) {
    for (double& x : point) x = std::numeric_limits<double>::quiet_NaN();
  }
  for (double& g : out.gradient) g = 0.0;
}

// Fills points and gradient of a row's nearest pair.
inline void finish(const Poses& posture, BodyNearest& out) {
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
    nearest_on_segments(segment[0].start, segment[0].span, squared[0], segment[1].start, segment[1].span,
                        squared[1], s, t);
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
      const Point<double> velocity = {axis.y * arm.z - axis.z * arm.y, axis.z * arm.x - axis.x * arm.z,
                                      axis.x * arm.y - axis.y * arm.x};
      out.gradient[7 * carrier[side].arm + j] += (side ? -1.0 : 1.0) * dot(n, velocity);
    }
  }
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
