"""Leaves MuJoCo's search for contacts out while nothing is near enough to touch.

The search over all shapes of the body takes most of a step. The compiled collision checker says in
a fraction of that whether anything is within a margin of anything else; where it is not, there are
no contacts to find, and the step without the search gives the same state to the bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.collision.obstacle import FLOOR
from baxterkit.collision.world import World
from baxterkit.sim.build import Mujoco
from baxterkit.sim.record import Record
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit._native import BodyChecker
    from baxterkit.baxter import Baxter
    from baxterkit.sim.fingers import Fingers

MARGIN = 0.02
"""What is nearer than this may touch within a step [m]: the arms can approach each other by 10 mm
in a millisecond."""


class ContactGate:
    """Switches the search for contacts on and off, before each step.

    Objects that move can touch each other and the floor: with such the search is always on.

    Args:
        mujoco: The module.
        model: The compiled model.
        robot: Both arms and the head.
        world: Its surroundings.
        positions: Joint positions: left and right arm, then the head's pan; a view of the state.
        fingers: Those of the hands that have some.
        record: The twin's record.
    """

    def __init__(
        self,
        mujoco: Mujoco,
        model: Mujoco,
        robot: Baxter,
        world: World,
        positions: Array,
        fingers: dict[str, Fingers],
        record: Record,
    ) -> None:
        self._option = model.opt
        self._off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        self.flags_at_start = int(self._option.disableflags)
        """What was switched off in the model before this gate did."""
        always_off = bool(self.flags_at_start & self._off)
        self._flags = self.flags_at_start & ~self._off
        self._left, self._right, self._pan = positions[:7], positions[7:14], positions[14:15]
        self._robot, self._fingers = robot, fingers
        self._openings: tuple[float, float] | None = None
        self._native: BodyChecker | None = None
        known = all(arm.model.is_baxter_geometry for arm in (robot.left, robot.right))
        self._world = _standing(world) if known and not always_off else None
        self._searches = record.searches
        self._searches[0] = not always_off
        record.near[0] = MARGIN
        self.checker: BodyChecker | None = None
        """What decides before each step; None: `is_open` does."""
        self.is_open = False
        """Whether the search is on until the next `prepare`, whatever the state."""

    @property
    def searches(self) -> bool:
        """Whether the last step searched for contacts."""
        return bool(self._searches[0])

    def share(self, other: ContactGate) -> None:
        """Takes the checker of a gate of the same robot and world, instead of one of its own."""
        self._native, self._openings = other._native, other._openings

    def prepare(self) -> None:
        """Takes account of the fingers; to be called after they have moved."""
        # No contacts at all, or always; or no fingers, and the checker is known.
        if self._world is None or (not self._fingers and self.checker is not None):
            return
        moving = any(fingers.are_moving for fingers in self._fingers.values())
        self.checker = None if moving else self._up_to_date()
        self.is_open = self.checker is None

    def update(self) -> None:
        """Decides for the state as it is now."""
        on = self.is_open
        if self.checker is not None:
            pan = float(self._pan[0])
            on = self.checker.hit(self._left, self._right, pan, MARGIN) is not False
        elif not on:
            return
        if on is not self.searches:
            self._searches[0] = on
            self._option.disableflags = self._flags if on else self._flags | self._off

    def _up_to_date(self) -> BodyChecker | None:
        """The checker for the hands as they are open now; None where NumPy computes."""
        left, right = (
            self._fingers[side].opening if side in self._fingers else 1.0
            for side in ("left", "right")
        )
        if (left, right) != self._openings:
            self._openings = (left, right)
            self._native = self._robot.scene(self._world, opening=(left, right)).checker.native
        return self._native


def _standing(world: World) -> World | None:
    """The floor and the fixed objects; None if some can move."""
    if any(obstacle.mass for obstacle in world.state):
        return None
    standing = World.of(world.state)
    name = "floor"
    while name in world:
        name += " of the room"
    standing.add_plane(name, (0.0, 0.0, 1.0), FLOOR)
    return standing
