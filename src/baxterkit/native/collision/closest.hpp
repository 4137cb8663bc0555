// Visitors of the pairs that may be near: a verdict, and the nearest pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exact.hpp"
#include "walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// Whether anything is nearer than the padding.
struct Verdict {
  Verdict(double padding, double margin)
      : padding(padding),
        near(static_cast<float>(padding + margin)),
        surely(static_cast<float>(padding - margin)) {}

  double padding;
  float near, surely;
  bool hit = false;

  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int, int) const { return near; }
  BK_INLINE Floats standing_limits(int) const { return near; }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    hit = (below(apart, squared(radii + surely)) & lanes) != 0;
    return hit;
  }
  BK_INLINE bool sure_gap(Floats gap, unsigned lanes) {
    hit = (below(gap, surely) & lanes) != 0;
    return hit;
  }
  BK_INLINE bool sure_links(Floats gap, unsigned lanes) { return sure_gap(gap, lanes); }
  BK_INLINE bool meet(Vec apart, Vec radii, const int*, int) {
    const Vec r = most(radii + Vec(padding), Vec(0.0));
    hit = any(below(apart, r * r));
    return hit;
  }
  BK_INLINE bool meet_gap(Vec gap, const int*, int) {
    hit = any(below(gap, Vec(padding)));
    return hit;
  }
  BK_INLINE bool done() const { return hit; }
};

// The nearest pair.
struct Closest {
  explicit Closest(double margin) : margin(static_cast<float>(margin)) {}

  float margin;
  float near = static_cast<float>(kFar);
  double best = kFar;
  int first = -1, second = -1;

  // What is known already.
  BK_INLINE void set(double clearance, int one, int other) {
    best = clearance;
    near = static_cast<float>(clearance) + margin;
    first = one;
    second = other;
  }

  BK_INLINE float limit() const { return near; }
  BK_INLINE Floats link_limits(int, int) const { return near; }
  BK_INLINE Floats standing_limits(int) const { return near; }
  BK_INLINE bool sure(Floats apart, Floats radii, unsigned lanes) {
    return sure_gap(sqrt(apart) - radii, lanes);
  }
  BK_INLINE bool sure_gap(Floats gap, unsigned lanes) {
    if (lanes == 0xff) {
      near = std::min(near, least_of(gap) + margin);
      return false;
    }
    unsigned bits = below(gap, near - margin) & lanes;
    if (bits) {
      float each[kEight];
      gap.store(each);
      for (; bits; bits &= bits - 1) near = std::min(near, each[lowest(bits)] + margin);
    }
    return false;
  }
  BK_INLINE bool sure_links(Floats gap, unsigned lanes) { return sure_gap(gap, lanes); }
  BK_INLINE bool meet(Vec apart, Vec radii, const int* some, int one) {
    return meet_gap(sqrt(apart) - radii, some, one);
  }
  BK_INLINE bool meet_gap(Vec gap, const int* some, int one) {
    if (any(below(gap, Vec(best)))) {
      for (int lane = 0; lane < kWidth; ++lane) {
        if (gap[lane] < best) {
          best = gap[lane];
          first = std::min(some[lane], one);
          second = std::max(some[lane], one);
        }
      }
      near = std::min(near, static_cast<float>(best) + margin);
    }
    return false;
  }
  BK_INLINE bool done() const { return false; }
};

// Capsules and boxes of the body, a pair in each lane, at double precision.
struct SegmentsAndBoxes {
  double start[3][kWidth] = {}, span[3][kWidth] = {}, frame[12][kWidth] = {}, center[3][kWidth] = {};
  double axes[9][kWidth] = {}, half[3][kWidth] = {}, radii[kWidth] = {};

  BK_INLINE void set(const Poses& configuration, int capsule, int number, int lane) {
    const BodyShape& body = configuration.body;
    const BodyBox& box = body.box[number - static_cast<int>(body.capsule[0].size() + body.capsule[1].size())];
    double radius = 0.0, head[12];
    const Segment<double> segment = placed_capsule(configuration, capsule, radius);
    start[0][lane] = segment.start.x;
    start[1][lane] = segment.start.y;
    start[2][lane] = segment.start.z;
    span[0][lane] = segment.span.x;
    span[1][lane] = segment.span.y;
    span[2][lane] = segment.span.z;
    configuration.head_frame(head);
    const double* from = box.link == kHead ? head : kNone;
    for (int i = 0; i < 12; ++i) frame[i][lane] = from[i];
    for (int i = 0; i < 3; ++i) {
      center[i][lane] = box.center[i];
      half[i][lane] = box.half[i];
    }
    for (int i = 0; i < 9; ++i) axes[i][lane] = box.axes[i];
    radii[lane] = radius + box.radius;
  }

  BK_INLINE Vec clearances() const {
    const auto three = [](const double (*x)[kWidth]) {
      return Point<Vec>{Vec::load(x[0]), Vec::load(x[1]), Vec::load(x[2])};
    };
    const auto in_axes = [&](const Point<Vec>& p) {
      const auto row = [&](int i) {
        return fma(p.z, Vec::load(axes[i + 2]), fma(p.y, Vec::load(axes[i + 1]), p.x * Vec::load(axes[i])));
      };
      return Point<Vec>{row(0), row(3), row(6)};
    };
    Vec r[12];
    for (int i = 0; i < 12; ++i) r[i] = Vec::load(frame[i]);
    const Point<Vec> p = placed_at(r, three(start)), d = turned(r, three(span));
    const Vec sides[3] = {Vec::load(half[0]), Vec::load(half[1]), Vec::load(half[2])};
    return sqrt(segment_box_squared(in_axes(p - three(center)), in_axes(d), sides)) - Vec::load(radii);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
