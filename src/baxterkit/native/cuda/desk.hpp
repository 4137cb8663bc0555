// What the threads of a warp share while they look at postures, and the postures themselves.
#pragma once

#include "../collision/exact.hpp"
#include "../collision/grid.hpp"
#include "../collision_pack.hpp"
#include "../generated/kinematics.hpp"
#include "joint_sincos.hpp"
#include "warp.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kGroup = 8;      // capsules of a link that are looked at together
constexpr int kBits = 32;      // of a list as bits
constexpr float kHit = -1e9f;  // what is near where something is hit: nothing needs a look any more

// Postures in, answers out.
struct PostureBatch {
  const double *left, *right, *head;
  unsigned char* hit;
  double* clearance;
  int* pair;  // links or obstacles, -1 where no pair is checked
  double *points, *gradient;
  const int* owner;       // the link or obstacle of each primitive
  double padding, still;  // the pan where `head` is null
  unsigned rows, left_stride, right_stride, head_stride;  // 0: one row for all

  BK_INLINE const double* arm(int arm, unsigned row) const {
    return arm ? right + size_t(row) * right_stride : left + size_t(row) * left_stride;
  }
  BK_INLINE double pan(unsigned row) const { return head ? head[size_t(row) * head_stride] : still; }
};

// Two primitives that may be the nearest of a posture, at least that far apart.
struct Candidate {
  float at_least;
  int other;
  unsigned short one, lane;
};

// A pose of a link at single precision.
struct CoarsePose {
  Point<Floats> x, y, z, origin;

  BK_INLINE Point<Floats> turn(const float* v) const {
    const auto row = [&](Floats a, Floats b, Floats c) { return fma(a, v[0], fma(b, v[1], c * v[2])); };
    return {row(x.x, y.x, z.x), row(x.y, y.y, z.y), row(x.z, y.z, z.z)};
  }
  BK_INLINE Point<Floats> place(const float* v) const {
    const auto row = [&](Floats a, Floats b, Floats c, Floats p) {
      return fma(a, v[0], fma(b, v[1], fma(c, v[2], p)));
    };
    return {row(x.x, y.x, z.x, origin.x), row(x.y, y.y, z.y, origin.y), row(x.z, y.z, z.z, origin.z)};
  }
};

BK_INLINE Point<Floats> coarse(const float* x) { return {x[0], x[1], x[2]}; }
BK_INLINE Floats square(Floats x) {
  const Floats r = most(x, Floats(0.0f));
  return r * r;
}

// Shared memory of a warp.
struct alignas(16) Desk {
  float turn[14][2][kLanes];         // sines and cosines of the joints of both arms
  float pan[2][kLanes];              // and of the head's
  float middle[kMoving][3][kLanes];  // of the spheres around links
  float pose[12][kLanes];            // columns of a link's pose, as each thread asked for it
  float near[kLanes];                // what is farther apart than this does not matter [m]
  unsigned long long best[kLanes], pair[kLanes];
  WarpList<unsigned, 192> links;
  WarpList<unsigned, 192> capsules;
  WarpList<Candidate, 96> candidates;

  BK_INLINE Point<Floats> middle_of(int link, int who) const {
    return {middle[link][0][who], middle[link][1][who], middle[link][2][who]};
  }

  BK_INLINE HeadFrame<Floats> head_of(const PackedBody& body, int who) const {
    HeadFrame<Floats> frame;
    frame.set(body.pan, Floats(pan[0][who]), Floats(pan[1][who]));
    return frame;
  }

