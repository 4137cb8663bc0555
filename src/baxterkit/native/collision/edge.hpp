// Whether all postures between two are free: straight lines in joint space, proven by bisection.
//
// While the joints move by at most h dq from the middle of an interval, no point of a link moves by
// more than h sum_j |dq_j| r_j, where r_j is the farthest that any of its points can be from the axis
// of joint j. Two links that are farther apart than what both can move are clear of each other over
// the whole interval; for the others both halves are looked at. What is still near where the bound
// is below kFinest counts as blocked.
#pragma once

#include <algorithm>
#include <vector>

#include "walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr double kFinest = 1e-4;   // [m]
constexpr int kMaxNodes = 16384;   // intervals of one edge; an edge that needs more counts as blocked

// How far links can move while the joints go from one end of the edge to the other [m].
struct Motion {
  alignas(32) float standing[kMovingLanes];        // beside what stands
  alignas(32) float links[kMoving][kMovingLanes];  // two links beside each other

  // dq: of the left arm, then of the right one.
  void set(const BodyShape& body, const double* dq) {
    constexpr float kUp = 1.00001f;  // more than single precision takes off
    // Beside link k of the same arm only the joints after it count.
    alignas(32) float after[2][kArmLinks][kEight];
    for (int arm = 0; arm < 2; ++arm) {
      Floats sum(0.0f);
      for (int k = kArmLinks - 1; k >= 7; --k) sum.store(after[arm][k]);
      for (int j = 6; j >= 0; --j) {
        sum.store(after[arm][j]);
        const Floats turn = kUp * static_cast<float>(std::fabs(dq[7 * arm + j]));
        sum = fma(turn, Floats::load(body.axis_lanes[arm][j]), sum);
      }
      sum.store(standing + kEight * arm);
    }
    Floats(0.0f).store(standing + 2 * kEight);
    const bool held = body.held;
    for (int arm = 0; held && arm < 2; ++arm) standing[link_of(arm, kHeld)] = reach(body, dq, arm, 0);
    for (int a = 0; a < kMoving; ++a) {
      if (!body.allowed[a]) continue;
      const int arm = arm_of(a), other = 1 - arm;
      Floats::load(after[arm][place_of(a)]).store(links[a] + kEight * arm);
      (Floats::load(standing + kEight * other) + standing[a]).store(links[a] + kEight * other);
      Floats(0.0f).store(links[a] + 2 * kEight);
      for (int b = 2 * kHeld; held && b < kMoving; ++b) {
        links[a][b] = arm_of(b) == arm ? reach(body, dq, arm, place_of(a) + 1)
                                       : standing[a] + standing[b];
      }
    }
  }

 private:
  // How far what a hand holds can move by the joints from `first` on.
  static float reach(const BodyShape& body, const double* dq, int arm, int first) {
    constexpr double kUp = 1.00001;
    double sum = 0.0;
    for (int j = first; j < 7; ++j) {
      sum += std::fabs(dq[7 * arm + j]) * body.axis_reach[arm][kHeld][j];
    }
    return static_cast<float>(kUp * sum);
  }
};

// What is hit at one posture, and what is not clear over the interval around it.
struct Clearing {
  const Motion& motion;
  double padding, margin;
  float h = 0.0f;     // half the interval
  float near = 0.0f;  // the limit of the links at hand, margin included
  double need = 0.0;  // the same without
  bool hit = false, unclear = false;

  Clearing(const Motion& motion, double padding, double margin)
      : motion(motion), padding(padding), margin(margin) {}

  BK_INLINE void choose(float moves) {
    need = padding + static_cast<double>(h * moves);
    near = static_cast<float>(need + margin);
    unclear = false;
  }
  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int link, int at) const {
    return fma(Floats(h), Floats::load(motion.links[link] + at), static_cast<float>(padding + margin));
  }
  BK_INLINE Floats standing_limits(int at) const {
    return fma(Floats(h), Floats::load(motion.standing + at), static_cast<float>(padding + margin));
  }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    hit = (below(apart, squared(radii + static_cast<float>(padding - margin))) & lanes) != 0;
    unclear = unclear || hit ||
              (below(apart, squared(radii + static_cast<float>(need - margin))) & lanes) != 0;
    return unclear;
  }
  BK_INLINE bool sure_gap(Floats gap, unsigned lanes) {
    hit = (below(gap, static_cast<float>(padding - margin)) & lanes) != 0;
    unclear = unclear || hit || (below(gap, static_cast<float>(need - margin)) & lanes) != 0;
    return unclear;
  }
  BK_INLINE bool sure_links(Floats gap, unsigned lanes) {
    hit = (below(gap, static_cast<float>(padding - margin)) & lanes) != 0;
    return hit;
  }
  BK_INLINE bool done() const { return unclear; }
  BK_INLINE bool meet(Vec apart, Vec radii, const int*, int) {
    const Vec r = most(radii + Vec(need), Vec(0.0));
    if (!any(below(apart, r * r))) return false;
    const Vec touching = most(radii + Vec(padding), Vec(0.0));
    hit = any(below(apart, touching * touching));
    unclear = true;
    return true;
  }
  BK_INLINE bool meet_gap(Vec gap, const int*, int) {
    if (!any(below(gap, Vec(need)))) return false;
    hit = any(below(gap, Vec(padding)));
    unclear = true;
    return true;
  }
};

