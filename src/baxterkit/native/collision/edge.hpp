// Whether all configurations between two are free: straight lines in joint space, proven by bisection.
//
// Two links that are farther apart at the middle of an interval than what both can move until its
// ends (motion.hpp) are clear of each other over the whole interval; for the others both halves are
// looked at. What is still near where the bound is below kFinest counts as blocked.
#pragma once

#include <algorithm>
#include <vector>

#include "motion.hpp"
#include "walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr double kFinest = 1e-4;   // [m]
constexpr double kLongest = 1e3;   // turn of a joint along an edge [rad]; a longer one counts as blocked
constexpr int kMaxNodes = 16384;   // intervals of one edge; an edge that needs more counts as blocked

// What is hit at one configuration, and what is not clear over the interval around it.
struct Clearing {
  const float *standing, *beside;  // how far links can move in the interval, as in motion.hpp
  double padding, margin;
  float near = 0.0f;  // the limit of the links at hand, margin included
  double need = 0.0;  // the same without
  bool hit = false, unclear = false;

  Clearing(const float* standing, const float* beside, double padding, double margin)
      : standing(standing), beside(beside), padding(padding), margin(margin) {}

  // moves: how far these links can come closer in the interval [m].
  BK_INLINE void choose(float moves) {
    need = padding + static_cast<double>(moves);
    near = static_cast<float>(need + margin);
    unclear = false;
  }
  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int, int at) const {
    return Floats::load(beside + at) + static_cast<float>(padding + margin);
  }
  BK_INLINE Floats standing_limits(int at) const {
    return Floats::load(standing + at) + static_cast<float>(padding + margin);
  }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    hit = (below(apart, squared(radii + static_cast<float>(padding - margin))) & lanes) != 0;
    unclear =
        unclear || hit || (below(apart, squared(radii + static_cast<float>(need - margin))) & lanes) != 0;
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

// What edges and tubes share: the pairs that are not known to be clear, as rows of the links, then of
// the parts of the body that stand, then one of all obstacles.
template <class Moves>
class Sweep {
 protected:
  explicit Sweep(const BodyShape& body) : body_(body), configuration_(body), motion_(body) {}

  const BodyShape& body_;
  Configuration configuration_;
  Kinematics<Vec> kinematics_;
  Moves motion_;
  static constexpr int kRows = kMoving + kBodyParts + 1;
  std::vector<std::uint32_t> bits_;  // lists of rows, one after the other

  // The first list of rows: every pair. The head stays.
  void begin(double head) {
    double hs[8], hc[8];
    sincos_of_joints(&head, 1, hs, hc);
    kinematics_.head.set(body_.pan, Vec(hs[0]), Vec(hc[0]));
    bits_.assign(kRows, 0);
    for (int a = 0; a < kMoving; ++a) bits_[a] = body_.allowed[a];
    for (int n = 0; n < kBodyParts; ++n) bits_[kMoving + n] = body_.part_allowed[n];
    bits_[kRows - 1] = body_.world;
  }

