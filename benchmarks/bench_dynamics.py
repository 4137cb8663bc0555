"""M, C, G, inverse and forward dynamics and derivatives beside Pinocchio: one call, and batches.

Usage: python benchmarks/bench_dynamics.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from harness import OURS, Report, Run, Timing, agree, measure, parse_options
from peers import PinocchioPeer

import baxterkit
from baxterkit import Arm

import problems  # isort: skip

CALLS = 200  # rows of one round of single calls
BATCH = 100_000
BATCH_ROUNDS = 40
ONE_CALL = 3.5  # least ratio of Pinocchio's time to ours, one call
PER_SAMPLE = 15.0  # and per sample of a batch
PARALLEL = 35.0  # inverse dynamics, beside Pinocchio's own batch on one thread


@dataclass(frozen=True)
class Quantity:
    """One quantity: our method, our kernel, Pinocchio's function, its inputs of q, qd, x."""

    name: str
    method: str
    peer: str
    inputs: int
    tolerance: float


QUANTITIES = (
    Quantity("M", "inertia", "crba", 1, 2e-14),
    Quantity("C", "coriolis", "computeCoriolisMatrix", 2, 2e-13),
    Quantity("G", "gravity", "computeGeneralizedGravity", 1, 2e-13),
    Quantity("inverse dynamics", "inverse_dynamics", "rnea", 3, 3e-13),
    Quantity("forward dynamics", "forward_dynamics", "aba", 3, 1e-8),
    Quantity(
        "inverse dynamics' derivatives",
        "inverse_dynamics_derivatives",
        "computeRNEADerivatives",
        3,
        1e-11,
    ),
)


class DynamicsPeer(PinocchioPeer):
    """Pinocchio's dynamics, called as its users call it."""

    def answers(self, function: str, rows: Sequence[Sequence[Any]]) -> np.ndarray:
        """One result a row, (n, ...); of derivatives by q, qd and qdd, the first two."""
        compute, results = getattr(self.pin, function), []
        for row in rows:
            result = compute(self.model, self.data, *row)
            results.append(np.array(result[:2] if isinstance(result, tuple) else result))
        return np.array(results)

    def loop(self, function: str, rows: Sequence[Sequence[Any]]) -> Callable[[], None]:
        """A call of the function for every row."""
        compute, model, data = getattr(self.pin, function), self.model, self.data

        def one() -> None:
            for (q,) in rows:
                compute(model, data, q)

        def two() -> None:
            for q, qd in rows:
                compute(model, data, q, qd)

        def three() -> None:
            for q, qd, x in rows:
                compute(model, data, q, qd, x)

        return (one, two, three)[len(rows[0]) - 1]


def main() -> int:
    options = parse_options("Dynamics beside Pinocchio.")
    arm = Arm("left", "electric_standard")
    peer = DynamicsPeer(arm)
    report = Report("dynamics")
    notes: dict[str, Any] = {"extension [MB]": extension_size()}
    few, many = states(arm, CALLS), states(arm, BATCH)
    for quantity in QUANTITIES:
        compare(notes, arm, peer, quantity, few)
    for quantity in QUANTITIES:
        single_calls(report, arm, peer, quantity, few, options.rounds)
    before = baxterkit.backend_info()["threads"]
    baxterkit.set_threads(1)
    for quantity in QUANTITIES:
        batch(report, arm, peer, quantity, many)
    inverse_dynamics_batch(report, notes, arm, peer, many)
    baxterkit.set_threads(int(str(before)))
    return report.finish(options, notes)


def states(arm: Arm, n: int) -> list[np.ndarray]:
    """q, qd and an acceleration (or torque), (n, 7) each."""
    return [problems.uniform(arm, n), problems.velocities(n), problems.velocities(n)[::-1].copy()]


def rows_of(inputs: list[np.ndarray]) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*map(list, inputs), strict=True))


