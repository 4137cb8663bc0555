// Small closed curves at the edge of reach, where the elbow is all but stretched.
//
// There the wrist is reached for |psi| <= psi_m only, cos psi_m = (l0 - l1) / rho, with two elbows
// Theta' that meet at psi = +-psi_m. So for a given theta5 the arms form a small ring, psi = psi_m cos
// tau with Theta' of the sign of sin tau, once near e0 = 0 and once near pi. R, and with it psi_m,
// shrinks with |s5|: where s5 = +-1 is out of reach the rings over theta5 make up a small sphere with
// two tips, around theta5 = 0 and pi; else a tube. Solutions are the zeros of f on these surfaces,
// which are known in closed form. Spheres and tubes are sampled on a grid with their tips; a zero
// lies between two samples of opposite sign, and where all samples around a smallest |f| agree,
// it is looked for by going on to the minimum itself.
#pragma once

#include "solutions.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kFinestEdge = 1e-7;    // [rad] of x: shorter steps do not matter
constexpr double kBeyondReach = 1e-9;   // [m] no wrist so far out is reached
constexpr double kEdgeOnAxis = 1e-6;    // [m] wrists so near to the s0 axis have no edge of this kind
// How far from the edge of reach its curves are small [m]: anywhere, and with the wrist nearer to the s0
// axis than kEdgeByAxis [m].
constexpr double kNearEdge = 0.005, kNearEdgeByAxis = 0.02, kEdgeByAxis = 0.05;
// Rounds of the way to a minimum, and halvings between two samples, to rounding.
constexpr int kDescents = 40, kEdgeHalvings = 45;
constexpr double kLeastUpper2 = 1e-12;  // [m^2] of (X, Y), that is divided by, at least
constexpr double kLeastReach = 1e-9;    // [rad] of theta5: a sphere that is shrunk to a point

// One sphere, or one tube.
struct EdgeSurface {
  const Target* target;
  bool mirrored;         // e0 near pi
  double middle, reach;  // sphere: theta5 = middle + reach sin x;  tube (reach = 0): theta5 = x
};

struct EdgePoint {
  double x, tau;
};

constexpr int kEdgeRows = 16;  // of samples, eight in each
constexpr int kMaxEdgeZeros = 2 * (kEdgeRows + 1) * kOct + 1;  // two at each sample, and the least
constexpr double kEdgeMiss = 1e-3;  // |f| of a sample next to a solution

// The points of eight arms on a surface.
inline void edge_points(const EdgeSurface& k, Oct x, Oct tau, Oct* e0, Point<Oct>* p) {
  const Target& t = *k.target;
  Oct st, ct, sx, cx;
  sincos(tau, &st, &ct);
  sincos(x, &sx, &cx);
  if (k.reach > 0) sincos(fma(sx, Oct(k.reach), Oct(k.middle)), &sx, &cx);
  const Oct Y = kA5 * sx, R = sqrt(kR5Squared - Y * Y), l1 = (kR3 / kA1) * R;
  const Oct cos_m = min(max((t.l0 - l1) * (1 / t.rho), Oct(-1.0)), Oct(1.0));
  const Oct psi_m = atan2(sqrt(max(fnma(cos_m, cos_m, Oct(1.0)), Oct(0.0))), cos_m);
  Oct sp, cp, sg, cg;
  sincos(psi_m * ct, &sp, &cp);
  // l1 (1 - cos Theta') = rho (cos psi - cos psi_m)
  const Oct half2 = min(max((0.5 * t.rho) * (cp - cos_m) / l1, Oct(0.0)), Oct(1.0));
  const Oct half = copysign_of(sqrt(half2), st);
  *p = {fnma(Oct(2.0), half2, Oct(1.0)), 2.0 * (half * sqrt(1.0 - half2)), cx, sx};
  const Oct X = kA3 + R * (kCosGamma * p->s + kSinGamma * p->c);
  sg = t.rho * sp / sqrt(max(fma(X, X, Y * Y), Oct(kLeastUpper2)));
  sg = min(max(sg, Oct(-1.0)), Oct(1.0));
  cg = sqrt(max(fnma(sg, sg, Oct(1.0)), Oct(0.0)));
  *e0 = atan2(sg, k.mirrored ? -cg : cg) - atan2(Y, X);
}

