"""FK and Jacobian, one call and in batches, beside Pinocchio and others.

Usage: python benchmarks/bench_kinematics.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import OURS, Report, Run, Timing, agree, measure, parse_options
from peers import available_peers

import baxterkit
from baxterkit import Arm

import problems  # isort: skip

CALLS = 200  # rows of one round of single calls
BATCH = 100_000
BATCH_ROUNDS = 60
TARGETS = {  # least ratio of Pinocchio's time to ours: one call, and per sample of a batch
    "fk": (4.0, 30.0),
    "jacobian": (3.0, 15.0),
}
TWO_THREADS = 1.7  # least gain of a second thread, on a quiet machine
TOLERANCE = {"fk": 1e-14, "jacobian": 1e-13}


def main() -> int:
    options = parse_options("Kinematics beside other libraries.")
    arm = Arm("left", "electric_standard")
    peers = available_peers(arm)
    report = Report("kinematics")
    notes: dict[str, Any] = {}
    rows = problems.uniform(arm, CALLS)
    for quantity in ("fk", "jacobian"):
        ours = getattr(arm, quantity)
        for peer in peers:
            theirs = [getattr(peer, quantity)(q) for q in rows]
            key = f"{quantity}: largest difference from {peer.name}"
            notes[key] = agree(key, ours(rows), theirs, TOLERANCE[quantity])
    for quantity in ("fk", "jacobian"):
        single_calls(report, arm, peers, quantity, rows, options.rounds)
    for quantity in ("fk", "jacobian"):
        batches(report, arm, peers, quantity)
    return report.finish(options, notes)


def single_calls(
    report: Report, arm: Arm, peers: list[Any], quantity: str, rows: np.ndarray, rounds: int
) -> None:
    ours = getattr(arm, quantity)
    each = list(rows)
    runs = [Run(OURS, lambda: loop(ours, each), CALLS)]
    for peer in peers:
        prepared = peer.prepare(each) if hasattr(peer, "prepare") else each
        run = getattr(peer, f"{quantity}_loop")
        runs.append(Run(peer.name, lambda run=run, rows=prepared: run(rows), CALLS))
    timings = measure(runs, rounds)
    yardstick = timings["pinocchio"]
    report.add(f"{quantity}, one call", timings[OURS], yardstick, TARGETS[quantity][0])
    for peer in peers:
        report.add(f"{quantity}, one call", timings[peer.name])


def batches(report: Report, arm: Arm, peers: list[Any], quantity: str) -> None:
    ours = getattr(arm, quantity)
    q = problems.uniform(arm, BATCH)
    out = np.empty_like(ours(q))
    one_by_one = list(q[:2000])
    pinocchio = getattr(peers[0], f"{quantity}_loop")

    def on_threads(count: int) -> Callable[[], None]:
        def call() -> None:
            baxterkit.set_threads(count)
            ours(q, out=out)

        return call

    before = baxterkit.backend_info()["threads"]
    timings = measure(
        [
            Run("1 thread", on_threads(1), BATCH),
            Run("2 threads", on_threads(2), BATCH),
            Run("pinocchio", lambda: pinocchio(one_by_one), len(one_by_one)),
        ],
        BATCH_ROUNDS,
    )
    baxterkit.set_threads(int(str(before)))
    one, two = (
        Timing(f"{OURS}, {name}", timings[name].nanoseconds) for name in ("1 thread", "2 threads")
    )
    report.add(f"{quantity}, batch {BATCH:,}", one, timings["pinocchio"], TARGETS[quantity][1])
    report.add(f"{quantity}, batch {BATCH:,}", two, one, TWO_THREADS)
    report.add(f"{quantity}, batch {BATCH:,}", timings["pinocchio"])


def loop(function: Callable[[Any], Any], rows: list[np.ndarray]) -> None:
    for q in rows:
        function(q)


if __name__ == "__main__":
    sys.exit(main())
