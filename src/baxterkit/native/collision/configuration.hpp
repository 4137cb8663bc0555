// The body at one configuration: spheres around the links, then capsules in base and in the head's frame,
// coarse (single precision) and exact, each placed when it is first asked for.
#pragma once

#include "../collision_table.hpp"
#include "../sincos.hpp"
#include "../generated/kinematics.hpp"  // after the scalars that it is written over
#include "distance.hpp"
#include "floats.hpp"
#include "place.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

template <class V, class N>
BK_INLINE Point<V> eight(const N (*x)[kEight], int lane = 0) {
  return {V::load(x[0] + lane), V::load(x[1] + lane), V::load(x[2] + lane)};
}
template <class V, class N>
BK_INLINE void keep(const Point<V>& p, N (*x)[kEight], int lane = 0) {
  p.x.store(x[0] + lane);
  p.y.store(x[1] + lane);
  p.z.store(x[2] + lane);
}

// A block of capsules, coarse: middles and half spans.
struct alignas(32) CoarseBlock {
  float middle[3][kEight], half[3][kEight];
};
struct alignas(64) ExactBlock {
  double start[3][kEight], span[3][kEight];
};

// Positions of the links' spheres at one configuration.
struct alignas(32) LinkPlaces {
  float at[3][kMovingLanes];
};

constexpr float kAway = 1e6f;  // [m]: where spare lanes are

// Poses of the links and of the head at one configuration, at double precision: of the links s0 ... w2 rows of
// 4x4 matrices, each number `stride` after the one before; the head's frame likewise.
struct Poses {
  const BodyShape& body;
  const double *arms[2], *head;
  int stride;

  BK_INLINE void pose(int link, double* T) const {
    const int k = place_of(link);
    const double* from = arms[arm_of(link)] + 16 * (k < 7 ? k : 6) * stride;
    for (int i = 0; i < 12; ++i) T[i] = from[i * stride];
  }
  BK_INLINE void head_frame(double* T) const {
    for (int i = 0; i < 12; ++i) T[i] = head[i * stride];
  }
};

class Configuration : public Poses {
 public:
  explicit Configuration(const BodyShape& shape) : Poses{shape, {nullptr, nullptr}, nullptr, 1} {}

  BK_INLINE void set(const Poses& poses, const LinkPlaces* places) {
    arms[0] = poses.arms[0];
    arms[1] = poses.arms[1];
    head = poses.head;
    stride = poses.stride;
    places_ = places;
    coarse_done_ = head_done_ = 0;
    for (int arm = 0; arm < 2; ++arm) exact_done_[arm] = exact_head_done_[arm] = 0;
    Floats r[12];
    for (int i = 0; i < 12; ++i) r[i] = Floats(static_cast<float>(head[i * stride]));
    for (int n = 0; n < kMovingLanes; n += kEight) {
      const auto row = [&](int i) { return Floats::load(places->at[i] + n); };
      const Point<Floats> p = placed_at(r, Point<Floats>{row(0), row(1), row(2)});
      p.x.store(in_head_places_.at[0] + n);
      p.y.store(in_head_places_.at[1] + n);
      p.z.store(in_head_places_.at[2] + n);
    }
  }

  // In base, or in the head's frame.
  BK_INLINE const LinkPlaces& links() const { return *places_; }
  BK_INLINE const LinkPlaces& links(bool head) const { return head ? in_head_places_ : *places_; }

  BK_INLINE const CoarseBlock* coarse(int link) {
    if (!(coarse_done_ >> link & 1)) place(link);
    return coarse_[arm_of(link)];
  }
  BK_INLINE const CoarseBlock* coarse_in_head(int link) {
    if (!(head_done_ >> link & 1)) place_in_head(link);
    return in_head_[arm_of(link)];
  }
  BK_INLINE const ExactBlock& exact(int link, int b) {
    const int arm = arm_of(link);
    if (!(exact_done_[arm] >> b & 1)) place_exact(link, b);
    return exact_[arm][b];
  }

  BK_INLINE const ExactBlock& exact_in_head(int link, int b) {
    const int arm = arm_of(link);
    if (!(exact_head_done_[arm] >> b & 1)) place_exact_in_head(link, b);
    return exact_in_head_[arm][b];
  }

 private:
  const LinkPlaces* places_;
  LinkPlaces in_head_places_;
  std::uint32_t coarse_done_, head_done_;
  std::uint64_t exact_done_[2], exact_head_done_[2];
  CoarseBlock coarse_[2][kMaxBlocks], in_head_[2][kMaxBlocks];
  ExactBlock exact_[2][kMaxBlocks], exact_in_head_[2][kMaxBlocks];

  BK_NOINLINE void place(int link) {
    coarse_done_ |= 1u << link;
    double T[12];
    pose(link, T);
    Floats r[12];
    for (int i = 0; i < 12; ++i) r[i] = Floats(static_cast<float>(T[i]));
    const int arm = arm_of(link), k = place_of(link);
    for (int b = body.block_first[arm][k]; b < body.block_first[arm][k + 1]; ++b) {
      const CapsuleBlock& block = body.block[arm][b];
      keep(placed_at(r, eight<Floats>(block.middle)), coarse_[arm][b].middle);
      keep(turned(r, eight<Floats>(block.half)), coarse_[arm][b].half);
    }
  }

