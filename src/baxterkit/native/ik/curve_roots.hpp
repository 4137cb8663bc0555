// The zeros of f along the elbow curve: sign changes, and extrema that touch zero.
#pragma once

#include "arc_limit.hpp"
#include "elbow_curve.hpp"
#include "joint_newton.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kEdgeRounding = 1e-10;   // of |s5| = 1, the edge of the elbow curve
constexpr double kAtEdge = 1e-6;          // s5 as near to +-1 is at the edge
constexpr double kJoined = 1e-9;          // s5 as near to +-1: both sheets are one
constexpr double kZeroF = 1e-16;          // f that is zero
constexpr double kTouching = 1e-3;        // f that may come down to zero, next to where it bends
constexpr double kSheetRounding = 1e-12;  // by which f of joined sheets may differ
constexpr double kPolishedPose =
    1e-13;   // pose error [m and 1] before a step in joint space that leaves rounding
constexpr int kCoarse = 48;       // nodes of a loop before refinement
constexpr int kMaxNodes = 1024;
constexpr int kMaxStarts = 256;
constexpr int kShortRun = 6;      // nodes of a run that is scanned more finely
constexpr int kMaxLooks = 4000;   // evaluations of eight points with one e0
constexpr double kFlat = 1e-12;   // |f| that is zero up to rounding
constexpr double kOnAxis = 1e-7;   // [m] a wrist this near to the s0 axis is on it
constexpr int kOfContinuum = 8;   // starts on a run where f vanishes all along
constexpr double kBetweenNodes = 0.25;  // [rad] what s0, s1 and e1 move by between two nodes, at most
// How dense nodes are: what s5 may change by from one to the next, and stray from the chord; and what it
// may change by across an edge.
constexpr double kDenseChange = 0.3, kDenseBend = 0.1, kDenseEdge = 0.1;
constexpr double kStraight = 0.3;       // bend / change of f below which it has one zero where it crosses
constexpr double kFalling = 50;  // |f| of both neighbours over that of a node that may be next to a zero
constexpr double kNarrower = 0.3;  // width of a closer look over the one before
constexpr double kAnyF = 1e9;  // more than |f| can be
constexpr double kLongestPolish = 0.2;  // [rad] of one Newton step in joint space, with e0 kept
// Rounds of looks at eight points: at a zero that f only touches, at a sign change, at an edge.
constexpr int kTouchRounds = 16, kZoomRounds = 14, kEdgeRounds = 4;
// Shares of a bracket: how far from the estimate of an edge it is looked at.
constexpr double kNearEdgeWide = 0.01, kNearEdgeNarrow = 2e-4;
constexpr int kPolishSteps = 6, kJointSteps = 14;  // of Newton's method: on (1), (2), and in joint space
constexpr int kRefineDepth = 7, kExamineDepth = 6;  // how often intervals are cut into eight

struct Node {
  double tau, s5, f[2];
  unsigned far;  // bits of the joints that are outside their limits by far
};

// Where on the curve solutions are asked for: limits of s0, s1 and e1, with a margin for what they
// move between two nodes.
struct CurveLimits {
  ArcLimit s0, s1, elbow;
};

inline CurveLimits curve_limits(const Limits& l, double beyond = 0.0) {
  const double margin = kBetweenNodes + beyond;
  return {arc_limit(l.lower[0], l.upper[0], margin), arc_limit(l.lower[1], l.upper[1], margin),
          arc_limit(l.lower[3], l.upper[3], margin)};
}

// A place (tau on a loop, sign of c5) where Newton starts. f changes sign between `from` and `to`;
// from = to where a zero is only suspected.
struct Start {
  double tau, from, to;
  int loop, sheet;
};

struct CurveSearch {
  const ElbowCurve* curve;
  const CurveLimits* limits = nullptr;  // null: every solution is asked for
  int loop = 0;
  int nodes = 0;
  Node node[kMaxNodes];
  int starts = 0;
  Start start[kMaxStarts];
  int looks = 0;
  unsigned shortage = 0;  // what there was too little of: something may have been left out
  bool continuum = false;  // f vanishes on a whole run

