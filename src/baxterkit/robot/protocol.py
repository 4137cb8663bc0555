"""`Robot`: what every body of the robot can do, by the same names, in the same units."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.checks.numbers import scalar, share
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.lesson.lesson import Lesson
from baxterkit.lesson.rehearsal import Taking
from baxterkit.model.names import check_side
from baxterkit.planning.result import PlanResult
from baxterkit.recording.recording import Recording
from baxterkit.robot.followed import ARRIVED, MotionResult
from baxterkit.robot.grips import Grips
from baxterkit.robot.limb import Limb
from baxterkit.robot.motions import (
    Along,
    Controllers,
    Motion,
    Options,
    straight,
    warn_if_elsewhere,
)
from baxterkit.robot.replaying import ReplayResult, replay
from baxterkit.robot.teaching import Taught, Witness
from baxterkit.scene import Scene
from baxterkit.servo import ServoResult, ServoSettings, Source
from baxterkit.servo.targets import sides_of
from baxterkit.types import JointsLike

FASTER = "1 is the motion's own speed: make a motion of a shorter duration to go faster"
"""What to do where a speed is refused as above 1."""
NEAR = 0.2
"""Arms are at a named configuration when every joint is this near [rad]."""


class RecordingSession(Protocol):
    """A recording under way: `with robot.record() as session: ...`."""

    def __enter__(self) -> Self:
        """Itself."""

    def __exit__(self, *_: object) -> None:
        """Closes it."""

    def close(self) -> None:
        """Ends the recording, and writes its file."""

    def recording(self, side: str) -> Recording:
        """What one arm did, time 0 at its first row."""


class Robot(ABC):
    """A robot that acts: the twin in this process, or a robot or a twin behind ROS.

    Nothing moves before `enable()`. Calls that move return when the motion is over. Both bodies
    raise the same errors for the same mistakes, as `Limb` tells.

    Attributes:
        left: The left arm.
        right: The right arm.
        robot: The robot's model.
    """

    left: Limb
    right: Limb
    robot: Baxter
    _beside: float = 0.0
    """What is swept beside a motion before it starts [rad]."""

    def limb(self, side: str) -> Limb:
        """The arm of a side.

        Raises:
            UnknownNameError: If the side is neither "left" nor "right".
        """
        return self.left if check_side(side) == "left" else self.right

    @property
    @abstractmethod
    def enabled(self) -> bool:
        """Whether the robot is enabled."""

    @property
    @abstractmethod
    def scene(self) -> Scene:
        """The robot among its obstacles, head and grippers as they are now: to check and plan in.

        It does not change. The twin knows every object in it; a robot those that it was told of.
        """

    @property
    @abstractmethod
    def stopped(self) -> bool:
        """Whether the robot was stopped, by its button or otherwise."""

    @abstractmethod
    def enable(self, timeout: float = 10.0) -> Self:
        """Enables the robot, also after a stop, and returns it: from here on commands move it."""

    @abstractmethod
    def disable(self, timeout: float = 5.0) -> None:
        """Disables the robot: its arms come to rest, and commands are refused."""

    @abstractmethod
    def stop(self, timeout: float = 3.0) -> None:
        """Stops the robot as its button does, at all times; a motion under way ends."""

    @abstractmethod
    def wait(self, seconds: float) -> None:
        """Lets time pass [s]."""

    def follow(
        self,
        motion: Motion,
        controller: Controllers | None = None,
        *,
        mode: str = "velocity",
        speed: float = 1.0,
        path_tolerance: float = 0.2,
        settle: float = 0.5,
        feed_forward: bool = True,
        gravity_compensation: bool = False,
    ) -> MotionResult:
        """Follows a motion of one arm or of both, from where the arms are.

        Args:
            motion: A `Trajectory` of one arm or of both, the result of a plan, or a motion for each
                side, {"left": ...}. It must start where the arm is. Grippers follow the openings
                that it has (`Trajectory.grippers`), and stay as they are without.
            controller: A torque controller of `baxterkit.control`, or one for each side; on a bare
                `Twin` also one that sees both arms, which every link refuses, that of `connect()`
                too. If None, the motion itself is sent.
            mode: What is sent without a controller: "velocity", "position" or "raw position".
            speed: Share of the motion's speed, above 0 to 1.
            path_tolerance: Largest error along the motion [rad], besides the lag without
                feed-forward.
            settle: Time to hold the end [s].
            feed_forward: Whether the robot's lag is made up for; False sends the motion as it is.
            gravity_compensation: Whether the robot adds its own to the torques of a controller that
                leaves gravity to it.

        Warns:
            ModelWarning: If a plan was made for a robot with other mounts or tools, whose hand ends
                elsewhere.

        Raises:
            RefusedError: If the robot is not enabled, an arm is not at the start, or it leaves the
                motion; the arm comes to rest. The link raises it too where the motion leaves the
                limits or its path is blocked, the arm follows another one already, a command is
                not safe, another program commands the arm, or a controller fails.
            InputError: If it is not known which arm moves, the motion is the other arm's, or it
                moves a gripper that has no fingers; over ROS also if a plan was made for hands that
                hold something else, or wear another tool of your own.
            PlanError: If a plan has no solution.
        """
        options = Options(mode, path_tolerance, settle, feed_forward, gravity_compensation)
        if isinstance(motion, PlanResult):
            warn_if_elsewhere(motion, {"left": self.left.arm, "right": self.right.arm})
        with self._whole():
            return self._follow(motion, share(speed, "speed", FASTER), controller, options)

    def _follow_along(self, motion: Motion, speed: float, along: Along | None) -> MotionResult:
        """Follows a motion, and tells how far it has come."""
        with self._whole():
            return self._follow(motion, speed, None, Options(along=along))

    @abstractmethod
    def _follow(
        self, motion: Motion, speed: float, controller: Controllers | None, options: Options
    ) -> MotionResult:
        """Follows a motion; see `follow`."""

    def move_to(
        self,
        left: JointsLike | str | None = None,
        right: JointsLike | str | None = None,
        *,
        speed: float = 0.3,
        tolerance: float = ARRIVED,
        timeout: float = 30.0,
        mode: str = "velocity",
        path_tolerance: float = 0.2,
    ) -> MotionResult:
        """Moves arms on a straight line in joint space, smoothly, both arriving together.

        Args:
            left: Positions of the left arm [rad], shape (7,), or the name of a configuration; it
                stays if None.
            right: The same for the right arm.
            speed: Share of the velocity limits that the fastest joint reaches, above 0 to 1.
            tolerance: Largest error of every joint at the end [rad].
            timeout: Longest duration of the motion [s].
            mode: As in `follow`.
            path_tolerance: Largest error during the motion [rad].

        Raises:
            RefusedError: As in `follow`.
            InputError: If an argument is out of range.
        """
        near = _positive(tolerance, "tolerance", "rad")
        with self._whole():
            ends = {
                limb.side: (limb.arm, goal)
                for limb, goal in ((self.left, left), (self.right, right))
                if goal is not None
            }
            starts = {side: self.limb(side).q.copy() for side in ends}
            motion = straight(starts, ends, speed, _positive(timeout, "timeout", "s"))
            result = self.follow(motion, mode=mode, path_tolerance=path_tolerance)
        return replace(result, tolerance=near)

    def servo(
        self,
        target: Source,
        side: str = "left",
        *,
        seconds: float | None = None,
        settings: ServoSettings | None = None,
    ) -> ServoResult:
        """Lets a hand, or both, follow a target that moves, at 100 Hz; it rests at the end.

        The hand goes straight to the target at a bounded speed, its redundancy leads the arm away
        from obstacles, and it slows down before limits and what it cannot pass. Targets that are
        late, missing, not finite, out of reach or jump are safe: see docs/teaching.md.

        Args:
            target: A function of the time since the start [s] that gives the pose of the tip in
                base, shape (4, 4), a `servo.Goal`, or None if there is nothing new; for both
                hands {"left": ..., "right": ...}. It returns at once; StopIteration ends it.
            side: The hand, "left" or "right", or "both".
            seconds: Longest duration [s]; until the source ends if None.
            settings: Speeds and distances that are kept; the defaults if None.

        Raises:
            RefusedError: If the robot is not enabled or is stopped, the hand follows another target
                or motion already, or over ROS another program commands the arm, or nothing can be
                sent for too long.
            InputError: If `target` is no such function.
        """
        longest = float("inf") if seconds is None else _positive(seconds, "seconds", "s")
        bounds = ServoSettings() if settings is None else settings
        if not isinstance(bounds, ServoSettings):
            raise InputError(f"settings must be ServoSettings, got {type(bounds).__name__}")
        with self._whole():
            return self._servo(target, sides_of(side), longest, bounds)

    @abstractmethod
    def _servo(
        self, source: Source, sides: tuple[str, ...], seconds: float, settings: ServoSettings
    ) -> ServoResult:
        """Follows a target; see `servo`."""

    def teach(self, side: str | None = None, name: str = "lesson") -> Taught:
        """Teaches by hand: `with robot.teach() as lesson:`, then `lesson.replay(speed=0.5)`.

        The arm floats while its cuff is squeezed, on the robot and its twin. Within the block the
        cuff's circle opens the gripper, the dash closes it, and the navigator's OK button marks a
        waypoint. Motions by programs are recorded likewise; nothing moves by itself.

        Args:
            side: The arm, "left" or "right"; None: those that move.
            name: Name of the lesson.

        Raises:
            InputError: At the end of the block, if no arm was moved.
        """
        return Taught(self, side, name)

    @abstractmethod
    def _witnessed(self, witness: Witness) -> AbstractContextManager[None]:
        """Tells a witness of states, grips and buttons within a `with`."""

    def _replay(self, lesson: Lesson, speed: float) -> ReplayResult:
        """Plays a lesson; see `Lesson.replay`."""
        with self._whole():
            return replay(self, lesson, speed, self._graspable())

    def _worn(self, side: str) -> str:
        """Name of the tool that a hand wears now, as far as it is known."""
        return self.limb(side).arm.tool.name

    @abstractmethod
    def _graspable(self) -> tuple[str, ...]:
        """Names of the objects that hands may take."""

    def _grips(self, taken: Sequence[Taking], world: World) -> Grips:
        """What hands take and leave in a replay that was rehearsed in a world."""
        return Grips(self, taken)

    def tuck(self, speed: float = 0.3) -> MotionResult:
        """Tucks the arms, through the untucked configuration; the head turns to the front first."""
        share(speed, "speed")
        with self._whole():
            self.pan_head(0.0)
            if not self._near("tuck") and not self._near("untuck"):
                self.move_to("untuck", "untuck", speed=speed)
            return self.move_to("tuck", "tuck", speed=speed)

    def untuck(self, speed: float = 0.3) -> MotionResult:
        """Untucks the arms; the head turns to the front first."""
        share(speed, "speed")
        with self._whole():
            self.pan_head(0.0)
            return self.move_to("untuck", "untuck", speed=speed)

    def hold(self) -> None:
        """Lets both arms come to rest and stay."""
        self.left.hold()
        self.right.hold()

    @property
    @abstractmethod
    def head_pan(self) -> float:
        """Pan angle of the head [rad], positive to the robot's left."""

    @abstractmethod
    def pan_head(self, pan: float, speed: float = 0.5, timeout: float = 5.0) -> None:
        """Turns the head to an angle, and waits until it is there.

        That is within 0.01 rad, or at rest within 0.14 rad, as the robot's own programs ask for.

        Args:
            pan: Pan angle [rad], positive to the robot's left.
            speed: Share of the head's greatest speed, above 0 to 1.
            timeout: Longest wait [s].

        Raises:
            RefusedError: If the robot is not enabled, or the angle is outside the head's limits;
                over ROS also if the screen would touch an arm.
            InputError: If the angle is not finite, or the speed out of its range.
            OverdueError: If it is not there in time; it goes on.
        """

    @abstractmethod
    def record(self, path: str | Path | None = None) -> RecordingSession:
        """Records both arms until it is closed: `with robot.record("run.mcap") as session:`."""

    @abstractmethod
    def close(self) -> None:
        """Lets the arms come to rest, and ends everything; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _whole(self) -> AbstractContextManager[None]:
        """A call of several motions, which ends as a whole."""
        return nullcontext()

    def _near(self, name: str) -> bool:
        limbs = (self.left, self.right)
        return all(np.abs(limb.q - limb.arm.configuration(name)).max() < NEAR for limb in limbs)


def _positive(value: float, name: str, unit: str) -> float:
    number = scalar(value, name)
    if number < 0.0:
        raise InputError(f"{name} = {value} {unit}; it must not be negative")
    return number