inline Oct edge_f(const EdgeSurface& k, Oct x, Oct tau) {
  Oct e0, s3, c3;
  Point<Oct> p;
  edge_points(k, x, tau, &e0, &p);
  sincos(e0, &s3, &c3);
  return evaluate<Oct, Oct>(*k.target, c3, s3, p).f;
}

// Pairs of points between which f changes its sign.
struct EdgeZeros {
  int count = 0;
  unsigned shortage = 0;
  EdgePoint a[kMaxEdgeZeros], b[kMaxEdgeZeros];
  void add(EdgePoint from, EdgePoint to) {
    if (count < kMaxEdgeZeros) {
      a[count] = from, b[count++] = to;
    } else {
      shortage |= kOfZeros;
    }
  }
};

// From a sample whose |f| is least among its neighbours, all of one sign, towards the minimum, until
// some point has the other sign or the steps are too short to matter.
inline void edge_descend(const EdgeSurface& k, EdgePoint at, double f, double step_x, double step_tau,
                         EdgeZeros* zeros) {
  const double dx[kOct] = {1, -1, 0, 0, 1, 1, -1, -1}, dt[kOct] = {0, 0, 1, -1, 1, -1, 1, -1};
  for (int round = 0; round < kDescents && step_x > kFinestEdge; ++round) {
    const Oct x = fma(Oct::load(dx), Oct(step_x), Oct(at.x));
    const Oct tau = fma(Oct::load(dt), Oct(step_tau), Oct(at.tau));
    double value[kOct];
    edge_f(k, x, tau).store(value);
    int best = -1;
    for (int i = 0; i < kOct; ++i) {
      const EdgePoint to = {at.x + dx[i] * step_x, at.tau + dt[i] * step_tau};
      if ((value[i] < 0) != (f < 0)) {
        zeros->add(at, to);
        return;
      }
      if (__builtin_fabs(value[i]) < __builtin_fabs(best < 0 ? f : value[best])) best = i;
    }
    if (best < 0) {
      step_x *= 0.5, step_tau *= 0.5;
      continue;
    }
    at = {at.x + dx[best] * step_x, at.tau + dt[best] * step_tau};
    f = value[best];
  }
}

// The zeros of f on one surface, bracketed.
inline void edge_zeros(const EdgeSurface& k, EdgeZeros* zeros) {
  const bool tube = !(k.reach > 0);
  const double step_x = tube ? 2 * kPi / kEdgeRows : kPi / kEdgeRows, step_tau = 2 * kPi / kOct;
  const double start = tube ? 0.0 : -kHalfPi;
  const Oct tau = fma(ramp(), Oct(step_tau), Oct(0.5 * step_tau));
  double f[kEdgeRows + 3][kOct];  // row r + 1 is at x = start + r step_x
  for (int r = 0; r <= kEdgeRows; ++r) edge_f(k, Oct(start + r * step_x), tau).store(f[r + 1]);
  for (int i = 0; i < kOct; ++i) {
    // beyond a tip x turns back along the same ring; a tube goes on
    f[0][i] = tube ? f[kEdgeRows][i] : f[2][i];
    f[kEdgeRows + 2][i] = tube ? f[2][i] : f[kEdgeRows][i];
  }
  // A surface hardly larger than rounding may hold a solution though f does not change its sign.
  EdgePoint nearest_zero = {0, 0};
  double least_f = kEdgeMiss;
  for (int r = 0; r <= kEdgeRows; ++r) {
    for (int i = 0; i < kOct; ++i) {
      if (!(__builtin_fabs(f[r + 1][i]) < least_f)) continue;
      least_f = __builtin_fabs(f[r + 1][i]);
      nearest_zero = {start + r * step_x, (i + 0.5) * step_tau};
    }
  }
  if (least_f < kEdgeMiss) zeros->add(nearest_zero, nearest_zero);
  for (int r = 0; r <= kEdgeRows; ++r) {
    const double* row = f[r + 1];
    for (int i = 0; i < kOct; ++i) {
      const EdgePoint at = {start + r * step_x, (i + 0.5) * step_tau};
      const int j = (i + 1) % kOct, h = (i + kOct - 1) % kOct;
      const bool negative = row[i] < 0;
      if (r < kEdgeRows && (f[r + 2][i] < 0) != negative) zeros->add(at, {at.x + step_x, at.tau});
      if ((row[j] < 0) != negative) zeros->add(at, {at.x, at.tau + step_tau});
      bool least = true;
      for (int d = 0; d < 3 && least; ++d) {
        for (const int n : {h, i, j}) {
          const double other = f[r + d][n];
          if (d == 1 && n == i) continue;
          if ((other < 0) != negative || __builtin_fabs(other) < __builtin_fabs(row[i])) least = false;
        }
      }
      if (least) edge_descend(k, at, row[i], 0.5 * step_x, 0.5 * step_tau, zeros);
    }
  }
}

