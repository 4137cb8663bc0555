// Exact inverse kinematics from Python: one target as fast as a call can be, and batches on all
// threads. Both run the same function on each target, so their answers are the same to the bit.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "arguments.hpp"
#include "clear_ik.hpp"
#include "generated/ik_solver.hpp"
#include "ik_rows.hpp"
#include "spread.hpp"

namespace baxterkit {
namespace {

constexpr npy_intp kBlock = 512;     // targets that a thread takes at a time, at most
constexpr npy_intp kPerThread = 64;  // below this, another thread costs more than it brings

struct FreeScratch {
  const IkTable* table;
  void operator()(void* scratch) const { table->free_scratch(scratch); }
};
using ScratchPointer = std::unique_ptr<void, FreeScratch>;

void* scratch_of(IkSolver* s) {
  const KernelTable* table = active_table();
  if (s->scratch && s->table != table) {
    s->table->ik->free_scratch(s->scratch);
    s->scratch = nullptr;
  }
  s->table = table;
  if (!s->scratch) s->scratch = table->ik->make_scratch();
  if (!s->scratch) PyErr_NoMemory();
  return s->scratch;
}

End out_of_memory_end() {
  PyErr_NoMemory();
  return End::raised;
}

// Calls work(first, last, scratch, caller) for blocks of [0, n) on several threads; it says whether
// to go on.
template <class Work>
End spread(npy_intp n, const IkTable& table, const Work& work) {
  std::atomic<npy_intp> next{0};
  std::atomic<bool> fine{true}, out_of_memory{false};
  Spread threads;
  const IkCaller caller = {&threads, [](void*) {},
                           [](void* t) { return static_cast<Spread*>(t)->stopped(); }};
  const npy_intp useful = std::max<npy_intp>(1, n / kPerThread);
  const int count = static_cast<int>(std::min<npy_intp>(thread_count(), useful));
  const npy_intp block = std::min(kBlock, (n + count - 1) / count);
  const auto share = [&] {
    ScratchPointer scratch(table.make_scratch(), FreeScratch{&table});
    if (!scratch) {
      out_of_memory = true;
      return;
    }
    while (!threads.stopped()) {
      const npy_intp first = next.fetch_add(block);
      if (first >= n) return;
      if (!work(first, std::min(n, first + block), scratch.get(), caller)) {
        fine = false;
        threads.stop();
        return;
      }
    }
  };
  if (!threads.run(count, share)) return End::raised;
  if (!fine) return End::refused;
  return out_of_memory && next < n ? out_of_memory_end() : End::fine;
}

// Where the answers of a batch go.
struct Columns {
  double* q;
  unsigned char* code;
  double *errors, *nearest, *violation;

  template <class Rows>
  explicit Columns(const Rows& rows)
      : q(rows.q.data()),
        code(rows.status.data()),
        errors(rows.errors.data()),
        nearest(rows.nearest.data()),
        violation(rows.violation.data()) {}

