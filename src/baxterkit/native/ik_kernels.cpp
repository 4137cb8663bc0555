// The exact inverse kinematics of one instruction set (BAXTERKIT_ISA), behind plain functions.
#include "ik_table.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <vector>

#include "ik/folds.hpp"
#include "ik/objectives.hpp"
#include "ik/path.hpp"
#include "ik/quick_batch.hpp"
#include "ik/sweep.hpp"
#include "ik/track_step.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace {

struct IkScratch {
  ik::Scratch scratch;
  ik::Prospects prospects;
  std::vector<double> points, feasible;
  std::vector<int> curve_first, segments;
  std::vector<ik::Target> targets;
  struct {
    IkLimits given;
    ik::Target target;
    ik::Limits limits;
    ik::SweepBounds bounds;
  } sweep;
};

std::atomic<long long> repeated{0}, cut_short{0};

// Adds to the counts what a scratch has counted.
void tally(IkScratch* s) {
  if (s->scratch.repeated) repeated += s->scratch.repeated;
  if (s->scratch.cut_short) cut_short += s->scratch.cut_short;
  s->scratch.repeated = s->scratch.cut_short = 0;
}

IkShortages shortages() { return {repeated, cut_short}; }

void* make_scratch() { return new (std::nothrow) IkScratch(); }
void free_scratch(void* scratch) { delete static_cast<IkScratch*>(scratch); }

// The middles of the joint ranges, 0 where a joint has none.
void middle_of(const IkLimits& given, double* middle) {
  for (int k = 0; k < 7; ++k) {
    const double m = 0.5 * (given.lower[k] + given.upper[k]);
    middle[k] = std::isfinite(m) ? m : 0.0;
  }
}

// How far each joint is beyond its limits: positive above, negative below.
void signed_violation(const ik::Limits& limits, const double* q, double* violation) {
  for (int k = 0; k < 7; ++k) {
    const double size = ik::violation(limits, k, q[k]);
    violation[k] = q[k] < limits.lower[k] ? -size : size;
  }
}

IkStatus solve(const double* T, const double* seed, const IkLimits& given, IkGoal goal, IkObjective objective,
               const void* context, const IkCaller& caller, void* scratch, double* q, double* violation) {
  ik::Target target = ik::make_target(T);
  double middle[7];
  middle_of(given, middle);
  const ik::Limits limits =
      ik::place_limits(given.lower, given.upper, goal == ik_far_from_limits ? middle : seed, &target);
  auto* s = static_cast<IkScratch*>(scratch);
  const ik::Cost cost = goal == ik_nearest           ? ik::Cost{ik::nearest_cost, seed, ik::kCheapCost}
                        : goal == ik_far_from_limits ? ik::Cost{ik::limits_cost, &limits, ik::kCheapCost}
                        : goal == ik_manipulability  ? ik::smooth_cost<ik::manipulability_cost>(nullptr)
                        : goal == ik_gravity         ? ik::smooth_cost<ik::gravity_cost>(context)
                                                     : ik::Cost{objective, context, ik::kAnyCost};
  const auto before_long = [&] { caller.before_long(caller.context); };
  if (goal != ik_quick) before_long();
  const ik::Answer answer = goal == ik_quick
                                ? ik::solve_quick(target, seed, limits, &s->scratch, before_long)
                                : ik::solve_best(target, seed, limits, cost, &s->scratch, &s->prospects);
  tally(s);
  std::copy(answer.q, answer.q + 7, q);
  if (answer.status == kLimits) signed_violation(limits, q, violation);
  if (target.turned && answer.status == kSolved) {  // the ends of a turn are rounded
    for (int k = 0; k < 7; ++k) q[k] = std::min(std::max(q[k], given.lower[k]), given.upper[k]);
  }
  return answer.status;
}

bool quick_many(int n, const double* T, const double* seed, const IkLimits& given, const IkCaller& caller,
                void* scratch, unsigned char* code, double* q, double* violation) {
  auto* s = static_cast<IkScratch*>(scratch);
  bool fine = true;
  int answers = 0;
  ik::Limits limits;
  const auto put = [&](int i, const ik::Answer& a, bool traced) {
    code[i] = a.status;
    std::copy(a.q, a.q + 7, q + 7 * i);
    if (a.status == kLimits) signed_violation(limits, a.q, violation + 7 * i);
    if (traced || ++answers % 64 == 0) fine = !caller.stopped(caller.context);
    return fine;
  };
  s->targets.resize(n);
  for (int i = 0; i < n; ++i) {
    ik::Target& t = s->targets[i];
    t = ik::make_target(T + 12 * i);
    limits = ik::place_limits(given.lower, given.upper, seed + 7 * i, &t);
    if (!t.turned) continue;  // the lanes know limits inside of [-pi, pi] only
    if (caller.stopped(caller.context)) return false;
    const IkCaller nobody = {nullptr, [](void*) {}, [](void*) { return false; }};
    code[i] = solve(T + 12 * i, seed + 7 * i, given, ik_quick, nullptr, nullptr, nobody, scratch, q + 7 * i,
                    violation + 7 * i);
  }
  if (n > 0 && s->targets[0].turned) return true;
  ik::solve_quick_batch(n, s->targets.data(), seed, limits, &s->scratch, put);
  tally(s);
  return fine;
}

