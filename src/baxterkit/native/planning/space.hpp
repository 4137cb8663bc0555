// Which configurations and motions are free: configurations along an edge one after the other, and the proof of
// all between.
#pragma once

#include "../collision/closest.hpp"
#include "../collision/edge.hpp"
#include "point.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

class Space {
 public:
  Space(const PlanTask& task, PlanPath* counts)
      : task_(task), counts_(counts), configuration_(*task.body), edge_(*task.body) {
    double s[8], c[8];
    sincos_of_joints(&task.head, 1, s, c);
    kinematics_.head.set(task.body->pan, Vec(s[0]), Vec(c[0]));
    for (int arm = 0; arm < 2; ++arm) {
      if (!task.moves[arm]) place(arm, task.start + 7 * arm, task.start + 7 * arm, Vec(0.0));
    }
  }

  // Whether the configurations a + (k / n) (b - a), k = 1 ... n, are free, in an order that finds a
  // collision soon: each group is spread over the whole edge, and the first one has its end.
  bool looks_free(const Point14& a, const Point14& b, int n) {
    const int groups = (n + kWidth - 1) / kWidth;
    for (int g = groups; g >= 1; --g) {
      Vec part;
      for (int i = 0; i < kWidth; ++i) {
        part.v[i] = std::min(g + i * groups, n) / static_cast<double>(n);
      }
      for (int arm = 0; arm < 2; ++arm) {
        if (task_.moves[arm]) place(arm, a.q + 7 * arm, b.q + 7 * arm, part);
      }
      for (int i = kWidth - 1; i >= 0; --i) {
        if (hit(i)) return false;
      }
    }
    return true;
  }

  // Whether all between two configurations is free.
  bool proven(const Point14& a, const Point14& b) { return proven(a, b, task_.padding); }
  bool proven(const Point14& a, const Point14& b, double padding) {
    ++counts_->proofs;
    const double *from[2] = {a.q, a.q + 7}, *to[2] = {b.q, b.q + 7};
    if (edge_.free(from, to, task_.head, padding)) return true;
    ++counts_->refuted;
    return false;
  }

 private:
  const PlanTask& task_;
  PlanPath* counts_;
  Kinematics<Vec> kinematics_;
  Configuration configuration_;
  Edge edge_;

  // An arm at several places between two configurations; the other one stays where it was placed.
  void place(int arm, const double* a, const double* b, Vec part) {
    Vec s[8], c[8];
    for (int j = 0; j < 7; ++j) sincos(fma(part, Vec(b[j] - a[j]), Vec(a[j])), s[j], c[j]);
    kinematics_.set_arm(*task_.body, arm, s, c);
  }
  bool hit(int lane) {
    ++counts_->verdicts;
    kinematics_.look(lane, configuration_);
    Verdict verdict(task_.padding, task_.body->margin);
    walk(configuration_, verdict);
    return verdict.hit;
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