  void put(npy_intp i, const Row& row) const {
    code[i] = row.code;
    std::copy(row.q, row.q + 7, q + 7 * i);
    std::copy(row.errors, row.errors + 2, errors + 2 * i);
    for (int k = 0; k < 7; ++k) {
      nearest[7 * i + k] = row.code == kLimits ? row.nearest[k] : kNaN;
      violation[7 * i + k] = row.code == kLimits ? row.violation[k] : 0.0;
    }
  }
};

// A block of targets side by side; false if one is not rigid, or if it was stopped.
bool solve_block(const IkSolver& s, const KernelTable& table, void* scratch, const double* T,
                 const double* seed, npy_intp first, npy_intp last, const IkCaller& caller,
                 const Columns& out) {
  const int n = static_cast<int>(last - first);
  std::vector<double> pose(12 * n), hand(12 * n), q(7 * n), violation(7 * n);
  std::vector<unsigned char> code(n);
  for (int i = 0; i < n; ++i) {
    if (!hand_pose(s.frames, T + 16 * (first + i), &pose[12 * i], &hand[12 * i])) return false;
  }
  if (!table.ik->quick_many(n, hand.data(), seed + 7 * first, s.limits, caller, scratch, code.data(),
                            q.data(), violation.data())) {
    return false;
  }
  for (int i = 0; i < n; ++i) {
    Row row;
    row.code = static_cast<IkStatus>(code[i]);
    std::copy(&q[7 * i], &q[7 * i] + 7, row.q);
    std::copy(&violation[7 * i], &violation[7 * i] + 7, row.violation);
    finish_row(TipPose{table, s.parameters}, &pose[12 * i], &row);
    out.put(first + i, row);
  }
  return true;
}

}  // namespace

IkSolver::~IkSolver() {
  if (scratch) table->ik->free_scratch(scratch);
}

namespace ik_solver {

End make(const New& a, Holder<IkSolver>& object) {
  auto* s = new (std::nothrow) IkSolver();
  if (!s) return End::fine;
  s->parameters = a.kernels->parameters;
  s->by_gravity = {s->parameters.beta, s->parameters.gravity};
  std::copy(a.lower, a.lower + 7, s->limits.lower);
  std::copy(a.upper, a.upper + 7, s->limits.upper);
  std::copy(a.middle, a.middle + 7, s->middle);
  invert(s->parameters.mount, s->frames.s0_base);
  invert(s->parameters.tool, s->frames.tip_hand);
  object.keep(s);
  return End::fine;
}

End one(IkSolver& s, const One& a, records::IkRow& result) {
  Wish wish;
  if (!read_wish(a.objective, s, &wish)) return End::refused;
  void* scratch = scratch_of(&s);
  if (!scratch) return End::raised;
  Borrowed borrowed = {&s, s.table, scratch};
  const PythonCost cost = {a.objective, &borrowed};
  if (wish.objective == python_function) wish.context = &cost;
  const IkCaller caller = {&borrowed, [](void* b) { static_cast<Borrowed*>(b)->release(); },
                           [](void*) { return false; }};
  Row row;
  double seed[7];  // the caller's may change while others run
  std::copy(a.seed ? a.seed : s.middle, (a.seed ? a.seed : s.middle) + 7, seed);
  const bool rigid = solve_row(s, *borrowed.table, scratch, a.T, seed, wish, caller, &row);
  borrowed.acquire();
  borrowed.give_back();
  if (!rigid) return End::refused;
  if (wish.goal == ik_custom && PyErr_Occurred()) return End::raised;
  std::copy(row.q, row.q + 7, result.q.data());
  result.status = row.code;
  result.distance = row.errors[0];
  result.angle = row.errors[1];
  if (row.code != kLimits) return End::fine;
  const bool fine = result.nearest.copy(row.nearest, {7}) && result.violation.copy(row.violation, {7});
  return fine ? End::fine : End::raised;
}

End many(IkSolver& s, const Many& a, records::IkRows& result) {
  Wish wish;
  if (!read_wish(a.objective, s, &wish)) return End::refused;
  if (wish.objective == python_function) return End::refused;  // needs the GIL: one by one
  const Columns columns(result);
  const KernelTable& table = *active_table();
  return spread(a.n, *table.ik, [&](npy_intp first, npy_intp last, void* scratch, const IkCaller& caller) {
    if (wish.goal == ik_quick) {
      return solve_block(s, table, scratch, a.Ts, a.seeds, first, last, caller, columns);
    }
    for (npy_intp i = first; i < last; ++i) {
      Row row;
      if (caller.stopped(caller.context)) return false;
      if (!solve_row(s, table, scratch, a.Ts + 16 * i, a.seeds + 7 * i, wish, caller, &row)) {
        return false;
      }
      columns.put(i, row);
    }
    return true;
  });
}

End clear(IkSolver& s, const Clear& a, records::IkClearRows& result) {
  const FreeTargets targets = {a.Ts, a.seeds, a.others.data, a.heads.data, a.others.stride, a.heads.stride};
  const Columns columns(result);
  double* blamed = result.blamed.data();
  unsigned char* by_hand = result.by_hand.data();
  const KernelTable& table = *active_table();
  const FreeArm arm = {table,          s.parameters,  s.frames,        s.limits,
                       a.whole->shape, a.hand->shape, a.right ? 1 : 0, a.margin};
  return spread(a.n, *table.ik, [&](npy_intp first, npy_intp last, void* scratch, const IkCaller& caller) {
    FreeSearch search(arm, scratch);
    return search.run(targets, first, last, caller, [&](npy_intp i, const FreeAnswer& answer) {
      columns.put(i, answer.row);
      std::copy(answer.blamed, answer.blamed + 7, blamed + 7 * i);
      by_hand[i] = answer.by_hand;
    });
  });
}

End all_one(IkSolver& s, const AllOne& a, Made<NPY_DOUBLE>& result) {
  double pose[12], hand[12], q[7 * kMaxIkSolutions];
  if (!hand_pose(s.frames, a.T, pose, hand)) return End::refused;
  const int m = active_table()->ik->all(hand, a.e0, a.limits ? &s.limits : nullptr, q);
  return result.copy(q, {m, 7}) ? End::fine : End::raised;
}

End all(IkSolver& s, const All& a, records::IkAll& result) {
  const IkLimits* limits = a.limits ? &s.limits : nullptr;
  double* q = result.q.data();
  int* counts = result.counts.data();
  const KernelTable& table = *active_table();
  return spread(a.n, *table.ik, [&](npy_intp first, npy_intp last, void*, const IkCaller& caller) {
    for (npy_intp i = first; i < last; ++i) {
      double pose[12], hand[12];
      double* rows = q + 7 * kMaxIkSolutions * i;
      if (i % 16 == 0 && caller.stopped(caller.context)) return false;
      if (!hand_pose(s.frames, a.Ts + 16 * i, pose, hand)) return false;
      counts[i] = table.ik->all(hand, a.e0[i], limits, rows);
      std::fill(rows + 7 * counts[i], rows + 7 * kMaxIkSolutions, kNaN);
    }
    return true;
  });
}

End motion(IkSolver& s, const Motion& a, records::IkMotion& result) {
  double pose[12], hand[12];
  if (!hand_pose(s.frames, a.T, pose, hand)) return End::refused;
  void* scratch = scratch_of(&s);
  if (!scratch) return End::raised;
  Borrowed borrowed = {&s, s.table, scratch};
  borrowed.release();
  const baxterkit::IkMotion m = borrowed.table->ik->motion(hand, s.limits, scratch);
  borrowed.acquire();
  const bool fine = result.points.copy(m.point, {m.points, 7}) &&
                    result.first.copy(m.curve_first, {m.curves + 1}) &&
                    result.feasible.copy(m.feasible, {m.feasible_points, 7}) &&
                    result.stretches.copy(m.segment, {m.segments, 3});
  result.complete = m.complete;
  borrowed.give_back();
  return fine ? End::fine : End::raised;
}

End path(IkSolver& s, const Path& a, records::IkPath& result) {
  std::vector<double> hands(12 * a.n);
  for (npy_intp i = 0; i < a.n; ++i) {
    double pose[12];
    if (!hand_pose(s.frames, a.Ts + 16 * i, pose, hands.data() + 12 * i)) return End::refused;
  }
  double* q = result.q.data();
  std::fill(q, q + 7 * a.n, kNaN);
  const IkTable& table = *active_table()->ik;
  int reached = -1;
  Spread threads;
  const IkCaller caller = {&threads, [](void*) {},
                           [](void* t) { return static_cast<Spread*>(t)->stopped(); }};
  const bool finished = threads.run(1, [&] {
    ScratchPointer scratch(table.make_scratch(), FreeScratch{&table});
    if (scratch) {
      reached = table.path(hands.data(), static_cast<int>(a.n), a.seed, a.start, s.limits, a.most, caller,
                           scratch.get(), q);
    }
  });
  if (!finished) return End::raised;
  result.reached = reached;
  return reached < 0 ? out_of_memory_end() : End::fine;
}

End track_one(IkSolver& s, const TrackOne& a, records::IkStep& result) {
  Row row;
  if (!track_row(s, *active_table(), a.T, a.q, a.most, a.hold_elbow, &row)) return End::refused;
  std::copy(row.q, row.q + 7, result.q.data());
  result.status = row.code;
  result.distance = row.errors[0];
  result.angle = row.errors[1];
  return End::fine;
}

End track(IkSolver& s, const Track& a, records::IkSteps& result) {
  double *q = result.q.data(), *errors = result.errors.data();
  unsigned char* status = result.status.data();
  const KernelTable& table = *active_table();
  return spread(a.n, *table.ik, [&](npy_intp first, npy_intp last, void*, const IkCaller& caller) {
    for (npy_intp i = first; i < last; ++i) {
      Row row;
      if (i % 16 == 0 && caller.stopped(caller.context)) return false;
      if (!track_row(s, table, a.Ts + 16 * i, a.qs + 7 * i, a.most, a.hold_elbow, &row)) {
        return false;
      }
      std::copy(row.q, row.q + 7, q + 7 * i);
      status[i] = row.code;
      std::copy(row.errors, row.errors + 2, errors + 2 * i);
    }
    return true;
  });
}

}  // namespace ik_solver
}  // namespace baxterkit
