// From rows in memory to vector lanes and back, and the two drivers that run a kernel: over the
// rows of a batch, and on one sample.
//
// A kernel is a struct with
//   inputs, widths[], outputs            its sizes; input 0 is always q
//   template <class T> static void eval(const T* s, const T* c, const T (*x)[8],
//                                       const Parameters&, T* y)
// where s, c are sine and cosine of q and x[k] is input k.
#pragma once

#include "kernels.hpp"
#include "simd.hpp"
#include "sincos.hpp"
#include "stream.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

BK_INLINE const double* at(const char* p) { return reinterpret_cast<const double*>(p); }

// The first n < kWidth numbers at p; the rest is zero.
BK_INLINE Lanes load_part(const double* p, int n) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
#else
  Lanes r{};
  for (int i = 0; i < n; ++i) r[i] = p[i];
  return r;
#endif
}

BK_INLINE void store_part(double* p, Lanes v, int n) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), (__m512d)v);
#else
  for (int i = 0; i < n; ++i) p[i] = v[i];
#endif
}

#if defined(__AVX512F__)
// Four columns of eight rows. Rows i and i + 4 share a register from the start, which saves the
// last of the three steps of a transposition.
BK_INLINE void load_four(const Operand& in, const char* row, int column, Vec* x) {
  Lanes r[4];
  for (int i = 0; i < 4; ++i) {
    const __m256d low = _mm256_loadu_pd(at(row + i * in.row_stride) + column);
    const __m256d high = _mm256_loadu_pd(at(row + (i + 4) * in.row_stride) + column);
    r[i] = (Lanes)_mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
  }
  const Lanes a = BK_SHUFFLE(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes b = BK_SHUFFLE(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const Lanes c = BK_SHUFFLE(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes d = BK_SHUFFLE(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
  x[0] = BK_SHUFFLE(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
  x[1] = BK_SHUFFLE(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
  x[2] = BK_SHUFFLE(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
  x[3] = BK_SHUFFLE(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
#endif

// kWidth rows of N contiguous numbers become N vectors.
template <int N>
BK_INLINE void load_rows(const Operand& in, const char* row, Vec* x) {
#if defined(__AVX512F__)
  if constexpr (N >= 4) {
    static_assert(N <= 8, "wider rows take more steps");
    load_four(in, row, N - 4, x + N - 4);
    load_four(in, row, 0, x);
    return;
  }
#endif
  for (int start = 0; start < N; start += kWidth) {
    const int first = (start + kWidth > N && N >= kWidth) ? N - kWidth : start;
    Lanes r[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      const double* p = at(row + i * in.row_stride) + first;
      r[i] = N >= kWidth ? Vec::load(p).v : load_part(p, N);
    }
    transpose(r);
    for (int j = 0; j < kWidth && first + j < N; ++j) x[first + j] = r[j];
  }
}

// Any strides, and fewer rows than lanes (the last row then fills the spare lanes).
template <int N>
BK_INLINE void gather_rows(const Operand& in, const char* row, std::ptrdiff_t rows, Vec* x) {
  double buffer[N][kWidth];
  for (int i = 0; i < kWidth; ++i) {
    const char* p = row + (i < rows ? i : rows - 1) * in.row_stride;
    for (int j = 0; j < N; ++j) std::memcpy(&buffer[j][i], p + j * in.column_stride, 8);
  }
  for (int j = 0; j < N; ++j) x[j] = Vec::load(buffer[j]);
}

template <int N>
BK_INLINE void read_rows(const Operand& in, std::ptrdiff_t first, std::ptrdiff_t rows, Vec* x) {
  const char* row = in.data + first * in.row_stride;
  if (rows >= kWidth && in.column_stride == 8) {
    load_rows<N>(in, row, x);
  } else {
    gather_rows<N>(in, row, rows, x);
  }
}

// M vectors become kWidth rows of M contiguous numbers.
template <int M>
BK_INLINE void store_rows(const Vec* y, char* out, std::ptrdiff_t stride) {
  if (M == 1 && stride == 8) {
    y[0].store(reinterpret_cast<double*>(out));
    return;
  }
  for (int start = 0; start < M; start += kWidth) {
    const int first = (start + kWidth > M && M >= kWidth) ? M - kWidth : start;
    Lanes r[kWidth];
    for (int j = 0; j < kWidth; ++j) r[j] = first + j < M ? y[first + j].v : Lanes{};
    transpose(r);
    for (int i = 0; i < kWidth; ++i) {
      double* p = reinterpret_cast<double*>(out + i * stride) + first;
      if (M >= kWidth) {
        Vec(r[i]).store(p);
      } else {
        store_part(p, r[i], M);
      }
    }
  }
}

template <int M>
BK_INLINE void write_rows(const Vec* y, char* out, std::ptrdiff_t stride, std::ptrdiff_t rows) {
  if (rows >= kWidth) {
    store_rows<M>(y, out, stride);
    return;
  }
  for (int j = 0; j < M; ++j) {
    for (int i = 0; i < rows; ++i) {
      const double value = y[j][i];
      std::memcpy(out + i * stride + 8 * j, &value, 8);
    }
  }
}

template <class K, int I>
BK_INLINE void read_inputs(const Operand* in, std::ptrdiff_t first, std::ptrdiff_t rows, Vec (*x)[8]) {
  if constexpr (I < K::inputs) {
    read_rows<K::widths[I]>(in[I], first, rows, x[I]);
    read_inputs<K, I + 1>(in, first, rows, x);
  }
}

// x - x is zero for a finite number and NaN for anything else.
template <class K, class T>
BK_INLINE T non_finite(const T (*x)[8]) {
  T sum = 0.0;
  for (int k = 0; k < K::inputs; ++k) {
    for (int j = 0; j < K::widths[k]; ++j) sum = sum + (x[k][j] - x[k][j]);
  }
  return sum;
}

// Evaluates the kernel on up to kWidth rows; returns the sum that is zero if they are finite.
template <class K>
BK_NOINLINE Vec run_block(const Operand* in, std::ptrdiff_t first, std::ptrdiff_t rows,
                          const Parameters& parameters, Vec* y) {
  Vec x[K::inputs][8], s[8], c[8];
  read_inputs<K, 0>(in, first, rows, x);
  for (int j = 0; j < kJoints; ++j) sincos(x[0][j], s[j], c[j]);
  K::template eval<Vec>(s, c, x, parameters, y);
  return non_finite<K, Vec>(x);
}

using Block = Vec (*)(const Operand*, std::ptrdiff_t, std::ptrdiff_t, const Parameters&, Vec*);

// Runs `block` over the rows of a batch; the same code for all kernels with M outputs.
template <int M>
BK_NOINLINE bool run_blocks(Block block, std::ptrdiff_t n, const Operand* in, char* out,
                            std::ptrdiff_t out_stride, bool past_cache, const Parameters& parameters) {
  Vec bad = 0.0, y[M];
  std::ptrdiff_t first = 0;
  constexpr std::ptrdiff_t row_bytes = 8 * M;
  if (past_cache && out_stride == row_bytes) {
    Stream<kWidth * row_bytes> stream(out);
    for (; first + kWidth <= n; first += kWidth) {
      bad = bad + block(in, first, kWidth, parameters, y);
      store_rows<M>(y, stream.next(), row_bytes);
      stream.flush();
    }
    stream.finish();
  }
  for (; first < n; first += kWidth) {
    bad = bad + block(in, first, n - first, parameters, y);
    write_rows<M>(y, out + first * out_stride, out_stride, n - first);
  }
  return !any(bad.v != Lanes{});
}

template <class K>
bool run_rows(std::ptrdiff_t n, const Operand* in, char* out, std::ptrdiff_t out_stride, bool past_cache,
              const Parameters& parameters) {
  return run_blocks<K::outputs>(run_block<K>, n, in, out, out_stride, past_cache, parameters);
}

template <class K>
bool run_one(const double* const* in, double* out, const Parameters& parameters) {
#if defined(__SSE2__) && !defined(__AVX2__)
  // Two lanes take the time of one here, and the same bits come out: half of the code.
  Operand operands[K::inputs];
  for (int k = 0; k < K::inputs; ++k) operands[k] = {reinterpret_cast<const char*>(in[k]), 0, 8};
  Vec y[K::outputs];
  const bool finite = !any(run_block<K>(operands, 0, 1, parameters, y).v != Lanes{});
  for (int i = 0; i < K::outputs; ++i) out[i] = y[i][0];
  return finite;
#else
  double x[K::inputs][8], s[8], c[8];
  for (int k = 0; k < K::inputs; ++k) {
    for (int j = 0; j < K::widths[k]; ++j) x[k][j] = in[k][j];
  }
  sincos_of_joints(x[0], kJoints, s, c);
  K::template eval<double>(s, c, x, parameters, out);
  return non_finite<K, double>(x) == 0.0;
#endif
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
