// Collision checks of a batch of postures on the GPU, BAXTERKIT_NEAREST: whether anything touches (0), or
// the clearance with points and gradient (1). Without a CUDA compiler `emulate_body_hits` and
// `emulate_body_nearest`.
#define BAXTERKIT_CUDA
#include "near_world.hpp"

using namespace baxterkit;
using namespace baxterkit::BAXTERKIT_ISA;

#if defined(__CUDACC__)

constexpr int kWarps = 6, kBlocks = 2;  // in a block; on a multiprocessor
extern "C" __device__ const unsigned shared_bytes = kWarps * sizeof(Desk);

extern "C" __global__ void __launch_bounds__(kWarps * kLanes, kBlocks)
    run(const __grid_constant__ PostureBatch batch, const __grid_constant__ PackedBody body) {
  extern __shared__ Desk desks[];
  const unsigned warp = threadIdx.x / kLanes, rows = kWarps * kLanes;
  Look<BAXTERKIT_NEAREST> look(body, batch, desks[warp]);
  for (unsigned row = blockIdx.x * rows; row < batch.rows; row += gridDim.x * rows) {
    look.run(row + warp * kLanes);
  }
}

#else

template <bool kNearest>
void emulate(const PostureBatch& batch, const PackedBody& body) {
  static Desk desk;
  Look<kNearest> look(body, batch, desk);
  for (unsigned row = 0; row < batch.rows; ++row) look.run(row);
}
extern "C" void emulate_body_hits(const PostureBatch* batch, const PackedBody* body) {
  emulate<false>(*batch, *body);
}
extern "C" void emulate_body_nearest(const PostureBatch* batch, const PackedBody* body) {
  emulate<true>(*batch, *body);
}

#endif
