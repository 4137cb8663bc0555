// The vector type of one instruction set: `Vec`, `Vec::width` doubles, with explicit fused
// multiply-add. Everything lives in the namespace BAXTERKIT_ISA, so that the same headers can be
// compiled once for each instruction set and linked together.
//
// Kernels are templates over the scalar type and run on `Vec` (a batch) or `double` (one call).
// Both do the same operations in the same order, without compiler contraction, so their results
// are equal to the last bit.
#pragma once

#ifdef BAXTERKIT_CUDA
#include "cuda/scalar.hpp"
#else

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifndef BAXTERKIT_ISA
#error "define BAXTERKIT_ISA: the namespace of the instruction set"
#endif

#if defined(BAXTERKIT_COMPACT)
#define BK_INLINE inline  // the compiler weighs size against speed
#else
#define BK_INLINE inline __attribute__((always_inline))
#endif
#define BK_NOINLINE __attribute__((noinline))
#define BK_SHARED BK_NOINLINE  // what several kernels contain is compiled once
#define BK_UNROLL  // compilers for processors know by themselves
// Numbers of two vectors of Lanes, by their places in a and then b.
#if defined(__clang__) || __GNUC__ >= 12
#define BK_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define BK_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, IntLanes{__VA_ARGS__})
#endif

namespace baxterkit {
namespace BAXTERKIT_ISA {

#if defined(__AVX512F__)
constexpr int kWidth = 8;
#elif defined(__AVX2__)
constexpr int kWidth = 4;
#else
constexpr int kWidth = 2;
#endif

using Real = double;  // the type of parameters and constants

typedef double Lanes __attribute__((vector_size(8 * kWidth)));
typedef int64_t IntLanes __attribute__((vector_size(8 * kWidth)));

struct Vec {
  static constexpr int width = kWidth;
  Lanes v;

  Vec() = default;
  BK_INLINE Vec(Lanes lanes) : v(lanes) {}
  BK_INLINE Vec(double x) : v(x - Lanes{}) {}  // minus, because 0 + -0 would lose the sign

