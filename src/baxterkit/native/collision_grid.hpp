// Distances from the parts of the body that no joint of an arm moves, on grids.
#pragma once

#include <vector>

#include "collision_table.hpp"

namespace baxterkit {

// The grid of boxes of one frame, of cells with sides of that length [m]. Grids are kept: the body of every
// checker is the same.
constexpr float kGridCell = 0.03f;
OwnGrid make_grid(const std::vector<BodyBox>& boxes, float cell = kGridCell);

}  // namespace baxterkit
