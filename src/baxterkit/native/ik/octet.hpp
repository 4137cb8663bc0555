// Eight doubles side by side, on any instruction set: one, two or four registers of `Vec`.
//
// The exact solver lays eight samples of theta5, or eight candidate solutions, side by side. It
// always works on eight, so that its decisions do not depend on the register width.
#pragma once

#include "../simd.hpp"

#ifdef BAXTERKIT_CUDA
#include "../cuda/one_lane.hpp"
#else

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kOct = 8;
constexpr int kParts = kOct / kWidth;

#if defined(__AVX512F__)

struct Mask {
  __mmask8 m;
  BK_INLINE unsigned bits() const { return m; }
};
BK_INLINE Mask operator&(Mask a, Mask b) { return {__mmask8(a.m & b.m)}; }
BK_INLINE Mask operator|(Mask a, Mask b) { return {__mmask8(a.m | b.m)}; }
BK_INLINE Mask operator~(Mask a) { return {__mmask8(~a.m)}; }

struct Oct {
  Vec p;
  Oct() = default;
  BK_INLINE Oct(Vec v) : p(v) {}
  BK_INLINE Oct(double x) : p(x) {}
  static BK_INLINE Oct load(const double* x) { return Vec::load(x); }
  BK_INLINE void store(double* x) const { p.store(x); }
};
BK_INLINE Oct operator+(Oct a, Oct b) { return a.p + b.p; }
BK_INLINE Oct operator-(Oct a, Oct b) { return a.p - b.p; }
BK_INLINE Oct operator*(Oct a, Oct b) { return a.p * b.p; }
BK_INLINE Oct operator/(Oct a, Oct b) { return a.p / b.p; }
BK_INLINE Oct operator-(Oct a) { return -a.p; }
BK_INLINE Oct fma(Oct a, Oct b, Oct c) { return fma(a.p, b.p, c.p); }
BK_INLINE Oct fms(Oct a, Oct b, Oct c) { return fms(a.p, b.p, c.p); }
BK_INLINE Oct fnma(Oct a, Oct b, Oct c) { return fnma(a.p, b.p, c.p); }
BK_INLINE Oct sqrt(Oct a) { return sqrt(a.p); }
BK_INLINE Oct abs(Oct a) { return abs(a.p); }
BK_INLINE Mask operator<(Oct a, Oct b) {
  return {_mm512_cmp_pd_mask((__m512d)a.p.v, (__m512d)b.p.v, _CMP_LT_OQ)};
}
BK_INLINE Oct select(Mask m, Oct a, Oct b) {
  return Vec((Lanes)_mm512_mask_blend_pd(m.m, (__m512d)b.p.v, (__m512d)a.p.v));
}
// a < b ? a : b and a < b ? b : a (the masked intrinsics: see sqrt in simd.hpp)
BK_INLINE Oct min(Oct a, Oct b) { return Vec((Lanes)_mm512_maskz_min_pd(0xff, a.p.v, b.p.v)); }
BK_INLINE Oct max(Oct a, Oct b) { return Vec((Lanes)_mm512_maskz_max_pd(0xff, b.p.v, a.p.v)); }
// Lane j takes the value of lane j + 1; the last lane takes that of lane 0.
BK_INLINE Oct next(Oct a) { return Vec(BK_SHUFFLE(a.p.v, a.p.v, 1, 2, 3, 4, 5, 6, 7, 0)); }

#else

// A statement for each part i. Not a loop: compilers would keep the parts in memory until they have unrolled
// it, which takes GCC two thirds of its time and leaves SSE2 code four times slower (clang, optimising for
// size, never does).
#define BK_PART(k, statement) \
  {                           \
    constexpr int i = k;      \
    statement;                \
  }
#if defined(__AVX2__)
#define BK_PARTS(statement) BK_PART(0, statement) BK_PART(1, statement)
#else
#define BK_PARTS(statement) \
  BK_PART(0, statement) BK_PART(1, statement) BK_PART(2, statement) BK_PART(3, statement)
#endif

struct Mask {
  IntLanes m[kParts];
  BK_INLINE unsigned bits() const {
    unsigned r = 0;
#if defined(__AVX2__)
    BK_PARTS(r |= unsigned(_mm256_movemask_pd((__m256d)m[i])) << (i * kWidth))
#elif defined(__SSE2__)
    BK_PARTS(r |= unsigned(_mm_movemask_pd((__m128d)m[i])) << (i * kWidth))
#else
    BK_PARTS(r |= unsigned((m[i][0] & 1) | (m[i][1] & 2)) << (i * kWidth))
#endif
    return r;
  }
};
#define BK_EACH(type, statement) \
  type r;                        \
  BK_PARTS(statement)            \
  return r
BK_INLINE Mask operator&(Mask a, Mask b) { BK_EACH(Mask, r.m[i] = a.m[i] & b.m[i]); }
BK_INLINE Mask operator|(Mask a, Mask b) { BK_EACH(Mask, r.m[i] = a.m[i] | b.m[i]); }
BK_INLINE Mask operator~(Mask a) { BK_EACH(Mask, r.m[i] = ~a.m[i]); }

