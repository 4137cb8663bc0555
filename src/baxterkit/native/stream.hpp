// Writing a long result past the cache.
//
// A plain store to memory that is not cached first reads the line it will overwrite. For results
// larger than the cache this doubles the traffic, so they go out as whole lines with non-temporal
// stores. Lines straddle the rows of a block: a staging buffer holds what is left over.
#pragma once

#include "simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr std::size_t kLine = 64;

// 64 bytes to an aligned place.
BK_INLINE void stream_line(char* target, const char* source) {
#if defined(__AVX512F__)
  _mm512_stream_pd(reinterpret_cast<double*>(target),
                   _mm512_load_pd(reinterpret_cast<const double*>(source)));
#elif defined(__x86_64__)
  for (std::size_t i = 0; i < kLine; i += 16) {
    _mm_stream_pd(reinterpret_cast<double*>(target + i),
                  _mm_load_pd(reinterpret_cast<const double*>(source + i)));
  }
#else
  std::memcpy(target, source, kLine);
#endif
}

// Takes blocks of `Bytes` each and writes them one after another, starting at `out`.
template <std::size_t Bytes>
class Stream {
 public:
  explicit Stream(char* out)
      : line_(out - reinterpret_cast<std::uintptr_t>(out) % kLine), held_(out - line_), skip_(held_) {}

  // Where the next block of `Bytes` belongs; call `flush` when it is there.
  BK_INLINE char* next() { return stage_ + held_; }

  BK_INLINE void flush() {
    const std::size_t total = held_ + Bytes;
    std::size_t done = 0;
    if (__builtin_expect(skip_ != 0, 0)) {
      if (total < kLine) {
        held_ = total;
        return;
      }
      std::memcpy(line_ + skip_, stage_ + skip_, kLine - skip_);
      skip_ = 0;
      done = kLine;
    }
    for (; done + kLine <= total; done += kLine) stream_line(line_ + done, stage_ + done);
    line_ += done;
    held_ = total - done;
    if (done) std::memcpy(stage_, stage_ + done, kLine);
  }

  // Writes what is left over; the stream ends here.
  void finish() {
    std::memcpy(line_ + skip_, stage_ + skip_, held_ - skip_);
#if defined(__x86_64__)
    _mm_sfence();
#endif
  }

 private:
  alignas(kLine) char stage_[Bytes + 2 * kLine];
  char* line_;        // the line that the stage begins at
  std::size_t held_;  // bytes in the stage
  std::size_t skip_;  // bytes of the first line that are not ours
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
