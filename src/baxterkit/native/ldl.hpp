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
    for (int j = 0; j < 7; ++j) {
      T scaled[7];
      T pivot = M[8 * j];
      for (int k = 0; k < j; ++k) {
        scaled[k] = lower_[j][k] * pivot_[k];
        pivot = fnma(lower_[j][k], scaled[k], pivot);
      }
      pivot_[j] = pivot;
      inverse_[j] = 1.0 / pivot;
      for (int i = j + 1; i < 7; ++i) {
        T entry = M[7 * i + j];
        for (int k = 0; k < j; ++k) entry = fnma(lower_[i][k], scaled[k], entry);
        lower_[i][j] = entry * inverse_[j];
      }
    }
  }

  // x := M^-1 x
  BK_INLINE void solve(T* x) const {
    for (int i = 1; i < 7; ++i) {
      for (int k = 0; k < i; ++k) x[i] = fnma(lower_[i][k], x[k], x[i]);
    }
    for (int i = 6; i >= 0; --i) {
      x[i] = x[i] * inverse_[i];
      for (int k = i + 1; k < 7; ++k) x[i] = fnma(lower_[k][i], x[k], x[i]);
    }
  }

 private:
  T lower_[7][7], pivot_[7], inverse_[7];
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