  void add_start(double tau, double from, double to, int sheet) {
    if (starts < kMaxStarts) {
      start[starts++] = {tau, from, to, loop, sheet};
    } else {
      shortage |= kOfStarts;
    }
  }
  void add_node(const Node& n) {
    if (nodes < kMaxNodes) {
      node[nodes++] = n;
    } else {
      shortage |= kOfNodes;
    }
  }
  // Whether there is room for what a closer look may find.
  bool may_look() {
    if (starts < kMaxStarts && ++looks <= kMaxLooks) return true;
    shortage |= starts < kMaxStarts ? kOfLooks : kOfStarts;
    return false;
  }
};

inline void eight_nodes(const CurveSearch& s, Oct tau, Node* out) {
  const CurvePoints x = curve_points(*s.curve, s.curve->loop[s.loop], tau);
  double b[4][kOct];
  tau.store(b[0]), x.s5.store(b[1]), x.f[0].store(b[2]), x.f[1].store(b[3]);
  unsigned far[3] = {0, 0, 0};
  if (s.limits) {
    const Target& t = *s.curve->target;
    const Oct cos1 = t.cos_phi * x.cos_psi + t.sin_phi * x.sin_psi;
    const Oct sin1 = t.sin_phi * x.cos_psi - t.cos_phi * x.sin_psi;
    far[0] = outside(s.limits->s0, cos1, sin1, Oct(1.0)).bits();
    far[1] = outside(s.limits->s1, x.s2, -x.c2, Oct(1.0)).bits();
    far[2] = outside(s.limits->elbow, x.Z, x.X, sqrt(x.R2)).bits();
  }
  for (int i = 0; i < kOct; ++i) {
    const unsigned mine = (far[0] >> i & 1u) | (far[1] >> i & 1u) << 1 | (far[2] >> i & 1u) << 2;
    out[i] = {b[0][i], b[1][i], {b[2][i], b[3][i]}, mine};
  }
}

// Eight nodes tau = from + (j + 1) (to - from) / 8: without `from`, with `to`.
inline void subdivide(const CurveSearch& s, double from, double to, Node* out) {
  eight_nodes(s, fma(ramp() + 1.0, Oct((to - from) / kOct), Oct(from)), out);
}

// Nine nodes from a to b, and the sizes of the second differences of value(node) along them; the ends
// have those of their neighbours.
template <class Value>
inline void subdivide(const CurveSearch& s, const Node& a, const Node& b, Value value, Node* out,
                      double* second) {
  out[0] = a;
  subdivide(s, a.tau, b.tau, out + 1);
  for (int i = 1; i < kOct; ++i) {
    second[i] = __builtin_fabs(value(out[i - 1]) - 2 * value(out[i]) + value(out[i + 1]));
  }
  second[0] = second[1], second[kOct] = second[kOct - 1];
}

// Up to rounding, so that a point where s5 comes down to 1 and no further is not lost.
BK_INLINE bool is_inside(const Node& n) { return __builtin_fabs(n.s5) <= 1.0 + kEdgeRounding; }

// Could s5 come into [-1, 1] between two nodes? `bend` bounds how far it strays from the chord.
BK_INLINE bool may_enter(double a, double b, double bend) {
  const double low = min(a, b) - bend, high = max(a, b) + bend;
  return low <= 1.0 && high >= -1.0;
}

// Appends the nodes after `a` up to and with `b`, as dense as s5 asks for.
inline void refine_nodes(CurveSearch* s, const Node& a, const Node& b, double bend, int depth) {
  const double change = __builtin_fabs(b.s5 - a.s5);
  const bool in_a = is_inside(a), in_b = is_inside(b);
  const bool dense =
      in_a && in_b ? change < kDenseChange && bend < kDenseBend : in_a != in_b && change < kDenseEdge;
  const bool far = (a.far & b.far) != 0;
  if (depth == 0 || dense || far || !may_enter(a.s5, b.s5, bend) || !s->may_look()) {
    s->add_node(b);
    return;
  }
  Node sub[kOct + 1];
  double second[kOct + 1];
  subdivide(*s, a, b, [](const Node& n) { return n.s5; }, sub, second);
  for (int i = 0; i < kOct; ++i) {
    refine_nodes(s, sub[i], sub[i + 1], 0.5 * max(second[i], second[i + 1]), depth - 1);
  }
}

