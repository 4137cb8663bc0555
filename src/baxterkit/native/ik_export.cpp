// The exported inverse kinematics behind its C interface: ik_export.h and this file, with all that they
// include, make the one file of `baxterkit export ik --to cpp`.
#include "ik_kernels.cpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

#include "generated/kinematics.hpp"
#include "ik_answer.hpp"
#include "ik_export.h"
#include "sincos.hpp"

#include "ik_export_arm.inc"

struct baxterkit_ik_solver {
  baxterkit_ik_arm arm;
  baxterkit::IkFrames frames;
  baxterkit::IkLimits limits;
  double middle[7];
  void* scratch;
};

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace exported {

constexpr double kMostStep = 0.5;        // [rad] MAX_STEP in ik/track.py and ik/path.py
constexpr double kFarthestLimit = 1e3;   // [rad] a range may not lie beyond it altogether

struct TipPose {
  const baxterkit_ik_arm& arm;

  void operator()(const double* q, double* T) const {
    double s[8], c[8];
    sincos_of_joints(q, 7, s, c);
    generated::fk<double>(s, c, arm.T_base_s0, arm.T_hand_tip, T);
  }
};

constexpr IkCaller kNobody = {nullptr, [](void*) {}, [](void*) { return false; }};

// Rows of [R | p] that are a pose.
inline bool is_pose(const double* rows) {
  double T[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, out[12];
  std::copy(rows, rows + 12, T);
  return rigid(T, out);
}

inline bool usable_limits(const baxterkit_ik_arm& arm) {
  for (int k = 0; k < 7; ++k) {
    if (!(arm.lower[k] <= arm.upper[k])) return false;
    if (!(arm.lower[k] <= kFarthestLimit && arm.upper[k] >= -kFarthestLimit)) return false;
  }
  return true;
}

inline bool usable_steps(const double* most, std::ptrdiff_t n) {
  bool fine = true;
  for (std::ptrdiff_t i = 0; i < n; ++i) fine &= most[i] > 0;
  return fine;
}

}  // namespace exported
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit

extern "C" {

void baxterkit_ik_default_arm(baxterkit_ik_arm* arm) { *arm = baxterkit_ik_exported_arm; }

baxterkit_ik_solver* baxterkit_ik_make(const baxterkit_ik_arm* arm) {
  using namespace baxterkit;
  using namespace baxterkit::BAXTERKIT_ISA;
  const baxterkit_ik_arm& given = arm ? *arm : baxterkit_ik_exported_arm;
  if (!exported::is_pose(given.T_base_s0) || !exported::is_pose(given.T_hand_tip)) return nullptr;
  if (!exported::usable_limits(given)) return nullptr;
  auto* s = new (std::nothrow) baxterkit_ik_solver();
  if (!s) return nullptr;
  s->scratch = make_scratch();
  if (!s->scratch) {
    delete s;
    return nullptr;
  }
  s->arm = given;
  invert(given.T_base_s0, s->frames.s0_base);
  invert(given.T_hand_tip, s->frames.tip_hand);
  std::copy(given.lower, given.lower + 7, s->limits.lower);
  std::copy(given.upper, given.upper + 7, s->limits.upper);
  middle_of(s->limits, s->middle);
  return s;
}

void baxterkit_ik_free(baxterkit_ik_solver* solver) {
  if (!solver) return;
  baxterkit::BAXTERKIT_ISA::free_scratch(solver->scratch);
  delete solver;
}

void baxterkit_ik_fk(const baxterkit_ik_solver* solver, const double* q, double* T) {
  baxterkit::BAXTERKIT_ISA::exported::TipPose{solver->arm}(q, T);
}

int baxterkit_ik_solve(baxterkit_ik_solver* solver, const double* T, const double* seed, int objective,
                       double* q, baxterkit_ik_details* details) {
  using namespace baxterkit;
  using namespace baxterkit::BAXTERKIT_ISA;
  const double* start = seed ? seed : solver->middle;
  std::fill(q, q + 7, kNaN);
  if (objective < baxterkit_ik_QUICK || objective > baxterkit_ik_GRAVITY || !usable_seed(start, 7)) {
    return baxterkit_ik_BAD_ARGUMENT;
  }
  double pose[12], hand[12];
  if (!hand_pose(solver->frames, T, pose, hand)) return baxterkit_ik_BAD_TARGET;
  static_assert(static_cast<int>(baxterkit_ik_GRAVITY) == ik_gravity, "objectives have the goals' numbers");
  const IkGravity by_gravity = {solver->arm.beta, solver->arm.gravity};
  Row row;
  row.code = BAXTERKIT_ISA::solve(hand, start, solver->limits, static_cast<IkGoal>(objective), nullptr,
                                  &by_gravity, exported::kNobody, solver->scratch, row.q, row.violation);
  finish_row(exported::TipPose{solver->arm}, pose, &row);
  std::copy(row.q, row.q + 7, q);
  if (details) {
    details->position_error = row.errors[0];
    details->orientation_error = row.errors[1];
    for (int k = 0; k < 7; ++k) {
      details->nearest[k] = row.code == kLimits ? row.nearest[k] : kNaN;
      details->violation[k] = row.code == kLimits ? row.violation[k] : 0.0;
    }
  }
  return row.code;
}

int baxterkit_ik_solve_many(baxterkit_ik_solver* solver, int n, const double* T, const double* seeds,
                            double* q, signed char* status) try {
  using namespace baxterkit;
  using namespace baxterkit::BAXTERKIT_ISA;
  if (n < 0 || (seeds && !usable_seed(seeds, 7 * std::ptrdiff_t(n)))) return baxterkit_ik_BAD_ARGUMENT;
  constexpr int kBlock = 512;  // targets side by side
  double pose[12], hand[12];
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    if (!hand_pose(solver->frames, T + 16 * i, pose, hand)) return baxterkit_ik_BAD_TARGET;
  }
  const int most = std::min(n, kBlock);
  std::vector<double> poses(12 * most), hands(12 * most), starts(7 * most), found(7 * most),
      violation(7 * most);
  std::vector<unsigned char> code(most);
  for (std::ptrdiff_t first = 0; first < n; first += kBlock) {
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(kBlock, n - first));
    for (int i = 0; i < count; ++i) {
      hand_pose(solver->frames, T + 16 * (first + i), &poses[12 * i], &hands[12 * i]);
      const double* start = seeds ? seeds + 7 * (first + i) : solver->middle;
      std::copy(start, start + 7, &starts[7 * i]);
    }
    quick_many(count, hands.data(), starts.data(), solver->limits, exported::kNobody, solver->scratch,
               code.data(), found.data(), violation.data());
    for (int i = 0; i < count; ++i) {
      Row row;
      row.code = static_cast<IkStatus>(code[i]);
      std::copy(&found[7 * i], &found[7 * i] + 7, row.q);
      finish_row(exported::TipPose{solver->arm}, &poses[12 * i], &row);
      std::copy(row.q, row.q + 7, q + 7 * (first + i));
      status[first + i] = static_cast<signed char>(row.code);
    }
  }
  return 0;
} catch (const std::bad_alloc&) {
  return baxterkit_ik_NO_MEMORY;
}

