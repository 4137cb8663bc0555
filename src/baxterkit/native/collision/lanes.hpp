// What collision checks need of a scalar beyond arithmetic, for vectors and for single numbers:
// minimum, maximum, comparison, choice.
#pragma once

#include "../simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

BK_INLINE double least(double a, double b) { return a < b ? a : b; }
BK_INLINE double most(double a, double b) { return a > b ? a : b; }
#if defined(BAXTERKIT_CUDA)
// Vectors are of one number.
#elif defined(__AVX512F__)
BK_INLINE Vec least(Vec a, Vec b) { return (Lanes)_mm512_maskz_min_pd(0xff, a.v, b.v); }
BK_INLINE Vec most(Vec a, Vec b) { return (Lanes)_mm512_maskz_max_pd(0xff, a.v, b.v); }
#elif defined(__AVX2__)
BK_INLINE Vec least(Vec a, Vec b) { return (Lanes)_mm256_min_pd(a.v, b.v); }
BK_INLINE Vec most(Vec a, Vec b) { return (Lanes)_mm256_max_pd(a.v, b.v); }
#else
BK_INLINE Vec least(Vec a, Vec b) { return select(a.v < b.v, a, b); }
BK_INLINE Vec most(Vec a, Vec b) { return select(a.v > b.v, a, b); }
#endif

template <class T>
struct MaskOf;
template <>
struct MaskOf<double> {
  using type = bool;
};
#ifndef BAXTERKIT_CUDA
template <>
struct MaskOf<Vec> {
  using type = IntLanes;
};
#endif
template <class T>
using Mask = typename MaskOf<T>::type;

BK_INLINE bool below(double a, double b) { return a < b; }
BK_INLINE bool any(bool mask) { return mask; }
BK_INLINE double select(bool mask, double a, double b) { return mask ? a : b; }
BK_INLINE bool both(bool a, bool b) { return a && b; }
BK_INLINE bool either(bool a, bool b) { return a || b; }
BK_INLINE bool except(bool a, bool b) { return a && !b; }
#ifndef BAXTERKIT_CUDA
BK_INLINE IntLanes below(Vec a, Vec b) { return a.v < b.v; }
BK_INLINE IntLanes both(IntLanes a, IntLanes b) { return a & b; }
BK_INLINE IntLanes either(IntLanes a, IntLanes b) { return a | b; }
BK_INLINE IntLanes except(IntLanes a, IntLanes b) { return a & ~b; }
#endif

// 0 <= x <= 1; NaN becomes a bound.
template <class T>
BK_INLINE T unit(T x) {
  return least(most(x, T(0.0)), T(1.0));
}

template <class T>
struct Point {
  T x, y, z;
};

template <class T>
BK_INLINE Point<T> operator-(const Point<T>& a, const Point<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
BK_INLINE T dot(const Point<T>& a, const Point<T>& b) {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}
template <class T>
BK_INLINE Point<T> along(const Point<T>& a, T t, const Point<T>& d) {
  return {fma(t, d.x, a.x), fma(t, d.y, a.y), fma(t, d.z, a.z)};
}
template <class T>
BK_INLINE Point<T> fixed(const double* p) {
  return {T(p[0]), T(p[1]), T(p[2])};
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