// Finds the zeros of f on one sheet between two nodes. `bend` is the second difference of f there:
// between nodes f strays from the chord by about bend / 8, so that it can only reach zero unseen
// where it is no larger than that; there we look closer.
inline void examine(CurveSearch* s, const Node& a, const Node& b, int sheet, double bend, int depth) {
  if (a.far & b.far) return;
  const double fa = a.f[sheet], fb = b.f[sheet];
  const bool crosses = (fa < 0) != (fb < 0);
  const double least = min(__builtin_fabs(fa), __builtin_fabs(fb));
  if (crosses ? bend < kStraight * __builtin_fabs(fb - fa) : least > bend) {
    if (crosses) s->add_start(a.tau + fa / (fa - fb) * (b.tau - a.tau), a.tau, b.tau, sheet);
    return;
  }
  if (depth == 0 || least < kZeroF || !s->may_look()) {
    s->add_start(0.5 * (a.tau + b.tau), a.tau, crosses ? b.tau : a.tau, sheet);
    return;
  }
  Node sub[kOct + 1];
  double second[kOct + 1];
  subdivide(*s, a, b, [sheet](const Node& n) { return n.f[sheet]; }, sub, second);
  for (int i = 0; i < kOct; ++i) {
    examine(s, sub[i], sub[i + 1], sheet, max(second[i], second[i + 1]), depth - 1);
  }
}

// Where f comes down to zero and turns back, within `width` of a node: there two branches nearly
// meet, and f bends too sharply for differences between nodes.
BK_NOINLINE inline void find_touching(CurveSearch* s, double tau, double width, int sheet) {
  double least = kAnyF;
  for (int round = 0; round < kTouchRounds; ++round) {
    Node sub[kOct];
    eight_nodes(*s, fma(ramp() - 3.5, Oct(width / 3.5), Oct(tau)), sub);
    for (const Node& x : sub) {
      if (__builtin_fabs(x.f[sheet]) < least) least = __builtin_fabs(x.f[sheet]), tau = x.tau;
    }
    width *= kNarrower;
  }
  if (least < kTouching) s->add_start(tau, tau, tau, sheet);
}

// Follows the sign change of f at a start down to rounding.
BK_NOINLINE inline void zoom_start(const CurveSearch& s, Start* start) {
  double from = start->from, to = start->to;
  for (int round = 0; round < kZoomRounds; ++round) {
    Node sub[kOct];
    eight_nodes(s, fma(ramp(), Oct((to - from) / (kOct - 1)), Oct(from)), sub);
    int at = -1;
    for (int i = 0; i + 1 < kOct && at < 0; ++i) {
      if ((sub[i].f[start->sheet] < 0) != (sub[i + 1].f[start->sheet] < 0)) at = i;
    }
    if (at < 0) return;
    from = sub[at].tau, to = sub[at + 1].tau;
    start->tau = 0.5 * (from + to);
  }
}

// The point of the loop where s5 leaves [-1, 1], between a node inside and a node outside.
BK_NOINLINE inline Node edge_node(const CurveSearch& s, Node in, Node out) {
  // Four even parts, and four points around where the chord of s5 leaves [-1, 1].
  for (int round = 0; round < kEdgeRounds; ++round) {
    Node sub[kOct];
    const double border = out.s5 < 0 ? -1.0 : 1.0, width = out.tau - in.tau;
    const double at = (border - in.s5) / (out.s5 - in.s5);
    double tau[kOct] = {0.25, 0.5, 0.75, 1.0};
    const double close[4] = {at - kNearEdgeWide, at - kNearEdgeNarrow, at + kNearEdgeNarrow,
                             at + kNearEdgeWide};
    for (int i = 0; i < 4; ++i) {  // insertion sort; what is beyond the ends has no part in it
      const double x = close[i] > 0 && close[i] < 1 ? close[i] : 1.0;
      int k = 4 + i;
      for (; k > 0 && tau[k - 1] > x; --k) tau[k] = tau[k - 1];
      tau[k] = x;
    }
    for (double& x : tau) x = in.tau + width * x;
    eight_nodes(s, Oct::load(tau), sub);
    for (int i = 0; i < kOct; ++i) {
      if (!is_inside(sub[i])) {
        out = sub[i];
        break;
      }
      in = sub[i];
    }
    if (1.0 - __builtin_fabs(in.s5) < kAtEdge) break;
  }
  return in;
}

