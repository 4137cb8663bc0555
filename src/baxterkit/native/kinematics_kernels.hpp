// The kinematic kernels: generated arithmetic, wrapped for the drivers of batch.hpp.
#pragma once

#include "generated/kinematics.hpp"
#include "kernels.hpp"
#include "least_norm.hpp"
#include "signatures.hpp"
#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// What every kernel starts with, by itself: so that its accuracy can be tested.
struct SinCos : OfPosition, GivesMatrix<2, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    for (int j = 0; j < 7; ++j) {
      y[j] = s[j];
      y[7 + j] = c[j];
    }
  }
};

struct Fk : OfPosition, GivesMatrix<4, 4> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::fk(s, c, p.mount, p.tool, y);
  }
};

struct LinkPoses : OfPosition, GivesMatrices<8, 4, 4> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::link_poses(s, c, p.mount, p.tool, y);
  }
};

struct Jacobian : OfPosition, GivesMatrix<6, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::jacobian(s, c, p.mount, p.tool, y);
  }
};

struct BodyJacobian : OfPosition, GivesMatrix<6, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::body_jacobian(s, c, p.tool, y);
  }
};

struct Twist : OfVelocity, GivesVector<6> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::twist(s, c, x[1], p.mount, p.tool, y);
  }
};

struct BiasAcceleration : OfVelocity, GivesVector<6> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::bias_acceleration(s, c, x[1], p.mount, p.tool, y);
  }
};

struct NullVector : OfPosition, GivesVector<7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    generated::null_vector(s, c, y);
  }
};

struct Manipulability : OfPosition, GivesNumber {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    generated::manipulability(s, c, y);
  }
};

// n n' / n'n, which is 1 - J# J where J has full rank (n is not zero).
struct Nullspace : OfPosition, GivesMatrix<7, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    T n[7];
    generated::null_vector(s, c, n);
    T square = n[0] * n[0];
    for (int i = 1; i < 7; ++i) square = fma(n[i], n[i], square);
    const T scale = 1.0 / square;
    for (int i = 0; i < 7; ++i) {
      const T scaled = n[i] * scale;
      for (int j = i; j < 7; ++j) y[7 * i + j] = y[7 * j + i] = scaled * n[j];
    }
  }
};

// J# V + n n'/n'n qd_null: the wish is projected without damping, so that it never moves the tip.
struct JointVelocity : GivesVector<7> {
  static constexpr int inputs = 4;
  static constexpr int widths[4] = {7, 6, 7, 1};
  static constexpr const char* names[4] = {"q", "twist", "qd_null", "damping"};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T J[42], n[7];
    generated::jacobian(s, c, p.mount, p.tool, J);
    generated::null_vector(s, c, n);
    least_norm(J, x[1], x[3][0], y);
    T along = 0.0, square = 1e-40;  // far below any index that is not zero: keeps 0/0 away
    for (int i = 0; i < 7; ++i) {
      along = fma(n[i], x[2][i], along);
      square = fma(n[i], n[i], square);
    }
    const T step = along / square;
    for (int i = 0; i < 7; ++i) y[i] = fma(n[i], step, y[i]);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