// An interval of the edge around t, and the links that are not known to be clear in it: rows of the
// links, then of the parts of the body that stand, then one of all obstacles.
struct Interval {
  float t, h;
  int first;  // in the list of rows
};

class Edge {
 public:
  explicit Edge(const BodyShape& body) : body_(body), posture_(body) {
    rows_ = kMoving + kBodyParts + 1;
  }

  // q0, q1: (left, right) rows of 7; the head stays.
  bool free(const double* const* q0, const double* const* q1, double head, double padding) {
    double dq[14];
    double greatest = 0.0;
    for (int j = 0; j < 14; ++j) {
      dq[j] = q1[j / 7][j % 7] - q0[j / 7][j % 7];
      greatest = std::max(greatest, std::fabs(dq[j]));
    }
    motion_.set(body_, dq);
    double hs[8], hc[8];
    sincos_of_joints(&head, 1, hs, hc);
    // The first intervals; both ends of the edge are ends of such.
    queue_.clear();
    bits_.assign(rows_, 0);
    for (int a = 0; a < kMoving; ++a) bits_[a] = body_.allowed[a];
    for (int n = 0; n < kBodyParts; ++n) bits_[kMoving + n] = body_.part_allowed[n];
    bits_[rows_ - 1] = body_.world;
    const int start = greatest == 0.0 ? 1 : kWidth;
    for (int i = 0; i < start; ++i) queue_.push_back({(2 * i + 1) / (2.0f * start), 0.5f / start, 0});
    std::size_t done = 0;
    while (done < queue_.size()) {
      if (queue_.size() > kMaxNodes) return false;
      const int count = static_cast<int>(std::min<std::size_t>(kWidth, queue_.size() - done));
      Vec t, s[2][8], c[2][8];
      for (int i = 0; i < kWidth; ++i) t.v[i] = queue_[done + std::min(i, count - 1)].t;
      for (int j = 0; j < 14; ++j) {
        sincos(fma(t, Vec(dq[j]), Vec(q0[j / 7][j % 7])), s[j / 7][j % 7], c[j / 7][j % 7]);
      }
      kinematics_.set(body_, s, c, Vec(hs[0]), Vec(hc[0]));
      for (int i = 0; i < count; ++i) {
        kinematics_.look(i, posture_);
        if (!look(queue_[done + i], padding)) return false;
      }
      done += count;
    }
    return true;
  }

 private:
  const BodyShape& body_;
  Posture posture_;
  Kinematics<Vec> kinematics_;
  Motion motion_;
  int rows_;
  std::vector<Interval> queue_;
  std::vector<std::uint32_t> bits_;

  // False if something is hit, or near where intervals cannot be halved any more.
  bool look(const Interval at, double padding) {
    Clearing clearing(motion_, padding, body_.margin);
    clearing.h = at.h;
    int first = -1;
    const auto leave = [&](int row, int link, float moves) {
      if (first < 0) {
        first = static_cast<int>(bits_.size());
        bits_.resize(bits_.size() + rows_, 0);
      }
      bits_[first + row] |= 1u << link;
      return at.h * moves >= kFinest;
    };
    for (int n = 0; n < kBodyParts; ++n) {
      const std::uint32_t allowed = bits_[at.first + kMoving + n];
      if (!allowed) continue;
      std::uint32_t near = links_near_part(posture_, n, allowed, clearing);
      if (clearing.hit) return false;
      for (; near; near &= near - 1) {
        const int link = lowest(near);
        clearing.choose(motion_.standing[link]);
        walk_part(posture_, n, link, clearing);
        if (clearing.hit) return false;
        if (clearing.unclear && !leave(kMoving + n, link, motion_.standing[link])) return false;
      }
    }
    if (const std::uint32_t allowed = bits_[at.first + rows_ - 1]) {
      bool fine = true;
      walk_world(posture_, allowed, clearing,
                 [&](int link) { clearing.choose(motion_.standing[link]); },
                 [&](int link) {
                   fine = !clearing.hit && (!clearing.unclear ||
                                            leave(rows_ - 1, link, motion_.standing[link]));
                   return fine;
                 });
      if (!fine) return false;
    }
    for (int link = 0; link < kMoving; ++link) {
      const std::uint32_t allowed = bits_[at.first + link];
      if (!allowed) continue;
      std::uint32_t near = links_near(posture_, link, allowed, clearing);
      for (; near; near &= near - 1) {
        const int other = lowest(near);
        clearing.choose(motion_.links[link][other]);
        walk_links(posture_, link, other, clearing);
        if (clearing.hit) return false;
        if (clearing.unclear && !leave(link, other, motion_.links[link][other])) return false;
      }
    }
    if (first >= 0) {
      queue_.push_back({at.t - 0.5f * at.h, 0.5f * at.h, first});
      queue_.push_back({at.t + 0.5f * at.h, 0.5f * at.h, first});
    }
    return true;
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
