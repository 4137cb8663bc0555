// The broad step, a configuration for each thread: where its links are, and which of them may be near
// what, by the balls around them.
#pragma once

#include "bounds.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kGroup = 8;  // capsules of a link that are looked at together
constexpr int kPairWords = (kMoving * (kMoving - 1) / 2 + 31) / 32;

// Middles of the balls around links, in memory of the thread.
struct Middles {
  float* at;
  int step;

  BK_INLINE Point<Floats> of(int link) const {
    return {at[3 * link * step], at[(3 * link + 1) * step], at[(3 * link + 2) * step]};
  }
  BK_INLINE void set(int link, const Point<Floats>& x) const {
    at[3 * link * step] = x.x.v, at[(3 * link + 1) * step] = x.y.v, at[(3 * link + 2) * step] = x.z.v;
  }
};

// kBegin: a row comes here for the first time. kEmit: what may be near goes to the lists. (For the nearest
// pair the two are apart: something near is looked at first, so that less is near.)
template <bool kNearest, bool kBegin, bool kEmit>
class Broad {
 public:
  BK_INLINE Broad(const PackedBody& body, const ConfigurationBatch& batch, const Work& work, Middles middles,
                  FourFloats* stage)
      : body(body), batch(batch), work(work), middles(middles), stage(stage), margin(2.0f * body.margin) {}

  // All threads of a block come here.
  BK_INLINE void run(unsigned row, bool mine) {
    // All threads of a warp store poses together; those without a row of their own take the last one.
    const bool finite = place(mine ? row : batch.rows - 1, row);
    const bool fine = mine && finite;
    if (!fine) near = kHit;
    else if (kBegin) near = kNearest ? float(kFar) : float(batch.padding) + margin;
    else near = work.near[row];
    unsigned alive[kBodyParts] = {};
    unsigned first = ~0u;
    if (near > kHit) first = look_at_parts(row, alive);
    if (kBegin && mine) {
      work.near[row] = near;
      work.best[row] = work.pair[row] = ~0ull;
      work.left[row] = 0;
      if (kNearest) work.first[row] = first;
    }
    if (kEmit) {
      emit_parts(row, alive);
      emit_pairs(row);
      emit_world(row);
    }
  }

 private:
  const PackedBody& body;
  const ConfigurationBatch& batch;
  const Work& work;
  const Middles middles;
  FourFloats* const stage;  // of the warp
  const float margin;
  float near;

  // Poses and middles of a row; false if a joint is not finite, or beyond what is resolved.
  BK_INLINE bool place(unsigned row, unsigned to) {
    double bad = abs(batch.pan(row)) <= kReducedRange ? 0.0 : 1.0;
    BK_NO_UNROLL for (int arm = 0; arm < 2; ++arm) {
      const double* q = batch.arm(arm, row);
      Floats s[7], c[7], all[8 * 16];
      BK_UNROLL for (int j = 0; j < 7; ++j) {
        const double x = q[j];
        if (!(abs(x) <= kReducedRange)) bad = 1.0;
        coarse_sincos(x, s[j].v, c[j].v);
      }
      generated::link_poses(s, c, body.mount[arm], kNone, all);
      if (kBegin && kNearest) store(all, to, arm);
      BK_UNROLL for (int k = 0; k < kArmLinks; ++k) {
        const int link = link_of(arm, k);
        if (k == kHeld && !body.held) continue;
        middles.set(link, placed_at(all + 16 * (k < 7 ? k : 6), coarse(body.link_middle[link])));
      }
    }
    return bad == 0.0;
  }
  // Through memory of the warp, so that its threads write one after another.
  BK_INLINE void store(const Floats* all, unsigned row, int arm) const {
    BK_UNROLL for (int k = 0; k < 7; ++k) {
      const int lane = own_lane();
      FourFloats* to = reinterpret_cast<FourFloats*>(work.pose + pose_place(row - row % kLanes, 7 * arm + k));
      if (kLanes == 1) to = reinterpret_cast<FourFloats*>(work.pose + pose_place(row, 7 * arm + k));
      sync_warp();
      BK_UNROLL for (int i = 0; i < 3; ++i) {
        const Floats* from = all + 16 * k + 4 * i;
        stage[3 * lane + i] = {from[0].v, from[1].v, from[2].v, from[3].v};
      }
      sync_warp();
      BK_UNROLL for (int i = 0; i < 3; ++i) to[lane + kLanes * i] = stage[lane + kLanes * i];
    }
  }

