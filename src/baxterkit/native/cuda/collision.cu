// Collision checks of a batch of configurations on the GPU: whether anything touches (BAXTERKIT_NEAREST 0),
// or the clearance with points and gradient (1). One kernel for each step, BAXTERKIT_STEP; what a step leaves
// is in lists in the GPU's memory. So the threads of a kernel do the same, and its code is small.
// Without a CUDA compiler `emulate_hits_begin` and so on.
#define BAXTERKIT_CUDA
#include "joint_sincos.hpp"

#include "settle.hpp"

using namespace baxterkit;
using namespace baxterkit::BAXTERKIT_ISA;

// The steps, in their order. Rows or items of a list: a thread for each; whole rows: a warp for each.
enum Step {
  kBeginStep,
  kFirstStep,
  kFirstBoxesStep,
  kEmitStep,
  kPartLinksStep,
  kPartBoxesStep,
  kWorldStep,
  kWorldBoxesStep,
  kLinkPairsStep,
  kSegmentsStep,
  kSiftStep,
  kSettleStep,
  kTiesStep,
  kWholeStep,
  kWriteStep
};

template <bool kNearest, int kStep>
BK_INLINE unsigned items_of(const ConfigurationBatch& batch, const Work& work) {
  switch (kStep) {
    case kFirstBoxesStep:
      return length(work, kFirst, work.item_room);
    case kPartLinksStep:
      return length(work, kParts, work.part_room);
    case kPartBoxesStep:
      return length(work, kCapsules, work.item_room);
    case kWorldStep:
      return *work.counter(kWorldLinks);
    case kWorldBoxesStep:
      return length(work, kWorldBoxes, work.item_room);
    case kLinkPairsStep:
      return length(work, kPairs, work.pair_room);
    case kSegmentsStep:
      return length(work, kSegments, work.item_room);
    case kSiftStep:
      return length(work, kCandidates, work.candidate_room);
    case kSettleStep:
    case kTiesStep:
      return *work.counter(kOpen);
    case kWholeStep:
      return *work.counter(kRest);
    default:
      return batch.rows;
  }
}

// The step of a thread, in a block whose first thread has an item.
template <bool kNearest, int kStep>
BK_INLINE void take(const PackedBody& body, const ConfigurationBatch& batch, const Work& work, unsigned at,
                    unsigned count, Middles middles, FourFloats* stage, Together& together) {
  const Narrow<kNearest> narrow(body, batch, work);
  const NarrowWorld<kNearest> world(body, batch, work);
  const Settle<kNearest> settle(body, batch, work);
  if constexpr (kStep == kBeginStep) {
    Broad<kNearest, true, !kNearest>(body, batch, work, middles, stage).run(at, at < count);
  } else if constexpr (kStep == kFirstStep) {
    narrow.first(at);
  } else if constexpr (kStep == kEmitStep) {
    Broad<kNearest, false, true>(body, batch, work, middles, stage).run(at, at < count);
  } else if constexpr (kStep == kPartLinksStep) {
    narrow.part_links(at, count);
  } else if constexpr (kStep == kFirstBoxesStep) {
    narrow.first_boxes(at, count);
  } else if constexpr (kStep == kPartBoxesStep) {
    narrow.part_boxes(at, count, together);
  } else if constexpr (kStep == kWorldStep) {
    world.links(at, count);
  } else if constexpr (kStep == kWorldBoxesStep) {
    world.boxes(at, count);
  } else if constexpr (kStep == kLinkPairsStep) {
    narrow.link_pairs(at, count);
  } else if constexpr (kStep == kSegmentsStep) {
    narrow.segments(at, count, together);
  } else if constexpr (kStep == kSiftStep) {
    settle.sift(at, count);
  } else if constexpr (kStep == kSettleStep) {
    if (at < count) settle.settle(at);
  } else if constexpr (kStep == kTiesStep) {
    if (at < count) settle.ties(at);
  } else if constexpr (kStep == kWholeStep) {
    settle.whole(work.rest[at]);
  } else {
    if (at < count) settle.write(at);
  }
}

#if defined(__CUDACC__)

