"""The kinematic programs of the Baxter arm, as they are generated."""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.codegen.inputs import COSINES, MOUNT, RATES, SINES, TOOL, ArmGraph
from baxterkit.equations import kinematics
from baxterkit.equations.vectors import Scalar
from baxterkit.model.dh import DhRow, dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.symbolic.program import Program

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


def _fk(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    pose = kinematics.forward_kinematics(rows, arm.s, arm.c, arm.mount, arm.tool)
    return Program(
        name="fk",
        summary="Tip pose T_base_tip.",
        inputs=(SINES, COSINES, MOUNT, TOOL),
        outputs=arm.flat([*pose, *LAST_ROW]),
        shape=(4, 4),
        core=arm.count(kinematics.forward_kinematics(rows, arm.s, arm.c)),
    )


def _link_poses(model: ArmModel, rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
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
        outputs=arm.flat([x for f in frames for x in (*kinematics.rows_of(f), *LAST_ROW)]),
        shape=(8, 4, 4),
    )


def _jacobian(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    columns = kinematics.jacobian(rows, arm.s, arm.c, arm.mount, arm.tool.p)
    return Program(
        name="jacobian",
        summary="Jacobian of the tip in base axes, linear rows [m/rad] first.",
        inputs=(SINES, COSINES, MOUNT, TOOL),
        outputs=arm.flat(_by_rows(columns)),
        shape=(6, 7),
        core=arm.count(_by_rows(kinematics.jacobian(rows, arm.s, arm.c))),
    )


def _body_jacobian(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    columns = kinematics.body_jacobian(rows, arm.s, arm.c, arm.tool)
    return Program(
        name="body_jacobian",
        summary="Jacobian of the tip in tip axes, linear rows [m/rad] first.",
        inputs=(SINES, COSINES, TOOL),
        outputs=arm.flat(_by_rows(columns)),
        shape=(6, 7),
        core=arm.count(_by_rows(kinematics.body_jacobian(rows, arm.s, arm.c))),
    )


def _velocity(
    name: str, summary: str, derivation: kinematics.VelocityDerivation, rows: Sequence[DhRow]
) -> Program:
    arm = ArmGraph()
    return Program(
        name=name,
        summary=summary,
        inputs=(SINES, COSINES, RATES, MOUNT, TOOL),
        outputs=arm.flat(derivation(rows, arm.s, arm.c, arm.qd, arm.mount, arm.tool.p)),
        shape=(6,),
        core=arm.count(
            derivation(rows, arm.s, arm.c, arm.qd, kinematics.IDENTITY, (0.0, 0.0, 0.0))
        ),
    )


def _null_vector(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    return Program(
        name="null_vector",
        summary="Signed minors of J: the self-motion direction; its length is the manipulability.",
        inputs=(SINES, COSINES),
        outputs=arm.flat(kinematics.null_vector(rows, arm.s, arm.c)),
        shape=(7,),
    )


def _manipulability(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
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
