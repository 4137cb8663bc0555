"""Other inverse kinematics on the same arm, each where it can be imported.

Every solver is called as its users would from Python, one target a call, started at the middle of
the joint range, with limits on; a target is put into the form that it takes beforehand (`prepare`).
Its result is checked by our forward kinematics and limits.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import Arm
from baxterkit.spatial import matrix_to_quaternion


class ToolboxIk:
    """Robotics Toolbox `ik_LM`, chan, k = 0.1, slimit = 2000: its best setting on this arm."""

    name = "roboticstoolbox ik_LM"

    def __init__(self, arm: Arm) -> None:
        from roboticstoolbox import ET, ETS

        sequence = ETS([ET.SE3(arm.model.T_base_s0)])
        for joint in arm.model.joints:
            limits = np.array([joint.lower, joint.upper])
            sequence = sequence * ET.SE3(joint.T_parent_joint) * ET.Rz(qlim=limits)
        self.sequence = sequence * ET.SE3(arm.model.T_last_tip)
        self.start = arm.limits.middle

    def solve(self, T: Any) -> Any:
        """Joint positions, or None."""
        answer = self.sequence.ik_LM(T, q0=self.start, slimit=2000, tol=1e-12, method="chan", k=0.1)
        return answer.q if answer.success else None


class OptIk:
    """OptIK on our exported URDF."""

    name = "optik"

    def __init__(self, arm: Arm) -> None:
        import optik

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arm.urdf"
            path.write_text(arm.to_urdf(), encoding="utf-8")
            self.robot = optik.Robot.from_urdf_file(str(path), "base", f"{arm.side}_tip")
        self.robot.set_parallelism(1)
        self.config = optik.SolverConfig(solution_mode="speed", max_time=0.1, tol_f=1e-12)
        self.start = arm.limits.middle.tolist()

    def solve(self, T: Any) -> Any:
        """Joint positions, or None."""
        answer = self.robot.ik(self.config, T, self.start)
        return None if answer is None else answer[0]

    def prepare(self, T: Any) -> Any:
        """Nested lists."""
        return T.tolist()


class TracIk:
    """TRAC-IK through pytracik, on our exported URDF."""

    name = "trac-ik"

    def __init__(self, arm: Arm) -> None:
        import pytracik

        self.module = pytracik
        self.solver = pytracik.TRAC_IK(
            "base", f"{arm.side}_tip", arm.to_urdf(), 0.2, 1e-6, pytracik.SolveType.Speed
        )
        self.start = arm.limits.middle

    def solve(self, T: Any) -> Any:
        """Joint positions, or None; `T` as `prepare` made it."""
        answer = self.module.ik(self.solver, self.start, *T)
        return answer[1:] if answer[0] >= 0 else None

    def prepare(self, T: Any) -> Any:
        """Position and quaternion."""
        return [*T[:3, 3], *matrix_to_quaternion(T[:3, :3])]


class PinocchioIk:
    """Closed-loop inverse kinematics with Pinocchio: damped steps, random restarts at limits."""

    name = "pinocchio CLIK"

    def __init__(self, arm: Arm) -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.buildModelFromXML(arm.to_urdf())
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(f"{arm.side}_tip")
        self.limits, self.start = arm.limits, arm.limits.middle
        self.rng = np.random.default_rng(0)

    def solve(self, T: Any) -> Any:
        """Joint positions, or None."""
        pin, model, data, tip = self.pin, self.model, self.data, self.tip
        goal, q = pin.SE3(T), self.start.copy()
        for _ in range(20):
            for _ in range(100):
                pin.framesForwardKinematics(model, data, q)
                gap = data.oMf[tip].actInv(goal)
                error = pin.log6(gap).vector
                if np.linalg.norm(error) < 1e-6:
                    break
                J = pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL)
                J = -pin.Jlog6(gap.inverse()) @ J
                q = q - J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error)
            q = (q + np.pi) % (2.0 * np.pi) - np.pi
            if np.linalg.norm(error) < 1e-6 and self.limits.contains(q):
                return q
            q = self.rng.uniform(self.limits.lower, self.limits.upper)
        return None


def available(arm: Arm) -> tuple[list[Any], list[str]]:
    """The peers that can be imported, and why the others cannot."""
    peers, missing = [], []
    for kind in (ToolboxIk, OptIk, TracIk, PinocchioIk):
        try:
            peers.append(kind(arm))
        except ImportError as error:
            missing.append(f"{kind.name}: {error}")
    return peers, missing
