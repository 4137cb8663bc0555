// The best point of a self-motion within the limits, piece by piece.
//
// All pieces of curve are sampled by their cubics, which says roughly how low the cost gets on
// each. They are then looked at closely, the most promising first, until no other can be better: cut
// at the limits, sampled on the curve itself eight points at a time, closer and closer.
#pragma once

#include "costs.hpp"
#include "first_feasible.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

constexpr double kBendSlack = 1e-9;       // [rad] that bounds of a piece have on top
// [rad] how closely the best point is bracketed by samples: for any cost; for one that is tried on the cubic then; and
// for one whose minimum a parabola finds, up to three times, as long as it is wrong by more than kKeptPromise of the cost.
constexpr double kFinestAny = 1e-8, kFinestCheap = 4e-3, kFinestSmooth = 0.016, kFinestLast = 1e-3;
constexpr double kKeptPromise = 1e-10;
// The slope of a smooth cost at the end of a piece over that of the chord next to it, from which on the end is lowest.
constexpr double kRisesFromEnd = 0.25;

constexpr int kMaxPieces = 2048;
// What a cost may fall by between the ends of a piece and its middle, relative to how much it changes from
// one of them to the next: an eighth of a parabola. Kinks may hide more.
constexpr double kDip = 0.5, kDipWithKinks = 1.0;
constexpr double kStrayed = 4;  // [1/rad] what a smooth cost may change by, relative to itself
constexpr double kLeastGain = 1e-9;  // of the relative distance to the limits: less is not searched for
constexpr double kRootOf7 = 2.6457513110645907;
constexpr double kNoCost = 1e300;  // stands for the cost where there is no point
constexpr double kShrinks = 0.9;  // a search goes on if the piece's length falls below this share of it
constexpr int kGoldenSteps = 32;  // of the golden section: to 2e-7 of the piece
constexpr int kCutDepth = 60;  // how often a piece is cut at the limits or in the middle

// The best one so far. Of two that are equally good up to rounding, as mirror images are, it is the one
// nearer to the seed, if there is a seed.
struct Best {
  bool found = false;
  double value = 0, q[7];
  const double* seed = nullptr;
};

constexpr double kTie = 1e-11;  // relative difference of costs that rounding makes
constexpr double kOtherPoint = 0.01;  // [rad] from which on two points that tie are not the same

inline void offer(double value, const double* q, Best* best) {
  if (best->found) {
    const bool is_tie = __builtin_fabs(value - best->value) <= kTie * __builtin_fabs(best->value);
    if (is_tie && best->seed && joint_distance(q, best->q) > kOtherPoint) {
      if (!(seed_distance(q, best->seed) < seed_distance(best->q, best->seed))) return;
    } else if (!(value < best->value)) {
      return;
    }
  }
  best->found = true;
  best->value = value;
  for (int k = 0; k < 7; ++k) best->q[k] = q[k];
}

// Pieces that may hold points within the limits, with a rough lower bound of the cost on each.
struct Prospects {
  SeenLinks seen;
  int count, nodes;
  unsigned shortage;
  LinkEnd link[kMaxPieces];
  double bound[kMaxPieces];
  bool close[kMaxPieces];  // whether that is the closer bound
  double middle[kMaxPieces][7], value[kMaxPieces];
  // The costs of the ends of pieces: entry `at[i] - 1` is that of node i, of the first `nodes`; 0: none yet.
  int ends, at[kMaxMotionNodes];
  double end[kMaxMotionNodes][7], end_value[kMaxMotionNodes];
};

