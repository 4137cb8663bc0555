"""A robot that a viewer shows live, and may move after an explicit arm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from baxterkit.collision.world import World
from baxterkit.trajectory.trajectory import Trajectory


class LiveRobot(Protocol):
    """A robot elsewhere; `baxterkit.ros.steering.Steering` is one. Errors are `BaxterkitError`s.

    All but `armed`, `heard`, `report`, `halt` and `disarm` may take seconds.
    """

    @property
    def armed(self) -> bool:
        """Whether commands are sent at all."""

    @property
    def heard(self) -> bool:
        """Whether the robot has spoken within the last second."""

    def report(self) -> str:
        """Its state in some words, such as "enabled"."""

    def arm(self) -> None:
        """Allows commands."""

    def disarm(self) -> None:
        """Ends what moves, and allows no more commands."""

    def halt(self) -> None:
        """Ends what moves; does not wait until it is at rest."""

    def enable(self) -> None:
        """Enables the robot."""

    def disable(self) -> None:
        """Disables the robot."""

    def stop(self) -> None:
        """Stops the robot as its button does; needs no arm."""

    def follow(self, motions: Mapping[str, Trajectory], speed: float, world: World) -> None:
        """Follows motions by side, at a share of their speed, among these obstacles."""

    def go_to(self, pose: str, speed: float) -> None:
        """Moves both arms to a named pose, at a share of the velocity limits."""

    def grip(self, side: str, opening: float) -> None:
        """Moves a gripper: 0 (closed) to 1 (open)."""
