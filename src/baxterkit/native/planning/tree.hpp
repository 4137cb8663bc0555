// Points with their parents, and the nearest of them by looking at all: trees stay small.
#pragma once

#include <vector>

#include "../collision/floats.hpp"
#include "point.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

class Tree {
 public:
  int add(const Point14& point, int parent) {
    const int n = size();
    points_.push_back(point);
    parents_.push_back(parent);
    proven_.push_back(parent < 0);
    if (n % kEight == 0) {
      blocks_.push_back({});
      for (auto& row : blocks_.back().q) {
        for (float& x : row) x = kNowhere;
      }
    }
    Block& block = blocks_.back();
    for (int j = 0; j < kPlanJoints; ++j) block.q[j][n % kEight] = static_cast<float>(point.q[j]);
    return n;
  }
  int size() const { return static_cast<int>(points_.size()); }
  const Point14& at(int node) const { return points_[node]; }
  int parent(int node) const { return parents_[node]; }
  bool proven(int node) const { return proven_[node]; }
  void set_proven(int node) { proven_[node] = true; }
  bool dead(int node) const { return parents_[node] == kDead; }
  int root(int node) const {
    while (parents_[node] >= 0) node = parents_[node];
    return node;
  }

  // Nodes that hang on this one go with it; they are never the nearest again.
  void cut(int node) {
    std::vector<bool> gone(points_.size() - node, false);
    for (int n = node; n < size(); ++n) {
      gone[n - node] = n == node || (parents_[n] >= node && gone[parents_[n] - node]);
      if (!gone[n - node]) continue;
      for (auto& row : blocks_[n / kEight].q) row[n % kEight] = kNowhere;
    }
    for (int n = node; n < size(); ++n) {
      if (gone[n - node]) parents_[n] = kDead;
    }
  }

  // By the joints first ... last - 1.
  int nearest(const Point14& point, int first, int last) const {
    Floats wanted[kPlanJoints];
    for (int j = first; j < last; ++j) wanted[j] = Floats(static_cast<float>(point.q[j]));
    const int middle = (first + last) / 2;
    float least = INFINITY;
    int best = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Floats sum = 0.0f;
      const auto add = [&](int from, int to) {
        for (int j = from; j < to; ++j) {
          const Floats d = Floats::load(blocks_[b].q[j]) - wanted[j];
          sum = sum + d * d;
        }
      };
      add(first, middle);
      if (!below(sum, Floats(least))) continue;  // the other joints only add
      add(middle, last);
      const unsigned nearer = below(sum, Floats(least));
      if (!nearer) continue;
      for (unsigned bits = nearer; bits; bits &= bits - 1) {
        const int i = __builtin_ctz(bits);
        if (sum.v[i] < least) {
          least = sum.v[i];
          best = static_cast<int>(b) * kEight + i;
        }
      }
    }
    return best;
  }

 private:
  static constexpr float kNowhere = 1e15f;
  static constexpr int kDead = -2;
  struct alignas(32) Block {
    float q[kPlanJoints][kEight];
  };
  std::vector<Point14> points_;
  std::vector<int> parents_;
  std::vector<bool> proven_;
  std::vector<Block> blocks_;
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
