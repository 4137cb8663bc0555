// A task: one target at one value of e0. Tasks of different targets, or of one target at several
// e0, run side by side, one in each lane.
//
// Every operation on a lane is the same whatever its neighbours are, so that a target gets the
// same answer to the bit in a batch and alone.
#pragma once

#include "arc_limit.hpp"
#include "lanes.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kMaxLaneTasks = kOct * kOct;           // at a time
constexpr int kMaxLaneRoots = 4 * kMaxLaneTasks + 8; // and room to read eight at once

// What the lanes need of a target and an e0; a row of 16 numbers.
struct LaneTask {
  double rho, h, l0;
  double cos_phi, sin_phi;
  double axis[3][3];
  double c3, s3;
};
constexpr int kTaskNumbers = 16;
static_assert(sizeof(LaneTask) == kTaskNumbers * sizeof(double), "no padding");

// The same in eight lanes.
struct TaskLanes {
  Oct rho, h, l0;
  Oct cos_phi, sin_phi;
  Oct axis[3][3];
  Oct c3, s3;
};

BK_INLINE TaskLanes load_tasks(const LaneTask* task, const int* which, int n) {
  const double* row[kOct];
  for (int i = 0; i < kOct; ++i) {
    row[i] = reinterpret_cast<const double*>(task + which[i < n ? i : 0]);
  }
  TaskLanes t;
  load_lanes<kTaskNumbers>(row, reinterpret_cast<Oct*>(&t));
  return t;
}

// One target in all lanes, with e0 as it comes.
BK_INLINE TaskLanes same_task(const Target& t, Oct c3, Oct s3) {
  TaskLanes x;
  x.rho = Oct(t.rho), x.h = Oct(t.h), x.l0 = Oct(t.l0);
  x.cos_phi = Oct(t.cos_phi), x.sin_phi = Oct(t.sin_phi);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) x.axis[i][j] = Oct(t.axis[i][j]);
  }
  x.c3 = c3, x.s3 = s3;
  return x;
}

// The target's part of a task; `c3` and `s3` follow with e0.
inline void fill_task(const Target& t, LaneTask* out) {
  out->rho = t.rho, out->h = t.h, out->l0 = t.l0;
  out->cos_phi = t.cos_phi, out->sin_phi = t.sin_phi;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out->axis[i][j] = t.axis[i][j];
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
