#include <algorithm>
#include <cmath>
#include <cstring>

#include "collision_grid.hpp"
#include "collision_shape.hpp"

namespace baxterkit {
namespace {

constexpr std::size_t kAlign = 64;

// Arrays one after another, at addresses that will be.
class Arrays {
 public:
  Arrays(std::uint64_t address, std::vector<unsigned char>& bytes) : address_(address), bytes_(bytes) {}

  template <class T>
  const T* put(const T* from, std::size_t count) {
    const std::size_t at = (bytes_.size() + kAlign - 1) / kAlign * kAlign, size = count * sizeof(T);
    bytes_.resize(at + size);
    if (size) std::memcpy(bytes_.data() + at, from, size);
    return reinterpret_cast<const T*>(address_ + at);
  }
  template <class T>
  Span<T> span(const std::vector<T>& from) {
    return {put(from.data(), from.size()), static_cast<long long>(from.size())};
  }

 private:
  std::uint64_t address_;
  std::vector<unsigned char>& bytes_;
};

CoarseCapsule coarse(const CapsuleBlock& block, int lane) {
  CoarseCapsule c = {};
  for (int i = 0; i < 3; ++i) {
    c.middle[i] = block.middle[i][lane];
    c.half[i] = block.half[i][lane];
  }
  c.round = block.round[lane];
  c.reach = block.reach[lane];
  c.quarter = block.quarter[lane];
  c.over = block.over[lane];
  return c;
}

void put_capsules(const BodyShape& shape, Arrays& arrays, PackedBody& body) {
  std::vector<CoarseCapsule> all(shape.capsule[0].size() + shape.capsule[1].size());
  for (int arm = 0, first = 0; arm < 2; ++arm) {
    for (int b = 0; b < shape.block_first[arm][kArmLinks]; ++b) {
      const CapsuleBlock& block = shape.block[arm][b];
      for (int i = 0; i < block.count; ++i) all[block.number[i]] = coarse(block, i);
    }
    for (int k = 0; k < kArmLinks; ++k) {
      const auto count = std::count_if(shape.capsule[arm].begin(), shape.capsule[arm].end(),
                                       [k](const BodyCapsule& c) { return c.link == k; });
      body.link_first[link_of(arm, k)] = first;
      body.link_count[link_of(arm, k)] = static_cast<int>(count);
      first += static_cast<int>(count);
    }
    body.capsule[arm] = arrays.span(shape.capsule[arm]);
  }
  body.coarse = arrays.put(all.data(), all.size());
}

CoarseBox coarse(const BoxBlock& block, int lane) {
  CoarseBox box = {};
  for (int i = 0; i < 3; ++i) {
    box.middle[i] = block.middle[i][lane];
    box.side[i] = block.side[i][lane];
  }
  for (int i = 0; i < 9; ++i) box.turn[i] = block.turn[i][lane];
  box.round = block.round[lane];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) box.extent[i] += std::fabs(box.turn[3 * j + i]) * box.side[j];
  }
  box.number = block.number[lane];
  for (int link = 0; link < kMoving; ++link) box.allowed |= (block.lanes[link] >> lane & 1u) << link;
  return box;
}

void put_boxes(const BodyShape& shape, Arrays& arrays, PackedBody& body) {
  std::vector<CoarseBox> all;
  std::vector<int> first;  // of each block
  for (const BoxBlock& block : shape.boxes) {
    first.push_back(static_cast<int>(all.size()));
    for (int i = 0; i < block.count; ++i) all.push_back(coarse(block, i));
  }
  first.push_back(static_cast<int>(all.size()));
  for (int part = 0; part <= kBodyParts; ++part) body.part_first[part] = first[shape.part_first[part]];
  std::vector<PackedNode> nodes;
  for (const BoundNode& from : shape.bounds) {
    PackedNode node = {};
    std::copy(from.low, from.low + 3, node.low);
    std::copy(from.high, from.high + 3, node.high);
    node.roundest = from.roundest;
    node.allowed = from.allowed;
    if (from.block < 0) {
      node.first = from.child[0];
      node.second = from.child[1];
    } else {
      node.count = shape.boxes[from.block].count;
      node.first = first[from.block];
    }
    nodes.push_back(node);
  }
  std::vector<PackedBox> exact;
  const BoxAxes* axes = shape.axes.data();
  for (const BodyBox& from : shape.box) {
    PackedBox box = {};
    std::copy(from.center, from.center + 3, box.center);
    std::copy(from.half, from.half + 3, box.half);
    box.radius = from.radius;
    box.axes = static_cast<int>(reinterpret_cast<const BoxAxes*>(from.axes) - axes);
    box.link = from.link;
    exact.push_back(box);
  }
  body.boxes = arrays.put(all.data(), all.size());
  body.nodes = arrays.span(nodes);
  body.box = arrays.span(exact);
  body.axes = reinterpret_cast<const double*>(arrays.put(axes, shape.axes.size()));
}

