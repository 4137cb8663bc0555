// Points and segments moved by poses, given as rows of [R | p], over any scalar.
#pragma once

#include "lanes.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

constexpr double kNone[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

template <class T>
struct Segment {
  Point<T> start, span;
};

template <class T>
BK_INLINE Point<T> moved(const T* pose, const double* p) {
  return {fma(pose[2], T(p[2]), fma(pose[1], T(p[1]), fma(pose[0], T(p[0]), pose[3]))),
          fma(pose[6], T(p[2]), fma(pose[5], T(p[1]), fma(pose[4], T(p[0]), pose[7]))),
          fma(pose[10], T(p[2]), fma(pose[9], T(p[1]), fma(pose[8], T(p[0]), pose[11])))};
}

// R x (+ p) of vectors or single numbers, given the rows of [R | p].
template <class T>
BK_INLINE Point<T> turned(const T* r, const Point<T>& x) {
  return {fma(r[2], x.z, fma(r[1], x.y, r[0] * x.x)), fma(r[6], x.z, fma(r[5], x.y, r[4] * x.x)),
          fma(r[10], x.z, fma(r[9], x.y, r[8] * x.x))};
}
template <class T>
BK_INLINE Point<T> placed_at(const T* r, const Point<T>& x) {
  return {fma(r[2], x.z, fma(r[1], x.y, fma(r[0], x.x, r[3]))),
          fma(r[6], x.z, fma(r[5], x.y, fma(r[4], x.x, r[7]))),
          fma(r[10], x.z, fma(r[9], x.y, fma(r[8], x.x, r[11])))};
}

// Rows of [R | p] of the head's frame inverted: p_head = R' p - R' t.
template <class T>
struct HeadFrame {
  T row[12];

  BK_INLINE void set(const double* pan, T sine, T cosine) {
    for (int i = 0; i < 3; ++i) {
      const double x = pan[4 * i], y = pan[4 * i + 1];
      row[i] = fma(cosine, T(x), sine * T(y));
      row[4 + i] = fms(cosine, T(y), sine * T(x));
      row[8 + i] = T(pan[4 * i + 2]);
    }
    for (int i = 0; i < 3; ++i) {
      const T* r = row + 4 * i;
      row[4 * i + 3] = -fma(r[2], T(pan[11]), fma(r[1], T(pan[7]), r[0] * T(pan[3])));
    }
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
