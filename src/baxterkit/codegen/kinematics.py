"""The kinematic programs of the Baxter arm, as they are generated."""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.model.dh import DhRow, dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.symbolic import kinematics
from baxterkit.symbolic.graph import Expr, Graph, OperationCount, count_operations
from baxterkit.symbolic.kinematics import Frame, Scalar
from baxterkit.symbolic.program import Input, Program

SINES = Input("s", 7, "sines of the joint angles")
COSINES = Input("c", 7, "cosines of the joint angles")
RATES = Input("qd", 7, "joint velocities [rad/s]")
MOUNT = Input("mount", 12, "T_base_s0, rows of [R | p] [m]", parameter=True)
TOOL = Input("tool", 12, "T_hand_tip, rows of [R | p] [m]", parameter=True)
LAST_ROW = (0.0, 0.0, 0.0, 1.0)


def programs(model: ArmModel) -> list[Program]:
    """FK, link poses, Jacobians, velocities and self-motion of an arm, mount and tool as inputs."""
    rows = dh_from_model(model).rows
    return [
        _fk(rows),
        _link_poses(model, rows),
        _jacobian(rows),
        _body_jacobian(rows),
        _velocity(
            "twist",
            "Tip velocity [v; w] = J qd in base axes [m/s, rad/s].",
            kinematics.twist,
            rows,
        ),
        _velocity(
            "bias_acceleration",
            "dJ/dt qd of the tip in base axes [m/s², rad/s²].",
            kinematics.bias_acceleration,
            rows,
        ),
        _null_vector(rows),
        _manipulability(rows),
    ]


class _Arm:
    """A fresh graph with the inputs of the kinematic programs."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.s = self.graph.symbols("s", 7)
        self.c = self.graph.symbols("c", 7)
        self.qd = self.graph.symbols("qd", 7)
        self.mount = kinematics.frame_from_rows(self.graph.symbols("mount", 12))
        self.tool = kinematics.frame_from_rows(self.graph.symbols("tool", 12))

    def lift(self, values: Sequence[Scalar]) -> tuple[Expr, ...]:
        return tuple(self.graph.lift(value) for value in values)

    def count(self, values: Sequence[Scalar]) -> OperationCount:
        return count_operations(self.lift(values))


def _fk(rows: Sequence[DhRow]) -> Program:
    arm = _Arm()
    pose = kinematics.forward_kinematics(rows, arm.s, arm.c, arm.mount, arm.tool)
    return Program(
        name="fk",
        summary="Tip pose T_base_tip.",
        inputs=(SINES, COSINES, MOUNT, TOOL),
        outputs=arm.lift([*pose, *LAST_ROW]),
        shape=(4, 4),
        core=arm.count(kinematics.forward_kinematics(rows, arm.s, arm.c)),
    )


def _link_poses(model: ArmModel, rows: Sequence[DhRow]) -> Program:
    arm = _Arm()
    origins = [
        kinematics.frame_from_rows(j.T_parent_joint[:3].ravel().tolist()) for j in model.joints
    ]
    frames = kinematics.link_frames(origins, arm.s, arm.c, arm.mount)
    last = kinematics.chain_frames(rows, arm.s, arm.c, arm.mount)[-1]
    frames.append(kinematics.tool_frame(last, arm.tool))
    return Program(
        name="link_poses",
        summary="Poses of the link frames s0 … w2 and of the tip, in base.",
        inputs=(SINES, COSINES, MOUNT, TOOL),
        outputs=arm.lift([x for f in frames for x in (*kinematics.rows_of(f), *LAST_ROW)]),
        shape=(8, 4, 4),
    )


def _jacobian(rows: Sequence[DhRow]) -> Program:
    arm = _Arm()
    columns = kinematics.jacobian(rows, arm.s, arm.c, arm.mount, arm.tool.p)
    return Program(
        name="jacobian",
        summary="Jacobian of the tip in base axes, linear rows [m/rad] first.",
        inputs=(SINES, COSINES, MOUNT, TOOL),
        outputs=arm.lift(_by_rows(columns)),
        shape=(6, 7),
        core=arm.count(_by_rows(kinematics.jacobian(rows, arm.s, arm.c))),
    )


def _body_jacobian(rows: Sequence[DhRow]) -> Program:
    arm = _Arm()
    columns = kinematics.body_jacobian(rows, arm.s, arm.c, arm.tool)
    return Program(
        name="body_jacobian",
        summary="Jacobian of the tip in tip axes, linear rows [m/rad] first.",
        inputs=(SINES, COSINES, TOOL),
        outputs=arm.lift(_by_rows(columns)),
        shape=(6, 7),
        core=arm.count(_by_rows(kinematics.body_jacobian(rows, arm.s, arm.c))),
    )


def _velocity(
    name: str, summary: str, derivation: kinematics.VelocityDerivation, rows: Sequence[DhRow]
) -> Program:
    arm = _Arm()
    return Program(
        name=name,
        summary=summary,
        inputs=(SINES, COSINES, RATES, MOUNT, TOOL),
        outputs=arm.lift(derivation(rows, arm.s, arm.c, arm.qd, arm.mount, arm.tool.p)),
        shape=(6,),
        core=arm.count(
            derivation(rows, arm.s, arm.c, arm.qd, kinematics.IDENTITY, (0.0, 0.0, 0.0))
        ),
    )


def _null_vector(rows: Sequence[DhRow]) -> Program:
    arm = _Arm()
    return Program(
        name="null_vector",
        summary="Signed minors of J: the self-motion direction; its length is the manipulability.",
        inputs=(SINES, COSINES),
        outputs=arm.lift(kinematics.null_vector(rows, arm.s, arm.c)),
        shape=(7,),
    )


def _manipulability(rows: Sequence[DhRow]) -> Program:
    arm = _Arm()
    n = kinematics.null_vector(rows, arm.s, arm.c)
    total = arm.graph.lift(n[0] * n[0])
    for component in n[1:]:
        total = total + component * component
    return Program(
        name="manipulability",
        summary="Yoshikawa's index √det(J Jᵀ).",
        inputs=(SINES, COSINES),
        outputs=(total.sqrt(),),
        shape=(),
    )


def _by_rows(columns: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [column[i] for i in range(6) for column in columns]