// Zeros of f on both sheets along one run of nodes with s5 in [-1, 1]. `edge` says which ends of
// the run are points with c5 = 0, where the two sheets join.
inline void scan_run(CurveSearch* s, const Node* node, int n, bool first_edge, bool last_edge) {
  bool flat[2] = {true, true};
  for (int sheet = 0; sheet < 2; ++sheet) {
    for (int i = 0; i < n && flat[sheet]; ++i) flat[sheet] = __builtin_fabs(node[i].f[sheet]) < kFlat;
    if (flat[sheet]) {  // every point is a solution: some of them stand for all
      s->continuum = true;
      const int count = n < kOfContinuum ? n : kOfContinuum;
      for (int i = 0; i < count; ++i) {
        const double tau = node[i * n / count].tau;
        s->add_start(tau, tau, tau, sheet);
      }
      continue;
    }
    double before = 0;  // |f''| at node i, by divided differences
    for (int i = 0; i + 1 < n; ++i) {
      const double h = node[i + 1].tau - node[i].tau;
      const double jump = node[i + 1].f[sheet] - node[i].f[sheet];
      double after = before;
      if (i + 2 < n) {
        const double h2 = node[i + 2].tau - node[i + 1].tau;
        const double jump2 = node[i + 2].f[sheet] - node[i + 1].f[sheet];
        after = __builtin_fabs(2 * (jump2 * h - jump * h2) / (h * h2 * (h + h2) + kTiny));
      }
      // next to an edge c5 goes like a square root, which differences do not measure
      const bool at_edge = (i == 0 && first_edge) || (i + 2 == n && last_edge);
      const double bend = max(before, after) * h * h;
      examine(s, node[i], node[i + 1], sheet, at_edge ? max(bend, 2 * __builtin_fabs(jump)) : bend,
              kExamineDepth);
      before = after;
    }
  }
  for (int i = 0; i < n; ++i) {
    // At an edge, and where s5 only touches +-1, f is the same on both sheets, up to the distance of
    // the node from the edge.
    const Node& here = node[i];
    if (here.far) continue;
    const bool is_end = (i == 0 && first_edge) || (i == n - 1 && last_edge);
    const bool joined = is_end || __builtin_fabs(here.s5) > 1 - kJoined;
    const double gap = (joined ? __builtin_fabs(here.f[0] - here.f[1]) : 0.0) + kSheetRounding;
    for (int sheet = 0; sheet < 2; ++sheet) {
      if (flat[sheet]) continue;
      const double f = __builtin_fabs(here.f[sheet]);
      if (f <= gap) s->add_start(here.tau, here.tau, here.tau, sheet);
      if (i == 0 || i == n - 1 || f < kZeroF) continue;
      // f falls towards this node from both sides, almost to zero
      const double before = node[i - 1].f[sheet], after = node[i + 1].f[sheet];
      if (kFalling * f < min(__builtin_fabs(before), __builtin_fabs(after)) && before * after > 0 &&
          s->may_look()) {
        find_touching(s, here.tau, min(node[i + 1].tau - here.tau, here.tau - node[i - 1].tau), sheet);
      }
    }
  }
}