// Notes those of up to eight links (lanes) that may have points within the limits, by the hull of the
// cubic's control points.
inline void note_prospects(const SelfMotion& m, const Limits& l, const LinkEnd* x, int n, Prospects* out) {
  const Links8 p = links8(m, x, n);
  Oct beyond(-1.0);
  for (int k = 0; k < 7; ++k) {
    const Oct a = p.a[k], b = a + p.chord[k];
    const Oct c1 = fma(Oct(1.0 / 3), p.slope_a[k], a), c2 = fnma(Oct(1.0 / 3), p.slope_b[k], b);
    const Oct low = min(min(a, b), min(c1, c2)), high = max(max(a, b), max(c1, c2));
    const Oct strays = abs(fnma(Oct(0.5), p.slope_a[k] + p.slope_b[k], p.chord[k])) + kBendSlack;
    beyond = max(beyond, outside8(l, k, 0.5 * (low + high)) - fma(Oct(0.5), high - low, strays));
  }
  unsigned inside = (~(Oct(0.0) < beyond)).bits() & ((1u << n) - 1u);
  if (!inside) return;
  double middle[7][kOct];
  for (int k = 0; k < 7; ++k) {
    const Oct x0 = cubic_at(p, k, 0.5), turns = nearest((x0 - m.target.turn[k]) * (0.5 / kPi));
    fnma(turns, Oct(2.0 * kPi), x0).store(middle[k]);
  }
  for (; inside; inside &= inside - 1) {
    if (out->count == kMaxPieces) {
      out->shortage |= kOfPieces;
      return;
    }
    const int lane = __builtin_ctz(inside);
    out->link[out->count] = x[lane];
    for (int k = 0; k < 7; ++k) out->middle[out->count][k] = middle[k][lane];
    ++out->count;
  }
}

inline void start_prospects(Prospects* p) {
  p->seen.nodes = p->nodes = p->ends = 0;
  p->shortage = 0;
}

// Where the cost of a node is kept.
inline int end_of(const SelfMotion& m, int node, Prospects* p) {
  if (p->at[node] == 0) {
    for (int k = 0; k < 7; ++k) p->end[p->ends][k] = m.node[node].q[k];
    p->at[node] = ++p->ends;
  }
  return p->at[node] - 1;
}

// All links of the graph that are not seen yet.
inline void collect_links(const SelfMotion& m, const Limits& l, Prospects* out) {
  out->count = 0;
  visit_new_links(m, &out->seen, [&](const LinkEnd* x, int n) { note_prospects(m, l, x, n, out); });
}

// Costs of points of pieces, within the limits or not, for bounds of what these pieces have within them.
inline void bound_values(const Target& t, const Limits& l, const Cost& cost, const double* q, int n,
                         double* values) {
  if (cost.values == nearest_cost) {
    nearest_turn_cost(t, l, q, n, values, static_cast<const double*>(cost.context));
  } else {
    cost.values(q, n, values, cost.context);
  }
}

// Does a joint pass the end of a turn on the way from one point of a piece to the next?
inline bool passes_turn(const double* a, const double* b) {
  bool passes = false;
  for (int k = 0; k < 7; ++k) passes |= __builtin_fabs(b[k] - a[k]) > kPi;
  return passes;
}

// The bound of `limits_cost` on a piece, by its ends and its middle.
inline double limits_bound(const Limits& l, const double* a, const double* middle, const double* b) {
  double q[3][7], stray[7];
  for (int k = 0; k < 7; ++k) q[0][k] = a[k], q[1][k] = middle[k], q[2][k] = b[k];
  strays_of_samples(q, 3, stray);
  return min(least_limits_cost(l, a, middle, stray), least_limits_cost(l, middle, b, stray));
}

inline double dip_of(const Cost& cost) {
  return cost.kind == kSmoothCost || cost.values == nearest_cost ? kDip : kDipWithKinks;
}

// The same with bounds of the cost.
inline void collect_prospects(const SelfMotion& m, const Limits& l, const Cost& cost, Prospects* out) {
  collect_links(m, l, out);
  for (; out->nodes < m.nodes; ++out->nodes) out->at[out->nodes] = 0;
  const int known = out->ends;
  for (int i = 0; i < out->count; ++i) {
    const LinkEnd& e = out->link[i];
    end_of(m, e.node, out);
    end_of(m, m.node[e.node].link[e.port], out);
  }
  bound_values(m.target, l, cost, out->end[known], out->ends - known, out->end_value + known);
  bound_values(m.target, l, cost, out->middle[0], out->count, out->value);
  const double dip = dip_of(cost);
  for (int i = 0; i < out->count; ++i) {
    out->close[i] = false;
    const LinkEnd& e = out->link[i];
    const int a = end_of(m, e.node, out), b = end_of(m, m.node[e.node].link[e.port], out);
    const double v0 = out->end_value[a], v1 = out->value[i], v2 = out->end_value[b];
    const double change = max(__builtin_fabs(v1 - v0), __builtin_fabs(v2 - v1));
    out->bound[i] = min(v0, min(v1, v2)) - dip * change;
    if (cost.values == limits_cost) out->bound[i] = limits_bound(l, out->end[a], out->middle[i], out->end[b]);
    if (cost.kind == kAnyCost &&
        (passes_turn(out->end[a], out->middle[i]) || passes_turn(out->middle[i], out->end[b])))
      out->bound[i] = -kNoCost;  // the values beyond the end of a turn say nothing of what is before it
  }
}

