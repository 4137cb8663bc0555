"""The kinematic programs of the Baxter arm, as they are generated."""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.codegen.inputs import COSINES, MOUNT, RATES, SINES, TOOL, ArmGraph
from baxterkit.equations import kinematics
from baxterkit.equations.vectors import Scalar
from baxterkit.kernels.table import BY_NAME
from baxterkit.model.dh import DhRow, dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.symbolic.graph import Expr, OperationCount
from baxterkit.symbolic.program import Input, Program

LAST_ROW = (0.0, 0.0, 0.0, 1.0)


def programs(model: ArmModel) -> list[Program]:
    """FK, link poses, Jacobians, velocities and self-motion of an arm, mount and tool as inputs."""
    rows = dh_from_model(model).rows
    return [
        _fk(rows),
        _link_poses(model, rows),
        _jacobian(rows),
        _body_jacobian(rows),
        _velocity("twist", kinematics.twist, rows),
        _velocity("bias_acceleration", kinematics.bias_acceleration, rows),
        _null_vector(rows),
        _manipulability(rows),
    ]


def _fk(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    pose = kinematics.forward_kinematics(rows, arm.s, arm.c, arm.mount, arm.tool)
    return _program(
        "fk",
        (SINES, COSINES, MOUNT, TOOL),
        arm.flat([*pose, *LAST_ROW]),
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
    return _program(
        "link_poses",
        (SINES, COSINES, MOUNT, TOOL),
        arm.flat([x for f in frames for x in (*kinematics.rows_of(f), *LAST_ROW)]),
    )


def _jacobian(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    columns = kinematics.jacobian(rows, arm.s, arm.c, arm.mount, arm.tool.p)
    return _program(
        "jacobian",
        (SINES, COSINES, MOUNT, TOOL),
        arm.flat(_by_rows(columns)),
        core=arm.count(_by_rows(kinematics.jacobian(rows, arm.s, arm.c))),
    )


def _body_jacobian(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    columns = kinematics.body_jacobian(rows, arm.s, arm.c, arm.tool)
    return _program(
        "body_jacobian",
        (SINES, COSINES, TOOL),
        arm.flat(_by_rows(columns)),
        core=arm.count(_by_rows(kinematics.body_jacobian(rows, arm.s, arm.c))),
    )


def _velocity(
    name: str, derivation: kinematics.VelocityDerivation, rows: Sequence[DhRow]
) -> Program:
    arm = ArmGraph()
    return _program(
        name,
        (SINES, COSINES, RATES, MOUNT, TOOL),
        arm.flat(derivation(rows, arm.s, arm.c, arm.qd, arm.mount, arm.tool.p)),
        core=arm.count(
            derivation(rows, arm.s, arm.c, arm.qd, kinematics.IDENTITY, (0.0, 0.0, 0.0))
        ),
    )


def _null_vector(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    return _program(
        "null_vector",
        (SINES, COSINES),
        arm.flat(kinematics.null_vector(rows, arm.s, arm.c)),
    )


def _manipulability(rows: Sequence[DhRow]) -> Program:
    arm = ArmGraph()
    n = kinematics.null_vector(rows, arm.s, arm.c)
    total = arm.graph.lift(n[0] * n[0])
    for component in n[1:]:
        total = total + component * component
    return _program(
        "manipulability",
        (SINES, COSINES),
        (total.sqrt(),),
    )


def _program(
    name: str,
    inputs: tuple[Input, ...],
    outputs: tuple[Expr, ...],
    core: OperationCount | None = None,
) -> Program:
    """The program of a kernel, which declares its meaning and shape."""
    return Program(name, BY_NAME[name].sentence, inputs, outputs, BY_NAME[name].shape, core)


def _by_rows(columns: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [column[i] for i in range(6) for column in columns]
