// How far the points of links can move while the joints go along a part of a straight line.
//
// Two bounds, of which the lower one counts. While the joints move by h dq from the middle of an
// interval, no point of a link moves by more than h sum_j |dq_j| r_j, where r_j is the farthest that
// any of its points can be from the axis of joint j. And no point moves by more than
// h speed + h^2 / 2 bend: the greatest speed of the link's sphere at the middle, and the greatest
// size that a second derivative can have, sum_ij |dq_i| |dq_j| r_max(i, j).
#pragma once

#include <algorithm>
#include <cmath>

#include "configuration.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// What the bounds of edges and of tubes (`Own`) share.
template <class Own>
class LinkMotion {
 public:
  alignas(32) float standing[kMovingLanes];  // beside what stands, in the interval at hand [m]
  alignas(32) float beside[kMovingLanes];    // beside the link at hand

  bool moves(int arm) const { return moves_[arm]; }

  // Of the others beside a link.
  BK_INLINE void look_beside(const Configuration& configuration, int link) {
    const int arm = arm_of(link), other = 1 - arm;
    bound(configuration, arm, place_of(link) + 1, beside);
    (Floats::load(standing + kEight * other) + standing[link]).store(beside + kEight * other);
    const int held = link_of(other, kHeld);
    beside[held] = standing[link] + standing[held];
  }

 protected:
  static constexpr float kUp = 1.00001f;  // more than single precision takes off
  const BodyShape& body_;
  bool moves_[2];
  float dq_[2][7], blur_[2], h_;
  alignas(32) float after_[7][kEight];  // 1 for the links that a joint moves
  alignas(32) float sum_[2][8][kEight], bend_[2][8][kEight];
  float held_sum_[2][8], held_bend_[2][8];
  // Of the links s0 ... fingers at the middle: how fast they turn, and how fast a point of theirs
  // moves that is at the origin of base.
  alignas(32) float turn_[2][3][kEight], shift_[2][3][kEight];

  // At the middle of an interval, h until its ends; the widths are those of a tube.
  template <class... Widths>
  BK_INLINE void look_at(const Configuration& configuration, float h, Widths... widths) {
    h_ = h;
    for (int arm = 0; arm < 2; ++arm) {
      if (moves_[arm]) static_cast<Own&>(*this).set_arm(configuration, arm, widths...);
      bound(configuration, arm, 0, standing);
    }
  }

  // Of an arm's links by the joints from `first` on.
  BK_INLINE void bound(const Configuration& configuration, int arm, int first, float* out) const {
    const int at = kEight * arm, held = link_of(arm, kHeld);
    out[held] = 0.0f;
    if (first >= 7 || !moves_[arm]) {
      Floats(0.0f).store(out + at);
      return;
    }
    Point<Floats> turn = eight<Floats>(turn_[arm]), shift = eight<Floats>(shift_[arm]);
    if (first > 0) {  // less what the link itself does
      turn = turn - same_lane(turn_[arm], first - 1);
      shift = shift - same_lane(shift_[arm], first - 1);
    }
    const auto& places = configuration.links().at;
    const Point<Floats> c = {Floats::load(places[0] + at), Floats::load(places[1] + at),
                             Floats::load(places[2] + at)};
    const auto& own = static_cast<const Own&>(*this);
    own.within(arm, first, speed(turn, shift, c, Floats::load(body_.link_reach + at))).store(out + at);
    if (!body_.held) return;
    const Point<Floats> at_held = {Floats(places[0][held]), Floats(places[1][held]), Floats(places[2][held])};
    out[held] = own.held_within(arm, first, speed(turn, shift, at_held, Floats(body_.link_reach[held])));
  }

 private:
  friend Own;
  explicit LinkMotion(const BodyShape& body) : body_(body) {
    for (int n = 0; n < kMovingLanes; ++n) standing[n] = beside[n] = 0.0f;
    for (int j = 0; j < 7; ++j) {
      for (int k = 0; k < kEight; ++k) after_[j][k] = k >= j ? 1.0f : 0.0f;
    }
  }
  static BK_INLINE Floats speed(const Point<Floats>& turn, const Point<Floats>& shift, const Point<Floats>& c,
                                Floats reach) {
    const Point<Floats> v = {fma(turn.y, c.z, fma(-turn.z, c.y, shift.x)),
                             fma(turn.z, c.x, fma(-turn.x, c.z, shift.y)),
                             fma(turn.x, c.y, fma(-turn.y, c.x, shift.z))};
    return fma(sqrt(dot(turn, turn)), reach, sqrt(dot(v, v)));
  }
  static BK_INLINE Point<Floats> same_lane(const float (*x)[kEight], int lane) {
    return {Floats(x[0][lane]), Floats(x[1][lane]), Floats(x[2][lane])};
  }
};

