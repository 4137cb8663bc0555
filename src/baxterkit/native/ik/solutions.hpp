// Candidates for solutions, Newton's method that makes them exact, and the list of solutions.
#pragma once

#include "reduced.hpp"
#include "shortage.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr int kMaxSolutions = 96;   // a 6R chain has at most 16; more stand for a continuum
constexpr int kMaxCandidates = 24;  // four branches with two each, or one with up to fourteen at last
constexpr double kSameSolution = 1e-6;   // [rad]: closer solutions are one
constexpr double kAcceptError = 1e-12;   // sum of pose errors [m and 1] of an accepted solution
constexpr double kPolished2 = 1e-24;     // squared residual before a step that leaves rounding
// Of the squared residual, what Newton's method is damped by; and a damping that is always there, so that
// nothing is divided by zero.
constexpr double kNewtonDamping = 1e-3, kNewtonFloor = 1e-60;
constexpr double kLongestNewton = 0.3;   // [rad] of one Newton step in Theta' or theta5
constexpr double kLeastSquare = 1e-30;   // [m^2] squared length that is divided by, at least
constexpr double kLeastRadius2 = 1e-18;  // [m^2] the same of a distance from an axis
constexpr double kNearSine =
    1.1;        // |sine| that e0 comes from, beyond 1, where Newton's method may still arrive

struct Solutions {
  int count = 0;
  unsigned shortage = 0;   // what there was too little of: some may have been left out
  bool continuum = false;  // these stand for infinitely many
  double q[kMaxSolutions][7];
};

// Starting points (Theta', theta5) for Newton, structure of arrays.
struct Candidates {
  int count = 0;
  double c[kMaxCandidates], s[kMaxCandidates], c5[kMaxCandidates], s5[kMaxCandidates];
  // False if there is no room.
  BK_INLINE bool add(double c_, double s_, double c5_, double s5_) {
    if (count == kMaxCandidates) return false;
    c[count] = c_, s[count] = s_, c5[count] = c5_, s5[count] = s5_;
    ++count;
    return true;
  }
};

// Turns (c, s) by a small angle and renormalises.
BK_INLINE void turn(Oct* c, Oct* s, Oct angle) {
  Oct sa, ca;
  sincos(angle, &sa, &ca);
  const Oct c1 = *c * ca - *s * sa, s1 = fma(*s, ca, *c * sa);
  const Oct norm = fma(c1, c1, s1 * s1);
  const Oct scale = fnma(Oct(0.5), norm, Oct(1.5));  // 1/sqrt(norm) near 1
  *c = c1 * scale;
  *s = s1 * scale;
}

// Newton on (|L| - rho, f), damped where its matrix is singular. Returns the size of the residual
// before the last step.
template <class C>
BK_INLINE Oct newton_step(const Target& t, C c3, C s3, Point<Oct>* p) {
  const Oct zero(0.0);
  const Point<Dual> x = {
      {p->c, -p->s, zero}, {p->s, p->c, zero}, {p->c5, zero, -p->s5}, {p->s5, zero, p->c5}};
  const Reduced<Dual> r = evaluate<Dual, C>(t, c3, s3, x);
  const Oct r1 = r.length.v - t.rho, r2 = r.f.v;
  const Oct j11 = r.length.a, j12 = r.length.b, j21 = r.f.a, j22 = r.f.b;
  const Oct det = fma(j11, j22, -(j12 * j21));
  const Oct size = fma(r1, r1, r2 * r2);
  const Oct damping = fma(Oct(kNewtonDamping), size, Oct(kNewtonFloor));
  const Oct trace = fma(j11, j11, j12 * j12) + fma(j21, j21, j22 * j22);
  const Oct scale = 1.0 / (fma(det, det, damping * (trace + damping)));
  const Oct w1 = fma(j11, r1, j21 * r2), w2 = fma(j12, r1, j22 * r2);
  Oct d1 = fma(det, j22 * r1 - j12 * r2, damping * w1) * scale;
  Oct d2 = fma(det, j11 * r2 - j21 * r1, damping * w2) * scale;
  const Oct longest = max(abs(d1), abs(d2));
  const Oct shrink = select(Oct(kLongestNewton) < longest, kLongestNewton / longest, Oct(1.0));
  turn(&p->c, &p->s, -(d1 * shrink));
  turn(&p->c5, &p->s5, -(d2 * shrink));
  return size;
}

inline double angle_between(double a, double b) {
  double d = __builtin_fabs(a - b);
  return d > kPi ? 2 * kPi - d : d;
}

inline double joint_distance(const double* a, const double* b) {
  double worst = 0;
  for (int i = 0; i < 7; ++i) worst = max(worst, angle_between(a[i], b[i]));
  return worst;
}

// Returns the index of q in the list, where it was or where it is put; -1 if the list is full.
inline int add_solution(Solutions* out, const double* q) {
  for (int i = 0; i < out->count; ++i) {
    if (joint_distance(out->q[i], q) < kSameSolution) return i;
  }
  if (out->count == kMaxSolutions) {
    out->shortage |= kOfSolutions;
    return -1;
  }
  for (int i = 0; i < 7; ++i) out->q[out->count][i] = q[i];
  return out->count++;
}

// Makes every candidate exact and keeps those that reach the target.
inline void polish(const Target& t, double e0, double c3, double s3, const Candidates& from, int steps,
                   Solutions* out) {
  for (int first = 0; first < from.count; first += kOct) {
    const int n = from.count - first < kOct ? from.count - first : kOct;
    double buffer[4][kOct];
    for (int i = 0; i < kOct; ++i) {
      const int k = first + (i < n ? i : n - 1);
      buffer[0][i] = from.c[k], buffer[1][i] = from.s[k];
      buffer[2][i] = from.c5[k], buffer[3][i] = from.s5[k];
    }
    Point<Oct> p = {Oct::load(buffer[0]), Oct::load(buffer[1]), Oct::load(buffer[2]), Oct::load(buffer[3])};
    const unsigned lanes = (1u << n) - 1u;
    // Quadratic convergence: a residual so small before a step is at rounding after it.
    for (int i = 0; i < steps; ++i) {
      const Oct size = newton_step(t, c3, s3, &p);
      if (!((~(size < Oct(kPolished2))).bits() & lanes)) break;
    }
    const Joints8 j = joint_angles(t, c3, s3, Oct(e0), p);
    const unsigned good = (pose_error8(t, j) < Oct(kAcceptError)).bits() & lanes;
    double q[7][kOct];
    for (int i = 0; i < 7; ++i) j.q[i].store(q[i]);
    for (int k = 0; k < n; ++k) {
      if (!(good >> k & 1u)) continue;
      double one[7];
      for (int i = 0; i < 7; ++i) one[i] = q[i][k];
      add_solution(out, one);
    }
  }
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
