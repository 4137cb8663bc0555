"""Arms that were identified with a gravity of their own: the difference, as torques.

Identification finds the direction of gravity for each arm, which stands for the tilt of the robot
and of the arm's mount alike. The scene has one gravity; what an arm's own differs by is added.
"""

from __future__ import annotations

from baxterkit.arm import Arm
from baxterkit.types import Array, Vector3

__all__ = ["Tilt"]


class Tilt:
    """The difference between an arm's own gravity and the scene's.

    Args:
        arm: The arm, with its gravity.
        gravity: Of the scene, in base axes [m/s²], shape (3,).
        rows: The arm's joints.
        q: View of all joints' positions [rad].
        applied: MuJoCo's torques on all joints; written.
    """

    def __init__(self, arm: Arm, gravity: Vector3, rows: slice, q: Array, applied: Array) -> None:
        self.rows = rows
        # Gravity torques are linear in gravity, so one model of the difference is enough.
        difference = gravity - arm.model.gravity
        self._arm = arm.with_effects(None).replace(gravity_vector=difference)
        self._q, self._applied = q[rows], applied[rows]

    def torque(self) -> Array:
        """What the scene's gravity asks of the joints more than the arm's own [N m], shape (7,)."""
        return self._arm.gravity(self._q)

    def apply(self) -> None:
        """Adds it to the torques of the next step."""
        self._applied += self.torque()
