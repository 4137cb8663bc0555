#include "collision_shape.hpp"

#include "collision_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace baxterkit {
namespace {

constexpr double kAway = 1e6;  // [m]: where spare lanes are

double apart(const double* a, const double* b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                   (a[2] - b[2]) * (a[2] - b[2]));
}

// A small sphere around capsules: from the middle of their bounds, pulled towards the farthest.
BodySphere around(const BodyCapsule* capsules, int n) {
  BodySphere s = {{0, 0, 0}, 0.0};
  if (n == 0) return s;
  double low[3], high[3];
  for (int i = 0; i < 3; ++i) {
    low[i] = 1e9;
    high[i] = -1e9;
    for (int k = 0; k < n; ++k) {
      const BodyCapsule& c = capsules[k];
      low[i] = std::min({low[i], c.start[i] - c.radius, c.end[i] - c.radius});
      high[i] = std::max({high[i], c.start[i] + c.radius, c.end[i] + c.radius});
    }
    s.center[i] = 0.5 * (low[i] + high[i]);
  }
  double step = 0.5;
  for (int round = 0; round < 400; ++round, step *= 0.98) {
    const double* farthest = nullptr;
    s.radius = 0.0;
    for (int k = 0; k < n; ++k) {
      for (const double* end : {capsules[k].start, capsules[k].end}) {
        const double reach = apart(s.center, end) + capsules[k].radius;
        if (reach > s.radius) {
          s.radius = reach;
          farthest = end;
        }
      }
    }
    if (round == 399 || !farthest) break;
    for (int i = 0; i < 3; ++i) s.center[i] += 0.02 * step * (farthest[i] - s.center[i]);
  }
  return s;
}

// How deep a point is inside capsules, or minus its distance from them.
double depth(const BodyCapsule* capsules, int n, const double* x) {
  double deepest = -kAway;
  for (int k = 0; k < n; ++k) {
    const BodyCapsule& c = capsules[k];
    double along = 0.0, squared = 0.0, near[3];
    for (int i = 0; i < 3; ++i) {
      along += (x[i] - c.start[i]) * (c.end[i] - c.start[i]);
      squared += (c.end[i] - c.start[i]) * (c.end[i] - c.start[i]);
    }
    const double t = std::min(std::max(along / squared, 0.0), 1.0);
    for (int i = 0; i < 3; ++i) near[i] = c.start[i] + t * (c.end[i] - c.start[i]);
    deepest = std::max(deepest, c.radius - apart(near, x));
  }
  return deepest;
}

// Some of a list of numbers.
struct Range {
  int *first, *last;
  int operator[](std::ptrdiff_t i) const { return first[i]; }
};

// Splits numbers into groups of eight at most, halving along the longest side of their centers,
// center(number); orders the numbers so that those of a group follow each other.
template <class Center>
void split(Range members, const Center& center, std::vector<Range>& groups) {
  const std::ptrdiff_t n = members.last - members.first;
  if (n <= kEight) {
    if (n) groups.push_back(members);
    return;
  }
  double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
  for (const int* m = members.first; m < members.last; ++m) {
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], center(*m)[i]);
      high[i] = std::max(high[i], center(*m)[i]);
    }
  }
  int axis = 0;
  for (int i = 1; i < 3; ++i) {
    if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
  }
  const auto before = [&](int a, int b) {
    const double x = center(a)[axis], y = center(b)[axis];
    return x < y || (x == y && a < b);
  };
  const std::ptrdiff_t blocks = (n + kEight - 1) / kEight;
  int* const middle = members.first + (n <= 2 * kEight ? n / 2 : kEight * (blocks / 2));
  // A whole group is sorted when it is made; larger parts need not be.
  if (n <= 3 * kEight) std::sort(members.first, members.last, before);
  else std::nth_element(members.first, middle, members.last, before);
  split({members.first, middle}, center, groups);
  split({middle, members.last}, center, groups);
}

CapsuleBlock capsule_block(const std::vector<BodyCapsule>& all, const Range& members, int number) {
  CapsuleBlock b = {};
  b.count = static_cast<int>(members.last - members.first);
  for (int i = 0; i < kEight; ++i) {
    if (i >= b.count) {
      b.start[0][i] = b.middle[0][i] = kAway;
      b.span[0][i] = b.squared[i] = 1.0;
      b.number[i] = -1;
      continue;
    }
    const BodyCapsule& c = all[members[i]];
    double squared = 0.0;
    for (int j = 0; j < 3; ++j) {
      b.start[j][i] = c.start[j];
      b.span[j][i] = c.end[j] - c.start[j];
      b.middle[j][i] = static_cast<float>(0.5 * (c.start[j] + c.end[j]));
      b.half[j][i] = static_cast<float>(0.5 * b.span[j][i]);
      squared += b.span[j][i] * b.span[j][i];
    }
    b.radius[i] = c.radius;
    b.round[i] = static_cast<float>(c.radius);
    b.squared[i] = squared;
    b.quarter[i] = static_cast<float>(0.25 * squared);
    b.over[i] = static_cast<float>(4.0 / squared);
    b.reach[i] = static_cast<float>(0.5 * std::sqrt(squared) + c.radius);
    b.number[i] = number + members[i];
  }
  return b;
}

