// Several configurations at single precision: lanes are configurations where links are concerned; the capsules of a
// link at one configuration are placed when they are needed.
#pragma once

#include <algorithm>

#include "configuration.hpp"
#include "walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kMany = 16;  // configurations
constexpr int kManyBlocks = 20 * kMany;  // blocks of capsules of all of them

class ManyConfigurations {
 public:
  explicit ManyConfigurations(const BodyShape& body) : body_(body), margin_(static_cast<float>(body.margin)) {
    const int blocks = body.block_first[0][kArmLinks] + body.block_first[1][kArmLinks];
    blocks_ = blocks > 0 ? blocks : 1;
    room_ = std::min(kMany, kManyBlocks / blocks_);
    if (room_ > kWidth) room_ -= room_ % kWidth;
    for (int link = 0; link < kMoving; ++link) {
      const int arm = arm_of(link), k = place_of(link);
      const int* first = body.block_first[arm] + k;
      of_link_[link] = {body.block[arm] + first[0], pose_[arm][k < 7 ? k : 6],
                        first[0] + (arm ? body.block_first[0][kArmLinks] : 0), first[1] - first[0]};
    }
  }

  // How many configurations there is room for.
  int room() const { return room_; }
  // Those of kWidth configurations from `first` on, to be set.
  BK_INLINE Kinematics<Vec>& kinematics(int first) { return kinematics_[first / kWidth]; }

  BK_INLINE Poses poses(int p) const { return kinematics_[p / kWidth].poses(body_, p % kWidth); }

 protected:
  struct OfLink {
    const CapsuleBlock* block;
    const float (*pose)[kMany];
    int first, count;  // blocks
  };
  const BodyShape& body_;
  const float margin_;
  int blocks_, room_, groups_;
  unsigned valid_;
  OfLink of_link_[kMoving];
  Kinematics<Vec> kinematics_[kMany / kWidth];
  alignas(32) float pose_[2][7][12][kMany];  // rows of [R | p] of each link
  alignas(32) float at_[kMoving][3][kMany];  // middles of the links' spheres
  alignas(32) float frame_[12][kMany];  // the head's
  std::uint32_t placed_[kMoving];  // configurations at which a link's capsules are placed, bits
  CoarseBlock coarse_[kManyBlocks], in_head_[kManyBlocks];

  // Where the first block of a link is at a configuration.
  BK_INLINE int block_at(const OfLink& of, int p) const { return p * blocks_ + of.first; }

  // Poses of the first `count` at single precision, and the middles of the links' spheres.
  BK_INLINE void place_links(int count) {
    valid_ = (1u << count) - 1;
    groups_ = (count + kEight - 1) / kEight;
    for (std::uint32_t& done : placed_) done = 0;
    for (int p = 0; p < count; p += kWidth) set_floats(p);
    for (int link = 0; link < (body_.held ? kMoving : 2 * kHeld); ++link) {
      const double* center = body_.link_bound[link].center;
      const Point<Floats> x = {Floats(static_cast<float>(center[0])), Floats(static_cast<float>(center[1])),
                               Floats(static_cast<float>(center[2]))};
      for (int at = 0; at < kEight * groups_; at += kEight) {
        Floats r[12];
        for (int i = 0; i < 12; ++i) r[i] = Floats::load(of_link_[link].pose[i] + at);
        const Point<Floats> p = placed_at(r, x);
        p.x.store(at_[link][0] + at);
        p.y.store(at_[link][1] + at);
        p.z.store(at_[link][2] + at);
      }
    }
  }

  BK_INLINE Point<Floats> middles(int link, int at) const {
    return {Floats::load(at_[link][0] + at), Floats::load(at_[link][1] + at),
            Floats::load(at_[link][2] + at)};
  }

  // Places the capsules of a link at a configuration.
  BK_INLINE void place(int link, int p) {
    const OfLink& of = of_link_[link];
    placed_[link] |= 1u << p;
    Floats r[12];
    for (int i = 0; i < 12; ++i) r[i] = Floats(of.pose[i][p]);
    CoarseBlock* to = coarse_ + block_at(of, p);
    for (int n = 0; n < of.count; ++n) {
      keep(placed_at(r, eight<Floats>(of.block[n].middle)), to[n].middle);
      keep(turned(r, eight<Floats>(of.block[n].half)), to[n].half);
    }
  }

  // Where that is still to be done, of those configurations, bits, for each link.
  BK_INLINE void place_all(const std::uint32_t* todo) {
    for (int link = 0; link < kMoving; ++link) {
      for (std::uint32_t bits = todo[link] & ~placed_[link]; bits; bits &= bits - 1) {
        place(link, lowest(bits));
      }
    }
  }

 private:
  BK_INLINE void set_floats(int first) {
    const Kinematics<Vec>& from = kinematics_[first / kWidth];
    for (int arm = 0; arm < 2; ++arm) {
      for (int k = 0; k < 7; ++k) {
        for (int i = 0; i < 12; ++i) narrow(from.pose[arm][16 * k + i], pose_[arm][k][i] + first);
      }
    }
    for (int i = 0; i < 12; ++i) narrow(from.head.row[i], frame_[i] + first);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
