"""Teaching by hand: a lesson is written while a person moves the arms, and grips by buttons."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Never, Protocol, Self

import numpy as np

from baxterkit.errors import BaxterkitError, InputError
from baxterkit.lesson.lesson import Lesson, TaughtHand
from baxterkit.model.names import ARM_COLUMNS, SIDES, check_side
from baxterkit.trajectory.both import both_arms
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from baxterkit.robot.protocol import Robot

OPENS, CLOSES, MARKS = "lower_button", "upper_button", "button_ok"
"""Buttons of an arm: the circle and the dash on the cuff, the wheel of the navigator."""
MOVED = 0.02
"""An arm whose joints have turned by less than this was not taught [rad]."""
REST = 0.3
"""Rest that is kept before the first motion and after the last one [s]."""
STIRS = 0.01
"""An arm stirs when a joint is this far from where it was [rad]."""
SMOOTH = 0.08
"""Half width of the window that takes the tremor out of a path [s]."""
RATE = 20.0
"""Knots of the motion per second [Hz]."""
INSETS = (0.0, 1e-3, 5e-3, 0.02)
"""Distances from the joint limits that are tried for a motion led along one [rad]."""
SHORTEST = 0.5
"""A lesson takes at least so long [s]."""


class Witness(Protocol):
    """What a body tells while it is taught."""

    def state(self, t: float, q: Mapping[str, JointVector]) -> None:
        """Where both arms are [rad] at a time [s]."""

    def grip(self, t: float, side: str, opening: float) -> None:
        """A gripper was told to go to an opening, 0 (closed) to 1 (open)."""

    def press(self, t: float, button: str) -> None:
        """A button was pressed, by its name, as "left_button_ok"."""


class Watch:
    """Takes down what happens while a lesson is taught.

    Args:
        robot: The robot, whose grippers obey the cuffs' buttons.
        sides: The arms that may be taught.
    """

    def __init__(self, robot: Robot, sides: tuple[str, ...]) -> None:
        self._robot, self._sides = robot, sides
        self.t: list[float] = []
        self.q: list[Array] = []
        self.grips: list[tuple[float, str, float]] = []
        self.marks: list[float] = []
        self.notes: list[str] = []

    def state(self, t: float, q: Mapping[str, JointVector]) -> None:
        """See `Witness`."""
        if not self.t or t > self.t[-1]:
            self.t.append(t)
            self.q.append(np.concatenate([q[side] for side in SIDES]))

    def grip(self, t: float, side: str, opening: float) -> None:
        """See `Witness`."""
        self.grips.append((t, side, opening))

    def press(self, t: float, button: str) -> None:
        """See `Witness`: the cuff's buttons grip, through the gate, and OK marks a waypoint."""
        side, _, key = button.partition("_")
        if side not in self._sides:
            return
        if key == MARKS:
            self.marks.append(t)
        if key in (OPENS, CLOSES):
            try:
                self._robot.limb(side).move_gripper(1.0 if key == OPENS else 0.0, timeout=0.0)
            except BaxterkitError as error:
                self.notes.append(f"the {side} gripper stayed: {error}")


class Taught(Lesson):
    """A lesson while it is taught, and once its `with` is over. Made by `Robot.teach`.

    Args:
        robot: The robot.
        side: The arm that is taught; None: those that move.
        name: Its name.
    """

    _watch: Watch
    _stack: ExitStack
    _named: str
    _given: bool

    def __init__(self, robot: Robot, side: str | None, name: str) -> None:
        sides = SIDES if side is None else (check_side(side),)
        vars(self).update(
            robot=robot, notes=(), hands={}, _named=str(name), _given=side is not None,
            _sides=sides, _watch=Watch(robot, sides), _stack=ExitStack(),
        )  # fmt: skip

    def __getattr__(self, name: str) -> Never:
        if name in ("motion", "waypoints"):
            raise InputError("the lesson is being taught; it is complete after its with block")
        raise AttributeError(name)

    def __repr__(self) -> str:
        if "motion" in vars(self):
            return super().__repr__()
        return f"<Lesson {self._named!r}: being taught, {len(self._watch.t)} states>"

    def __enter__(self) -> Self:
        robot = self.robot
        assert robot is not None
        vars(self)["hands"] = {side: _hand(robot, side) for side in SIDES}
        self._stack.enter_context(robot._witnessed(self._watch))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stack.close()
        if kind is None:
            self._complete()

    def waypoint(self) -> None:
        """Marks the present place, as the navigator's OK button does."""
        if self._watch.t:
            self._watch.marks.append(self._watch.t[-1])

    def _complete(self) -> None:
        """Makes the motion of what was seen.

        Raises:
            InputError: If no arm moved.
        """
        seen = self._watch
        t, q = np.array(seen.t), np.array(seen.q).reshape(-1, 14)
        sides = [side for side in seen._sides if self._given or _turned(q, side) > MOVED]
        if not any(_turned(q, side) > MOVED for side in sides):
            raise InputError(
                "no arm was moved while it was taught: squeeze the cuff, lead the arm by its "
                "wrist, and let go; the robot must be enabled"
            )
        times = [x for x, side, _ in seen.grips if side in sides] + seen.marks
        first, last = _stirring(t, np.hstack([_own(q, side) for side in sides]), times)
        rows = (t >= first) & (t <= last)
        t0 = float(t[rows][0])
        motions = [_motion(t[rows] - t0, _own(q[rows], s), s, self._named, self) for s in sides]
        motion = motions[0] if len(motions) == 1 else both_arms(*motions)

        def when(x: float) -> float:
            return min(max(x - t0, 0.0), motion.duration)

        told = {s: [(when(x), o) for x, each, o in seen.grips if each == s] for s in sides}
        grippers = {side: _openings(rows) for side, rows in told.items() if rows}
        vars(self).update(
            motion=replace(motion, grippers=grippers, name=self._named),
            waypoints=tuple(sorted({when(x) for x in seen.marks})),
            hands={side: self.hands[side] for side in sides},
            notes=tuple(seen.notes),
        )
        self.__post_init__()


