// Collision checks for one instruction set (BAXTERKIT_ISA): verdicts, and the nearest pair.
//
// Both walk the same pairs. Configurations lie side by side in lanes, each with its own verdict; a
// pair is skipped where it matters in no lane.
#include <cmath>

#include "batch.hpp"
#include "collision/walk.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace {

// Whether anything is nearer than the padding.
template <class T>
struct Verdict {
  double padding;
  Mask<T> hit;   // in which lanes
  Mask<T> free;  // lanes still without a hit

  BK_INLINE Mask<T> near(T squared, double reach) const {
    const double r = reach + padding;
    return both(below(squared, T(r > 0.0 ? r * r : 0.0)), free);
  }
  // Points of the cores that are near enough are a hit already.
  BK_INLINE bool open(T squared, double radii, Mask<T> near) {
    meet(squared, radii, 0, 0);
    return any(both(near, free));
  }
  BK_INLINE void meet(T squared, double radii, int, int) {
    const double r = radii + padding;
    const Mask<T> touch = below(squared, T(r > 0.0 ? r * r : 0.0));
    hit = either(hit, touch);
    free = except(free, touch);
  }
  BK_INLINE bool done() const { return !any(free); }
};

// The nearest pair in each lane.
template <class T>
struct Nearest {
  T clearance;
  T first, second;

  BK_INLINE Mask<T> near(T squared, double reach) const {
    const T r = most(clearance + T(reach), T(0.0));
    return below(squared, r * r);
  }
  BK_INLINE bool open(T, double, Mask<T>) const { return true; }
  BK_INLINE void meet(T squared, double radii, int a, int b) {
    const T gap = sqrt(squared) - T(radii);
    const Mask<T> nearer = below(gap, clearance);
    clearance = select(nearer, gap, clearance);
    first = select(nearer, T(static_cast<double>(a)), first);
    second = select(nearer, T(static_cast<double>(b)), second);
  }
  BK_INLINE bool done() const { return false; }
};

constexpr double kFar = 1e3;  // [m]: clearance where no pair is checked

// Rows of joint angles and pans, as lanes.
struct Rows {
  const double *left, *right, *head;
  int left_stride, right_stride, head_stride;

  // Sets the posture from up to kWidth rows; zero if every number is finite.
  BK_INLINE Vec read(std::ptrdiff_t first, std::ptrdiff_t rows, Posture<Vec>& posture) const {
    Vec s[2][8], c[2][8], q[7], pan, bad = 0.0;
    for (int arm = 0; arm < 2; ++arm) {
      const int stride = arm ? right_stride : left_stride;
      const Operand in = {reinterpret_cast<const char*>(arm ? right : left), 8 * stride, 8};
      read_rows<7>(in, first, rows, q);
      for (int j = 0; j < 7; ++j) {
        bad = bad + (q[j] - q[j]);
        sincos(q[j], s[arm][j], c[arm][j]);
      }
    }
    const Operand in = {reinterpret_cast<const char*>(head), 8 * head_stride, 8};
    gather_rows<1>(in, in.data + first * in.row_stride, rows, &pan);
    bad = bad + (pan - pan);
    Vec sine, cosine;
    sincos(pan, sine, cosine);
    posture.set(s, c, sine, cosine);
    return bad;
  }
};

bool hits(const BodyShape& body, std::ptrdiff_t n, const double* left, int left_stride,
          const double* right, int right_stride, const double* head, int head_stride,
          double padding, unsigned char* hit) {
  const Rows rows = {left, right, head, left_stride, right_stride, head_stride};
  Posture<Vec> posture(body);
  Vec bad = 0.0;
  for (std::ptrdiff_t first = 0; first < n; first += kWidth) {
    const std::ptrdiff_t count = n - first < kWidth ? n - first : kWidth;
    bad = bad + rows.read(first, count, posture);
    Verdict<Vec> verdict = {padding, IntLanes{}, ~IntLanes{}};
    walk(posture, verdict);
    for (int i = 0; i < count; ++i) hit[first + i] = verdict.hit[i] != 0;
  }
  return !any(bad.v != Lanes{});
}

// Sets the posture of one row; false if a number is not finite.
BK_INLINE bool set_one(const double* left, const double* right, double head,
                       Posture<double>& posture) {
  double s[2][8], c[2][8], bad = head - head, ps[8], pc[8];
  for (int j = 0; j < 7; ++j) bad += (left[j] - left[j]) + (right[j] - right[j]);
  if (bad != 0.0) return false;
  sincos_of_joints(left, 7, s[0], c[0]);
  sincos_of_joints(right, 7, s[1], c[1]);
  sincos_of_joints(&head, 1, ps, pc);
  posture.set(s, c, ps[0], pc[0]);
  return true;
}

int hit(const BodyShape& body, const double* left, const double* right, double head,
        double padding) {
  Posture<double> posture(body);
  if (!set_one(left, right, head, posture)) return -1;
  Verdict<double> verdict = {padding, false, true};
  walk(posture, verdict);
  return verdict.hit;
}

// Frame and arm that a primitive rides on; links 0 ... 6, or -1 for what no joint of an arm moves.
struct Carrier {
  int arm, link;
};