  static BK_INLINE Vec load(const double* p) {
    Vec r;
    std::memcpy(&r.v, p, sizeof r.v);
    return r;
  }
  BK_INLINE void store(double* p) const { std::memcpy(p, &v, sizeof v); }
  BK_INLINE double operator[](int i) const { return v[i]; }
};

BK_INLINE Vec operator+(Vec a, Vec b) { return a.v + b.v; }
BK_INLINE Vec operator-(Vec a, Vec b) { return a.v - b.v; }
BK_INLINE Vec operator*(Vec a, Vec b) { return a.v * b.v; }
BK_INLINE Vec operator/(Vec a, Vec b) { return a.v / b.v; }
BK_INLINE Vec operator-(Vec a) { return -a.v; }

// fma(a, b, c) = a b + c;  fms = a b - c;  fnma = c - a b;  fnms = -a b - c.  Fused where the
// instruction set has it, two roundings where it has not; the same for Vec and double.
#if defined(__AVX512F__)
BK_INLINE Vec fma(Vec a, Vec b, Vec c) { return (Lanes)_mm512_fmadd_pd(a.v, b.v, c.v); }
BK_INLINE Vec fms(Vec a, Vec b, Vec c) { return (Lanes)_mm512_fmsub_pd(a.v, b.v, c.v); }
BK_INLINE Vec fnma(Vec a, Vec b, Vec c) { return (Lanes)_mm512_fnmadd_pd(a.v, b.v, c.v); }
BK_INLINE Vec fnms(Vec a, Vec b, Vec c) { return (Lanes)_mm512_fnmsub_pd(a.v, b.v, c.v); }
// (The unmasked intrinsic makes gcc warn of an uninitialised value.)
BK_INLINE Vec sqrt(Vec a) { return (Lanes)_mm512_maskz_sqrt_pd(0xff, a.v); }
#elif defined(__AVX2__)
BK_INLINE Vec fma(Vec a, Vec b, Vec c) { return (Lanes)_mm256_fmadd_pd(a.v, b.v, c.v); }
BK_INLINE Vec fms(Vec a, Vec b, Vec c) { return (Lanes)_mm256_fmsub_pd(a.v, b.v, c.v); }
BK_INLINE Vec fnma(Vec a, Vec b, Vec c) { return (Lanes)_mm256_fnmadd_pd(a.v, b.v, c.v); }
BK_INLINE Vec fnms(Vec a, Vec b, Vec c) { return (Lanes)_mm256_fnmsub_pd(a.v, b.v, c.v); }
BK_INLINE Vec sqrt(Vec a) { return (Lanes)_mm256_sqrt_pd(a.v); }
#elif defined(__aarch64__)
BK_INLINE Vec fma(Vec a, Vec b, Vec c) { return (Lanes)vfmaq_f64(c.v, a.v, b.v); }
BK_INLINE Vec fms(Vec a, Vec b, Vec c) { return (Lanes)vfmaq_f64(-c.v, a.v, b.v); }
BK_INLINE Vec fnma(Vec a, Vec b, Vec c) { return (Lanes)vfmsq_f64(c.v, a.v, b.v); }
BK_INLINE Vec fnms(Vec a, Vec b, Vec c) { return (Lanes)vfmsq_f64(-c.v, a.v, b.v); }
BK_INLINE Vec sqrt(Vec a) { return (Lanes)vsqrtq_f64(a.v); }
#else
BK_INLINE Vec fma(Vec a, Vec b, Vec c) { return a.v * b.v + c.v; }
BK_INLINE Vec fms(Vec a, Vec b, Vec c) { return a.v * b.v - c.v; }
BK_INLINE Vec fnma(Vec a, Vec b, Vec c) { return c.v - a.v * b.v; }
BK_INLINE Vec fnms(Vec a, Vec b, Vec c) { return -(a.v * b.v) - c.v; }
#if defined(__SSE2__)
BK_INLINE Vec sqrt(Vec a) { return (Lanes)_mm_sqrt_pd((__m128d)a.v); }
#else
BK_INLINE Vec sqrt(Vec a) { return Lanes{__builtin_sqrt(a.v[0]), __builtin_sqrt(a.v[1])}; }
#endif
#endif

#if defined(__FMA__) || defined(__aarch64__)
BK_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
BK_INLINE double fms(double a, double b, double c) { return __builtin_fma(a, b, -c); }
BK_INLINE double fnma(double a, double b, double c) { return __builtin_fma(-a, b, c); }
BK_INLINE double fnms(double a, double b, double c) { return __builtin_fma(-a, b, -c); }
#else
BK_INLINE double fma(double a, double b, double c) { return a * b + c; }
BK_INLINE double fms(double a, double b, double c) { return a * b - c; }
BK_INLINE double fnma(double a, double b, double c) { return c - a * b; }
BK_INLINE double fnms(double a, double b, double c) { return -(a * b) - c; }
#endif
BK_INLINE double sqrt(double a) { return __builtin_sqrt(a); }

// Bitwise choice: lanes of a where the mask is all ones, else of b.
BK_INLINE Vec select(IntLanes mask, Vec a, Vec b) {
  return (Lanes)(((IntLanes)a.v & mask) | ((IntLanes)b.v & ~mask));
}

BK_INLINE Vec abs(Vec a) { return (Lanes)((IntLanes)a.v & (IntLanes{} + INT64_MAX)); }
BK_INLINE double abs(double a) { return __builtin_fabs(a); }

BK_INLINE double copy_sign(double size, double sign) { return __builtin_copysign(size, sign); }
BK_INLINE Vec copy_sign(Vec size, Vec sign) {
  const IntLanes mask = IntLanes{} + INT64_MIN;
  return (Lanes)(((IntLanes)size.v & ~mask) | ((IntLanes)sign.v & mask));
}

BK_INLINE bool any(IntLanes mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
  int64_t r = 0;
  for (int i = 0; i < kWidth; ++i) r |= mask[i];
  return r != 0;
#endif
}

// Transposes kWidth rows of kWidth numbers in registers.
BK_INLINE void transpose(Lanes* r) {
#if defined(__AVX512F__)
  Lanes a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = BK_SHUFFLE(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = BK_SHUFFLE(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = i; j < i + 2; ++j) {
      b[j] = BK_SHUFFLE(a[j], a[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[j + 2] = BK_SHUFFLE(a[j], a[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int j = 0; j < 4; ++j) {
    r[j] = BK_SHUFFLE(b[j], b[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[j + 4] = BK_SHUFFLE(b[j], b[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif defined(__AVX2__)
  const Lanes a = BK_SHUFFLE(r[0], r[1], 0, 4, 2, 6);
  const Lanes b = BK_SHUFFLE(r[0], r[1], 1, 5, 3, 7);
  const Lanes c = BK_SHUFFLE(r[2], r[3], 0, 4, 2, 6);
  const Lanes d = BK_SHUFFLE(r[2], r[3], 1, 5, 3, 7);
  r[0] = BK_SHUFFLE(a, c, 0, 1, 4, 5);
  r[1] = BK_SHUFFLE(b, d, 0, 1, 4, 5);
  r[2] = BK_SHUFFLE(a, c, 2, 3, 6, 7);
  r[3] = BK_SHUFFLE(b, d, 2, 3, 6, 7);
#else
  const Lanes a = r[0], b = r[1];
  r[0] = BK_SHUFFLE(a, b, 0, 2);
  r[1] = BK_SHUFFLE(a, b, 1, 3);
#endif
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit

#endif  // BAXTERKIT_CUDA
