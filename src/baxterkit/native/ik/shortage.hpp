// How much work one search may do, and what it has run out of.
//
// Work and memory are bounded by counts. A search that has run out of something is repeated once with
// more of it. Infeasibility is reported only if nothing has run out then; else the status is "not
// converged".
#pragma once

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

struct Effort {
  int steps;       // of paths (eight at a time) and of loops
  int near_steps;  // the same where only what is near the limits is traced
  int cuts;        // points of pieces that are computed
};

constexpr Effort kOnce = {1500, 800, 600}, kAgain = {12000, 3200, 12000};
constexpr Effort kLast = {12000, 3200, 2000};  // where a solution is known, and only the best one is not

// What there was too little of, one bit each.
enum Shortage : unsigned {
  kOfSolutions = 1u << 0,    // room for solutions with e0 given
  kOfNodes = 1u << 1,        // room for nodes of an elbow curve
  kOfStarts = 1u << 2,       // room for starts on an elbow curve
  kOfLooks = 1u << 3,        // evaluations with e0 given
  kOfMotionNodes = 1u << 4,  // room for nodes of the self-motion
  kOfSlices = 1u << 5,       // room for slices
  kOfSteps = 1u << 6,        // steps of tracing
  kOfZeros = 1u << 7,        // room for zeros on a surface at the edge of reach
  kOfCuts = 1u << 8,         // cuts of pieces at limits
  kOfPoints = 1u << 9,       // room for points within the limits
  kOfIntervals = 1u << 10,   // room for intervals within the limits
  kOfPieces = 1u << 11,      // room for pieces that may hold the best solution
};

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
