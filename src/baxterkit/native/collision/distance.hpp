// Distances between the cores of the body's primitives: two segments, a segment and a box.
// Neither branches nor iterates, so vectors and single numbers take the same path.
#pragma once

#include "floats.hpp"
#include "lanes.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// Where two segments p + s d, q + t e, 0 <= s, t <= 1, are nearest, both longer than zero; a and g
// are the squares of their lengths. The unconstrained minimum gives s; then t for that s, s for that
// t and t again, each clamped: exact (Ericson, Real-Time Collision Detection, 5.1.9), parallel
// segments included.
template <class T>
BK_INLINE void nearest_on_segments(const Point<T>& p, const Point<T>& d, T a, const Point<T>& q,
                                   const Point<T>& e, T g, T& s, T& t) {
  const Point<T> w = p - q;
  const T b = dot(d, e), c = dot(d, w), f = dot(e, w);
  const T determinant = most(fnma(b, b, a * g), T(1e-12) * a * g);
  const T over_a = T(1.0) / a, over_g = T(1.0) / g;
  s = unit(fms(b, f, c * g) / determinant);
  t = unit(fma(b, s, f) * over_g);
  s = unit(fms(b, t, c) * over_a);
  t = unit(fma(b, s, f) * over_g);
}

template <class T>
BK_INLINE T segments_squared(const Point<T>& p, const Point<T>& d, T a, const Point<T>& q, const Point<T>& e,
                             T g) {
  T s, t;
  nearest_on_segments(p, d, a, q, e, g, s, t);
  const Point<T> v = along(p, s, d) - along(q, t, e);
  return dot(v, v);
}

// How far a point, in the box's axes, is outside it along each axis (signed; zero inside).
template <class T>
BK_INLINE T beyond(T x, T half) {
  return x - most(least(x, half), -half);
}
template <class T>
BK_INLINE Point<T> beyond_box(const Point<T>& x, const T* half) {
  return {beyond(x.x, half[0]), beyond(x.y, half[1]), beyond(x.z, half[2])};
}

// Where on the segment p + t d, 0 <= t <= 1, in the box's axes, the distance to the box is least.
// Half the derivative of its square, g(t) = d . beyond(p + t d), grows piecewise linearly with
// kinks where the segment crosses the planes of the sides: the zero lies on the straight piece
// between the last kink below zero and the first one above.
template <class T>
BK_INLINE T nearest_to_box(const Point<T>& p, const Point<T>& d, const T* half) {
  const T g0 = dot(d, beyond_box(p, half));
  const Point<T> end = {p.x + d.x, p.y + d.y, p.z + d.z};
  const T g1 = dot(d, beyond_box(end, half));
  T low = 0.0, g_low = g0, high = 1.0, g_high = g1;
  const T start[3] = {p.x, p.y, p.z}, slope[3] = {d.x, d.y, d.z};
  for (int i = 0; i < 3; ++i) {
    const T tiny = select(below(abs(slope[i]), T(1e-12)), T(1e-12), slope[i]);
    const T over = T(1.0) / tiny;
    for (double side : {-1.0, 1.0}) {
      const T kink = unit((T(side) * half[i] - start[i]) * over);
      const T g = dot(d, beyond_box(along(p, kink, d), half));
      const auto negative = below(g, T(0.0));
      const auto raise = both(negative, below(low, kink));
      low = select(raise, kink, low);
      g_low = select(raise, g, g_low);
      const auto drop = except(below(kink, high), negative);
      high = select(drop, kink, high);
      g_high = select(drop, g, g_high);
    }
  }
  // g_high >= 0 > g_low, unless the least is at an end.
  const T share = g_low / most(g_high - g_low, T(1e-300));
  T t = fnma(share, high - low, low);
  t = unit(t);
  t = select(below(g0, T(0.0)), t, T(0.0));
  return select(below(g1, T(0.0)), T(1.0), t);
}

template <class T>
BK_INLINE T segment_box_squared(const Point<T>& p, const Point<T>& d, const T* half) {
  const Point<T> v = beyond_box(along(p, nearest_to_box(p, d, half), d), half);
  return dot(v, v);
}

// Where segments are nearly parallel, or meet, squares at single precision are wrong by less than this
// [m^2], beside what the margin of the coarse tests covers.
constexpr float kBlur = 1e-8f;
// What is taken off bounds by tangents for rounding [m^2].
constexpr float kSlopeBlur = 5e-8f;

