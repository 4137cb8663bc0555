// Newton's method in joint space, eight joint vectors at a time: the last word on accuracy, and
// the corrector of the self-motion.
#pragma once

#include "geometry.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLostRow2 = 1e-24;       // squared norm of a row of J below which its direction is lost
constexpr double kFoldShare = 1e-3;       // squared share of e0 in the self-motion below which it folds
constexpr double kHintKept2 = 0.1;        // squared length that a good hint of the tangent keeps
constexpr double kLeastAlong = 1e-12;     // cosine of tangent and plane that is divided by, at least
constexpr double kLongestInPlane = 0.2;   // [rad] of one Newton step within a plane
constexpr double kStepOfError = 10.0;     // [rad] of a step that the square root of an error can justify

// Geometric Jacobian at the hand origin in s0 axes, linear rows first, stored by rows; and the
// pose error (target minus pose) as a small twist.
struct Linearised8 {
  Oct J[6][7];
  Oct twist[6];
  Oct error;  // sum of absolute pose errors
};

inline Linearised8 linearise8(const Target& t, const Joints8& j) {
  constexpr double d[7] = {kD1, 0, kD3, 0, kD5, 0, kD7};
  constexpr double a[7] = {kA1, 0, kA3, 0, kA5, 0, 0};
  constexpr int alpha[7] = {-1, 1, -1, 1, -1, 1, 0};
  Oct R[3][3], p[3], axis[7][3], origin[7][3];
  for (int r = 0; r < 3; ++r) {
    p[r] = Oct(0.0);
    for (int c = 0; c < 3; ++c) R[r][c] = Oct(r == c ? 1.0 : 0.0);
  }
  for (int i = 0; i < 7; ++i) {
    Oct s, c;
    sincos(j.q[i], &s, &c);
    if (i == 1) {
      const Oct x = s;
      s = c;
      c = -x;
    }
    for (int r = 0; r < 3; ++r) {
      const Oct x = R[r][0], y = R[r][1], z = R[r][2];
      axis[i][r] = z;
      origin[i][r] = p[r];
      const Oct nx = fma(c, x, s * y), ny = fnma(s, x, c * y);
      if (d[i] != 0) p[r] = fma(z, Oct(d[i]), p[r]);
      if (a[i] != 0) p[r] = fma(nx, Oct(a[i]), p[r]);
      R[r][0] = nx;
      R[r][1] = alpha[i] == 0 ? ny : (alpha[i] > 0 ? z : -z);
      R[r][2] = alpha[i] == 0 ? z : (alpha[i] > 0 ? -ny : ny);
    }
  }
  Linearised8 out;
  for (int i = 0; i < 7; ++i) {
    const Oct x = p[0] - origin[i][0], y = p[1] - origin[i][1], z = p[2] - origin[i][2];
    const Oct* w = axis[i];
    out.J[0][i] = fma(w[1], z, -(w[2] * y));
    out.J[1][i] = fma(w[2], x, -(w[0] * z));
    out.J[2][i] = fma(w[0], y, -(w[1] * x));
    for (int r = 0; r < 3; ++r) out.J[3 + r][i] = w[r];
  }
  out.error = Oct(0.0);
  for (int r = 0; r < 3; ++r) {
    out.twist[r] = t.p[r] - p[r];
    out.error = out.error + abs(out.twist[r]);
    out.twist[3 + r] = Oct(0.0);
    for (int c = 0; c < 3; ++c) out.error = out.error + abs(t.R[r][c] - R[r][c]);
  }
  // axis * sin(angle) = 1/2 sum of (own column x target column)
  for (int c = 0; c < 3; ++c) {
    const double x = 0.5 * t.R[0][c], y = 0.5 * t.R[1][c], z = 0.5 * t.R[2][c];
    out.twist[3] = out.twist[3] + (R[1][c] * z - R[2][c] * y);
    out.twist[4] = out.twist[4] + (R[2][c] * x - R[0][c] * z);
    out.twist[5] = out.twist[5] + (R[0][c] * y - R[1][c] * x);
  }
  return out;
}

BK_INLINE Oct dot7(const Oct* a, const Oct* b) {
  // two sums side by side: a single one would wait for each of its additions
  const Oct even = fma(a[6], b[6], fma(a[4], b[4], fma(a[2], b[2], a[0] * b[0])));
  const Oct odd = fma(a[5], b[5], fma(a[3], b[3], a[1] * b[1]));
  return even + odd;
}

