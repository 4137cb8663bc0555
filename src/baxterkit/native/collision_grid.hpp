// Distances from the parts of the body that no joint of an arm moves, on grids.
#pragma once

#include <vector>

#include "collision_table.hpp"

namespace baxterkit {

// The grid of boxes of one frame. Grids are kept: the body of every checker is the same.
OwnGrid make_grid(const std::vector<BodyBox>& boxes);

}  // namespace baxterkit
