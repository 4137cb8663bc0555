from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio, loaded_arm, nominal_arm, random_states, strange_arm

from baxterkit.dynamics import derivatives, forward
from baxterkit.dynamics import newton_euler as ne
from baxterkit.model.model import ArmModel

STEP = 1e-30


@pytest.fixture(params=[nominal_arm, loaded_arm, strange_arm], ids=["nominal", "loaded", "strange"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def complex_step(function: object, x: np.ndarray) -> np.ndarray:
    """Derivative of a function of (*batch, n) arrays; the last axis is the variable's."""
    axes = np.eye(x.shape[-1])
    columns = [function(x + 1j * STEP * axis).imag / STEP for axis in axes]  # type: ignore[operator]
    return np.stack(columns, -1)


def test_inverse_dynamics_derivatives_match_complex_step(arm: ArmModel) -> None:
    s = random_states(50, seed=40, dof=arm.dof)
    w = np.random.default_rng(41).normal(0.0, 10.0, (50, 6))
    by_q, by_qd = derivatives.inverse_dynamics_derivatives(arm, s.q, s.qd, s.qdd, w)
    expected = complex_step(lambda q: ne.inverse_dynamics(arm, q, s.qd, s.qdd, w), s.q)
    tol.assert_close(by_q, expected, tol.DERIVATIVE)
    expected = complex_step(lambda qd: ne.inverse_dynamics(arm, s.q, qd, s.qdd, w), s.qd)
    tol.assert_close(by_qd, expected, tol.DERIVATIVE)


def test_inverse_dynamics_derivatives_match_pinocchio(arm: ArmModel) -> None:
    s = random_states(50, seed=42, dof=arm.dof)
    by_q, by_qd = derivatives.inverse_dynamics_derivatives(arm, s.q, s.qd, s.qdd)
    expected_q, expected_qd = Pinocchio(arm).derivatives(s)
    tol.assert_close(by_q, expected_q, tol.DERIVATIVE)
    tol.assert_close(by_qd, expected_qd, tol.DERIVATIVE)


def test_forward_dynamics_derivatives_match_complex_step(arm: ArmModel) -> None:
    s = random_states(50, seed=43, dof=arm.dof)
    w = np.random.default_rng(44).normal(0.0, 10.0, (50, 6))
    tau = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd, w)
    got = derivatives.forward_dynamics_derivatives(arm, s.q, s.qd, tau, w)
    expected = (
        complex_step(lambda q: forward.forward_dynamics(arm, q, s.qd, tau, w), s.q),
        complex_step(lambda qd: forward.forward_dynamics(arm, s.q, qd, tau, w), s.qd),
        complex_step(lambda t: forward.forward_dynamics(arm, s.q, s.qd, t, w), tau),
    )
    for actual, reference in zip(got, expected, strict=True):
        scale = np.abs(reference).max()
        tol.assert_close(actual / scale, reference / scale, tol.DERIVATIVE)


def test_derivative_by_velocity_is_twice_the_coriolis_matrix(arm: ArmModel) -> None:
    s = random_states(10, seed=45, dof=arm.dof)
    _, by_qd = derivatives.inverse_dynamics_derivatives(arm, s.q, s.qd, s.qdd)
    assert (by_qd == 2.0 * ne.coriolis(arm, s.q, s.qd)).all()


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_batch_shapes(batch: tuple[int, ...]) -> None:
    arm = nominal_arm()
    q = np.zeros((*batch, 7))
    for D in derivatives.inverse_dynamics_derivatives(arm, q, q, q):
        assert D.shape == (*batch, 7, 7)
    for D in derivatives.forward_dynamics_derivatives(arm, q, np.zeros(7), q):
        assert D.shape == (*batch, 7, 7)
