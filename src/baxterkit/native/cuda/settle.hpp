// What is known of the postures of a warp: how near is near, and the candidates for the nearest pair, which
// are settled at double precision.
#pragma once

#include "desk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// kNearest: the nearest pair; else whether any is nearer than the padding.
template <bool kNearest>
class Settle {
 protected:
  BK_INLINE Settle(const PackedBody& body, const PostureBatch& batch, Desk& desk)
      : body(body), batch(batch), desk(desk), lane(own_lane()), margin(2.0f * body.margin) {}

  const PackedBody& body;
  const PostureBatch& batch;
  Desk& desk;
  const int lane;
  const float margin;  // more than single precision can be wrong by
  unsigned first;         // row of the first thread's posture
  int candidates;         // in the list

  // The posture of this thread, at the beginning.
  BK_INLINE void begin(bool fine) {
    candidates = 0;
    desk.near[lane] = !fine ? kHit : kNearest ? float(kFar) : float(batch.padding) + margin;
    desk.best[lane] = desk.pair[lane] = ~0ull;
  }

  // Something is not farther apart than that.
  BK_INLINE void at_most(int who, Floats gap) {
    if (kNearest) {
      const float bound = gap.v + margin;
      if (bound < desk.near[who]) lower(desk.near + who, bound);
    } else if (gap.v < float(batch.padding) - margin) {
      desk.near[who] = kHit;
    }
  }

  // Squared distances of two cores, at most and at least; radii: of both. All threads come here.
  BK_INLINE void meet(bool mine, int who, Floats apart, Floats at_least, Floats radii, int one, int other) {
    bool may = false;
    Floats gap = 0.0f;
    if (mine) {
      at_most(who, sqrt(most(apart, Floats(0.0f)) + Floats(kBlur)) - radii);
      gap = sqrt(most(at_least - Floats(kBlur), Floats(0.0f))) - radii - margin;
      may = gap.v < desk.near[who];
    }
    offer(may, who, gap, one, other);
  }
  BK_INLINE void offer(bool may, int who, Floats gap, int one, int other) {
    desk.candidates.put(candidates, lane, may,
                        {gap.v, other, static_cast<unsigned short>(one), static_cast<unsigned short>(who)});
    if (desk.candidates.full(candidates)) sift();
  }

  // Takes out what cannot be the nearest any more; settles the rest if there is no room.
  BK_NOINLINE void sift() {
    sync_warp();
    const int count = candidates;
    candidates = 0;
    for (int at = 0; at < count; at += kLanes) {
      const bool some = at + lane < count;
      const Candidate c = some ? desk.candidates.item[at + lane] : Candidate{};
      const bool open = some && c.at_least <= desk.near[c.lane];
      sync_warp();
      desk.candidates.put(candidates, lane, open, c);  // not beyond where all have read
    }
    if (desk.candidates.full(candidates)) settle();
  }

  // At double precision.
  BK_NOINLINE void settle() {
    sync_warp();
    const int left = int(body.capsule[0].size()), arms = left + int(body.capsule[1].size());
    for (int at = 0; at < candidates; at += kLanes) {
      const bool some = at + lane < candidates;
      Candidate c = {};
      unsigned long long order = ~0ull, before = 0;
      int one = 0, other = 0;
      if (some) {
        c = desk.candidates.item[at + lane];
        before = desk.best[c.lane];
        one = std::min(int(c.one), c.other), other = std::max(int(c.one), c.other);
        if (c.at_least <= desk.near[c.lane]) {
          const bool other_arm = other < arms && other >= left;
          const ExactPoses poses(body, batch, first + c.lane, one < left, one >= left || other_arm);
          const double gap = clearance_between(poses, one, other);
          if (kNearest) {
            order = order_of(gap);
            lower(desk.best + c.lane, order);
            lower(desk.near + c.lane, float(gap) + margin);
          } else if (gap < batch.padding) {
            desk.near[c.lane] = kHit;
          }
        }
      }
      if (!kNearest) continue;
      // Of several that are equally near, the one with the least numbers.
      sync_warp();
      const bool best = order != ~0ull && order == desk.best[c.lane];
      if (best && order != before) desk.pair[c.lane] = ~0ull;
      sync_warp();
      if (best)
        lower(desk.pair + c.lane, static_cast<unsigned long long>(unsigned(one)) << 32 | unsigned(other));
      sync_warp();
    }
    candidates = 0;
    sync_warp();
  }

  // The answer of this thread's posture.
  BK_NOINLINE void write(unsigned row, bool fine) const {
    if (!kNearest) {
      batch.hit[row] = desk.near[lane] == kHit;
      return;
    }
    BodyNearest out;
    const unsigned long long pair = desk.pair[lane];
    const double nan = std::numeric_limits<double>::quiet_NaN();
    out.primitive[0] = pair == ~0ull ? -1 : int(pair >> 32);
    out.primitive[1] = pair == ~0ull ? -1 : int(pair & 0xffffffffu);
    out.clearance = fine ? kFar : nan;
    if (pair == ~0ull) nowhere(out);
    else out.clearance = value_of(desk.best[lane]);
    if (!fine) {
      for (double& g : out.gradient) g = nan;
    }
    batch.clearance[row] = out.clearance;
    if (!batch.gradient) return;
    if (pair != ~0ull) finish(ExactPoses(body, batch, row, true, true), out);
    for (int i = 0; i < 2; ++i) {
      batch.pair[2 * size_t(row) + i] = out.primitive[i] < 0 ? -1 : batch.owner[out.primitive[i]];
    }
    for (int i = 0; i < 6; ++i) batch.points[6 * size_t(row) + i] = out.point[i / 3][i % 3];
    for (int i = 0; i < 14; ++i) batch.gradient[14 * size_t(row) + i] = out.gradient[i];
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