// Bounds of the squared distances of eight boxes from segments middle + t half, -1 <= t <= 1, in the boxes' axes, at
// single precision. Newton's steps from the middle on find where it is least, mostly; wherever they
// end, the square of the distance is above its tangent there.
BK_INLINE void segment_box_bounds(const Point<Floats>& middle, const Point<Floats>& half, const Floats* side,
                                  Floats& apart, Floats& at_least) {
  const Floats one(1.0f);
  const Point<Floats> squares = {half.x * half.x, half.y * half.y, half.z * half.z};
  Point<Floats> v = beyond_box(middle, side);
  Floats t(0.0f), slope = dot(half, v);
  for (int step = 0; step < 3; ++step) {
    const auto outside = [](Floats x, Floats y) { return where_beyond(abs(x), Floats(0.0f), y); };
    const Floats bend = outside(v.x, squares.x) + outside(v.y, squares.y) + outside(v.z, squares.z);
    t = least(most(t - slope / most(bend, Floats(1e-20f)), -one), one);
    v = beyond_box(along(middle, t, half), side);
    slope = dot(half, v);
  }
  // How far it is from there to the end that lies downhill.
  const Floats way = fma(copy_sign(one, slope), t, one);
  apart = dot(v, v);
  at_least = apart - (fma(Floats(2.0f) * abs(slope), way, Floats(kSlopeBlur)));
}

// The squared distance of eight segments p + s d from one q + t e at single precision; a and g are the
// squares of d and e, with their inverses.
BK_INLINE Floats segments_coarse(const Point<Floats>& p, const Point<Floats>& d, Floats a, Floats over_a,
                                 const Point<Floats>& q, const Point<Floats>& e, Floats g, Floats over_g) {
  const auto unit = [](Floats x) { return least(most(x, Floats(-1.0f)), Floats(1.0f)); };
  const Point<Floats> w = p - q;
  const Floats b = dot(d, e), c = dot(d, w), f = dot(e, w);
  const Floats determinant = most(a * g - b * b, Floats(1e-6f) * a * g);
  Floats s = unit((b * f - c * g) / determinant);
  Floats t = unit(fma(b, s, f) * over_g);
  s = unit((b * t - c) * over_a);
  t = unit(fma(b, s, f) * over_g);
  const Point<Floats> v = along(p, s, d) - along(q, t, e);
  return dot(v, v);
}

// How far a point is outside a cylinder around the origin: its part along the axis (of length one)
// and across it.
template <class T>
BK_INLINE Point<T> beyond_cylinder(const Point<T>& x, const Point<T>& axis, T half, T radius) {
  const T z = dot(x, axis);
  const Point<T> across = along(x, -z, axis);
  const T rho = sqrt(dot(across, across));
  const T share = most(rho - radius, T(0.0)) / most(rho, T(1e-300));
  const T over = beyond(z, half);
  return {fma(over, axis.x, share * across.x), fma(over, axis.y, share * across.y),
          fma(over, axis.z, share * across.z)};
}

// Where on the segment p + t d, 0 <= t <= 1, the distance to a cylinder around the origin is least.
// Half the derivative of its square, d . beyond(p + t d), grows: its zero is found by halving.
template <class T>
BK_INLINE T nearest_to_cylinder(const Point<T>& p, const Point<T>& d, const Point<T>& axis, T half,
                                T radius) {
  constexpr int kHalvings = 48;  // t to 4e-15
  T low = 0.0, width = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    width = width * T(0.5);
    const T middle = low + width;
    const T slope = dot(d, beyond_cylinder(along(p, middle, d), axis, half, radius));
    low = select(below(slope, T(0.0)), middle, low);
  }
  // The exact ends, where the least is there.
  low = select(below(low, T(1e-14)), T(0.0), low);
  return select(below(T(1.0 - 1e-14), low), T(1.0), low);
}

// Bounds of the squared distance of a cylinder from a segment p + t d, 0 <= t <= 1, at single precision:
// wherever the halving ends, the square of the distance is above its tangent there.
BK_INLINE void segment_cylinder_bounds(const Point<Floats>& p, const Point<Floats>& d,
                                       const Point<Floats>& axis, Floats half, Floats radius, Floats& apart,
                                       Floats& at_least) {
  constexpr int kHalvings = 12;
  const auto beyond_at = [&](Floats t) {
    const Point<Floats> x = along(p, t, d);
    const Floats z = dot(x, axis);
    const Point<Floats> across = along(x, -z, axis);
    const Floats rho = sqrt(dot(across, across));
    const Floats share = most(rho - radius, Floats(0.0f)) / most(rho, Floats(1e-20f));
    const Floats over = beyond(z, half);
    return Point<Floats>{fma(over, axis.x, share * across.x), fma(over, axis.y, share * across.y),
                         fma(over, axis.z, share * across.z)};
  };
  Floats low(0.0f), width(1.0f);
  for (int i = 0; i < kHalvings; ++i) {
    width = width * Floats(0.5f);
    const Floats middle = low + width;
    low = low + where_beyond(Floats(0.0f), dot(d, beyond_at(middle)), width);
  }
  const Floats t = low + Floats(0.5f) * width;
  const Point<Floats> v = beyond_at(t);
  const Floats slope = dot(d, v);
  const Floats way =
      where_beyond(slope, Floats(0.0f), t) + where_beyond(Floats(0.0f), slope, Floats(1.0f) - t);
  apart = dot(v, v);
  at_least = apart - fma(Floats(2.0f) * abs(slope), way, Floats(kSlopeBlur));
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
