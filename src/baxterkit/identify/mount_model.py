"""The model of a mount fit: tip poses, and their derivatives by mount and tool.

`T_base_tip = T_base_s0 · F(q) · T_hand_tip`, where F, the chain from s0 to the hand, is the same on
every Baxter. The unknowns are the mount `T_base_s0` (6) and, where no named tool fits, the tip in
the hand: its position (3), and its rotation (3) where orientations were recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from baxterkit.arm import Arm
from baxterkit.spatial.formulas import nearest_rotation, skew, so3_exp, so3_log, transform
from baxterkit.types import Array, Jacobian, JointVector, Rotation, Transform, Vector3


@dataclass(frozen=True)
class Observations:
    """Recorded poses, with the chain's poses for the same joint positions.

    Attributes:
        T_s0_hand: The chain, shape (n, 4, 4).
        position: Tip in base [m], shape (n, 3).
        rotation: Orientation of the tip in base, shape (n, 3, 3), or None.
        axes: Orientation of the s0 frame in base, from a recorded Jacobian's joint axes, shape (n,
            3, 3), or None.
    """

    T_s0_hand: Transform
    position: Vector3
    rotation: Rotation | None = None
    axes: Rotation | None = None

    def __len__(self) -> int:
        return len(self.position)

    @property
    def equations(self) -> int:
        """Number of observed values."""
        kinds = 1 + (self.rotation is not None) + (self.axes is not None)
        return 3 * kinds * len(self)


@dataclass(frozen=True)
class MountModel:
    """A mount and a tool.

    Attributes:
        T_base_s0: The mount, shape (4, 4).
        T_hand_tip: The tool, shape (4, 4).
    """

    T_base_s0: Transform
    T_hand_tip: Transform

    def errors(self, seen: Observations) -> dict[str, Vector3]:
        """Model minus recording, base axes, shape (n, 3) each.

        Returns:
            "position" [m]; "rotation" and "axes", as rotation vectors [rad], where recorded.
        """
        T = self.T_base_s0 @ seen.T_s0_hand @ self.T_hand_tip
        errors = {"position": T[:, :3, 3] - seen.position}
        if seen.rotation is not None:
            errors["rotation"] = so3_log(T[:, :3, :3] @ np.swapaxes(seen.rotation, 1, 2))
        if seen.axes is not None:
            errors["axes"] = so3_log(self.T_base_s0[:3, :3] @ np.swapaxes(seen.axes, 1, 2))
        return errors

    def sensitivity(self, seen: Observations, free_tool: bool) -> dict[str, Array]:
        """Derivatives of `errors` by the unknowns, shape (n, 3, k) each.

        The unknowns are the mount's rotation (about base axes through its origin) [rad] and
        position [m]; with a free tool, the tip's position in the hand [m] and, where orientations
        were recorded, its rotation (about its own axes) [rad].
        """
        n = len(seen)
        R_base_hand = self.T_base_s0[:3, :3] @ seen.T_s0_hand[:, :3, :3]
        arm = (self.T_base_s0 @ seen.T_s0_hand @ self.T_hand_tip)[:, :3, 3]
        arm = arm - self.T_base_s0[:3, 3]
        eye = np.broadcast_to(np.eye(3), (n, 3, 3))
        zero = np.zeros((n, 3, 3))
        columns = {"position": [-skew(arm), eye], "rotation": [eye, zero], "axes": [eye, zero]}
        if free_tool:
            columns["position"].append(R_base_hand)
            columns["rotation"].append(zero)
            columns["axes"].append(zero)
            if seen.rotation is not None:
                columns["position"].append(zero)
                columns["rotation"].append(R_base_hand @ self.T_hand_tip[:3, :3])
                columns["axes"].append(zero)
        return {name: np.concatenate(parts, axis=2) for name, parts in columns.items()}

    def moved(self, step: Array) -> MountModel:
        """The model after a step of the unknowns, in the order of `sensitivity`."""
        mount = transform(
            so3_exp(step[:3]) @ self.T_base_s0[:3, :3], self.T_base_s0[:3, 3] + step[3:6]
        )
        mount[:3, :3] = nearest_rotation(mount[:3, :3])
        moved = replace(self, T_base_s0=mount)
        if len(step) > 6:
            tool = np.array(self.T_hand_tip)
            tool[:3, 3] += step[6:9]
            if len(step) > 9:
                tool[:3, :3] = nearest_rotation(tool[:3, :3] @ so3_exp(step[9:12]))
            moved = replace(moved, T_hand_tip=tool)
        return moved

    @classmethod
    def aligned(cls, seen: Observations, T_hand_tip: Transform) -> MountModel:
        """The mount that fits positions best for a given tool, in closed form.

        Orientations, where recorded, determine the rotation where positions do not.
        """
        T_s0_tip = seen.T_s0_hand @ T_hand_tip
        points, targets = T_s0_tip[:, :3, 3], seen.position
        here, there = points.mean(axis=0), targets.mean(axis=0)
        moment = (targets - there).T @ (points - here)
        # Weighted as if each orientation were a point 0.1 m off the tip in three directions.
        if seen.rotation is not None:
            moment = moment + 0.01 * np.einsum("nij,nkj->ik", seen.rotation, T_s0_tip[:, :3, :3])
        if seen.axes is not None:
            moment = moment + 0.01 * seen.axes.sum(axis=0)
        R = nearest_rotation(moment)
        return cls(transform(R, there - R @ here), np.array(T_hand_tip))


def observe(
    arm: Arm,
    q: JointVector,
    position: Vector3,
    rotation: Rotation | None = None,
    jacobian: Jacobian | None = None,
) -> Observations:
    """Recorded poses beside those of the chain.

    Args:
        arm: The arm, for its chain; its mount and tool do not matter.
        q: Joint positions [rad], shape (n, 7).
        position: Tip in base [m], shape (n, 3).
        rotation: Orientation of the tip in base, shape (n, 3, 3).
        jacobian: Recorded Jacobian, linear rows first, shape (n, 6, 7). Its angular rows are the
            joint axes in base, which give the orientation of the s0 frame.
    """
    bare = arm.replace(tool="hand", mount=np.eye(4))
    axes = None
    if jacobian is not None:
        axes = nearest_rotation(jacobian[:, 3:] @ np.swapaxes(bare.jacobian(q)[:, 3:], 1, 2))
    return Observations(bare.fk(q), np.asarray(position), rotation, axes)
