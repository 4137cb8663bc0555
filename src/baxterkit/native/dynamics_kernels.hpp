// The dynamic kernels that are more than one generated function.
#pragma once

#include "generated/kernel_structs.hpp"
#include "ldl.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct PotentialEnergy : Declared<kernel_potential_energy> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::potential_energy(s, c, p.beta, p.gravity, y);
    y[0] = y[0] + p.mount_energy;
  }
};

// With tau(q, qd, qdd) the inverse dynamics: dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd, both
// at the acceleration that the torque gives, and dqdd/dtau = M^-1.
struct ForwardDynamicsDerivatives : Declared<kernel_forward_dynamics_derivatives> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T M[49], motion[3][8], *const qdd = motion[2];
    Inertia::eval(s, c, x, p, M);
    BiasTorque::eval(s, c, x, p, qdd);
    const Ldl<T> factors(M);
    BK_UNROLL for (int i = 0; i < 7; ++i) {
      motion[1][i] = x[1][i];
      qdd[i] = x[2][i] - qdd[i];
    }
    factors.template solve<1>(qdd);
    InverseDynamicsDerivatives::eval(s, c, motion, p, y);
    BK_UNROLL for (int i = 0; i < 98; ++i) y[i] = -y[i];
    BK_UNROLL for (int i = 0; i < 49; ++i) y[98 + i] = i % 8 == 0 ? 1.0 : 0.0;
    BK_UNROLL for (int m = 0; m < 3; ++m) factors.template solve<7>(y + 49 * m);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
