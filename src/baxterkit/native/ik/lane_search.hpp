// Tasks side by side: which of them have solutions within the limits, and the one nearest the seed.
#pragma once

#include "lane_newton.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

enum LaneOutcome : unsigned char {
  kNothing,    // no solution within the limits, for certain
  kUncertain,  // ask the sure path
  kFound,
};

// Up to kMaxLaneTasks tasks, their seeds, and what became of them.
struct LaneWave {
  LaneTask task[kMaxLaneTasks];
  double e0[kMaxLaneTasks];
  double seed[kMaxLaneTasks][8];
  LaneOutcome outcome[kMaxLaneTasks];
  double q[kMaxLaneTasks][7];
  // between the stages
  bool uncertain[kMaxLaneTasks];
  double distance[kMaxLaneTasks];
  int key[kMaxLaneTasks];
  Roots roots;
  Starts starts;
};

BK_NOINLINE inline void wave_roots(const LaneLimits& l, int n, LaneWave* w) {
  w->roots.count = 0;
  for (int first = 0; first < n; first += kOct) {
    const int count = n - first < kOct ? n - first : kOct;
    int which[kOct];
    double e0[kOct], c[kOct], s[kOct];
    for (int i = 0; i < kOct; ++i) {
      which[i] = first + (i < count ? i : 0);
      e0[i] = w->e0[which[i]];
    }
    Oct s3, c3;
    sincos(Oct::load(e0), &s3, &c3);
    c3.store(c), s3.store(s);
    for (int i = 0; i < count; ++i) w->task[first + i].c3 = c[i], w->task[first + i].s3 = s[i];
    find_roots(w->task, which, count, l.e1, &w->roots);
  }
}

BK_NOINLINE inline void wave_starts(const LaneLimits& l, LaneWave* w) {
  w->starts.count = 0;
  const int n = w->roots.count;
  for (int i = 0; i < n; i += kOct) {
    find_starts(w->task, w->roots, i, n - i < kOct ? n - i : kOct, l, &w->starts, w->uncertain);
  }
}

BK_NOINLINE inline void wave_solutions(const Limits& l, LaneWave* w) {
  const Starts& x = w->starts;
  for (int first = 0; first < x.count; first += kOct) {
    const int n = x.count - first < kOct ? x.count - first : kOct;
    Oct q[8];
    const unsigned exact = solve_starts(w->task, x, first, n, q);
    const double* row[kOct];
    double b[kOct], angle[8][kOct];
    for (int i = 0; i < kOct; ++i) {
      const int task = x.task[first + (i < n ? i : 0)];
      row[i] = w->seed[task];
      b[i] = w->e0[task];
    }
    q[2] = Oct::load(b);
    Oct seed[8], outside(0.0), distance(0.0);
    load_lanes<8>(row, seed);
    for (int k = 0; k < 7; ++k) {
      outside = max(outside, max(l.lower[k] - q[k], q[k] - l.upper[k]));
      const Oct off = q[k] - seed[k];
      distance = fma(off, off, distance);
      q[k].store(angle[k]);
    }
    const unsigned inside = (~(Oct(kLimitTolerance) < outside)).bits();
    distance.store(b);
    for (int i = 0; i < n; ++i) {
      const int task = x.task[first + i], key = x.key[first + i];
      if (!(exact >> i & 1u)) w->uncertain[task] = true;
      if (!(exact & inside & 1u << i)) continue;
      const bool nearer = b[i] < w->distance[task] || (b[i] == w->distance[task] && key < w->key[task]);
      if (w->outcome[task] == kFound && !nearer) continue;
      w->outcome[task] = kFound;
      w->distance[task] = b[i], w->key[task] = key;
      for (int k = 0; k < 7; ++k) w->q[task][k] = angle[k][i];
    }
  }
}

// Runs the tasks [0, n): the target's part of `task`, `e0` and `seed` are given.
inline void run_wave(const Limits& l, const LaneLimits& lanes, int n, LaneWave* w) {
  for (int i = 0; i < n; ++i) w->outcome[i] = kNothing, w->uncertain[i] = false;
  wave_roots(lanes, n, w);
  wave_starts(lanes, w);
  wave_solutions(l, w);
  for (int i = 0; i < n; ++i) {
    if (w->uncertain[i]) w->outcome[i] = kUncertain;
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
