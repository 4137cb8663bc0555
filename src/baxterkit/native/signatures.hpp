// What kernels take: the inputs that every kernel of a kind shares.
#pragma once

#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct OfPosition {
  static constexpr int inputs = 1;
  static constexpr int widths[1] = {7};
  static constexpr const char* names[1] = {"q"};
};

struct OfVelocity {
  static constexpr int inputs = 2;
  static constexpr int widths[2] = {7, 7};
  static constexpr const char* names[2] = {"q", "qd"};
};

struct OfMotion {
  static constexpr int inputs = 3;
  static constexpr int widths[3] = {7, 7, 7};
  static constexpr const char* names[3] = {"q", "qd", "qdd"};
};

struct OfTorque {
  static constexpr int inputs = 3;
  static constexpr int widths[3] = {7, 7, 7};
  static constexpr const char* names[3] = {"q", "qd", "tau"};
};

// The shape of what kernels give.
template <int N>
struct GivesVector {
  static constexpr int outputs = N, ndim = 1, dims[1] = {N};
};

template <int Rows, int Columns>
struct GivesMatrix {
  static constexpr int outputs = Rows * Columns, ndim = 2, dims[2] = {Rows, Columns};
};

template <int Count, int Rows, int Columns>
struct GivesMatrices {
  static constexpr int outputs = Count * Rows * Columns, ndim = 3, dims[3] = {Count, Rows, Columns};
};

struct GivesNumber {
  static constexpr int outputs = 1, ndim = 0, dims[1] = {1};
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
