// The body as the collision kernels see it, and the kernels of one instruction set as a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collision_parts.hpp"

namespace baxterkit {

constexpr int kEight = 8;           // primitives of a block: what single precision does at a time
constexpr int kMovingLanes = 24;    // links, in whole blocks
constexpr int kMaxBlocks = 48;      // of one arm

// The axes of boxes in the frame of their link, one after the other.
using BoxAxes = std::array<double, 9>;

// A box with a radius. Boxes of one obstacle, such as the points of a cloud, share their axes.
struct BodyBox {
  double center[3], half[3], radius;
  const double* axes;  // a BoxAxes of BodyShape::axes
  int link;            // kTorso ... kWorld
};

// Up to eight capsules of one link, side by side. Lanes to spare are far away.
struct alignas(64) CapsuleBlock {
  double start[3][kEight], span[3][kEight], radius[kEight], squared[kEight];  // squared lengths
  float middle[3][kEight], half[3][kEight];  // half the span
  float round[kEight];                       // radius, coarse
  float reach[kEight];                       // of the sphere around middle
  float quarter[kEight], over[kEight];       // the square of `half`, and one over it
  int number[kEight];                        // counted through: left arm, right arm
  int count;
};

// Up to eight boxes of one frame, of base or of the head, at single precision: BodyShape::box has them
// at double precision.
struct alignas(64) BoxBlock {
  float middle[3][kEight], turn[9][kEight], side[3][kEight], round[kEight];
  float reach[kEight];          // of the sphere around center
  float low[3], high[3];        // bounds of all, roundings apart
  float roundest;               // the greatest of the roundings
  int number[kEight];           // counted through, after the capsules
  int count;
  bool head;
  std::uint32_t allowed;                // links that are checked against any of them, bits
  std::uint8_t lanes[kMovingLanes];     // which of them, for each link
};

// Bounds of a block of obstacles' boxes, or of two nodes.
struct BoundNode {
  float low[3], high[3], roundest;
  std::uint32_t allowed;
  int block;     // in BodyShape::boxes; -1: two nodes
  int child[2];
};

// A grid and the memory of its cells, which others may share.
struct OwnGrid : PartGrid {
  std::shared_ptr<const std::vector<std::uint8_t>> owner;
};

// The whole robot, and what stands around it.
struct BodyShape {
  double mount[2][12];  // T_base_s0, rows of [R | p]
  double pan[12];       // T_base_head at pan zero, rows of [R | p]
  double margin;        // [m]: more than single precision can be wrong by
  int block_first[2][kArmLinks + 1];
  CapsuleBlock block[2][kMaxBlocks];
  BodySphere link_bound[kMoving];        // in the frame of the link
  alignas(64) float link_reach[kMovingLanes];
  // The clearance of a link is below the distance of its sphere's middle by this, at least.
  alignas(64) float link_depth[kMovingLanes];
  std::uint32_t allowed[kMovingLanes];   // links with a greater number that each is checked against
  // The farthest that points of a link can be from the axis of a joint before it [m].
  double axis_reach[2][kArmLinks][7];
  alignas(64) float axis_lanes[2][7][kEight];  // the same of the links s0 ... fingers, side by side
  bool held;                                   // whether a hand holds something
  // The same as lists: pairs of links, the greater one first, and of links and parts.
  LinkPair link_pair[kMoving * kMoving / 2], standing_pair[kMoving * kBodyParts];
  int link_pairs, standing_pairs;
  std::vector<BodyCapsule> capsule[2];   // by number
  std::vector<BodyBox> box;
  std::vector<BoxAxes> axes;             // of the boxes, which point to them
  std::vector<BoxBlock> boxes;           // those of the body first
  int body_blocks;
  int part_first[kBodyParts + 1];            // blocks of torso, pedestal, head
  std::uint32_t part_allowed[kBodyParts];    // links that are checked against them, bits
  OwnGrid grid[kBodyParts];              // empty where no link is
  std::vector<BoundNode> bounds;         // of the obstacles' boxes; the last one is of all
  std::vector<BodyCylinder> cylinder;
  std::vector<BodyPlane> plane;
  std::uint32_t world;                   // links that are checked against any obstacle, bits

  const double* axes_of(const BodyBox& one) const { return one.axes; }
};

// Rows of both arms' joints and the head's pan, contiguous; a stride of zero repeats one row.
struct BodyRows {
  const double *left, *right, *head;
  int left_stride, right_stride, head_stride;

  BodyRows from(std::ptrdiff_t row) const {
    return {left + row * left_stride,
            right + row * right_stride,
            head + row * head_stride,
            left_stride,
            right_stride,
            head_stride};
  }
};

// What is known of a tube: something is hit, nothing is, or the parts that were looked at do not tell.
enum TubeVerdict : unsigned char { kTubeBlocked = 0, kTubeFree = 1, kTubeOpen = 2 };

struct CollisionTable {
  // One verdict for each of n rows; false if an input is not finite.
  bool (*hits)(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, double padding,
               unsigned char* hit);
  // Of one row; -1: not finite.
  int (*hit)(const BodyShape& body, const double* left, const double* right, double head, double padding);
  bool (*clearances)(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, double* out);
  bool (*nearest)(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, BodyNearest* out);
  // Whether all between two configurations is free; the head is that of `from`.
  bool (*edges)(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to,
                double padding, unsigned char* free);
  // Of boxes around straight lines: q0, q1 and the widths of the boxes on either side are rows of 14,
  // `head` has one number for each; `at` is where something is hit, or near which the answer is open.
  bool (*tubes)(const BodyShape& body, std::ptrdiff_t n, const double* q0, const double* q1,
                const double* width, const double* head, double padding, int most, unsigned char* verdict,
                double* at);
};

}  // namespace baxterkit
