"""Entries of the play list: recordings, saved trajectories, and the papers' experiments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from baxterkit.arm import Arm
from baxterkit.viewer.state.motion import Motion

if TYPE_CHECKING:
    from baxterkit.trajectory import Trajectory


@dataclass(frozen=True)
class Piece:
    """One entry of the play list.

    Attributes:
        name: Its name.
        side: The arm that it is for.
        motion: The motion to play; None if it is computed on demand.
        make: Makes the trajectory for an arm; None for a recording.
    """

    name: str
    side: str
    motion: Motion | None = None
    make: Callable[[Arm], Trajectory] | None = None


def paper_pieces() -> list[Piece]:
    """The trajectories of the papers' experiments."""
    return [
        Piece(f"Smith et al., set {number}", "right", make=partial(_smith, number))
        for number in (1, 2, 3)
    ]


def motion_piece(motion: Motion) -> Piece:
    """The entry of a motion."""
    return Piece(motion.name, next(iter(motion.q)), motion=motion)


def trajectory_piece(trajectory: Trajectory, side: str) -> Piece:
    """The entry of a trajectory, which can also be run in the twin."""
    return Piece(trajectory.name, side, make=lambda arm: trajectory.of(arm.side))


def _smith(number: int, arm: Arm) -> Trajectory:
    from baxterkit.trajectory import smith_set

    return smith_set(number, arm)
