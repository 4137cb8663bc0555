"""Independent engines and sample arms for the dynamics tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import components
import numpy as np
from numpy.typing import NDArray

from baxterkit.model.library import baxter_arm
from baxterkit.model.model import ArmModel, Inertial, Joint, Payload, Tool
from baxterkit.model.urdf_writer import write_urdf
from baxterkit.spatial import se3_exp, so3_exp, transform

Array = NDArray[np.float64]

SPEED = 4.0
"""Velocities of random states [rad/s]: the fastest joints' limit."""
ACCELERATION = 10.0
"""Accelerations of random states [rad/s²]."""


@dataclass(frozen=True)
class States:
    """Random positions, velocities and accelerations, (count, n) each."""

    q: Array
    qd: Array
    qdd: Array


def random_states(count: int, seed: int = 0, dof: int = 7) -> States:
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (count, dof))
    return States(
        q, rng.uniform(-SPEED, SPEED, q.shape), rng.uniform(-ACCELERATION, ACCELERATION, q.shape)
    )


def nominal_arm() -> ArmModel:
    return baxter_arm("left")


def loaded_arm() -> ArmModel:
    """A right arm on a tilted mount, with gripper and payload, on a sloping floor."""
    arm = baxter_arm("right")
    tilt = se3_exp(np.array([0.01, -0.008, 0.012, 0.02, -0.015, 0.01]))
    inertia = np.array([[0.004, 0.0005, 0.0], [0.0005, 0.003, -0.0004], [0.0, -0.0004, 0.002]])
    tool = Tool(
        "custom",
        transform(so3_exp(np.array([0.1, -0.2, 0.7])), np.array([0.01, 0.0, 0.13])),
        Inertial(0.4, np.array([0.0, 0.01, 0.06]), np.diag([6e-4, 7e-4, 3e-4])),
    )
    return replace(
        arm,
        T_base_s0=tilt @ arm.T_base_s0,
        tool=tool,
        payload=Payload(1.2, np.array([0.01, -0.02, 0.05]), inertia),
        gravity=np.array([0.7, -1.1, -9.7]),
    )


def strange_arm() -> ArmModel:
    """Six joints with axes in no special directions."""
    rng = np.random.default_rng(10)
    joints, inertials = [], []
    for k in range(6):
        T = np.eye(4) if k == 0 else se3_exp(np.append(rng.normal(0.0, 0.2, 3), rng.normal(size=3)))
        joints.append(Joint(f"j{k}", "revolute", T, rng.normal(size=3), -9.0, 9.0, 9.0, 99.0))
        R = so3_exp(rng.normal(size=3))
        moments = rng.uniform(0.02, 0.03, 3)
        inertials.append(
            Inertial(rng.uniform(0.5, 3.0), rng.normal(0.0, 0.1, 3), R @ np.diag(moments) @ R.T)
        )
    return ArmModel(
        side="left",
        joints=tuple(joints),
        inertials=tuple(inertials),
        T_base_s0=se3_exp(rng.normal(size=6)),
        T_last_hand=se3_exp(0.3 * rng.normal(size=6)),
        tool=Tool("hand", np.eye(4)),
        gravity=np.array([1.0, 2.0, -9.0]),
    )


class Pinocchio:
    """The arm in Pinocchio, through its URDF."""

    def __init__(self, model: ArmModel) -> None:
        components.require("pinocchio")
        import pinocchio as pin

        self.pin = pin
        self.model = pin.buildModelFromXML(write_urdf(model))
        self.model.gravity = pin.Motion(np.array(model.gravity), np.zeros(3))
        self.data = self.model.createData()
        self.tip = self.model.nframes - 1

    def inertia(self, q: Array) -> Array:
        return np.array([self.pin.crba(self.model, self.data, x).copy() for x in q])

    def coriolis(self, q: Array, qd: Array) -> Array:
        function = self.pin.computeCoriolisMatrix
        pairs = zip(q, qd, strict=True)
        return np.array([function(self.model, self.data, x, v).copy() for x, v in pairs])

    def gravity(self, q: Array) -> Array:
        function = self.pin.computeGeneralizedGravity
        return np.array([function(self.model, self.data, x).copy() for x in q])

    def inverse_dynamics(self, s: States) -> Array:
        triples = zip(s.q, s.qd, s.qdd, strict=True)
        return np.array([self.pin.rnea(self.model, self.data, *x).copy() for x in triples])

    def derivatives(self, s: States) -> tuple[Array, Array]:
        by_q, by_qd = [], []
        for x in zip(s.q, s.qd, s.qdd, strict=True):
            dq, dqd, _ = self.pin.computeRNEADerivatives(self.model, self.data, *x)
            by_q.append(dq.copy())
            by_qd.append(dqd.copy())
        return np.array(by_q), np.array(by_qd)

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        kinetic = [
            self.pin.computeKineticEnergy(self.model, self.data, x, v)
            for x, v in zip(q, qd, strict=True)
        ]
        potential = [self.pin.computePotentialEnergy(self.model, self.data, x) for x in q]
        return np.array(kinetic), np.array(potential)

    def tip_jacobian(self, q: Array) -> Array:
        frame = self.pin.LOCAL_WORLD_ALIGNED
        return np.array(
            [
                self.pin.computeFrameJacobian(self.model, self.data, x, self.tip, frame).copy()
                for x in q
            ]
        )


class Mujoco:
    """The arm in MuJoCo, through its URDF, without joint damping, friction and limits."""

    def __init__(self, model: ArmModel) -> None:
        components.require("mujoco")
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(write_urdf(model))
        self.model.opt.gravity[:] = model.gravity
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.model.jnt_limited[:] = 0
        self.data = mujoco.MjData(self.model)

    def inertia_and_bias(self, q: Array, qd: Array) -> tuple[Array, Array]:
        M = np.zeros((*q.shape, q.shape[-1]))
        bias = np.zeros_like(q)
        for k, (x, v) in enumerate(zip(q, qd, strict=True)):
            self.data.qpos[:] = x
            self.data.qvel[:] = v
            self.mujoco.mj_forward(self.model, self.data)
            self.mujoco.mj_fullM(self.model, self.data, M[k])
            bias[k] = self.data.qfrc_bias
        return M, bias
