// One number in the place of eight: the quick search of inverse kinematics in one thread of a GPU.
//
// The lanes of the search do not see each other, so a thread with one of them decides and computes as
// the processor does, to the bit. ik/octet.hpp includes this file where BAXTERKIT_CUDA is defined.
#pragma once

#include "../simd.hpp"

#if defined(__CUDACC__)
#define __builtin_sqrt(x) ::sqrt(x)
#define __builtin_rint(x) ::rint(x)
#define __builtin_fabs(x) ::fabs(x)
#define __builtin_cos(x) ::cos(x)
#define __builtin_sin(x) ::sin(x)
#define __builtin_ctz(x) (__ffs(int(x)) - 1)
#endif

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kOct = 1;

struct Mask {
  bool m;
  BK_INLINE unsigned bits() const { return m; }
};
BK_INLINE Mask operator&(Mask a, Mask b) { return {a.m && b.m}; }
BK_INLINE Mask operator|(Mask a, Mask b) { return {a.m || b.m}; }
BK_INLINE Mask operator~(Mask a) { return {!a.m}; }

struct Oct {
  double p;
  Oct() = default;
  BK_INLINE Oct(double x) : p(x) {}
  static BK_INLINE Oct load(const double* x) { return Oct(*x); }
  BK_INLINE void store(double* x) const { *x = p; }
};
BK_INLINE Oct operator+(Oct a, Oct b) { return a.p + b.p; }
BK_INLINE Oct operator-(Oct a, Oct b) { return a.p - b.p; }
BK_INLINE Oct operator*(Oct a, Oct b) { return a.p * b.p; }
BK_INLINE Oct operator/(Oct a, Oct b) { return a.p / b.p; }
BK_INLINE Oct operator-(Oct a) { return -a.p; }
BK_INLINE Oct fma(Oct a, Oct b, Oct c) { return BAXTERKIT_ISA::fma(a.p, b.p, c.p); }
BK_INLINE Oct fms(Oct a, Oct b, Oct c) { return BAXTERKIT_ISA::fms(a.p, b.p, c.p); }
BK_INLINE Oct fnma(Oct a, Oct b, Oct c) { return BAXTERKIT_ISA::fnma(a.p, b.p, c.p); }
BK_INLINE Oct sqrt(Oct a) { return BAXTERKIT_ISA::sqrt(a.p); }
BK_INLINE Oct abs(Oct a) { return BAXTERKIT_ISA::abs(a.p); }
BK_INLINE Mask operator<(Oct a, Oct b) { return {a.p < b.p}; }
BK_INLINE Oct select(Mask m, Oct a, Oct b) { return m.m ? a : b; }
// a < b ? a : b and a < b ? b : a
BK_INLINE Oct min(Oct a, Oct b) { return a.p < b.p ? a : b; }
BK_INLINE Oct max(Oct a, Oct b) { return a.p < b.p ? b : a; }

// Columns [0, N) of one row.
template <int N>
BK_INLINE void load_lanes(const double* const* row, Oct* x) {
  BK_UNROLL for (int k = 0; k < N; ++k) x[k] = Oct(row[0][k]);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