  BK_NOINLINE void place_in_head(int link) {
    coarse(link);
    head_done_ |= 1u << link;
    double T[12];
    head_frame(T);
    Floats r[12];
    for (int i = 0; i < 12; ++i) r[i] = Floats(static_cast<float>(T[i]));
    const int arm = arm_of(link), k = place_of(link);
    for (int b = body.block_first[arm][k]; b < body.block_first[arm][k + 1]; ++b) {
      const CoarseBlock& block = coarse_[arm][b];
      keep(placed_at(r, eight<Floats>(block.middle)), in_head_[arm][b].middle);
      keep(turned(r, eight<Floats>(block.half)), in_head_[arm][b].half);
    }
  }

  BK_NOINLINE void place_exact(int link, int b) {
    const int arm = arm_of(link);
    exact_done_[arm] |= std::uint64_t{1} << b;
    double T[12];
    pose(link, T);
    Vec r[12];
    for (int i = 0; i < 12; ++i) r[i] = Vec(T[i]);
    const CapsuleBlock& block = body.block[arm][b];
    for (int lane = 0; lane < kEight; lane += kWidth) {
      keep(placed_at(r, eight<Vec>(block.start, lane)), exact_[arm][b].start, lane);
      keep(turned(r, eight<Vec>(block.span, lane)), exact_[arm][b].span, lane);
    }
  }

  BK_NOINLINE void place_exact_in_head(int link, int b) {
    const int arm = arm_of(link);
    const ExactBlock& block = exact(link, b);
    exact_head_done_[arm] |= std::uint64_t{1} << b;
    double T[12];
    head_frame(T);
    Vec r[12];
    for (int i = 0; i < 12; ++i) r[i] = Vec(T[i]);
    for (int lane = 0; lane < kEight; lane += kWidth) {
      keep(placed_at(r, eight<Vec>(block.start, lane)), exact_in_head_[arm][b].start, lane);
      keep(turned(r, eight<Vec>(block.span, lane)), exact_in_head_[arm][b].span, lane);
    }
  }
};

// The kinematics of up to kWidth configurations side by side, from which each is looked at on its own.
template <class T>
struct Kinematics {
  T pose[2][8 * 16];  // of the links s0 ... w2 and a tip that nobody asks for
  HeadFrame<T> head;
  static constexpr int width = sizeof(T) / sizeof(double);
  LinkPlaces places[width];

  Kinematics() {
    for (LinkPlaces& place : places) {
      for (int i = 0; i < 3; ++i) {
        for (int n = 2 * kHeld; n < kMovingLanes; ++n) place.at[i][n] = kAway;
      }
    }
  }

  // s, c: sines and cosines of the joints, left then right; those of the head's pan.
  BK_INLINE void set(const BodyShape& body, const T (*s)[8], const T (*c)[8], T sine, T cosine) {
    head.set(body.pan, sine, cosine);
    for (int arm = 0; arm < 2; ++arm) set_arm(body, arm, s[arm], c[arm]);
  }

  // One arm alone; the other one stays where it was put.
  BK_INLINE void set_arm(const BodyShape& body, int arm, const T* s, const T* c) {
    pose_arm(body, arm, s, c);
    place_links(body, arm);
  }

  BK_INLINE void pose_arm(const BodyShape& body, int arm, const T* s, const T* c) {
    generated::link_poses(s, c, body.mount[arm], kNone, pose[arm]);
  }

  // The middles of the spheres around an arm's links, of each configuration.
  BK_INLINE void place_links(const BodyShape& body, int arm) {
    const auto middle = [&](int k) {
      const int n = link_of(arm, k);
      return moved(pose[arm] + 16 * (k < 7 ? k : 6), body.link_bound[n].center);
    };
    constexpr std::ptrdiff_t kStride = sizeof(LinkPlaces) / sizeof(float);
    constexpr int kFour = 4;
    for (int k = 0; k < kHeld; k += kFour) {
      T x[kFour], y[kFour], z[kFour];
      for (int i = 0; i < kFour; ++i) {
        const Point<T> p = middle(k + i);
        x[i] = p.x;
        y[i] = p.y;
        z[i] = p.z;
      }
      const int first = link_of(arm, k);
      spread(x, places[0].at[0] + first, kStride);
      spread(y, places[0].at[1] + first, kStride);
      spread(z, places[0].at[2] + first, kStride);
    }
    if (!body.held) return;  // what nobody holds stays away
    const Point<T> p = middle(kHeld);
    const int n = link_of(arm, kHeld);
    for (int lane = 0; lane < width; ++lane) {
      places[lane].at[0][n] = static_cast<float>(at(p.x, lane));
      places[lane].at[1][n] = static_cast<float>(at(p.y, lane));
      places[lane].at[2][n] = static_cast<float>(at(p.z, lane));
    }
  }

  BK_INLINE void look(int lane, Configuration& configuration) const {
    configuration.set(poses(configuration.body, lane), places + lane);
  }
  BK_INLINE Poses poses(const BodyShape& body, int lane) const {
    return {
        body,
        {reinterpret_cast<const double*>(pose[0]) + lane, reinterpret_cast<const double*>(pose[1]) + lane},
        reinterpret_cast<const double*>(head.row) + lane,
        width};
  }

 private:
  static BK_INLINE double at(double x, int) { return x; }
  static BK_INLINE double at(Vec x, int lane) { return x[lane]; }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
