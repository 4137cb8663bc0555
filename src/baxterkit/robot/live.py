"""A robot that a viewer shows live, and moves only once a user has taken control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from baxterkit.collision.world import World
from baxterkit.lesson.lesson import Lesson
from baxterkit.servo.targets import Source
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Transform


class LiveRobot(Protocol):
    """A robot elsewhere; `baxterkit.ros.steering.Steering` is one. Errors are `BaxterkitError`s.

    All but `in_control`, `heard`, `report`, `tip`, `halt` and `release_control` may take seconds.
    """

    @property
    def in_control(self) -> bool:
        """Whether commands are sent at all."""

    @property
    def heard(self) -> bool:
        """Whether the robot has spoken within the last second."""

    def report(self) -> str:
        """Its state in some words, such as "enabled"."""

    def take_control(self) -> None:
        """Allows commands."""

    def release_control(self) -> None:
        """Ends what moves, and allows no more commands."""

    def halt(self) -> None:
        """Ends what moves; does not wait until it is at rest."""

    def enable(self) -> None:
        """Enables the robot."""

    def disable(self) -> None:
        """Disables the robot."""

    def stop(self) -> None:
        """Stops the robot as its button does; needs no control."""

    def follow(self, motions: Mapping[str, Trajectory], speed: float, world: World) -> None:
        """Follows motions by side, at a share of their speed, among these obstacles."""

    def go_to(self, name: str, speed: float) -> None:
        """Moves both arms to a named configuration, at a share of the velocity limits."""

    def grip(self, side: str, opening: float) -> None:
        """Moves a gripper: 0 (closed) to 1 (open)."""

    def tip(self, side: str) -> Transform:
        """Pose of a hand's tip in base, shape (4, 4), as it is measured now."""

    def lead(self, source: Source, speed: float) -> None:
        """Lets both hands follow targets, no faster than this [m/s], until the source ends."""

    def teach(self, name: str) -> None:
        """Begins to take down what the arms do, as a lesson; nothing moves by itself."""

    def mark(self) -> None:
        """Marks a waypoint of the lesson."""

    def taught(self) -> Lesson:
        """Ends the lesson, and gives it."""

    def replay(self, lesson: Lesson, speed: float) -> None:
        """Replays a lesson, at a share of its speed."""
