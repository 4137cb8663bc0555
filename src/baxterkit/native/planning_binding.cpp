// The planner as methods of BodyChecker, and the timing of paths.
#include <algorithm>
#include <vector>

#include "generated/body_checker.hpp"
#include "generated/functions.hpp"
#include "objects.hpp"
#include "planning/speeds.hpp"
#include "planning_table.hpp"
#include "spread.hpp"

namespace baxterkit {
namespace {

PlanStop stop_of(Spread* thread) {
  return {[](void* of) { return static_cast<Spread*>(of)->stopped(); }, thread};
}

bool positive(double value, const char* name) {
  if (value > 0.0) return true;
  PyErr_Format(PyExc_ValueError, "%s must be positive", name);
  return false;
}

}  // namespace

namespace body_checker {

End connect(BodyChecker& self, const Connect& a, records::Planned& result) {
  PlanTask task;
  task.body = &self.shape;
  task.start = a.start;
  task.goals = a.goals;
  task.goal_count = static_cast<int>(a.n);
  std::copy(a.limits, a.limits + kPlanJoints, task.lower);
  std::copy(a.limits + kPlanJoints, a.limits + 2 * kPlanJoints, task.upper);
  task.moves[0] = a.moves & 1;
  task.moves[1] = a.moves >> 1 & 1;
  task.head = a.head;
  task.padding = a.margin;
  task.range = a.range;
  task.step = a.step;
  task.one_arm = a.one_arm;
  task.patience = a.patience;
  task.samples = a.samples;
  task.seconds = a.seconds;
  task.seed = a.seed;
  task.keep_trees = a.keep_trees;
  if (!positive(a.range, "range") || !positive(a.step, "step")) return End::raised;
  PlanPath path;
  Spread thread;
  const PlanStop stop = stop_of(&thread);
  const PlanTable& table = *active_table()->plan;
  if (!thread.run(1, [&] { table.rrt_connect(task, stop, &path); })) return End::raised;
  const auto rows = [](const std::vector<double>& x, int width) {
    return static_cast<npy_intp>(x.size()) / width;
  };
  result.end = static_cast<int>(path.end);
  result.goal = path.goal;
  result.samples = path.samples;
  result.verdicts = path.verdicts;
  result.proofs = path.proofs;
  result.refuted = path.refuted;
  result.nodes_at_start = path.nodes[0];
  result.nodes_at_goals = path.nodes[1];
  const std::vector<double>&points = path.points, &here = path.edges[0], &there = path.edges[1];
  constexpr int joints = kPlanJoints;
  const bool fine = result.points.copy(points.data(), {rows(points, joints), joints}) &&
                    result.edges_at_start.copy(here.data(), {rows(here, 2 * joints), 2, joints}) &&
                    result.edges_at_goals.copy(there.data(), {rows(there, 2 * joints), 2, joints});
  return fine ? End::fine : End::raised;
}

End smooth(BodyChecker& self, const Smooth& a, records::Smoothed& result) {
  PlanTask task = {};
  task.body = &self.shape;
  task.start = a.path;
  task.moves[0] = task.moves[1] = true;
  task.head = a.head;
  task.padding = a.margin;
  task.step = a.step;
  task.seed = a.seed;
  if (!positive(a.step, "step")) return End::raised;
  std::vector<double> points(a.path, a.path + a.n * kPlanJoints), roundings;
  Spread thread;
  const PlanStop stop = stop_of(&thread);
  const PlanTable& table = *active_table()->plan;
  const bool calm = thread.run(
      1, [&] { table.smooth(task, stop, static_cast<int>(a.rounds), a.most, &points, &roundings); });
  if (!calm) return End::raised;
  const auto corners = static_cast<npy_intp>(points.size() / kPlanJoints);
  const bool fine = result.corners.copy(points.data(), {corners, kPlanJoints}) &&
                    result.roundings.copy(roundings.data(), {static_cast<npy_intp>(roundings.size())});
  return fine ? End::fine : End::raised;
}

}  // namespace body_checker

End functions::speeds(const Speeds& a, Made<NPY_DOUBLE>& result) {
  SpeedTask task = {};
  task.n = a.n;
  task.m = a.m;
  task.length = a.lengths;
  task.a = a.a;
  task.b = a.b;
  task.c = a.c;
  task.most = a.most;
  return baxterkit::Speeds(task).solve(result.data()) ? End::fine : End::none;
}

}  // namespace baxterkit
