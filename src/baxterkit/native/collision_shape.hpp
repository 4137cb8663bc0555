// Makes a BodyShape of plain primitives: blocks of eight, spheres around links, bounds.
#pragma once

#include "collision_pack.hpp"
#include "collision_table.hpp"

namespace baxterkit {

// Capsules of an arm must be sorted by link and longer than zero. False if there are too many.
bool set_capsules(BodyShape& shape, const std::vector<BodyCapsule> (&capsules)[2]);

// The farthest that points of each link can be from each joint's axis, (2, 9, 7).
void set_reaches(BodyShape& shape, const double* reaches);

// Blocks and bounds of `shape.box`. Which of the links each box is checked against is one number of
// `links`, as bits.
void set_boxes(BodyShape& shape, const std::vector<std::uint32_t>& links);

// After the boxes.
void set_others(BodyShape& shape, const std::vector<BodyCylinder>& cylinders,
                const std::vector<BodyPlane>& planes);

// The shape for a GPU: `bytes` are to be copied to that address of its memory. (collision_pack.cpp)
PackedBody pack(const BodyShape& shape, std::uint64_t address, float cell, std::vector<unsigned char>& bytes);

}  // namespace baxterkit
