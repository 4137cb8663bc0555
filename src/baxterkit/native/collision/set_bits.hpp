// Lists of work that are written without branches: eight entries each time, of which the first ones count.
#pragma once

#include <cstdint>
#include <cstring>

#include "../collision_table.hpp"
#include "../simd.hpp"

namespace baxterkit {

// Which bits are set, from the lowest on.
struct SetBits {
  std::uint8_t of[256][kEight];
};
constexpr SetBits set_bits() {
  SetBits r = {};
  for (int bits = 0; bits < 256; ++bits) {
    for (int i = 0, n = 0; i < kEight; ++i) {
      if (bits >> i & 1) r.of[bits][n++] = static_cast<std::uint8_t>(i);
    }
  }
  return r;
}
inline constexpr SetBits kSetBits = set_bits();

namespace BAXTERKIT_ISA {

// Eight places in lists.
typedef std::uint8_t EightBytes __attribute__((vector_size(8)));
typedef std::uint16_t EightPlaces __attribute__((vector_size(16)));
BK_INLINE void put(EightPlaces x, std::uint16_t* to) { std::memcpy(to, &x, sizeof x); }
BK_INLINE EightPlaces same_place(int x) { return static_cast<std::uint16_t>(x) - EightPlaces{}; }
// The numbers of the bits that are set, from the lowest on; then zeros.
BK_INLINE EightPlaces places_of(unsigned bits) {
  EightBytes x;
  std::memcpy(&x, kSetBits.of[bits], sizeof x);
  return __builtin_convertvector(x, EightPlaces);
}
BK_INLINE int count_of(unsigned bits) { return __builtin_popcount(bits); }

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
