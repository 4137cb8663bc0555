"""The long runs: 100,000 random states."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import (
    ACCELERATION,
    Mujoco,
    Pinocchio,
    States,
    loaded_arm,
    nominal_arm,
)

from baxterkit.dynamics import lagrange
from baxterkit.dynamics import newton_euler as ne
from baxterkit.equations import base_parameters as bp
from baxterkit.equations import dynamics
from baxterkit.model.dh import dh_from_model
from baxterkit.model.model import ArmModel

COUNT = 100_000
CHUNK = 1_000

pytestmark = pytest.mark.acceptance


@pytest.fixture(params=[nominal_arm, loaded_arm], ids=["nominal", "loaded"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def states(arm: ArmModel, seed: int) -> States:
    """Anywhere within the limits of position and velocity."""
    rng = np.random.default_rng(seed)
    limits = arm.limits
    shape = (COUNT, arm.dof)
    return States(
        rng.uniform(limits.lower, limits.upper, shape),
        rng.uniform(-limits.velocity, limits.velocity, shape),
        rng.uniform(-ACCELERATION, ACCELERATION, shape),
    )


def test_newton_euler_matches_pinocchio(arm: ArmModel) -> None:
    s, engine = states(arm, seed=80), Pinocchio(arm)
    tol.assert_close(ne.inertia(arm, s.q), engine.inertia(s.q), tol.INERTIA_ENGINE)
    C = ne.coriolis(arm, s.q, s.qd)
    tol.assert_close(C, engine.coriolis(s.q, s.qd), tol.CORIOLIS_ENGINE)
    tol.assert_close(ne.gravity(arm, s.q), engine.gravity(s.q), tol.GRAVITY_ENGINE)
    tau = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd)
    tol.assert_close(tau, engine.inverse_dynamics(s), tol.TORQUE_ENGINE)


@pytest.mark.sim
def test_newton_euler_matches_mujoco(arm: ArmModel) -> None:
    s = states(arm, seed=81)
    M, bias = Mujoco(arm).inertia_and_bias(s.q, s.qd)
    tol.assert_close(ne.inertia(arm, s.q), M, tol.INERTIA_ENGINE)
    tol.assert_close(ne.bias(arm, s.q, s.qd), bias, tol.TORQUE_ENGINE)


def test_lagrange_euler_equals_newton_euler(arm: ArmModel) -> None:
    s, table = states(arm, seed=82), dh_from_model(arm)
    for first in range(0, COUNT, CHUNK):
        part = slice(first, first + CHUNK)
        q, qd, qdd = s.q[part], s.qd[part], s.qdd[part]
        tol.assert_close(lagrange.inertia(table, q), ne.inertia(arm, q), tol.INERTIA_ENGINE)
        C = lagrange.coriolis(table, q, qd)
        tol.assert_close(C, ne.coriolis(arm, q, qd), tol.CORIOLIS_ENGINE)
        G = lagrange.gravity(table, q, arm.gravity)
        tol.assert_close(G, ne.gravity(arm, q), tol.GRAVITY_ENGINE)
        tau = lagrange.inverse_dynamics(table, q, qd, qdd, arm.gravity)
        tol.assert_close(tau, ne.inverse_dynamics(arm, q, qd, qdd), tol.TORQUE_ENGINE)


def test_derivation_of_the_kernels_equals_newton_euler(arm: ArmModel) -> None:
    s, chain = states(arm, seed=83), bp.chain_of(arm)
    beta, g = bp.base_parameters(arm, chain), bp.chain_gravity(arm, chain)
    sines, cosines = list(np.sin(s.q).T), list(np.cos(s.q).T)
    qd, qdd = list(s.qd.T), list(s.qdd.T)

    def stacked(rows: list[object]) -> np.ndarray:
        return np.stack([np.broadcast_to(np.asarray(x), (COUNT,)) for x in rows], axis=-1)

    M, C, G = dynamics.inertia_coriolis_gravity(chain, sines, cosines, qd, beta, g)
    shape = (COUNT, arm.dof, arm.dof)
    got = stacked([x for row in M for x in row]).reshape(shape)
    tol.assert_close(got, ne.inertia(arm, s.q), tol.INERTIA_ENGINE)
    got = stacked([x for row in C for x in row]).reshape(shape)
    tol.assert_close(got, ne.coriolis(arm, s.q, s.qd), tol.CORIOLIS_ENGINE)
    tol.assert_close(stacked(G), ne.gravity(arm, s.q), tol.GRAVITY_ENGINE)
    tau = dynamics.inverse_dynamics(chain, sines, cosines, qd, qdd, beta, g)
    tol.assert_close(stacked(tau), ne.inverse_dynamics(arm, s.q, s.qd, s.qdd), tol.TORQUE_ENGINE)
