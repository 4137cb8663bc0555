// Every solution of targets with joint e0 held, on the GPU, in kernels, BAXTERKIT_ALL: the search of a thread for
// each task, a target at one e0 (1), the processor's answers to what that leaves (2), and rows of
// solutions as wide as asked for (3). Without a CUDA compiler `emulate_all_search` and so on.
#define BAXTERKIT_CUDA
#include "joint_sincos.hpp"

#include "../generated/kinematics.hpp"
#include "quick_ik.hpp"
#include "warp.hpp"

using namespace baxterkit;
using namespace baxterkit::BAXTERKIT_ISA;

// How the rows of an array repeat in a batch: each `repeat` times, then the next of `count`.
struct Repeats {
  unsigned repeat, count;
  BK_INLINE size_t row(size_t task) const { return task / repeat % count; }
};

// A block of tasks, from `first` on: targets (16 numbers) and values of e0 by their patterns. Solutions q
// (rows, room, 7), of which the first count[i] are there. `rest` lists tasks that are left to the
// processor, with their targets and e0. `counts`: how many those are, and the number of a target that is not
// rigid, from 1 on.
enum AllCount { kRestTasks, kWrongTarget };
struct Tasks {
  const double *T, *e0;
  double* q;
  int* count;
  unsigned *rest, *counts;
  double *rest_T, *rest_e0;
  size_t first;
  Repeats of_T, of_e0;
  unsigned rows, room, limited;
};

// The processor's answers: q (rows, room, 7) and how many of each.
struct AllAnswers {
  const double* q;
  const int* count;
  unsigned rows;
};

// Solutions side by side: from rows of `room` to rows of `width`, padded with NaN.
struct Padded {
  const double* q;
  const int* count;
  double* out;
  size_t rows;
  unsigned room, width;
};

constexpr int kMostStarts = 8;  // four roots, with two solutions each

struct AllSearch {
  ik::LaneTask task;
  ik::Roots roots;
  ik::Starts starts;
  double q[kMostStarts][7];
  int order[kMostStarts], count;

  // False where it is not certain that these are all.
  BK_INLINE bool run(const ik::Target& t, double e0, const IkArm& arm, const ik::LaneLimits& lanes,
                     bool limited) {
    ik::fill_task(t, &task);
    joint_sincos(e0, task.s3, task.c3);
    roots.count = starts.count = count = 0;
    const int which[1] = {0};
    ik::find_roots(&task, which, 1, lanes.e1, &roots);
    bool uncertain[1] = {false};
    BK_NO_UNROLL for (int i = 0; i < roots.count; ++i) {
      ik::find_starts(&task, roots, i, 1, lanes, &starts, uncertain);
      if (uncertain[0]) return false;
    }
    BK_NO_UNROLL for (int i = 0; i < starts.count; ++i) {
      ik::Oct joints[8];
      if (!ik::solve_starts(&task, starts, i, 1, joints)) return false;
      double* mine = q[count];
      for (int k = 0; k < 7; ++k) mine[k] = k == 2 ? e0 : joints[k].p;
      if (limited) {
        if (!ik::within(arm.limits, mine)) continue;
        for (int k = 0; k < 7; ++k) mine[k] = ik::clip(arm.limits, k, mine[k]);
      }
      if (!insert()) return false;
    }
    return true;
  }

 private:
  // Takes q[count] in, in the order of the joints; false if it is one of those before.
  BK_INLINE bool insert() {
    for (int i = 0; i < count; ++i) {
      if (ik::joint_distance(q[i], q[count]) < ik::kSameSolution) return false;
    }
    int at = count;
    for (; at > 0 && before(q[count], q[order[at - 1]]); --at) order[at] = order[at - 1];
    order[at] = count++;
    return true;
  }
  static BK_INLINE bool before(const double* a, const double* b) {
    for (int k = 0; k < 7; ++k) {
      if (a[k] != b[k]) return a[k] < b[k];
    }
    return false;
  }
};

// Limits that nothing is outside of.
BK_INLINE ik::LaneLimits no_limits() {
  const ik::ArcLimit anywhere = {1.0, 0.0, -2.0};
  const ik::StartLimit start = {anywhere, -2.0};
  return {anywhere, start, start, start, start};
}

