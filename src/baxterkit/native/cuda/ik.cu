// Inverse kinematics of a batch of targets on the GPU, in kernels, BAXTERKIT_IK: the quick search (1),
// the proof that what it leaves is infeasible (2), the wide search of what that leaves (3), the
// processor's answers to the rest (4), and for the objective "nearest" the nearest solution where there is
// one (5). Without a CUDA compiler `emulate_quick_ik` and so on.
#define BAXTERKIT_CUDA
#include "joint_sincos.hpp"

#include "../generated/kinematics.hpp"
#include "nearest_ik.hpp"
#include "wide_ik.hpp"

using namespace baxterkit;
using namespace baxterkit::BAXTERKIT_ISA;

// A batch: targets (rows, 16), seeds (rows or 1, 7); answers q (rows, 7), errors and codes (rows).
// `undecided` lists the rows that the quick search leaves, `unproven` those of them that are neither proven
// infeasible nor solved by that, `rest` those that the wide search leaves too, with their targets and seeds. `count` says how many are in
// the three lists, the number of a target that is not rigid, from 1 on, and how many rows are taken.
enum Count { kUndecidedRows, kUnprovenRows, kRestRows, kWrongRow, kTakenRows };
struct Targets {
  const double *T, *seed;
  double *q, *position_error, *orientation_error;
  unsigned char* code;
  unsigned *undecided, *unproven, *rest, *count;
  double *rest_T, *rest_seed;
  unsigned rows, one_seed;
};

// The processor's answers to the rest.
struct Answers {
  const double *q, *position_error, *orientation_error;
  const unsigned char* code;
  unsigned rows;
};

BK_INLINE const double* target_of(const Targets& a, unsigned i) { return a.T + size_t(i) * 16; }
BK_INLINE const double* seed_of(const Targets& a, unsigned i) {
  return a.seed + (a.one_seed ? 0 : size_t(i) * 7);
}

BK_INLINE void put_row(const Targets& a, unsigned i, const Row& row) {
  a.code[i] = row.code;
  for (int k = 0; k < 7; ++k) a.q[size_t(i) * 7 + k] = row.q[k];
  a.position_error[i] = row.errors[0];
  a.orientation_error[i] = row.errors[1];
}

// What a quick search has come to.
BK_INLINE void put_answer(const Targets& a, const IkArm& arm, unsigned i, const QuickSearch& search) {
  if (search.code != kUndecided) {
    Row row;
    if (search.answer(target_of(a, i), arm, &row)) {
      put_row(a, i, row);
      if (search.code != kNotRigid) return;
      a.code[i] = kNotRigid;
      a.count[kWrongRow] = i + 1;
      return;
    }
  }
  a.code[i] = kUndecided;
  a.undecided[reserve_one(a.count + kUndecidedRows)] = i;
}

// A warp's searches, a row for each thread. Searches take from one e0 to dozens; those that have ended wait
// until so many have, then all of these answer and take new rows.
constexpr int kWaiting = kLanes < 4 ? kLanes : 4;
BK_INLINE void search_quickly(const Targets& a, const IkArm& arm, const ik::LaneLimits& lanes) {
  QuickSearch search;
  unsigned row = 0;
  bool has_row = false, searches = false, more = true;
  while (true) {
    const unsigned waiting = which_of_warp(!searches);
    const int n = count_bits(waiting);
    if (n == kLanes || (more && n >= kWaiting)) {
      if (has_row && !searches) put_answer(a, arm, row, search);
      unsigned first = 0;
      if (more && own_lane() == 0) first = take_places(a.count + kTakenRows, n);
      first = of_lane(first, 0);
      if (!searches) {
        row = first + count_before(waiting);
        has_row = more && row < a.rows;
        if (has_row) searches = search.begin(target_of(a, row), seed_of(a, row), arm);
      }
      more = more && first + n < a.rows;
      if (!any_of_warp(has_row)) return;
    }
    if (searches) searches = search.go_on(arm, lanes);
  }
}

