// The threads of a warp and what they tell each other. Without a CUDA compiler a warp is one thread.
#pragma once

#include "../simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

#if defined(__CUDACC__)

constexpr int kLanes = 32;
BK_INLINE int own_lane() { return threadIdx.x % kLanes; }
BK_INLINE unsigned ballot(bool x) { return __ballot_sync(~0u, x); }
BK_INLINE void sync_warp() { __syncwarp(); }
// All warps of a block: they do the same, so that its code is in the cache.
BK_INLINE void next_step() { __syncthreads(); }
BK_INLINE int count_bits(unsigned x) { return __popc(x); }
BK_INLINE int lowest(unsigned x) { return __ffs(int(x)) - 1; }
BK_INLINE int lowest(unsigned long long x) { return __ffsll(static_cast<long long>(x)) - 1; }
BK_INLINE unsigned lanes_before(int lane) { return (1u << lane) - 1; }
BK_INLINE void lower(float* to, float x) {
  // As whole numbers, floats that are not negative are in order, and the others in reverse.
  if (x >= 0.0f) atomicMin(reinterpret_cast<int*>(to), __float_as_int(x));
  else atomicMax(reinterpret_cast<unsigned*>(to), __float_as_uint(x));
}
BK_INLINE void lower(unsigned long long* to, unsigned long long x) { atomicMin(to, x); }
BK_INLINE unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}

#else

constexpr int kLanes = 1;
BK_INLINE int own_lane() { return 0; }
BK_INLINE unsigned ballot(bool x) { return x; }
BK_INLINE void sync_warp() {}
BK_INLINE void next_step() {}
BK_INLINE int count_bits(unsigned x) { return int(x); }
BK_INLINE int lowest(unsigned x) { return __builtin_ctz(x); }
BK_INLINE int lowest(unsigned long long x) { return __builtin_ctzll(x); }
BK_INLINE unsigned lanes_before(int) { return 0; }
template <class T>
BK_INLINE void lower(T* to, T x) {
  if (x < *to) *to = x;
}
BK_INLINE unsigned long long bits_of(double x) {
  unsigned long long bits;
  std::memcpy(&bits, &x, 8);
  return bits;
}

#endif

#if defined(__CUDACC__)
BK_INLINE double double_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
#else
BK_INLINE double double_of(unsigned long long bits) {
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}
#endif

// Whole numbers in the order of doubles, and back.
BK_INLINE unsigned long long order_of(double x) {
  const unsigned long long bits = bits_of(x), top = 1ull << 63;
  return bits & top ? ~bits : bits | top;
}

BK_INLINE double value_of(unsigned long long order) {
  return double_of(order >> 63 ? order & ~(1ull << 63) : ~order);
}

// A list in the memory of a warp; all of its threads add to it together.
template <class T, int kMost>
struct WarpList {
  T item[kMost];

  static BK_INLINE bool full(int count) { return count > kMost - kLanes; }
  // Whoever has an item puts it.
  BK_INLINE void put(int& count, int lane, bool mine, const T& x) {
    const unsigned who = ballot(mine);
    if (!who) return;
    if (mine) item[count + count_bits(who & lanes_before(lane))] = x;
    count += count_bits(who);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
