"""Inverse kinematics: solve rate, time and repeatability beside other libraries.

All solvers get the same random reachable targets, a hundred at a time in turn, in one process and
one thread. Times are processor time of the process, less that of reading the clock, so that other
work on the machine counts little, and the threads that OptIK and TRAC-IK start count in full. Rates
are by our forward kinematics and limit check, not by a solver's own report. Our own numbers are the
best of several repeats for each target, so that `worst*` leaves out interruptions by the machine.

Usage: python benchmarks/bench_ik.py [--targets N] [--methods] [--json FILE] [--check]
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from harness import ROOT, describe_machine
from ik_peers import available

import baxterkit
from baxterkit import Arm, _native
from baxterkit.ik import IkStatus
from baxterkit.ik.methods import ITERATIVE
from baxterkit.spatial import pose_error

sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests" / "ik"))
import degenerate
import ik_sets

SLOW = {"pinocchio CLIK": 100, "trac-ik": 500}
"""Fewer targets for the slow ones."""
BLOCK = 100
"""Targets that a solver gets in a row."""
ACCURACY = 1e-4
"""Error that still counts as solved for a peer [m and rad]."""


def clock() -> float:
    """Processor time of all threads of this process [s]."""
    return time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)


def clock_cost() -> float:
    """What two readings of the clock differ by [s]."""
    readings = [clock() for _ in range(1000)]
    return min(later - earlier for earlier, later in pairwise(readings))


class Ours:
    """`arm.ik`, quick."""

    name = "baxterkit"

    def __init__(self, arm: Arm) -> None:
        self.solve_target = arm.ik

    def solve(self, T: Any) -> Any:
        """Joint positions, or None."""
        return self.solve_target(T).q


def judge(arm: Arm, q: list[Any], T: np.ndarray) -> tuple[float, float]:
    """Share of targets reached within the limits, and the worst error of those."""
    good, worst = 0, 0.0
    for answer, target in zip(q, T, strict=True):
        if answer is None or not np.isfinite(answer).all():
            continue
        distance, angle = pose_error(arm.fk(np.asarray(answer)), target)
        if max(distance, angle) < ACCURACY and arm.limits.contains(np.asarray(answer)):
            good += 1
            worst = max(worst, float(distance), float(angle))
    return good / len(T), worst


def race(arm: Arm, T: np.ndarray) -> tuple[list[dict[str, Any]], list[str]]:
    """All solvers in turn, a block of targets at a time."""
    peers, missing = available(arm)
    solvers: list[Any] = [Ours(arm), *peers]
    count = {s.name: min(len(T), SLOW.get(s.name, len(T))) for s in solvers}
    inputs = {s.name: [getattr(s, "prepare", lambda x: x)(x) for x in T] for s in solvers}
    spent: dict[str, list[float]] = {s.name: [] for s in solvers}
    answers: dict[str, list[Any]] = {s.name: [] for s in solvers}
    for s in solvers:
        s.solve(inputs[s.name][0])
    cost = clock_cost()
    gc.collect()
    gc.disable()
    for first in range(0, len(T), BLOCK):
        for s in solvers:
            for target in inputs[s.name][first : min(first + BLOCK, count[s.name])]:
                start = clock()
                q = s.solve(target)
                spent[s.name].append(clock() - start - cost)
                answers[s.name].append(q)
    gc.enable()
    rows = []
    ours = float(np.mean(spent["baxterkit"]))
    for s in solvers:
        n = count[s.name]
        rate, worst = judge(arm, answers[s.name], T[:n])
        again = [s.solve(x) for x in inputs[s.name][: min(n, 200)]]
        same = all(_same(a, b) for a, b in zip(answers[s.name], again, strict=False))
        micro = 1e6 * np.array(spent[s.name])
        rows.append(
            {
                "who": s.name,
                "targets": n,
                "solved": rate,
                "worst_error": worst,
                "mean_us": float(micro.mean()),
                "median_us": float(np.median(micro)),
                "p99_us": float(np.quantile(micro, 0.99)),
                "worst_us": float(micro.max()),
                "repeatable": same,
                "slower_on_the_mean": float(micro.mean()) * 1e-6 / ours,
            }
        )
    return rows, missing


def _same(a: Any, b: Any) -> bool:
    return (a is None and b is None) or np.array_equal(a, b, equal_nan=True)


def best_of_five(call: Any, arguments: list[Any]) -> np.ndarray:
    """Fastest of five calls for each argument [µs]."""
    best = np.full(len(arguments), np.inf)
    cost = clock_cost()
    gc.disable()
    for _ in range(5):
        for i, argument in enumerate(arguments):
            start = clock()
            call(argument)
            best[i] = min(best[i], clock() - start - cost)
    gc.enable()
    return 1e6 * best


def spread_of(name: str, spent: np.ndarray) -> dict[str, float]:
    """Mean, median, 99 of 100, and worst of times [µs]."""
    return {
        f"{name}: mean": spent.mean(),
        f"{name}: median": float(np.median(spent)),
        f"{name}: p99": float(np.quantile(spent, 0.99)),
        f"{name}: worst*": spent.max(),
    }


def batch_rate(arm: Arm, batch: np.ndarray) -> float:
    """Targets per second of processor time, one thread, the best of five."""
    best = np.inf
    for _ in range(5):
        start = clock()
        arm.ik(batch)
        best = min(best, clock() - start)
    return len(batch) / best


def our_numbers(arm: Arm, T: np.ndarray) -> dict[str, float]:
    """Times of `arm.ik` and related methods [µs], one thread."""
    rows = list(T)
    few = rows[:500]
    numbers = spread_of("ik quick", best_of_five(arm.ik, rows))
    numbers |= spread_of("ik_all", best_of_five(lambda x: arm.ik_all(x, 0.3), rows))
    numbers |= spread_of("self_motion", best_of_five(arm.self_motion, few))
    numbers |= objective_numbers(arm, few) | path_numbers(arm)
    batch = np.ascontiguousarray(np.tile(T, (max(1, 20000 // len(T)), 1, 1)))
    numbers["ik batch: targets/s on one core"] = batch_rate(arm, batch)
    chosen = _native.isa()
    for isa in _native.isas():
        _native.use_isa(isa)
        same_as_single_calls(arm, T)
        numbers[f"ik batch, {isa}: targets/s on one core"] = batch_rate(arm, batch)
    _native.use_isa(chosen)
    numbers |= no_numbers(arm, max(len(T) // 2, 50))
    return {name: float(value) for name, value in numbers.items()}


def no_numbers(arm: Arm, count: int) -> dict[str, float]:
    """Times of targets without a solution [µs]: random poses, every other one moved outward."""
    outside = np.ascontiguousarray(arm.fk(ik_sets.beyond(arm, 4 * count)))
    outside[::2, :3, 3] *= 1.15
    no, blocked = [], []
    for x in outside:
        status = arm.ik(x).status
        if status == IkStatus.NOT_CONVERGED:
            raise SystemExit(f"no reason found why this pose has no solution: {x.tolist()}")
        if status != IkStatus.SOLVED:
            no.append(x)
        if status == IkStatus.LIMITS:
            blocked.append(x)
    return spread_of("no solution", best_of_five(arm.ik, no[:count])) | spread_of(
        "no solution within the limits", best_of_five(arm.ik, blocked[:count])
    )


def same_as_single_calls(arm: Arm, T: np.ndarray) -> None:
    """Ends the program unless a batch gives the bits of single calls, and solves every target."""
    batch = arm.ik(T)
    single = np.array([arm.ik(x).q for x in T])
    if not (np.all(batch.solved) and np.array_equal(batch.q, single)):
        raise SystemExit(f"a batch differs from single calls on {_native.isa()}")


def objective_numbers(arm: Arm, rows: list[Any]) -> dict[str, float]:
    """Times of the objectives, and of `quick` at degenerate targets [µs of thread time]."""
    hard = degenerate_targets(arm, max(len(rows) // 5, 10))
    numbers = spread_of("ik quick, degenerate", thread_time(arm.ik, hard))
    numbers |= spread_of("self_motion, degenerate", thread_time(arm.self_motion, hard))
    for objective in ("nearest", "limits", "manipulability", "gravity"):

        def solve(x: Any, objective: str = objective) -> Any:
            return arm.ik(x, objective=objective)

        rate, worst = judge(arm, [solve(x).q for x in rows + hard], np.array(rows + hard))
        if not (rate == 1.0 and worst < 1e-10):
            raise SystemExit(f"{objective}: {rate:.2%} solved, worst error {worst:.1e}")
        numbers |= spread_of(f"ik {objective}", thread_time(solve, rows))
        numbers |= spread_of(f"ik {objective}, degenerate", thread_time(solve, hard))
    return numbers


def degenerate_targets(arm: Arm, count: int) -> list[Any]:
    """So many of each special and each degenerate set."""
    sets = {**ik_sets.IK_SETS, **ik_sets.SMALL_LOOPS}
    rng = np.random.default_rng(12)
    hard = [
        T for name in sets if name != "uniform" for T in arm.fk(sets[name](arm, count, "bench"))
    ]
    for name in degenerate.DEGENERATE:
        hard += list(arm.fk(degenerate.sample(arm, name, count, rng)))
    return hard


def path_numbers(arm: Arm, poses: int = 200) -> dict[str, float]:
    """Time of `ik_path` per pose [µs of thread time], along the poses of smooth joint motions."""
    motions = [ik_sets.smooth_motion(arm, poses, f"bench{i}") for i in range(40)]
    paths = [np.ascontiguousarray(arm.fk(q)) for q in motions]
    for i, Ts in enumerate(paths):
        if not arm.ik_path(Ts).solved:
            raise SystemExit(f"path {i} has a witness, and was not solved")
    spent = thread_time(arm.ik_path, paths) / poses
    return spread_of("ik_path, a pose", spent)


def thread_time(call: Any, arguments: list[Any]) -> np.ndarray:
    """Least thread time of three calls for each argument [µs]."""
    best = np.full(len(arguments), np.inf)
    for _ in range(3):
        for i, argument in enumerate(arguments):
            start = time.thread_time()
            call(argument)
            best[i] = min(best[i], time.thread_time() - start)
    return 1e6 * best


def methods_table(arm: Arm, T: np.ndarray) -> list[dict[str, Any]]:
    """The papers' solvers, one target per call."""
    rows = []
    for name in ("exact", "six_dof", "six_dof_exact", *ITERATIVE):
        spent, results = [], []
        for x in T:
            start = time.perf_counter()
            results.append(arm.ik(x, method=name))
            spent.append(time.perf_counter() - start)
        solved = [r for r in results if r.solved]
        rows.append(
            {
                "who": name,
                "targets": len(T),
                "solved": len(solved) / len(T),
                "worst_error": max((r.position_error for r in solved), default=np.nan),
                "mean_us": 1e6 * float(np.mean(spent)),
                "median_us": 1e6 * float(np.median(spent)),
            }
        )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """A table in Markdown."""
    names = list(rows[0])
    print(
        "| " + " | ".join(name.replace("_us", " [µs]").replace("_", " ") for name in names) + " |"
    )
    print("|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(_cell(name, row[name]) for name in names) + " |")


def _cell(name: str, value: Any) -> str:
    if name == "solved":
        return f"{100 * value:.2f} %"
    if name == "worst_error":
        return f"{value:.1e}"
    if name == "slower_on_the_mean":
        return f"{value:.1f}x"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def main() -> int:
    """Runs everything; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--targets", type=int, default=2000)
    parser.add_argument("--methods", action="store_true", help="the papers' solvers only")
    parser.add_argument("--json", metavar="FILE", help="write the results there")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    options = parser.parse_args()
    arm = Arm("left")
    baxterkit.set_threads(1)
    T = ik_sets.poses(arm, ik_sets.uniform(arm, options.targets, "bench"))
    content: dict[str, Any] = {"machine": describe_machine()}
    missed = []
    if options.methods:
        content["methods"] = methods_table(arm, T[:200])
        show(content["methods"])
    else:
        content["peers"], missing = race(arm, T)
        show(content["peers"])
        for line in missing:
            print(f"not here: {line}")
        content["ours"] = our_numbers(arm, T)
        for name, value in content["ours"].items():
            print(f"{name:44} {value:12.1f}")
        missed = check(content)
    if options.json:
        path = Path(options.json)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    for text in missed:
        print(f"below target: {text}")
    return 1 if options.check and missed else 0


def check(content: dict[str, Any]) -> list[str]:
    """Measurements that miss their target."""
    most = {
        "ik quick: mean": 10.0, "ik quick: median": 5.0, "ik quick: worst*": 1000.0,
        "ik_all: mean": 6.0, "self_motion: mean": 1000.0, "ik nearest: mean": 60.0,
        "ik limits: mean": 60.0, "ik manipulability: mean": 60.0, "ik gravity: mean": 60.0,
        "ik nearest: worst*": 2000.0, "ik limits: worst*": 2000.0,
        "ik manipulability: worst*": 2000.0, "ik gravity: worst*": 2000.0,
        "ik quick, degenerate: worst*": 5000.0, "ik nearest, degenerate: worst*": 2000.0,
        "ik limits, degenerate: worst*": 2000.0, "ik manipulability, degenerate: worst*": 2000.0,
        "ik gravity, degenerate: worst*": 2000.0, "ik_path, a pose: mean": 10.0,
        "no solution: mean": 60.0, "no solution: worst*": 2000.0,
    }  # fmt: skip
    missed = [
        f"{name}: {content['ours'][name]:.1f} us, wanted at most {bound:g}"
        for name, bound in most.items()
        if content["ours"][name] > bound
    ]
    for isa, wanted in {"avx512": 600_000, "avx2": 350_000}.items():
        rate = content["ours"].get(f"ik batch, {isa}: targets/s on one core", np.inf)
        if rate < wanted:
            missed.append(f"batch, {isa}: {rate:.0f} targets/s, wanted {wanted}")
    least = {"roboticstoolbox ik_LM": 10.0, "optik": 20.0}
    for row in content["peers"]:
        if row["slower_on_the_mean"] < least.get(row["who"], 0.0):
            missed.append(f"{row['who']}: {row['slower_on_the_mean']:.1f}x, wanted more")
        if row["who"] == "baxterkit" and not (row["solved"] == 1.0 and row["repeatable"]):
            missed.append("baxterkit: not every target solved, or not repeatable")
    return missed


if __name__ == "__main__":
    sys.exit(main())
