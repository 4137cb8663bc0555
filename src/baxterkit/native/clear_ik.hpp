// Inverse kinematics of one arm that keeps clear of the rest of the robot and of the world.
#pragma once

#include <cstddef>
#include <vector>

#include "collision_table.hpp"
#include "ik_answer.hpp"
#include "ik_table.hpp"
#include "kernels.hpp"

namespace baxterkit {

// Values of e0 that are tried before a target is given up; FREE_E0 in scene/ik.py.
constexpr int kSweep = 400;

// The arm that moves, and what it must not touch.
struct FreeArm {
  const KernelTable& table;
  const Parameters& parameters;
  const IkFrames& frames;
  const IkLimits& limits;
  const BodyShape& whole;  // all pairs
  const BodyShape& hand;   // pairs of this arm's hand, whose pose the target gives
  int arm;                 // 0: left
  double padding;          // [m]
};

// Targets (n, 4, 4), seeds (n, 7), joint positions of the other arm and pans of the head; a stride of
// zero repeats one row.
struct FreeTargets {
  const double *T, *seed, *other, *head;
  int other_stride, head_stride;
};

// With kCollision: joint positions at which links touch, of all pairs or of the hand's.
struct FreeAnswer {
  Row row;
  double blamed[7];
  bool by_hand;
};

// One for each thread.
class FreeSearch {
 public:
  // `scratch` is that of the inverse kinematics.
  FreeSearch(const FreeArm& arm, void* scratch) : arm_(arm), scratch_(scratch) {}

  // put(i, answer) for each i in [first, last); false if a pose is not rigid, or if it was stopped.
  template <class Put>
  bool run(const FreeTargets& targets, std::ptrdiff_t first, std::ptrdiff_t last, const IkCaller& caller,
           const Put& put) {
    if (!start(targets, first, last, caller)) return false;
    for (std::ptrdiff_t i = first; i < last; ++i) {
      if (caller.stopped(caller.context)) return false;
      FreeAnswer answer;
      finish(targets, i, static_cast<int>(i - first), &answer);
      put(i, answer);
    }
    return true;
  }

 private:
  const FreeArm& arm_;
  void* scratch_;
  // Of a block: poses and quick answers.
  std::vector<double> pose_, hand_, q_, violation_, other_, head_;
  std::vector<unsigned char> code_, hit_;
  // Of one target: solutions.
  std::vector<double> found_, first_, gap_;
  std::vector<unsigned char> hit_of_;

  bool start(const FreeTargets& targets, std::ptrdiff_t first, std::ptrdiff_t last, const IkCaller& caller);
  void finish(const FreeTargets& targets, std::ptrdiff_t i, int at, FreeAnswer* answer);
  bool search(const double* seed, const double* other, const double* head, int at, Row* row);
  void blame(const double* other, const double* head, FreeAnswer* answer);
  BodyRows rows(const double* own, int own_stride, const double* other, int other_stride, const double* head,
                int head_stride) const;
};

}  // namespace baxterkit