int baxterkit_ik_all(const baxterkit_ik_solver* solver, const double* T, double e0, int limited, double* q) {
  using namespace baxterkit;
  double pose[12], hand[12];
  if (!std::isfinite(e0)) return baxterkit_ik_BAD_ARGUMENT;
  if (!hand_pose(solver->frames, T, pose, hand)) return baxterkit_ik_BAD_TARGET;
  return BAXTERKIT_ISA::all(hand, e0, limited ? &solver->limits : nullptr, q);
}

int baxterkit_ik_track(const baxterkit_ik_solver* solver, const double* T, const double* from,
                       const double* max_step, int hold_elbow, double* q) {
  using namespace baxterkit;
  using namespace baxterkit::BAXTERKIT_ISA;
  double most[7], pose[12], hand[12];
  std::fill(q, q + 7, kNaN);
  std::fill(most, most + 7, exported::kMostStep);
  if (max_step) std::copy(max_step, max_step + 7, most);
  if (!exported::usable_steps(most, 7) || !usable_seed(from, 7)) return baxterkit_ik_BAD_ARGUMENT;
  if (!hand_pose(solver->frames, T, pose, hand)) return baxterkit_ik_BAD_TARGET;
  Row row;
  row.code = BAXTERKIT_ISA::track(hand, from, solver->limits, most, hold_elbow != 0, row.q);
  finish_row(exported::TipPose{solver->arm}, pose, &row);
  std::copy(row.q, row.q + 7, q);
  return row.code;
}

int baxterkit_ik_path(baxterkit_ik_solver* solver, int n, const double* T, const double* seed, int starts,
                      const double* max_step, double* q) try {
  using namespace baxterkit;
  using namespace baxterkit::BAXTERKIT_ISA;
  const std::ptrdiff_t steps = 7 * std::max<std::ptrdiff_t>(n - 1, 0);
  if (n < 1 || n > 1000000 || (seed && !usable_seed(seed, 7)) || (starts && !seed) ||
      (max_step && !exported::usable_steps(max_step, steps))) {
    return baxterkit_ik_BAD_ARGUMENT;
  }
  std::vector<double> hands(12 * std::size_t(n)), most(steps, exported::kMostStep);
  if (max_step) std::copy(max_step, max_step + steps, most.begin());
  double pose[12];
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    if (!hand_pose(solver->frames, T + 16 * i, pose, &hands[12 * i])) return baxterkit_ik_BAD_TARGET;
  }
  std::fill(q, q + 7 * std::ptrdiff_t(n), kNaN);
  const int reached = BAXTERKIT_ISA::path(hands.data(), n, seed, starts != 0, solver->limits, most.data(),
                                          exported::kNobody, solver->scratch, q);
  return reached < 0 ? baxterkit_ik_NO_MEMORY : reached;
} catch (const std::bad_alloc&) {
  return baxterkit_ik_NO_MEMORY;
}

const char* baxterkit_ik_isa(void) {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "baseline";
#endif
}

}  // extern "C"
