// The kernels of one instruction set (BAXTERKIT_ISA), listed in a table.
#include "batch.hpp"
#include "dynamics_kernels.hpp"
#include "effects_kernels.hpp"
#include "kinematics_kernels.hpp"

#define BK_TEXT_(x) #x
#define BK_TEXT(x) BK_TEXT_(x)

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class K>
constexpr Kernel describe(const char* name) {
  Kernel kernel{name, K::inputs, {}, {}, K::ndim, {}, K::outputs, run_rows<K>, run_one<K>};
  for (int i = 0; i < K::inputs; ++i) {
    kernel.inputs[i] = K::names[i];
    kernel.widths[i] = K::widths[i];
  }
  for (int i = 0; i < K::ndim; ++i) kernel.out_dims[i] = K::dims[i];
  return kernel;
}

// In the order of BAXTERKIT_KERNELS.
static const Kernel kKernels[] = {
    describe<SinCos>("sincos"),
    describe<Fk>("fk"),
    describe<LinkPoses>("link_poses"),
    describe<Jacobian>("jacobian"),
    describe<BodyJacobian>("body_jacobian"),
    describe<Twist>("twist"),
    describe<BiasAcceleration>("bias_acceleration"),
    describe<NullVector>("null_vector"),
    describe<Manipulability>("manipulability"),
    describe<Nullspace>("nullspace"),
    describe<JointVelocity>("joint_velocity"),
    describe<InverseDynamics>("inverse_dynamics"),
    describe<InverseDynamicsWrench>("inverse_dynamics_wrench"),
    describe<Gravity>("gravity"),
    describe<Inertia>("inertia"),
    describe<Coriolis>("coriolis"),
    describe<DynamicsTerms>("dynamics_terms"),
    describe<BiasTorque>("bias_torque"),
    describe<ForwardDynamics>("forward_dynamics"),
    describe<KineticEnergy>("kinetic_energy"),
    describe<PotentialEnergy>("potential_energy"),
    describe<InverseDynamicsDerivatives>("inverse_dynamics_derivatives"),
    describe<ForwardDynamicsDerivatives>("forward_dynamics_derivatives"),
    describe<Regressor>("regressor"),
    describe<JointEffects>("joint_effects"),
    describe<JointEffectsSlopes>("joint_effects_slopes"),
    describe<InverseDynamicsEffects>("inverse_dynamics_effects"),
    describe<ForwardDynamicsEffects>("forward_dynamics_effects"),
};
static_assert(sizeof kKernels / sizeof kKernels[0] == kernel_count, "one entry for each kernel");

extern const IkTable ik_table;  // ik_kernels.cpp
extern const KernelTable table;
const KernelTable table = {BK_TEXT(BAXTERKIT_ISA), kWidth, kernel_count, kKernels, &ik_table};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