BoxBlock box_block(const std::vector<BodyBox>& all, const std::vector<std::uint32_t>& links,
                   const Range& members, int number) {
  BoxBlock b = {};
  b.count = static_cast<int>(members.last - members.first);
  b.head = all[members[0]].link == kHead;
  std::fill(b.low, b.low + 3, 1e9f);
  std::fill(b.high, b.high + 3, -1e9f);
  for (int i = 0; i < kEight; ++i) {
    if (i >= b.count) {
      b.middle[0][i] = kAway;
      b.turn[0][i] = b.turn[4][i] = b.turn[8][i] = 1.0f;
      b.number[i] = -1;
      continue;
    }
    const BodyBox& box = all[members[i]];
    double squared = 0.0;
    for (int j = 0; j < 3; ++j) {
      b.middle[j][i] = static_cast<float>(box.center[j]);
      b.side[j][i] = static_cast<float>(box.half[j]);
      squared += box.half[j] * box.half[j];
      const double reach = std::fabs(box.axes[j]) * box.half[0] + std::fabs(box.axes[3 + j]) * box.half[1] +
                           std::fabs(box.axes[6 + j]) * box.half[2];
      b.low[j] = std::min(b.low[j], static_cast<float>(box.center[j] - reach));
      b.high[j] = std::max(b.high[j], static_cast<float>(box.center[j] + reach));
    }
    for (int j = 0; j < 9; ++j) b.turn[j][i] = static_cast<float>(box.axes[j]);
    b.round[i] = static_cast<float>(box.radius);
    b.roundest = std::max(b.roundest, b.round[i]);
    b.reach[i] = static_cast<float>(std::sqrt(squared) + box.radius);
    b.number[i] = number + members[i];
    b.allowed |= links[members[i]];
    for (int link = 0; link < kMoving; ++link) {
      b.lanes[link] |= static_cast<std::uint8_t>((links[members[i]] >> link & 1u) << i);
    }
  }
  return b;
}

// Nodes above blocks first ... last - 1, which are neighbours in space; the number of the topmost.
int join(BodyShape& shape, int first, int last) {
  BoundNode node = {};
  if (last - first == 1) {
    const BoxBlock& b = shape.boxes[first];
    std::copy(b.low, b.low + 3, node.low);
    std::copy(b.high, b.high + 3, node.high);
    node.roundest = b.roundest;
    node.allowed = b.allowed;
    node.block = first;
  } else {
    const int middle = (first + last) / 2;
    node.block = -1;
    node.child[0] = join(shape, first, middle);
    node.child[1] = join(shape, middle, last);
    const BoundNode &a = shape.bounds[node.child[0]], &b = shape.bounds[node.child[1]];
    for (int i = 0; i < 3; ++i) {
      node.low[i] = std::min(a.low[i], b.low[i]);
      node.high[i] = std::max(a.high[i], b.high[i]);
    }
    node.roundest = std::max(a.roundest, b.roundest);
    node.allowed = a.allowed | b.allowed;
  }
  shape.bounds.push_back(node);
  return static_cast<int>(shape.bounds.size()) - 1;
}

// The pairs that are checked, as lists. The greater link comes first: fewer of its capsules are near the
// other one's sphere.
void set_lists(BodyShape& shape) {
  shape.link_pairs = shape.standing_pairs = 0;
  for (int part = 0; part < kBodyParts; ++part) {
    for (int link = 0; link < kMoving; ++link) {
      if (!(shape.part_allowed[part] >> link & 1)) continue;
      shape.standing_pair[shape.standing_pairs++] = {link, part};
    }
  }
  for (int one = 0; one < kMoving; ++one) {
    for (int other = one + 1; other < kMoving; ++other) {
      if (!(shape.allowed[one] >> other & 1)) continue;
      const bool swap = shape.link_reach[one] < shape.link_reach[other];
      shape.link_pair[shape.link_pairs++] = {swap ? other : one, swap ? one : other};
    }
  }
}

}  // namespace

