"""`Lesson`: a motion that was taught, to be edited, kept and replayed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.errors import InputError
from baxterkit.lesson import editing, files, retiming
from baxterkit.model.names import SIDES, check_side, other_side
from baxterkit.model.tool import full_name
from baxterkit.trajectory.rethink import save_playback
from baxterkit.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from baxterkit.robot.protocol import Robot
    from baxterkit.robot.replaying import ReplayResult

JUMP = 0.01
"""Two pieces of a motion that are farther apart than this [rad] are a jump."""


MOVES = 0.02
"""An arm of a recording whose joints turn by more than this [rad] is of the lesson."""


@dataclass(frozen=True)
class TaughtHand:
    """A hand as it was when the lesson began.

    Attributes:
        tool: Name of its tool; None if it is not known, as of a recorder's file.
        payload: Mass of the payload in the arm's model [kg]; None if that was not known, as of a
            recorder's file.
        opening: Gripper opening, 0 (closed) to 1 (open); None if it has no fingers.
        gripping: Whether it held something; None if that was not known.
    """

    tool: str | None = "hand"
    payload: float | None = 0.0
    opening: float | None = None
    gripping: bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Lesson:
    """A motion of one arm or both that was taught by hand. It does not change: edits make others.

    Attributes:
        motion: The motion, with the openings of the grippers at their places along it.
        waypoints: Times of the places that were marked [s], increasing.
        hands: The hands that move, as they were at the start, by side.
        notes: What went wrong while it was taught.
        robot: The robot that was taught; None of a lesson from a file.

    Raises:
        InputError: If the motion jumps or does not name its arm, a waypoint is outside it, or a
            hand is the other arm's.
    """

    motion: Trajectory
    waypoints: tuple[float, ...] = ()
    hands: Mapping[str, TaughtHand] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    robot: Robot | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.motion, Trajectory):
            raise InputError(f"motion must be a Trajectory, got {type(self.motion).__name__}")
        if not self.motion.sides:
            raise InputError("the motion of a lesson must name its arm: Trajectory(..., side=)")
        _refuse_jumps(self.motion)
        marks = tuple(float(t) for t in self.waypoints)
        if list(marks) != sorted(marks) or any(not 0.0 <= t <= self.duration for t in marks):
            raise InputError(
                f"waypoints must increase, from 0 to {self.duration:.2f} s, the end of the lesson"
            )
        object.__setattr__(self, "waypoints", marks)
        given = {check_side(side): hand for side, hand in self.hands.items()}
        if strange := sorted(set(given) - set(self.sides)):
            raise InputError(
                f"the lesson moves the {' and '.join(self.sides)} arm, but tells of the "
                f"{strange[0]} hand; lesson.mirrored() makes one of the other arm"
            )
        hands = {side: given.get(side, TaughtHand()) for side in self.motion.sides}
        object.__setattr__(self, "hands", hands)

    @property
    def name(self) -> str:
        """Its name."""
        return self.motion.name

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.motion.duration

    @property
    def sides(self) -> tuple[str, ...]:
        """Which arms move."""
        return self.motion.sides

    def named(self, name: str) -> Lesson:
        """The same lesson by another name."""
        return dataclasses.replace(
            self._plain(), motion=dataclasses.replace(self.motion, name=str(name))
        )

    def cut(self, start: float = 0.0, end: float | None = None) -> Lesson:
        """The part between two times [s]; it begins and ends at rest.

        Where the arm moves at a cut, it gets up to speed, or comes to rest, in a second more.

        Raises:
            InputError: If there is nothing between them.
        """
        motion, times = editing.cut(self.motion, start, self.duration if end is None else end)
        marks = tuple(t for t in times(np.array(self.waypoints)).tolist() if t == t)
        hands = {side: self._hand_at(side, start) for side in self.sides}
        return dataclasses.replace(self._plain(), motion=motion, waypoints=marks, hands=hands)

    def join(self, other: Lesson, seconds: float | None = None) -> Lesson:
        """This lesson, and another one after it that begins where this one ends.

        A gripper that ends otherwise than the other lesson began with is told so in between.

        Args:
            other: The other lesson, of the same arm with the same tool.
            seconds: Time of a straight motion in between [s]; without it they must meet.

        Raises:
            InputError: If they are of different arms or tools, or do not meet.
        """
        if not isinstance(other, Lesson):
            raise InputError(f"a Lesson can follow, got {type(other).__name__}")
        motion, late = editing.join(self.motion, other.motion, seconds)
        hands = {side: _same_hand(side, self.hands[side], other.hands[side]) for side in self.sides}
        openings = {
            side: min(max(hand.opening, 0.0), 1.0)
            for side, hand in other.hands.items()
            if hand.opening is not None and not hand.gripping
        }
        ends = {side: self._hand_at(side, self.duration).opening for side in self.sides}
        motion = editing.opened(motion, late, ends, openings)
        marks = (*self.waypoints, *(late + t for t in other.waypoints))
        return dataclasses.replace(self._plain(), motion=motion, waypoints=marks, hands=hands)

    def mirrored(self) -> Lesson:
        """The same lesson of the other arm, mirrored at the plane between both."""
        hands = {other_side(side): hand for side, hand in self.hands.items()}
        return dataclasses.replace(self._plain(), motion=editing.mirrored(self.motion), hands=hands)

    def retimed(self, speed: float = 1.0, *, waypoints: bool = False) -> Lesson:
        """The same path, smooth and as fast as the arms can; pauses without a grip are left out.

        Args:
            speed: Share of the velocity and acceleration limits, above 0 to 1.
            waypoints: Whether to go through the waypoints alone, instead of along the whole path.

        Raises:
            InputError: If there are no waypoints to go through, or nothing moves.
        """
        arms = retiming.arms_of(self.robot, {s: h.tool for s, h in self.hands.items()})
        marks = self.waypoints if waypoints else None
        if marks == ():
            raise InputError(
                "the lesson has no waypoints; press the navigator's OK button while teaching"
            )
        motion, times = retiming.retimed(self.motion, arms, speed, marks)
        return dataclasses.replace(
            self._plain(), motion=motion, waypoints=tuple(times(np.array(self.waypoints)).tolist())
        )

    def replay(self, robot: Robot | None = None, *, speed: float = 1.0) -> ReplayResult:
        """Plays the lesson: goes to its start, then along its path with the grippers in step.

        Before anything moves, the hands, the limits and the whole path are checked among the
        obstacles that the robot knows. Over ROS every command goes through the gate.

        Args:
            robot: The robot; the one that was taught if None.
            speed: Share of the taught speed, above 0 to 1.

        Raises:
            RefusedError: If the robot is not enabled, a hand is another one than was taught, the
                start cannot be reached, or the path is blocked.
            InputError: If there is no robot.
        """
        player = self.robot if robot is None else robot
        if player is None:
            raise InputError("this lesson is from a file; give the robot: lesson.replay(robot)")
        return player._replay(self, speed)

    def save(self, path: str | Path) -> Path:
        """Writes one file (.json); `Lesson.load` reads it."""
        hands = {side: dataclasses.asdict(hand) for side, hand in self.hands.items()}
        return files.save(path, self.motion, self.waypoints, hands, self.notes)

    @staticmethod
    def load(path: str | Path) -> Lesson:
        """Reads a lesson that `save` wrote.

        Raises:
            InputError: If it is none.
        """
        motion, waypoints, hands, notes = files.load(path)
        try:
            worn = {side: hand_from(hand) for side, hand in hands.items()}
            return Lesson(motion, waypoints, worn, notes)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def save_playback(self, path: str | Path, rate: float = 100.0) -> Path:
        """Writes a file for Rethink's `joint_trajectory_file_playback`, grippers included."""
        left, right = (self.motion.of(s) if s in self.sides else None for s in SIDES)
        return save_playback(path, left, right, rate=rate)

    @staticmethod
    def from_recorder(path: str | Path, side: str | None = None) -> Lesson:
        """A file of Rethink's `joint_recorder`, as a lesson.

        Args:
            path: The file: times, joints by name, openings of the grippers.
            side: The arm; those that move if None.

        Raises:
            InputError: If nothing moves in it, or the arm rests in it, or it does not name its arm.
        """
        motion = Trajectory.load(path, side)
        if not motion.sides:
            raise InputError(
                f"{path}: its columns do not name their arm; name it: "
                'Lesson.from_recorder(path, "left")'
            )
        t = np.linspace(0.0, motion.duration, 500)
        moving = [s for s in motion.sides if np.ptp(motion.of(s).sample(t).q, axis=0).max() > MOVES]
        if not moving:
            raise InputError(f"{path}: no motion of the {side or 'left or right'} arm is in it")
        motion = motion.of(moving[0]) if len(moving) == 1 else motion
        hands = {each: TaughtHand(None, None) for each in motion.sides}
        return Lesson(dataclasses.replace(motion, name=Path(path).stem), hands=hands)

    def _plain(self) -> Lesson:
        """A plain lesson, also of one that was just taught."""
        return Lesson(self.motion, self.waypoints, self.hands, self.notes, self.robot)

    def _hand_at(self, side: str, t: float) -> TaughtHand:
        """A hand at a time of the lesson: what its gripper was told by then."""
        hand, told = self.hands[side], self.motion.grippers.get(side)
        opening = np.nan if told is None else float(told.at(t))
        if np.isnan(opening):
            return hand
        return dataclasses.replace(hand, opening=opening, gripping=None)

    def __repr__(self) -> str:
        grips = sum(len(one.t) for one in self.motion.grippers.values())
        sides = " and ".join(self.sides)
        return (
            f"<Lesson {self.name!r}: {sides}, {self.duration:.2f} s, {grips} grips, "
            f"{len(self.waypoints)} waypoints>"
        )


