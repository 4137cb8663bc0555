"""Other libraries on the same arm, each where it can be imported.

A peer has single calls and loops over many rows, written as a user of that library would write
them, so that the measured time includes no wrapper of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baxterkit import Arm

Rows = Sequence[Any]


class PinocchioPeer:
    """Pinocchio on our exported URDF."""

    name = "pinocchio"

    def __init__(self, arm: Arm) -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.buildModelFromXML(arm.to_urdf())
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(f"{arm.side}_tip")

    def fk(self, q: Any) -> Any:
        """Tip pose."""
        self.pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.tip].homogeneous

    def jacobian(self, q: Any) -> Any:
        """Tip Jacobian at the tip origin in base axes."""
        axes = self.pin.LOCAL_WORLD_ALIGNED
        return self.pin.computeFrameJacobian(self.model, self.data, q, self.tip, axes)

    def fk_loop(self, rows: Rows) -> None:
        """`fk` for every row."""
        compute, model, data, tip = (
            self.pin.framesForwardKinematics,
            self.model,
            self.data,
            self.tip,
        )
        poses = data.oMf
        for q in rows:
            compute(model, data, q)
            poses[tip].homogeneous  # noqa: B018

    def jacobian_loop(self, rows: Rows) -> None:
        """`jacobian` for every row."""
        compute, model, data, tip = self.pin.computeFrameJacobian, self.model, self.data, self.tip
        axes = self.pin.LOCAL_WORLD_ALIGNED
        for q in rows:
            compute(model, data, q, tip, axes)


class RoboticsToolboxPeer:
    """Robotics Toolbox: its compiled elementary transform sequence, the fastest way it has."""

    name = "roboticstoolbox"

    def __init__(self, arm: Arm) -> None:
        from roboticstoolbox import ET, ETS

        sequence = ETS([ET.SE3(arm.model.T_base_s0)])
        for joint in arm.model.joints:
            sequence = sequence * ET.SE3(joint.T_parent_joint) * ET.Rz()
        self.sequence = sequence * ET.SE3(arm.model.T_last_tip)

    def fk(self, q: Any) -> Any:
        """Tip pose."""
        return self.sequence.eval(q)

    def jacobian(self, q: Any) -> Any:
        """Tip Jacobian at the tip origin in base axes."""
        return self.sequence.jacob0(q)

    def fk_loop(self, rows: Rows) -> None:
        """`fk` for every row."""
        compute = self.sequence.eval
        for q in rows:
            compute(q)

    def jacobian_loop(self, rows: Rows) -> None:
        """`jacobian` for every row."""
        compute = self.sequence.jacob0
        for q in rows:
            compute(q)


class KdlPeer:
    """Orocos KDL through PyKDL, joint arrays filled beforehand."""

    name = "PyKDL"

    def __init__(self, arm: Arm) -> None:
        from baxterkit.experiments.pykdl import load_pykdl

        PyKDL = load_pykdl()
        if PyKDL is None:
            raise ImportError("no PyKDL for this Python")
        self.kdl = PyKDL
        self.chain = PyKDL.Chain()
        fixed = PyKDL.Joint(PyKDL.Joint.Fixed)
        for i, joint in enumerate(arm.model.joints):
            T = arm.model.T_base_s0 if i == 0 else joint.T_parent_joint
            self.chain.addSegment(PyKDL.Segment(fixed, self._frame(T)))
            self.chain.addSegment(PyKDL.Segment(PyKDL.Joint(PyKDL.Joint.RotZ), PyKDL.Frame()))
        self.chain.addSegment(PyKDL.Segment(fixed, self._frame(arm.model.T_last_tip)))
        self.fk_solver = PyKDL.ChainFkSolverPos_recursive(self.chain)
        self.jacobian_solver = PyKDL.ChainJntToJacSolver(self.chain)

    def fk(self, q: Any) -> Any:
        """Tip pose."""
        frame = self.kdl.Frame()
        self.fk_solver.JntToCart(self._joints(q), frame)
        return np.array([[frame[i, k] for k in range(4)] for i in range(3)] + [[0, 0, 0, 1.0]])

    def jacobian(self, q: Any) -> Any:
        """Tip Jacobian at the tip origin in base axes."""
        J = self.kdl.Jacobian(7)
        self.jacobian_solver.JntToJac(self._joints(q), J)
        return np.array([[J[i, k] for k in range(7)] for i in range(6)])

    def fk_loop(self, rows: Rows) -> None:
        """`fk` for every row; the pose stays a KDL frame."""
        solve, frame = self.fk_solver.JntToCart, self.kdl.Frame()
        for q in rows:
            solve(q, frame)

    def jacobian_loop(self, rows: Rows) -> None:
        """`jacobian` for every row; it stays a KDL Jacobian."""
        solve, J = self.jacobian_solver.JntToJac, self.kdl.Jacobian(7)
        for q in rows:
            solve(q, J)

    def prepare(self, rows: Rows) -> Rows:
        """Rows as KDL joint arrays."""
        return [self._joints(q) for q in rows]

    def _joints(self, q: Any) -> Any:
        joints = self.kdl.JntArray(7)
        for i, value in enumerate(q):
            joints[i] = float(value)
        return joints

    def _frame(self, T: Any) -> Any:
        R = self.kdl.Rotation(*(float(x) for x in T[:3, :3].ravel()))
        return self.kdl.Frame(R, self.kdl.Vector(*(float(x) for x in T[:3, 3])))


PEERS = (PinocchioPeer, RoboticsToolboxPeer, KdlPeer)


def available_peers(arm: Arm) -> list[Any]:
    """The peers that this machine has; Pinocchio, the yardstick, must be there."""
    peers: list[Any] = []
    for peer in PEERS:
        try:
            peers.append(peer(arm))
        except ImportError as error:
            if peer is PinocchioPeer:
                raise SystemExit("the benchmarks need Pinocchio: pip install '.[bench]'") from error
            print(f"{peer.name} is not installed, left out")
    return peers
