// RRT-Connect, for one instruction set (BAXTERKIT_ISA).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "random.hpp"
#include "space.hpp"
#include "tree.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kAskEvery = 64;  // samples between two looks at the clock

// RRT-Connect (Kuffner and LaValle 2000): two trees, one from the start and one from the goals.
//
// The smaller tree takes a step towards a random configuration, of one arm or of both; then the other one
// goes towards the new node until it is there or blocked. While they grow, edges are only looked at
// in steps; those of a path are proven when it is found, and what hangs on a refuted one is cut. A
// tree of which many steps in a row are blocked takes shorter ones, until one is free.
class Connect {
 public:
  Connect(const PlanTask& task, const PlanStop& stop, PlanPath* path)
      : task_(task), stop_(stop), path_(path), space_(task, path), random_(task.seed) {
    Point14 point;
    std::copy(task.start, task.start + kPlanJoints, point.q);
    trees_[0].add(point, -1);
    for (int g = 0; g < task.goal_count; ++g) {
      std::copy(task.goals + g * kPlanJoints, task.goals + (g + 1) * kPlanJoints, point.q);
      trees_[1].add(point, -1);
    }
  }

  void run() {
    if (!straight()) grow();
    path_->nodes[0] = trees_[0].size();
    path_->nodes[1] = trees_[1].size();
    if (task_.keep_trees) keep();
  }

 private:
  const PlanTask& task_;
  const PlanStop& stop_;
  PlanPath* path_;
  Space space_;
  Random random_;
  Tree trees_[2];
  std::int64_t blocked_[2] = {0, 0};  // steps towards random configurations in a row

  int steps(double length) const { return std::max(1, static_cast<int>(std::ceil(length / task_.step))); }

  // The edges of both trees, in the order in which they grew; those that were cut are gone.
  void keep() {
    for (int t = 0; t < 2; ++t) {
      const Tree& tree = trees_[t];
      for (int node = 0; node < tree.size(); ++node) {
        if (tree.parent(node) < 0) continue;
        for (const int end : {tree.parent(node), node}) {
          const double* q = tree.at(end).q;
          path_->edges[t].insert(path_->edges[t].end(), q, q + kPlanJoints);
        }
      }
    }
  }

  // The straight line, to the nearest goal first.
  bool straight() {
    const Point14& start = trees_[0].at(0);
    std::vector<std::pair<double, int>> order;
    for (int g = 0; g < task_.goal_count; ++g) order.push_back({distance(start, trees_[1].at(g)), g});
    std::sort(order.begin(), order.end());
    for (const auto& [length, g] : order) {
      if (!space_.looks_free(start, trees_[1].at(g), steps(length))) continue;
      if (!space_.proven(start, trees_[1].at(g))) continue;
      path_->goal = g;
      path_->points.assign(start.q, start.q + kPlanJoints);
      const double* end = trees_[1].at(g).q;
      if (length > 0.0) path_->points.insert(path_->points.end(), end, end + kPlanJoints);
      path_->end = PlanEnd::kFound;
      return true;
    }
    return false;
  }

  void grow() {
    using Clock = std::chrono::steady_clock;
    const auto limit = Clock::now() + std::chrono::duration<double>(task_.seconds);
    while (path_->samples < task_.samples) {
      if (path_->samples % kAskEvery == 0) {
        if (stop_.asks(stop_.of)) {
          path_->end = PlanEnd::kStopped;
          return;
        }
        if (Clock::now() > limit) {
          path_->end = PlanEnd::kTime;
          return;
        }
      }
      ++path_->samples;
      const int a = trees_[0].size() <= trees_[1].size() ? 0 : 1, b = 1 - a;
      const int added = towards_random(trees_[a], range_of(blocked_[a]));
      blocked_[a] = added < 0 ? blocked_[a] + 1 : 0;
      if (added < 0) continue;
      const Point14 target = trees_[a].at(added);
      int node = trees_[b].nearest(target, 0, kPlanJoints);
      bool there = false;
      while (node >= 0 && !there) node = advance(trees_[b], node, target, task_.range, &there);
      if (node >= 0 && finish(a == 0 ? added : node, a == 0 ? node : added)) return;
    }
  }

  double range_of(std::int64_t blocked) const {
    if (task_.patience <= 0 || blocked < task_.patience) return task_.range;
    return (blocked < 4 * task_.patience ? 0.5 : 0.25) * task_.range;
  }

  int towards_random(Tree& tree, double range) {
    // Joints first ... last - 1 take the step.
    int first = task_.moves[0] ? 0 : 7, last = task_.moves[1] ? 14 : 7;
    if (task_.moves[0] && task_.moves[1]) {
      const double u = random_.uniform();
      if (u < 0.5 * task_.one_arm) last = 7;
      else if (u < task_.one_arm) first = 7;
    }
    Point14 wanted;
    for (int j = first; j < last; ++j) {
      wanted.q[j] = task_.lower[j] + random_.uniform() * (task_.upper[j] - task_.lower[j]);
    }
    const int near = tree.nearest(wanted, first, last);
    const Point14 from = tree.at(near);
    for (int j = 0; j < kPlanJoints; ++j) {
      if (j < first || j >= last) wanted.q[j] = from.q[j];
    }
    bool there;
    return advance(tree, near, wanted, range, &there);
  }

  // A step of at most `range` from a node towards a point; the new node, or -1. `there`: it is the
  // point.
  int advance(Tree& tree, int from, const Point14& point, double range, bool* there) {
    const Point14 start = tree.at(from);
    const double gap = distance(start, point);
    *there = gap <= range;
    if (gap == 0.0) return from;
    const Point14 next = *there ? point : between(start, point, range / gap);
    const int n = steps(std::min(gap, range));
    return space_.looks_free(start, next, n) ? tree.add(next, from) : -1;
  }

  // Proves the path through these nodes; cuts the tree where it is refuted.
  bool finish(int from, int to) {
    const int ends[2] = {from, to};
    bool fine = true;
    for (int t = 0; t < 2; ++t) {
      int bad = -1;
      for (int node = ends[t]; trees_[t].parent(node) >= 0; node = trees_[t].parent(node)) {
        if (trees_[t].proven(node)) continue;
        if (space_.proven(trees_[t].at(trees_[t].parent(node)), trees_[t].at(node))) {
          trees_[t].set_proven(node);
        } else {
          bad = node;
        }
      }
      if (bad < 0) continue;
      trees_[t].cut(bad);
      fine = false;
    }
    if (!fine) return false;
    std::vector<Point14> points;
    for (int node = from; node >= 0; node = trees_[0].parent(node)) points.push_back(trees_[0].at(node));
    std::reverse(points.begin(), points.end());
    for (int node = to; node >= 0; node = trees_[1].parent(node)) points.push_back(trees_[1].at(node));
    path_->goal = trees_[1].root(to);  // goals are the first nodes of their tree
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i && std::memcmp(points[i].q, points[i - 1].q, sizeof points[i].q) == 0) continue;
      path_->points.insert(path_->points.end(), points[i].q, points[i].q + kPlanJoints);
    }
    path_->end = PlanEnd::kFound;
    return true;
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
