// What the steps of a collision check share: configurations, their state, and lists of what a step leaves
// for the next one. All of it is in the GPU's memory.
#pragma once

#include "../collision/exact.hpp"
#include "../collision/grid.hpp"
#include "../collision_pack.hpp"
#include "../generated/kinematics.hpp"
#include "warp.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kFrames = 14;    // poses of a configuration: what the hand holds rides on w2
constexpr float kHit = -1e9f;  // what is near where something is hit: nothing needs a look any more
constexpr int kHeadPart = kHead - kTorso;

// Configurations in, answers out.
struct ConfigurationBatch {
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

// Something of a row that needs a closer look.
struct Item {
  unsigned row, what;
};

// Two primitives that may be the nearest of a row, at least that far apart; `order` of their distance once
// it is known.
struct Candidate {
  float at_least;
  unsigned row;
  int one, other;
  unsigned long long order;
};

// Counters, each of a list, far enough from each other that threads do not wait for those of another.
enum Count {
  kParts,
  kPairs,
  kWorldLinks,
  kFirst,
  kCapsules,
  kWorldBoxes,
  kSegments,
  kCandidates,
  kOpen,
  kRest
};
constexpr int kApart = 64;

// Memory of a batch. Places in lists: so many for each row.
struct Work {
  float *pose, *near;  // poses; what is farther apart than `near` does not matter [m]
  unsigned long long *best, *pair;
  unsigned *left, *first;  // whether a list had no room for the row; the part and link to begin with
  Item *parts, *pairs, *links, *items;
  Candidate* candidates;
  unsigned *open, *rest, *count;
  unsigned part_room, pair_room, item_room, candidate_room;  // places in all

  BK_INLINE unsigned* counter(Count which) const { return count + kApart * which; }
};

BK_INLINE Point<Floats> coarse(const float* x) { return {x[0], x[1], x[2]}; }

// A pose of a link at single precision, by its rows.
struct CoarsePose {
  Floats row[12];

  BK_INLINE Point<Floats> turn(const float* v) const { return turned(row, Point<Floats>{v[0], v[1], v[2]}); }
  BK_INLINE Point<Floats> place(const float* v) const {
    return placed_at(row, Point<Floats>{v[0], v[1], v[2]});
  }
  // From base to the frame of the link.
  BK_INLINE Point<Floats> turn_back(const Point<Floats>& v) const {
    const auto part = [&](int i) { return fma(v.z, row[8 + i], fma(v.y, row[4 + i], v.x * row[i])); };
    return {part(0), part(1), part(2)};
  }
  BK_INLINE Point<Floats> place_back(const Point<Floats>& v) const {
    return turn_back(v - Point<Floats>{row[3], row[7], row[11]});
  }
};

// From the origin to the nearest point of a segment, whose middle and half are given, and 1 / half^2.
BK_INLINE Point<Floats> to_segment(const Point<Floats>& middle, const Point<Floats>& half, Floats over) {
  const Floats t = -(dot(middle, half) * over);
  return along(middle, least(most(t, Floats(-1.0f)), Floats(1.0f)), half);
}

BK_INLINE Floats square(Floats x) {
  const Floats r = most(x, Floats(0.0f));
  return r * r;
}

BK_INLINE int frame_of(int link) {
  const int k = place_of(link);
  return 7 * arm_of(link) + (k < 7 ? k : 6);
}

// Poses are kept for the nearest pairs alone: rows of a warp side by side, [row / 32][frame][row % 32][12].
constexpr unsigned kTile = 32;
BK_INLINE size_t pose_place(unsigned row, int frame) {
  return ((size_t(row / kTile) * kFrames + frame) * kTile + row % kTile) * 12;
}

struct alignas(16) FourFloats {
  float x[4];
};

// The pose of a link, kept or computed again.
template <bool kKept>
BK_INLINE CoarsePose pose_of(const PackedBody& body, const ConfigurationBatch& batch, const Work& work,
                             unsigned row, int link) {
  const int frame = frame_of(link);
  CoarsePose T;
  if (kKept) {
    const FourFloats* from = reinterpret_cast<const FourFloats*>(work.pose + pose_place(row, frame));
    BK_UNROLL for (int i = 0; i < 3; ++i) {
      const FourFloats four = from[i];
      BK_UNROLL for (int j = 0; j < 4; ++j) T.row[4 * i + j] = four.x[j];
    }
    return T;
  }
  const int arm = frame >= 7, k = frame - 7 * arm;
  const double* q = batch.arm(arm, row);
  Floats s[7], c[7], all[8 * 16];
  BK_UNROLL for (int j = 0; j < 7; ++j) coarse_sincos(q[j], s[j].v, c[j].v);
  generated::link_poses(s, c, body.mount[arm], kNone, all);
  BK_UNROLL for (int i = 0; i < 12; ++i) {
    T.row[i] = all[i];
    BK_UNROLL for (int j = 1; j < 7; ++j) T.row[i] = k == j ? all[16 * j + i] : T.row[i];
  }
  return T;
}

BK_INLINE HeadFrame<Floats> head_frame(const PackedBody& body, const ConfigurationBatch& batch,
                                       unsigned row) {
  float s, c;
  coarse_sincos(batch.pan(row), s, c);
  HeadFrame<Floats> frame;
  frame.set(body.pan, Floats(s), Floats(c));
  return frame;
}

// The pose in the frame of a part of the body: the head turns.
template <bool kKept>
BK_INLINE CoarsePose pose_for(const PackedBody& body, const ConfigurationBatch& batch, const Work& work,
                              unsigned row, int link, int part) {
  CoarsePose T = pose_of<kKept>(body, batch, work, row, link);
  if (part != kHeadPart) return T;
  const HeadFrame<Floats> frame = head_frame(body, batch, row);
  BK_UNROLL for (int column = 0; column < 4; ++column) {
    const Point<Floats> v = {T.row[column], T.row[4 + column], T.row[8 + column]};
    const Point<Floats> w = column < 3 ? turned(frame.row, v) : placed_at(frame.row, v);
    T.row[column] = w.x, T.row[4 + column] = w.y, T.row[8 + column] = w.z;
  }
  return T;
}

BK_INLINE int link_of_capsule(const PackedBody& body, int number) {
  const int left = int(body.capsule[0].size()), arm = number >= left;
  return link_of(arm, body.capsule[arm][number - (arm ? left : 0)].link);
}

// A list had no room: the row is looked at once more, as a whole.
BK_INLINE void leave_row(const Work& work, unsigned row) {
  if (!raise_flag(work.left + row)) work.rest[reserve_one(work.counter(kRest))] = row;
}

BK_INLINE void put(const Work& work, Item* list, unsigned room, unsigned place, unsigned row, unsigned what) {
  if (place < room) list[place] = {row, what};
  else leave_row(work, row);
}

// How many are in a list.
BK_INLINE unsigned length(const Work& work, Count which, unsigned room) {
  const unsigned count = *work.counter(which);
  return count < room ? count : room;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
