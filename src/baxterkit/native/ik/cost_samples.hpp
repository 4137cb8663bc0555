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

constexpr double kLeastX = 1e-3;  // [m] of |(X, Y)| that is divided by, at least
constexpr double kLeastSquared = 1e-9;  // of squared lengths [m^2] that are divided by, at least
constexpr double kAnyTheta5 = 0.07;  // [rad] of |w1|, below which theta5 may be anything
constexpr double kUnknownCost = -1e9;  // stands for a cost of which nothing is known
// What the cost may be lower by than the samples of a cell: this share of the difference of two neighbours; and of its
// own size this share, more near the s0 axis [m], and by this factor more next to folds. (Of 3.2 million solutions of 30,500
// targets those of two targets were still lower, by 0.3 % at most.)
constexpr double kSampleDip = 0.5, kSampleOffset = 0.01, kOffsetByAxis = 0.0015, kMoreAtFolds = 3;

// The samples of some cells, each once: neighbours have the one between them in common.
struct SamplePoints {
  static constexpr int kSigns = 8, kPsi = 2 * kPsiCells + 1, kMost = kSigns * kPsi;
  int count = 0;
  short at[kSigns][kPsi];  // where a sample is kept; -1: nowhere
  unsigned char sign[kMost];  // of Theta' (bit 0), cos e0 (1) and w1 (2): set where it is positive
  unsigned char psi[kMost];  // entry of the PsiTable
  double value[kMost + kOct], fold[kMost + kOct];  // the cost; 1 next to a fold, else 0
};
static_assert(2 * kPsiCells < 256, "psi is a byte");

inline int signs_of(const OpenCell& x) { return (x.elbow > 0) | (x.side > 0) << 1 | (x.wrist > 0) << 2; }

inline void list_samples(const OpenCells& cells, SamplePoints* out) {
  std::memset(out->at, -1, sizeof out->at);
  for (int i = 0; i < cells.count; ++i) {
    const int sign = signs_of(cells.cell[i]);
    for (int psi = 2 * cells.cell[i].cell; psi <= 2 * cells.cell[i].cell + 2; ++psi) {
      if (out->at[sign][psi] >= 0) continue;
      out->sign[out->count] = static_cast<unsigned char>(sign);
      out->psi[out->count] = static_cast<unsigned char>(psi);
      out->at[sign][psi] = static_cast<short>(out->count++);
    }
  }
}

// Eight of them; the last one fills the lanes that are left.
struct SampleLanes {
  Oct elbow, side, wrist, cos_psi, sin_psi;
};

inline SampleLanes load_samples(const SamplePoints& x, int first) {
  const PsiTable& table = psi_table();
  double b[5][kOct];
  for (int i = 0; i < kOct; ++i) {
    const int k = first + i < x.count ? first + i : x.count - 1;
    for (int bit = 0; bit < 3; ++bit) b[bit][i] = x.sign[k] >> bit & 1 ? 1.0 : -1.0;
    b[3][i] = table.c[x.psi[k]], b[4][i] = table.s[x.psi[k]];
  }
  return {Oct::load(b[0]), Oct::load(b[1]), Oct::load(b[2]), Oct::load(b[3]), Oct::load(b[4])};
}

// Eight arms: sines and cosines of their joints.
struct SampleArms {
  Oct s[7], c[7];
  Mask folded;  // psi has no such arm: it is that of the fold next to it
};

// The arms of samples, with k = a5 c5 and Y = a5 s5.
inline SampleArms sample_arms(const Target& t, const SampleLanes& x, Oct k, Oct Y) {
  SampleArms a;
  const Oct cos_psi = x.cos_psi, sin_psi = x.sin_psi, L1 = t.rho * cos_psi, L2 = t.rho * sin_psi;
  const Oct R = fma((0.5 / kD5) * k, k, Oct(kD5)), of_R = 1.0 / R;
  const Oct level = (kA1 / kR3) * ((t.l0 - L1) * of_R), c = clamp_one(level);
  const Oct s = x.elbow * sqrt(fnma(c, c, Oct(1.0)));
  const Oct sin_theta = fma(Oct(kCosGamma), s, kSinGamma * c),
            cos_theta = fma(Oct(kCosGamma), c, -(kSinGamma * s));
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
  const Oct s4 = fma(Oct(kD5), sin_theta, -(k * cos_theta)) * of_R,
            c4 = fma(Oct(kD5), cos_theta, k * sin_theta) * of_R;
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
  SamplePoints points;
  list_samples(cells, &points);
  for (int first = 0; first < points.count; first += kOct) {
    const SampleLanes x = load_samples(points, first);
    const SampleArms rough = sample_arms(t, x, Oct(0.0), Oct(0.0));
    const SampleArms arms = sample_arms(t, x, kA5 * rough.c[4], kA5 * rough.s[4]);
    cost.of_lanes(arms.s, arms.c, cost.context).store(points.value + first);
    select(rough.folded | arms.folded, Oct(1.0), Oct(0.0)).store(points.fold + first);
  }
  const double offset = kSampleOffset + kOffsetByAxis / t.rho;
  for (int i = 0; i < cells.count; ++i) {
    const OpenCell& cell = cells.cell[i];
    const short* at = points.at[signs_of(cell)] + 2 * cell.cell;
    const double v[3] = {points.value[at[0]], points.value[at[1]], points.value[at[2]]};
    const bool fold = points.fold[at[0]] + points.fold[at[1]] + points.fold[at[2]] > 0;
    const double change = max(__builtin_fabs(v[1] - v[0]), __builtin_fabs(v[2] - v[1]));
    const double low = min(v[0], min(v[1], v[2])) - kSampleDip * change;
    const double lower = low - (fold ? kMoreAtFolds * offset : offset) * __builtin_fabs(low);
    note_range(cell.begin, cell.end, cell.least_w1 < kAnyTheta5 ? kUnknownCost : lower, out);
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
