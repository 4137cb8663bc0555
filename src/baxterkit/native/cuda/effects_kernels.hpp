// Kernels with joint effects that the processor puts together from several calls.
#pragma once

#include "../dynamics_kernels.hpp"
#include "../effects_kernels.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct InverseDynamicsWrenchEffects : Declared<kernel_inverse_dynamics_wrench> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T added[7];
    effects_torque(s, c, x[1], p.effects, added);
    InverseDynamicsWrench::eval(s, c, x, p, y);
    BK_UNROLL for (int j = 0; j < kJoints; ++j) y[j] = y[j] + added[j];
  }
};

// Each joint's effects depend on its own position and velocity: diagonals.
struct InverseDynamicsDerivativesEffects : Declared<kernel_inverse_dynamics_derivatives> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T slopes[14];
    JointEffectsSlopes::eval(s, c, x, p, slopes);
    InverseDynamicsDerivatives::eval(s, c, x, p, y);
    BK_UNROLL for (int j = 0; j < kJoints; ++j) {
      y[8 * j] = y[8 * j] + slopes[j];
      y[49 + 8 * j] = y[49 + 8 * j] + slopes[7 + j];
    }
  }
};

// M^-1 times the slopes is what the effects take away.
struct ForwardDynamicsDerivativesEffects : Declared<kernel_forward_dynamics_derivatives> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T slopes[14], added[7], rest[3][8];
    effects_torque(s, c, x[1], p.effects, added);
    JointEffectsSlopes::eval(s, c, x, p, slopes);
    BK_UNROLL for (int j = 0; j < kJoints; ++j) {
      rest[1][j] = x[1][j];
      rest[2][j] = x[2][j] - added[j];
    }
    ForwardDynamicsDerivatives::eval(s, c, rest, p, y);
    BK_UNROLL for (int i = 0; i < kJoints; ++i) {
      BK_UNROLL for (int j = 0; j < kJoints; ++j) {
        const T inverse = y[98 + 7 * i + j];
        y[7 * i + j] = y[7 * i + j] - inverse * slopes[j];
        y[49 + 7 * i + j] = y[49 + 7 * i + j] - inverse * slopes[7 + j];
      }
    }
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
