"""Leaves MuJoCo's search for contacts out while nothing is near enough to touch.

The search over all shapes of the body takes most of a step. The compiled collision checker says in
a fraction of that whether anything is within a margin of anything else; where it is not, there are
no contacts to find, and the step without the search gives the same state to the bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.collision.world import World
from baxterkit.look.robot import FLOOR
from baxterkit.sim.build import Mujoco
from baxterkit.sim.scene import Scene, add_to_world
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

    Things that move can touch each other and the floor; a scene with such has the search always on.

    Args:
        mujoco: The module.
        model: The compiled model.
        robot: Both arms and the head.
        scene: Its surroundings.
        q: Joint positions of the left and the right arm, views of the state, shape (2, 7).
        positions: The state; the head's pan follows the arms' joints.
        fingers: Those of the hands that have some.
    """

    def __init__(
        self,
        mujoco: Mujoco,
        model: Mujoco,
        robot: Baxter,
        scene: Scene,
        q: Array,
        positions: Array,
        fingers: dict[str, Fingers],
    ) -> None:
        self._option = model.opt
        self._off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        self._always_off = bool(self._option.disableflags & self._off)
        self._flags = int(self._option.disableflags) & ~self._off
        self._left, self._right = q
        self._positions, self._pan = positions, q.size
        self._robot, self._fingers = robot, fingers
        self._openings: tuple[float, float] | None = None
        self._checker: BodyChecker | None = None
        known = all(arm.model.is_baxter_geometry for arm in (robot.left, robot.right))
        self._world = _standing(scene) if known and not self._always_off else None
        self.searches = not self._always_off
        """Whether the last step searched for contacts."""

    def update(self) -> None:
        """Decides for the state as it is now."""
        if self._world is None:  # no contacts at all, or always
            return
        on = any(fingers.are_moving for fingers in self._fingers.values())
        if not on:
            checker = self._up_to_date()
            pan = float(self._positions[self._pan])
            on = checker is None or checker.hit(self._left, self._right, pan, MARGIN) is not False
        if on is not self.searches:
            self.searches = on
            self._option.disableflags = self._flags if on else self._flags | self._off

    def _up_to_date(self) -> BodyChecker | None:
        """The checker for the hands as they are open now; None where NumPy computes."""
        left, right = (
            self._fingers[side].opening if side in self._fingers else 1.0
            for side in ("left", "right")
        )
        if (left, right) != self._openings:
            self._openings = (left, right)
            self._checker = self._robot.scene(self._world, opening=(left, right)).checker.native
        return self._checker


def _standing(scene: Scene) -> World | None:
    """The floor and the fixed things; None if some can move."""
    if not all(item.is_fixed for item in scene.items):
        return None
    world = World()
    world.add_plane("the floor", (0.0, 0.0, 1.0), FLOOR)
    for n, item in enumerate(scene.items):
        add_to_world(world, item, item.T, f"thing {n}")
    return world
