// A loop of 1 kHz: the tip goes round a circle; each millisecond brings the joint positions next to the
// last ones and the torques of the motion. Nothing is allocated while it runs.
//
//   loop [cycles] [file]     without a file it keeps real time and prints what a cycle took;
//                            with one it runs as fast as it can and writes t, q, tau of each cycle
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "baxter_ik.hpp"
#include "torques.hpp"

namespace {

constexpr long kPeriod = 1000000;  // [ns]
constexpr double kRadius = 0.08, kTurn = 4.0, kRamp = 1.0;  // [m], [s] a turn, [s] to full speed
constexpr double kTau = 6.283185307179586;

// The target: the start's orientation, its position on a circle through the start, begun at rest.
void target_at(double t, const double* start, double* T) {
  const double since = t < kRamp ? 0.5 * t * t / kRamp : t - 0.5 * kRamp;
  const double angle = kTau * since / kTurn;
  std::copy(start, start + 16, T);
  T[3] += kRadius * (std::cos(angle) - 1.0);
  T[7] += kRadius * std::sin(angle);
}

double nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return 1e9 * now.tv_sec + now.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  const int cycles = argc > 1 ? std::atoi(argv[1]) : 5000;
  std::FILE* file = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
  baxter_ik_solver* ik = baxter_ik_make(nullptr);
  if (!ik || cycles < 1 || (argc > 2 && !file)) return 2;

  double q[7] = {0.0, -0.55, 0.0, 0.75, 0.0, 1.26, 0.0}, start[16], before[7] = {}, speed[7] = {};
  baxter_ik_fk(ik, q, start);
  std::copy(q, q + 7, before);
  std::vector<double> spent;
  spent.reserve(cycles);
  timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (int i = 0; i < cycles; ++i) {
    const double began = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    const double t = 1e-9 * kPeriod * (i + 1), dt = 1e-9 * kPeriod;
    double T[16], qd[7], qdd[7], tau[7];
    target_at(t, start, T);
    const int status = baxter_ik_track(ik, T, before, nullptr, 0, q);
    if (status != baxter_ik_SOLVED) {
      std::printf("cycle %d: the target cannot be followed (status %d)\n", i, status);
      return 1;
    }
    for (int k = 0; k < 7; ++k) {
      qd[k] = (q[k] - before[k]) / dt;
      qdd[k] = (qd[k] - speed[k]) / dt;
      before[k] = q[k], speed[k] = qd[k];
    }
    baxter::torques(q, qd, qdd, tau);
    spent.push_back(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - began);
    // Here a robot would be sent q, or tau.
    if (file) {
      std::fprintf(file, "%.17g", t);
      for (double x : q) std::fprintf(file, " %.17g", x);
      for (double x : tau) std::fprintf(file, " %.17g", x);
      std::fprintf(file, "\n");
      continue;
    }
    due.tv_nsec += kPeriod;
    if (due.tv_nsec >= 1000000000) due.tv_sec += 1, due.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
  }
  if (file) std::fclose(file);
  baxter_ik_free(ik);
  std::sort(spent.begin(), spent.end());
  std::printf("%d cycles of 1 ms: median %.1f us, worst %.1f us (%s)\n", cycles,
              1e-3 * spent[cycles / 2], 1e-3 * spent.back(), baxter_ik_isa());
}