// Eight bracketed zeros (the last is repeated), located by bisection.
inline Joints8 edge_joints(const EdgeSurface& k, const EdgeZeros& zeros, int first) {
  double from_x[kOct], from_t[kOct], to_x[kOct], to_t[kOct];
  for (int i = 0; i < kOct; ++i) {
    const int n = first + i < zeros.count ? first + i : zeros.count - 1;
    from_x[i] = zeros.a[n].x, from_t[i] = zeros.a[n].tau;
    to_x[i] = zeros.b[n].x - from_x[i], to_t[i] = zeros.b[n].tau - from_t[i];
  }
  const Oct x = Oct::load(from_x), tau = Oct::load(from_t);
  const Oct dx = Oct::load(to_x), dt = Oct::load(to_t);
  const Mask negative = edge_f(k, x, tau) < Oct(0.0);
  Oct low(0.0), high(1.0);
  for (int round = 0; round < kEdgeHalvings; ++round) {
    const Oct u = 0.5 * (low + high);
    const Mask below = edge_f(k, fma(u, dx, x), fma(u, dt, tau)) < Oct(0.0);
    const Mask same = (below & negative) | (~below & ~negative);
    low = select(same, u, low);
    high = select(same, high, u);
  }
  const Oct u = 0.5 * (low + high);
  Oct e0, s3, c3;
  Point<Oct> p;
  edge_points(k, fma(u, dx, x), fma(u, dt, tau), &e0, &p);
  sincos(e0, &s3, &c3);
  return joint_angles<Oct>(*k.target, c3, s3, e0, p);
}

// The surfaces of a target at the edge of reach; there are at most four, and none elsewhere.
inline int edge_surfaces(const Target& t, EdgeSurface* out) {
  const double over = t.l0 - kR3 * kR5 / kA1 - t.rho;
  const double near = t.rho < kEdgeByAxis ? kNearEdgeByAxis : kNearEdge;
  if (over > kBeyondReach || over < -near || t.rho < kEdgeOnAxis) return 0;
  const double least_R = (t.l0 - t.rho) * (kA1 / kR3);
  const double tip2 = (kR5Squared - least_R * least_R) / (kA5 * kA5);
  const double tip = tip2 > 0 ? __builtin_sqrt(tip2) : 0.0;
  int n = 0;
  for (int mirrored = 0; mirrored < 2; ++mirrored) {
    if (tip >= 1.0) {
      out[n++] = {&t, mirrored == 1, 0.0, 0.0};
      continue;
    }
    const double reach = max(__builtin_asin(tip), kLeastReach);
    out[n++] = {&t, mirrored == 1, 0.0, reach};
    out[n++] = {&t, mirrored == 1, kPi, reach};
  }
  return n;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
