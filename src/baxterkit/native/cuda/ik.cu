// Inverse kinematics of a batch of targets on the GPU, in three kernels, BAXTERKIT_IK: the quick search
// (1), the wide search of what it leaves (2), and the processor's answers to what that leaves (3).
// Without a CUDA compiler `emulate_quick_ik`, `emulate_wide_ik` and `emulate_settle_ik`.
#define BAXTERKIT_CUDA
#include "joint_sincos.hpp"

#include "../generated/kinematics.hpp"
#include "wide_ik.hpp"

using namespace baxterkit;
using namespace baxterkit::BAXTERKIT_ISA;

// A batch: targets (rows, 16), seeds (rows or 1, 7); answers q (rows, 7), errors and codes (rows).
// `undecided` lists the rows that the quick search leaves, `rest` those that the wide one leaves too,
// with their targets and seeds. `count` says how many are in the two lists, and the number of a target
// that is not rigid, from 1 on.
struct Targets {
  const double *T, *seed;
  double *q, *position_error, *orientation_error;
  unsigned char* code;
  unsigned *undecided, *rest, *count;
  double *rest_T, *rest_seed;
  unsigned rows, one_seed;
};

// The processor's answers to the rest.
struct Answers {
  const double *q, *position_error, *orientation_error;
  const unsigned char* code;
  unsigned rows;
};

BK_INLINE unsigned next_place(unsigned* count) {
#if defined(__CUDACC__)
  return atomicAdd(count, 1u);
#else
  return (*count)++;
#endif
}

BK_INLINE const double* seed_of(const Targets& a, unsigned i) {
  return a.seed + (a.one_seed ? 0 : size_t(i) * 7);
}

BK_INLINE void put_row(const Targets& a, unsigned i, const Row& row) {
  a.code[i] = row.code;
  for (int k = 0; k < 7; ++k) a.q[size_t(i) * 7 + k] = row.q[k];
  a.position_error[i] = row.errors[0];
  a.orientation_error[i] = row.errors[1];
}

BK_INLINE void quick_row(const Targets& a, const IkArm& arm, const ik::LaneLimits& lanes, unsigned i) {
  Row row;
  const unsigned char code = solve_target(a.T + size_t(i) * 16, seed_of(a, i), arm, lanes, &row);
  if (code == kUndecided) {
    a.code[i] = kUndecided;
    a.undecided[next_place(a.count)] = i;
    return;
  }
  put_row(a, i, row);
  if (code == kNotRigid) {
    a.code[i] = kNotRigid;
    a.count[2] = i + 1;
  }
}

// What the lanes of a warp have found at one e0 goes to the answer if it is one.
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

BK_INLINE void leave(const Targets& a, unsigned i) {
  const size_t at = next_place(a.count + 1);
  a.rest[at] = i;
  for (int k = 0; k < 16; ++k) a.rest_T[16 * at + k] = a.T[size_t(i) * 16 + k];
  for (int k = 0; k < 7; ++k) a.rest_seed[7 * at + k] = seed_of(a, i)[k];
}

BK_INLINE void settle_row(const Targets& a, const Answers& b, unsigned at) {
  const size_t i = a.rest[at];
  a.code[i] = b.code[at];
  for (int k = 0; k < 7; ++k) a.q[7 * i + k] = b.q[7 * size_t(at) + k];
  a.position_error[i] = b.position_error[at];
  a.orientation_error[i] = b.orientation_error[at];
}

#if defined(__CUDACC__)

#if BAXTERKIT_IK == 1

extern "C" __global__ void __launch_bounds__(128)
    run(const __grid_constant__ Targets targets, const __grid_constant__ IkArm arm) {
  __shared__ ik::LaneLimits lanes;
  if (threadIdx.x == 0) lanes = ik::lane_limits(arm.limits);
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < targets.rows; i += gridDim.x * blockDim.x) {
    quick_row(targets, arm, lanes, i);
  }
}

#elif BAXTERKIT_IK == 2

extern "C" __global__ void __launch_bounds__(128)
    run(const __grid_constant__ Targets targets, const __grid_constant__ IkArm arm) {
  __shared__ ik::LaneLimits lanes;
  if (threadIdx.x == 0) lanes = ik::lane_limits(arm.limits);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const unsigned n = targets.count[0], step = gridDim.x * (blockDim.x / 32);
  for (unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) / 32; at < n; at += step) {
    const unsigned i = targets.undecided[at];
    const double* seed = seed_of(targets, i);
    double pose[12], hand[12], q[7];
    hand_pose(arm.frames, targets.T + size_t(i) * 16, pose, hand);
    const ik::Target t = ik::make_target(hand);
    const double base = ik::clip(arm.limits, 2, seed[2]);
    bool done = false;
    for (int round = 0; round < kRounds && !done; ++round) {
      const double e0 = wide_e0(t, arm.limits, base, round, lane);
      const bool found = solve_at(t, e0, arm, lanes, seed, q) >= 0;
      // lanes go outward from the seed's e0: the first that will do
      for (unsigned left = __ballot_sync(~0u, found); left && !done; left &= left - 1) {
        const int who = __ffs(left) - 1;
        bool taken = false;
        if (lane == who) taken = take_found(targets, arm, pose, i, q);
        done = __shfl_sync(~0u, int(taken), who);
      }
    }
    if (!done && lane == 0) leave(targets, i);
  }
}

#else

extern "C" __global__ void __launch_bounds__(128)
    run(const __grid_constant__ Targets targets, const __grid_constant__ Answers answers) {
  for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < answers.rows; at += gridDim.x * blockDim.x) {
    settle_row(targets, answers, at);
  }
}

#endif

#else

extern "C" void emulate_quick_ik(const Targets* targets, const IkArm* arm) {
  const ik::LaneLimits lanes = ik::lane_limits(arm->limits);
  for (unsigned i = 0; i < targets->rows; ++i) quick_row(*targets, *arm, lanes, i);
}

extern "C" void emulate_wide_ik(const Targets* targets, const IkArm* arm) {
  const ik::LaneLimits lanes = ik::lane_limits(arm->limits);
  for (unsigned at = 0; at < targets->count[0]; ++at) {
    const unsigned i = targets->undecided[at];
    const double* seed = seed_of(*targets, i);
    double pose[12], hand[12], q[7];
    hand_pose(arm->frames, targets->T + size_t(i) * 16, pose, hand);
    const ik::Target t = ik::make_target(hand);
    const double base = ik::clip(arm->limits, 2, seed[2]);
    bool done = false;
    for (int round = 0; round < kRounds && !done; ++round) {
      for (int lane = 0; lane < 32 && !done; ++lane) {
        const double e0 = wide_e0(t, arm->limits, base, round, lane);
        if (solve_at(t, e0, *arm, lanes, seed, q) >= 0) done = take_found(*targets, *arm, pose, i, q);
      }
    }
    if (!done) leave(*targets, i);
  }
}

extern "C" void emulate_settle_ik(const Targets* targets, const Answers* answers) {
  for (unsigned at = 0; at < answers->rows; ++at) settle_row(*targets, *answers, at);
}

#endif
