"""The dynamic programs of the Baxter arm, as they are generated.

Inertial base parameters and gravity are inputs, so that payload, tool, mount and identification
need no new code.
"""

from __future__ import annotations

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
    program,
)
from baxterkit.equations import dynamics
from baxterkit.equations.chain import Chain
from baxterkit.equations.vectors import dot
from baxterkit.model.dh import dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.symbolic.program import Program


def programs(model: ArmModel) -> list[Program]:
    """Torques, inertia, Coriolis matrix, gravity, forward dynamics and energies."""
    rows = dh_from_model(model).rows
    chain = Chain.from_dh(rows)
    state, moving = (SINES, COSINES), (SINES, COSINES, RATES)
    inertias, field = (BETA,), (BETA, GRAVITY)
    return [
        program(
            "inverse_dynamics",
            (*moving, ACCELERATIONS, *field),
            lambda a: dynamics.inverse_dynamics(chain, a.s, a.c, a.qd, a.qdd, a.beta, a.g),
        ),
        program(
            "inverse_dynamics_wrench",
            (*moving, ACCELERATIONS, WRENCH, *field, MOUNT, TOOL),
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
        program(
            "gravity",
            (*state, *field),
            lambda a: dynamics.gravity(chain, a.s, a.c, a.beta, a.g),
        ),
        program(
            "inertia",
            (*state, *inertias),
            lambda a: dynamics.inertia(chain, a.s, a.c, a.beta),
        ),
        program(
            "coriolis",
            (*moving, *inertias),
            lambda a: dynamics.coriolis_matrix(chain, a.s, a.c, a.qd, a.beta),
        ),
        program(
            "dynamics_terms",
            (*moving, *field),
            lambda a: dynamics.inertia_coriolis_gravity(chain, a.s, a.c, a.qd, a.beta, a.g),
        ),
        program(
            "bias_torque",
            (*moving, *field),
            lambda a: dynamics.bias(chain, a.s, a.c, a.qd, a.beta, a.g),
        ),
        program(
            "forward_dynamics",
            (*moving, TORQUES, *field),
            lambda a: dynamics.forward_dynamics(chain, a.s, a.c, a.qd, a.tau, a.beta, a.g),
        ),
        program(
            "kinetic_energy",
            (*moving, *inertias),
            lambda a: dynamics.kinetic_energy(chain, a.s, a.c, a.qd, a.beta),
        ),
        program(
            "potential_energy",
            (*state, *field),
            lambda a: dynamics.potential_energy(chain, a.s, a.c, a.beta, a.g),
            summary="Potential energy [J], up to a constant.",
        ),
    ]


def derivative_programs(model: ArmModel) -> list[Program]:
    """Derivatives of inverse dynamics by position and velocity, and by the base parameters."""
    chain = Chain.from_dh(dh_from_model(model).rows)
    moving = (SINES, COSINES, RATES, ACCELERATIONS)
    return [
        program(
            "inverse_dynamics_derivatives",
            (*moving, BETA, GRAVITY),
            lambda a: dynamics.inverse_dynamics_derivatives(
                chain, a.s, a.c, a.qd, a.qdd, a.beta, a.g
            ),
        ),
        program(
            "regressor",
            (*moving, GRAVITY),
            lambda a: dynamics.base_regressor(chain, a.s, a.c, a.qd, a.qdd, a.g),
        ),
    ]
