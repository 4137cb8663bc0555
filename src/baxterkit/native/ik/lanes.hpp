// Moving rows of numbers into lanes and lanes into rows: one lane for each (target, e0).
#pragma once

#include "octet.hpp"

#ifndef BAXTERKIT_CUDA  // one lane has its own: cuda/one_lane.hpp

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// Columns [0, N) of eight rows become N octets; N is a multiple of eight.
template <int N>
BK_INLINE void load_lanes(const double* const* row, Oct* x) {
  static_assert(N % kOct == 0, "rows are padded");
  double* out = reinterpret_cast<double*>(x);
  for (int part = 0; part < kParts; ++part) {
    for (int first = 0; first < N; first += kWidth) {
      Lanes r[kWidth];
      for (int i = 0; i < kWidth; ++i) r[i] = Vec::load(row[part * kWidth + i] + first).v;
      transpose(r);
      for (int j = 0; j < kWidth; ++j) Vec(r[j]).store(out + (first + j) * kOct + part * kWidth);
    }
  }
}

// N octets become columns [0, N) of eight rows; N is a multiple of eight.
template <int N>
BK_INLINE void store_lanes(const Oct* x, double* const* row) {
  static_assert(N % kOct == 0, "rows are padded");
  const double* in = reinterpret_cast<const double*>(x);
  for (int part = 0; part < kParts; ++part) {
    for (int first = 0; first < N; first += kWidth) {
      Lanes r[kWidth];
      for (int j = 0; j < kWidth; ++j) r[j] = Vec::load(in + (first + j) * kOct + part * kWidth).v;
      transpose(r);
      for (int i = 0; i < kWidth; ++i) Vec(r[i]).store(row[part * kWidth + i] + first);
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit

#endif  // BAXTERKIT_CUDA
