// Bounds of the distances of eight points from a part of the body, looked up on its grid.
//
// No point's distance from the part changes by more than the point moves. So it is what it is at the
// middle of the point's cell, give or take the way to there. Points beyond the grid are farther from the part than
// the nearest point of the grid is.
#pragma once

#include "../collision_parts.hpp"
#include "distance.hpp"
#include "floats.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct DistanceBounds {
  Floats least, most;
};

// Bounds at N times eight points. The looks at the cells come together, so that none waits for another.
template <int N>
BK_INLINE void look_up(const PartGrid& grid, const Point<Floats> (&points)[N], DistanceBounds* to) {
  Floats place[N], off[N], value[N];
  for (int n = 0; n < N; ++n) {
    const Floats* coordinate[3] = {&points[n].x, &points[n].y, &points[n].z};
    place[n] = off[n] = Floats(0.0f);
    for (int i = 0; i < 3; ++i) {
      const Floats u = fma(*coordinate[i], Floats(grid.per_metre), Floats(grid.origin[i]));
      const Floats inside = least(most(u, Floats(0.0f)), Floats(grid.last[i]));
      const Floats cell = whole(inside), from_middle = inside - cell;
      off[n] = fma(from_middle, from_middle, off[n]);
      place[n] = fma(cell, Floats(grid.stride[i]), place[n]);
    }
  }
  for (int n = 0; n < N; ++n) value[n] = bytes_at(grid.cells, place[n]);
  for (int n = 0; n < N; ++n) {
    const Floats here = fma(value[n], Floats(grid.step), Floats(grid.low));
    const Floats way = fma(sqrt(off[n]), Floats(grid.cell), Floats(kGridRounding));
    // More than any where the grid ends.
    const Floats far = where_beyond(value[n], Floats(254.5f), Floats(kGridFar));
    to[n] = {here - way, here + way + (far + grid.step)};
  }
}

BK_INLINE DistanceBounds look_up(const PartGrid& grid, const Point<Floats>& x) {
  const Point<Floats> points[1] = {x};
  DistanceBounds d;
  look_up(grid, points, &d);
  return d;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
