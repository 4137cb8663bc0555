// M = L D L' of a symmetric positive definite 7x7 matrix, and solving with it. No pivoting and no
// branches: the inertia matrix of an arm is always positive definite.
#pragma once

#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class T>
class Ldl {
 public:
  // M row by row; the lower triangle is read.
  explicit BK_INLINE Ldl(const T* M) {
    BK_UNROLL for (int j = 0; j < 7; ++j) {
      T scaled[7];
      T pivot = M[8 * j];
      BK_UNROLL for (int k = 0; k < j; ++k) {
        scaled[k] = lower_[j][k] * pivot_[k];
        pivot = fnma(lower_[j][k], scaled[k], pivot);
      }
      pivot_[j] = pivot;
      inverse_[j] = Real(1.0) / pivot;
      BK_UNROLL for (int i = j + 1; i < 7; ++i) {
        T entry = M[7 * i + j];
        BK_UNROLL for (int k = 0; k < j; ++k) entry = fnma(lower_[i][k], scaled[k], entry);
        lower_[i][j] = entry * inverse_[j];
      }
    }
  }

  // X := M^-1 X, X with 7 rows of `Columns` each. Columns go side by side, so that their long chains
  // of dependent operations overlap.
  template <int Columns>
  BK_INLINE void solve(T* X) const {
    BK_UNROLL for (int i = 0; i < 7; ++i) {
      BK_UNROLL for (int k = 0; k < i; ++k) subtract<Columns>(X + i * Columns, lower_[i][k], X + k * Columns);
    }
    BK_UNROLL for (int i = 6; i >= 0; --i) {
      BK_UNROLL for (int j = 0; j < Columns; ++j) X[i * Columns + j] = X[i * Columns + j] * inverse_[i];
      BK_UNROLL for (int k = i + 1; k < 7; ++k) {
        subtract<Columns>(X + i * Columns, lower_[k][i], X + k * Columns);
      }
    }
  }

 private:
  template <int Columns>
  static BK_INLINE void subtract(T* x, T factor, const T* y) {
    BK_UNROLL for (int j = 0; j < Columns; ++j) x[j] = fnma(factor, y[j], x[j]);
  }

  T lower_[7][7], pivot_[7], inverse_[7];
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
