"""The facade `Baxter`: two arms and a head."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import spatial
from baxterkit.arm import Arm
from baxterkit.model.head import HeadModel
from baxterkit.model.library import load_baxter
from baxterkit.types import Array, Transform, Twist


class Baxter:
    """The whole robot.

    Args:
        left: The left arm; a nominal one if None.
        right: The right arm; a nominal one if None.
    """

    def __init__(self, left: Arm | None = None, right: Arm | None = None) -> None:
        self.left = Arm("left") if left is None else left
        self.right = Arm("right") if right is None else right
        self.head: HeadModel = load_baxter().head

    @classmethod
    def from_urdf(cls, path_or_text: str | Path) -> Baxter:
        """Both arms of a URDF file, each with its own mount."""
        return cls(Arm.from_urdf(path_or_text, "left"), Arm.from_urdf(path_or_text, "right"))

    def relative_pose(self, q_left: ArrayLike, q_right: ArrayLike) -> Transform:
        """Right tip as the left tip sees it.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).

        Returns:
            T_left_right, shape (*batch, 4, 4).
        """
        return spatial.inverse(self.left.fk(q_left)) @ self.right.fk(q_right)

    def relative_jacobian(self, q_left: ArrayLike, q_right: ArrayLike) -> Array:
        """How the right tip moves as seen from the left tip when all fourteen joints move.

        With q = [q_left; q_right], the derivative of `relative_pose` is the twist
        V = J_rel qd = [v; w] of the right tip relative to the left one, in axes of the left tip:
        v is the velocity of the right tip's origin as an observer on the left tip sees it.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).

        Returns:
            J_rel, shape (*batch, 6, 14); linear rows first.
        """
        T_left_right = self.relative_pose(q_left, q_right)
        J_left = self.left.jacobian(q_left, "tip")
        J_right = self.right.jacobian(q_right, "tip")
        R = T_left_right[..., :3, :3]
        carried = spatial.skew(T_left_right[..., :3, 3])
        right: Any = np.concatenate([R @ J_right[..., :3, :], R @ J_right[..., 3:, :]], axis=-2)
        linear = J_left[..., :3, :] - carried @ J_left[..., 3:, :]
        left = -np.concatenate([linear, np.broadcast_to(J_left[..., 3:, :], linear.shape)], axis=-2)
        shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
        both = [np.broadcast_to(J, (*shape, J.shape[-1])) for J in (left, right)]
        return np.concatenate(both, axis=-1)

    def relative_twist(
        self, q_left: ArrayLike, q_right: ArrayLike, qd_left: ArrayLike, qd_right: ArrayLike
    ) -> Twist:
        """Velocity [v; w] of the right tip as seen from the left tip, in left tip axes."""
        J = self.relative_jacobian(q_left, q_right)
        left = J[..., :7] @ np.asarray(qd_left)[..., None]
        V: Twist = (left + J[..., 7:] @ np.asarray(qd_right)[..., None])[..., 0]
        return V

    def __repr__(self) -> str:
        return f"Baxter(left={self.left!r}, right={self.right!r})"
