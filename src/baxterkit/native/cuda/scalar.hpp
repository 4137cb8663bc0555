// The scalar of a GPU's thread, in the place of the vector types: float64, or float32 all through.
//
// simd.hpp includes this file where BAXTERKIT_CUDA is defined. The arithmetic is explicit (no
// contraction by the compiler), so in float64 a thread computes what a vector lane with fused
// multiply-add computes, to the last bit. Without a CUDA compiler the same sources run on the
// processor (emulation.hpp).
#pragma once

#include <cstdint>
#include <cstring>

#include "../kernels.hpp"

#if defined(BAXTERKIT_FLOAT32)
#define BAXTERKIT_ISA cuda_float32
#else
#define BAXTERKIT_ISA cuda_float64
#endif

#if defined(__CUDACC__)
#define BK_INLINE __device__ __forceinline__
#define BK_NOINLINE __device__ __noinline__
#define BK_SHARED BK_INLINE  // in registers
#define BK_UNROLL _Pragma("unroll")
#define BK_NO_UNROLL _Pragma("unroll 1")
#define BK_UNROLL_4 _Pragma("unroll 4")
#else
#include "emulation.hpp"
#define BK_SHARED BK_INLINE
#endif

namespace baxterkit {
namespace BAXTERKIT_ISA {

#if defined(BAXTERKIT_FLOAT32)
using Real = float;
#else
using Real = double;
#endif
using Effects = EffectsOf<Real>;
using Parameters = ParametersOf<Real>;

// fma(a, b, c) = a b + c;  fms = a b - c;  fnma = c - a b;  fnms = -a b - c, fused.
BK_INLINE Real fma(Real a, Real b, Real c) {
#if !defined(__CUDACC__)
  return sizeof(Real) == 4 ? Real(__builtin_fmaf(a, b, c)) : Real(__builtin_fma(a, b, c));
#elif defined(BAXTERKIT_FLOAT32)
  return __fmaf_rn(a, b, c);
#else
  return __fma_rn(a, b, c);
#endif
}
BK_INLINE Real fms(Real a, Real b, Real c) { return fma(a, b, -c); }
BK_INLINE Real fnma(Real a, Real b, Real c) { return fma(-a, b, c); }
BK_INLINE Real fnms(Real a, Real b, Real c) { return fma(-a, b, -c); }

#if defined(BAXTERKIT_FLOAT32)
BK_INLINE Real sqrt(Real a) { return ::sqrtf(a); }
BK_INLINE Real abs(Real a) { return ::fabsf(a); }
BK_INLINE Real copy_sign(Real size, Real sign) { return ::copysignf(size, sign); }
#else
BK_INLINE Real sqrt(Real a) { return ::sqrt(a); }
BK_INLINE Real abs(Real a) { return ::fabs(a); }
BK_INLINE Real copy_sign(Real size, Real sign) { return ::copysign(size, sign); }
BK_INLINE int low_bits(double x) {
#if defined(__CUDACC__)
  return __double2loint(x);
#else
  int64_t bits;
  std::memcpy(&bits, &x, 8);
  return int(bits);
#endif
}
#endif

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
