// Eight single-precision numbers side by side: what the coarse tests of collision checks run on.
// They only rule out what is far, with a margin for their rounding, so no answer depends on it.
#pragma once

#include <cstdint>

#include "../simd.hpp"

#ifdef BAXTERKIT_CUDA
#include "../cuda/one_float.hpp"
#else

namespace baxterkit {
namespace BAXTERKIT_ISA {

typedef float FloatLanes __attribute__((vector_size(32)));
typedef int32_t FloatMask __attribute__((vector_size(32)));

struct Floats {
  FloatLanes v;

  Floats() = default;
  BK_INLINE Floats(FloatLanes lanes) : v(lanes) {}
  BK_INLINE Floats(float x) : v(x - FloatLanes{}) {}
  static BK_INLINE Floats load(const float* p) {
    Floats r;
    std::memcpy(&r.v, p, sizeof r.v);
    return r;
  }
  BK_INLINE void store(float* p) const { std::memcpy(p, &v, sizeof v); }
};

BK_INLINE Floats operator+(Floats a, Floats b) { return a.v + b.v; }
BK_INLINE Floats operator-(Floats a, Floats b) { return a.v - b.v; }
BK_INLINE Floats operator*(Floats a, Floats b) { return a.v * b.v; }
BK_INLINE Floats operator/(Floats a, Floats b) { return a.v / b.v; }
BK_INLINE Floats operator-(Floats a) { return -a.v; }
BK_INLINE Floats abs(Floats a) { return (FloatLanes)((FloatMask)a.v & (FloatMask{} + INT32_MAX)); }

#if defined(__AVX2__)
BK_INLINE Floats fma(Floats a, Floats b, Floats c) { return (FloatLanes)_mm256_fmadd_ps(a.v, b.v, c.v); }
BK_INLINE Floats least(Floats a, Floats b) { return (FloatLanes)_mm256_min_ps(a.v, b.v); }
BK_INLINE Floats most(Floats a, Floats b) { return (FloatLanes)_mm256_max_ps(a.v, b.v); }
BK_INLINE Floats sqrt(Floats a) { return (FloatLanes)_mm256_sqrt_ps(a.v); }
// The nearest whole numbers; halves either way.
BK_INLINE Floats whole(Floats a) {
  return (FloatLanes)_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// Bytes at whole numbers; three more are read.
BK_INLINE Floats bytes_at(const std::uint8_t* from, Floats place) {
  const __m256i at = _mm256_cvttps_epi32(place.v);
  const __m256i words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(from), at, 1);
  return (FloatLanes)_mm256_cvtepi32_ps(_mm256_and_si256(words, _mm256_set1_epi32(255)));
}
// Lanes of a that are below those of b, as bits.
BK_INLINE unsigned below(Floats a, Floats b) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)));
}
#else
BK_INLINE Floats fma(Floats a, Floats b, Floats c) { return a.v * b.v + c.v; }
BK_INLINE Floats pick(FloatMask mask, Floats a, Floats b) {
  return (FloatLanes)(((FloatMask)a.v & mask) | ((FloatMask)b.v & ~mask));
}
BK_INLINE Floats least(Floats a, Floats b) { return pick(a.v < b.v, a, b); }
BK_INLINE Floats most(Floats a, Floats b) { return pick(a.v > b.v, a, b); }
BK_INLINE Floats sqrt(Floats a) {
  for (int i = 0; i < 8; ++i) a.v[i] = __builtin_sqrtf(a.v[i]);
  return a;
}
BK_INLINE Floats whole(Floats a) {
  const Floats shifted = a + 12582912.0f;  // 1.5 2^23: nothing below one is left
  return shifted - 12582912.0f;
}
BK_INLINE Floats bytes_at(const std::uint8_t* from, Floats place) {
  for (int i = 0; i < 8; ++i) place.v[i] = from[static_cast<int>(place.v[i])];
  return place;
}
BK_INLINE unsigned below(Floats a, Floats b) {
  const FloatMask mask = a.v < b.v;
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= (mask[i] & 1u) << i;
  return bits;
}
#endif

BK_INLINE Floats blend(FloatMask mask, Floats a, Floats b) {
#if defined(__AVX2__)
  return (FloatLanes)_mm256_blendv_ps(b.v, a.v, (__m256)mask);
#else
  return (FloatLanes)(((FloatMask)a.v & mask) | ((FloatMask)b.v & ~mask));
#endif
}
// The size of a, which is not negative, with the sign of b.
BK_INLINE Floats copy_sign(Floats a, Floats b) {
  return (FloatLanes)((FloatMask)a.v | ((FloatMask)b.v & (FloatMask{} + INT32_MIN)));
}
// c where a is greater than b, else zero.
BK_INLINE Floats where_beyond(Floats a, Floats b, Floats c) {
  return (FloatLanes)((FloatMask)c.v & (FloatMask)(a.v > b.v));
}

// Four numbers, each of the configurations side by side: four floats for each configuration, `stride`
// after those of the one before.
BK_INLINE void spread(const Vec* x, float* to, std::ptrdiff_t stride) {
#if defined(__AVX512F__)
  const __m256 all[4] = {_mm512_cvtpd_ps(x[0].v), _mm512_cvtpd_ps(x[1].v), _mm512_cvtpd_ps(x[2].v),
                         _mm512_cvtpd_ps(x[3].v)};
  for (int half = 0; half < 2; ++half) {
    __m128 row[4];
    for (int i = 0; i < 4; ++i) {
      row[i] = half ? _mm256_extractf128_ps(all[i], 1) : _mm256_castps256_ps128(all[i]);
    }
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int i = 0; i < 4; ++i) _mm_storeu_ps(to + (4 * half + i) * stride, row[i]);
  }
#elif defined(__AVX2__)
  __m128 row[4] = {_mm256_cvtpd_ps(x[0].v), _mm256_cvtpd_ps(x[1].v), _mm256_cvtpd_ps(x[2].v),
                   _mm256_cvtpd_ps(x[3].v)};
  _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
  for (int i = 0; i < 4; ++i) _mm_storeu_ps(to + i * stride, row[i]);
#else
  for (int i = 0; i < 4; ++i) {
    for (int lane = 0; lane < kWidth; ++lane) to[lane * stride + i] = static_cast<float>(x[i][lane]);
  }
#endif
}
BK_INLINE void spread(const double* x, float* to, std::ptrdiff_t) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<float>(x[i]);
}

// The same at single precision.
BK_INLINE void narrow(Vec x, float* to) {
#if defined(__AVX512F__)
  _mm256_storeu_ps(to, _mm512_cvtpd_ps(x.v));
#elif defined(__AVX2__)
  _mm_storeu_ps(to, _mm256_cvtpd_ps(x.v));
#else
  for (int lane = 0; lane < kWidth; ++lane) to[lane] = static_cast<float>(x[lane]);
#endif
}

// The least of the lanes.
BK_INLINE float least_of(Floats a) {
#if defined(__AVX2__)
  const __m128 half = _mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  const __m128 two = _mm_min_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
  float x[8];
  a.store(x);
  float r = x[0];
  for (int i = 1; i < 8; ++i) r = x[i] < r ? x[i] : r;
  return r;
#endif
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit

#endif