int all(const double* T, double e0, const IkLimits* given, double* q) {
  ik::Solutions solutions;
  ik::Target target = ik::make_target(T);
  ik::Limits limits;
  if (given) {
    double middle[7];
    middle_of(*given, middle);
    limits = ik::place_limits(given->lower, given->upper, middle, &target);
    target.turn[2] = target.turned ? e0 : 0.0;
  }
  ik::solve_fixed_e0(target, e0, &solutions);
  int order[ik::kMaxSolutions], count = 0;
  for (int i = 0; i < solutions.count; ++i) {
    if (given && !ik::within(limits, solutions.q[i])) continue;
    order[count++] = i;
  }
  std::sort(order, order + count, [&](int a, int b) {
    return std::lexicographical_compare(solutions.q[a], solutions.q[a] + 7, solutions.q[b],
                                        solutions.q[b] + 7);
  });
  if (count > kMaxIkSolutions) {  // of a continuum: every so many of them
    for (int i = 0; i < kMaxIkSolutions; ++i) order[i] = order[i * count / kMaxIkSolutions];
    count = kMaxIkSolutions;
  }
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 7; ++k) {
      const double x = solutions.q[order[i]][k];
      q[7 * i + k] = given ? std::min(std::max(x, given->lower[k]), given->upper[k]) : x;
    }
  }
  return count;
}

void sweep_begin(const double* T, const IkLimits& given, void* scratch) {
  auto& sweep = static_cast<IkScratch*>(scratch)->sweep;
  double middle[7];
  middle_of(given, middle);
  sweep.given = given;
  sweep.target = ik::make_target(T);
  sweep.limits = ik::place_limits(given.lower, given.upper, middle, &sweep.target);
  sweep.bounds = ik::sweep_bounds(sweep.target, sweep.limits);
}

void sweep_more(int n, const double* e0, void* scratch, void (*put)(void* context, const double* q),
                void* context) {
  auto* s = static_cast<IkScratch*>(scratch);
  const IkLimits& given = s->sweep.given;
  ik::sweep_e0(s->sweep.target, s->sweep.limits, s->sweep.bounds, n, e0, &s->scratch, [&](const double* q) {
    double inside[7];
    for (int k = 0; k < 7; ++k) {
      inside[k] = std::min(std::max(q[k], given.lower[k]), given.upper[k]);
    }
    put(context, inside);
  });
}

// Walks the graph of the self-motion: each curve once, joints continuous along it.
void collect_curves(const ik::SelfMotion& m, IkScratch* s) {
  s->points.clear();
  s->curve_first.assign(1, 0);
  std::vector<char> done(m.nodes, 0);
  for (int round = 0; round < 2; ++round) {  // open ends first, then closed curves
    for (int start = 0; start < m.nodes; ++start) {
      const ik::MotionNode& n = m.node[start];
      if (done[start] || (n.link[0] < 0 && n.link[1] < 0)) continue;
      if (round == 0 && n.link[0] >= 0 && n.link[1] >= 0) continue;
      int at = start, out = n.link[1] >= 0 ? 1 : 0;
      double q[7];
      std::copy(n.q, n.q + 7, q);
      s->points.insert(s->points.end(), q, q + 7);
      while (true) {
        done[at] = 1;
        const ik::MotionNode& here = m.node[at];
        if (here.link[out] < 0) break;
        const int next = here.link[out], entered = here.port[out];
        for (int k = 0; k < 7; ++k) q[k] += ik::wrap_angle(m.node[next].q[k] - q[k]);
        s->points.insert(s->points.end(), q, q + 7);
        if (done[next]) break;
        at = next;
        out = 1 - entered;
      }
      s->curve_first.push_back(static_cast<int>(s->points.size() / 7));
    }
  }
}

constexpr double kOtherSlices = 0.041;  // [rad] by how much they stand beside the usual ones

// How many ends of curves lead nowhere.
int open_ends(const ik::SelfMotion& m) {
  int ends = 0;
  for (int i = 0; i < m.nodes; ++i) ends += (m.node[i].link[0] < 0) != (m.node[i].link[1] < 0);
  return ends;
}

// The solutions of all slices.
void keep_slice_points(const ik::SelfMotion& m, std::vector<double>* points) {
  points->clear();
  for (int i = 0; i < m.nodes; ++i) {
    if (m.node[i].slice >= 0) points->insert(points->end(), m.node[i].q, m.node[i].q + 7);
  }
}

