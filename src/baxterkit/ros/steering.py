"""A robot as the viewer shows and moves it: every command goes through the link's safety gate."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.lesson.lesson import Lesson
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.live import LiveRobot
from baxterkit.robot.teaching import Taught
from baxterkit.ros.errors import RosError
from baxterkit.ros.link import RobotLink
from baxterkit.servo.settings import ServoSettings
from baxterkit.servo.targets import Source
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Transform

SILENT = 1.0
"""A robot whose states are older than this [s] is silent."""
GRIPPER = 5.0
"""Time that a gripper has to arrive [s]."""


class Steering(LiveRobot):
    """A robot behind a link, for a viewer.

    Args:
        link: The robot.
    """

    def __init__(self, link: RobotLink) -> None:
        self._link = link
        self._lesson: Taught | None = None

    @property
    def in_control(self) -> bool:
        return self._link.in_control

    @property
    def heard(self) -> bool:
        link = self._link
        return all(limb.published.age < SILENT for limb in (link.left, link.right))

    def report(self) -> str:
        """Whether it is enabled or stopped, and what its arms are near to."""
        link = self._link
        word = "stopped" if link.stopped else "enabled" if link.enabled else "disabled"
        near = sorted({*link.left.avoidance, *link.right.avoidance})
        return f"{word}, too near: {', '.join(near)}" if near else word

    def take_control(self) -> None:
        self._link.take_control()

    def release_control(self) -> None:
        self.halt()
        with suppress(RosError, RefusedError):
            self._link.release_control()

    def halt(self) -> None:
        self._link.cancel(0.0)

    def enable(self) -> None:
        self._link.enable()

    def disable(self) -> None:
        self._link.disable()

    def stop(self) -> None:
        self._link.stop()

    def follow(self, motions: Mapping[str, Trajectory], speed: float, world: World) -> None:
        """Follows motions by side, at a share of their speed; the gate then knows the obstacles."""
        self._link.scene = self._link.scene.replace(world=world)
        self._link.follow(motions, speed=speed)

    def go_to(self, name: str, speed: float) -> None:
        """Moves both arms to a named configuration, tucked arms through "untuck"."""
        if name == "tuck":
            self._link.tuck(speed)
        elif name == "untuck":
            self._link.untuck(speed)
        else:
            self._link.move_to(name, name, speed=speed, timeout=120.0)

    def grip(self, side: str, opening: float) -> None:
        """Moves a gripper: 0 (closed) to 1 (open); calibrates it first if it is not."""
        limb = self._link.limb(side)
        if not limb.calibrated:
            limb.calibrate_gripper(GRIPPER)
        limb.move_gripper(opening, timeout=GRIPPER)

    def tip(self, side: str) -> Transform:
        return self._link.limb(side).tip

    def lead(self, source: Source, speed: float) -> None:
        self._link.servo(source, "both", settings=ServoSettings(speed=speed))

    def teach(self, name: str) -> None:
        self._lesson = self._link.teach(name=name).__enter__()

    def mark(self) -> None:
        self._being_taught().waypoint()

    def taught(self) -> Lesson:
        lesson = self._being_taught()
        self._lesson = None
        lesson.__exit__(None)
        return lesson

    def replay(self, lesson: Lesson, speed: float) -> None:
        lesson.replay(self._link, speed=speed).raise_if_failed()

    def _being_taught(self) -> Taught:
        if self._lesson is None:
            raise InputError("no lesson is being recorded")
        return self._lesson
