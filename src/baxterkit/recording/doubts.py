"""What a recording says that Baxter cannot have done: noted on loading, not refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from baxterkit.kinematics import forward_kinematics
from baxterkit.model.library import baxter_arm, load_baxter
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.types import Array, JointVector, Vector3

BEYOND = 0.1
"""How far beyond a limit a joint may be without a note [rad]: stops give, and sensors are off."""
JUMP = 0.1
"""Steps from row to row that are shorter [rad] are no jumps: times of rows jitter."""
QUICK = 3.0
"""Nor are those below this many times the velocity limit."""

SPAN = 0.2
"""Over this time positions move by the integral of the velocities [s] ..."""
COARSE = 0.1
"""... unless rows are farther apart [s]."""
MOVES = 0.02
"""Spans in which a joint moves less [rad] say nothing."""
FEW = 4
"""Nor do joints that move in fewer spans."""
RESTS = 0.01
"""Velocities that stay below this are those of a joint at rest [rad/s]."""
APART = 0.4
"""Share of its path by which a joint's positions and velocities may differ: on real recordings up
to 0.2."""
LATE = 0.08
"""Lag of all velocities that is noted [s]: a robot's is 0.02 s."""
FAR = 0.4
"""Distance of the recorded tip from the hand that is noted [m]: no tool is so long."""
ENOUGH = 200
"""Rows that are looked at for it."""
LATEST = 0.5
"""Greatest lag that is looked for [s]."""
DISAGREES = "positions, velocities and time disagree"
"""What is said where they do by one factor."""
_DOUBT = re.compile(
    rf"({'|'.join(JOINTS)}) (leaves|jumps|turns) |velocities |position is |rows are |{DISAGREES}"
)
"""How notes about those begin."""


def is_doubt(note: str) -> bool:
    """Whether a note of a recording says that its data contradicts itself or the robot."""
    return bool(_DOUBT.match(note))


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


def velocity_doubts(t: Array, q: JointVector, qd: JointVector) -> Iterator[str]:
    """A note on velocities that are not the change of the positions: late, or of which joints.

    Args:
        t: Time [s], shape (n,).
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
    """
    step = float(np.median(np.diff(t))) if len(t) > 1 else np.inf
    if step > COARSE:
        return
    turned = np.zeros_like(q)
    turned[1:] = np.cumsum(0.5 * np.diff(t)[:, None] * (qd[1:] + qd[:-1]), axis=0)
    off, path = _apart(t, q, turned, step)
    shares, opposite = off / path, _apart(t, q, -turned, step)[0] / path
    wrong = shares > APART
    tells = np.isfinite(path)
    if not tells.any():
        return
    late, least = 0.0, np.inf
    for shift in range(-round(LATEST / step), round(LATEST / step) + 1):
        off_then, path_then = (x[tells] for x in _apart(t, q, turned, step, shift))
        share = float((off_then / path_then).max()) if np.isfinite(path_then).all() else np.inf
        if share < least:
            late, least = shift * step, share
    if abs(late) >= LATE and least < 0.5 * float(shares.max()) < 0.5 * float(opposite.max()):
        yield f"velocities {'lag' if late > 0.0 else 'lead'} the positions by {abs(late):.2f} s"
        return
    told = (np.abs(qd) > RESTS).any(axis=0)
    reasons = {
        "opposite signs in": wrong & (opposite < APART),
        "zero, while it moves, in": wrong & ~told,
    }
    reasons["another motion in"] = wrong & ~np.any(list(reasons.values()), axis=0)
    words = [
        f"{reason} {', '.join(JOINTS[j] for j in np.flatnonzero(which))}"
        for reason, which in reasons.items()
        if which.any()
    ]
    if words:
        yield f"velocities contradict the positions: {'; '.join(words)}"


def position_doubts(
    q: JointVector, position: Vector3 | None, side: str | None, angles: str
) -> Iterator[str]:
    """A note on tip positions that the joint positions contradict by far.

    Args:
        q: Joint positions [rad], shape (n, 7).
        position: The tip in base [m], shape (n, 3); None if it was not recorded.
        side: The arm; None if it is not known, and either may be meant.
        angles: The unit that the file was read in, "rad" or "deg".
    """
    if position is None:
        return
    rows = np.linspace(0, len(q) - 1, min(len(q), ENOUGH)).astype(np.int64)
    away = []
    for arm in (side,) if side else SIDES:
        tips = forward_kinematics(baxter_arm(arm), q[rows])[:, :3, 3]
        away.append(float(np.median(np.linalg.norm(position[rows] - tips, axis=1))))
    if min(away) > FAR:
        ask = (
            "are the angles in radians? Then leave out angles='deg'"
            if angles == "deg"
            else "are the angles in degrees, is it another arm, or are positions not in base?"
        )
        yield f"position is {min(away):.2f} m from where the angles put the hand: {ask}"


def _apart(
    t: Array, q: JointVector, turned: JointVector, step: float, shift: int = 0
) -> tuple[Array, Array]:
    """By how much each joint's positions and the integral of its velocities differ.

    Args:
        t: Time [s], shape (n,).
        q: Joint positions [rad], shape (n, 7).
        turned: Integral of the velocities [rad], shape (n, 7).
        step: Time between rows [s].
        shift: Rows by which the velocities are taken to be late.

    Returns:
        The differences over all spans, and the joints' paths [rad], shape (7,) each; the path is
        infinite where too little moves.
    """
    span = max(1, round(SPAN / step))
    rows = np.arange(max(0, -shift), len(t) - span - max(0, shift), span)
    first, last = rows + min(0, shift), rows + span + max(0, shift)
    # No span reaches across a gap.
    rows = rows[t[last] - t[first] < 1.5 * (span + abs(shift)) * step]
    moved = q[rows + span] - q[rows]
    told = turned[rows + span + shift] - turned[rows + shift]
    size = np.maximum(np.abs(moved), np.abs(told))
    moves = size > MOVES
    off = np.where(moves, np.abs(moved - told), 0.0).sum(axis=0)
    path = np.where(moves.sum(axis=0) >= FEW, np.where(moves, size, 0.0).sum(axis=0), np.inf)
    return off, path


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
