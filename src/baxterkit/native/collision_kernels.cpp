// Collision checks for one instruction set (BAXTERKIT_ISA): verdicts, clearances, the nearest pair.
//
// Link poses are computed for several postures side by side; then each posture is looked at on its
// own, eight primitives at a time, so that none waits for another one's answer.
#include <algorithm>
#include <cmath>

#include "batch.hpp"
#include "collision/closest.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace {

// Reads rows of joint angles and pans; zero if every number is finite.
BK_INLINE Vec read(const BodyShape& body, const BodyRows& from, std::ptrdiff_t first,
                   std::ptrdiff_t rows, Kinematics<Vec>& kinematics) {
  Vec s[2][8], c[2][8], q[7], pan, bad = 0.0;
  for (int arm = 0; arm < 2; ++arm) {
    const int stride = arm ? from.right_stride : from.left_stride;
    const Operand in = {reinterpret_cast<const char*>(arm ? from.right : from.left), 8 * stride, 8};
    read_rows<7>(in, first, rows, q);
    for (int j = 0; j < 7; ++j) {
      bad = bad + (q[j] - q[j]);
      sincos(q[j], s[arm][j], c[arm][j]);
    }
  }
  const Operand in = {reinterpret_cast<const char*>(from.head), 8 * from.head_stride, 8};
  gather_rows<1>(in, in.data + first * in.row_stride, rows, &pan);
  bad = bad + (pan - pan);
  Vec sine, cosine;
  sincos(pan, sine, cosine);
  kinematics.set(body, s, c, sine, cosine);
  return bad;
}

// Calls look(row, posture) for each of n rows; false if a number is not finite.
template <class Look>
BK_INLINE bool each_posture(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows,
                            const Look& look) {
  Kinematics<Vec> kinematics;
  Posture posture(body);
  for (std::ptrdiff_t first = 0; first < n; first += kWidth) {
    const std::ptrdiff_t count = n - first < kWidth ? n - first : kWidth;
    const Vec bad = read(body, rows, first, count, kinematics);
    if (any(bad.v != Lanes{})) return false;
    for (int i = 0; i < count; ++i) {
      kinematics.look(i, posture);
      look(first + i, posture);
    }
  }
  return true;
}

bool hits(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, double padding,
          unsigned char* hit) {
  return each_posture(body, n, rows, [&](std::ptrdiff_t row, Posture& posture) {
    Verdict verdict(padding, body.margin);
    walk(posture, verdict);
    hit[row] = verdict.hit;
  });
}

int hit(const BodyShape& body, const double* left, const double* right, double head,
        double padding) {
  double s[2][8], c[2][8], bad = head - head, ps[8], pc[8];
  for (int j = 0; j < 7; ++j) bad += (left[j] - left[j]) + (right[j] - right[j]);
  if (bad != 0.0) return -1;
  sincos_of_joints(left, 7, s[0], c[0]);
  sincos_of_joints(right, 7, s[1], c[1]);
  sincos_of_joints(&head, 1, ps, pc);
  Kinematics<double> kinematics;
  kinematics.set(body, s, c, ps[0], pc[0]);
  Posture posture(body);
  kinematics.look(0, posture);
  Verdict verdict(padding, body.margin);
  walk(posture, verdict);
  return verdict.hit;
}

bool clearances(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, double* out) {
  return each_posture(body, n, rows, [&](std::ptrdiff_t row, Posture& posture) {
    Closest found(body.margin);
    ClosestWalk(posture, found).run();
    out[row] = found.best;
  });
}

bool nearest(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, BodyNearest* out) {
  return each_posture(body, n, rows, [&](std::ptrdiff_t row, Posture& posture) {
    Closest found(body.margin);
    ClosestWalk(posture, found).run();
    out[row].clearance = found.best;
    out[row].primitive[0] = found.first;
    out[row].primitive[1] = found.second;
    if (found.first >= 0) finish(posture, out[row]);
  });
}

}  // namespace

bool edges(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to,
           double padding, unsigned char* free);  // collision_edges.cpp

extern const CollisionTable collision_table;
const CollisionTable collision_table = {hits, hit, clearances, nearest, edges};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