// The boxes of a part that are checked against anything.
std::vector<BodyBox> boxes_of(const BodyShape& shape, int part) {
  const auto capsules = shape.capsule[0].size() + shape.capsule[1].size();
  std::vector<BodyBox> own;
  for (int k = shape.part_first[part]; k < shape.part_first[part + 1]; ++k) {
    const BoxBlock& block = shape.boxes[k];
    for (int i = 0; i < block.count; ++i) own.push_back(shape.box[block.number[i] - capsules]);
  }
  return own;
}

// Planes and cylinders.
std::vector<CoarseOther> coarse_others(const BodyShape& shape) {
  std::vector<CoarseOther> all;
  const auto boxes = shape.capsule[0].size() + shape.capsule[1].size() + shape.box.size();
  for (const BodyPlane& plane : shape.plane) {
    CoarseOther one = {};
    for (int i = 0; i < 3; ++i) one.axis[i] = static_cast<float>(plane.normal[i]);
    one.offset = static_cast<float>(plane.offset);
    one.allowed = plane.allowed;
    one.plane = 1;
    one.number = static_cast<int>(boxes + shape.cylinder.size() + all.size());
    all.push_back(one);
  }
  int number = static_cast<int>(boxes);
  for (const BodyCylinder& cylinder : shape.cylinder) {
    CoarseOther one = {};
    for (int i = 0; i < 3; ++i) {
      one.axis[i] = static_cast<float>(cylinder.axis[i]);
      one.center[i] = static_cast<float>(cylinder.center[i]);
    }
    one.half = static_cast<float>(cylinder.half);
    one.radius = static_cast<float>(cylinder.radius);
    one.reach = static_cast<float>(std::hypot(cylinder.half, cylinder.radius));
    one.allowed = cylinder.allowed;
    one.number = number++;
    all.push_back(one);
  }
  return all;
}

}  // namespace

PackedBody pack(const BodyShape& shape, std::uint64_t address, float cell,
                std::vector<unsigned char>& bytes) {
  PackedBody body = {};
  Arrays arrays(address, bytes);
  put_capsules(shape, arrays, body);
  put_boxes(shape, arrays, body);
  body.cylinder = arrays.span(shape.cylinder);
  body.plane = arrays.span(shape.plane);
  body.others = arrays.span(coarse_others(shape));
  std::copy(&shape.mount[0][0], &shape.mount[0][0] + 24, &body.mount[0][0]);
  std::copy(shape.pan, shape.pan + 12, body.pan);
  for (int part = 0; part < kBodyParts; ++part) {
    const auto put = [&](const OwnGrid& grid, PartGrid& to) {
      to = grid;
      if (grid.owner) to.cells = arrays.put(grid.cells, grid.owner->size());
    };
    put(make_grid(boxes_of(shape, part), cell), body.grid[part]);
    put(shape.grid[part], body.coarse_grid[part]);
  }
  body.margin = static_cast<float>(shape.margin);
  for (int link = 0; link < kMoving; ++link) {
    for (int i = 0; i < 3; ++i) {
      body.link_middle[link][i] = static_cast<float>(shape.link_bound[link].center[i]);
    }
    body.link_reach[link] = shape.link_reach[link];
    body.link_depth[link] = shape.link_depth[link];
  }
  for (int arm = 0; arm < 2; ++arm) {
    for (int j = 0; j < 7; ++j) {
      double farthest = 0.0;
      for (int k = j; k < (shape.held ? kArmLinks : kHeld); ++k) {
        farthest = std::max(farthest, shape.axis_reach[arm][k][j]);
      }
      body.axis_reach[arm][j] = static_cast<float>(1.00001 * farthest);
    }
  }
  body.world = shape.world;
  body.held = shape.held;
  int n = 0;
  for (int part = 0; part < kBodyParts; ++part) {
    body.standing_first[part] = n;
    for (int link = 0; link < kMoving; ++link) {
      if (shape.part_allowed[part] >> link & 1) body.standing_link[n++] = static_cast<unsigned char>(link);
    }
  }
  body.standing_first[kBodyParts] = n;
  for (int one = 0; one < kMoving; ++one) {
    body.allowed[one] = shape.allowed[one];
    for (int other = one + 1; other < kMoving; ++other) {
      if (!(shape.allowed[one] >> other & 1)) continue;
      body.pair_link[body.pair_count][0] = static_cast<unsigned char>(one);
      body.pair_link[body.pair_count][1] = static_cast<unsigned char>(other);
      body.pair_reach[body.pair_count++] = shape.link_reach[one] + shape.link_reach[other];
    }
  }
  return body;
}

}  // namespace baxterkit
