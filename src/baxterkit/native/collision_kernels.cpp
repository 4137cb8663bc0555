// Collision checks for one instruction set (BAXTERKIT_ISA): verdicts, clearances, the nearest pair.
//
// Link poses are computed for several configurations side by side; then each configuration is looked at on its
// own, eight primitives at a time, so that none waits for another one's answer.
#include <algorithm>
#include <cmath>

#include "batch.hpp"
#include "collision/many.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace {

// Reads rows of joint angles and pans; zero if every number is finite.
BK_INLINE Vec read(const BodyShape& body, const BodyRows& from, std::ptrdiff_t first, std::ptrdiff_t rows,
                   bool places, Kinematics<Vec>& kinematics) {
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
  kinematics.head.set(body.pan, sine, cosine);
  for (int arm = 0; arm < 2; ++arm) {
    kinematics.pose_arm(body, arm, s[arm], c[arm]);
    if (places) kinematics.place_links(body, arm);
  }
  return bad;
}

// Calls look(row, configuration) for each of n rows; false if a number is not finite.
template <class Look>
BK_INLINE bool each_configuration(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows,
                                  const Look& look) {
  Kinematics<Vec> kinematics;
  Configuration configuration(body);
  for (std::ptrdiff_t first = 0; first < n; first += kWidth) {
    const std::ptrdiff_t count = n - first < kWidth ? n - first : kWidth;
    const Vec bad = read(body, rows, first, count, true, kinematics);
    if (any(bad.v != Lanes{})) return false;
    for (int i = 0; i < count; ++i) {
      kinematics.look(i, configuration);
      look(first + i, configuration);
    }
  }
  return true;
}

bool hits(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, double padding, unsigned char* hit) {
  return each_configuration(body, n, rows, [&](std::ptrdiff_t row, Configuration& configuration) {
    Verdict verdict(padding, body.margin);
    walk(configuration, verdict);
    hit[row] = verdict.hit;
  });
}

int hit(const BodyShape& body, const double* left, const double* right, double head, double padding) {
  double s[2][8], c[2][8], bad = head - head, ps[8], pc[8];
  for (int j = 0; j < 7; ++j) bad += (left[j] - left[j]) + (right[j] - right[j]);
  if (bad != 0.0) return -1;
  sincos_of_joints(left, 7, s[0], c[0]);
  sincos_of_joints(right, 7, s[1], c[1]);
  sincos_of_joints(&head, 1, ps, pc);
  Kinematics<double> kinematics;
  kinematics.set(body, s, c, ps[0], pc[0]);
  Configuration configuration(body);
  kinematics.look(0, configuration);
  Verdict verdict(padding, body.margin);
  walk(configuration, verdict);
  return verdict.hit;
}

// Obstacles, after all else.
BK_NOINLINE void look_around(const BodyShape& body, Many& many, int count) {
  Configuration configuration(body);
  for (int p = 0; p < count; ++p) {
    many.kinematics(p).look(p % kWidth, configuration);
    Closest found(body.margin);
    found.set(many.clearance[p], many.primitive[p][0], many.primitive[p][1]);
    walk_world(configuration, body.world, found, [](int) {}, [](int) { return true; });
    many.clearance[p] = found.best;
    many.primitive[p][0] = found.first;
    many.primitive[p][1] = found.second;
  }
}

// Calls look(row, several configurations, which of them) for each of n rows, when the nearest pair is known;
// false if a number is not finite.
template <class Look>
BK_INLINE bool each_nearest(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, const Look& look) {
  Many many(body);
  for (std::ptrdiff_t first = 0; first < n; first += many.room()) {
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(n - first, many.room()));
    for (int p = 0; p < count; p += kWidth) {
      const Vec bad =
          read(body, rows, first + p, std::min(count - p, kWidth), body.world != 0, many.kinematics(p));
      if (any(bad.v != Lanes{})) return false;
    }
    many.run(count);
    if (body.world) look_around(body, many, count);
    for (int p = 0; p < count; ++p) look(first + p, many, p);
  }
  return true;
}

bool clearances(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, double* out) {
  return each_nearest(body, n, rows,
                      [&](std::ptrdiff_t row, Many& many, int p) { out[row] = many.clearance[p]; });
}

bool nearest(const BodyShape& body, std::ptrdiff_t n, const BodyRows& rows, BodyNearest* out) {
  return each_nearest(body, n, rows, [&](std::ptrdiff_t row, Many& many, int p) {
    out[row].clearance = many.clearance[p];
    for (int side = 0; side < 2; ++side) out[row].primitive[side] = many.primitive[p][side];
    if (many.primitive[p][0] >= 0) {
      finish(many.poses(p), out[row]);
    } else {
      nowhere(out[row]);
    }
  });
}

}  // namespace

bool edges(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to, double padding,
           unsigned char* free);  // collision_edges.cpp
bool tubes(const BodyShape& body, std::ptrdiff_t n, const double* q0, const double* q1, const double* width,
           const double* head, double padding, int most, unsigned char* verdict, double* at);

extern const CollisionTable collision_table;
const CollisionTable collision_table = {hits, hit, clearances, nearest, edges, tubes};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
