"""What a recording says that Baxter cannot have done: noted on loading, not refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from baxterkit.model.library import load_baxter
from baxterkit.types import Array, JointVector

BEYOND = 0.1
"""How far beyond a limit a joint may be without a note [rad]: stops give, and sensors are off."""
JUMP = 0.1
"""Steps from row to row that are shorter [rad] are no jumps: times of rows jitter."""
QUICK = 3.0
"""Nor are those below this many times the velocity limit."""


def doubts(q: JointVector, t: Array | None, places: NDArray[np.int64], word: str) -> Iterator[str]:
    """Notes on joints beyond their limits, and on jumps: the joint, and the row where it starts.

    Args:
        q: Joint positions [rad], shape (n, 7).
        t: Time [s], shape (n,); None if the rows are no motion.
        places: Number of each row in the file, shape (n,).
        word: The unit of that number: "line", "row", "message".
    """
    for j, joint in enumerate(load_baxter().joints):
        x = q[:, j]
        rows = np.flatnonzero((x > joint.upper + BEYOND) | (x < joint.lower - BEYOND))
        if rows.size:
            yield (
                f"{joint.name} leaves its limits, {joint.lower:.3f} to {joint.upper:.3f} rad, in "
                f"{_counted(rows.size, 'row')}, first in {word} {places[rows[0]]}: "
                f"{x[rows[0]]:.3f} rad"
            )
        if t is None:
            continue
        step, time = np.diff(x), np.diff(t)
        jumps = np.flatnonzero(
            (np.abs(step) > JUMP) & (np.abs(step) > QUICK * joint.velocity * time)
        )
        if jumps.size:
            i = int(jumps[0])
            yield (
                f"{joint.name} jumps {_counted(jumps.size, 'time')}, first by {step[i]:.3f} rad in "
                f"{time[i]:.3g} s at {word} {places[i + 1]}; it turns by {joint.velocity:g} rad/s "
                "at most"
            )


def speed_doubts(qd: JointVector | None, places: NDArray[np.int64], word: str) -> Iterator[str]:
    """Notes on velocities far beyond their limits: the joint, and the row where it starts.

    Args:
        qd: Joint velocities [rad/s], shape (n, 7); None if they were not recorded.
        places: Number of each row in the file, shape (n,).
        word: The unit of that number: "line", "row", "message".
    """
    if qd is None:
        return
    for j, joint in enumerate(load_baxter().joints):
        rows = np.flatnonzero(np.abs(qd[:, j]) > QUICK * joint.velocity)
        if rows.size:
            largest = float(np.abs(qd[:, j]).max())
            degrees = np.deg2rad(largest) <= joint.velocity and rows.size > 1
            yield (
                f"{joint.name} turns too fast in {_counted(rows.size, 'row')}, first in {word} "
                f"{places[rows[0]]}, at up to {largest:.3g} rad/s; its limit is {joint.velocity:g} "
                "rad/s" + (": are velocities in degrees per second?" if degrees else "")
            )


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
