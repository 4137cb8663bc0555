// Goals, limits and statuses of the inverse kinematics, shared by Python, the binding and the solvers of
// every instruction set.
#pragma once

namespace baxterkit {

// Joint limits [rad], closed; infinite ones are allowed.
struct IkLimits {
  double lower[7], upper[7];
};

// Which solution: the first one outward from the seed's e0, or the best of the self-motion.
enum IkGoal : int {
  ik_quick,
  ik_nearest,         // to the seed
  ik_far_from_limits,
  ik_manipulability,
  ik_gravity,         // by the gravity torque: the context is an IkGravity
  ik_custom,          // by any function
};

// What the gravity torque of an arm depends on: see Parameters in kernels.hpp.
struct IkGravity {
  const double *beta, *gravity;
};

// How it ended; the codes of baxterkit.ik.IkStatus.
enum IkStatus : unsigned char {
  kSolved = 0,
  kOutOfReach = 1,    // no joint angles reach the target, not even beyond the limits
  kLimits = 2,        // some do, but all of them violate a limit
  kNotConverged = 3,  // the search ended without a solution and without a proof
  kCollision = 4,     // some are within the limits, but the robot touches something in all of them
};

}  // namespace baxterkit
