// Planners for one instruction set (BAXTERKIT_ISA).
#include "planning/connect.hpp"
#include "planning/smooth.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace {

void rrt_connect(const PlanTask& task, const PlanStop& stop, PlanPath* path) {
  Connect(task, stop, path).run();
}

void smooth(const PlanTask& task, const PlanStop& stop, int rounds, double most, std::vector<double>* points,
            std::vector<double>* roundings) {
  std::vector<Point14> way(points->size() / kPlanJoints);
  std::memcpy(way.data(), points->data(), points->size() * sizeof(double));
  Smooth smooth(task, stop, std::move(way));
  if (rounds > 0) smooth.skip();
  smooth.shorten(rounds);
  *roundings = smooth.roundings(most);
  points->resize(smooth.way().size() * kPlanJoints);
  std::memcpy(points->data(), smooth.way().data(), points->size() * sizeof(double));
}

}  // namespace

extern const PlanTable plan_table;
const PlanTable plan_table = {rrt_connect, smooth};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
