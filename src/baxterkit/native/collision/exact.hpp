// One pair of primitives at double precision: its clearance, points and gradient, on the processor and in
// a thread of a GPU. `Poses` has the body and gives the poses of its links.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "../collision_parts.hpp"
#include "distance.hpp"
#include "place.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr double kMeet = 1e-9;  // [m]: cores that are nearer meet; their direction is rounding
constexpr double kFar = 1e3;  // [m]: clearance where no pair is checked

// A vector of base along fixed axes, three vectors one after another.
BK_INLINE Point<double> in_axes(const Point<double>& p, const double* axes) {
  return {fma(p.z, axes[2], fma(p.y, axes[1], p.x * axes[0])),
          fma(p.z, axes[5], fma(p.y, axes[4], p.x * axes[3])),
          fma(p.z, axes[8], fma(p.y, axes[7], p.x * axes[6]))};
}

// The capsule of a number, in base; its radius is added.
template <class Poses>
BK_INLINE Segment<double> placed_capsule(const Poses& configuration, int number, double& radii) {
  const auto& body = configuration.body;
  const int left = static_cast<int>(body.capsule[0].size()), arm = number >= left;
  const BodyCapsule& capsule = body.capsule[arm][number - (arm ? left : 0)];
  double pose[12];
  configuration.pose(link_of(arm, capsule.link), pose);
  const Point<double> start = moved(pose, capsule.start);
  radii += capsule.radius;
  return {start, moved(pose, capsule.end) - start};
}

// The clearance of two capsules, at double precision.
template <class Poses>
inline double clearance_of(const Poses& configuration, int some, int one) {
  double radii = 0.0;
  const Segment<double> a = placed_capsule(configuration, std::min(some, one), radii);
  const Segment<double> b = placed_capsule(configuration, std::max(some, one), radii);
  return std::sqrt(
             segments_squared(a.start, a.span, dot(a.span, a.span), b.start, b.span, dot(b.span, b.span))) -
         radii;
}

// The clearance of a capsule and any primitive with a greater number.
template <class Poses>
inline double clearance_between(const Poses& configuration, int one, int other) {
  const auto& body = configuration.body;
  const int arms = static_cast<int>(body.capsule[0].size() + body.capsule[1].size());
  if (other < arms) return clearance_of(configuration, other, one);
  double radii = 0.0;
  const Segment<double> a = placed_capsule(configuration, one, radii);
  int j = other - arms;
  if (j < static_cast<int>(body.box.size())) {
    const auto& box = body.box[j];
    const double* axes = body.axes_of(box);
    double frame[12];
    configuration.head_frame(frame);
    const bool head = box.link == kHead;
    const Point<double> start = head ? placed_at(frame, a.start) : a.start;
    const Point<double> span = head ? turned(frame, a.span) : a.span;
    return std::sqrt(segment_box_squared(in_axes(start - fixed<double>(box.center), axes),
                                         in_axes(span, axes), box.half)) -
           (radii + box.radius);
  }
  j -= static_cast<int>(body.box.size());
  if (j < static_cast<int>(body.cylinder.size())) {
    const BodyCylinder& c = body.cylinder[j];
    const Point<double> from = a.start - fixed<double>(c.center), axis = fixed<double>(c.axis);
    const double t = nearest_to_cylinder(from, a.span, axis, c.half, c.radius);
    const Point<double> v = beyond_cylinder(along(from, t, a.span), axis, c.half, c.radius);
    return std::sqrt(dot(v, v)) - radii;
  }
  const BodyPlane& plane = body.plane[j - static_cast<int>(body.cylinder.size())];
  const Point<double> normal = fixed<double>(plane.normal);
  return dot(a.start, normal) + least(dot(a.span, normal), 0.0) - plane.offset - radii;
}

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

// Where the clearance of a pair comes from: points of both cores, what carries them, and the direction from
// the second to the first.
struct Contact {
  Carrier carrier[2];
  Point<double> core[2], normal;
};

// How the clearance changes with a joint, from the pose of its link, when one side of a contact moves.
BK_INLINE double slope_of(const Contact& contact, int side, const double* T) {
  const Point<double> arm = contact.core[side] - Point<double>{T[3], T[7], T[11]};
  const Point<double> axis = {T[2], T[6], T[10]};
  const Point<double> velocity = {axis.y * arm.z - axis.z * arm.y, axis.z * arm.x - axis.x * arm.z,
                                  axis.x * arm.y - axis.y * arm.x};
  return (side ? -1.0 : 1.0) * dot(contact.normal, velocity);
}

// Fills the points of a row's nearest pair.
template <class Poses>
inline Contact find_contact(const Poses& configuration, BodyNearest& out) {
  const auto& body = configuration.body;
  const int left = static_cast<int>(body.capsule[0].size());
  const int both_arms = left + static_cast<int>(body.capsule[1].size());
  Contact contact = {{{-1, -1}, {-1, -1}}, {}, {}};
  Segment<double> segment[2];
  double radius[2], squared[2];
  for (int side = 0; side < 2; ++side) {
    const int n = out.primitive[side];
    if (n >= both_arms) continue;
    const int arm = n >= left, i = n - (arm ? left : 0);
    const BodyCapsule& capsule = body.capsule[arm][i];
    contact.carrier[side] = {arm, std::min(capsule.link, 6)};
    double pose[12];
    configuration.pose(link_of(arm, capsule.link), pose);
    const Point<double> start = moved(pose, capsule.start);
    segment[side] = {start, moved(pose, capsule.end) - start};
    radius[side] = capsule.radius;
    squared[side] = dot(segment[side].span, segment[side].span);
  }
  Point<double>* core = contact.core;
  Point<double> normal = {0.0, 0.0, 0.0};
  if (out.primitive[1] < both_arms) {
    double s, t;
    nearest_on_segments(segment[0].start, segment[0].span, squared[0], segment[1].start, segment[1].span,
                        squared[1], s, t);
    core[0] = along(segment[0].start, s, segment[0].span);
    core[1] = along(segment[1].start, t, segment[1].span);
  } else if (out.primitive[1] < both_arms + static_cast<int>(body.box.size())) {
    const int j = out.primitive[1] - both_arms;
    const auto& box = body.box[j];
    const double* axes = body.axes_of(box);
    radius[1] = box.radius;
    const bool head = box.link == kHead;
    double frame[12];
    configuration.head_frame(frame);
    const Point<double> start = head ? placed_at(frame, segment[0].start) : segment[0].start;
    const Point<double> span = head ? turned(frame, segment[0].span) : segment[0].span;
    const Point<double> center = fixed<double>(box.center);
    const Point<double> p = in_axes(start - center, axes), d = in_axes(span, axes);
    const double t = nearest_to_box(p, d, box.half);
    core[0] = along(segment[0].start, t, segment[0].span);
    const Point<double> v = beyond_box(along(p, t, d), box.half);
    const double* A = axes;
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
  contact.normal = n;
  return contact;
}

// Fills points and gradient of a row's nearest pair.
template <class Poses>
inline void finish(const Poses& configuration, BodyNearest& out) {
  const Contact contact = find_contact(configuration, out);
  for (double& g : out.gradient) g = 0.0;
  for (int side = 0; side < 2; ++side) {
    const Carrier carrier = contact.carrier[side];
    for (int j = 0; carrier.arm >= 0 && j <= carrier.link; ++j) {
      double T[12];
      configuration.pose(link_of(carrier.arm, j), T);
      out.gradient[7 * carrier.arm + j] += slope_of(contact, side, T);
    }
  }
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
