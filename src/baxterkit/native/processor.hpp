// What this processor can do, asked of itself: `__builtin_cpu_supports` needs a part of GCC's run-time
// library that other compilers do not bring.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

namespace baxterkit {

// Registers that the operating system saves when it changes from one thread to another.
inline unsigned long long saved_registers() {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<unsigned long long>(high) << 32) | low;
}

struct Processor {
  bool avx2 = false, avx512 = false;

  Processor() {
    unsigned a, b, c, d, extended;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return;
    const bool fma = c >> 12 & 1, saves = c >> 27 & 1;
    if (!fma || !saves || !__get_cpuid_count(7, 0, &a, &extended, &c, &d)) return;
    const unsigned long long registers = saved_registers();
    const auto has = [extended](int bit) { return (extended >> bit & 1) != 0; };
    avx2 = (registers & 0x06) == 0x06 && has(5);
    avx512 = avx2 && (registers & 0xe6) == 0xe6 && has(16) && has(17) && has(31);  // F, DQ, VL
  }
};

}  // namespace baxterkit
#endif
