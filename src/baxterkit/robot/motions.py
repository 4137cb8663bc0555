"""The motions that a robot follows, by side: a trajectory, a plan, or a course of each arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import share
from baxterkit.checks.units import warn_at_caller, warn_if_degrees
from baxterkit.control.relative_impedance import PairTorques
from baxterkit.control.signals import (
    ArmState,
    Controller,
    Course,
    Reference,
    torque_controller,
)
from baxterkit.errors import InputError, ModelWarning, UnknownNameError
from baxterkit.model.names import check_side, joint_names
from baxterkit.planning.result import PlanResult
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.streaming import MODES
from baxterkit.trajectory.both import both_arms
from baxterkit.trajectory.checks import AT_REST
from baxterkit.trajectory.trajectory import Sample, Trajectory
from baxterkit.types import JointsLike, JointVector

ELSEWHERE = 0.005
"""Tips that a plan and a robot have this far apart at the same joint positions are told [m]."""


class PairController(Protocol):
    """A torque controller of both arms at once, such as `control.RelativeImpedance`."""

    def update(
        self,
        states: tuple[ArmState, ArmState],
        references: tuple[Reference, Reference],
        dt: float,
        /,
    ) -> PairTorques:
        """Torques of the left and the right arm for the next `dt` seconds [N m], (7,) each."""


Controllers: TypeAlias = Controller | PairController | Mapping[str, Controller]
"""The controller of the arm that moves, of both at once, or of each side."""
Motion: TypeAlias = Course | PlanResult | Mapping[str, Course]
"""What `follow` takes: a `Trajectory` of one arm or of both, a plan, or a motion of each side."""


class Along(Protocol):
    """What goes on along a motion: grips of a lesson.

    Attributes:
        first: Time along the motion at which the world changes first [s].
    """

    first: float

    def step(self, t: float, told: Mapping[str, float]) -> None:
        """The motion has come to this time along it [s], and the grippers were told all until."""


@dataclass(frozen=True)
class Options:
    """How a motion is followed; see `Robot.follow`. `along` is told how far it has come."""

    mode: str = "velocity"
    path_tolerance: float = 0.2
    settle: float = 0.5
    feed_forward: bool = True
    gravity_compensation: bool = False
    along: Along | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UnknownNameError("mode", self.mode, MODES)
        number = bool(np.isreal(self.path_tolerance)) and np.ndim(self.path_tolerance) == 0
        if not (number and self.path_tolerance > 0.0):  # infinite too
            raise InputError(f"path_tolerance = {self.path_tolerance} rad; it must be above 0")


def courses(motion: Motion, speed: float = 1.0) -> dict[str, Course]:
    """The motion of each arm.

    Args:
        motion: As `follow` takes it.
        speed: Share of the motion's own speed, checked, above 0 to 1.

    Raises:
        InputError: If it is no motion, or it is not known which arm moves.
        PlanError: If it is a plan without a solution.
    """
    if isinstance(motion, PlanResult):
        motion = motion.trajectory()
    if isinstance(motion, Trajectory):
        if not motion.sides:
            raise InputError(
                "the motion does not name its arm; name it by follow({'left': motion})"
            )
        motion = {side: motion.of(side) for side in motion.sides}
    if not isinstance(motion, Mapping):
        is_motion = hasattr(motion, "sample")
        what = ", and it is not known which arm moves" if is_motion else ""
        raise InputError(
            "a motion is a Trajectory, a plan, or {'left': ..., 'right': ...}; got "
            f"{type(motion).__name__}{what}"
        )
    if not motion:
        raise InputError("no arm to move: give a motion for the left arm, the right arm or both")
    return {check_side(side): _paced(_course(x, side), speed) for side, x in motion.items()}


def check_ends(motion: Course, side: str) -> None:
    """Refuses a motion to be streamed that begins or ends at speed: around it the arm rests.

    Controllers may be asked to follow one: they decide on the torques.

    Raises:
        InputError: Names the joint and its speed.
    """
    for time, when in ((0.0, "begins"), (motion.duration, "ends")):
        qd = np.asarray(motion.sample(time).qd, dtype=float)
        j = int(np.argmax(np.abs(qd)))
        if abs(qd[j]) > AT_REST:
            raise InputError(
                f"the motion {when} at speed, {joint_names(side)[j]} at {qd[j]:.3f} rad/s, and "
                "before and after it the arm rests: if it is a part of another motion, take all "
                "of that; if it was recorded, recording.load(...).to_trajectory() rests at the ends"
            )


def controllers_of(
    controller: Controllers | None, sides: Sequence[str]
) -> tuple[dict[str, Controller], PairController | None]:
    """The controllers of the arms that move: of each, or one of both.

    Raises:
        InputError: If one is missing, or gives no torques.
    """
    if controller is None:
        return {}, None
    if isinstance(controller, Mapping):
        missing = [side for side in sides if side not in controller]
        if missing:
            raise InputError(f"the {missing[0]} arm moves, and has no controller")
        return {side: torque_controller(controller[side]) for side in sides}, None
    if len(sides) == 1:
        return {sides[0]: torque_controller(controller)}, None
    return {}, cast(PairController, torque_controller(controller))


def straight(
    starts: Mapping[str, JointVector],
    ends: Mapping[str, tuple[Arm, JointsLike | str]],
    speed: float,
    timeout: float,
) -> Trajectory:
    """A straight motion in joint space, at rest at both ends; both arms take the same time.

    Args:
        starts: Where each arm is [rad], shape (7,) each.
        ends: The arm and its goal, by side: joint positions [rad], shape (7,), by order or by name,
            or the name of a configuration.
        speed: Share of the velocity limits that the fastest joint reaches, above 0 to 1.
        timeout: Longest duration [s].

    Raises:
        InputError: If there is no goal, one is wrong, or the motion takes longer.
    """
    share(speed, "speed")
    if not ends:
        raise InputError("give the goal of an arm as left or right")
    goals = {side: _goal(arm, goal) for side, (arm, goal) in ends.items()}
    slowest = max(
        float((np.abs(goal - starts[side]) / ends[side][0].limits.velocity).max())
        for side, goal in goals.items()
    )
    duration = max(1.875 * slowest / speed, 0.5)  # a quintic's top speed is 1.875 its mean
    if duration > timeout:
        raise InputError(
            f"the motion takes {duration:.1f} s at speed {speed:g}, more than timeout = "
            f"{timeout:g} s"
        )
    zero = np.zeros((2, 7))
    found = [
        Trajectory.from_points(
            [0.0, duration], np.vstack([starts[side], goal]), zero, zero,
            limits=ends[side][0].limits, name="move to",
        )
        for side, goal in goals.items()
    ]  # fmt: skip
    return found[0] if len(found) == 1 else both_arms(*found)


def warn_if_elsewhere(plan: PlanResult, arms: Mapping[str, Arm]) -> None:
    """Warns of a plan whose robot has its hands elsewhere than this one: mounts or tools differ.

    Args:
        plan: The plan.
        arms: This robot's arms, by side.
    """
    if not plan.solved:
        return
    for side, arm in arms.items():
        if plan.group not in (side, "both"):
            continue
        q = plan.path[-1, 7:] if plan.group == "both" and side == "right" else plan.path[-1, :7]
        planned = plan.robot.arm(side)
        off = float(np.linalg.norm(planned.fk(q)[:3, 3] - arm.fk(q)[:3, 3]))
        if off > ELSEWHERE:
            warn_at_caller(
                f"the plan was made for another robot: its {side} hand, with the tool "
                f"{planned.tool.name!r}, ends {1e3 * off:.0f} mm from where this robot's, with "
                f"{arm.tool.name!r}, will; plan with this one: plan(robot.scene, ...)",
                ModelWarning,
            )


def check_start(course: Course, arm: Arm, q: JointVector, tolerance: float) -> None:
    """Refuses a motion that does not start where the arm is.

    Raises:
        RefusedError: If a joint is farther away than `tolerance` [rad].
    """
    away = np.abs(course.sample(np.zeros(1)).q[0] - q)
    if away.max() > tolerance:
        j = int(np.argmax(away))
        raise RefusedError(
            "jump",
            f"{arm.joint_names[j]} is {away[j]:.3f} rad away from where the motion starts; "
            "go there by move_to first",
        )


@dataclass(frozen=True)
class _Slowed:
    """A course that runs at a share of its speed."""

    course: Course
    speed: float

    @property
    def duration(self) -> float:
        return self.course.duration / self.speed

    def sample(self, t: ArrayLike) -> Sample:
        speed = self.speed
        there = self.course.sample(speed * np.asarray(t, dtype=np.float64))
        return Sample(there.q, speed * there.qd, speed * speed * there.qdd)


def _paced(course: Course, speed: float) -> Course:
    if speed == 1.0:
        return course
    if isinstance(course, Trajectory):
        return course.stretched(1.0 / speed)
    return _Slowed(course, speed)


def _course(motion: Course, side: str) -> Course:
    if isinstance(motion, Trajectory):
        return motion.of(side)
    if not hasattr(motion, "sample"):
        raise InputError(
            f"{side} must be a motion, as of baxterkit.trajectory, got {type(motion).__name__}"
        )
    return motion


def _goal(arm: Arm, goal: JointsLike | str) -> JointVector:
    if isinstance(goal, str):
        return arm.configuration(goal)
    q = arm.model.joint_values(goal, arm.side)
    warn_if_degrees(q, arm.side, arm.model)
    arm.limits.check(q)
    if q.shape != (7,):
        raise InputError(f"{arm.side} must be one configuration of 7 values, got shape {q.shape}")
    return q
