"""Torques of the difference between the gravity of an identified arm and the scene's.

Identification finds the direction of gravity for each arm, which stands for the tilt of the robot
and of the arm's mount alike. The scene has one gravity; the difference to the arm's own is added.
"""

from __future__ import annotations

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.types import Array, Vector3


class Tilt:
    """The difference between an arm's own gravity and the scene's.

    Args:
        arm: The arm, with its gravity.
        gravity: Gravity of the scene, in base axes [m/s²], shape (3,).
        rows: The arm's joints.
        q: View of all joints' positions [rad].
        applied: MuJoCo's torques on all joints; written.
    """

    def __init__(self, arm: Arm, gravity: Vector3, rows: slice, q: Array, applied: Array) -> None:
        self.rows = rows
        # Gravity torques are linear in gravity, so one model of the difference is enough.
        difference = gravity - arm.model.gravity
        with unwarned():  # a difference points anywhere
            self.arm = arm.with_effects(None).replace(gravity_vector=difference)
        self._q, self._applied = q[rows], applied[rows]

    def torque(self) -> Array:
        """Holding torques of the scene's gravity less those of the arm's own [N m], shape (7,)."""
        return self.arm.gravity(self._q)

    def apply(self) -> None:
        """Adds it to the torques of the next step."""
        self._applied += self.torque()
