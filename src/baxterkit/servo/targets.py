"""Targets from a source that may be late, silent, frozen or wrong.

A pose that is not one is left out; a hand whose source is silent for too long brakes. A target that
jumps is taken: the hand goes there at its own pace, never faster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.errors import BaxterkitError, InputError
from baxterkit.model.names import SIDES, check_side
from baxterkit.poses import pose_array
from baxterkit.servo.result import Log
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import Transform

JUMP = 0.2
"""A target that is this far from the one before [m, or half of it in rad] is noted."""
FARTHEST = 10.0
"""A target is nonsense beyond this distance from the robot [m]."""


@dataclass(frozen=True, eq=False)
class Goal:
    """Where a hand should be, and how far its gripper should be open.

    Attributes:
        T: T_base_tip, shape (4, 4), or a pose in another form that `Arm.ik` takes; None: the hand
            stays where it is.
        opening: Gripper opening, 0 (closed) to 1 (open); None: it stays as it is.
    """

    T: ArrayLike | None = None
    opening: float | None = None


Given: TypeAlias = ArrayLike | Goal | None
Source: TypeAlias = Callable[[float], Given | Mapping[str, Given]]
"""Of the time since the start [s]: a pose, a `Goal`, None if there is nothing new, or one of these
for each side. It returns at once, and ends the run by raising StopIteration."""


class Targets:
    """The last good target of each hand.

    Args:
        source: Gives targets.
        sides: The hands that follow.
        silence: Time without a target after which a hand brakes [s].
        log: Takes notes.

    Attributes:
        last: The last good pose of each hand, by side.
    """

    def __init__(self, source: Source, sides: Sequence[str], silence: float, log: Log) -> None:
        if not callable(source):
            raise InputError(
                "target must be a function of the time that gives poses, as lambda t: T, got "
                f"{type(source).__name__}"
            )
        self._source, self._sides, self._silence, self._log = source, sides, silence, log
        self.last: dict[str, Transform] = {}
        self._heard: dict[str, float] = {}  # or first asked
        self._asked: dict[str, float] = {}

    def read(self, t: float) -> tuple[dict[str, Transform | None], dict[str, float]] | None:
        """Targets and new gripper openings at a time [s], by side; None at the source's end.

        A target is None where the hand must brake.
        """
        try:
            given = self._source(t)
        except StopIteration:
            return None
        goals = self._by_side(given)
        poses: dict[str, Transform | None] = {}
        openings: dict[str, float] = {}
        for side in self._sides:
            goal = goals.get(side)
            if not isinstance(goal, Goal):
                goal = Goal(goal)
            elif side not in self.last:
                self._heard[side] = t  # the hand stays, as it is told
            self._take(t, side, goal.T)
            if goal.opening is not None and goal.opening != self._asked.get(side):
                openings[side] = self._asked[side] = goal.opening
            poses[side] = self._fresh(t, side)
        return poses, openings

    def _by_side(self, given: Given | Mapping[str, Given]) -> Mapping[str, Given]:
        if isinstance(given, Mapping) and set(given) <= set(SIDES):
            return given
        if len(self._sides) == 1:
            return {self._sides[0]: given}  # type: ignore[dict-item]
        if given is None:
            return {}
        raise InputError("the target of both hands must be {'left': pose, 'right': pose}")

    def _take(self, t: float, side: str, given: ArrayLike | None) -> None:
        if given is None:
            return
        try:
            pose = pose_array(given, "target")
            if pose.shape != (4, 4):
                raise InputError(f"a target is one pose, got shape {pose.shape}")
            far = float(np.abs(pose[:3, 3]).max())
            if far > FARTHEST:
                raise InputError(f"it is {far:.3g} m away")
        except BaxterkitError as error:
            self._log.note(t, side, "not a pose", f"a target is left out: {error}")
            return
        self._log.over(side, "not a pose", "silent")
        before = self.last.get(side)
        if before is not None:
            moved, turned = (float(x) for x in pose_error(before, pose))
            if max(moved, 0.5 * turned) > JUMP:
                self._log.note(
                    t, side, "jump",
                    f"the target has jumped by {moved:.2f} m and {turned:.2f} rad; the hand goes "
                    "there at its own pace",
                )  # fmt: skip
            else:
                self._log.over(side, "jump")
        self.last[side], self._heard[side] = pose, t

    def _fresh(self, t: float, side: str) -> Transform | None:
        quiet = t - self._heard.setdefault(side, t)
        if quiet <= self._silence:
            return self.last.get(side)
        self._log.note(
            t, side, "silent", f"no target for {quiet:.2f} s; the hand holds until the next one"
        )
        return None


def sides_of(side: str) -> tuple[str, ...]:
    """The hands that "left", "right" or "both" means.

    Raises:
        UnknownNameError: If it is something else.
    """
    return SIDES if side == "both" else (check_side(side, "hand"),)