constexpr int kThreads = 128;
constexpr bool kBroad = BAXTERKIT_STEP == kBeginStep || BAXTERKIT_STEP == kEmitStep;
constexpr bool kStaged = BAXTERKIT_NEAREST && BAXTERKIT_STEP == kBeginStep;
constexpr bool kShared = BAXTERKIT_STEP == kPartBoxesStep || BAXTERKIT_STEP == kSegmentsStep;
// On a multiprocessor, at least: as many as the registers of a step allow.
constexpr int kBlocks = kStaged                         ? 5
                        : kBroad                        ? 8
                        : BAXTERKIT_STEP == kSettleStep ? 5
                        : BAXTERKIT_STEP == kWriteStep  ? 3
                        : BAXTERKIT_STEP == kWholeStep  ? 2
                                                        : 9;

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    run(const __grid_constant__ ConfigurationBatch batch, const __grid_constant__ PackedBody body,
        const __grid_constant__ Work work) {
  __shared__ float middles[kBroad ? 3 * kMoving * kThreads : 1];
  const unsigned count = items_of<BAXTERKIT_NEAREST, BAXTERKIT_STEP>(batch, work);
  const Middles own = {middles + (kBroad ? threadIdx.x : 0), kThreads};
  __shared__ FourFloats stages[kStaged ? 3 * kThreads : 1];
  FourFloats* stage = stages + (kStaged ? 3 * (threadIdx.x - own_lane()) : 0);
  __shared__ Together shared[kShared ? kThreads / kLanes : 1];
  Together& together = shared[kShared ? threadIdx.x / kLanes : 0];
  if (BAXTERKIT_STEP == kWholeStep) {
    const unsigned warps = gridDim.x * (kThreads / kLanes);
    for (unsigned at = (blockIdx.x * kThreads + threadIdx.x) / kLanes; at < count; at += warps)
      take<BAXTERKIT_NEAREST, BAXTERKIT_STEP>(body, batch, work, at, count, own, stage, together);
    return;
  }
  for (unsigned first = blockIdx.x * kThreads; first < count; first += gridDim.x * kThreads)
    take<BAXTERKIT_NEAREST, BAXTERKIT_STEP>(body, batch, work, first + threadIdx.x, count, own, stage,
                                            together);
}

#else

template <bool kNearest, int kStep>
void emulate(const ConfigurationBatch& batch, const PackedBody& body, const Work& work) {
  float middles[3 * kMoving];
  FourFloats stage[3];
  Together together;
  const unsigned count = items_of<kNearest, kStep>(batch, work);
  for (unsigned at = 0; at < count; ++at)
    take<kNearest, kStep>(body, batch, work, at, count, {middles, 1}, stage, together);
}

#define BAXTERKIT_EMULATE(name, step)                                                             \
  extern "C" void emulate_hits_##name(const ConfigurationBatch* batch, const PackedBody* body,    \
                                      const Work* work) {                                         \
    emulate<false, step>(*batch, *body, *work);                                                   \
  }                                                                                               \
  extern "C" void emulate_nearest_##name(const ConfigurationBatch* batch, const PackedBody* body, \
                                         const Work* work) {                                      \
    emulate<true, step>(*batch, *body, *work);                                                    \
  }
BAXTERKIT_EMULATE(begin, kBeginStep)
BAXTERKIT_EMULATE(first, kFirstStep)
BAXTERKIT_EMULATE(first_boxes, kFirstBoxesStep)
BAXTERKIT_EMULATE(emit, kEmitStep)
BAXTERKIT_EMULATE(part_links, kPartLinksStep)
BAXTERKIT_EMULATE(part_boxes, kPartBoxesStep)
BAXTERKIT_EMULATE(world, kWorldStep)
BAXTERKIT_EMULATE(world_boxes, kWorldBoxesStep)
BAXTERKIT_EMULATE(link_pairs, kLinkPairsStep)
BAXTERKIT_EMULATE(segments, kSegmentsStep)
BAXTERKIT_EMULATE(sift, kSiftStep)
BAXTERKIT_EMULATE(settle, kSettleStep)
BAXTERKIT_EMULATE(ties, kTiesStep)
BAXTERKIT_EMULATE(whole, kWholeStep)
BAXTERKIT_EMULATE(write, kWriteStep)

#endif