// A closer bound of the cost on a piece where it can be within the limits, from eight even samples of its cubic. Between two
// of them the cost falls below both by no more than `dip` of the largest change from one sample to the next: that of a
// parabola is four times what it falls by. (Of one with kinks the changes next to there say too little: its branches may be
// level there, and meet in between.) The curve strays from the cubic by no more than the margin, which changes the
// cost by as much as is known of it, else by kStrayed of its size for each radian. Parts are left out where a joint is
// outside the same limit at both ends by more than it moves from one to the other and strays.
BK_NOINLINE inline double closer_bound(const Target& t, const Limits& l, const Piece& p, const Cost& cost,
                                       double dip) {
  constexpr int kParts = kOct - 1;
  const Oct u = ramp() * (1.0 / kParts), v = 1.0 - u, uu = u * u * fnma(Oct(2.0), u, Oct(3.0)), uv = u * v;
  double q[kOct][7], value[kOct], b[kOct];
  unsigned beyond = 0;  // parts
  for (int k = 0; k < 7; ++k) {
    const Oct bend = uv * (v * p.slope_a[k] - u * p.slope_b[k]);
    const Oct x = fma(uu, Oct(p.chord[k]), p.a.q[k] + bend), turns = nearest((x - t.turn[k]) * (0.5 / kPi));
    fnma(turns, Oct(2.0 * kPi), x).store(b);
    for (int i = 0; i < kOct; ++i) q[i][k] = b[i];
    for (int i = 0; i < kParts; ++i) {
      const double low = min(b[i], b[i + 1]), high = max(b[i], b[i + 1]),
                   slack = high - low + p.stray[k] + kBendSlack;
      if (slack > kPi) continue;  // the turn ends between them
      beyond |= unsigned(high + slack < l.lower[k] || low - slack > l.upper[k]) << i;
    }
  }
  if (beyond == (1u << kParts) - 1u) return kNoCost;
  bound_values(t, l, cost, q[0], kOct, value);
  double change = 0, least = kNoCost, stray[7] = {};
  if (cost.values == limits_cost) strays_of_samples(q, kOct, stray);
  for (int k = 0; k < 7; ++k) stray[k] += p.stray[k];
  for (int i = 0; i < kParts; ++i) {
    change = max(change, __builtin_fabs(value[i + 1] - value[i]));
    if (beyond >> i & 1u) continue;
    least = min(least, cost.values == limits_cost ? least_limits_cost(l, q[i], q[i + 1], stray)
                                                  : min(value[i], value[i + 1]));
  }
  if (cost.values == limits_cost) return least;
  least -= dip * change;
  if (cost.values == nearest_cost) {
    const double distance = max(__builtin_sqrt(max(least, 0.0)) - kRootOf7 * p.margin, 0.0);
    return distance * distance;
  }
  return least - kStrayed * p.margin * __builtin_fabs(least);
}

// Eight points of a piece on the curve itself, at u in (0, 1). Returns the lanes that are good.
inline unsigned points_of(const Target& t, const Piece& p, Oct u, OnCurve* out) {
  Joints8 j;
  Oct w[7];
  const double scale = 1 / max(p.length, kTiny);
  const Oct v = 1.0 - u, uu = u * u * fnma(Oct(2.0), u, Oct(3.0)), uv = u * v;
  for (int k = 0; k < 7; ++k) {
    const Oct bend = uv * (v * p.slope_a[k] - u * p.slope_b[k]);
    j.q[k] = fma(uu, Oct(p.chord[k]), p.a.q[k] + bend);
    w[k] = Oct(p.chord[k] * scale);
  }
  if (t.rho > kClearOfAxis) {
    const unsigned good = slide_to_curve(t, j, w, 255u, out);
    if (good == 255u) return good;
  }
  out->j = j;
  for (int i = 0; i < kPieceSteps; ++i) {
    const Oct error = newton_in_plane(t, w, 1, &out->j, out->tangent);
    const unsigned good = (error < Oct(kPieceError)).bits();
    if (good == 255u || i == kPieceSteps - 1) return good;
  }
  return 0;
}