def compare(
    notes: dict[str, Any], arm: Arm, peer: DynamicsPeer, quantity: Quantity, x: list[np.ndarray]
) -> None:
    """Notes the largest difference; stops if answers disagree."""
    inputs = x[: quantity.inputs]
    ours = np.array([getattr(arm, quantity.method)(*row) for row in rows_of(inputs)])
    theirs = peer.answers(quantity.peer, rows_of(inputs))
    key = f"{quantity.name}: largest difference from pinocchio"
    notes[key] = agree(key, ours, theirs, quantity.tolerance)
    together = getattr(arm._kernels, quantity.method)(*inputs)
    agree(f"{quantity.name}: batch and single calls", ours, together, 0.0)


def single_calls(
    report: Report,
    arm: Arm,
    peer: DynamicsPeer,
    quantity: Quantity,
    x: list[np.ndarray],
    rounds: int,
) -> None:
    rows = rows_of(x[: quantity.inputs])
    what = f"{quantity.name}, one call"
    timings = measure(
        [
            Run(OURS, our_loop(getattr(arm, quantity.method), rows), CALLS),
            Run("pinocchio", peer.loop(quantity.peer, rows), CALLS),
        ],
        rounds,
    )
    report.add(what, timings[OURS], timings["pinocchio"], ONE_CALL)
    report.add(what, timings["pinocchio"])


def batch(
    report: Report, arm: Arm, peer: DynamicsPeer, quantity: Quantity, x: list[np.ndarray]
) -> None:
    """Ours on all rows with `out=`, one thread; Pinocchio row by row on the first 2000."""
    inputs = x[: quantity.inputs]
    kernel = getattr(arm._kernels, quantity.method)
    out = np.empty_like(kernel(*inputs))
    rows = rows_of([y[:2000] for y in inputs])
    timings = measure(
        [
            Run(OURS, lambda: kernel(*inputs, out=out), BATCH),
            Run("pinocchio", peer.loop(quantity.peer, rows), len(rows)),
        ],
        BATCH_ROUNDS,
    )
    what = f"{quantity.name}, batch {BATCH:,}"
    one = Timing(f"{OURS}, 1 thread", timings[OURS].nanoseconds)
    each = Timing("pinocchio, each call", timings["pinocchio"].nanoseconds)
    report.add(what, one, each, PER_SAMPLE)
    report.add(what, each)


def inverse_dynamics_batch(
    report: Report, notes: dict[str, Any], arm: Arm, peer: DynamicsPeer, x: list[np.ndarray]
) -> None:
    """Beside Pinocchio's batch, its columns lying one after another in memory."""
    pin = peer.pin
    pool = pin.ModelPool(peer.model)
    columns = [np.asfortranarray(y.T) for y in x]
    out, theirs = np.empty((BATCH, 7)), np.empty((7, BATCH), order="F")

    def in_parallel() -> None:
        pin.rneaInParallel(1, pool, *columns, theirs)

    in_parallel()
    key = "inverse dynamics: largest difference from rneaInParallel"
    notes[key] = agree(key, arm.inverse_dynamics(*x, out=out), theirs.T, 3e-13)
    timings = measure(
        [
            Run(OURS, lambda: arm.inverse_dynamics(*x, out=out), BATCH),
            Run("rneaInParallel", in_parallel, BATCH),
        ],
        BATCH_ROUNDS,
    )
    what = f"inverse dynamics, batch {BATCH:,}"
    one = Timing(f"{OURS}, 1 thread", timings[OURS].nanoseconds)
    report.add(what, one, timings["rneaInParallel"], PARALLEL)
    report.add(what, timings["rneaInParallel"])


def our_loop(method: Callable[..., Any], rows: list[tuple[np.ndarray, ...]]) -> Callable[[], None]:
    def one() -> None:
        for (q,) in rows:
            method(q)

    def two() -> None:
        for q, qd in rows:
            method(q, qd)

    def three() -> None:
        for q, qd, x in rows:
            method(q, qd, x)

    return (one, two, three)[len(rows[0]) - 1]


def extension_size() -> float:
    from baxterkit import _native

    return round(Path(str(_native.__file__)).stat().st_size / 1e6, 2)


if __name__ == "__main__":
    sys.exit(main())