BK_INLINE ik::Target target_at(const Targets& a, const IkArm& arm, unsigned i, double* pose) {
  double hand[12];
  hand_pose(arm.frames, target_of(a, i), pose, hand);
  return ik::make_target(hand);
}

// What a thread has found at one e0 goes to the answer if it is one.
BK_INLINE bool take_found(const Targets& a, const IkArm& arm, const double* pose, unsigned i,
                          const double* q) {
  Row row;
  row.code = kSolved;
  for (int k = 0; k < 7; ++k) row.q[k] = q[k];
  finish_row(TipPose{arm}, pose, &row);
  if (row.code != kSolved) return false;
  put_row(a, i, row);
  return true;
}

// What threads of a warp have found goes to the answer: the first that is one. All of them come here.
BK_INLINE bool take_first(const Targets& a, const IkArm& arm, const double* pose, unsigned i, bool found,
                          const double* q) {
  for (unsigned left = which_of_warp(found); left; left &= left - 1) {
    const int who = lowest(left);
    const bool taken = own_lane() == who && take_found(a, arm, pose, i, q);
    if (of_lane(taken, who)) return true;
  }
  return false;
}

// A row by a warp: infeasible, solved, or left to the wide search.
BK_INLINE void prove(const Targets& a, const IkArm& arm, unsigned i, unsigned* stack) {
  double pose[12], q[7];
  const ik::Target t = target_at(a, arm, i, pose);
  bool found = false;
  const auto solve = [&](const PsiBounds& bounds) {
    const double e0 = ik::wrap_joint(t, 2, bounds.middle_e0());
    double s3, c3;
    joint_sincos(e0, s3, c3);
    return found = solve_start(t, e0, c3, s3, arm.limits, bounds.start(), q);
  };
  const Proof proof = look_everywhere(t, arm.limits, stack, solve);
  if (proof == kFeasible && take_first(a, arm, pose, i, found, q)) return;
  const bool infeasible = proof == kInfeasible && some_solution(t);
  if (own_lane()) return;
  if (infeasible) {
    Row row;
    row.code = kLimits;
    reject(&row);
    put_row(a, i, row);
  } else {
    a.unproven[reserve_one(a.count + kUnprovenRows)] = i;
  }
}

BK_INLINE void leave(const Targets& a, unsigned i) {
  const size_t at = reserve_one(a.count + kRestRows);
  a.rest[at] = i;
  for (int k = 0; k < 16; ++k) a.rest_T[16 * at + k] = a.T[size_t(i) * 16 + k];
  for (int k = 0; k < 7; ++k) a.rest_seed[7 * at + k] = seed_of(a, i)[k];
}

// A row by a warp: solved, or left to the processor.
BK_INLINE void search_widely(const Targets& a, const IkArm& arm, const ik::LaneLimits& lanes, unsigned i) {
  const double* seed = seed_of(a, i);
  double pose[12], q[7];
  const ik::Target t = target_at(a, arm, i, pose);
  const double base = ik::clip(arm.limits, 2, seed[2]);
  BK_NO_UNROLL for (int at = 0; at < kRounds * ik::kSlices; at += kLanes) {
    const double e0 = wide_e0(t, arm.limits, base, at / ik::kSlices, at % ik::kSlices + own_lane());
    const bool found = solve_at(t, e0, arm, lanes, seed, q);
    // lanes go outward from the seed's e0: the first that will do
    if (take_first(a, arm, pose, i, found, q)) return;
  }
  if (own_lane() == 0) leave(a, i);
}

// A row that is solved, by a warp: the nearest solution, or left to the processor.
BK_INLINE void search_nearest(const Targets& a, const IkArm& arm, unsigned i, unsigned* stack) {
  double pose[12], q[7];
  const ik::Target t = target_at(a, arm, i, pose);
  const double* seed = seed_of(a, i);
  bool mine = false;
  const double given = ik::seed_distance(a.q + size_t(i) * 7, seed);
  const bool sure = find_nearest(t, arm.limits, seed, given, stack, q, &mine);
  const bool taken = sure && mine && take_found(a, arm, pose, i, q);
  if (!any_of_warp(taken) && own_lane() == 0) leave(a, i);
}