// The shortest step d with J d = twist, by Gram-Schmidt on the rows of J (which it overwrites
// with an orthonormal basis of the row space). Directions that J has lost are left out. Each basis
// vector is taken out of all later rows at once, which do not wait for one another.
inline void shortest_step(Linearised8* l, Oct* step) {
  for (int i = 0; i < 7; ++i) step[i] = Oct(0.0);
  for (int i = 0; i < 6; ++i) {
    const Oct norm2 = dot7(l->J[i], l->J[i]);
    const Mask lost = norm2 < Oct(kLostRow2);
    const Oct inverse_norm = select(lost, Oct(0.0), 1.0 / sqrt(max(norm2, Oct(kTiny))));
    for (int m = 0; m < 7; ++m) l->J[i][m] = l->J[i][m] * inverse_norm;
    const Oct y = l->twist[i] * inverse_norm;
    for (int m = 0; m < 7; ++m) step[m] = fma(y, l->J[i][m], step[m]);
    for (int k = i + 1; k < 6; ++k) {
      const Oct projection = dot7(l->J[k], l->J[i]);
      for (int m = 0; m < 7; ++m) l->J[k][m] = fnma(projection, l->J[i][m], l->J[k][m]);
      l->twist[k] = fnma(projection, y, l->twist[k]);
    }
  }
}

// By how much a step is shortened: to `longest` [rad], and to what an error can justify. At a
// singular configuration errors go with the square of the distance, and rounding must not pass for one.
BK_INLINE Oct shortening(Oct length, Oct error, double longest) {
  const Oct bound = min(Oct(longest), kStepOfError * sqrt(error));
  return select(bound < length, bound / max(length, Oct(kTiny)), Oct(1.0));
}

// One Newton step for eight joint vectors, with e0 kept (`fixed_e0`) or the shortest in all seven
// joints. Steps longer than `longest` [rad] are shortened. Returns the error before the step.
inline Oct joint_newton_step(const Target& t, bool fixed_e0, double longest, Joints8* j) {
  Linearised8 l = linearise8(t, *j);
  if (fixed_e0) {
    for (int r = 0; r < 6; ++r) l.J[r][2] = Oct(0.0);
  }
  Oct step[7];
  shortest_step(&l, step);
  const Oct shrink = shortening(sqrt(dot7(step, step)), l.error, longest);
  for (int i = 0; i < 7; ++i) j->q[i] = fma(step[i], shrink, j->q[i]);
  return l.error;
}

constexpr double kLeastDamping = 1e-15;  // above the rounding of J J^T
constexpr double kDampingShare = 0.01;   // of the squared error, what J J^T is damped by

// Levenberg-Marquardt in all seven joints: step = J^T (J J^T + damping)^-1 twist, by Cholesky,
// with a damping that goes with the square of the error. For starts that may have no solution
// nearby, or a singular one. Returns the error before the step.
inline Oct damped_step(const Target& t, double longest, Joints8* j) {
  const Linearised8 l = linearise8(t, *j);
  const Oct damping = fma(kDampingShare * l.error, l.error, Oct(kLeastDamping));
  Oct L[6][6], y[6], inverse_diagonal[6];
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k <= i; ++k) {
      Oct sum = dot7(l.J[i], l.J[k]);
      if (i == k) sum = sum + damping;
      for (int m = 0; m < k; ++m) sum = fnma(L[i][m], L[k][m], sum);
      if (i == k) {
        inverse_diagonal[i] = 1.0 / sqrt(max(sum, Oct(kLostRow2)));
      } else {
        L[i][k] = sum * inverse_diagonal[k];
      }
    }
    Oct rest = l.twist[i];
    for (int m = 0; m < i; ++m) rest = fnma(L[i][m], y[m], rest);
    y[i] = rest * inverse_diagonal[i];
  }
  for (int i = 5; i >= 0; --i) {
    for (int m = i + 1; m < 6; ++m) y[i] = fnma(L[m][i], y[m], y[i]);
    y[i] = y[i] * inverse_diagonal[i];
  }
  Oct step[7];
  for (int k = 0; k < 7; ++k) {
    step[k] = Oct(0.0);
    for (int i = 0; i < 6; ++i) step[k] = fma(l.J[i][k], y[i], step[k]);
  }
  const Oct shrink = shortening(sqrt(dot7(step, step)), l.error, longest);
  for (int k = 0; k < 7; ++k) j->q[k] = fma(step[k], shrink, j->q[k]);
  return l.error;
}

