"""What the papers' models share: a DH table, the misprints that a model keeps, FK, the Jacobian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array
from baxterkit.errors import UnknownNameError
from baxterkit.model.dh import DhTable, dh_from_model
from baxterkit.model.library import baxter_arm
from baxterkit.types import Array, Jacobian, JointVector, Transform, frozen

__all__ = ["Misprint", "PaperArm", "true_table"]

QUARTER = np.pi / 2
ALPHA = (-QUARTER, QUARTER, -QUARTER, QUARTER, -QUARTER, QUARTER, 0.0)
"""The column α of all three papers' DH tables [rad]."""


@dataclass(frozen=True)
class Misprint:
    """A place where a paper's printed form differs from the robot.

    Attributes:
        printed: What stands there.
        true: What must stand there.
    """

    printed: str
    true: str


@cache
def true_table() -> DhTable:
    """The DH table of Baxter's arm, s0 frame to hand; both arms have the same."""
    return dh_from_model(baxter_arm("left"), measure=False)


@dataclass(frozen=True)
class PaperArm:
    """The arm as a paper describes it.

    Attributes:
        misprinted_names: The misprints that this model keeps, names of `MISPRINTS`.
    """

    misprinted_names: frozenset[str] = frozenset()

    MISPRINTS: ClassVar[Mapping[str, Misprint]] = {}
    frame_0: ClassVar[str] = "s0"
    """The robot's frame that poses are given in."""
    frame_n: ClassVar[str] = "hand"
    """The last frame of the DH table."""

    def __post_init__(self) -> None:
        for name in self.misprinted_names:
            if name not in self.MISPRINTS:
                raise UnknownNameError("misprint", name, self.MISPRINTS)

    def misprinted(self, *names: str) -> Self:
        """The corrected model with some misprints, named as in `MISPRINTS`."""
        return replace(self, misprinted_names=frozenset(names))

    def keeps(self, name: str) -> bool:
        """Whether this model has that misprint."""
        return name in self.misprinted_names

    # Forward kinematics

    def dh(self) -> Array:
        """The DH table, rows of θ offset [rad], d [m], a [m], α [rad]; shape (7, 4)."""
        rows = true_table().rows
        return np.array([[row.theta_offset, row.d, row.a, row.alpha] for row in rows])

    def link_transforms(self, q: ArrayLike) -> Transform:
        """Rz(θ) Tz(d) Tx(a) Rx(α) of every row, shape (*batch, 7, 4, 4)."""
        q = joint_array(q, "q", 7)
        offset, d, a, alpha = self.dh().T
        s, c = np.sin(q + offset), np.cos(q + offset)
        sa, ca = np.sin(alpha), np.cos(alpha)
        zero, one = np.zeros_like(s), np.ones_like(s)
        entries = [
            [c, -s * ca, s * sa, a * c],
            [s, c * ca, -c * sa, a * s],
            [zero, sa * one, ca * one, d * one],
            [zero, zero, zero, one],
        ]
        return np.stack([np.stack(row, axis=-1) for row in entries], axis=-2)

    def T_0(self) -> Transform:
        """DH frame 0 in the robot's frame `frame_0`, shape (4, 4)."""
        return np.eye(4)

    def frames(self, q: ArrayLike, side: str | None = None) -> Transform:
        """DH frames 0 to 7.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            side: "left" or "right" for poses in the robot's base, at the nominal mount of that arm;
                in the paper's own `frame_0` if None.

        Returns:
            T_0_i, or T_base_i, shape (*batch, 8, 4, 4).
        """
        A = self.link_transforms(q)
        first = self.T_0() if side is None else _mount(side)
        T = np.broadcast_to(first, A[..., 0, :, :].shape)
        frames = [T]
        for i in range(7):
            frames.append(frames[-1] @ A[..., i, :, :])
        return np.stack(frames, axis=-3)

    def fk(self, q: ArrayLike) -> Transform:
        """Pose of the last frame in `frame_0`, shape (*batch, 4, 4)."""
        return np.asarray(self.frames(q)[..., -1, :, :])

    def jacobian(self, q: ArrayLike) -> Jacobian:
        """Geometric Jacobian of the last frame's origin, in axes of `frame_0`.

        Column i is [z × (p_n - p); z] of joint i's axis: the derivatives of the position above the
        axes, as in Kumar's eq. 2.

        Returns:
            J, shape (*batch, 6, 7); linear rows [m/rad], angular rows [1].
        """
        T = self.frames(q)
        z, p = T[..., :-1, :3, 2], T[..., :-1, :3, 3]
        linear = np.cross(z, T[..., -1:, :3, 3] - p)
        return np.swapaxes(np.concatenate([linear, z], axis=-1), -1, -2)


@cache
def _mount(side: str) -> Transform:
    return frozen(baxter_arm(side).T_base_s0)


def quadratic(M: Array, v: JointVector) -> JointVector:
    """M v of matrices (*batch, 7, 7) and vectors (*batch, 7)."""
    return np.asarray(np.einsum("...ik,...k->...i", M, v))