  // The pairs of the rows from `from` on, at the configuration at hand. Those that are not clear
  // within what they can move go into the list `left`, -1 if there are none, and to `note(link,
  // other, moves)`. False if something is hit, or near where nothing can be halved any more.
  template <class Note>
  BK_INLINE bool look(int from, double padding, int& left, const Note& note) {
    Clearing clearing(motion_.standing, motion_.beside, padding, body_.margin);
    left = -1;
    const auto leave = [&](int row, int link, int other, float moves) {
      if (left < 0) {
        left = static_cast<int>(bits_.size());
        bits_.resize(bits_.size() + kRows, 0);
      }
      bits_[left + row] |= 1u << link;
      note(link, other, moves);
      return moves >= kFinest;
    };
    for (int n = 0; n < kBodyParts; ++n) {
      const std::uint32_t allowed = bits_[from + kMoving + n];
      if (!allowed) continue;
      std::uint32_t near = links_near_part(configuration_, n, allowed, clearing);
      if (clearing.hit) return false;
      for (; near; near &= near - 1) {
        const int link = lowest(near);
        clearing.choose(motion_.standing[link]);
        walk_part(configuration_, n, link, clearing);
        if (clearing.hit) return false;
        if (clearing.unclear && !leave(kMoving + n, link, -1, motion_.standing[link])) return false;
      }
    }
    if (const std::uint32_t allowed = bits_[from + kRows - 1]) {
      bool fine = true;
      walk_world(
          configuration_, allowed, clearing, [&](int link) { clearing.choose(motion_.standing[link]); },
          [&](int link) {
            fine = !clearing.hit && (!clearing.unclear || leave(kRows - 1, link, -1, motion_.standing[link]));
            return fine;
          });
      if (!fine) return false;
    }
    for (int link = 0; link < kMoving; ++link) {
      const std::uint32_t allowed = bits_[from + link];
      if (!allowed) continue;
      motion_.look_beside(configuration_, link);
      std::uint32_t near = links_near(configuration_, link, allowed, clearing);
      for (; near; near &= near - 1) {
        const int other = lowest(near);
        clearing.choose(motion_.beside[other]);
        walk_links(configuration_, link, other, clearing);
        if (clearing.hit) return false;
        if (clearing.unclear && !leave(link, other, link, motion_.beside[other])) return false;
      }
    }
    return true;
  }
};

// An interval of the edge around t, and the pairs that are not known to be clear in it.
struct Interval {
  float t, h;
  int first;  // of its rows, in the lists
};

class Edge : Sweep<Motion> {
 public:
  explicit Edge(const BodyShape& body) : Sweep(body) {}

  // q0, q1: (left, right) rows of 7; the head stays.
  bool free(const double* const* q0, const double* const* q1, double head, double padding) {
    double dq[14];
    double greatest = 0.0;
    for (int j = 0; j < 14; ++j) {
      dq[j] = q1[j / 7][j % 7] - q0[j / 7][j % 7];
      greatest = std::max(greatest, std::fabs(dq[j]));
    }
    if (!(greatest <= kLongest)) return false;  // single precision would not resolve its intervals
    motion_.set(dq);
    begin(head);
    for (int arm = 0; arm < 2; ++arm) {
      if (!motion_.moves(arm)) place(arm, q0[arm], dq + 7 * arm, Vec(0.0));
    }
    // The first intervals; both ends of the edge are ends of such.
    queue_.clear();
    const int start = greatest == 0.0 ? 1 : kWidth;
    for (int i = 0; i < start; ++i) queue_.push_back({(2 * i + 1) / (2.0f * start), 0.5f / start, 0});
    std::size_t done = 0;
    while (done < queue_.size()) {
      if (queue_.size() > kMaxNodes) return false;
      const int count = static_cast<int>(std::min<std::size_t>(kWidth, queue_.size() - done));
      Vec t;
      for (int i = 0; i < kWidth; ++i) t.v[i] = queue_[done + std::min(i, count - 1)].t;
      for (int arm = 0; arm < 2; ++arm) {
        if (motion_.moves(arm)) place(arm, q0[arm], dq + 7 * arm, t);
      }
      for (int i = 0; i < count; ++i) {
        kinematics_.look(i, configuration_);
        if (!look(queue_[done + i], padding)) return false;
      }
      done += count;
    }
    return true;
  }

 private:
  std::vector<Interval> queue_;

  void place(int arm, const double* q, const double* dq, Vec t) {
    Vec s[8], c[8];
    for (int j = 0; j < 7; ++j) sincos(fma(t, Vec(dq[j]), Vec(q[j])), s[j], c[j]);
    kinematics_.set_arm(body_, arm, s, c);
  }

  // False if something is hit, or near where intervals cannot be halved any more.
  bool look(const Interval at, double padding) {
    motion_.look(configuration_, at.h);
    int first;
    if (!Sweep::look(at.first, padding, first, [](int, int, float) {})) return false;
    if (first >= 0) {
      queue_.push_back({at.t - 0.5f * at.h, 0.5f * at.h, first});
      queue_.push_back({at.t + 0.5f * at.h, 0.5f * at.h, first});
    }
    return true;
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
