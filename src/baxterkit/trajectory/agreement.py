"""Whether samples of a motion fit together: positions, velocities and time, rest at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import InputError
from baxterkit.trajectory.checks import AT_REST
from baxterkit.trajectory.ends import RESTING, speeds_at_end
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

APART = 0.25
"""Share of a joint's path by which positions and the integral of velocities may differ: sensors of
velocity lag and are noisy, and samples may be few."""
SHORT = 0.02
"""Joints with a shorter path than this [rad] say nothing about time and units."""
FEW = 4
"""Nor do those that move in fewer steps from row to row: the rows are too far apart to tell."""
EQUAL = 0.15
"""Natural logarithm of the ratio of two factors that are taken to be equal."""
FACTORS = (
    (180.0 / np.pi, "velocities seem to be in degrees per second"),
    (np.pi / 180.0, "velocities seem to be in radians per second and positions in degrees"),
    (1e3, "time seems to be in milliseconds"),
    (1e6, "time seems to be in microseconds"),
    (1e9, "time seems to be in nanoseconds"),
)
"""Ratios of what velocities and positions say, and the units that they come of."""


def need_order(t: Array, lines: NDArray[np.int64]) -> None:
    """Refuses rows whose times do not increase.

    Args:
        t: Time [s], shape (n,).
        lines: Line of each row in the file, shape (n,).

    Raises:
        InputError: Names the first line, its time and the one before.
    """
    late = np.flatnonzero(~(np.diff(t) > 0.0))
    if late.size:
        row = int(late[0]) + 1
        raise InputError(
            f"line {lines[row]}: time {t[row]:.9g} s is not after {t[row - 1]:.9g} s, the time "
            "before it"
        )


def need_agreement(
    t: Array,
    q: JointVector,
    qd: JointVector,
    qdd: JointVector,
    names: Sequence[str],
    lines: NDArray[np.int64],
) -> None:
    """Refuses samples whose velocities are not the change of their positions over time.

    Between two rows, quintic pieces with these accelerations move by the integral of theirs. A
    joint that rests at both rows may be anywhere at either, as at waypoints.

    Args:
        t: Time [s], shape (n,).
        q: Joint positions [rad], shape (n, joints).
        qd: Joint velocities [rad/s], shape (n, joints).
        qdd: Joint accelerations [rad/s²], shape (n, joints).
        names: Names of the columns of `q`.
        lines: Line of each row in the file, shape (n,).

    Raises:
        InputError: Names the joint with the worst contradiction, and the line where it is greatest.
    """
    step = np.diff(t)[:, None]
    moved = np.diff(q, axis=0)
    mean = step * (qd[1:] + qd[:-1]) / 2.0
    told = mean + step**2 * (qdd[:-1] - qdd[1:]) / 12.0
    moving = np.maximum(np.abs(qd[1:]), np.abs(qd[:-1])) > AT_REST
    off = np.where(moving, np.abs(moved - told), 0.0)
    path = np.where(moving, np.maximum(np.abs(moved), np.abs(told)), 0.0).sum(axis=0)
    tells = (path > SHORT) & (moving.sum(axis=0) >= FEW)
    share = np.where(tells, off.sum(axis=0) / np.maximum(path, SHORT), 0.0)
    joint = int(np.argmax(share))
    if share[joint] <= APART:
        return
    row = int(np.argmax(off[:, joint]))
    power = float(np.sum(moved[:, joint] ** 2))
    # Without accelerations, whose part of the integral grows with the square of the time.
    ratio = float(np.sum(mean[:, joint] * moved[:, joint])) / power if power > 0.0 else 0.0
    reason = next(
        (text for x, text in FACTORS if ratio > 0.0 and abs(np.log(ratio / x)) < EQUAL),
        f"velocities are {ratio:.3g} times the change of positions",
    )
    raise InputError(
        f"{names[joint]} moves by {moved[row, joint]:.4g} rad in the {float(step[row, 0]):.4g} s "
        f"up to line {lines[row + 1]}, and its velocities say {told[row, joint]:.4g} rad: {reason}"
        "; mend the column that is wrong, or leave out velocities and accelerations to read "
        "positions alone"
    )


def need_rest(
    qd: JointVector, names: Sequence[str], lines: NDArray[np.int64], rest: float = AT_REST
) -> None:
    """Refuses samples that begin or end at speed: part of a motion, as in a file that was cut off.

    Args:
        qd: Joint velocities [rad/s], shape (n, joints), the first and the last rows of which count.
        names: Names of the columns.
        lines: Line of each row in the file, shape (n,).
        rest: Speed up to which a joint rests [rad/s].

    Raises:
        InputError: Names the joint, its velocity and the line.
    """
    for row, when, part in ((-1, "ends", "cut off"), (0, "begins", "without its first rows")):
        joint = int(np.argmax(np.abs(qd[row])))
        if abs(qd[row, joint]) > rest:
            raise InputError(
                f"the motion {when} at speed: {names[joint]} is {qd[row, joint]:.4g} rad/s in line "
                f"{lines[row]}, and a trajectory {when} at rest (below {rest:g} rad/s): is the "
                f"file {part}? A part of a motion is read with ramps by "
                "recording.load(...).to_trajectory()"
            )


def need_rest_of_positions(
    motion: Trajectory, names: Sequence[str], lines: NDArray[np.int64]
) -> None:
    """The same for samples of positions alone: their change near each end tells the speed there.

    Raises:
        InputError: Names the joint, its velocity and the line.
    """
    names = [f"the speed of {name}, by its positions," for name in names]
    ends = np.array([speeds_at_end(motion, when) for when in ("begins", "ends")])
    need_rest(ends, names, lines[[0, -1]], RESTING)
