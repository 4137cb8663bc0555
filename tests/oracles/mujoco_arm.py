"""MuJoCo on the URDF that an arm exports, fixed links kept as bodies of their own."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from baxterkit import Arm


class MujocoArm:
    """The same questions as `Arm`, answered by MuJoCo; arrays have one leading batch axis."""

    def __init__(self, arm: Arm) -> None:
        spec = mujoco.MjSpec.from_string(arm.to_urdf())
        spec.compiler.fusestatic = False
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.tip = self.model.body(f"{arm.side}_tip").id

    def fk(self, q: Any) -> np.ndarray:
        poses = np.tile(np.eye(4), (len(q), 1, 1))
        for row, T in zip(q, poses, strict=True):
            self._move(row)
            T[:3, :3] = self.data.xmat[self.tip].reshape(3, 3)
            T[:3, 3] = self.data.xpos[self.tip]
        return poses

    def jacobian(self, q: Any) -> np.ndarray:
        J = np.zeros((len(q), 6, self.model.nv))
        for row, matrix in zip(q, J, strict=True):
            self._move(row)
            linear, angular = np.zeros((2, 3, self.model.nv))
            mujoco.mj_jacBody(self.model, self.data, linear, angular, self.tip)
            matrix[:3], matrix[3:] = linear, angular
        return J

    def _move(self, q: Any) -> None:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