// Whether the lowest of ten even samples is one of the ends, and the parabola through the three next to it rises from
// there.
inline bool rises_from_end(const double* value, int low) {
  if (low > 0 && low <= kOct) return false;
  const int inward = low == 0 ? 1 : -1;
  const double first = value[low + inward], second = value[low + 2 * inward];
  if (first == kNoCost || second == kNoCost) return false;
  const double rise = first - value[low], slope = 0.5 * (4 * rise - (second - value[low]));
  return slope > kRisesFromEnd * rise;
}

// By how much the lowest of ten even samples, one of the ends, is above the chord of the next two, extended to it.
inline double rise_past_end(const double* value, int low) {
  const int inward = low == 0 ? 1 : -1;
  const double first = value[low + inward], second = value[low + 2 * inward];
  return first == kNoCost || second == kNoCost ? kNoCost : value[low] - 2 * first + second;
}

// Where the parabola through (0, a), (at, b) and (1, c) is lowest, and its value there. False if that is not between 0
// and 1.
inline bool lowest_of_parabola(double a, double b, double c, double at, double* u, double* value) {
  if (!(at > 0 && at < 1)) return false;
  const double left = (b - a) / at, bend = (c - b) / (1 - at) - left;
  if (!(bend > 0)) return false;
  *u = 0.5 * (at - left / bend);
  *value = a + *u * (left + bend * (*u - at));
  return *u > 0 && *u < 1;
}

// A piece with the costs of its ends, and the best sample between them if there is one.
struct Bracket {
  Piece p;
  double end[2];
  CurvePoint middle;
  double middle_value = kNoCost;
};

void search_piece(const Target& t, const Piece& p, const Cost& cost, Best* best);

// Closes in on the best point until the piece is no longer than `finest` [rad]: eight points of it, then the two parts next
// to the best one. False if no better point than the best one can be found there.
inline bool close_in(const Target& t, const Cost& cost, double finest, Bracket* x, Best* best) {
  while (x->p.length > finest) {
    OnCurve on;
    const unsigned good = points_of(t, x->p, (ramp() + 1.0) * (1.0 / 9), &on);
    CurvePoint point[kOct + 2];
    double q[kOct + 2][7], value[kOct + 2], b[kOct];
    point[0] = x->p.a, point[kOct + 1] = x->p.b;
    for (int k = 0; k < 7; ++k) {
      on.j.q[k].store(b);
      for (int i = 0; i < kOct; ++i) q[i + 1][k] = point[i + 1].q[k] = b[i];
      on.tangent[k].store(b);
      for (int i = 0; i < kOct; ++i) point[i + 1].tangent[k] = b[i];
    }
    value[0] = x->end[0], value[kOct + 1] = x->end[1];
    cost.values(q[1], kOct, value + 1, cost.context);
    int low = value[kOct + 1] < value[0] ? kOct + 1 : 0;
    for (int i = 1; i <= kOct; ++i) {
      if (!(good >> (i - 1) & 1u)) value[i] = kNoCost;
      if (value[i] < value[low]) low = i;
    }
    offer(value[low], point[low].q, best);
    // How low may it be next to there? Not below the chord of a neighbour and the next one, extended.
    double least = value[low];
    if (cost.values == limits_cost) {
      // Its kinks may be low elsewhere, too: those parts are searched by themselves.
      const Limits& l = *static_cast<const Limits*>(cost.context);
      double stray[7];
      for (int k = 0; k < 7; ++k) q[0][k] = point[0].q[k], q[kOct + 1][k] = point[kOct + 1].q[k];
      strays_of_samples(q, kOct + 2, stray);
      for (int i = 0; i <= kOct; ++i) {
        if (value[i] == kNoCost || value[i + 1] == kNoCost) continue;
        const double here = least_limits_cost(l, q[i], q[i + 1], stray);
        if (i == low || i + 1 == low) {
          least = min(least, here);
        } else if (here < best->value - kLeastGain) {
          search_piece(t, make_piece(point[i], point[i + 1]), cost, best);
        }
      }
    } else {
      double change = low > 0 && low <= kOct ? 0 : rise_past_end(value, low);
      for (int i = max(low - 1, 0); i <= min(low, kOct); ++i) {
        if (value[i] < kNoCost && value[i + 1] < kNoCost)
          change = max(change, __builtin_fabs(value[i + 1] - value[i]));
      }
      least -= change;
    }
    if (least > best->value) return false;
    if (cost.kind == kSmoothCost && rises_from_end(value, low)) return false;
    int from = low - 1, to = low + 1;
    if (from < 0) from = 0;
    if (to > kOct + 1) to = kOct + 1;
    while (from > 0 && value[from] == kNoCost) --from;
    while (to < kOct + 1 && value[to] == kNoCost) ++to;
    const double before = x->p.length;
    x->end[0] = value[from], x->end[1] = value[to];
    x->middle = point[low];
    x->middle_value = from < low && low < to ? value[low] : kNoCost;
    x->p = make_piece(point[from], point[to]);
    if (!(x->p.length < kShrinks * before)) return false;
  }
  return true;
}

