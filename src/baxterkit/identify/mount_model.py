"""The geometry that a mount fit turns on: tip poses, and how they move with mount and tool.

`T_base_tip = T_base_s0 · F(q) · T_hand_tip`, where F, the chain from s0 to the hand, is the same on
every Baxter. The unknowns are the mount `T_base_s0` (6) and, where no named tool fits, the tip in
the hand: its position (3), and its rotation (3) where orientations were recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from baxterkit.arm import Arm
from baxterkit.spatial import nearest_rotation, skew, so3_exp, so3_log, transform
from baxterkit.types import Array, JointVector, Rotation, Transform, Vector3

__all__ = ["MountModel", "Observations", "observe"]


@dataclass(frozen=True)
class Observations:
    """Recorded poses, with the chain's poses for the same joint positions.

    Attributes:
        T_s0_hand: The chain, shape (n, 4, 4).
        position: Tip in base [m], shape (n, 3).
        rotation: Orientation of the tip in base, shape (n, 3, 3), or None.
    """

    T_s0_hand: Transform
    position: Vector3
    rotation: Rotation | None

    def __len__(self) -> int:
        return len(self.position)

    def rows(self, which: Array) -> Observations:
        """Some of the rows."""
        rotation = None if self.rotation is None else self.rotation[which]
        return Observations(self.T_s0_hand[which], self.position[which], rotation)


@dataclass(frozen=True)
class MountModel:
    """A mount and a tool.

    Attributes:
        T_base_s0: The mount, shape (4, 4).
        T_hand_tip: The tool, shape (4, 4).
    """

    T_base_s0: Transform
    T_hand_tip: Transform

    def errors(self, seen: Observations) -> tuple[Vector3, Vector3 | None]:
        """Model minus recording: position [m] and rotation vector [rad], base axes, (n, 3) each."""
        T = self.T_base_s0 @ seen.T_s0_hand @ self.T_hand_tip
        position = T[:, :3, 3] - seen.position
        if seen.rotation is None:
            return position, None
        return position, so3_log(T[:, :3, :3] @ np.swapaxes(seen.rotation, 1, 2))

    def sensitivity(self, seen: Observations, free_tool: bool) -> tuple[Array, Array | None]:
        """Derivatives of `errors` by the unknowns.

        The unknowns are the mount's rotation (about base axes through its origin) [rad] and
        position [m]; with a free tool, the tip's position in the hand [m] and, where orientations
        were recorded, its rotation (about its own axes) [rad].

        Returns:
            For positions, shape (n, 3, k), and for rotations, the same, or None.
        """
        n = len(seen)
        R_base_hand = self.T_base_s0[:3, :3] @ seen.T_s0_hand[:, :3, :3]
        arm = (self.T_base_s0 @ seen.T_s0_hand @ self.T_hand_tip)[:, :3, 3]
        arm = arm - self.T_base_s0[:3, 3]
        eye = np.broadcast_to(np.eye(3), (n, 3, 3))
        zero = np.zeros((n, 3, 3))
        position = [-skew(arm), eye]
        rotation = [eye, zero]
        if free_tool:
            position.append(R_base_hand)
            rotation.append(zero)
            if seen.rotation is not None:
                position.append(zero)
                rotation.append(R_base_hand @ self.T_hand_tip[:3, :3])
        by_rotation = None if seen.rotation is None else np.concatenate(rotation, axis=2)
        return np.concatenate(position, axis=2), by_rotation

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
        """The mount that fits positions best for a given tool: in closed form, no start needed.

        Orientations, where recorded, decide the rotation where positions leave it open.
        """
        T_s0_tip = seen.T_s0_hand @ T_hand_tip
        points, targets = T_s0_tip[:, :3, 3], seen.position
        here, there = points.mean(axis=0), targets.mean(axis=0)
        moment = (targets - there).T @ (points - here)
        if seen.rotation is not None:
            # Weighted as if each orientation were a point 0.1 m off the tip in three directions.
            moment = moment + 0.01 * np.einsum("nij,nkj->ik", seen.rotation, T_s0_tip[:, :3, :3])
        R = nearest_rotation(moment)
        return cls(transform(R, there - R @ here), np.array(T_hand_tip))


def observe(arm: Arm, q: JointVector, position: Vector3, rotation: Rotation | None) -> Observations:
    """Recorded poses beside those of the chain; `arm` has the chain, its mount does not matter."""
    bare = arm.replace(tool="hand", mount=np.eye(4))
    return Observations(bare.fk(q), np.asarray(position), rotation)
