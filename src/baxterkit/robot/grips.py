"""Grips of a replay: what a hand takes or leaves is told to the robot as it happens, and sensed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from baxterkit.lesson.editing import Times
from baxterkit.lesson.rehearsal import Taking
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.motions import Along

if TYPE_CHECKING:
    from baxterkit.robot.protocol import Robot

SENSED = 1.0
"""Time within which a gripper has sensed that it holds something, or does not [s]."""
LOOK = 0.05
"""Time between two looks at that [s]."""


class Grips:
    """What the hands take and leave in a replay.

    Args:
        robot: The robot.
        taken: What the rehearsal has them take and leave.
    """

    def __init__(self, robot: Robot, taken: Sequence[Taking]) -> None:
        self._robot, self.taken = robot, tuple(taken)

    def part(
        self, between: tuple[float, float], times: Times, speed: float
    ) -> AbstractContextManager[Along | None]:
        """Within a `with`: a part of the lesson is followed.

        Args:
            between: When it begins and ends in the lesson [s].
            times: Times in the part of times in the lesson.
            speed: Share of its speed.
        """
        return nullcontext()

    def at_rest(self, side: str, t: float, opening: float) -> None:
        """Moves the gripper of an arm that rests, and tells what it has taken or left.

        Args:
            side: The arm.
            t: The time in the lesson [s].
            opening: The opening.

        Raises:
            RefusedError: If the hand has closed on nothing, or has not let go.
        """
        limb = self._robot.limb(side)
        due = [one for one in self.taken if (one.side, one.t) == (side, t)]
        for one in due:
            self._expect(one)
        try:
            limb.move_gripper(opening)
        except BaseException:
            for one in due:
                if limb.gripping is one.taken:
                    self._tell(one)
            raise
        for one in due:
            waited = 0.0
            while limb.gripping is (not one.taken) and waited < SENSED:
                self._robot.wait(LOOK)
                waited += LOOK
            if limb.gripping is (not one.taken):
                raise missed(one)
            self._tell(one)

    def _expect(self, one: Taking) -> None:
        """Refuses a grip on an object that is no longer where it was rehearsed."""

    def _tell(self, one: Taking) -> None:
        """Tells the robot; a twin knows it by itself."""


def missed(one: Taking) -> RefusedError:
    """The error of a hand that has not taken its object, or has not left it."""
    what = (
        f"closed on nothing: {one.name!r} is not where the robot's scene has it; tell the scene "
        "where it is, or put it there"
        if one.taken
        else f"opened and still holds {one.name!r}; take it out of the hand, or open that wider"
    )
    return RefusedError(
        "payload",
        f"the {one.side} hand {what}: the replay has ended at {one.t:.2f} s of the lesson",
    )
