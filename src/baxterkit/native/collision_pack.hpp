// The body as the kernels of a GPU see it: plain numbers one after another, and a table of where they are.
#pragma once

#include "collision_parts.hpp"

namespace baxterkit {

template <class T>
struct Span {
  const T* data;
  long long count;

  long long size() const { return count; }
  const T& operator[](long long i) const { return data[i]; }
};

// A capsule at single precision, in the frame of its link; as in CapsuleBlock.
struct alignas(16) CoarseCapsule {
  float middle[3], round, half[3], reach, quarter, over;
  float spare[2];
};

// A box at single precision; as in BoxBlock.
struct alignas(16) CoarseBox {
  float middle[3], round, extent[3];  // half the sides of the bounds around it, rounding apart
  int number;                         // counted through, after the capsules
  float side[3];
  std::uint32_t allowed;  // links that are checked against it, bits
  float turn[9], spare[3];
};

// A plane, or a cylinder, at single precision.
struct alignas(16) CoarseOther {
  float axis[3], offset, center[3], half, radius, reach;  // `reach` of the ball around a cylinder
  std::uint32_t allowed;
  int plane, number;
  float spare[3];
};

// A box at double precision.
struct PackedBox {
  double center[3], half[3], radius;
  int axes, link;  // which of the axes; kTorso ... kWorld
};

// Bounds of `count` boxes of the world, of two nodes, `first` and `second`, if that is zero.
struct alignas(16) PackedNode {
  float low[3], roundest, high[3];
  std::uint32_t allowed;
  int count, first, second, spare;
};

// The whole robot and what stands around it: the names are those of BodyShape.
struct PackedBody {
  Span<BodyCapsule> capsule[2];
  Span<PackedBox> box;
  Span<BodyCylinder> cylinder;
  Span<BodyPlane> plane;
  const double* axes;
  const CoarseCapsule* coarse;   // of both arms
  const CoarseBox* boxes;        // of torso, pedestal, head, then of the world
  Span<CoarseOther> others;      // planes, then cylinders
  Span<PackedNode> nodes;        // the last one is of all
  double mount[2][12], pan[12];
  PartGrid grid[kBodyParts], coarse_grid[kBodyParts];  // the coarse ones have less memory to look at
  float margin;
  int part_first[kBodyParts + 1];
  int link_first[kMoving], link_count[kMoving];          // capsules
  float link_middle[kMoving][3], link_reach[kMoving], link_depth[kMoving];
  float axis_reach[2][7];  // the farthest that any point can be from the axis of a joint before it [m]
  std::uint32_t world;  // links that are checked against any obstacle, bits
  int held;
  // Links that are checked against each part, and against each other.
  int standing_first[kBodyParts + 1];
  unsigned char standing_link[kMoving * kBodyParts];
  std::uint32_t allowed[kMoving];  // those with a greater number
  // Two links that are checked, and how far the middles of their spheres are when they touch.
  int pair_count;
  unsigned char pair_link[kMoving * (kMoving - 1) / 2][2];
  float pair_reach[kMoving * (kMoving - 1) / 2];

  const double* axes_of(const PackedBox& one) const { return axes + 9 * one.axes; }
};

}  // namespace baxterkit
