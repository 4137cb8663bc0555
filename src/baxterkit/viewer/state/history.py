"""Undo: what a user could have changed, kept before each change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from baxterkit.arm import Arm
from baxterkit.clock import SYSTEM
from baxterkit.types import JointVector, Transform
from baxterkit.viewer.state.dragged_arm import DraggedArm
from baxterkit.viewer.state.objects import PlacedObject
from baxterkit.viewer.state.session import SIDES, Session

MOST = 100
"""Steps that are kept."""
PAUSE = 1.0
"""Changes of one control that follow each other within this time are one step [s]."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A session at one time. Arrays are those of the session, which are never changed in place.

    Attributes:
        arms: The arms with their tools, by side.
        q: Joint positions [rad], by side.
        openings: Gripper openings, by side.
        pan: The head's angle [rad].
        objects: What stood around the robot.
        goals: Joint positions and the wanted pose of the arms that had a goal, by side.
    """

    arms: Mapping[str, Arm]
    q: Mapping[str, JointVector]
    openings: Mapping[str, float]
    pan: float
    objects: tuple[PlacedObject, ...]
    goals: Mapping[str, tuple[JointVector, Transform | None]]

    def is_like(self, other: Kept) -> bool:
        """Whether nothing was changed between the two."""
        same = (self.openings, self.pan, self.goals.keys()) == (
            other.openings,
            other.pan,
            other.goals.keys(),
        )
        pairs: list[tuple[object, object]] = [
            (mine[side], others[side])
            for mine, others in ((self.arms, other.arms), (self.q, other.q))
            for side in SIDES
        ]
        if not same or len(self.objects) != len(other.objects):
            return False
        pairs += zip(self.objects, other.objects, strict=True)
        for side, goal in self.goals.items():
            pairs += zip(goal, other.goals[side], strict=True)
        return all(mine is theirs for mine, theirs in pairs)


def keep(session: Session) -> Kept:
    """The session as it is."""
    return Kept(
        {side: limb.arm for side, limb in session.limbs.items()},
        {side: limb.q for side, limb in session.limbs.items()},
        dict(session.openings),
        session.pan,
        tuple(session.objects[name] for name in session.objects.names),
        {side: (goal.q, goal.target) for side, goal in session.goals.items()},
    )


def restore(session: Session, kept: Kept) -> None:
    """Makes a session what it was: what moves stops, and the arms are there at once."""
    session.stop_playing()
    for side, limb in session.limbs.items():
        if limb.arm is not kept.arms[side]:
            session.put_arm(side, kept.arms[side])
        limb.set_joints(kept.q[side], clip=False)
        limb.q = kept.q[side]
    session.openings.update(kept.openings)
    session.pan = kept.pan
    session.objects.replace(kept.objects)
    session.goals.clear()
    for side, (q, target) in kept.goals.items():
        goal = session.goals[side] = DraggedArm(kept.arms[side], q)
        if target is not None:
            goal.drag(target)
        goal.q, goal.target = q, target


class History:
    """The steps that can be undone.

    Args:
        session: The session.
        clock: Gives the time [s].
    """

    def __init__(self, session: Session, clock: Callable[[], float] = SYSTEM.now) -> None:
        self._session, self._clock = session, clock
        self._steps: list[Kept] = []
        self._last: tuple[Hashable, float] = (None, 0.0)

    def note(self, key: Hashable) -> None:
        """Keeps the session before a change; changes under one key that go on are one step."""
        now = self._clock()
        before, at = self._last
        self._last = (key, now)
        if before == key and now - at < PAUSE:
            return
        self._steps.append(keep(self._session))
        del self._steps[:-MOST]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step that changed something."""
        now = keep(self._session)
        return any(not kept.is_like(now) for kept in self._steps)

    def undo(self) -> bool:
        """Goes one step back; returns whether there was one."""
        now = keep(self._session)
        self._last = (None, 0.0)
        while self._steps:
            kept = self._steps.pop()
            if not kept.is_like(now):
                restore(self._session, kept)
                return True
        return False
