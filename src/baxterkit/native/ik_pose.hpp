// Poses as rows of [R | p]: products, inverses, checks and distances.
#pragma once

#include <algorithm>
#include <cmath>

namespace baxterkit {

constexpr double kRigid = 1e-6;  // largest entry of |R'R - 1| that passes for a rotation

inline void invert(const double* T, double* out) {
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
      out[4 * i + j] = T[4 * j + i];
      sum += T[4 * j + i] * T[4 * j + 3];
    }
    out[4 * i + 3] = -sum;
  }
}

inline void multiply(const double* a, const double* b, double* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = j == 3 ? a[4 * i + 3] : 0.0;
      for (int k = 0; k < 3; ++k) sum += a[4 * i + k] * b[4 * k + j];
      out[4 * i + j] = sum;
    }
  }
}

// Copies a pose (16 numbers) into rows of [R | p], and moves R to the nearest rotation, to
// rounding. False if it is not rigid or not finite.
inline bool rigid(const double* T, double* out) {
  if (!(T[12] == 0.0 && T[13] == 0.0 && T[14] == 0.0 && T[15] == 1.0)) return false;
  if (!(std::isfinite(T[3]) && std::isfinite(T[7]) && std::isfinite(T[11]))) return false;
  std::copy(T, T + 12, out);
  for (int round = 0; round < 4; ++round) {
    double S[3][3], worst = 0;  // S = R'R - 1
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        const double s = out[i] * out[j] + out[4 + i] * out[4 + j] + out[8 + i] * out[8 + j];
        S[i][j] = S[j][i] = i == j ? s - 1.0 : s;
        worst = std::max(worst, std::fabs(S[i][j]));
        if (!(std::fabs(S[i][j]) <= kRigid)) return false;
      }
    }
    if (round == 0) {
      const double det = out[0] * (out[5] * out[10] - out[6] * out[9]) -
                         out[1] * (out[4] * out[10] - out[6] * out[8]) +
                         out[2] * (out[4] * out[9] - out[5] * out[8]);
      if (!(det > 0.0)) return false;
    }
    if (worst < 1e-15) return true;
    for (int r = 0; r < 3; ++r) {  // R (1 - S/2)
      double* row = out + 4 * r;
      double step[3];
      for (int j = 0; j < 3; ++j) {
        step[j] = 0.5 * (row[0] * S[0][j] + row[1] * S[1][j] + row[2] * S[2][j]);
      }
      for (int j = 0; j < 3; ++j) row[j] -= step[j];
    }
  }
  return true;
}

// Distance [m] and angle [rad] between two poses, rows of [R | p].
inline void pose_errors(const double* a, const double* b, double* errors) {
  const double dx = a[3] - b[3], dy = a[7] - b[7], dz = a[11] - b[11];
  errors[0] = std::sqrt(dx * dx + dy * dy + dz * dz);
  double M[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      M[i][j] = a[i] * b[j] + a[4 + i] * b[4 + j] + a[8 + i] * b[8 + j];
    }
  }
  const double x = M[2][1] - M[1][2], y = M[0][2] - M[2][0], z = M[1][0] - M[0][1];
  errors[1] = std::atan2(std::sqrt(x * x + y * y + z * z), M[0][0] + M[1][1] + M[2][2] - 1.0);
}

}  // namespace baxterkit
