// The quick search of one target in one thread. What it settles is certain; the rest is left to the
// searches after it, the processor's complete one in the end.
#pragma once

#include "../ik/e0_scan.hpp"
#include "../ik/lane_search.hpp"
#include "../ik_answer.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr unsigned char kUndecided = 255;  // beside the codes of IkStatus
constexpr unsigned char kNotRigid = 254;

// An arm, as its targets and limits need it.
struct IkArm {
  IkFrames frames;
  ik::Limits limits;
  double mount[12], tool[12];  // as in Parameters
};

struct TipPose {
  const IkArm& arm;
  BK_INLINE void operator()(const double* q, double* T) const {
    double s[7], c[7];
    BK_UNROLL for (int k = 0; k < 7; ++k) joint_sincos(q[k], s[k], c[k]);
    generated::fk(s, c, arm.mount, arm.tool, T);
  }
};

// The search of one target, one e0 after another. At the first e0 where solutions within the limits are
// found, the one nearest to the seed. Undecided: none is found. (The processor's quick search looks
// closer at an e0 where it cannot be certain of having found all of them; here those that are found will
// do.)
class QuickSearch {
 public:
  unsigned char code = kUndecided;

  // T: T_base_tip, 16 numbers. True if there is something to search for.
  BK_INLINE bool begin(const double* T, const double* seed, const IkArm& arm) {
    double pose[12], hand[12];
    code = kUndecided;
    if (!hand_pose(arm.frames, T, pose, hand)) {
      code = kNotRigid;
      return false;
    }
    const ik::Target t = ik::make_target(hand);
    if (ik::wrist_out_of_reach(t)) {
      code = kOutOfReach;
      return false;
    }
    ik::fill_task(t, &w.task[0]);
    for (int k = 0; k < 7; ++k) w.seed[0][k] = seed[k];
    base = ik::clip(arm.limits, 2, seed[2]);
    at = 0;
    return true;
  }

  // One e0; true if the search goes on.
  BK_INLINE bool go_on(const IkArm& arm, const ik::LaneLimits& lanes) {
    while (at < ik::kSlices) {
      w.e0[0] = ik::even_e0({}, base, ik::scan_order(at++));  // joints are in the turn around 0
      if (ik::violation(arm.limits, 2, w.e0[0]) > 0) continue;
      w.outcome[0] = ik::kNothing, w.uncertain[0] = false;
      ik::wave_roots(lanes, 1, &w);
      ik::wave_starts(lanes, &w);
      ik::wave_solutions(arm.limits, &w);
      if (w.outcome[0] != ik::kFound || ik::worst_violation(arm.limits, w.q[0]) > 0) return true;
      code = kSolved;
      return false;
    }
    return false;
  }

  // The answer; false if forward kinematics does not confirm it.
  BK_INLINE bool answer(const double* T, const IkArm& arm, Row* row) const {
    const bool solved = code == kSolved;
    row->code = solved ? kSolved : kOutOfReach;
    double pose[12];
    if (solved) rigid(T, pose);
    for (int k = 0; k < 7; ++k) row->q[k] = w.q[0][k];
    finish_row(TipPose{arm}, pose, row);
    return row->code == (solved ? kSolved : kOutOfReach);
  }

 private:
  ik::LaneWave w;
  double base;
  int at;
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
