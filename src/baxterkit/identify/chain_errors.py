"""The chain of a real arm: the nominal one with small errors, and poses' derivatives by them.

    T_world_marker = T_world_s0 · Π (origin · exp(error) · Rot_z(q + offset)) · T_hand_marker

World is whatever measures: base, a tracker, a camera, a calibration board, a fixture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from baxterkit.model.model import ArmModel
from baxterkit.model.names import JOINTS
from baxterkit.spatial.formulas import se3_exp
from baxterkit.types import Array, JointVector, Transform, Vector3

_TWIST = ("x", "y", "z", "roll", "pitch", "yaw")
NAMES = (
    *(f"mount {name}" for name in _TWIST),
    *(f"{joint} offset" for joint in JOINTS),
    *(f"{joint} {name}" for joint in JOINTS for name in _TWIST),
    *(f"tool {name}" for name in _TWIST),
)
"""The parameters: lengths [m] and angles [rad]."""
COUNT = len(NAMES)


@dataclass(frozen=True, eq=False)
class Chain:
    """An arm with errors.

    Attributes:
        model: The nominal arm.
        T_world_s0: Frame of s0 where positions were measured, shape (4, 4).
        offsets: Joint offsets: true position less the encoder's [rad], shape (7,).
        errors: Twists [v; w] of each joint's frame [m, rad], shape (7, 6).
        T_hand_marker: What is measured, in the hand, shape (4, 4).
    """

    model: ArmModel
    T_world_s0: Transform
    offsets: JointVector
    errors: Array
    T_hand_marker: Transform

    @classmethod
    def nominal(cls, model: ArmModel, T_world_s0: Transform, T_hand_marker: Transform) -> Chain:
        """The chain without errors."""
        return cls(model, T_world_s0, np.zeros(7), np.zeros((7, 6)), T_hand_marker)

    def poses(self, q: JointVector) -> Transform:
        """Poses of the marker in the world, shape (n, 4, 4)."""
        return self._frames(q)[-1]

    def moved(self, step: Array) -> Chain:
        """The chain with its parameters changed, in the order of `NAMES`."""
        return replace(
            self,
            T_world_s0=self.T_world_s0 @ se3_exp(step[:6]),
            offsets=self.offsets + step[6:13],
            errors=self.errors + step[13:55].reshape(7, 6),
            T_hand_marker=self.T_hand_marker @ se3_exp(step[55:]),
        )

    def derivatives(self, q: JointVector) -> tuple[Array, Array]:
        """Derivatives of position and orientation by all parameters, shape (n, 3, k) each.

        Orientations turn by a rotation vector in world axes.
        """
        frames = self._frames(q)
        tip = frames[-1][:, :3, 3]
        linear, angular = [], []
        for frame in (frames[0], *frames[1:8], frames[-1]):
            v, w = _twist_columns(frame, tip)
            linear.append(v)
            angular.append(w)
        axes = [frame[:, :3, 2] for frame in frames[1:8]]
        arms = [np.cross(z, tip - f[:, :3, 3]) for z, f in zip(axes, frames[1:8], strict=True)]
        order = (0, None, *range(1, 8), 8)
        J = [np.stack(arms, axis=-1) if k is None else linear[k] for k in order]
        W = [np.stack(axes, axis=-1) if k is None else angular[k] for k in order]
        return np.concatenate(J, axis=-1), np.concatenate(W, axis=-1)

    def _frames(self, q: JointVector) -> list[Transform]:
        """World poses of: s0's mount, each joint's frame before it turns, the marker."""
        at = np.broadcast_to(self.T_world_s0, (len(q), 4, 4))
        frames = [at]
        for j, joint in enumerate(self.model.joints):
            at = at @ (joint.T_parent_joint @ se3_exp(self.errors[j]))
            frames.append(at)
            at = at @ _turn(q[:, j] + self.offsets[j])
        return [*frames, at @ (self.model.T_last_hand @ self.T_hand_marker)]


def _turn(angle: Array) -> Transform:
    """Rotations about z, shape (n, 4, 4)."""
    T = np.zeros((len(angle), 4, 4))
    T[:, 0, 0] = T[:, 1, 1] = np.cos(angle)
    T[:, 1, 0] = np.sin(angle)
    T[:, 0, 1] = -T[:, 1, 0]
    T[:, 2, 2] = T[:, 3, 3] = 1.0
    return T


def _twist_columns(frame: Transform, tip: Vector3) -> tuple[Array, Array]:
    """Motion of the tip by twists [v; w] of a frame, in its axes: linear and angular, (n, 3, 6)."""
    R = frame[:, :3, :3]
    away = (tip - frame[:, :3, 3])[:, :, None]
    turned = np.cross(R, away, axisa=1, axisb=1, axisc=1)
    return np.concatenate([R, turned], axis=-1), np.concatenate([np.zeros_like(R), R], axis=-1)