def _hand(robot: Robot, side: str) -> TaughtHand:
    limb = robot.limb(side)
    payload = limb.arm.model.payload
    mass = 0.0 if payload is None else float(payload.mass)
    opening = None if limb.opening is None else min(max(limb.opening, 0.0), 1.0)
    return TaughtHand(robot._worn(side), mass, opening, limb.gripping)


def _turned(q: Array, side: str) -> float:
    """How far the joints of an arm were turned, at most [rad]."""
    return float(np.ptp(_own(q, side), axis=0).max()) if len(q) else 0.0


def _own(q: Array, side: str) -> Array:
    return q[:, ARM_COLUMNS[side]]


def _stirring(t: Array, q: Array, events: list[float]) -> tuple[float, float]:
    """From when to when something happens, with some rest before and after [s]."""
    from_start = np.abs(q - q[0]).max(axis=1) > STIRS
    from_end = np.abs(q - q[-1]).max(axis=1) > STIRS
    first = float(t[int(np.argmax(from_start))]) if from_start.any() else float(t[0])
    last = float(t[len(t) - 1 - int(np.argmax(from_end[::-1]))]) if from_end.any() else float(t[-1])
    first, last = min([first, *events]) - REST, max([last, *events]) + REST
    if last - first < SHORTEST:
        last = first + SHORTEST
    return max(first, float(t[0])), min(last, float(t[-1]))


def _motion(t: Array, q: Array, side: str, name: str, lesson: Lesson) -> Trajectory:
    """A smooth motion along what was seen, at rest at both ends."""
    assert lesson.robot is not None
    even = np.linspace(0.0, float(t[-1]), max(int(np.ceil(t[-1] * 100.0)), 4) + 1)
    rows = np.stack([np.interp(even, t, column) for column in q.T], axis=-1)
    half = min(round(SMOOTH * 100.0), (len(rows) - 1) // 2)
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.concatenate([np.repeat(rows[:1], half, 0), rows, np.repeat(rows[-1:], half, 0)])
    smooth = np.stack(
        [np.convolve(column, window / window.sum(), "valid") for column in padded.T], axis=-1
    )
    knots = np.linspace(0.0, even[-1], max(int(np.ceil(even[-1] * RATE)), 4) + 1)
    limits = lesson.robot.limb(side).arm.limits
    points = np.stack([np.interp(knots, even, column) for column in smooth.T], axis=-1)
    fine = np.linspace(0.0, float(knots[-1]), 20 * len(knots))
    for inset in INSETS:  # an arm that is led along a limit: the spline must not pass it
        inside = np.clip(points, limits.lower + inset, limits.upper - inset)
        made = Trajectory.from_points(knots, inside, limits=limits, name=name, side=side)
        q, room = made.sample(fine).q, max(0.5 * inset, 1e-5)
        if ((q >= limits.lower + room) & (q <= limits.upper - room)).all():
            break
    return made


def _openings(told: list[tuple[float, float]]) -> GripperMotion:
    """Openings in the order of their times; of two at one time the last."""
    table = dict(sorted(told, key=lambda one: one[0]))
    return GripperMotion(np.array(list(table)), np.array(list(table.values())))
