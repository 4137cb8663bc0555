// The quick search of many targets: their tasks side by side in lanes.
//
// Each target goes through its e0 values one after another, as it does alone; the lanes hold tasks
// of different targets. A target that is done leaves its place to the next one, so that the lanes
// stay full. What the lanes cannot decide is decided at once by the path for one target.
#pragma once

#include "quick.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// Limits inside of [-pi, pi] only. `answer(i, a, rest)` is called once for each target i in [0, n), in
// any order, and says whether to go on; `rest`: the first e0 values did not end its search.
template <class AnswerOf>
inline void solve_quick_batch(int n, const Target* target, const double* seed, const Limits& l, Scratch* s,
                              const AnswerOf& answer) {
  const LaneLimits& lanes = lanes_of(l, s);
  LaneWave& w = s->wave;
  struct Place {
    int target;
    Scan scan;
  } place[kMaxLaneTasks];
  int next = 0, busy = 0;
  while (true) {
    for (; busy < kMaxLaneTasks && next < n; ++next) {
      const Target& t = target[next];
      if (wrist_out_of_reach(t)) {
        if (!answer(next, no_answer(kOutOfReach), false)) return;
        continue;
      }
      Place& p = place[busy];
      p = {next, start_scan(l, seed + 7 * next)};
      next_e0(t, l, kFirstTries, &p.scan, &w.e0[busy]);
      fill_task(t, &w.task[busy]);
      for (int k = 0; k < 7; ++k) w.seed[busy][k] = seed[7 * next + k];
      ++busy;
    }
    if (busy == 0) return;
    run_wave(l, lanes, busy, &w);
    int kept = 0;
    for (int i = 0; i < busy; ++i) {
      Place p = place[i];
      const Target& t = target[p.target];
      Answer a = no_answer(kOutOfReach);
      const bool found = ends_search(t, l, s->near, w, i, &a);
      const bool rest = !found && !next_e0(t, l, kFirstTries, &p.scan, &w.e0[kept]);
      if (rest) a = solve_rest(t, seed + 7 * p.target, l, p.scan, s);
      if (found || rest) {
        if (!answer(p.target, a, rest)) return;
        continue;
      }
      if (kept != i) {
        w.task[kept] = w.task[i];
        for (int k = 0; k < 7; ++k) w.seed[kept][k] = w.seed[i][k];
      }
      place[kept++] = p;
    }
    busy = kept;
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
