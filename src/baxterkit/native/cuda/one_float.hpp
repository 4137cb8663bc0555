// One number in the place of eight: the coarse tests of collision checks in one thread of a GPU.
// collision/floats.hpp includes this file where BAXTERKIT_CUDA is defined.
#pragma once

#include "../simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct Floats {
  float v;

  Floats() = default;
  BK_INLINE Floats(float x) : v(x) {}
};

BK_INLINE Floats operator+(Floats a, Floats b) { return a.v + b.v; }
BK_INLINE Floats operator-(Floats a, Floats b) { return a.v - b.v; }
BK_INLINE Floats operator*(Floats a, Floats b) { return a.v * b.v; }
BK_INLINE Floats operator-(Floats a) { return -a.v; }
BK_INLINE Floats abs(Floats a) { return ::fabsf(a.v); }
BK_INLINE Floats least(Floats a, Floats b) { return ::fminf(a.v, b.v); }
BK_INLINE Floats most(Floats a, Floats b) { return ::fmaxf(a.v, b.v); }
BK_INLINE bool below(Floats a, Floats b) { return a.v < b.v; }
BK_INLINE Floats whole(Floats a) { return ::rintf(a.v); }
BK_INLINE Floats copy_sign(Floats size, Floats sign) { return ::copysignf(size.v, sign.v); }
BK_INLINE Floats where_beyond(Floats a, Floats b, Floats c) { return a.v > b.v ? c.v : 0.0f; }
BK_INLINE Floats bytes_at(const std::uint8_t* from, Floats place) { return float(from[int(place.v)]); }

// Quotients and roots are as good as the margin of the coarse tests needs, no better.
#if defined(__CUDACC__)
BK_INLINE Floats fma(Floats a, Floats b, Floats c) { return __fmaf_rn(a.v, b.v, c.v); }
BK_INLINE Floats fms(Floats a, Floats b, Floats c) { return __fmaf_rn(a.v, b.v, -c.v); }
BK_INLINE Floats fnma(Floats a, Floats b, Floats c) { return __fmaf_rn(-a.v, b.v, c.v); }
BK_INLINE Floats fnms(Floats a, Floats b, Floats c) { return __fmaf_rn(-a.v, b.v, -c.v); }
BK_INLINE Floats operator/(Floats a, Floats b) {
  float r;
  asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a.v), "f"(b.v));
  return r;
}
BK_INLINE Floats sqrt(Floats a) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a.v));
  return r;
}
#else
BK_INLINE Floats fma(Floats a, Floats b, Floats c) { return __builtin_fmaf(a.v, b.v, c.v); }
BK_INLINE Floats fms(Floats a, Floats b, Floats c) { return __builtin_fmaf(a.v, b.v, -c.v); }
BK_INLINE Floats fnma(Floats a, Floats b, Floats c) { return __builtin_fmaf(-a.v, b.v, c.v); }
BK_INLINE Floats fnms(Floats a, Floats b, Floats c) { return __builtin_fmaf(-a.v, b.v, -c.v); }
BK_INLINE Floats operator/(Floats a, Floats b) { return a.v / b.v; }
BK_INLINE Floats sqrt(Floats a) { return ::sqrtf(a.v); }
#endif

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
