// The exact inverse kinematics of one instruction set, as plain functions in a table. Poses are
// T_s0_hand, rows of [R | p].
#pragma once

#include "ik_types.hpp"

namespace baxterkit {

constexpr int kMaxIkSolutions = 32;  // with e0 given

// What the caller wants to be asked or told meanwhile.
struct IkCaller {
  void* context;
  void (*before_long)(void* context);  // before what takes longer than some 20 us; once at most
  bool (*stopped)(void* context);      // whether to give up; asked every 100 us or so
};

// Of n joint vectors (n, 7), one after the other; smaller is better.
using IkObjective = void (*)(const double* q, int n, double* values, const void* context);

// The self-motion as flat arrays; they belong to the scratch and live until its next use.
struct IkMotion {
  int points, curves;
  const double* point;     // (points, 7)
  const int* curve_first;  // (curves + 1)
  int feasible_points, segments;
  const double* feasible;  // (feasible_points, 7)
  const int* segment;      // (segments, 3): first, count, closed
  bool complete;           // nothing has run out on the way
};

// How often searches have run out of room or steps since the start.
struct IkShortages {
  long long repeated;   // and were repeated with more of it
  long long cut_short;  // and took the best solution so far, with an objective
};

struct IkTable {
  void* (*make_scratch)();
  void (*free_scratch)(void* scratch);
  // One solution: q, or with kLimits the one that violates them least and by how much (signed).
  IkStatus (*solve)(const double* T, const double* seed, const IkLimits& limits, IkGoal goal,
                    IkObjective objective, const void* context, const IkCaller& caller, void* scratch,
                    double* q, double* violation);
  // The same for n targets by ik_quick, side by side; every answer is that of `solve` to the bit.
  // False if it was stopped.
  bool (*quick_many)(int n, const double* T, const double* seed, const IkLimits& limits,
                     const IkCaller& caller, void* scratch, unsigned char* code, double* q,
                     double* violation);
  // Every solution with e0 given, ordered by their first joint; within the limits unless null.
  // Returns their number.
  int (*all)(const double* T, double e0, const IkLimits* limits, double* q);
  // The solutions within the limits at values of e0 that come in several lots, `begin` first; `more`
  // gives those of n values to put(context, q). Nobody else may use the scratch in between.
  void (*sweep_begin)(const double* T, const IkLimits& limits, void* scratch);
  void (*sweep_more)(int n, const double* e0, void* scratch, void (*put)(void* context, const double* q),
                     void* context);
  IkMotion (*motion)(const double* T, const IkLimits& limits, void* scratch);
  // A continuous path through n poses (n, 12), no joint moving farther than `most` (n - 1, 7) at once;
  // `seed` may be null, and with `start` it is the solution of the first pose. Fills q (n, 7) as far as
  // it goes; returns how many poses that are, -1 without memory. What it gives when it was stopped is
  // of no use.
  int (*path)(const double* T, int n, const double* seed, bool start, const IkLimits& limits,
              const double* most, const IkCaller& caller, void* scratch, double* q);
  // The solution next to the joint vector `from`, no joint moving farther than `most` (7); with
  // `hold_elbow` e0 stays where it can.
  IkStatus (*track)(const double* T, const double* from, const IkLimits& limits, const double* most,
                    bool hold_elbow, double* q);
  IkShortages (*shortages)();
};

}  // namespace baxterkit