struct Oct {
  Vec p[kParts];
  Oct() = default;
  BK_INLINE Oct(double x) { BK_PARTS(p[i] = Vec(x)) }
  static BK_INLINE Oct load(const double* x) { BK_EACH(Oct, r.p[i] = Vec::load(x + i * kWidth)); }
  BK_INLINE void store(double* x) const { BK_PARTS(p[i].store(x + i * kWidth)) }
};
BK_INLINE Oct operator+(Oct a, Oct b) { BK_EACH(Oct, r.p[i] = a.p[i] + b.p[i]); }
BK_INLINE Oct operator-(Oct a, Oct b) { BK_EACH(Oct, r.p[i] = a.p[i] - b.p[i]); }
BK_INLINE Oct operator*(Oct a, Oct b) { BK_EACH(Oct, r.p[i] = a.p[i] * b.p[i]); }
BK_INLINE Oct operator/(Oct a, Oct b) { BK_EACH(Oct, r.p[i] = a.p[i] / b.p[i]); }
BK_INLINE Oct operator-(Oct a) { BK_EACH(Oct, r.p[i] = -a.p[i]); }
BK_INLINE Oct fma(Oct a, Oct b, Oct c) { BK_EACH(Oct, r.p[i] = fma(a.p[i], b.p[i], c.p[i])); }
BK_INLINE Oct fms(Oct a, Oct b, Oct c) { BK_EACH(Oct, r.p[i] = fms(a.p[i], b.p[i], c.p[i])); }
BK_INLINE Oct fnma(Oct a, Oct b, Oct c) { BK_EACH(Oct, r.p[i] = fnma(a.p[i], b.p[i], c.p[i])); }
BK_INLINE Oct sqrt(Oct a) { BK_EACH(Oct, r.p[i] = sqrt(a.p[i])); }
BK_INLINE Oct abs(Oct a) { BK_EACH(Oct, r.p[i] = abs(a.p[i])); }
BK_INLINE Mask operator<(Oct a, Oct b) { BK_EACH(Mask, r.m[i] = a.p[i].v < b.p[i].v); }
BK_INLINE Oct select(Mask m, Oct a, Oct b) { BK_EACH(Oct, r.p[i] = select(m.m[i], a.p[i], b.p[i])); }
// a < b ? a : b and a < b ? b : a
#if defined(__AVX2__)
BK_INLINE Oct min(Oct a, Oct b) {
  BK_EACH(Oct, r.p[i] = Vec((Lanes)_mm256_min_pd((__m256d)a.p[i].v, (__m256d)b.p[i].v)));
}
BK_INLINE Oct max(Oct a, Oct b) {
  BK_EACH(Oct, r.p[i] = Vec((Lanes)_mm256_max_pd((__m256d)b.p[i].v, (__m256d)a.p[i].v)));
}
#elif defined(__SSE2__)
BK_INLINE Oct min(Oct a, Oct b) {
  BK_EACH(Oct, r.p[i] = Vec((Lanes)_mm_min_pd((__m128d)a.p[i].v, (__m128d)b.p[i].v)));
}
BK_INLINE Oct max(Oct a, Oct b) {
  BK_EACH(Oct, r.p[i] = Vec((Lanes)_mm_max_pd((__m128d)b.p[i].v, (__m128d)a.p[i].v)));
}
#else
BK_INLINE Oct min(Oct a, Oct b) { return select(a < b, a, b); }
BK_INLINE Oct max(Oct a, Oct b) { return select(a < b, b, a); }
#endif
BK_INLINE Lanes shifted(Lanes here, Lanes after) {
#if defined(__AVX2__)
  return BK_SHUFFLE(here, after, 1, 2, 3, 4);
#else
  return BK_SHUFFLE(here, after, 1, 2);
#endif
}
BK_INLINE Oct next(Oct a) { BK_EACH(Oct, r.p[i] = Vec(shifted(a.p[i].v, a.p[(i + 1) % kParts].v))); }
#undef BK_EACH
#undef BK_PARTS
#undef BK_PART

#endif

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit

#endif  // BAXTERKIT_CUDA

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr unsigned kAllLanes = (1u << kOct) - 1u;

BK_INLINE Oct operator+(Oct a, double b) { return a + Oct(b); }
BK_INLINE Oct operator+(double a, Oct b) { return Oct(a) + b; }
BK_INLINE Oct operator-(Oct a, double b) { return a - Oct(b); }
BK_INLINE Oct operator-(double a, Oct b) { return Oct(a) - b; }
BK_INLINE Oct operator*(Oct a, double b) { return a * Oct(b); }
BK_INLINE Oct operator*(double a, Oct b) { return Oct(a) * b; }
BK_INLINE Mask operator>(Oct a, Oct b) { return b < a; }
BK_INLINE double min(double a, double b) { return a < b ? a : b; }
BK_INLINE double max(double a, double b) { return a < b ? b : a; }
BK_INLINE Oct copysign_of(Oct magnitude, Oct sign) { return select(sign < Oct(0.0), -magnitude, magnitude); }
BK_INLINE Oct ramp() {
  const double x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return Oct::load(x);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