// Where on the cubic of a piece a cost is lowest: golden section.
inline double lowest_on_cubic(const Piece& p, const Cost& cost) {
  const double ratio = 0.6180339887498949;
  double a = 0, b = 1, value[2], at[2] = {1 - ratio, ratio}, q[7];
  const auto on_cubic = [&](double s) {
    for (int k = 0; k < 7; ++k) q[k] = cubic_at(p, k, s);
    return cost_of(cost, q);
  };
  value[0] = on_cubic(at[0]), value[1] = on_cubic(at[1]);
  for (int i = 0; i < kGoldenSteps; ++i) {
    if (value[0] < value[1]) {
      b = at[1], at[1] = at[0], value[1] = value[0], at[0] = b - ratio * (b - a);
      value[0] = on_cubic(at[0]);
    } else {
      a = at[0], at[0] = at[1], value[0] = value[1], at[1] = a + ratio * (b - a);
      value[1] = on_cubic(at[1]);
    }
  }
  return 0.5 * (a + b);
}

// The lowest point of a short piece by a parabola through three points of it. True if the cost there is what the
// parabola says, or the piece has no such point.
inline bool try_parabola(const Target& t, const Cost& cost, Bracket* x, Best* best) {
  if (x->middle_value == kNoCost) {
    if (!point_near(t, x->p, 0.5, &x->middle)) return true;
    x->middle_value = cost_of(cost, x->middle.q);
    offer(x->middle_value, x->middle.q, best);
  }
  double along = 0, u, promised;
  for (int k = 0; k < 7; ++k) along += wrap_angle(x->middle.q[k] - x->p.a.q[k]) * x->p.chord[k];
  along /= x->p.length * x->p.length;
  CurvePoint lowest;
  if (!lowest_of_parabola(x->end[0], x->middle_value, x->end[1], along, &u, &promised) ||
      !point_near(t, x->p, u, &lowest))
    return true;
  const double value = cost_of(cost, lowest.q);
  offer(value, lowest.q, best);
  return __builtin_fabs(value - promised) <= kKeptPromise * __builtin_fabs(value);
}

// Searches a piece within the limits.
BK_NOINLINE inline void search_piece(const Target& t, const Piece& p, const Cost& cost, Best* best) {
  Bracket x;
  x.p = p;
  x.end[0] = cost_of(cost, p.a.q), x.end[1] = cost_of(cost, p.b.q);
  offer(x.end[0], p.a.q, best);
  offer(x.end[1], p.b.q, best);
  if (cost.kind == kSmoothCost) {
    for (const double finest : {kFinestSmooth, kFinestCheap, kFinestLast}) {
      if (!close_in(t, cost, finest, &x, best) || !(x.p.length > 0)) return;
      if (try_parabola(t, cost, &x, best)) return;
    }
    return;
  }
  if (!close_in(t, cost, cost.kind == kAnyCost ? kFinestAny : kFinestCheap, &x, best)) return;
  if (cost.kind == kAnyCost || !(x.p.length > 0)) return;
  CurvePoint lowest;  // the cubic is exact to rounding here
  if (point_near(t, x.p, lowest_on_cubic(x.p, cost), &lowest)) offer(cost_of(cost, lowest.q), lowest.q, best);
}

