"""Lessons as rows of numbers at a constant rate, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np

from baxterkit.errors import InputError
from baxterkit.lesson.files import Stored
from baxterkit.lesson.lesson import Lesson, TaughtHand, hand_from
from baxterkit.model.library import baxter_arm
from baxterkit.model.names import SIDES
from baxterkit.trajectory.both import both_arms
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

GRIPPER = "{}_gripper"
"""Name of a gripper's column."""


def names_of(lessons: Sequence[Lesson]) -> list[str]:
    """Names of the joints and grippers of lessons.

    Raises:
        InputError: If there is no lesson, or they are of different arms.
    """
    if not lessons or not all(isinstance(lesson, Lesson) for lesson in lessons):
        raise InputError("a dataset consists of lessons, of one at least")
    sides = lessons[0].sides
    for lesson in lessons:
        if lesson.sides != sides:
            raise InputError(
                f"the lesson {lesson.name!r} is of {' and '.join(lesson.sides)}, the first one of "
                f"{' and '.join(sides)}; a dataset is of the same arms"
            )
    grips = [side for side in sides if any(_grips(lesson, side) for lesson in lessons)]
    return [*lessons[0].motion.joint_names, *(GRIPPER.format(side) for side in grips)]


def rows_of(lesson: Lesson, names: Sequence[str], rate: int) -> tuple[Array, Array]:
    """Times [s], shape (n,), and what the robot is at then, shape (n, columns)."""
    count = int(np.ceil(lesson.duration * rate - 1e-6)) + 1
    t = np.arange(count) / rate
    at = np.minimum(t, lesson.duration)
    columns = [lesson.motion.sample(at).q]
    columns += [_openings(lesson, s, at)[:, None] for s in SIDES if GRIPPER.format(s) in names]
    return t, np.concatenate(columns, axis=1)


def extras_of(lesson: Lesson) -> dict[str, object]:
    """What rows do not hold of a lesson, for a file."""
    grips = {s: [g.t.tolist(), g.opening.tolist()] for s, g in lesson.motion.grippers.items()}
    return {
        "duration": lesson.duration, "waypoints": list(lesson.waypoints), "grips": grips,
        "hands": {side: asdict(hand) for side, hand in lesson.hands.items()},
        "notes": list(lesson.notes),
    }  # fmt: skip


def lesson_of(name: str, t: Array, q: Mapping[str, Array], told: Mapping[str, Array]) -> Lesson:
    """A lesson from rows.

    Args:
        name: Its name.
        t: Times [s], shape (n,), from 0 on.
        q: Joint positions by side [rad], shape (n, 7) each.
        told: Openings that grippers are told, by side, shape (n,).
    """
    motions = []
    for side, rows in q.items():
        limits = baxter_arm(side).limits
        motions.append(Trajectory.from_points(t, rows, limits=limits, name=name, side=side))
    motion = motions[0] if len(motions) == 1 else both_arms(*motions)
    grips = {}
    for side, rows in told.items():
        changed = np.flatnonzero(np.diff(rows) != 0.0) + 1
        if len(changed):
            grips[side] = GripperMotion(t[changed], np.clip(rows[changed], 0.0, 1.0))
    hands = {
        side: TaughtHand(
            None, None, opening=float(np.clip(told[side][0], 0.0, 1.0)) if side in told else None
        )
        for side in q
    }
    return Lesson(replace(motion, name=name, grippers=grips), hands=hands)


def with_extras(lesson: Lesson, extras: Mapping[str, object]) -> Lesson:
    """A lesson from rows, with what a file of `extras_of` tells besides.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: If that is not what was written.
    """
    end = float(extras["duration"])  # type: ignore[arg-type]
    hands: Mapping[str, Stored] = extras["hands"]  # type: ignore[assignment]
    grips = {
        str(side): GripperMotion(np.array(t), np.array(opening))
        for side, (t, opening) in extras["grips"].items()  # type: ignore[attr-defined]
    }
    motion = lesson.motion
    if not 0.0 <= motion.duration - end < motion.knots[1]:
        return lesson  # somebody has changed the episode
    return Lesson(
        replace(motion, grippers=grips),
        tuple(extras["waypoints"]),  # type: ignore[arg-type]
        {side: hand_from(hand) for side, hand in hands.items()},
        tuple(map(str, extras["notes"])),  # type: ignore[call-overload]
    )


def _grips(lesson: Lesson, side: str) -> bool:
    return side in lesson.motion.grippers or lesson.hands[side].opening is not None


def _openings(lesson: Lesson, side: str, t: Array) -> Array:
    """Openings that a gripper was told by a time; open if nothing is known."""
    told = lesson.motion.grippers.get(side)
    found = np.full(len(t), np.nan) if told is None else told.at(t)
    at_first = lesson.hands[side].opening
    return np.where(np.isnan(found), 1.0 if at_first is None else at_first, found)
