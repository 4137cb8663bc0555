"""A lesson's path as fast as the arms can, smooth, with its grips at rest where they were at rest.

The motion is split where the arms rest. Each part between is timed by TOPP-RA; a pause stays only
where a gripper moves in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.checks.numbers import share
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.lesson.editing import Times, limits_of, moved
from baxterkit.model.names import check_side
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.trajectory.splines import free_cubic_spline
from baxterkit.trajectory.timing import Bounds, Pieces, time_pieces
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.robot.protocol import Robot

STEP = 0.01
"""Time between two looks at the motion [s]."""
SLOW = 0.03
"""An arm whose joints are slower than this rests [rad/s] ..."""
PAUSE = 0.15
"""... if it does so for this time [s]."""
GRIP = 0.7
"""Time that an arm rests after a gripper was told to move [s]."""
BEFORE = 0.1
"""Time that it rests before [s]."""
EDGE = 1e-6
"""A grip this near to a pause is in it [s]."""
SPACING = 0.05
"""Distance of the points of a path, in joint space [rad]: what is finer is the hand's tremor."""
SHORTEST = 1e-3
"""Parts that are shorter are left out [rad]."""


def arms_of(robot: Robot | None, tools: Mapping[str, str | None]) -> dict[str, Arm]:
    """The arms that a lesson is of: the robot's, or nominal ones with these tools."""
    if robot is not None:
        return {side: robot.limb(side).arm for side in tools}
    found = {}
    for side, tool in tools.items():
        try:
            found[side] = Arm(check_side(side), "hand" if tool is None else tool)
        except BaxterkitError:  # a tool of the user's own: its mass is not known here
            found[side] = Arm(side)
    return found


def pauses(motion: Trajectory) -> list[tuple[float, float]]:
    """When the arms rest, from and to [s]; the start and the end are among them."""
    t = np.append(np.arange(0.0, motion.duration, STEP), motion.duration)
    slow: NDArray[np.bool_] = np.abs(motion.sample(t).qd).max(axis=1) < SLOW
    edges = np.flatnonzero(np.diff(np.concatenate([[False], slow, [False]]).astype(int)))
    found = [
        (float(t[a]), float(t[b - 1]))
        for a, b in zip(edges[::2], edges[1::2], strict=True)
        if t[b - 1] - t[a] >= PAUSE or a == 0 or b == len(t)
    ]
    if not found or found[0][0] > 0.0:
        found.insert(0, (0.0, 0.0))
    if found[-1][1] < motion.duration:
        found.append((motion.duration, motion.duration))
    return found


def in_pause(t: float | Array, rest: tuple[float, float]) -> NDArray[np.bool_]:
    """Which times [s] are within a pause: a grip at its very edge is at rest."""
    return (np.asarray(t) >= rest[0] - EDGE) & (np.asarray(t) <= rest[1] + EDGE)


def retimed(
    motion: Trajectory,
    arms: Mapping[str, Arm],
    speed: float,
    waypoints: tuple[float, ...] | None = None,
) -> tuple[Trajectory, Times]:
    """The motion along the same path, or through waypoints, and how times change.

    Args:
        motion: The motion.
        arms: Its arms.
        speed: Share of the velocity and acceleration limits, above 0 to 1.
        waypoints: Times of the points to go through; along the whole path if None.
    """
    share(speed, "speed")
    bounds = _bounds(motion, arms, speed)
    told = np.sort(np.concatenate([np.zeros(0), *(one.t for one in motion.grippers.values())]))
    rests = [
        (a, b) for a, b in pauses(motion)
        if a == 0.0 or b == motion.duration or bool(in_pause(told, (a, b)).any())
    ]  # fmt: skip
    knots, pieces = [0.0], list[Array]()
    old, new = [0.0], [0.0]
    here = motion.start
    for i, (a, b) in enumerate(rests):
        grips = np.clip(told[in_pause(told, (a, b))], a, b)
        if len(grips):
            length = BEFORE + float(grips[-1] - grips[0]) + GRIP
            old += [a, *grips.tolist(), b]
            new += [
                knots[-1],
                *(knots[-1] + BEFORE + grips - grips[0]).tolist(),
                knots[-1] + length,
            ]
            pieces.append(here[None])
            knots.append(knots[-1] + length)
        if i + 1 == len(rests):
            break
        so_far = (knots, pieces, old, new)
        here = _append(motion, bounds, (b, rests[i + 1][0]), waypoints, here, so_far)
    if len(knots) < 2 or all(len(piece) < 2 for piece in pieces):
        raise InputError("nothing moves in this lesson")
    order = max(len(piece) for piece in pieces)
    coefficients = np.stack([np.pad(x, ((0, order - len(x)), (0, 0))) for x in pieces])

    def times(t: Array) -> Array:
        return np.interp(t, *_increasing(old, new))

    timed = Trajectory(np.array(knots), coefficients, limits_of(motion), motion.name, motion.side)
    return dataclasses.replace(timed, grippers=moved(motion.grippers, times)), times


def _append(
    motion: Trajectory,
    bounds: Bounds,
    between: tuple[float, float],
    waypoints: tuple[float, ...] | None,
    here: Array,
    so_far: tuple[list[float], list[Array], list[float], list[float]],
) -> Array:
    """Times the part between two rests from a configuration, adds it, and returns where it ends."""
    knots, pieces, old, new = so_far
    a, b = between
    if waypoints is None:
        t = np.append(np.arange(a, b, STEP), b)
        q = motion.sample(t).q
        s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
        if s[-1] < SHORTEST:
            return here
        even = np.linspace(0.0, s[-1], max(int(np.ceil(s[-1] / SPACING)), 4) + 1)
        moving = np.concatenate([[True], np.diff(s) > 1e-9])
        t = np.interp(even, s[moving], t[moving])
    else:
        t = np.array([a, *(w for w in waypoints if a < w < b), b])
    q = motion.sample(t).q
    q[0] = here
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
    kept = np.concatenate([[True], np.diff(s) > 1e-6])
    t, q, s = t[kept], q[kept], s[kept]
    if len(s) < 2:
        return here
    path = Pieces(free_cubic_spline(s, q), np.diff(s), np.zeros(len(s) - 1, dtype=bool))
    found, coefficients = time_pieces(path, bounds)
    part = Trajectory(found, coefficients)
    fine = np.linspace(0.0, part.duration, 400)
    walked = np.linalg.norm(np.diff(part.sample(fine).q, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(walked)])
    due = np.interp(s / s[-1], along / along[-1], fine)
    old += t.tolist()
    new += (knots[-1] + due).tolist()
    pieces.extend(coefficients)
    knots.extend((knots[-1] + found[1:]).tolist())
    return part.end


def _bounds(motion: Trajectory, arms: Mapping[str, Arm], speed: float) -> Bounds:
    own = [arms[side] for side in motion.sides]
    velocity = np.concatenate([speed * arm.limits.velocity for arm in own])
    acceleration = np.tile(speed * np.asarray(ACCELERATION), len(own))
    return Bounds(own, velocity, acceleration, np.concatenate([x.limits.effort for x in own]))


def _increasing(old: list[float], new: list[float]) -> tuple[Array, Array]:
    """Pairs of times, in order, each old one once."""
    a, b = np.array(old), np.array(new)
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    kept = np.concatenate([[True], np.diff(a) > 1e-9])
    return a[kept], np.maximum.accumulate(b[kept])