  // Puts the pose of a link of a posture at the thread's place; in the head's frame if that is asked for.
  // (Not inlined: the code of all kernels should stay in the cache.)
  BK_NOINLINE void ask(const PackedBody& body, int link, int who, bool in_head, int lane) {
    const int arm = arm_of(link), place = place_of(link), k = place < 7 ? place : 6;
    Floats s[7], c[7], all[8 * 16], T[12];
    BK_UNROLL for (int j = 0; j < 7; ++j) {
      s[j] = turn[7 * arm + j][0][who];
      c[j] = turn[7 * arm + j][1][who];
    }
    generated::link_poses(s, c, body.mount[arm], kNone, all);
    BK_UNROLL for (int i = 0; i < 12; ++i) T[i] = all[i];
    BK_UNROLL for (int j = 1; j < 7; ++j) {
      BK_UNROLL for (int i = 0; i < 12; ++i) T[i] = k == j ? all[16 * j + i] : T[i];
    }
    HeadFrame<Floats> frame;
    if (in_head) frame = head_of(body, who);
    BK_UNROLL for (int column = 0; column < 4; ++column) {
      Point<Floats> v = {T[column], T[4 + column], T[8 + column]};
      if (in_head) v = column < 3 ? turned(frame.row, v) : placed_at(frame.row, v);
      pose[3 * column][lane] = v.x.v;
      pose[3 * column + 1][lane] = v.y.v;
      pose[3 * column + 2][lane] = v.z.v;
    }
  }
  BK_INLINE CoarsePose pose_of(const PackedBody& body, int link, int who, int lane, bool in_head = false) {
    ask(body, link, who, in_head, lane);
    const auto column = [&](int k) {
      return Point<Floats>{pose[3 * k][lane], pose[3 * k + 1][lane], pose[3 * k + 2][lane]};
    };
    return {column(0), column(1), column(2), column(3)};
  }

  // The joints of a posture, and what follows from them; false if one is not finite.
  BK_INLINE bool set(const PackedBody& body, const PostureBatch& batch, unsigned row, int lane) {
    double bad = batch.pan(row) - batch.pan(row);
    coarse_sincos(batch.pan(row), pan[0][lane], pan[1][lane]);
    for (int arm = 0; arm < 2; ++arm) {
      const double* q = batch.arm(arm, row);
      Floats s[7], c[7], all[8 * 16];
      BK_UNROLL for (int j = 0; j < 7; ++j) {
        const double x = q[j];
        bad += x - x;
        if (abs(x) > kReducedRange) bad += abs(x);  // beyond what is resolved: as if it were not finite
        coarse_sincos(x, s[j].v, c[j].v);
        turn[7 * arm + j][0][lane] = s[j].v;
        turn[7 * arm + j][1][lane] = c[j].v;
      }
      generated::link_poses(s, c, body.mount[arm], kNone, all);
      BK_UNROLL for (int k = 0; k < kArmLinks; ++k) {
        const int link = link_of(arm, k);
        if (k == kHeld && !body.held) continue;
        const Point<Floats> p = placed_at(all + 16 * (k < 7 ? k : 6), coarse(body.link_middle[link]));
        middle[link][0][lane] = p.x.v;
        middle[link][1][lane] = p.y.v;
        middle[link][2][lane] = p.z.v;
      }
    }
    return bad == 0.0;
  }
};

// Poses of a posture at double precision, of the arms that are asked for.
struct ExactPoses {
  const PackedBody& body;
  double arms[2][8 * 16], head[12];

  BK_INLINE ExactPoses(const PackedBody& body, const PostureBatch& batch, unsigned row, bool left, bool right)
      : body(body) {
    for (int arm = 0; arm < 2; ++arm) {
      if (!(arm ? right : left)) continue;
      double s[7], c[7];
      for (int j = 0; j < 7; ++j) joint_sincos(batch.arm(arm, row)[j], s[j], c[j]);
      generated::link_poses(s, c, body.mount[arm], kNone, arms[arm]);
    }
    HeadFrame<double> frame;
    double s, c;
    joint_sincos(batch.pan(row), s, c);
    frame.set(body.pan, s, c);
    for (int i = 0; i < 12; ++i) head[i] = frame.row[i];
  }
  BK_INLINE void pose(int link, double* T) const {
    const int k = place_of(link);
    const double* from = arms[arm_of(link)] + 16 * (k < 7 ? k : 6);
    for (int i = 0; i < 12; ++i) T[i] = from[i];
  }
  BK_INLINE void head_frame(double* T) const {
    for (int i = 0; i < 12; ++i) T[i] = head[i];
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
