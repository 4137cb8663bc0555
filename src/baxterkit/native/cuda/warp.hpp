// The threads of a warp and what they tell each other. Without a CUDA compiler a warp is one thread.
#pragma once

#include "../simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

#if defined(__CUDACC__)

constexpr int kLanes = 32, kMostWarps = 8;
BK_INLINE int own_lane() { return threadIdx.x % kLanes; }
BK_INLINE int count_bits(unsigned x) { return __popc(x); }
BK_INLINE int lowest(unsigned x) { return __ffs(int(x)) - 1; }
BK_INLINE bool any_of_warp(bool x) { return __any_sync(~0u, x); }
BK_INLINE unsigned which_of_warp(bool x) { return __ballot_sync(~0u, x); }
BK_INLINE bool of_lane(bool x, int lane) { return __shfl_sync(~0u, int(x), lane); }
BK_INLINE unsigned of_lane(unsigned x, int lane) { return __shfl_sync(~0u, x, lane); }
BK_INLINE void sync_warp() { __syncwarp(); }
BK_INLINE void lower(float* to, float x) {
  // As whole numbers, floats that are not negative are in order, and the others in reverse.
  if (x >= 0.0f) atomicMin(reinterpret_cast<int*>(to), __float_as_int(x));
  else atomicMax(reinterpret_cast<unsigned*>(to), __float_as_uint(x));
}
BK_INLINE void lower(unsigned long long* to, unsigned long long x) { atomicMin(to, x); }
BK_INLINE unsigned raise_flag(unsigned* flag) { return atomicExch(flag, 1u); }
BK_INLINE unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}
BK_INLINE double double_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

// The sum of n over the threads of a warp up to this one.
BK_INLINE unsigned sum_up_to(unsigned n) {
  unsigned sum = n;
  for (int step = 1; step < kLanes; step *= 2) {
    const unsigned before = __shfl_up_sync(~0u, sum, step);
    if (own_lane() >= step) sum += before;
  }
  return sum;
}
// The first of n places behind a counter. All threads of a warp come here: one of them counts for all.
BK_INLINE unsigned reserve(unsigned* counter, unsigned n) {
  const unsigned sum = sum_up_to(n);
  unsigned first = 0;
  if (own_lane() == kLanes - 1 && sum) first = atomicAdd(counter, sum);
  return __shfl_sync(~0u, first, kLanes - 1) + sum - n;
}
// The same for a block, where almost every warp has some: counters are not asked that often.
BK_INLINE unsigned reserve_in_block(unsigned* counter, unsigned n) {
  __shared__ unsigned sums[kMostWarps + 1];
  const int warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
  const unsigned sum = sum_up_to(n);
  if (own_lane() == kLanes - 1) sums[warp] = sum;
  if (!__syncthreads_or(n != 0)) return 0;
  unsigned before = 0, total = 0;
  for (int k = 0; k < warps; ++k) {
    if (k < warp) before += sums[k];
    total += sums[k];
  }
  if (threadIdx.x == 0) sums[kMostWarps] = atomicAdd(counter, total);
  __syncthreads();
  const unsigned first = sums[kMostWarps] + before + sum - n;
  __syncthreads();
  return first;
}
// Places behind a counter, for one thread.
BK_INLINE unsigned take_places(unsigned* counter, unsigned n) { return atomicAdd(counter, n); }
// One place, for whichever threads come here.
BK_INLINE unsigned reserve_one(unsigned* counter) {
  const unsigned who = __activemask(), lane = own_lane();
  const int leader = lowest(who);
  unsigned first = 0;
  if (int(lane) == leader) first = atomicAdd(counter, unsigned(count_bits(who)));
  return __shfl_sync(who, first, leader) + count_bits(who & ((1u << lane) - 1));
}
// The least of a warp's numbers.
BK_INLINE float least_of_warp(float x) {
  for (int step = kLanes / 2; step; step /= 2) x = ::fminf(x, __shfl_xor_sync(~0u, x, step));
  return x;
}
BK_INLINE unsigned long long least_of_warp(unsigned long long x) {
  for (int step = kLanes / 2; step; step /= 2) {
    const unsigned long long y = __shfl_xor_sync(~0u, x, step);
    if (y < x) x = y;
  }
  return x;
}

#else

constexpr int kLanes = 1;
BK_INLINE int own_lane() { return 0; }
BK_INLINE int count_bits(unsigned x) { return __builtin_popcount(x); }
BK_INLINE int lowest(unsigned x) { return __builtin_ctz(x); }
BK_INLINE bool any_of_warp(bool x) { return x; }
BK_INLINE unsigned which_of_warp(bool x) { return x; }
template <class T>
BK_INLINE T of_lane(T x, int) {
  return x;
}
BK_INLINE void sync_warp() {}
template <class T>
BK_INLINE void lower(T* to, T x) {
  if (x < *to) *to = x;
}
BK_INLINE unsigned raise_flag(unsigned* flag) {
  const unsigned before = *flag;
  *flag = 1;
  return before;
}
BK_INLINE unsigned long long bits_of(double x) {
  unsigned long long bits;
  std::memcpy(&bits, &x, 8);
  return bits;
}
BK_INLINE double double_of(unsigned long long bits) {
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}
BK_INLINE unsigned sum_up_to(unsigned n) { return n; }
BK_INLINE unsigned reserve(unsigned* counter, unsigned n) {
  const unsigned first = *counter;
  *counter += n;
  return first;
}
BK_INLINE unsigned reserve_in_block(unsigned* counter, unsigned n) { return reserve(counter, n); }
BK_INLINE unsigned take_places(unsigned* counter, unsigned n) { return reserve(counter, n); }
BK_INLINE unsigned reserve_one(unsigned* counter) { return (*counter)++; }
template <class T>
BK_INLINE T least_of_warp(T x) {
  return x;
}

#endif

// Of threads that are bits, those before this one.
BK_INLINE int count_before(unsigned who) { return count_bits(who & ((1u << own_lane()) - 1)); }

// Whole numbers in the order of doubles, and back.
BK_INLINE unsigned long long order_of(double x) {
  const unsigned long long bits = bits_of(x), top = 1ull << 63;
  return bits & top ? ~bits : bits | top;
}
BK_INLINE double value_of(unsigned long long order) {
  return double_of(order >> 63 ? order & ~(1ull << 63) : ~order);
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
