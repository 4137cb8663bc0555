// Straight motions between configurations on the GPU: whether they are free all along, by halving
// (BAXTERKIT_EDGE). Pieces of edges wait on a stack: a step takes some of them and places a configuration in
// the middle of each (2), whose clearance comes from the kernels of collision.cu; where that is more than
// any point can move until the ends of the piece, the piece is free, and others are halved (3). The first step
// lays the pieces (1). Without a CUDA compiler `emulate_edge_begin` and so on.
#define BAXTERKIT_CUDA
#include "joint_sincos.hpp"

#include "../collision_pack.hpp"
#include "warp.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kPieces = 4;  // of an edge at first
constexpr double kFinest = 1e-4;  // [m] as in collision/edge.hpp: what is nearer counts as blocked
constexpr double kLongest = 1e3;  // turn of a joint along an edge [rad]; a longer one counts as blocked
constexpr double kShortest = 1.0 / (1 << 20);  // of an edge: pieces are not halved further

// The part of an edge from t - half to t + half.
struct Piece {
  unsigned edge;
  float t, half;
};

// Edges (rows, 14) from q0 to q1, a stride of zero: one for all; the pan of the head of each, or null. `count`
// says how many rows a step has placed, and how many pieces are on the stack after those from `base` on.
struct Edges {
  const double *q0, *q1, *head;
  unsigned char* free;
  Piece *stack, *taken;
  double *left, *right, *pan;
  const double* gap;
  unsigned* count;
  double margin;
  unsigned edges, q0_stride, q1_stride, head_stride, base, number;

  BK_INLINE double from(unsigned edge, int j) const { return q0[size_t(edge) * q0_stride + j]; }
  BK_INLINE double turn(unsigned edge, int j) const {
    return q1[size_t(edge) * q1_stride + j] - from(edge, j);
  }
};

BK_INLINE void lay_pieces(const Edges& a, unsigned edge) {
  bool fine = true;
  for (int j = 0; j < 14; ++j) fine = fine && abs(a.turn(edge, j)) <= kLongest;
  a.free[edge] = fine;
  for (int i = 0; i < kPieces; ++i) {
    a.stack[size_t(edge) * kPieces + i] = {edge, (2 * i + 1) / (2.0f * kPieces), 0.5f / kPieces};
  }
}

// All threads of a warp come here; `at` may be beyond the pieces.
BK_INLINE void place_piece(const Edges& a, unsigned at) {
  const Piece piece = a.stack[a.base + (at < a.number ? at : 0)];
  const bool open = at < a.number && a.free[piece.edge];
  const size_t row = reserve(a.count, open);
  if (!open) return;
  a.taken[row] = piece;
  for (int j = 0; j < 7; ++j) {
    const double t = piece.t;
    a.left[7 * row + j] = fma(t, a.turn(piece.edge, j), a.from(piece.edge, j));
    a.right[7 * row + j] = fma(t, a.turn(piece.edge, 7 + j), a.from(piece.edge, 7 + j));
  }
  if (a.head) a.pan[row] = a.head[size_t(piece.edge) * a.head_stride];
}

// How far points can come closer to each other in a piece: no point of a link moves by more than the joints
// turn, each times the farthest that any point can be from its axis.
BK_INLINE double moves(const Edges& a, const PackedBody& body, const Piece& piece) {
  double sum = 0;
  for (int j = 0; j < 14; ++j)
    sum = fma(abs(a.turn(piece.edge, j)), double(body.axis_reach[j / 7][j % 7]), sum);
  return piece.half * sum;
}

// All threads of a warp come here; `at` may be beyond the rows.
BK_INLINE void judge_piece(const Edges& a, const PackedBody& body, unsigned at) {
  bool halve = false;
  Piece piece = {};
  if (at < a.number) {
    piece = a.taken[at];
    const double gap = a.gap[at], way = moves(a, body, piece);
    const bool hit = !(gap >= a.margin), near = gap < a.margin + way;
    halve = near && !hit && way >= kFinest && piece.half > kShortest;
    if (hit || (near && !halve)) a.free[piece.edge] = 0;
  }
  const size_t place = a.base + reserve(a.count + 1, 2 * halve);
  if (!halve) return;
  const float half = 0.5f * piece.half;
  a.stack[place] = {piece.edge, piece.t - half, half};
  a.stack[place + 1] = {piece.edge, piece.t + half, half};
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit

using namespace baxterkit;
using namespace baxterkit::BAXTERKIT_ISA;

#if defined(__CUDACC__)

constexpr int kThreads = 128;

extern "C" __global__ void __launch_bounds__(kThreads)
    run(const __grid_constant__ Edges edges, const __grid_constant__ PackedBody body) {
  const unsigned count = BAXTERKIT_EDGE == 1 ? edges.edges : edges.number;
  for (unsigned first = blockIdx.x * kThreads; first < count; first += gridDim.x * kThreads) {
    const unsigned at = first + threadIdx.x;
    if (BAXTERKIT_EDGE == 2) place_piece(edges, at);
    else if (BAXTERKIT_EDGE == 3) judge_piece(edges, body, at);
    else if (at < count) lay_pieces(edges, at);
  }
}

#else

extern "C" void emulate_edge_begin(const Edges* edges, const PackedBody*) {
  for (unsigned at = 0; at < edges->edges; ++at) lay_pieces(*edges, at);
}
extern "C" void emulate_edge_rows(const Edges* edges, const PackedBody*) {
  for (unsigned at = 0; at < edges->number; ++at) place_piece(*edges, at);
}
extern "C" void emulate_edge_judge(const Edges* edges, const PackedBody* body) {
  for (unsigned at = 0; at < edges->number; ++at) judge_piece(*edges, *body, at);
}

#endif
