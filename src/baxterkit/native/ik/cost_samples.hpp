// Where along e0 a smooth cost can be low: by samples of approximate solutions.
//
// With a5 = 0 the self-motion is known in closed form: psi and the signs of Theta', cos e0 and w1 leave one
// arm. What a5 changes of it follows, to first order, from the theta5 of that arm. So the cost is sampled where
// the limits could be met, on each cell of psi (limit_bounds.hpp) at both ends and in the middle. Within the
// cell it falls below the samples by no more than a share of their differences, and by what the first order
// leaves out. Where w1 may be nearly 0, theta5 may be anything, and nothing is said of the cost.
#pragma once

#include "costs.hpp"
#include "limit_bounds.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kLeastX = 1e-3;         // [m] of |(X, Y)| that is divided by, at least
constexpr double kLeastSquared = 1e-9;   // of squared lengths [m^2] that are divided by, at least
constexpr double kAnyTheta5 = 0.07;      // [rad] of |w1|, below which theta5 may be anything
constexpr double kUnknownCost = -1e9;    // stands for a cost of which nothing is known
// What the cost may be lower by than the samples of a cell: this share of the difference of two neighbours; and of its
// own size this share, more near the s0 axis [m], and by this factor more next to folds. (Of 3.2 million solutions of 30,500
// targets those of two targets were still lower, by 0.3 % at most.)
constexpr double kSampleDip = 0.5, kSampleOffset = 0.01, kOffsetByAxis = 0.0015, kMoreAtFolds = 3;

// Eight cells: the signs, and psi at both ends and in the middle.
struct CellLanes {
  Oct elbow, side, wrist, least_w1;
  Oct cos_psi[3], sin_psi[3];
};

// Of n cells; the last one fills the lanes that are left.
inline CellLanes load_cells(const OpenCell* x, int n) {
  const PsiTable& table = psi_table();
  double b[4][kOct], c[3][kOct], s[3][kOct];
  for (int i = 0; i < kOct; ++i) {
    const OpenCell& one = x[i < n ? i : n - 1];
    b[0][i] = one.elbow, b[1][i] = one.side, b[2][i] = one.wrist, b[3][i] = one.least_w1;
    for (int k = 0; k < 3; ++k) c[k][i] = table.c[2 * one.cell + k], s[k][i] = table.s[2 * one.cell + k];
  }
  CellLanes out = {Oct::load(b[0]), Oct::load(b[1]), Oct::load(b[2]), Oct::load(b[3]), {}, {}};
  for (int k = 0; k < 3; ++k) out.cos_psi[k] = Oct::load(c[k]), out.sin_psi[k] = Oct::load(s[k]);
  return out;
}

// Eight arms: sines and cosines of their joints.
struct SampleArms {
  Oct s[7], c[7];
  Mask folded;  // psi has no such arm: it is that of the fold next to it
};

