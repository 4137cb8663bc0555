// Shorter paths, and round corners, for one instruction set (BAXTERKIT_ISA).
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "random.hpp"
#include "space.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr int kChords = 8;        // of a round corner, each of which is swept
constexpr int kHalvings = 6;      // of a corner's rounding until it stays sharp
constexpr double kSharp = 0.05;   // 1 + cosine of the sharpest turn that is rounded
constexpr double kShorter = 0.999;  // what a shortcut must be shorter than, as a share

// The path with corners cut where the straight line is free.
class Smooth {
 public:
  Smooth(const PlanTask& task, const PlanStop& stop, std::vector<Point14> way)
      : task_(task), stop_(stop), space_(task, &counts_), random_(task.seed), way_(std::move(way)) {}

  const std::vector<Point14>& way() const { return way_; }

  // From each corner straight to the farthest one that can be seen.
  void skip() {
    std::vector<Point14> next = {way_.front()};
    for (std::size_t i = 0; i + 1 < way_.size();) {
      std::size_t k = way_.size() - 1;
      while (k > i + 1 && !straight(way_[i], way_[k])) --k;
      next.push_back(way_[k]);
      i = k;
    }
    way_.swap(next);
  }

  // Straight lines between two places on the path, drawn at random, uniform by length.
  void shorten(int rounds) {
    std::vector<double> at;
    std::vector<Point14> next;
    for (int round = 0; round < rounds && way_.size() > 2; ++round) {
      if (stop_.asks(stop_.of)) return;
      at.assign(way_.size(), 0.0);
      for (std::size_t i = 1; i < way_.size(); ++i) at[i] = at[i - 1] + distance(way_[i - 1], way_[i]);
      double s[2];
      for (double& x : s) x = random_.uniform() * at.back();
      if (s[0] > s[1]) std::swap(s[0], s[1]);
      std::size_t k[2];
      Point14 p[2];
      for (int e = 0; e < 2; ++e) {
        k[e] = std::upper_bound(at.begin(), at.end(), s[e]) - at.begin();
        k[e] = std::min(std::max<std::size_t>(k[e], 1), way_.size() - 1);
        const double length = at[k[e]] - at[k[e] - 1];
        p[e] = between(way_[k[e] - 1], way_[k[e]], length > 0.0 ? (s[e] - at[k[e] - 1]) / length : 0.0);
      }
      if (k[0] == k[1]) continue;  // on one straight piece
      if (distance(p[0], p[1]) >= kShorter * (s[1] - s[0]) || !straight(p[0], p[1])) continue;
      next.assign(way_.begin(), way_.begin() + k[0]);
      next.push_back(p[0]);
      next.push_back(p[1]);
      next.insert(next.end(), way_.begin() + k[1], way_.end());
      way_.swap(next);
    }
  }

  // How far before and after each corner its rounding may begin and end [rad]; zero: it stays sharp.
  // The rounding is the parabola that leaves and enters the edges smoothly.
  std::vector<double> roundings(double most) {
    std::vector<double> room(way_.size(), 0.0);
    for (std::size_t i = 1; i + 1 < way_.size(); ++i) {
      const double before = distance(way_[i - 1], way_[i]), after = distance(way_[i], way_[i + 1]);
      const Point14 &a = way_[i - 1], &b = way_[i], &c = way_[i + 1];
      double cosine = 0.0;
      for (int j = 0; j < kPlanJoints; ++j) cosine += (b.q[j] - a.q[j]) * (c.q[j] - b.q[j]);
      if (1.0 + cosine / (before * after) < kSharp) continue;
      double d = std::min({most, 0.5 * before, 0.5 * after});
      for (int n = 0; n < kHalvings; ++n, d *= 0.5) {
        if (round_free(between(b, a, d / before), b, between(b, c, d / after))) {
          room[i] = d;
          break;
        }
      }
    }
    return room;
  }

 private:
  const PlanTask& task_;
  const PlanStop& stop_;
  PlanPath counts_;
  Space space_;
  Random random_;
  std::vector<Point14> way_;

  bool straight(const Point14& a, const Point14& b) {
    const int n = std::max(1, static_cast<int>(std::ceil(distance(a, b) / task_.step)));
    return space_.looks_free(a, b, n) && space_.proven(a, b);
  }

  // Whether the parabola from a to c with its corner at b is free: chords are swept, with a padding
  // for what the parabola is off them.
  bool round_free(const Point14& a, const Point14& b, const Point14& c) {
    double bend[kPlanJoints];  // second derivative over a parameter from 0 to 1
    for (int j = 0; j < kPlanJoints; ++j) bend[j] = 2.0 * (a.q[j] - 2.0 * b.q[j] + c.q[j]);
    double off = 0.0;
    for (int arm = 0; arm < 2; ++arm) {
      double farthest = 0.0;
      for (int k = 0; k < kArmLinks; ++k) {
        double sum = 0.0;
        for (int j = 0; j < 7; ++j) sum += std::fabs(bend[7 * arm + j]) * task_.body->axis_reach[arm][k][j];
        farthest = std::max(farthest, sum);
      }
      off += farthest / (8.0 * kChords * kChords);
    }
    Point14 at[kChords + 1];
    for (int n = 0; n <= kChords; ++n) {
      const double t = n / static_cast<double>(kChords), r = 1.0 - t;
      for (int j = 0; j < kPlanJoints; ++j) {
        at[n].q[j] = r * r * a.q[j] + 2.0 * r * t * b.q[j] + t * t * c.q[j];
      }
    }
    for (int n = 0; n < kChords; ++n) {
      if (!space_.proven(at[n], at[n + 1], task_.padding + off)) return false;
    }
    return true;
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