// Cuts the nodes of one loop into runs inside [-1, 1], closed by their edges, and scans each. An
// edge takes the place of the first node outside, which `outside` keeps for the next run.
inline void scan_nodes(CurveSearch* s) {
  Node outside = s->node[0];
  for (int i = 0; i < s->nodes; ++i) {
    if (!is_inside(s->node[i])) {
      outside = s->node[i];
      continue;
    }
    const int from = i;
    while (i + 1 < s->nodes && is_inside(s->node[i + 1])) ++i;
    const bool first_edge = from > 0, last_edge = i + 1 < s->nodes;
    if (first_edge) s->node[from - 1] = edge_node(*s, s->node[from], outside);
    if (last_edge) {
      outside = s->node[i + 1];
      s->node[i + 1] = edge_node(*s, s->node[i], outside);
    }
    const int begin = first_edge ? from - 1 : from;
    if (last_edge) ++i;
    const int n = i - begin + 1;
    if (n > kShortRun) {
      scan_run(s, s->node + begin, n, first_edge, last_edge);
      continue;
    }
    // A run of few nodes tells too little about the bends of f.
    Node fine[kShortRun * kOct];
    fine[0] = s->node[begin];
    for (int k = 0; k + 1 < n; ++k) {
      subdivide(*s, s->node[begin + k].tau, s->node[begin + k + 1].tau, fine + 1 + k * kOct);
    }
    scan_run(s, fine, (n - 1) * kOct + 1, first_edge, last_edge);
  }
}

// Up to eight starts: their joint angles, and their place (Theta', theta5) for Newton on (1), (2).
struct Starts8 {
  Joints8 joints;
  Point<Oct> point;
};

inline Starts8 start_points(const CurveSearch& s, const int* which, int n) {
  const ElbowCurve& k = *s.curve;
  double b[4][kOct] = {}, q[7][kOct] = {};
  for (int l = 0; l < k.loops; ++l) {
    double tau[kOct], sign[kOct], x[kOct];
    bool mine[kOct], used = false;
    for (int i = 0; i < kOct; ++i) {
      const Start& start = s.start[which[i < n ? i : 0]];
      tau[i] = start.tau;
      sign[i] = start.sheet == 0 ? 1.0 : -1.0;
      mine[i] = start.loop == l;
      used |= mine[i];
    }
    if (!used) continue;
    const CurvePoints points = curve_points(k, k.loop[l], Oct::load(tau));
    const Joints8 j = curve_joints(k, points, Oct::load(sign));
    const Oct scale = 1.0 / sqrt(points.R2);
    const Oct sin_theta = points.X * scale, cos_theta = points.Z * scale;
    const Oct parts[4] = {kCosGamma * cos_theta + kSinGamma * sin_theta,
                          kCosGamma * sin_theta - kSinGamma * cos_theta, Oct::load(sign) * points.c5,
                          min(max(points.s5, Oct(-1.0)), Oct(1.0))};
    for (int m = 0; m < 11; ++m) {
      (m < 4 ? parts[m] : j.q[m - 4]).store(x);
      for (int i = 0; i < kOct; ++i) {
        if (mine[i]) (m < 4 ? b[m] : q[m - 4])[i] = x[i];
      }
    }
  }
  Starts8 out;
  for (int m = 0; m < 7; ++m) out.joints.q[m] = Oct::load(q[m]);
  out.point = {Oct::load(b[0]), Oct::load(b[1]), Oct::load(b[2]), Oct::load(b[3])};
  return out;
}

