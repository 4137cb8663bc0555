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

// Values of e0 that are tried: those of the processor's quick search in its order, then those halfway
// between them.
constexpr int kTries = 2 * ik::kSlices;

BK_INLINE double try_e0(const ik::Target& t, double base, int i) {
  if (i < ik::kSlices) return ik::even_e0(t, base, ik::scan_order(i));
  const double half_step = ik::kPi / ik::kSlices;
  return ik::even_e0(t, base + half_step, i - ik::kSlices);
}

// At the first e0 where solutions within the limits are found, the one nearest to the seed. Undecided:
// none is found. (The processor's quick search looks closer at an e0 where it cannot be certain of
// having found all of them; here those that are found will do.)
BK_INLINE unsigned char search(const ik::Target& t, const double* seed, const IkArm& arm,
                               const ik::LaneLimits& lanes, double* q) {
  if (ik::wrist_out_of_reach(t)) return kOutOfReach;
  ik::LaneWave w;
  ik::fill_task(t, &w.task[0]);
  for (int k = 0; k < 7; ++k) w.seed[0][k] = seed[k];
  const double base = ik::clip(arm.limits, 2, seed[2]);
  for (int i = 0; i < kTries; ++i) {
    w.e0[0] = try_e0(t, base, i);
    if (ik::violation(arm.limits, 2, w.e0[0]) > 0) continue;
    w.outcome[0] = ik::kNothing, w.uncertain[0] = false;
    ik::wave_roots(lanes, 1, &w);
    ik::wave_starts(lanes, &w);
    ik::wave_solutions(arm.limits, &w);
    if (w.outcome[0] != ik::kFound) continue;
    for (int k = 0; k < 7; ++k) q[k] = w.q[0][k];
    if (ik::worst_violation(arm.limits, q) == 0) return kSolved;
  }
  return kUndecided;
}

// T: T_base_tip, 16 numbers.
BK_INLINE unsigned char solve_target(const double* T, const double* seed, const IkArm& arm,
                                     const ik::LaneLimits& lanes, Row* row) {
  double pose[12], hand[12];
  if (!hand_pose(arm.frames, T, pose, hand)) {
    reject(row);
    return kNotRigid;
  }
  const unsigned char code = search(ik::make_target(hand), seed, arm, lanes, row->q);
  if (code == kUndecided) return code;
  row->code = IkStatus(code);
  finish_row(TipPose{arm}, pose, row);
  return row->code;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
