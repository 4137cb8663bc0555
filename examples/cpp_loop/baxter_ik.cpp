// The one place where the exported inverse kinematics is compiled.
#define BAXTER_IK_IMPLEMENTATION
#include "baxter_ik.hpp"
