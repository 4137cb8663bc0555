// One kernel of the table for the GPU: BAXTERKIT_KERNEL is its struct, the entry is `run`. Without a CUDA
// compiler every kernel, `emulate_<name>` each, on the processor.
#define BAXTERKIT_CUDA
#include "../kinematics_kernels.hpp"
#include "effects_kernels.hpp"
#include "rows.hpp"

using namespace baxterkit::BAXTERKIT_ISA;

#if defined(__CUDACC__)

extern "C" __global__ void __launch_bounds__(Tile<BAXTERKIT_KERNEL>::threads)
    run(const __grid_constant__ Rows rows, const __grid_constant__ Parameters parameters) {
  run_tiles<BAXTERKIT_KERNEL>(rows, parameters);
}

#else

#define EMULATE(name, Struct)                                                      \
  extern "C" void emulate_##name(const Rows* rows, const Parameters* parameters) { \
    run_all<Struct>(*rows, *parameters);                                           \
  }
#define X(name, Struct, doc) EMULATE(name, Struct)
BAXTERKIT_KERNELS(X)
#undef X
EMULATE(inverse_dynamics_wrench_effects, InverseDynamicsWrenchEffects)
EMULATE(inverse_dynamics_derivatives_effects, InverseDynamicsDerivativesEffects)
EMULATE(forward_dynamics_derivatives_effects, ForwardDynamicsDerivativesEffects)

#endif
