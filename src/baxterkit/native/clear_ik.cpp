// The quick answer is taken if it touches nothing. Otherwise the hand is checked: its pose is the
// target's, so if the hand touches something, every solution does. If not, solutions are looked for
// along the self-motion, at few values of e0 first and then at more, until one of them is free.
#include "clear_ik.hpp"

#include <algorithm>
#include <cmath>

namespace baxterkit {
namespace {

constexpr int kFew = 16;  // values of e0 in a row of the sweep: its first lot
constexpr int kRows = kSweep / kFew;
constexpr double kHalfTurn = 3.14159265358979323846;

// The order of the rows, which interleave: each lot halves what is left between the values before.
constexpr int kOrder[kRows] = {12, 4, 20, 8, 16, 0,  24, 2,  6,  10, 14, 18, 22,
                               1,  3, 5,  7, 9,  11, 13, 15, 17, 19, 21, 23};
// Rows that are tried together.
constexpr int kLots[] = {1, 3, 4, 4, 4, 4, 5};

// The e0 at a place of the sweep, evenly spaced over the limits.
double e0_at(const IkLimits& limits, int place) {
  double low = limits.lower[2], high = limits.upper[2];
  if (!std::isfinite(low)) low = std::isfinite(high) ? high - 2 * kHalfTurn : -kHalfTurn;
  if (!std::isfinite(high)) high = low + 2 * kHalfTurn;
  if (place == kSweep - 1) return high;
  return low + place * ((high - low) / (kSweep - 1));
}

double squared_distance(const double* a, const double* b) {
  double sum = 0.0;
  for (int k = 0; k < 7; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

struct FkOfArm {
  const KernelTable& table;
  const Parameters& parameters;
  void operator()(const double* q, double* T) const { table.kernels[kernel_fk].one(&q, T, parameters); }
};

}  // namespace

BodyRows FreeSearch::rows(const double* own, int own_stride, const double* other, int other_stride,
                          const double* head, int head_stride) const {
  if (arm_.arm == 0) return {own, other, head, own_stride, other_stride, head_stride};
  return {other, own, head, other_stride, own_stride, head_stride};
}

bool FreeSearch::start(const FreeTargets& targets, std::ptrdiff_t first, std::ptrdiff_t last,
                       const IkCaller& caller) {
  const int n = static_cast<int>(last - first);
  pose_.resize(12 * n);
  hand_.resize(12 * n);
  q_.resize(7 * n);
  violation_.resize(7 * n);
  code_.resize(n);
  hit_.assign(n, 0);
  for (int i = 0; i < n; ++i) {
    if (!hand_pose(arm_.frames, targets.T + 16 * (first + i), &pose_[12 * i], &hand_[12 * i])) {
      return false;
    }
  }
  if (!arm_.table.ik->quick_many(n, hand_.data(), targets.seed + 7 * first, arm_.limits, caller, scratch_,
                                 code_.data(), q_.data(), violation_.data())) {
    return false;
  }
  // Verdicts of the quick answers, side by side; the other rows are left out.
  std::vector<int> solved;
  found_.clear();
  other_.clear();
  head_.clear();
  for (int i = 0; i < n; ++i) {
    if (code_[i] != kSolved) continue;
    solved.push_back(i);
    found_.insert(found_.end(), &q_[7 * i], &q_[7 * i] + 7);
    const double* other = targets.other + (first + i) * targets.other_stride;
    other_.insert(other_.end(), other, other + 7);
    head_.push_back(targets.head[(first + i) * targets.head_stride]);
  }
  std::vector<unsigned char> hit(solved.size());
  if (!arm_.table.collision->hits(arm_.whole, static_cast<std::ptrdiff_t>(solved.size()),
                                  rows(found_.data(), 7, other_.data(), 7, head_.data(), 1), arm_.padding,
                                  hit.data())) {
    return false;
  }
  for (std::size_t k = 0; k < solved.size(); ++k) hit_[solved[k]] = hit[k];
  return true;
}

void FreeSearch::finish(const FreeTargets& targets, std::ptrdiff_t i, int at, FreeAnswer* answer) {
  Row& row = answer->row;
  row.code = static_cast<IkStatus>(code_[at]);
  std::copy(&q_[7 * at], &q_[7 * at] + 7, row.q);
  std::copy(&violation_[7 * at], &violation_[7 * at] + 7, row.violation);
  finish_row(FkOfArm{arm_.table, arm_.parameters}, &pose_[12 * at], &row);
  answer->by_hand = false;
  if (row.code != kSolved || !hit_[at]) return;
  std::copy(row.q, row.q + 7, answer->blamed);
  const double* other = targets.other + i * targets.other_stride;
  const double* head = targets.head + i * targets.head_stride;
  unsigned char by_hand = 0;
  arm_.table.collision->hits(arm_.hand, 1, rows(row.q, 0, other, 0, head, 0), arm_.padding, &by_hand);
  answer->by_hand = by_hand != 0;
  if (!by_hand) {
    if (search(targets.seed + 7 * i, other, head, at, &row)) return;
    blame(other, head, answer);
  }
  row.code = kCollision;
  reject(&row);
}

bool FreeSearch::search(const double* seed, const double* other, const double* head, int at, Row* row) {
  const IkTable& ik = *arm_.table.ik;
  ik.sweep_begin(&hand_[12 * at], arm_.limits, scratch_);
  first_.clear();
  int next = 0;
  for (int lot : kLots) {
    double e0[kSweep];
    int n = 0;
    for (const int end = next + lot; next < end; ++next) {
      for (int i = 0; i < kFew; ++i) e0[n++] = e0_at(arm_.limits, kOrder[next] + kRows * i);
    }
    found_.clear();
    ik.sweep_more(
        n, e0, scratch_,
        [](void* found, const double* q) {
          auto* list = static_cast<std::vector<double>*>(found);
          list->insert(list->end(), q, q + 7);
        },
        &found_);
    const int count = static_cast<int>(found_.size() / 7);
    hit_of_.resize(count);
    arm_.table.collision->hits(arm_.whole, count, rows(found_.data(), 7, other, 0, head, 0), arm_.padding,
                               hit_of_.data());
    while (true) {  // the free one that is nearest to the seed
      int best = -1;
      double least = 0.0;
      for (int k = 0; k < count; ++k) {
        const double away = squared_distance(&found_[7 * k], seed);
        if (!hit_of_[k] && (best < 0 || away < least)) best = k, least = away;
      }
      if (best < 0) break;
      row->code = kSolved;
      std::copy(&found_[7 * best], &found_[7 * best] + 7, row->q);
      finish_row(FkOfArm{arm_.table, arm_.parameters}, &pose_[12 * at], row);
      if (row->code == kSolved) return true;
      hit_of_[best] = 1;
    }
    if (first_.empty()) first_ = found_;
  }
  return false;
}

// Where the clearance is greatest, of the first solutions.
void FreeSearch::blame(const double* other, const double* head, FreeAnswer* answer) {
  const int n = static_cast<int>(first_.size() / 7);
  gap_.resize(n);
  arm_.table.collision->clearances(arm_.whole, n, rows(first_.data(), 7, other, 0, head, 0), gap_.data());
  if (n == 0) return;
  const auto best = std::max_element(gap_.begin(), gap_.end()) - gap_.begin();
  std::copy(&first_[7 * best], &first_[7 * best] + 7, answer->blamed);
}

}  // namespace baxterkit
