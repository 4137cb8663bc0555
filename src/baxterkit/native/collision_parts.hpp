// The parts of the body that every kernel sees alike, on the processor and on a GPU: plain numbers.
#pragma once

#include <cstdint>

namespace baxterkit {

// An arm's links: 0 ... 6 are s0 ... w2; 7 the fingers and 8 what the hand holds, which ride on w2.
constexpr int kArmLinks = 9;
constexpr int kHeld = kArmLinks - 1;
// Links of both arms are counted through: the left arm's, the right arm's, then what each hand holds.
// So a block of eight lanes is an arm.
constexpr int kMoving = 2 * kArmLinks;
constexpr int arm_of(int link) { return link < 2 * kHeld ? link / kHeld : link - 2 * kHeld; }
constexpr int place_of(int link) { return link < 2 * kHeld ? link % kHeld : kHeld; }
constexpr int link_of(int arm, int place) { return place < kHeld ? arm * kHeld + place : 2 * kHeld + arm; }
constexpr int kTorso = kMoving, kPedestal = kTorso + 1, kHead = kTorso + 2;
constexpr int kWorld = kTorso + 3;  // obstacles
// A segment with a radius, in the frame of its link.
struct BodyCapsule {
  double start[3], end[3], radius;
  int link;  // of the arm
};

struct BodySphere {
  double center[3], radius;
};

// Obstacles that are no rounded boxes.
struct BodyCylinder {
  double center[3], axis[3], half, radius;  // half its height along the axis
  std::uint32_t allowed;                    // links that are checked against it, bits
};
struct BodyPlane {
  double normal[3], offset;  // solid where normal . x <= offset
  std::uint32_t allowed;
};

// Distances from a part of the body that no joint of an arm moves, on a grid: a byte for each cell,
// x fastest. At the middle of a cell the distance is `low` + `step` times the byte, or up to a step
// more; with 255, as everywhere at the grid's ends, it may be anything beyond.
constexpr float kGridRounding = 1e-5f;   // [m] more than anything of it is rounded by
constexpr float kGridFar = 1e6f;
struct PartGrid {
  float from[3], to[3];        // bounds of the part
  float per_metre, origin[3];  // the cell of a point x: x per_metre + origin, rounded
  float last[3], stride[3];    // the greatest of it that is on the grid; bytes to the next cell
  float low, step, cell;       // [m]
  const std::uint8_t* cells;
};
constexpr int kBodyParts = kWorld - kTorso;

// Two links that are checked, or a link and a part (0 ... kBodyParts - 1).
struct LinkPair {
  int one, other;
};

// One answer of `nearest`: primitives are counted through, capsules of the left arm first, then of
// the right arm, then boxes, cylinders, planes.
struct BodyNearest {
  double clearance;
  int primitive[2];
  double point[2][3];   // on the surfaces, in base
  double gradient[14];  // of the clearance by the joints, left then right
};

}  // namespace baxterkit
