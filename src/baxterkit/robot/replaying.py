"""Replaying a lesson: everything is checked first, then the arm goes to the start and along it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.numbers import share
from baxterkit.collision.world import World
from baxterkit.errors import ResultError
from baxterkit.lesson import editing, retiming
from baxterkit.lesson.editing import OPENING
from baxterkit.lesson.lesson import Lesson
from baxterkit.lesson.rehearsal import Taking, check_stroke, rehearse
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.model.tool import full_name
from baxterkit.planning.planner import plan
from baxterkit.robot.errors import RefusedError, no_fingers, not_calibrated, not_enabled
from baxterkit.robot.followed import MotionResult
from baxterkit.robot.grips import Grips
from baxterkit.robot.motions import Motion
from baxterkit.trajectory.checks import ContactError, TrajectoryError
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.robot.limb import Limb
    from baxterkit.robot.protocol import Robot

THERE = 0.02
"""Arms this near to the start are there [rad]."""
PAYLOAD = 0.05
"""Payloads that differ by more are others [kg]."""
APPROACH = 0.3
"""Share of the velocity limits on the path to the start."""
ROOMS = (0.02, 0.005, 0.0)
"""Distances beyond the margin that are tried on that path [m]: a link refuses a narrower one."""


@dataclass(frozen=True)
class ReplayResult:
    """What became of a replay; true where every part arrived.

    Attributes:
        approach: The motions to the start; empty if the arm was there.
        parts: The parts of the lesson between grips at rest, in order.
        taken: Objects that hands took and left, as it was expected.
    """

    approach: tuple[MotionResult, ...]
    parts: tuple[MotionResult, ...]
    taken: tuple[Taking, ...]

    def __bool__(self) -> bool:
        return all((*self.approach, *self.parts))

    @property
    def reason(self) -> str:
        """Why a part of it is not a success; empty if all are."""
        return "; ".join(part.reason for part in (*self.approach, *self.parts) if not part)

    def raise_if_failed(self) -> ReplayResult:
        """Returns itself if it is a success.

        Raises:
            ResultError: With the reason.
        """
        if not self:
            raise ResultError(self.reason, self)
        return self


def replay(robot: Robot, lesson: Lesson, speed: float, graspable: Collection[str]) -> ReplayResult:
    """Plays a lesson; see `Lesson.replay`. `graspable` are objects that hands may take."""
    share(speed, "speed", "lesson.retimed().replay(...) is as fast as the arms can")
    if not robot.enabled:
        raise not_enabled(robot.stopped)
    _check_hands(robot, lesson)
    motion = _that_hands_can(robot, lesson)
    try:
        motion.check(editing.limits_of(motion))
    except TrajectoryError as error:
        slower = "" if error.quantity == "position" else "; replay lesson.retimed() instead"
        raise RefusedError(error.quantity, f"nothing was sent: {error}{slower}") from error
    here = np.concatenate([robot.limb(side).q for side in SIDES])
    start = here.copy()
    for side in lesson.sides:
        start[ARM_COLUMNS[side]] = motion.of(side).start
    openings = {side: hand.opening for side, hand in lesson.hands.items()}
    scene = robot.scene
    known = [_first_known(openings.get(side), robot.limb(side).opening, 1.0) for side in SIDES]
    still = {side: robot.limb(side).q for side in SIDES}
    try:
        for side, opening in openings.items():
            if opening is not None and _turns(robot.limb(side), opening):
                now = _first_known(robot.limb(side).opening, 1.0)
                check_stroke(scene, side, start, (now, float(opening)), graspable, 0.0)
        taken = rehearse(
            scene.replace(opening=(known[0], known[1])), motion, still, graspable, robot._beside
        )
    except ContactError as error:
        raise RefusedError(
            "collision",
            f"nothing was sent: the path of the lesson is blocked: {error}; move what is there, "
            f"or teach it anew{_to_grip(error, scene.world, graspable)}",
        ) from error
    approach = _approach(robot, here, start, lesson)
    done = [robot.follow(part, speed=min(APPROACH, speed)) for part in approach]
    for side, opening in openings.items():
        limb = robot.limb(side)
        if opening is not None and _turns(limb, opening):
            limb.move_gripper(min(max(opening, 0.0), 1.0))
    grips = robot._grips(taken, scene.world)
    return ReplayResult(tuple(done), _played(robot, motion, speed, grips), tuple(taken))


def _to_grip(error: ContactError, world: World, graspable: Collection[str]) -> str:
    """What to do where the fingers touch an object that they were not told to take."""
    name = error.second
    fingers = error.first.endswith("_fingers") and name in world and world[name].mass > 0.0
    if not fingers or name in graspable:
        return ""
    return f"; to grip {name!r}, set Rules(graspable=({name!r},))"


def _first_known(*openings: float | None) -> float:
    return next(float(one) for one in openings if one is not None)


def _played(
    robot: Robot, motion: Trajectory, speed: float, grips: Grips
) -> tuple[MotionResult, ...]:
    """Follows the motion, part by part: at rest a grip is over before the arm goes on."""
    done: list[MotionResult] = []
    rests = [rest for rest in retiming.pauses(motion) if _grips(motion, *rest)]
    begun = 0.0
    for a, b in [*rests, (motion.duration, motion.duration)]:
        if a - begun > 0.02:
            cut, times = editing.cut(motion.with_grippers(), begun, a)
            part = replace(cut, grippers=editing.moved(_between(motion, begun, a), times))
            with grips.part((begun, a), times, speed) as along:
                done.append(robot._follow_along(part, speed, along))
        for t, side, opening in _grips(motion, a, b):
            grips.at_rest(side, t, opening)
        begun = b
    return tuple(done)


def _between(motion: Trajectory, a: float, b: float) -> dict[str, GripperMotion]:
    """Openings between two times, those at rest left out: they are sent apart."""
    found = {}
    for side, one in motion.grippers.items():
        kept = (one.t > a + retiming.EDGE) & (one.t < b - retiming.EDGE)
        if kept.any():
            found[side] = GripperMotion(one.t[kept], one.opening[kept])
    return found


def _grips(motion: Trajectory, a: float, b: float) -> list[tuple[float, str, float]]:
    """Openings that are due at rest, in the order of time."""
    return sorted(
        (float(t), side, float(opening))
        for side, one in motion.grippers.items()
        for t, opening in zip(one.t, one.opening, strict=True)
        if retiming.in_pause(float(t), (a, b))
    )


def _approach(robot: Robot, here: Array, start: Array, lesson: Lesson) -> list[Motion]:
    """The path to the start; nothing has moved yet.

    Raises:
        RefusedError: If the start is blocked, or no path to it is found.
    """
    if float(np.abs(start - here).max()) <= THERE:
        return []
    scene = robot.scene
    if scene.in_collision(start[:7], start[7:]):
        a, b = scene.nearest(start[:7], start[7:]).names
        raise RefusedError(
            "collision",
            f"nothing was sent: the start of the lesson is blocked: {a} and {b} would touch; move "
            "what is there, or cut the lesson's beginning off",
        )
    group = lesson.sides[0] if len(lesson.sides) == 1 else "both"
    own = ARM_COLUMNS[group]
    why = ""
    for room in ROOMS:
        found = plan(scene.replace(margin=scene.margin + room), here, start[own], group=group)
        why = found.reason
        if not found.solved:
            continue
        still = {side: robot.limb(side).q for side in SIDES}
        try:
            rehearse(scene, found.trajectory(), still, (), robot._beside)
        except ContactError as error:
            why = str(error)
            continue
        return [found]
    raise RefusedError(
        "collision",
        f"nothing was sent: no path to the start of the lesson was found ({why}); lead the arm "
        "there by hand, or by move_to",
    )


def _that_hands_can(robot: Robot, lesson: Lesson) -> Trajectory:
    """The motion with the openings that its hands can follow; nothing has moved yet.

    Raises:
        RefusedError: If a gripper is not calibrated, or a hand without fingers should grip.
    """
    kept = {}
    for side, hand in lesson.hands.items():
        limb, told = robot.limb(side), lesson.motion.grippers.get(side)
        if limb.opening is None:
            if told is not None and told.moves:
                raise RefusedError(
                    "tool",
                    f"nothing was sent: the lesson moves the {side} gripper, and "
                    f"{no_fingers(limb.arm)}; to leave its grips out: "
                    "Lesson(lesson.motion.with_grippers()).replay(robot)",
                )
            continue
        if not limb.calibrated and (told is not None or _turns(limb, hand.opening)):
            raise not_calibrated(side)
        if told is not None:
            kept[side] = told
    return replace(lesson.motion, grippers=kept)


def _turns(limb: Limb, opening: float | None) -> bool:
    """Whether a gripper must move to begin as it was taught."""
    now = limb.opening
    return opening is not None and now is not None and abs(opening - now) > OPENING


def _check_hands(robot: Robot, lesson: Lesson) -> None:
    """Refuses hands that are others than were taught."""
    for side, hand in lesson.hands.items():
        limb = robot.limb(side)
        worn = robot._worn(side)
        if hand.tool is not None and worn != full_name(hand.tool):
            raise RefusedError(
                "tool",
                f"nothing was sent: the lesson was taught with {hand.tool!r} in the {side} hand, "
                f"which wears {worn!r}; change the tool, or teach it anew",
            )
        payload = limb.arm.model.payload
        mass = 0.0 if payload is None else float(payload.mass)
        if hand.payload is not None and not abs(mass - hand.payload) <= PAYLOAD:
            raise RefusedError(
                "payload",
                f"nothing was sent: the lesson was taught with a payload of {hand.payload:g} kg in "
                f"the {side} hand, and the robot's model has {mass:g} kg; give the robot's model "
                "the payload that the hand carries, or teach it anew",
            )
        if hand.gripping and limb.gripping is False:
            raise RefusedError(
                "payload",
                f"nothing was sent: the {side} hand held something when the lesson began, and is "
                "empty now; give it the object first",
            )
        known = any(one.held == side for one in robot.scene.world.state)
        if hand.gripping is False and limb.gripping and not known:
            raise RefusedError(
                "payload",
                f"nothing was sent: the {side} hand was empty when the lesson began, and holds "
                "something now that the robot's scene does not have in it; open the hand, or "
                f"attach the object: world.attach(name, {side!r}, T), then "
                "link.scene = link.scene.replace(world=world)",
            )
