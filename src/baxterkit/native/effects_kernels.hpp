// Joint effects (springs, friction, bias), and inverse and forward dynamics with them.
#pragma once

#include "generated/kernel_structs.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// s and c: sine and cosine of the positions; v: velocities. The k-th sines and cosines come from the
// addition theorem.
template <class T>
BK_INLINE void effects_torque(const T* s, const T* c, const T* v, const Effects& e, T* y) {
  BK_UNROLL for (int j = 0; j < kJoints; ++j) {
    const T root = sqrt(fma(v[j], v[j], T(e.speed_squared[j])));
    y[j] = fma(T(e.coulomb[j]), v[j] / root, fma(T(e.viscous[j]), v[j], T(e.bias[j])));
    T sk = s[j], ck = c[j];
    for (int k = 0; k < e.harmonics; ++k) {
      y[j] = fma(T(e.sine[k][j]), sk, fma(T(e.cosine[k][j]), ck, y[j]));
      const T next = fma(sk, c[j], ck * s[j]);
      ck = fms(ck, c[j], sk * s[j]);
      sk = next;
    }
  }
}

struct JointEffects : Declared<kernel_joint_effects> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    effects_torque(s, c, x[1], p.effects, y);
  }
};

// Derivatives of each joint's torque by its own position, and by its own velocity.
struct JointEffectsSlopes : Declared<kernel_joint_effects_slopes> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    const Effects& e = p.effects;
    BK_UNROLL for (int j = 0; j < kJoints; ++j) {
      const T square = fma(x[1][j], x[1][j], T(e.speed_squared[j]));
      const T turn = T(e.coulomb[j]) * (T(e.speed_squared[j]) / square) / sqrt(square);
      T by_q = 0.0, sk = s[j], ck = c[j];
      for (int k = 0; k < e.harmonics; ++k) {
        const Real order = k + 1;
        by_q = fma(T(order * e.sine[k][j]), ck, fnma(T(order * e.cosine[k][j]), sk, by_q));
        const T next = fma(sk, c[j], ck * s[j]);
        ck = fms(ck, c[j], sk * s[j]);
        sk = next;
      }
      y[j] = by_q;
      y[7 + j] = T(e.viscous[j]) + turn;
    }
  }
};

struct InverseDynamicsEffects : Declared<kernel_inverse_dynamics_effects> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T added[7];
    effects_torque(s, c, x[1], p.effects, added);
    InverseDynamics::eval(s, c, x, p, y);
    BK_UNROLL for (int j = 0; j < kJoints; ++j) y[j] = y[j] + added[j];
  }
};

struct ForwardDynamicsEffects : Declared<kernel_forward_dynamics_effects> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T rest[3][8], *const tau = rest[2];
    effects_torque(s, c, x[1], p.effects, tau);
    BK_UNROLL for (int j = 0; j < kJoints; ++j) {
      rest[1][j] = x[1][j];
      tau[j] = x[2][j] - tau[j];
    }
    ForwardDynamics::eval(s, c, rest, p, y);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