def _same_hand(side: str, one: TaughtHand, other: TaughtHand) -> TaughtHand:
    """The hand of two lessons in a row, as it was in the first one.

    Raises:
        InputError: If they wear different tools.
    """
    if one.tool is None or other.tool is None:
        payload = other.payload if one.payload is None else one.payload
        return dataclasses.replace(one, tool=one.tool or other.tool, payload=payload)
    if full_name(one.tool) != full_name(other.tool):
        raise InputError(
            f"the {side} hand wears {one.tool!r} in one lesson and {other.tool!r} in the other"
        )
    return one


def hand_from(stored: files.Stored) -> TaughtHand:
    """A hand of a file.

    Raises:
        InputError: If something of it is not what it must be.
    """
    try:
        opening, gripping = stored.get("opening"), stored.get("gripping")
        tool, payload = stored["tool"], stored.get("payload")
        if tool is None and not payload:  # before, files had 0 where it was not known
            payload = None
        return TaughtHand(
            None if tool is None else str(tool),
            None if payload is None else float(payload),
            None if opening is None else float(opening),
            None if gripping is None else bool(gripping),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"it has no sound hand: {error}") from error


def _refuse_jumps(motion: Trajectory) -> None:
    """Refuses a motion whose pieces do not meet."""
    inner = motion.knots[1:-1]
    if not len(inner):
        return
    before = motion.sample(np.nextafter(inner, 0.0)).q
    gap = np.abs(motion.sample(inner).q - before)
    if gap.max() > JUMP:
        i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
        raise InputError(
            f"the lesson jumps: {motion.joint_names[j]} by {gap[i, j]:.3f} rad at "
            f"{inner[i]:.2f} s; cut it there and join the parts: a.join(b, seconds=2)"
        )