// The shortest step to the target and the unit direction of self-motion (J tangent = 0) at eight
// joint vectors; `tangent` comes out on the side of `hint`, a direction it must not be normal to.
struct Motion8 {
  Oct step[7], tangent[7];
  Oct error;
};

inline Motion8 motion8(const Target& t, const Joints8& j, const Oct* hint) {
  Linearised8 l = linearise8(t, j);
  Motion8 m;
  m.error = l.error;
  shortest_step(&l, m.step);
  for (int i = 0; i < 7; ++i) m.tangent[i] = hint[i];
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < 6; ++k) {
      const Oct projection = dot7(m.tangent, l.J[k]);
      for (int i = 0; i < 7; ++i) m.tangent[i] = fnma(projection, l.J[k][i], m.tangent[i]);
    }
    const Oct norm2 = dot7(m.tangent, m.tangent);
    const Oct scale = 1.0 / sqrt(max(norm2, Oct(kTiny)));
    for (int i = 0; i < 7; ++i) m.tangent[i] = m.tangent[i] * scale;
    // Twice is enough, and once where the (unit) hint has kept most of its length.
    if (!(~(Oct(kHintKept2) < norm2)).bits()) break;
  }
  return m;
}

// The unit direction of self-motion, from the column of its projector I - B^T B (B: orthonormal
// basis of the rows of J) that is longest: that of e0, or at a fold in e0 another one.
inline void self_tangent(const Target& t, const Joints8& j, Oct* tangent) {
  Linearised8 l = linearise8(t, j);
  Oct step[7];
  shortest_step(&l, step);
  Oct at[6], most(1.0);  // component of each basis vector along the chosen axis
  for (int k = 0; k < 6; ++k) at[k] = l.J[k][2], most = fnma(at[k], at[k], most);
  for (int i = 0; i < 7; ++i) tangent[i] = Oct(i == 2 ? 1.0 : 0.0);
  const Mask fold = most < Oct(kFoldShare);
  if (fold.bits()) {
    for (int i = 0; i < 7; ++i) {
      Oct square(1.0);
      for (int k = 0; k < 6; ++k) square = fnma(l.J[k][i], l.J[k][i], square);
      const Mask better = (most < square) & fold;
      most = select(better, square, most);
      for (int k = 0; k < 6; ++k) at[k] = select(better, l.J[k][i], at[k]);
      for (int m = 0; m < 7; ++m) tangent[m] = select(better, Oct(m == i ? 1.0 : 0.0), tangent[m]);
    }
  }
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 7; ++i) tangent[i] = fnma(at[k], l.J[k][i], tangent[i]);
  }
  const Oct scale = 1.0 / sqrt(max(dot7(tangent, tangent), Oct(kTiny)));
  for (int i = 0; i < 7; ++i) tangent[i] = tangent[i] * scale;
}

// Newton steps within the plane w . q = const through the given points. Returns the error before
// the last step; `tangent` and `last_length` (if given) are those of the last step.
inline Oct newton_in_plane(const Target& t, const Oct* w, int steps, Joints8* j, Oct* tangent,
                           Oct* last_length = nullptr) {
  Oct error(0.0);
  for (int i = 0; i < steps; ++i) {
    const Motion8 m = motion8(t, *j, w);
    error = m.error;
    const Oct along = dot7(w, m.tangent);
    const Oct slide = dot7(w, m.step) / select(along < Oct(kLeastAlong), Oct(kLeastAlong), along);
    Oct step[7];
    for (int k = 0; k < 7; ++k) step[k] = fnma(slide, m.tangent[k], m.step[k]);
    const Oct length = sqrt(dot7(step, step));
    if (last_length) *last_length = length;
    const Oct shrink = shortening(length, error, kLongestInPlane);
    for (int k = 0; k < 7; ++k) {
      j->q[k] = fma(step[k], shrink, j->q[k]);
      tangent[k] = m.tangent[k];
    }
  }
  return error;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
