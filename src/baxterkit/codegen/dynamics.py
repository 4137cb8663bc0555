"""The dynamic programs of the Baxter arm, as they are generated.

Inertial base parameters and gravity are inputs, so that payload, tool, mount and identification
need no new code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from baxterkit.codegen.inputs import (
    ACCELERATIONS,
    BETA,
    COSINES,
    GRAVITY,
    MOUNT,
    RATES,
    SINES,
    TOOL,
    TORQUES,
    WRENCH,
    ArmGraph,
)
from baxterkit.equations import dynamics
from baxterkit.equations.chain import Chain
from baxterkit.equations.vectors import dot
from baxterkit.model.dh import dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.symbolic.program import Input, Program


def programs(model: ArmModel) -> list[Program]:
    """Torques, inertia, Coriolis matrix, gravity, forward dynamics and energies."""
    rows = dh_from_model(model).rows
    chain = Chain.from_dh(rows)
    state, moving = (SINES, COSINES), (SINES, COSINES, RATES)
    inertias, field = (BETA,), (BETA, GRAVITY)
    return [
        _program(
            "inverse_dynamics",
            "Torques tau = M qdd + C qd + G [N m].",
            (*moving, ACCELERATIONS, *field),
            (7,),
            lambda a: dynamics.inverse_dynamics(chain, a.s, a.c, a.qd, a.qdd, a.beta, a.g),
        ),
        _program(
            "inverse_dynamics_wrench",
            "Torques tau = M qdd + C qd + G - J' w [N m].",
            (*moving, ACCELERATIONS, WRENCH, *field, MOUNT, TOOL),
            (7,),
            lambda a: dynamics.inverse_dynamics_with_wrench(
                chain,
                a.s,
                a.c,
                a.qd,
                a.qdd,
                a.beta,
                a.g,
                wrench=[
                    dot(axis, part)
                    for part in (a.wrench[:3], a.wrench[3:])
                    for axis in (a.mount.x, a.mount.y, a.mount.z)
                ],
                tip=[a.tool.p[0], a.tool.p[1], a.tool.p[2] + rows[-1].d],
            ),
        ),
        _program(
            "gravity",
            "Gravity torques G [N m].",
            (*state, *field),
            (7,),
            lambda a: dynamics.gravity(chain, a.s, a.c, a.beta, a.g),
        ),
        _program(
            "inertia",
            "Joint-space inertia matrix M [kg m²].",
            (*state, *inertias),
            (7, 7),
            lambda a: dynamics.inertia(chain, a.s, a.c, a.beta),
        ),
        _program(
            "coriolis",
            "Coriolis matrix C of the Christoffel symbols [kg m²/s]: dM/dt - 2 C is skew.",
            (*moving, *inertias),
            (7, 7),
            lambda a: dynamics.coriolis_matrix(chain, a.s, a.c, a.qd, a.beta),
        ),
        _program(
            "dynamics_terms",
            "M, C and G together: rows 0-6 are M, 7-13 C, 14 G.",
            (*moving, *field),
            (15, 7),
            lambda a: dynamics.inertia_coriolis_gravity(chain, a.s, a.c, a.qd, a.beta, a.g),
        ),
        _program(
            "bias_torque",
            "C qd + G [N m].",
            (*moving, *field),
            (7,),
            lambda a: dynamics.bias(chain, a.s, a.c, a.qd, a.beta, a.g),
        ),
        _program(
            "forward_dynamics",
            "Accelerations qdd of M qdd = tau - C qd - G [rad/s²].",
            (*moving, TORQUES, *field),
            (7,),
            lambda a: dynamics.forward_dynamics(chain, a.s, a.c, a.qd, a.tau, a.beta, a.g),
        ),
        _program(
            "kinetic_energy",
            "Kinetic energy [J].",
            (*moving, *inertias),
            (),
            lambda a: dynamics.kinetic_energy(chain, a.s, a.c, a.qd, a.beta),
        ),
        _program(
            "potential_energy",
            "Potential energy [J], up to a constant.",
            (*state, *field),
            (),
            lambda a: dynamics.potential_energy(chain, a.s, a.c, a.beta, a.g),
        ),
    ]


def derivative_programs(model: ArmModel) -> list[Program]:
    """Derivatives of inverse dynamics by position and velocity, and by the base parameters."""
    chain = Chain.from_dh(dh_from_model(model).rows)
    moving = (SINES, COSINES, RATES, ACCELERATIONS)
    return [
        _program(
            "inverse_dynamics_derivatives",
            "Derivatives of tau by q, then by qd.",
            (*moving, BETA, GRAVITY),
            (2, 7, 7),
            lambda a: dynamics.inverse_dynamics_derivatives(
                chain, a.s, a.c, a.qd, a.qdd, a.beta, a.g
            ),
        ),
        _program(
            "regressor",
            "Y of tau = Y beta [1/s²].",
            (*moving, GRAVITY),
            (7, BETA.size),
            lambda a: dynamics.base_regressor(chain, a.s, a.c, a.qd, a.qdd, a.g),
        ),
    ]


def _program(
    name: str,
    summary: str,
    inputs: tuple[Input, ...],
    shape: tuple[int, ...],
    derive: Callable[[ArmGraph], Any],
) -> Program:
    arm = ArmGraph()
    return Program(name, summary, inputs, arm.flat(derive(arm)), shape)
