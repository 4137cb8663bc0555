"""The head: one pan joint, a screen and a camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import head_array
from baxterkit.checks.units import ONE_TURN, unwarned
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.inertial import Inertial
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.parts import Frozen, rigid
from baxterkit.spatial.formulas import transform
from baxterkit.types import Array, Transform


@dataclass(frozen=True, eq=False)
class HeadModel(Frozen):
    """Kinematics and inertia of the head. Torso and base frames coincide.

    Attributes:
        T_base_pan: Pan joint's frame at pan = 0, in base, shape (4, 4); it turns about its z.
        T_head_screen: Screen in the head's frame, shape (4, 4).
        T_head_camera: Camera in the head's frame, shape (4, 4).
        lower: Least pan [rad].
        upper: Greatest pan [rad].
        damping: Viscous friction [N m s/rad], as the description states it.
        friction: Dry friction [N m], as the description states it.
        head: Inertial of the head, in its frame.
        screen: Inertial of the screen, in the screen's frame.
    """

    T_base_pan: Transform
    T_head_screen: Transform
    T_head_camera: Transform
    lower: float
    upper: float
    damping: float
    friction: float
    head: Inertial
    screen: Inertial

    FRAMES = ("head", "screen", "camera")

    def __post_init__(self) -> None:
        for name in ("T_base_pan", "T_head_screen", "T_head_camera"):
            object.__setattr__(self, name, rigid(getattr(self, name), name))

    def fk(self, pan: ArrayLike, frame: str = "head") -> Transform:
        """Pose of a frame of the head in base.

        Args:
            pan: Pan angle [rad], positive to the robot's left, shape (*batch).
            frame: "head", "screen" or "camera".

        Returns:
            T_base_frame, shape (*batch, 4, 4).

        Raises:
            UnknownNameError: If there is no such frame.
            InputError: If `pan` is not finite.
        """
        angle = head_array(pan, "pan")
        R = np.zeros((*angle.shape, 3, 3))
        R[..., 0, 0] = R[..., 1, 1] = np.cos(angle)
        R[..., 1, 0] = np.sin(angle)
        R[..., 0, 1] = -R[..., 1, 0]
        R[..., 2, 2] = 1.0
        T_base_head: Transform = self.T_base_pan @ transform(R, np.zeros(3))
        if frame == "head":
            return T_base_head
        if frame == "screen":
            return T_base_head @ self.T_head_screen
        if frame == "camera":
            return T_base_head @ self.T_head_camera
        raise UnknownNameError("head frame", frame, self.FRAMES)

    def check(self, pan: ArrayLike, slack: float = LIMIT_TOLERANCE, name: str = "pan") -> Array:
        """Returns `pan` as an array, shape (*batch), if it is inside the limits.

        Args:
            pan: Pan angle [rad], shape (*batch).
            slack: How far beyond a limit it may be [rad].
            name: The argument's name, for the message.

        Raises:
            InputError: If a value is outside, naming it and the limit.
        """
        with unwarned():  # degrees are outside
            angle = head_array(pan, name)
        for value in angle[(angle < self.lower - slack) | (angle > self.upper + slack)].flat:
            below = value < self.lower
            side, limit = ("below", self.lower) if below else ("above", self.upper)
            is_turned = self.lower <= np.deg2rad(value) <= self.upper
            way_out = (
                "are these degrees? Angles are in radians: np.deg2rad, or --deg on the command line"
                if abs(value) > ONE_TURN and is_turned
                else f"the head turns from {self.lower:.4f} to {self.upper:.4f} rad"
            )
            raise InputError(
                f"head_pan = {value:.4f} rad is {side} its limit {limit:.4f} rad; {way_out}"
            )
        return angle