bool set_capsules(BodyShape& shape, const std::vector<BodyCapsule> (&capsules)[2]) {
  int number = 0;
  for (int arm = 0; arm < 2; ++arm) {
    const std::vector<BodyCapsule>& all = capsules[arm];
    shape.capsule[arm] = all;
    int blocks = 0;
    std::size_t first = 0;
    for (int k = 0; k < kArmLinks; ++k) {
      shape.block_first[arm][k] = blocks;
      std::size_t last = first;
      std::vector<int> members;
      while (last < all.size() && all[last].link == k) members.push_back(static_cast<int>(last++));
      std::vector<Range> groups;
      split({members.data(), members.data() + members.size()}, [&](int n) { return all[n].start; }, groups);
      for (const Range& group : groups) {
        if (blocks == kMaxBlocks) return false;
        shape.block[arm][blocks++] = capsule_block(all, group, number);
      }
      const int n = link_of(arm, k);
      shape.link_bound[n] = around(all.data() + first, static_cast<int>(last - first));
      shape.link_reach[n] = static_cast<float>(shape.link_bound[n].radius);
      shape.link_depth[n] = static_cast<float>(
          depth(all.data() + first, static_cast<int>(last - first), shape.link_bound[n].center));
      first = last;
    }
    shape.block_first[arm][kArmLinks] = blocks;
    shape.held = (arm > 0 && shape.held) || blocks > shape.block_first[arm][kHeld];
    number += static_cast<int>(all.size());
  }
  return true;
}

void set_reaches(BodyShape& shape, const double* reaches) {
  std::copy(reaches, reaches + 2 * kArmLinks * 7, &shape.axis_reach[0][0][0]);
  for (int arm = 0; arm < 2; ++arm) {
    for (int j = 0; j < 7; ++j) {
      for (int k = 0; k < kEight; ++k) {
        shape.axis_lanes[arm][j][k] = static_cast<float>(shape.axis_reach[arm][k][j]);
      }
    }
  }
}

void set_boxes(BodyShape& shape, const std::vector<std::uint32_t>& links) {
  const std::vector<BodyBox>& boxes = shape.box;
  shape.boxes.clear();
  shape.boxes.reserve(boxes.size() / kEight + kBodyParts + 1);
  const int number = static_cast<int>(shape.capsule[0].size() + shape.capsule[1].size());
  double farthest = 4.0;  // [m]: all of the robot is nearer
  for (const BodyBox& box : boxes) {
    double reach = box.radius;
    for (int i = 0; i < 3; ++i) reach += std::fabs(box.center[i]) + box.half[i];
    farthest = std::max(farthest, reach);
  }
  for (int part = kTorso; part <= kWorld; ++part) {
    std::vector<int> members;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].link == part && links[i]) members.push_back(static_cast<int>(i));
    }
    if (part == kWorld) {
      shape.body_blocks = static_cast<int>(shape.boxes.size());
      shape.part_first[kBodyParts] = shape.body_blocks;
    } else {
      shape.part_first[part - kTorso] = static_cast<int>(shape.boxes.size());
      std::vector<BodyBox> own;
      std::uint32_t allowed = 0;
      for (int i : members) {
        own.push_back(boxes[i]);
        allowed |= links[i];
      }
      shape.part_allowed[part - kTorso] = allowed;
      shape.grid[part - kTorso] = make_grid(own);
    }
    std::vector<Range> groups;
    split({members.data(), members.data() + members.size()}, [&](int n) { return boxes[n].center; }, groups);
    for (const Range& group : groups) {
      shape.boxes.push_back(box_block(boxes, links, group, number));
    }
  }
  shape.margin = 2e-6 * farthest;
  set_lists(shape);
  shape.bounds.clear();
  shape.world = 0;
  const int blocks = static_cast<int>(shape.boxes.size());
  if (blocks > shape.body_blocks) {
    shape.bounds.reserve(2 * static_cast<std::size_t>(blocks - shape.body_blocks));
    shape.world = shape.bounds[join(shape, shape.body_blocks, blocks)].allowed;
  }
}

void set_others(BodyShape& shape, const std::vector<BodyCylinder>& cylinders,
                const std::vector<BodyPlane>& planes) {
  shape.cylinder = cylinders;
  shape.plane = planes;
  double farthest = 4.0;
  for (const BodyCylinder& c : cylinders) {
    shape.world |= c.allowed;
    double reach = c.radius + c.half;
    for (double x : c.center) reach += std::fabs(x);
    farthest = std::max(farthest, reach);
  }
  for (const BodyPlane& p : planes) {
    shape.world |= p.allowed;
    farthest = std::max(farthest, std::fabs(p.offset));
  }
  shape.margin = std::max(shape.margin, 2e-6 * farthest);
}

}  // namespace baxterkit