class Motion : public LinkMotion<Motion> {
 public:
  explicit Motion(const BodyShape& body) : LinkMotion(body) {}

  // dq: from one end of the edge to the other, of the left arm, then of the right one.
  void set(const double* dq) {
    for (int arm = 0; arm < 2; ++arm) {
      moves_[arm] = false;
      double turns = 0.0;
      for (int j = 0; j < 7; ++j) {
        dq_[arm][j] = static_cast<float>(dq[7 * arm + j]);
        turns += std::fabs(dq[7 * arm + j]);
        moves_[arm] = moves_[arm] || dq[7 * arm + j] != 0.0;
      }
      blur_[arm] = static_cast<float>(kBlur * turns);
      // Beside link k of the same arm only the joints after it count: row k + 1; beside what stands
      // all do, row 0.
      Floats sum(0.0f), bend(0.0f);
      float held_sum = 0.0f, held_bend = 0.0f;
      sum.store(sum_[arm][7]);
      bend.store(bend_[arm][7]);
      held_sum_[arm][7] = held_bend_[arm][7] = 0.0f;
      for (int j = 6; j >= 0; --j) {
        // The joint j turns all that the joints after it do.
        const float turn = kUp * std::fabs(dq_[arm][j]);
        const Floats reach = Floats::load(body_.axis_lanes[arm][j]);
        bend = fma(Floats(turn), fma(Floats(0.5f * turn), reach, sum), bend);
        sum = fma(Floats(turn), reach, sum);
        sum.store(sum_[arm][j]);
        bend.store(bend_[arm][j]);
        if (!body_.held) continue;
        const float far = kUp * static_cast<float>(body_.axis_reach[arm][kHeld][j]);
        held_bend += turn * (0.5f * turn * far + held_sum);
        held_sum += turn * far;
        held_sum_[arm][j] = held_sum;
        held_bend_[arm][j] = held_bend;
      }
    }
  }

  // At the middle of an interval, h until its ends.
  BK_INLINE void look(const Configuration& configuration, float h) { look_at(configuration, h); }

 private:
  friend LinkMotion;
  static constexpr double kBlur = 2e-5;  // [m/rad]: more than single precision takes off speeds

  BK_INLINE void set_arm(const Configuration& configuration, int arm) {
    Floats turn[3] = {0.0f, 0.0f, 0.0f}, shift[3] = {0.0f, 0.0f, 0.0f};
    for (int j = 0; j < 7; ++j) {
      double T[12];
      configuration.pose(link_of(arm, j), T);
      const double dq = dq_[arm][j], z[3] = {dq * T[2], dq * T[6], dq * T[10]};
      const double m[3] = {T[7] * z[2] - T[11] * z[1], T[11] * z[0] - T[3] * z[2], T[3] * z[1] - T[7] * z[0]};
      const Floats after = Floats::load(after_[j]);
      for (int i = 0; i < 3; ++i) {
        turn[i] = fma(after, Floats(static_cast<float>(z[i])), turn[i]);
        shift[i] = fma(after, Floats(static_cast<float>(m[i])), shift[i]);
      }
    }
    for (int i = 0; i < 3; ++i) {
      turn[i].store(turn_[arm][i]);
      shift[i].store(shift_[arm][i]);
    }
  }

  BK_INLINE Floats within(int arm, int first, Floats speed) const {
    const Floats sum = Floats::load(sum_[arm][first]), bend = Floats::load(bend_[arm][first]);
    return least(Floats(h_) * sum, bounded(arm, speed, bend));
  }
  BK_INLINE float held_within(int arm, int first, Floats speed) const {
    float each[kEight];
    bounded(arm, speed, Floats(held_bend_[arm][first])).store(each);
    return std::min(h_ * held_sum_[arm][first], each[6]);  // it rides on w2
  }
  BK_INLINE Floats bounded(int arm, Floats speed, Floats bend) const {
    return Floats(kUp * h_) * fma(Floats(h_), bend, speed + blur_[arm]);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
