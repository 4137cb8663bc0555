"""The kinematic programs of the Baxter arm, as they are generated."""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.codegen.inputs import (
    COSINES,
    MOUNT,
    RATES,
    SINES,
    TOOL,
    ArmGraph,
    Derivation,
    Nested,
    program,
)
from baxterkit.equations import kinematics
from baxterkit.equations.vectors import Scalar
from baxterkit.model.dh import dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.symbolic.program import Program

LAST_ROW = (0.0, 0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)


def programs(model: ArmModel) -> list[Program]:
    """FK, link poses, Jacobians, velocities and self-motion of an arm, mount and tool as inputs."""
    rows = dh_from_model(model).rows
    origins = [
        kinematics.frame_from_rows(j.T_parent_joint[:3].ravel().tolist()) for j in model.joints
    ]

    def link_poses(a: ArmGraph) -> Nested:
        frames = kinematics.link_frames(origins, a.s, a.c, a.mount)
        last = kinematics.chain_frames(rows, a.s, a.c, a.mount)[-1]
        frames.append(kinematics.tool_frame(last, a.tool))
        return [x for f in frames for x in (*kinematics.rows_of(f), *LAST_ROW)]

    def velocity(derivation: kinematics.VelocityDerivation) -> tuple[Derivation, Derivation]:
        return (
            lambda a: derivation(rows, a.s, a.c, a.qd, a.mount, a.tool.p),
            lambda a: derivation(rows, a.s, a.c, a.qd, kinematics.IDENTITY, ORIGIN),
        )

    def manipulability(a: ArmGraph) -> Nested:
        n = kinematics.null_vector(rows, a.s, a.c)
        total = a.graph.lift(n[0] * n[0])
        for component in n[1:]:
            total = total + component * component
        return total.sqrt()

    state, placed = (SINES, COSINES), (SINES, COSINES, MOUNT, TOOL)
    moving = (SINES, COSINES, RATES, MOUNT, TOOL)
    return [
        program(
            "fk",
            placed,
            lambda a: [
                *kinematics.forward_kinematics(rows, a.s, a.c, a.mount, a.tool),
                *LAST_ROW,
            ],
            core=lambda a: kinematics.forward_kinematics(rows, a.s, a.c),
        ),
        program("link_poses", placed, link_poses),
        program(
            "jacobian",
            placed,
            lambda a: _by_rows(kinematics.jacobian(rows, a.s, a.c, a.mount, a.tool.p)),
            core=lambda a: _by_rows(kinematics.jacobian(rows, a.s, a.c)),
        ),
        program(
            "body_jacobian",
            (*state, TOOL),
            lambda a: _by_rows(kinematics.body_jacobian(rows, a.s, a.c, a.tool)),
            core=lambda a: _by_rows(kinematics.body_jacobian(rows, a.s, a.c)),
        ),
        program("twist", moving, *velocity(kinematics.twist)),
        program("bias_acceleration", moving, *velocity(kinematics.bias_acceleration)),
        program("null_vector", state, lambda a: kinematics.null_vector(rows, a.s, a.c)),
        program("manipulability", state, manipulability),
    ]


def _by_rows(columns: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [column[i] for i in range(6) for column in columns]
