// The body at one posture (or one in each lane): link poses, spheres around the links, capsules in
// base and in the head's frame, each placed when it is first asked for.
#pragma once

#include "../collision_table.hpp"
#include "../generated/kinematics.hpp"
#include "../sincos.hpp"
#include "distance.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class T>
struct Segment {
  Point<T> start, span;
};

template <class T>
BK_INLINE Point<T> moved(const T* pose, const double* p) {
  return {fma(pose[2], T(p[2]), fma(pose[1], T(p[1]), fma(pose[0], T(p[0]), pose[3]))),
          fma(pose[6], T(p[2]), fma(pose[5], T(p[1]), fma(pose[4], T(p[0]), pose[7]))),
          fma(pose[10], T(p[2]), fma(pose[9], T(p[1]), fma(pose[8], T(p[0]), pose[11])))};
}

// A point of base in a fixed frame given by its origin and axes (three vectors, one after another).
template <class T>
BK_INLINE Point<T> in_axes(const Point<T>& p, const double* axes) {
  const T x = axes[0], y = axes[3], z = axes[6];
  return {fma(p.z, T(axes[2]), fma(p.y, T(axes[1]), p.x * x)),
          fma(p.z, T(axes[5]), fma(p.y, T(axes[4]), p.x * y)),
          fma(p.z, T(axes[8]), fma(p.y, T(axes[7]), p.x * z))};
}

template <class T>
struct Posture {
  const BodyShape& body;
  T pose[2][8 * 16];          // of the links s0 ... w2 and a tip that nobody asks for
  T pan_sine, pan_cosine;
  Point<T> link[2][kArmLinks];
  Point<T> link_in_head[2][kArmLinks];
  Segment<T> segment[2][kMaxCapsules], segment_in_head[2][kMaxCapsules];
  Point<T> middle[2][kMaxCapsules], middle_in_head[2][kMaxCapsules];
  bool placed[2][kArmLinks], placed_in_head[2][kArmLinks];

  explicit Posture(const BodyShape& shape) : body(shape) {}

  BK_INLINE const T* link_pose(int arm, int link) const {
    return pose[arm] + 16 * (link < 7 ? link : 6);
  }

  // s, c: sines and cosines of the joints, left then right; those of the head's pan.
  BK_INLINE void set(const T (*s)[8], const T (*c)[8], T sine, T cosine) {
    constexpr double none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    pan_sine = sine;
    pan_cosine = cosine;
    for (int arm = 0; arm < 2; ++arm) {
      generated::link_poses(s[arm], c[arm], body.mount[arm], none, pose[arm]);
      for (int k = 0; k < kArmLinks; ++k) {
        link[arm][k] = moved(link_pose(arm, k), body.link_bound[arm][k].center);
        link_in_head[arm][k] = to_head(link[arm][k]);
        placed[arm][k] = placed_in_head[arm][k] = false;
      }
    }
  }

  BK_INLINE Point<T> turned_to_head(const Point<T>& d) const {
    const double* R = body.pan;  // transposed, then turned back by the pan
    const T x = fma(d.z, T(R[8]), fma(d.y, T(R[4]), d.x * R[0]));
    const T y = fma(d.z, T(R[9]), fma(d.y, T(R[5]), d.x * R[1]));
    const T z = fma(d.z, T(R[10]), fma(d.y, T(R[6]), d.x * R[2]));
    return {fma(pan_cosine, x, pan_sine * y), fms(pan_cosine, y, pan_sine * x), z};
  }
  BK_INLINE Point<T> to_head(const Point<T>& p) const {
    return turned_to_head({p.x - body.pan[3], p.y - body.pan[7], p.z - body.pan[11]});
  }

  BK_INLINE void place(int arm, int k) {
    if (!placed[arm][k]) place_now(arm, k);
  }
  BK_INLINE void place_in_head(int arm, int k) {
    if (!placed_in_head[arm][k]) place_in_head_now(arm, k);
  }

  BK_NOINLINE void place_now(int arm, int k) {
    placed[arm][k] = true;
    const T* T_base_link = link_pose(arm, k);
    for (int i = body.capsule_first[arm][k]; i < body.capsule_first[arm][k + 1]; ++i) {
      const BodyCapsule& capsule = body.capsule[arm][i];
      const Point<T> start = moved(T_base_link, capsule.start);
      const Point<T> end = moved(T_base_link, capsule.end);
      segment[arm][i] = {start, end - start};
      middle[arm][i] = along(start, T(0.5), segment[arm][i].span);
    }
  }
  BK_NOINLINE void place_in_head_now(int arm, int k) {
    place(arm, k);
    placed_in_head[arm][k] = true;
    for (int i = body.capsule_first[arm][k]; i < body.capsule_first[arm][k + 1]; ++i) {
      segment_in_head[arm][i] = {to_head(segment[arm][i].start),
                                 turned_to_head(segment[arm][i].span)};
      middle_in_head[arm][i] = along(segment_in_head[arm][i].start, T(0.5),
                                     segment_in_head[arm][i].span);
    }
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