BK_INLINE void search_task(const Tasks& a, const IkArm& arm, const ik::LaneLimits& lanes, unsigned i) {
  const double* T = a.T + 16 * a.of_T.row(a.first + i);
  const double e0 = a.e0[a.of_e0.row(a.first + i)];
  double pose[12], hand[12];
  a.count[i] = 0;
  if (!hand_pose(arm.frames, T, pose, hand)) {
    a.counts[kWrongTarget] = unsigned(a.of_T.row(a.first + i)) + 1;
    return;
  }
  const ik::Target t = ik::make_target(hand);
  if (!(::fabs(e0) < ik::kNoLimit)) return;
  if (ik::wrist_out_of_reach(t) || (a.limited && ik::violation(arm.limits, 2, e0) > ik::kLimitTolerance)) return;
  AllSearch search;
  if (search.run(t, e0, arm, lanes, a.limited)) {
    a.count[i] = search.count;
    for (int m = 0; m < search.count; ++m) {
      double* q = a.q + (size_t(i) * a.room + m) * 7;
      for (int k = 0; k < 7; ++k) q[k] = search.q[search.order[m]][k];
    }
    return;
  }
  const size_t at = reserve_one(a.counts + kRestTasks);
  a.rest[at] = i;
  for (int k = 0; k < 16; ++k) a.rest_T[16 * at + k] = T[k];
  a.rest_e0[at] = e0;
}

BK_INLINE void settle_task(const Tasks& a, const AllAnswers& b, unsigned at) {
  const size_t i = a.rest[at];
  a.count[i] = b.count[at];
  const double* from = b.q + size_t(at) * a.room * 7;
  for (int k = 0; k < 7 * b.count[at]; ++k) a.q[i * a.room * 7 + k] = from[k];
}

// One number of the padded rows.
BK_INLINE void pad_number(const Padded& a, size_t at) {
  const size_t row = at / (7 * a.width);
  const unsigned rest = unsigned(at - row * 7 * a.width);
  a.out[at] = int(rest / 7) < a.count[row] ? a.q[row * a.room * 7 + rest] : kNaN;
}

#if defined(__CUDACC__)

constexpr int kThreads = 128;

#if BAXTERKIT_ALL == 1

extern "C" __global__ void __launch_bounds__(kThreads, 3)
    run(const __grid_constant__ Tasks tasks, const __grid_constant__ IkArm arm) {
  __shared__ ik::LaneLimits lanes;
  if (threadIdx.x == 0) lanes = tasks.limited ? ik::lane_limits(arm.limits) : no_limits();
  __syncthreads();
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < tasks.rows; i += gridDim.x * kThreads)
    search_task(tasks, arm, lanes, i);
}

#elif BAXTERKIT_ALL == 2

extern "C" __global__ void __launch_bounds__(kThreads)
    run(const __grid_constant__ Tasks tasks, const __grid_constant__ AllAnswers answers) {
  for (unsigned at = blockIdx.x * kThreads + threadIdx.x; at < answers.rows; at += gridDim.x * kThreads)
    settle_task(tasks, answers, at);
}

#else

extern "C" __global__ void __launch_bounds__(kThreads) run(const __grid_constant__ Padded padded) {
  const size_t numbers = padded.rows * padded.width * 7;
  for (size_t at = size_t(blockIdx.x) * kThreads + threadIdx.x; at < numbers;
       at += size_t(gridDim.x) * kThreads)
    pad_number(padded, at);
}

#endif

#else

extern "C" void emulate_all_search(const Tasks* tasks, const IkArm* arm) {
  const ik::LaneLimits lanes = tasks->limited ? ik::lane_limits(arm->limits) : no_limits();
  for (unsigned i = 0; i < tasks->rows; ++i) search_task(*tasks, *arm, lanes, i);
}
extern "C" void emulate_all_settle(const Tasks* tasks, const AllAnswers* answers) {
  for (unsigned at = 0; at < answers->rows; ++at) settle_task(*tasks, *answers, at);
}
extern "C" void emulate_all_pad(const Padded* padded) {
  for (size_t at = 0; at < padded->rows * padded->width * 7; ++at) pad_number(*padded, at);
}

#endif
