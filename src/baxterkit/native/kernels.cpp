// The kernels of one instruction set (BAXTERKIT_ISA), listed in a table.
#include "batch.hpp"
#include "dynamics_kernels.hpp"
#include "effects_kernels.hpp"
#include "kinematics_kernels.hpp"

#include "describe.hpp"

#define BK_TEXT_(x) #x
#define BK_TEXT(x) BK_TEXT_(x)

namespace baxterkit {
namespace BAXTERKIT_ISA {

extern const IkTable ik_table;                // ik_kernels.cpp
extern const CollisionTable collision_table;  // collision_kernels.cpp
extern const PlanTable plan_table;            // planning_kernels.cpp
extern const KernelTable table;
#ifdef BAXTERKIT_WIDE_ONLY
const KernelTable table = {BK_TEXT(BAXTERKIT_ISA), kWidth, kernel_count, kKernels, nullptr, nullptr, nullptr};
#else
const KernelTable table = {BK_TEXT(BAXTERKIT_ISA), kWidth,     kernel_count, kKernels, &ik_table,
                           &collision_table,       &plan_table};
#endif

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
