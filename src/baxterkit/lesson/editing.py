"""Cutting, joining and mirroring motions, with their grippers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError
from baxterkit.model.library import baxter_arm
from baxterkit.model.limits import Limits
from baxterkit.model.names import SIDES, other_side
from baxterkit.trajectory.both import at_rest, both_arms
from baxterkit.trajectory.cartesian import ramped_clock
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, frozen

Times: TypeAlias = Callable[[Array], Array]
"""From times before an edit to those after it [s]; NaN where they are cut off."""
MIRROR = frozen([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Signs of the joints of the other arm that does the same on its side."""
RAMP = 1.0
"""Time in which a part that was cut out of a motion gets up to speed [s]."""
RATE = 50.0
"""Knots per second of such a part [Hz]."""
RESTS = 1e-6
"""An arm slower than this rests [rad/s]."""
MEETS = 0.02
"""Lessons whose ends are this near [rad] meet; the rest is bridged in half a second."""
BRIDGE = 0.5
OPENING = 0.05
"""Openings that differ by no more than this are the same: a gripper stays."""
QUINTIC = 1.875
"""Greatest speed of a quintic over its mean."""


def cut(motion: Trajectory, start: float, end: float) -> tuple[Trajectory, Times]:
    """The part of a motion between two times [s], from rest to rest."""
    start, end = scalar(start, "start"), scalar(end, "end")
    if not 0.0 <= start < end <= motion.duration + 1e-9:
        raise InputError(
            f"a part from {start:g} to {end:g} s: it must lie within 0 to {motion.duration:.2f} s"
        )
    end = min(end, motion.duration)
    length = end - start
    speeds = np.abs(motion.sample(np.array([start, end])).qd).max(axis=1)
    if (speeds <= RESTS).all():
        part = _part(motion, start, end)

        def times(t: Array) -> Array:
            return np.where((t >= start) & (t <= end), t - start, np.nan)

    else:
        ramp = min(RAMP, 0.5 * length)
        total = length + ramp
        clock = np.linspace(0.0, total, max(int(np.ceil(total * RATE)), 4) + 1)
        along = np.clip(ramped_clock(clock, total, ramp)[0], 0.0, length)
        q = motion.sample(start + along).q
        part = Trajectory.from_points(
            clock, q, limits=motion.limits, name=motion.name, side=motion.side
        )

        def times(t: Array) -> Array:
            inside = (t >= start) & (t <= end)
            return np.where(inside, np.interp(t - start, along, clock), np.nan)

    return dataclasses.replace(part, grippers=moved(motion.grippers, times)), times


def join(
    first: Trajectory, second: Trajectory, seconds: float | None = None
) -> tuple[Trajectory, float]:
    """Two motions in a row, and when the second one begins [s]."""
    if first.sides != second.sides:
        raise InputError(
            f"a lesson of {' and '.join(first.sides)} and one of {' and '.join(second.sides)} "
            "cannot be joined"
        )
    gap = np.abs(second.start - first.end)
    j = int(np.argmax(gap))
    if seconds is None and gap[j] > MEETS:
        raise InputError(
            f"the second lesson does not begin where the first ends: {first.joint_names[j]} would "
            f"jump by {gap[j]:.3f} rad; give the time of a motion in between: join(..., seconds=2)"
        )
    bridge = BRIDGE if seconds is None else scalar(seconds, "seconds")
    limits = limits_of(first)
    fastest = QUINTIC * float((gap / limits.velocity).max())
    if not bridge > 0.0 or fastest > bridge:
        raise InputError(
            f"seconds = {bridge:g}; the motion in between takes at least {fastest:.2f} s"
        )
    rest = np.zeros((2, len(gap)))
    between = Trajectory.from_points(
        [0.0, bridge], np.vstack([first.end, second.start]), rest, rest, limits=limits,
        side=first.side,
    )  # fmt: skip
    late = first.duration + bridge
    return first.then(between).then(second), late


def opened(
    motion: Trajectory,
    t: float,
    before: Mapping[str, float | None],
    after: Mapping[str, float],
) -> Trajectory:
    """The motion with grippers told at a time what comes after it, where that differs.

    Args:
        motion: The motion.
        t: The time [s].
        before: Openings up to then, by side; None of one that is not known.
        after: Openings from then on.
    """
    grippers = dict(motion.grippers)
    for side, opening in after.items():
        now, one = before.get(side), grippers.get(side)
        if now is not None and abs(now - opening) <= OPENING:
            continue
        if one is None:
            grippers[side] = GripperMotion(np.array([t]), np.array([opening]))
        elif t not in one.t:
            i = int(np.searchsorted(one.t, t))
            grippers[side] = GripperMotion(
                np.insert(one.t, i, t), np.insert(one.opening, i, opening)
            )
    return dataclasses.replace(motion, grippers=grippers)


def mirrored(motion: Trajectory) -> Trajectory:
    """The motion of the other arm, or of both with their parts exchanged."""
    parts = {
        other_side(side): _mirrored(motion.of(side), other_side(side)) for side in motion.sides
    }
    if len(parts) == 1:
        return next(iter(parts.values()))
    return dataclasses.replace(both_arms(*(parts[side] for side in SIDES)), name=motion.name)


def moved(grippers: Mapping[str, GripperMotion], times: Times) -> dict[str, GripperMotion]:
    """Openings at their places after an edit; those that are cut off are left out."""
    found: dict[str, GripperMotion] = {}
    for side, one in grippers.items():
        t = times(one.t)
        kept = np.isfinite(t)
        if kept.any():
            found[side] = GripperMotion(np.maximum(t[kept], 0.0), one.opening[kept])
    return found


def limits_of(motion: Trajectory) -> Limits:
    """The limits of a motion's arms."""
    if motion.limits is not None:
        return motion.limits
    parts = [baxter_arm(side).limits for side in motion.sides]
    if len(parts) == 1:
        return parts[0]
    rests = [at_rest(np.zeros(7), part, 1.0) for part in parts]
    joined = both_arms(*rests).limits
    assert joined is not None
    return joined


def _mirrored(motion: Trajectory, side: str) -> Trajectory:
    limits = baxter_arm(side).limits
    grippers = dict.fromkeys([side], *motion.grippers.values()) if motion.grippers else {}
    coefficients = motion.coefficients * MIRROR
    return Trajectory(motion.knots, coefficients, limits, motion.name, side, grippers)


def _part(motion: Trajectory, start: float, end: float) -> Trajectory:
    """The exact pieces between two times."""
    inner = motion.knots[(motion.knots > start + 1e-9) & (motion.knots < end - 1e-9)]
    knots = np.concatenate([[start], inner, [end]])
    own = np.clip(
        np.searchsorted(motion.knots, knots[:-1] + 1e-9, side="right") - 1, 0, len(motion) - 1
    )
    late = (knots[:-1] - motion.knots[own])[:, None]
    given = motion.coefficients[own]
    order = given.shape[1]
    pieces = np.stack(
        [
            sum(math.comb(n, k) * late ** (n - k) * given[:, n] for n in range(k, order))
            for k in range(order)
        ],
        axis=1,
    )
    return Trajectory(knots - start, pieces, motion.limits, motion.name, motion.side)