// Adds the curves through those of these solutions that are on none; true if there are any. (Other
// slices may lie on either side of a curve that these ones have met.)
bool add_missing(const std::vector<double>& points, ik::SelfMotion* m) {
  bool any = false;
  for (std::size_t i = 0; i < points.size(); i += 7) {
    if (!ik::is_known(*m, points.data() + i)) any |= ik::add_loop(m, points.data() + i);
  }
  return any;
}

IkMotion motion(const double* T, const IkLimits& given, void* scratch) {
  auto* s = static_cast<IkScratch*>(scratch);
  ik::SelfMotion& m = s->scratch.motion;
  ik::FeasibleSet& f = s->scratch.feasible;
  ik::Target target = ik::make_target(T);
  double middle[7];
  middle_of(given, middle);
  const ik::Limits limits = ik::place_limits(given.lower, given.upper, middle, &target);
  const auto trace = [&](double e0, const ik::Effort& effort) {
    ik::start_motion(target, e0, effort, &m);
    ik::clear(&f, effort);
    if (!ik::wrist_out_of_reach(target)) {
      ik::trace_motion(&m);
      ik::find_feasible(m, limits, effort, &f);
    }
    return open_ends(m);
  };
  int ends = trace(0.0, ik::kOnce);
  if (m.shortage | f.shortage) {
    ++repeated;
    ends = trace(0.0, ik::kAgain);
  }
  if (ends > 0) {  // a slice may just have touched a curve: once more with others
    const ik::Effort effort = m.effort;
    keep_slice_points(m, &s->points);
    ends -= trace(kOtherSlices, effort);
    if (ends < 0 || (m.shortage | f.shortage)) {
      trace(0.0, effort);
    } else if (add_missing(s->points, &m)) {
      ik::clear(&f, effort);
      ik::find_feasible(m, limits, effort, &f);
    }
  }
  collect_curves(m, s);
  s->feasible.clear();
  s->segments.clear();
  for (int i = 0; i < f.intervals; ++i) {
    const int first = static_cast<int>(s->feasible.size() / 7);
    const auto put = [&](const ik::CurvePoint& x) {
      if (!ik::within(limits, x.q)) return;
      for (int k = 0; k < 7; ++k) s->feasible.push_back(ik::clip(limits, k, x.q[k]));
    };
    const int end = f.interval[i].first + f.interval[i].count;
    for (int n = f.interval[i].first; n < end; ++n) {
      put(f.point[n]);
      if (n + 1 < end) ik::visit_folds(target, f.point[n], f.point[n + 1], 3, put);
    }
    const int count = static_cast<int>(s->feasible.size() / 7) - first;
    if (count) s->segments.insert(s->segments.end(), {first, count, f.interval[i].closed ? 1 : 0});
  }
  return {static_cast<int>(s->points.size() / 7),
          static_cast<int>(s->curve_first.size()) - 1,
          s->points.data(),
          s->curve_first.data(),
          static_cast<int>(s->feasible.size() / 7),
          static_cast<int>(s->segments.size() / 3),
          s->feasible.data(),
          s->segments.data(),
          !(m.shortage | f.shortage)};
}

int path(const double* T, int n, const double* seed, bool start, const IkLimits& given, const double* most,
         const IkCaller& caller, void* scratch, double* q) try {
  double middle[7];
  middle_of(given, middle);
  std::vector<ik::Target> targets(n);
  std::vector<ik::Limits> limits(n);
  for (int i = 0; i < n; ++i) {
    targets[i] = ik::make_target(T + 12 * static_cast<std::size_t>(i));
    limits[i] = ik::place_limits(given.lower, given.upper, seed ? seed : middle, &targets[i]);
  }
  auto* s = static_cast<IkScratch*>(scratch);
  return ik::find_path(
      {n, targets.data(), limits.data(), most, seed, start}, &s->scratch, &s->prospects,
      [&] { return caller.stopped(caller.context); }, q);
} catch (const std::bad_alloc&) {
  return -1;
}

IkStatus track(const double* T, const double* from, const IkLimits& given, const double* most,
               bool hold_elbow, double* q) {
  ik::Target target = ik::make_target(T);
  const ik::Limits limits = ik::place_limits(given.lower, given.upper, from, &target);
  if (!ik::track_step(target, limits, most, from, hold_elbow, q)) {
    return ik::wrist_out_of_reach(target) ? kOutOfReach : kNotConverged;
  }
  for (int k = 0; k < 7; ++k) q[k] = std::min(std::max(q[k], given.lower[k]), given.upper[k]);
  return kSolved;
}

}  // namespace

extern const IkTable ik_table;
const IkTable ik_table = {make_scratch, free_scratch, solve, quick_many, all,      sweep_begin,
                          sweep_more,   motion,       path,  track,      shortages};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
