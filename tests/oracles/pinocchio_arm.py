"""Pinocchio on the URDF that an arm exports. Loops over rows: an oracle need not be fast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from baxterkit import Arm


class PinocchioArm:
    """The same questions as `Arm`, answered by Pinocchio; arrays have one leading batch axis."""

    def __init__(self, arm: Arm) -> None:
        self.model = pin.buildModelFromXML(arm.to_urdf())
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(f"{arm.side}_tip")
        assert list(self.model.names)[1:] == list(arm.joint_names)

    def fk(self, q: Any) -> np.ndarray:
        return np.array([self._placements(row)[-1] for row in q])

    def link_poses(self, q: Any) -> np.ndarray:
        return np.array([self._placements(row) for row in q])

    def jacobian(self, q: Any, frame: str = "base") -> np.ndarray:
        axes = pin.LOCAL_WORLD_ALIGNED if frame == "base" else pin.LOCAL
        return np.array(
            [pin.computeFrameJacobian(self.model, self.data, x, self.tip, axes) for x in q]
        )

    def bias_acceleration(self, q: Any, qd: Any) -> np.ndarray:
        rows = []
        for x, v in zip(q, qd, strict=True):
            pin.forwardKinematics(self.model, self.data, x, v, np.zeros_like(v))
            acceleration = pin.getFrameClassicalAcceleration(
                self.model, self.data, self.tip, pin.LOCAL_WORLD_ALIGNED
            )
            rows.append(np.concatenate([acceleration.linear, acceleration.angular]))
        return np.array(rows)

    def _placements(self, q: Any) -> list[np.ndarray]:
        pin.framesForwardKinematics(self.model, self.data, np.ascontiguousarray(q))
        joints = [self.data.oMi[i].homogeneous for i in range(1, self.model.njoints)]
        return [*joints, self.data.oMf[self.tip].homogeneous]
