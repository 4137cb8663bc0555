// How far the points of links can move while the joints stay in a tube: a box around a part of a
// straight line.
//
// The joints are q + s dq + u with |s| <= h and |u_j| <= w_j. Two bounds, of which the lower one
// counts. No point of a link moves by more than sum_j (h |dq_j| + w_j) r_j, where r_j is the farthest
// that any of its points can be from the axis of joint j. And no point moves by more than the speed
// of the link's sphere along the line times h, plus its distance from each axis at the middle times
// w_j, plus what second derivatives can add.
#pragma once

#include <algorithm>
#include <cmath>

#include "motion.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

class TubeMotion : public LinkMotion<TubeMotion> {
 public:
  explicit TubeMotion(const BodyShape& body) : LinkMotion(body) {}

  // dq: from one end of the line to the other; width: of the box on either side. Left arm, then right.
  void set(const double* dq, const double* width) {
    for (int arm = 0; arm < 2; ++arm) {
      moves_[arm] = false;
      for (int j = 0; j < 7; ++j) {
        dq_[arm][j] = static_cast<float>(dq[7 * arm + j]);
        moves_[arm] = moves_[arm] || dq[7 * arm + j] != 0.0 || width[7 * arm + j] != 0.0;
      }
    }
  }

  // At the middle of a part: h until the ends of the line, w on either side of it, 14 numbers.
  BK_INLINE void look(const Configuration& configuration, float h, const float* w) {
    look_at(configuration, h, w);
  }

  // What brings two links closest (-1: what stands): a joint, counted through both arms, by its width,
  // or -1: the line. `moves`: how much closer they can come [m].
  int widest(int link, int other, float moves, const float* w) const {
    const bool same = other >= 0 && arm_of(link) == arm_of(other);
    float line = moves, most = 0.0f;
    int found = -1;
    for (int which = 0; which < (same || other < 0 ? 1 : 2); ++which) {
      const int one = which ? other : link;
      const int arm = arm_of(one), lane = std::min(place_of(one), kHeld - 1);
      if (!moves_[arm]) continue;
      // Of one arm, only joints between the two count: `other` is nearer to the shoulder.
      for (int j = same ? place_of(other) + 1 : 0; j < 7; ++j) {
        const float by = w[7 * arm + j] * lever_[arm][j][lane];
        line -= by;
        if (by > most) {
          most = by;
          found = 7 * arm + j;
        }
      }
    }
    return line > most ? -1 : found;
  }

 private:
  friend LinkMotion;
  static constexpr float kBlur = 2e-5f;    // [m/rad]: more than single precision takes off speeds
  alignas(32) float lever_[2][7][kEight];  // distance from the axis of a joint at the middle
  alignas(32) float sides_[2][8][kEight];  // the same times the widths, of the joints from one on
  float held_sides_[2][8];

  BK_INLINE void set_arm(const Configuration& configuration, int arm, const float* widths) {
    const float* w = widths + 7 * arm;
    const auto& places = configuration.links().at;
    const int at = kEight * arm, held = link_of(arm, kHeld);
    const Point<Floats> c = {Floats::load(places[0] + at), Floats::load(places[1] + at),
                             Floats::load(places[2] + at)};
    const Floats reach = Floats::load(body_.link_reach + at);
    Floats turn[3] = {0.0f, 0.0f, 0.0f}, shift[3] = {0.0f, 0.0f, 0.0f};
    float turns = 0.0f, held_lever[7];
    for (int j = 0; j < 7; ++j) {
      double T[12];
      configuration.pose(link_of(arm, j), T);
      const float z[3] = {static_cast<float>(T[2]), static_cast<float>(T[6]), static_cast<float>(T[10])};
      const float m[3] = {static_cast<float>(T[7] * T[10] - T[11] * T[6]),
                          static_cast<float>(T[11] * T[2] - T[3] * T[10]),
                          static_cast<float>(T[3] * T[6] - T[7] * T[2])};
      const Floats after = Floats::load(after_[j]);
      for (int i = 0; i < 3; ++i) {
        turn[i] = fma(after, Floats(dq_[arm][j] * z[i]), turn[i]);
        shift[i] = fma(after, Floats(dq_[arm][j] * m[i]), shift[i]);
      }
      const Point<Floats> v = {fma(Floats(z[1]), c.z, fma(Floats(-z[2]), c.y, Floats(m[0]))),
                               fma(Floats(z[2]), c.x, fma(Floats(-z[0]), c.z, Floats(m[1]))),
                               fma(Floats(z[0]), c.y, fma(Floats(-z[1]), c.x, Floats(m[2])))};
      (after * (sqrt(dot(v, v)) + reach)).store(lever_[arm][j]);
      turns += h_ * std::fabs(dq_[arm][j]) + w[j];
      held_lever[j] = 0.0f;
      if (body_.held) {
        const float x = places[0][held], y = places[1][held], s = places[2][held];
        const float a = z[1] * s - z[2] * y + m[0], b = z[2] * x - z[0] * s + m[1],
                    d = z[0] * y - z[1] * x + m[2];
        held_lever[j] = std::sqrt(a * a + b * b + d * d) + body_.link_reach[held];
      }
    }
    blur_[arm] = kBlur * turns;
    for (int i = 0; i < 3; ++i) {
      turn[i].store(turn_[arm][i]);
      shift[i].store(shift_[arm][i]);
    }
    // Beside link k of the same arm only the joints after it count: row k + 1; beside what stands
    // all do, row 0.
    Floats sum(0.0f), bend(0.0f), sides(0.0f);
    float held_sum = 0.0f, held_bend = 0.0f, held_sides = 0.0f;
    sum.store(sum_[arm][7]);
    bend.store(bend_[arm][7]);
    sides.store(sides_[arm][7]);
    held_sum_[arm][7] = held_bend_[arm][7] = held_sides_[arm][7] = 0.0f;
    for (int j = 6; j >= 0; --j) {
      const float by = kUp * (h_ * std::fabs(dq_[arm][j]) + w[j]);
      const Floats far = Floats::load(body_.axis_lanes[arm][j]);
      bend = fma(Floats(by), fma(Floats(0.5f * by), far, sum), bend);
      sum = fma(Floats(by), far, sum);
      sides = fma(Floats(w[j]), Floats::load(lever_[arm][j]), sides);
      sum.store(sum_[arm][j]);
      bend.store(bend_[arm][j]);
      sides.store(sides_[arm][j]);
      if (!body_.held) continue;
      const float reached = kUp * static_cast<float>(body_.axis_reach[arm][kHeld][j]);
      held_bend += by * (0.5f * by * reached + held_sum);
      held_sum += by * reached;
      held_sides += w[j] * held_lever[j];
      held_sum_[arm][j] = held_sum;
      held_bend_[arm][j] = held_bend;
      held_sides_[arm][j] = held_sides;
    }
  }

  BK_INLINE Floats within(int arm, int first, Floats fast) const {
    const Floats all = fma(Floats(h_), fast, Floats::load(sides_[arm][first])) +
                       Floats::load(bend_[arm][first]) + blur_[arm];
    return least(Floats::load(sum_[arm][first]), Floats(kUp) * all);
  }
  BK_INLINE float held_within(int arm, int first, Floats fast) const {
    float each[kEight];
    fast.store(each);
    return std::min(held_sum_[arm][first],
                    kUp * (h_ * each[6] + held_sides_[arm][first] + held_bend_[arm][first] +
                           blur_[arm]));  // it rides on w2
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