// Solutions exactly inside next to points that violate the limits by no more than rounding: where a curve
// passes a corner of the limits, or keeps to a stop. They move by no more than rounding, so that the first one
// in the order of their costs is the best.
BK_NOINLINE inline void offer_corners(const SelfMotion& m, const Limits& l, const Cost& cost, FeasibleSet* f,
                                      Best* best) {
  for (int i = 0; i < m.nodes; ++i) note_close(l, m.node[i].q, f);
  double value[kMaxClose];
  int n = 0;
  for (; n < f->close && f->close_by[n] < kCorner; ++n) value[n] = cost_of(cost, f->close_q[n]);
  for (int tried = 0; tried < n; ++tried) {
    int next = 0;
    for (int i = 1; i < n; ++i) {
      if (value[i] < value[next]) next = i;
    }
    if (best->found && !(value[next] < best->value)) return;
    value[next] = kNoCost;
    double* q = f->close_q[next];
    if (!(move_inside(m.target, l, q) < kReached)) continue;
    offer(cost_of(cost, q), q, best);
    return;
  }
}

// Looks for better points on all pieces that have come since the last call, and single points,
// within the limits. `f` is room to work in.
inline void improve_point(const SelfMotion& m, const Limits& l, const Cost& cost, const Effort& effort,
                          Prospects* prospects, FeasibleSet* f, Best* best) {
  clear(f, effort);
  const double dip = dip_of(cost);
  collect_prospects(m, l, cost, prospects);
  for (int i = 0; i < m.nodes; ++i) {
    const MotionNode& n = m.node[i];
    if (n.link[0] < 0 && n.link[1] < 0 && within(l, n.q)) offer(cost_of(cost, n.q), n.q, best);
  }
  while (true) {
    int next = -1;
    for (int i = 0; i < prospects->count; ++i) {
      if (next < 0 || prospects->bound[i] < prospects->bound[next]) next = i;
    }
    if (next < 0 || (best->found && prospects->bound[next] > best->value)) break;
    const LinkEnd e = prospects->link[next];
    const MotionNode& a = m.node[e.node];
    const Piece whole =
        make_piece(oriented(a, e.port == 1), oriented(m.node[a.link[e.port]], a.port[e.port] == 0));
    if (!prospects->close[next] && cost.kind != kAnyCost) {
      prospects->close[next] = true;
      prospects->bound[next] = max(prospects->bound[next], closer_bound(m.target, l, whole, cost, dip));
      continue;
    }
    --prospects->count;
    prospects->link[next] = prospects->link[prospects->count];
    prospects->bound[next] = prospects->bound[prospects->count];
    prospects->close[next] = prospects->close[prospects->count];
    f->points = f->intervals = 0;
    bool open = false;
    cut_piece(m.target, l, whole, 0, kCutDepth, f, &open);
    for (int i = 0; i < f->intervals; ++i) {
      const CurvePoint* point = f->point + f->interval[i].first;
      if (f->interval[i].count == 1) offer(cost_of(cost, point->q), point->q, best);
      for (int k = 0; k + 1 < f->interval[i].count; ++k) {
        search_piece(m.target, make_piece(point[k], point[k + 1]), cost, best);
      }
    }
  }
  offer_corners(m, l, cost, f, best);
}

// The minimum over a whole graph within the limits.
inline Best best_point(const SelfMotion& m, const Limits& l, const Cost& cost, const double* seed,
                       const Effort& effort, Prospects* prospects, FeasibleSet* f) {
  Best best;
  best.seed = seed;
  start_prospects(prospects);
  improve_point(m, l, cost, effort, prospects, f, &best);
  return best;
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
