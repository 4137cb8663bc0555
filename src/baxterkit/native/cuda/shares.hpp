// What the threads of a warp look at together: each finds primitives that may be near its own capsule, some many
// and some none, and all of these pairs are shared out among the threads.
#pragma once

#include "bounds.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kBits = 32;  // of a list as bits

// Memory of a warp: of each thread its capsule as a segment, what is near to it, and row and number; and pairs.
struct Together {
  float near[kLanes], segment[6][kLanes];
  unsigned row[kLanes];
  int number[kLanes], begin[kLanes];
  unsigned short pair[kLanes * kBits];
};

// A capsule and a primitive: squared distances at most and at least, both radii, and the primitive's number.
struct Meeting {
  Floats apart, at_least, radii;
  int other;
};

// All threads of a warp come to each function.
template <bool kNearest>
class SharedLooks {
 public:
  BK_INLINE SharedLooks(const ConfigurationBatch& batch, const Work& work, float margin, Together& all,
                        unsigned row, int number, bool mine)
      : batch(batch), work(work), all(all), margin(2.0f * margin), lane(own_lane()) {
    sync_warp();
    before = mine ? work.near[row] : kHit;
    all.near[lane] = before, all.row[lane] = row, all.number[lane] = number;
  }

  BK_INLINE float near() const { return all.near[lane]; }
  BK_INLINE bool open() const { return near() > kHit; }
  BK_INLINE void put_segment(const Point<Floats>& middle, const Point<Floats>& half) const {
    const Floats x[6] = {middle.x, middle.y, middle.z, half.x, half.y, half.z};
    BK_UNROLL for (int i = 0; i < 6; ++i) all.segment[i][lane] = x[i].v;
  }

  // `alive`: of this thread's capsule, primitives from `begin` on as bits. `meet(capsule, primitive, middle,
  // half, near, meeting)` is false where they are not near.
  template <class Meet>
  BK_INLINE void look(unsigned alive, int begin, const Meet& meet) const {
    const unsigned n = count_bits(alive), sum = sum_up_to(n), total = of_lane(sum, kLanes - 1);
    all.begin[lane] = begin;
    for (unsigned place = sum - n; alive; alive &= alive - 1) {
      all.pair[place++] = static_cast<unsigned short>(lane * kBits + lowest(alive));
    }
    sync_warp();
    for (unsigned first = 0; first < total; first += kLanes) {
      const bool mine = first + lane < total;
      const unsigned pair = all.pair[mine ? first + lane : 0], whose = pair / kBits;
      const float near = all.near[whose];
      sync_warp();  // before others lower it
      Meeting m;
      bool some = mine && near > kHit;
      if (some) {
        const auto part = [&](int i) { return Floats(all.segment[i][whose]); };
        some = meet(all.number[whose], all.begin[whose] + int(pair % kBits), {part(0), part(1), part(2)},
                    {part(3), part(4), part(5)}, near, m);
      }
      float at_least = 0.0f;
      if (some) {
        const Floats gap = sqrt(most(m.apart, Floats(0.0f)) + Floats(kBlur)) - m.radii;
        at_least = (sqrt(most(m.at_least - Floats(kBlur), Floats(0.0f))) - m.radii - Floats(margin)).v;
        if (kNearest) {
          if (gap.v + margin < near) lower(all.near + whose, gap.v + margin);
        } else if (gap.v < float(batch.padding) - margin) {
          all.near[whose] = kHit;
        }
      }
      sync_warp();
      const bool offered = some && at_least < all.near[whose];
      const unsigned place = reserve(work.counter(kCandidates), offered);
      if (offered) {
        const int one = all.number[whose], other = m.other;
        const Candidate found = {at_least, all.row[whose], one < other ? one : other,
                                 one < other ? other : one, ~0ull};
        if (place < work.candidate_room) work.candidates[place] = found;
        else leave_row(work, found.row);
      }
      sync_warp();
    }
  }

  // Tells others what is known now.
  BK_INLINE void finish() const {
    if (!(near() < before)) return;
    if (kNearest) lower(work.near + all.row[lane], near());
    else work.near[all.row[lane]] = kHit;
  }

 private:
  const ConfigurationBatch& batch;
  const Work& work;
  Together& all;
  const float margin;
  const int lane;
  float before;
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