// The arms with psi at the beginning (0), in the middle (1) or at the end (2) of cells, k = a5 c5 and Y = a5 s5.
inline SampleArms sample_arms(const Target& t, const CellLanes& x, int at, Oct k, Oct Y) {
  SampleArms a;
  const Oct cos_psi = x.cos_psi[at], sin_psi = x.sin_psi[at], L1 = t.rho * cos_psi, L2 = t.rho * sin_psi;
  const Oct R = fma((0.5 / kD5) * k, k, Oct(kD5)), of_R = 1.0 / R;
  const Oct level = (kA1 / kR3) * ((t.l0 - L1) * of_R), c = clamp_one(level);
  const Oct s = x.elbow * sqrt(fnma(c, c, Oct(1.0)));
  const Oct sin_theta = fma(Oct(kCosGamma), s, kSinGamma * c), cos_theta = fma(Oct(kCosGamma), c, -(kSinGamma * s));
  const Oct X = fma(R, sin_theta, Oct(kA3)), Z = fma(R, cos_theta, Oct(kD3));
  // s3 X + c3 Y = L2, c3 X - s3 Y = ux
  const Oct r2 = max(fma(X, X, Y * Y), Oct(kLeastX * kLeastX));
  const Oct ux = copysign_of(x.side, X) * sqrt(max(fnma(L2, L2, r2), Oct(0.0)));
  const Oct S3 = fma(L2, X, -(ux * Y)), C3 = fma(ux, X, L2 * Y);
  const Oct of_r = 1.0 / sqrt(max(fma(S3, S3, C3 * C3), Oct(kTiny)));
  const Oct s3 = S3 * of_r, c3 = C3 * of_r, x1 = L1 - kA1;
  const Oct C2 = ux * x1 - t.h * Z, S2 = fma(Oct(t.h), ux, Z * x1);
  const Oct of_D = 1.0 / sqrt(max(fma(C2, C2, S2 * S2), Oct(kTiny))), c2 = C2 * of_D, s2 = S2 * of_D;
  a.folded = (Oct(1.0) < abs(level)) | (r2 < L2 * L2);
  a.s[0] = t.sin_phi * cos_psi - t.cos_phi * sin_psi, a.c[0] = t.cos_phi * cos_psi + t.sin_phi * sin_psi;
  a.s[1] = -c2, a.c[1] = s2;
  a.s[2] = s3, a.c[2] = c3;
  const Oct s4 = fma(Oct(kD5), sin_theta, -(k * cos_theta)) * of_R, c4 = fma(Oct(kD5), cos_theta, k * sin_theta) * of_R;
  a.s[3] = s4, a.c[3] = c4;
  const Direction<Oct, Oct> z7 = in_e0_axes<Oct, Oct>(t.axis[2], cos_psi, sin_psi, c2, s2, c3, s3);
  const Oct alpha = c4 * z7.X - s4 * z7.Z;
  const Oct sine = sqrt(max(fma(alpha, alpha, z7.Y * z7.Y), Oct(kLeastSquared))), of_sine = x.wrist / sine;
  a.s[4] = z7.Y * of_sine, a.c[4] = alpha * of_sine;
  a.s[5] = x.wrist * sine, a.c[5] = fma(s4, z7.X, c4 * z7.Z);
  Oct part[2];
  for (int i = 0; i < 2; ++i) {
    const Direction<Oct, Oct> d = in_e0_axes<Oct, Oct>(t.axis[i], cos_psi, sin_psi, c2, s2, c3, s3);
    part[i] = a.c[4] * d.Y - a.s[4] * (c4 * d.X - s4 * d.Z);
  }
  a.s[6] = part[0], a.c[6] = part[1];
  return a;
}

// Bounds of a cost over e0 from the cells that may hold solutions within the limits.
inline void sample_cost(const Target& t, const OpenCells& cells, const Cost& cost, LimitBounds* out) {
  const double offset = kSampleOffset + kOffsetByAxis / t.rho;
  for (int first = 0; first < cells.count; first += kOct) {
    const int n = cells.count - first < kOct ? cells.count - first : kOct;
    const CellLanes x = load_cells(cells.cell + first, n);
    Oct v[3];
    Mask fold = Oct(1.0) < Oct(0.0);
    for (int at = 0; at < 3; ++at) {
      const SampleArms rough = sample_arms(t, x, at, Oct(0.0), Oct(0.0));
      const SampleArms arms = sample_arms(t, x, at, kA5 * rough.c[4], kA5 * rough.s[4]);
      v[at] = cost.of_lanes(arms.s, arms.c, cost.context);
      fold = fold | rough.folded | arms.folded;
    }
    const Oct change = max(abs(v[1] - v[0]), abs(v[2] - v[1]));
    const Oct low = fnma(Oct(kSampleDip), change, min(v[0], min(v[1], v[2])));
    const Oct lower = fnma(select(fold, Oct(kMoreAtFolds * offset), Oct(offset)), abs(low), low);
    double bound[kOct];
    select(x.least_w1 < Oct(kAnyTheta5), Oct(kUnknownCost), lower).store(bound);
    for (int i = 0; i < n; ++i) {
      note_range(cells.cell[first + i].begin, cells.cell[first + i].end, bound[i], out);
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
