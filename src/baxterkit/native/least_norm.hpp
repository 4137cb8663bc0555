// qd = J# V: the joint velocities for a twist, with damping.
//
// J# = J' (J J' + λ² 1)^-1. The 13x6 matrix A = [J'; λ 1] has A = Q R and J J' + λ² 1 = R' R, so
// J# b is the upper 7 rows of Q R^-T b: no normal equations are formed, and with λ = 0 this is the
// exact pseudo-inverse. Householder reflections without pivoting have no branches, so the same code
// runs on vectors.
#pragma once

#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// J is 6x7 row by row; V 6; qd 7.
template <class T>
BK_INLINE void least_norm(const T* J, const T* V, T damping, T* qd) {
  constexpr int rows = 13, columns = 6;
  T a[columns][rows];  // columns of A; below the diagonal they come to hold the reflections
  BK_UNROLL for (int k = 0; k < columns; ++k) {
    BK_UNROLL for (int i = 0; i < 7; ++i) a[k][i] = J[7 * k + i];
    BK_UNROLL for (int i = 7; i < rows; ++i) a[k][i] = 0.0;
    a[k][7 + k] = damping;
  }
  T diagonal[columns], scale[columns];
  BK_UNROLL for (int k = 0; k < columns; ++k) {
    // Rows 8 + k and on are still zero in column k.
    const int end = 8 + k;
    T square = 0.0;
    BK_UNROLL for (int i = k; i < end; ++i) square = fma(a[k][i], a[k][i], square);
    const T size = sqrt(square);
    diagonal[k] = -copy_sign(size, a[k][k]);
    a[k][k] = a[k][k] - diagonal[k];
    scale[k] = Real(1.0) / (diagonal[k] * a[k][k]);  // = -2 / |reflection|²
    BK_UNROLL for (int j = k + 1; j < columns; ++j) {
      T dot = 0.0;
      BK_UNROLL for (int i = k; i < end; ++i) dot = fma(a[k][i], a[j][i], dot);
      dot = dot * scale[k];
      BK_UNROLL for (int i = k; i < end; ++i) a[j][i] = fma(dot, a[k][i], a[j][i]);
    }
  }
  // y = R^-T V; column j of R is a[j][0 .. j-1] and diagonal[j].
  T y[rows];
  BK_UNROLL for (int j = 0; j < columns; ++j) {
    T missing = V[j];
    BK_UNROLL for (int i = 0; i < j; ++i) missing = fnma(a[j][i], y[i], missing);
    y[j] = missing / diagonal[j];
  }
  BK_UNROLL for (int i = columns; i < rows; ++i) y[i] = 0.0;
  BK_UNROLL for (int k = columns - 1; k >= 0; --k) {
    T dot = 0.0;
    BK_UNROLL for (int i = k; i < rows; ++i) dot = fma(a[k][i], y[i], dot);
    dot = dot * scale[k];
    BK_UNROLL for (int i = k; i < rows; ++i) y[i] = fma(dot, a[k][i], y[i]);
  }
  BK_UNROLL for (int i = 0; i < 7; ++i) qd[i] = y[i];
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