  // Links that may be near each part, a bit for each; the part and link with the least bound.
  BK_INLINE unsigned look_at_parts(unsigned row, unsigned* alive) {
    const HeadFrame<Floats> frame = head_frame(body, batch, row);
    float smallest = 1e9f;
    unsigned first = ~0u;
    BK_UNROLL for (int part = 0; part < kBodyParts; ++part) {
      const PartGrid& grid = kEmit ? body.grid[part] : body.coarse_grid[part];
      unsigned bits = 0;
      BK_UNROLL_4 for (int n = body.standing_first[part]; n < body.standing_first[part + 1]; ++n) {
        const int link = body.standing_link[n];
        Point<Floats> x = middles.of(link);
        if (part == kHeadPart) x = placed_at(frame.row, x);
        const DistanceBounds d = look_up(grid, x);
        const float upper = d.most.v - body.link_depth[link], bound = d.least.v - body.link_reach[link];
        if (kNearest) near = ::fminf(near, upper + margin);
        else if (upper < float(batch.padding) - margin) near = kHit;
        if (bound < near) bits |= 1u << link;
        if (kBegin && kNearest && bound < smallest) smallest = bound, first = unsigned(part << 8 | link);
      }
      alive[part] = bits;
    }
    return smallest < near ? first : ~0u;
  }

  BK_INLINE unsigned groups_of(int link) const { return (body.link_count[link] + kGroup - 1) / kGroup; }

  // One part after another, so that threads of a warp look at the same part in the steps that follow.
  BK_INLINE void emit_parts(unsigned row, unsigned* alive) {
    BK_UNROLL for (int part = 0; part < kBodyParts; ++part) {
      unsigned n = 0;
      if (!(near > kHit)) alive[part] = 0;
      for (unsigned left = alive[part]; left; left &= left - 1) n += groups_of(lowest(left));
      unsigned place = reserve_in_block(work.counter(kParts), n);
      for (unsigned left = alive[part]; left; left &= left - 1) {
        const int link = lowest(left);
        for (unsigned g = 0; g < groups_of(link); ++g) {
          put(work, work.parts, work.part_room, place++, row, unsigned(part << 20 | link << 8) | g);
        }
      }
    }
  }

  // Some pairs after others, so that threads of a warp look at the same links in the steps that follow; where
  // few are near, all at once.
  BK_INLINE void emit_pairs(unsigned row) {
    unsigned alive[kPairWords], n = 0;
    BK_UNROLL for (int w = 0; w < kPairWords; ++w) {
      const int first = 32 * w, end = body.pair_count - first < 32 ? body.pair_count - first : 32;
      unsigned bits = 0;
      BK_UNROLL_4 for (int k = 0; k < end; ++k) {
        const unsigned char* link = body.pair_link[first + k];
        const Point<Floats> v = middles.of(link[1]) - middles.of(link[0]);
        if (below(dot(v, v), square(Floats(near) + Floats(body.pair_reach[first + k])))) bits |= 1u << k;
      }
      alive[w] = near > kHit ? bits : 0;
      n += count_bits(alive[w]);
    }
    unsigned place = kNearest ? 0 : reserve_in_block(work.counter(kPairs), n);
    BK_UNROLL for (int w = 0; w < kPairWords; ++w) {
      if (kNearest) place = reserve_in_block(work.counter(kPairs), count_bits(alive[w]));
      for (unsigned left = alive[w]; left; left &= left - 1) {
        const unsigned char* link = body.pair_link[32 * w + lowest(left)];
        put(work, work.pairs, work.pair_room, place++, row, unsigned(link[0]) << 8 | link[1]);
      }
    }
  }

  BK_INLINE void emit_world(unsigned row) {
    if (!body.world) return;
    unsigned alive = 0;
    for (int link = 0; link < kMoving && near > kHit; ++link) {
      if (!(body.world >> link & 1) || !body.link_count[link]) continue;
      const Point<Floats> x = middles.of(link);
      const Floats reach = Floats(body.link_reach[link]) + Floats(near);
      bool close = body.nodes.size() && near_node(body.nodes[body.nodes.size() - 1], x, link, reach);
      for (int n = 0; n < int(body.others.size()) && !close; ++n)
        close = near_other(body.others[n], x, link, reach);
      if (close) alive |= 1u << link;
    }
    unsigned place = reserve_in_block(work.counter(kWorldLinks), count_bits(alive));
    for (; alive; alive &= alive - 1) work.links[place++] = {row, unsigned(lowest(alive))};
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