// Fills points and gradient of a row's nearest pair.
void finish(const BodyShape& body, const Posture<double>& posture, BodyNearest& out) {
  const int left = body.capsule_first[0][kArmLinks], both_arms = left + body.capsule_first[1][kArmLinks];
  Carrier carrier[2] = {{-1, -1}, {-1, -1}};
  Segment<double> segment[2];
  double radius[2], squared[2];
  for (int side = 0; side < 2; ++side) {
    const int n = out.primitive[side];
    if (n >= both_arms) continue;
    const int arm = n >= left, i = n - (arm ? left : 0);
    int k = 0;
    while (body.capsule_first[arm][k + 1] <= i) ++k;
    carrier[side] = {arm, k < 7 ? k : 6};
    const double* pose = posture.link_pose(arm, k);
    const Point<double> start = moved(pose, body.capsule[arm][i].start);
    segment[side] = {start, moved(pose, body.capsule[arm][i].end) - start};
    radius[side] = body.capsule[arm][i].radius;
    squared[side] = body.capsule[arm][i].squared;
  }
  Point<double> core[2];
  if (out.primitive[1] < both_arms) {
    double s, t;
    nearest_on_segments(segment[0].start, segment[0].span, squared[0], segment[1].start,
                        segment[1].span, squared[1], s, t);
    core[0] = along(segment[0].start, s, segment[0].span);
    core[1] = along(segment[1].start, t, segment[1].span);
  } else {
    const int j = out.primitive[1] - both_arms;
    const BodyBox& box = body.box[j];
    radius[1] = box.radius;
    const bool head = j >= body.box_first[2];
    const Point<double> start = head ? posture.to_head(segment[0].start) : segment[0].start;
    const Point<double> span = head ? posture.turned_to_head(segment[0].span) : segment[0].span;
    const Point<double> center = fixed<double>(box.center);
    const Point<double> p = in_axes(start - center, box.axes), d = in_axes(span, box.axes);
    const double t = nearest_to_box(p, d, box.half);
    core[0] = along(segment[0].start, t, segment[0].span);
    const Point<double> v = beyond_box(along(p, t, d), box.half);
    const double* A = box.axes;
    Point<double> w = {A[0] * v.x + A[3] * v.y + A[6] * v.z, A[1] * v.x + A[4] * v.y + A[7] * v.z,
                       A[2] * v.x + A[5] * v.y + A[8] * v.z};
    if (head) {
      const double x = posture.pan_cosine * w.x - posture.pan_sine * w.y;
      const double y = posture.pan_sine * w.x + posture.pan_cosine * w.y;
      const double* R = body.pan;
      w = {R[0] * x + R[1] * y + R[2] * w.z, R[4] * x + R[5] * y + R[6] * w.z,
           R[8] * x + R[9] * y + R[10] * w.z};
    }
    core[1] = core[0] - w;
  }
  const Point<double> v = core[0] - core[1];
  const double length = std::sqrt(dot(v, v));
  const double over = length > 0.0 ? 1.0 / length : 0.0;
  const Point<double> n = {v.x * over, v.y * over, v.z * over};  // from the second to the first
  for (int side = 0; side < 2; ++side) {
    const Point<double> p = along(core[side], side ? radius[1] : -radius[0], n);
    out.point[side][0] = p.x;
    out.point[side][1] = p.y;
    out.point[side][2] = p.z;
  }
  for (double& g : out.gradient) g = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (carrier[side].arm < 0) continue;
    for (int j = 0; j <= carrier[side].link; ++j) {
      const double* T = posture.link_pose(carrier[side].arm, j);
      const Point<double> arm = core[side] - Point<double>{T[3], T[7], T[11]};
      const Point<double> axis = {T[2], T[6], T[10]};
      const Point<double> velocity = {axis.y * arm.z - axis.z * arm.y,
                                      axis.z * arm.x - axis.x * arm.z,
                                      axis.x * arm.y - axis.y * arm.x};
      out.gradient[7 * carrier[side].arm + j] += (side ? -1.0 : 1.0) * dot(n, velocity);
    }
  }
}

bool nearest(const BodyShape& body, std::ptrdiff_t n, const double* left, int left_stride,
             const double* right, int right_stride, const double* head, int head_stride,
             BodyNearest* out) {
  const Rows rows = {left, right, head, left_stride, right_stride, head_stride};
  Posture<Vec> posture(body);
  Posture<double> one(body);
  for (std::ptrdiff_t first = 0; first < n; first += kWidth) {
    const std::ptrdiff_t count = n - first < kWidth ? n - first : kWidth;
    const Vec bad = rows.read(first, count, posture);
    if (any(bad.v != Lanes{})) return false;
    Nearest<Vec> found = {kFar, -1.0, -1.0};
    walk(posture, found);
    for (int i = 0; i < count; ++i) {
      BodyNearest& row = out[first + i];
      row.clearance = found.clearance[i];
      row.primitive[0] = static_cast<int>(found.first[i]);
      row.primitive[1] = static_cast<int>(found.second[i]);
      if (row.primitive[0] < 0) continue;
      set_one(left + (first + i) * left_stride, right + (first + i) * right_stride,
              head[(first + i) * head_stride], one);
      finish(body, one, row);
    }
  }
  return true;
}

}  // namespace

extern const CollisionTable collision_table;
const CollisionTable collision_table = {hits, hit, nearest};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
