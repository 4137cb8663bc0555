// The few words of CUDA that the sources use, for a compiler without CUDA: one thread after another.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#define BK_INLINE inline __attribute__((always_inline))
#define BK_NOINLINE __attribute__((noinline))
#define BK_UNROLL
#define BK_NO_UNROLL
#define BK_UNROLL_4
