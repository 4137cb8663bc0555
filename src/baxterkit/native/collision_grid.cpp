#include "collision_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

namespace baxterkit {
namespace {

constexpr float kAround = 0.42f;    // [m] of cells around the part
constexpr int kCube = 4;            // cells along the side of a cube
constexpr int kSpare = 4;           // bytes that a look at the last cell reads beyond it

// What a box is at single precision.
struct Sides {
  float center[3], axes[9], half[3], radius;
};

float distance(const Sides& box, const float* x) {
  const float d[3] = {x[0] - box.center[0], x[1] - box.center[1], x[2] - box.center[2]};
  float squared = 0.0f;
  for (int i = 0; i < 3; ++i) {
    const float* a = box.axes + 3 * i;
    const float out = std::max(std::fabs(a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) - box.half[i], 0.0f);
    squared += out * out;
  }
  return std::sqrt(squared) - box.radius;
}

OwnGrid computed(const std::vector<BodyBox>& boxes, float side) {
  OwnGrid grid = {};
  std::vector<Sides> sides;
  float low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
  for (const BodyBox& box : boxes) {
    Sides s;
    for (int i = 0; i < 3; ++i) {
      s.center[i] = static_cast<float>(box.center[i]);
      s.half[i] = static_cast<float>(box.half[i]);
      double reach = box.radius;
      for (int j = 0; j < 3; ++j) reach += std::fabs(box.axes[3 * j + i]) * box.half[j];
      low[i] = std::min(low[i], static_cast<float>(box.center[i] - reach));
      high[i] = std::max(high[i], static_cast<float>(box.center[i] + reach));
    }
    for (int i = 0; i < 9; ++i) s.axes[i] = static_cast<float>(box.axes[i]);
    s.radius = static_cast<float>(box.radius);
    grid.low = std::min(grid.low, -s.radius);  // nothing is deeper
    sides.push_back(s);
  }
  const float diagonal = 0.5f * std::sqrt(3.0f) * side;
  grid.per_metre = 1.0f / side;
  grid.step = (kAround - side - grid.low) / 255.0f;
  grid.cell = side;
  int size[3];
  std::ptrdiff_t cells = 1;
  for (int i = 0; i < 3; ++i) {
    grid.from[i] = low[i];
    grid.to[i] = high[i];
    low[i] -= kAround;
    size[i] = static_cast<int>(std::ceil((high[i] + kAround - low[i]) / side));
    grid.origin[i] = -low[i] / side - 0.5f;
    grid.last[i] = static_cast<float>(size[i] - 1);
    grid.stride[i] = static_cast<float>(cells);
    cells *= size[i];
  }
  std::vector<std::uint8_t> values(cells + kSpare, 255);
  const auto middle = [&](const int* cell, float half, float* x) {
    for (int i = 0; i < 3; ++i) x[i] = low[i] + (static_cast<float>(cell[i]) + half) * side;
  };
  // Cubes of cells: boxes that are farther from the middle of one than its diagonal and the nearest are
  // the nearest nowhere in it.
  std::vector<Sides> near;
  std::vector<float> apart(sides.size());
  int cube[3], cell[3];
  float x[3];
  for (cube[2] = 0; cube[2] < size[2]; cube[2] += kCube) {
    for (cube[1] = 0; cube[1] < size[1]; cube[1] += kCube) {
      for (cube[0] = 0; cube[0] < size[0]; cube[0] += kCube) {
        middle(cube, 0.5f * kCube, x);
        for (std::size_t b = 0; b < sides.size(); ++b) apart[b] = distance(sides[b], x);
        const float most = *std::min_element(apart.begin(), apart.end()) + 2.0f * kCube * diagonal;
        near.clear();
        for (std::size_t b = 0; b < sides.size(); ++b) {
          if (apart[b] <= most) near.push_back(sides[b]);
        }
        for (int n = 0; n < kCube * kCube * kCube; ++n) {
          const int step[3] = {n % kCube, n / kCube % kCube, n / (kCube * kCube)};
          std::ptrdiff_t place = 0;
          bool inside = true;
          for (int i = 2; i >= 0; --i) {
            cell[i] = cube[i] + step[i];
            inside &= cell[i] < size[i];
            place = place * size[i] + cell[i];
          }
          if (!inside) continue;
          middle(cell, 0.5f, x);
          float nearest = 1e9f;
          for (const Sides& box : near) nearest = std::min(nearest, distance(box, x));
          const float steps = std::floor((nearest - grid.low) / grid.step);
          values[place] = static_cast<std::uint8_t>(std::min(std::max(steps, 0.0f), 255.0f));
        }
      }
    }
  }
  grid.owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(values));
  grid.cells = grid.owner->data();
  return grid;
}

// All numbers of a box, which outlive the shape that it is of.
using Numbers = std::array<double, 16>;

std::vector<Numbers> numbers_of(const std::vector<BodyBox>& boxes) {
  std::vector<Numbers> all;
  for (const BodyBox& box : boxes) {
    Numbers n;
    std::copy(box.center, box.center + 3, n.data());
    std::copy(box.axes, box.axes + 9, n.data() + 3);
    std::copy(box.half, box.half + 3, n.data() + 12);
    n[15] = box.radius;
    all.push_back(n);
  }
  return all;
}

}  // namespace

OwnGrid make_grid(const std::vector<BodyBox>& boxes, float cell) {
  struct Kept {
    std::vector<Numbers> boxes;
    OwnGrid grid;
  };
  static std::mutex mutex;
  static std::vector<Kept> kept;
  constexpr std::size_t kMost = 16;
  if (boxes.empty()) return {};
  std::vector<Numbers> numbers = numbers_of(boxes);
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Kept& one : kept) {
    if (one.boxes == numbers && one.grid.cell == cell) return one.grid;
  }
  if (kept.size() == kMost) kept.erase(kept.begin());
  kept.push_back({std::move(numbers), computed(boxes, cell)});
  return kept.back().grid;
}

}  // namespace baxterkit