// Newton in joint space from the starts `which`; keeps what reaches the target, and notes which
// solution each start led to (-1: none).
inline void polish_starts(const CurveSearch& s, const int* which, int count, int* reached, Solutions* out) {
  const Target& t = *s.curve->target;
  for (int first = 0; first < count; first += kOct) {
    const int n = count - first < kOct ? count - first : kOct;
    const Starts8 start = start_points(s, which + first, n);
    const unsigned lanes = (1u << n) - 1u;
    const double c3 = s.curve->c3, s3 = s.curve->s3;
    Point<Oct> p = start.point;
    // With the wrist on the s0 axis L = 0 says nothing of psi, which the joint angles keep.
    const bool on_axis = t.rho < kOnAxis;
    for (int i = 0; i < kPolishSteps && !on_axis; ++i) {
      const Oct size = newton_step(t, c3, s3, &p);
      if (!((~(size < Oct(kPolished2))).bits() & lanes)) break;
    }
    Joints8 j = on_axis ? start.joints : joint_angles(t, c3, s3, Oct(s.curve->e0), p);
    const Mask reached_it = pose_error8(t, j) < Oct(kAcceptError);
    unsigned good = reached_it.bits() & lanes;
    if (good != lanes) {
      // near a singularity of (1), (2): Newton in joint space from the same starts
      Joints8 x = start.joints;
      for (int i = 0; i < kJointSteps; ++i) {
        const Oct error = joint_newton_step(t, true, kLongestPolish, &x);
        if (!((~(error < Oct(kPolishedPose))).bits() & lanes & ~good)) break;
      }
      wrap8(t, &x);
      for (int m = 0; m < 7; ++m) j.q[m] = select(reached_it, j.q[m], x.q[m]);
      good = (pose_error8(t, j) < Oct(kAcceptError)).bits() & lanes;
    }
    double q[7][kOct];
    for (int m = 0; m < 7; ++m) j.q[m].store(q[m]);
    for (int i = 0; i < n; ++i) {
      reached[which[first + i]] = -1;
      if (!(good >> i & 1u)) continue;
      double one[7];
      for (int m = 0; m < 7; ++m) one[m] = q[m][i];
      one[2] = s.curve->e0;
      reached[which[first + i]] = add_solution(out, one);
    }
  }
}

// Polishes all starts. Where two zeros of f lie close together Newton may take one for the
// other: starts that led to the same solution are located to rounding first, and tried again.
BK_NOINLINE inline void polish_all(CurveSearch* s, Solutions* out) {
  int which[kMaxStarts] = {}, reached[kMaxStarts], again = 0;
  for (int i = 0; i < s->starts; ++i) which[i] = i;
  polish_starts(*s, which, s->starts, reached, out);
  for (int i = 0; i < s->starts; ++i) {
    Start& x = s->start[i];
    if (x.from == x.to) continue;
    bool repeat = reached[i] < 0;
    for (int k = 0; k < s->starts && !repeat; ++k) {
      repeat = k != i && s->start[k].from != s->start[k].to && reached[k] == reached[i];
    }
    if (!repeat) continue;
    s->loop = x.loop;
    zoom_start(*s, &x);
    which[again++] = i;
  }
  if (again) {
    int ignored[kMaxStarts];
    polish_starts(*s, which, again, ignored, out);
  }
}

// Every solution, or with `limits` those within the limits and some others.
inline void solve_on_curve(const Target& t, double e0, double c3, double s3, const CurveLimits* limits,
                           Solutions* out) {
  const ElbowCurve curve = elbow_curve(t, e0, c3, s3);
  CurveSearch s;
  s.curve = &curve;
  s.limits = limits;
  for (s.loop = 0; s.loop < curve.loops; ++s.loop) {
    Node coarse[kCoarse + 1];
    const double step = 2 * kPi / kCoarse;
    for (int i = 0; i < kCoarse; i += kOct) subdivide(s, i * step, (i + kOct) * step, coarse + 1 + i);
    coarse[0] = coarse[kCoarse];
    coarse[0].tau = 0;
    s.nodes = 0;
    s.add_node(coarse[0]);
    double second[kCoarse + 1];
    for (int i = 0; i < kCoarse; ++i) {
      second[i] =
          __builtin_fabs(coarse[i == 0 ? kCoarse - 1 : i - 1].s5 - 2 * coarse[i].s5 + coarse[i + 1].s5);
    }
    second[kCoarse] = second[0];
    for (int i = 0; i < kCoarse; ++i) {
      refine_nodes(&s, coarse[i], coarse[i + 1], max(second[i], second[i + 1]), kRefineDepth);
    }
    s.add_node(s.nodes > 1 ? s.node[1] : s.node[0]);  // closes the triple across tau = 0
    s.node[s.nodes - 1].tau += 2 * kPi;
    scan_nodes(&s);
  }
  polish_all(&s, out);
  out->shortage |= s.shortage;
  out->continuum |= s.continuum;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
