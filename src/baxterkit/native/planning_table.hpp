// What to plan, what is found, and the planners of one instruction set as a table.
#pragma once

#include <cstdint>
#include <vector>

#include "collision_table.hpp"

namespace baxterkit {

constexpr int kPlanJoints = 14;  // left arm, then right arm

// What to plan, and how far to look.
struct PlanTask {
  const BodyShape* body;
  const double* start;              // (14,)
  const double* goals;              // (goal_count, 14); joints that stay are those of the start
  int goal_count;
  double lower[kPlanJoints], upper[kPlanJoints];
  bool moves[2];                    // the left arm, the right arm
  double head, padding;
  double range;                     // longest edge [rad], Euclidean
  double step;                      // between the configurations of an edge that are looked at first [rad]
  double one_arm;                   // share of the samples that move one arm, where both may move
  std::int64_t patience;            // blocked steps in a row until a tree takes shorter ones; 0: never
  std::int64_t samples;             // most that are drawn
  double seconds;                   // most that it takes
  std::uint64_t seed;
  bool keep_trees = false;          // whether to give the edges of the trees too
};

enum class PlanEnd : int { kFound = 0, kSamples = 1, kTime = 2, kStopped = 3 };

struct PlanPath {
  PlanEnd end = PlanEnd::kSamples;
  int goal = -1;                    // which goal it leads to
  std::vector<double> points;       // (n, 14), both ends included
  std::int64_t samples = 0, verdicts = 0, proofs = 0, refuted = 0;
  int nodes[2] = {0, 0};            // of the trees at the start and at the goals
  std::vector<double> edges[2];     // (n, 2, 14): parent and child, where they are to be kept
};

// Whether the caller wants to stop; asked now and then.
struct PlanStop {
  bool (*asks)(void*);
  void* of;
};

struct PlanTable {
  // Start and goals must be finite, free and within the limits.
  void (*rrt_connect)(const PlanTask& task, const PlanStop& stop, PlanPath* path);
  // The path (n, 14) with corners cut where the straight line is free, in `rounds` attempts, and how
  // far before and after each corner a parabola may round it, at most `most` [rad].
  void (*smooth)(const PlanTask& task, const PlanStop& stop, int rounds, double most,
                 std::vector<double>* points, std::vector<double>* roundings);
};

}  // namespace baxterkit
