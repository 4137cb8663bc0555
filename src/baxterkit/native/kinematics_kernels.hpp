// The kinematic kernels that are more than one generated function.
#pragma once

#include "generated/kernel_structs.hpp"
#include "least_norm.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// The sines and cosines with which every kernel starts, as a kernel: so that their accuracy can be tested.
struct Sincos : Declared<kernel_sincos> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    BK_UNROLL for (int j = 0; j < 7; ++j) {
      y[j] = s[j];
      y[7 + j] = c[j];
    }
  }
};

// n n' / n'n, which is 1 - J# J where J has full rank (n is not zero).
struct Nullspace : Declared<kernel_nullspace> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    T n[7];
    generated::null_vector(s, c, n);
    T square = n[0] * n[0];
    BK_UNROLL for (int i = 1; i < 7; ++i) square = fma(n[i], n[i], square);
    const T scale = Real(1.0) / square;
    BK_UNROLL for (int i = 0; i < 7; ++i) {
      const T scaled = n[i] * scale;
      BK_UNROLL for (int j = i; j < 7; ++j) y[7 * i + j] = y[7 * j + i] = scaled * n[j];
    }
  }
};

// J# V + n n'/n'n qd_null: qd_null is projected without damping, so that it never moves the tip.
struct JointVelocity : Declared<kernel_joint_velocity> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T J[42], n[7];
    generated::jacobian(s, c, p.mount, p.tool, J);
    generated::null_vector(s, c, n);
    least_norm(J, x[1], x[3][0], y);
    T along = 0.0, square = 1e-40;  // far below any index that is not zero: keeps 0/0 away
    BK_UNROLL for (int i = 0; i < 7; ++i) {
      along = fma(n[i], x[2][i], along);
      square = fma(n[i], n[i], square);
    }
    const T step = along / square;
    BK_UNROLL for (int i = 0; i < 7; ++i) y[i] = fma(n[i], step, y[i]);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
