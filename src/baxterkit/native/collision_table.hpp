// Collision checks of one instruction set, as plain functions in a table.
#pragma once

#include <cstddef>

namespace baxterkit {

// What an arm's links are numbered: 0 ... 6 are s0 ... w2, 7 the fingers, which ride on w2.
constexpr int kArmLinks = 8;
// Links of the robot: those of the left arm, those of the right one, then what stands or is the head.
constexpr int kTorso = 2 * kArmLinks, kPedestal = kTorso + 1, kHead = kTorso + 2;
constexpr int kLinks = kTorso + 3;
constexpr int kMaxCapsules = 64;  // of one arm
constexpr int kMaxBoxes = 96;     // 64 of a part
constexpr int kMaxPairs = kLinks * kLinks / 2;

// A segment with a radius, in the frame of its link.
struct BodyCapsule {
  double start[3], end[3], radius;
  double squared;  // of its length
};

// A box with a radius: `axes` are its axes in the frame of its link, one after the other.
struct BodyBox {
  double center[3], axes[9], half[3], radius;
};

struct BodySphere {
  double center[3], radius;
};

// The whole robot. Capsules and boxes are sorted by link.
struct BodyShape {
  double mount[2][12];  // T_base_s0, rows of [R | p]
  double pan[12];       // T_base_head at pan zero, rows of [R | p]
  int capsule_first[2][kArmLinks + 1];
  BodyCapsule capsule[2][kMaxCapsules];
  BodySphere capsule_bound[2][kMaxCapsules];  // centre in the frame of the link
  BodySphere link_bound[2][kArmLinks];
  int box_first[4];  // torso, pedestal, head
  BodyBox box[kMaxBoxes];
  BodySphere box_bound[kMaxBoxes];
  double low[3][3], high[3][3];  // torso, pedestal, head: bounds of their boxes, roundings included
  int pairs;
  int pair[kMaxPairs][2];  // links that are checked against each other, the smaller number first
};

// One answer of `nearest`: primitives are counted through, capsules of the left arm first, then of
// the right arm, then boxes.
struct BodyNearest {
  double clearance;
  int primitive[2];
  double point[2][3];    // on the surfaces, in base
  double gradient[14];   // of the clearance by the joints, left then right
};

struct CollisionTable {
  // One verdict for each of n rows; arrays are contiguous. Row strides of zero repeat one row.
  // False if an input is not finite.
  bool (*hits)(const BodyShape& body, std::ptrdiff_t n, const double* left, int left_stride,
               const double* right, int right_stride, const double* head, int head_stride,
               double padding, unsigned char* hit);
  // One row by scalars.
  int (*hit)(const BodyShape& body, const double* left, const double* right, double head,
             double padding);  // -1: not finite
  bool (*nearest)(const BodyShape& body, std::ptrdiff_t n, const double* left, int left_stride,
                  const double* right, int right_stride, const double* head, int head_stride,
                  BodyNearest* out);
};

}  // namespace baxterkit
