"""The dynamics in controllers: reference velocities in the Coriolis term, effects, callables."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol

from baxterkit import Arm, Payload
from baxterkit.control.dynamics import (
    effects_of,
    gravity_of,
    passive_dynamics_of,
    passive_regressor,
    tracking_dynamics_of,
)
from baxterkit.dynamics.joint_effects import JointEffects

PLAIN = Arm("left", payload=Payload(0.7, (0.02, -0.01, 0.05)))
EFFECTS = JointEffects(
    bias=np.linspace(-1.0, 1.0, 7),
    coulomb=np.full(7, 0.4),
    viscous=np.full(7, 0.3),
    spring_sin=np.linspace(0.0, 20.0, 7)[:, None],
)
REAL = PLAIN.with_effects(EFFECTS)


@pytest.fixture(params=range(5))
def state(request: pytest.FixtureRequest) -> list[np.ndarray]:
    rng = np.random.default_rng(request.param)
    return list(rng.uniform(-2.0, 2.0, (4, 7)))


def test_coriolis_with_a_reference_velocity_matches_the_matrices(state: list[np.ndarray]) -> None:
    q, qd, qd_r, qdd_r = state
    M, C, G = PLAIN.dynamics_terms(q, qd)
    expected = M @ qdd_r + C @ qd_r + G
    for model in (PLAIN, PLAIN.inverse_dynamics):
        tau = passive_dynamics_of(model)(q, qd, qd_r, qdd_r)
        tol.assert_close(tau, expected, tol.PASSIVE_DYNAMICS)


def test_the_regressor_with_a_reference_velocity_gives_the_same_torques(
    state: list[np.ndarray],
) -> None:
    q, qd, qd_r, qdd_r = state
    Y = passive_regressor(PLAIN.regressor, q, qd, qd_r, qdd_r)
    expected = passive_dynamics_of(PLAIN)(q, qd, qd_r, qdd_r)
    tol.assert_close(Y @ PLAIN.base_parameters, expected, tol.PASSIVE_DYNAMICS)


def test_effects_are_taken_at_the_sensed_position_and_the_reference_velocity(
    state: list[np.ndarray],
) -> None:
    q, qd, qd_r, qdd_r = state
    added = EFFECTS.torque(q, qd_r)
    passive = passive_dynamics_of(REAL)(q, qd, qd_r, qdd_r)
    tol.assert_close(
        passive - passive_dynamics_of(PLAIN)(q, qd, qd_r, qdd_r), added, tol.PASSIVE_DYNAMICS
    )
    tracking = tracking_dynamics_of(REAL)(q, qd, qdd_r, qd_r)
    tol.assert_close(tracking - PLAIN.inverse_dynamics(q, qd, qdd_r), added, tol.PASSIVE_DYNAMICS)
    effects = effects_of(REAL)
    assert effects is not None
    tol.assert_close(effects(q, qd_r), added, tol.PASSIVE_DYNAMICS)
    assert effects_of(PLAIN) is None


def test_gravity_includes_springs_and_bias_and_no_friction(state: list[np.ndarray]) -> None:
    q = state[0]
    tol.assert_close(gravity_of(PLAIN)(q), PLAIN.gravity(q), 0.0)
    expected = PLAIN.gravity(q) + EFFECTS.spring_torque(q) + EFFECTS.bias
    tol.assert_close(gravity_of(REAL)(q), expected, tol.PASSIVE_DYNAMICS)
