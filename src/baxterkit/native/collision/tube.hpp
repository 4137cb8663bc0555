// Whether all configurations of a tube are free: boxes around straight lines in joint space, proven
// by subdivision.
//
// Two links that are farther apart at the middle of a part than what both can move within it
// (tube_motion.hpp) are clear of each other over the whole part; for the others it is halved, along
// the line or along the joint whose width moves them most.
#pragma once

#include <algorithm>
#include <vector>

#include "edge.hpp"
#include "tube_motion.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// A part of the tube, and the links that are not known to be clear in it, as in edge.hpp.
struct TubePart {
  float t, h;               // of the line
  float off[14], width[14]; // of the box, from the line
  int first;                // in the list of rows
};

constexpr double kTubeStep = 0.02;  // turn of a joint along the first parts [rad]

class Tube : Sweep<TubeMotion> {
 public:
  explicit Tube(const BodyShape& body) : Sweep(body) {}

  // q0, q1: rows of 14, left then right; width: of the box on either side; most: parts looked at.
  // at: a configuration that is hit, or near which the answer is open.
  TubeVerdict free(const double* q0, const double* q1, const double* width, double head, double padding,
                   int most, double* at) {
    double dq[14], greatest = 0.0, widest = 0.0;
    for (int j = 0; j < 14; ++j) {
      dq[j] = q1[j] - q0[j];
      greatest = std::max(greatest, std::fabs(dq[j]));
      widest = std::max(widest, width[j]);
    }
    for (int j = 0; j < 14; ++j) at[j] = 0.5 * (q0[j] + q1[j]);
    if (!(greatest <= kLongest && widest <= kLongest)) return kTubeBlocked;
    motion_.set(dq, width);
    begin(head);
    queue_.clear();
    const int start = std::max(1, std::min(kWidth, static_cast<int>(greatest / kTubeStep) + 1));
    TubePart part;
    for (int j = 0; j < 14; ++j) {
      part.off[j] = 0.0f;
      part.width[j] = static_cast<float>(width[j]) * (1.0f + 1e-6f);
    }
    part.first = 0;
    part.h = 0.5f / start;
    if (greatest == 0.0) part.h = 0.0f;
    for (int i = 0; i < start; ++i) {
      part.t = (2 * i + 1) / (2.0f * start);
      queue_.push_back(part);
    }
    for (int arm = 0; arm < 2; ++arm) {
      if (!motion_.moves(arm)) place(arm, q0, dq, 0, 1);
    }
    std::size_t done = 0;
    while (done < queue_.size()) {
      const int count = static_cast<int>(std::min<std::size_t>(kWidth, queue_.size() - done));
      if (static_cast<int>(done) + count > most) {
        center(q0, dq, queue_[done], at);
        return kTubeOpen;
      }
      for (int arm = 0; arm < 2; ++arm) {
        if (motion_.moves(arm)) place(arm, q0, dq, done, count);
      }
      for (int i = 0; i < count; ++i) {
        kinematics_.look(i, configuration_);
        const TubePart now = queue_[done + i];
        if (!look(now, padding)) {
          center(q0, dq, now, at);
          return kTubeBlocked;
        }
      }
      done += count;
    }
    return kTubeFree;
  }

 private:
  std::vector<TubePart> queue_;

  static void center(const double* q0, const double* dq, const TubePart& part, double* at) {
    for (int j = 0; j < 14; ++j) at[j] = q0[j] + part.t * dq[j] + part.off[j];
  }

  void place(int arm, const double* q0, const double* dq, std::size_t first, int count) {
    Vec s[8], c[8];
    for (int j = 0; j < 7; ++j) {
      const int n = 7 * arm + j;
      Vec q;
      for (int i = 0; i < kWidth; ++i) {
        const TubePart& part = queue_[first + std::min(i, count - 1)];
        q.v[i] = q0[n] + part.t * dq[n] + part.off[n];
      }
      sincos(q, s[j], c[j]);
    }
    kinematics_.set_arm(body_, arm, s, c);
  }

  // False if something is hit, or near where the part cannot be halved any more.
  bool look(const TubePart& part, double padding) {
    motion_.look(configuration_, part.h, part.width);
    int first, one = -1, two = -1;
    float most = 0.0f;
    const auto note = [&](int link, int other, float moves) {
      if (moves <= most) return;
      most = moves;
      one = link;
      two = other;
    };
    if (!Sweep::look(part.first, padding, first, note)) return false;
    if (first >= 0) halve(part, first, motion_.widest(one, two, most, part.width));
    return true;
  }

  void halve(TubePart part, int first, int joint) {
    part.first = first;
    if (joint < 0) {
      part.h *= 0.5f;
      const float t = part.t;
      for (float sign : {-1.0f, 1.0f}) {
        part.t = t + sign * part.h;
        queue_.push_back(part);
      }
      return;
    }
    part.width[joint] *= 0.5f;
    const float off = part.off[joint];
    for (float sign : {-1.0f, 1.0f}) {
      part.off[joint] = off + sign * part.width[joint];
      queue_.push_back(part);
    }
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
