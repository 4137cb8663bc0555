// The kernels of one instruction set as entries of a table, in the order of BAXTERKIT_KERNELS.
//
// To be included where every kernel and the drivers `run_rows` and `run_one` are known.
#pragma once

#include "kernels.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class K, int Id>
constexpr Kernel describe(const char* name) {
  static_assert(K::id == Id, "a kernel stands in the place of another");
  Kernel kernel{name, K::inputs, {}, {}, K::ndim, {}, K::outputs, run_rows<K>, nullptr};
#ifndef BAXTERKIT_WIDE_ONLY  // else dispatch.cpp fills the place
  kernel.one = run_one<K>;
#endif
  for (int i = 0; i < K::inputs; ++i) {
    kernel.inputs[i] = K::names[i];
    kernel.widths[i] = K::widths[i];
  }
  for (int i = 0; i < K::ndim; ++i) kernel.out_dims[i] = K::dims[i];
  return kernel;
}

#define X(name, Struct, doc) describe<Struct, kernel_##name>(#name),
static const Kernel kKernels[] = {BAXTERKIT_KERNELS(X)};
#undef X

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
