// Bounds of the distances of eight points from a part of the body, looked up on its grid.
//
// No point's distance from the part changes by more than the point moves. So it is what it is at the
// middle of the point's cell, give or take the way to there. Points beyond the grid are farther from the part than
// the nearest point of the grid is.
#pragma once

#include "../collision_table.hpp"
#include "distance.hpp"
#include "floats.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct DistanceBounds {
  Floats least, most;
};

BK_INLINE DistanceBounds look_up(const PartGrid& grid, const Point<Floats>& x) {
  const Floats* coordinate[3] = {&x.x, &x.y, &x.z};
  Floats place(0.0f), beyond(0.0f), off(0.0f);
  for (int i = 0; i < 3; ++i) {
    const Floats u = fma(*coordinate[i], Floats(grid.per_metre), Floats(grid.origin[i]));
    const Floats inside = least(most(u, Floats(0.0f)), Floats(grid.last[i]));
    const Floats cell = whole(inside), from_middle = inside - (cell + 0.5f);
    beyond = beyond + abs(u - inside);
    off = fma(from_middle, from_middle, off);
    place = fma(cell, Floats(grid.stride[i]), place);
  }
  const Floats value = bytes_at(grid.cells, place);
  const Floats here = fma(value, Floats(kGridStep), Floats(grid.low));
  const Floats way = fma(sqrt(off), Floats(grid.cell), Floats(kGridRounding));
  // More than any where the grid ends.
  const Floats far =
      where_beyond(fma(beyond, Floats(kGridFar), value), Floats(254.5f), Floats(kGridFar));
  return {here - way, here + way + (far + kGridStep)};
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