BK_INLINE void settle_row(const Targets& a, const Answers& b, unsigned at) {
  const size_t i = a.rest[at];
  a.code[i] = b.code[at];
  for (int k = 0; k < 7; ++k) a.q[7 * i + k] = b.q[7 * size_t(at) + k];
  a.position_error[i] = b.position_error[at];
  a.orientation_error[i] = b.orientation_error[at];
}

// The kernels, by the warps or threads that there are: `own` of `all`.
BK_INLINE void prove_all(const Targets& a, const IkArm& arm, unsigned own, unsigned all, unsigned* stack) {
  for (unsigned at = own; at < a.count[kUndecidedRows]; at += all) prove(a, arm, a.undecided[at], stack);
}
BK_INLINE void search_all_widely(const Targets& a, const IkArm& arm, const ik::LaneLimits& lanes,
                                 unsigned own, unsigned all) {
  for (unsigned at = own; at < a.count[kUnprovenRows]; at += all)
    search_widely(a, arm, lanes, a.unproven[at]);
}
BK_INLINE void search_all_nearest(const Targets& a, const IkArm& arm, unsigned own, unsigned all,
                                  unsigned* stack) {
  for (unsigned i = own; i < a.rows; i += all) {
    if (a.code[i] == kSolved) search_nearest(a, arm, i, stack);
  }
}
BK_INLINE void settle_all(const Targets& a, const Answers& b, unsigned own, unsigned all) {
  for (unsigned at = own; at < b.rows; at += all) settle_row(a, b, at);
}

#if defined(__CUDACC__)

constexpr int kThreads = 128;
// On a multiprocessor, at least: fewer registers are worth it, but for the wide search.
constexpr int kBlocks = BAXTERKIT_IK == 1 ? 4 : BAXTERKIT_IK == 2 ? 5 : BAXTERKIT_IK == 5 ? 3 : 1;

#if BAXTERKIT_IK == 4

extern "C" __global__ void __launch_bounds__(kThreads)
    run(const __grid_constant__ Targets targets, const __grid_constant__ Answers answers) {
  settle_all(targets, answers, blockIdx.x * kThreads + threadIdx.x, gridDim.x * kThreads);
}

#else

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    run(const __grid_constant__ Targets targets, const __grid_constant__ IkArm arm) {
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes,
                 warps = gridDim.x * (kThreads / kLanes);
#if BAXTERKIT_IK == 2 || BAXTERKIT_IK == 5
  __shared__ unsigned stacks[kThreads / kLanes][kStack];
  if (BAXTERKIT_IK == 2) prove_all(targets, arm, warp, warps, stacks[threadIdx.x / kLanes]);
  else search_all_nearest(targets, arm, warp, warps, stacks[threadIdx.x / kLanes]);
#else
  __shared__ ik::LaneLimits lanes;
  if (threadIdx.x == 0) lanes = ik::lane_limits(arm.limits);
  __syncthreads();
  if (BAXTERKIT_IK == 1) search_quickly(targets, arm, lanes);
  else search_all_widely(targets, arm, lanes, warp, warps);
#endif
}

#endif

#else

extern "C" void emulate_quick_ik(const Targets* targets, const IkArm* arm) {
  search_quickly(*targets, *arm, ik::lane_limits(arm->limits));
}
extern "C" void emulate_prove_ik(const Targets* targets, const IkArm* arm) {
  unsigned stack[kStack];
  prove_all(*targets, *arm, 0, 1, stack);
}
extern "C" void emulate_nearest_ik(const Targets* targets, const IkArm* arm) {
  unsigned stack[kStack];
  search_all_nearest(*targets, *arm, 0, 1, stack);
}
extern "C" void emulate_wide_ik(const Targets* targets, const IkArm* arm) {
  search_all_widely(*targets, *arm, ik::lane_limits(arm->limits), 0, 1);
}
extern "C" void emulate_settle_ik(const Targets* targets, const Answers* answers) {
  settle_all(*targets, *answers, 0, 1);
}

#endif
