// Rows of a batch through the threads of a GPU: one row to a thread, a tile of rows to a warp.
//
// A warp copies its tile of every input into shared memory, neighbours reading neighbouring numbers;
// each thread takes its row from there, computes, and puts its result into shared memory; then the
// warp writes the tile out. While it computes one tile, the inputs of its next one are on their way.
// Rows in shared memory have an odd length, so that 32 threads meet 32 banks.
#pragma once

#include "joint_sincos.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kWarp = 32;                // threads that go together
constexpr int kSharedBytes = 48 * 1024;  // that every GPU has without being asked
constexpr int kMostWarps = 4;            // in a block

// An array argument: row i of the batch is its row (i / repeat) % count.
struct Source {
  const Real* data;
  unsigned repeat, count;
};

struct Rows {
  Source in[kMaxInputs];
  Real* out;
  unsigned rows;
};

// How a kernel K lies in the shared memory of a warp: inputs, then results.
template <class K>
struct Tile {
  static constexpr int stride(int width) { return width | 1; }
  static constexpr int before(int input) {  // numbers of a row before that input
    int sum = 0;
    for (int k = 0; k < input; ++k) sum += stride(K::widths[k]);
    return sum;
  }
  static constexpr int row = before(K::inputs) + stride(K::outputs);
  static constexpr int bytes(int rows) { return rows * row * int(sizeof(Real)); }
  // As many rows as a warp has threads, or fewer if so many do not fit.
  static constexpr int rows = bytes(32) <= kSharedBytes ? 32 : bytes(16) <= kSharedBytes ? 16 : 8;
  static constexpr int fit = kSharedBytes / bytes(rows);
  static constexpr int warps = fit < kMostWarps ? fit : kMostWarps;
  static constexpr int threads = warps * kWarp;
  static constexpr int inputs = rows * before(K::inputs), outputs = rows * stride(K::outputs);
};

// Copies a number into shared memory, to be there after `copies_done`.
BK_INLINE void copy(Real* to, const Real* from) {
#if defined(__CUDACC__)
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
               "l"(from), "n"(sizeof(Real)));
#else
  *to = *from;
#endif
}

BK_INLINE void write_past(Real* p, Real x) {
#if defined(__CUDACC__)
  __stcs(p, x);
#else
  *p = x;
#endif
}

// Inputs I and on of rows [first, first + n) into the tile, by the thread `lane`.
template <class K, int I>
BK_INLINE void load_tile(const Rows& a, unsigned first, int n, int lane, Real* tile) {
  if constexpr (I < K::inputs) {
    constexpr int width = K::widths[I], stride = Tile<K>::stride(width), rows = Tile<K>::rows;
    Real* to = tile + rows * Tile<K>::before(I);
    const Source& source = a.in[I];
    if (source.repeat == 1 && source.count >= a.rows) {
      const Real* from = source.data + size_t(first) * width;
#pragma unroll
      for (int e = lane; e < rows * width; e += kWarp) {
        if (e < n * width) copy(to + e / width * stride + e % width, from + e);
      }
    } else {
#pragma unroll
      for (int e = lane; e < rows * width; e += kWarp) {
        const int row = e / width;
        const unsigned at = (first + unsigned(row)) / source.repeat % source.count;
        if (row < n) {
          copy(to + row * stride + e % width, source.data + size_t(at) * width + e % width);
        }
      }
    }
    load_tile<K, I + 1>(a, first, n, lane, tile);
  }
}

template <class K, int I>
BK_INLINE void read_row(const Real* tile, int lane, Real (*x)[8]) {
  if constexpr (I < K::inputs) {
    constexpr int width = K::widths[I];
    const Real* from = tile + Tile<K>::rows * Tile<K>::before(I) + lane * Tile<K>::stride(width);
#pragma unroll
    for (int k = 0; k < width; ++k) x[I][k] = from[k];
    read_row<K, I + 1>(tile, lane, x);
  }
}

template <class K>
BK_INLINE void evaluate_row(const Parameters& p, const Real (*x)[8], Real* y) {
  Real s[8], c[8];
#pragma unroll
  for (int j = 0; j < kJoints; ++j) joint_sincos(x[0][j], s[j], c[j]);
  K::template eval<Real>(s, c, x, p, y);
}

// The results of rows [first, first + n) from the tile, by the thread `lane`.
template <class K>
BK_INLINE void store_tile(const Real* tile, Real* out, unsigned first, int n, int lane) {
  constexpr int width = K::outputs, stride = Tile<K>::stride(width);
  Real* to = out + size_t(first) * width;
#pragma unroll 16
  for (int e = lane; e < Tile<K>::rows * width; e += kWarp) {
    if (e < n * width) write_past(to + e, tile[e / width * stride + e % width]);
  }
}

#if defined(__CUDACC__)

template <class K>
__device__ __forceinline__ void run_tiles(const Rows& a, const Parameters& p) {
  using Place = Tile<K>;
  __shared__ Real memory[Place::warps * Place::rows * Place::row];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  Real* in = memory + warp * Place::rows * Place::row;
  Real* out = in + Place::inputs;
  const unsigned tiles = (a.rows - 1) / Place::rows + 1, step = gridDim.x * Place::warps;
  const auto rows_of = [&](unsigned tile) {
    const unsigned left = a.rows - tile * Place::rows;
    return int(left < Place::rows ? left : Place::rows);
  };
  unsigned tile = blockIdx.x * Place::warps + warp;
  if (tile < tiles) load_tile<K, 0>(a, tile * Place::rows, rows_of(tile), lane, in);
  for (; tile < tiles; tile += step) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    Real x[K::inputs][8];
    if (lane < Place::rows) read_row<K, 0>(in, lane, x);
    __syncwarp();
    const unsigned next = tile + step;
    if (next < tiles) load_tile<K, 0>(a, next * Place::rows, rows_of(next), lane, in);
    if (lane < Place::rows) evaluate_row<K>(p, x, out + lane * Place::stride(K::outputs));
    __syncwarp();
    store_tile<K>(out, a.out, tile * Place::rows, rows_of(tile), lane);
  }
}

#else

// The same, the threads of a warp one after the other between its barriers.
template <class K>
void run_all(const Rows& a, const Parameters& p) {
  using Place = Tile<K>;
  static Real in[Place::inputs], out[Place::outputs];
  for (size_t first = 0; first < a.rows; first += Place::rows) {
    const int n = a.rows - first < Place::rows ? int(a.rows - first) : Place::rows;
    for (int lane = 0; lane < kWarp; ++lane) load_tile<K, 0>(a, unsigned(first), n, lane, in);
    for (int lane = 0; lane < n; ++lane) {
      Real x[K::inputs][8];
      read_row<K, 0>(in, lane, x);
      evaluate_row<K>(p, x, out + lane * Place::stride(K::outputs));
    }
    for (int lane = 0; lane < kWarp; ++lane) store_tile<K>(out, a.out, unsigned(first), n, lane);
  }
}

#endif

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
