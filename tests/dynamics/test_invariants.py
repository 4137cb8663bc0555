"""What holds for every mechanical system."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import loaded_arm, nominal_arm, random_states, strange_arm

from baxterkit.dynamics import forward
from baxterkit.dynamics import newton_euler as ne
from baxterkit.model.model import ArmModel

STEP = 1e-30


@pytest.fixture(params=[nominal_arm, loaded_arm, strange_arm], ids=["nominal", "loaded", "strange"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def test_rate_of_inertia_less_twice_coriolis_is_skew(arm: ArmModel) -> None:
    s = random_states(100, seed=20, dof=arm.dof)
    rate = ne.inertia(arm, s.q + 1j * STEP * s.qd).imag / STEP
    N = rate - 2.0 * ne.coriolis(arm, s.q, s.qd)
    tol.assert_close(N, -np.swapaxes(N, -1, -2), tol.CORIOLIS_ENGINE)


def test_gravity_torques_are_the_gradient_of_potential_energy(arm: ArmModel) -> None:
    q = random_states(50, seed=21, dof=arm.dof).q
    gradient = np.stack(
        [
            forward.potential_energy(arm, q + 1j * STEP * axis).imag / STEP
            for axis in np.eye(arm.dof)
        ],
        -1,
    )
    tol.assert_close(ne.gravity(arm, q), gradient, tol.GRAVITY_ENGINE)


def test_kinetic_energy_is_the_form_of_the_inertia_matrix(arm: ArmModel) -> None:
    s = random_states(50, seed=22, dof=arm.dof)
    form = 0.5 * np.einsum("bi,bij,bj->b", s.qd, ne.inertia(arm, s.q), s.qd)
    tol.assert_close(forward.kinetic_energy(arm, s.q, s.qd), form, tol.TORQUE_ENGINE)


def test_power_of_the_torques_is_the_rate_of_energy(arm: ArmModel) -> None:
    s = random_states(50, seed=23, dof=arm.dof)
    q = s.q + 1j * STEP * s.qd
    qd = s.qd + 1j * STEP * s.qdd
    energy = forward.kinetic_energy(arm, q, qd) + forward.potential_energy(arm, q)
    power = np.einsum("bi,bi->b", ne.inverse_dynamics(arm, s.q, s.qd, s.qdd), s.qd)
    tol.assert_close(energy.imag / STEP, power, tol.POWER)


@pytest.mark.parametrize(
    ("make", "duration"),
    [
        (loaded_arm, 0.5),
        pytest.param(nominal_arm, 10.0, marks=pytest.mark.acceptance),
        pytest.param(loaded_arm, 10.0, marks=pytest.mark.acceptance),
    ],
)
def test_free_motion_conserves_energy(make: object, duration: float) -> None:
    solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp

    arm = make()  # type: ignore[operator]

    def motion(_: float, state: np.ndarray) -> np.ndarray:
        q, qd = state[:7], state[7:]
        return np.append(qd, forward.forward_dynamics(arm, q, qd, np.zeros(7)))

    start = np.append(np.array([0.1, -0.5, 0.3, 1.0, -0.2, 0.7, 0.4]), np.full(7, 0.2))
    path = solve_ivp(motion, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-12).y.T
    q, qd = path[:, :7], path[:, 7:]
    energy = forward.kinetic_energy(arm, q, qd) + forward.potential_energy(arm, q)
    assert np.abs(qd).max() > 1.0, "the arm hardly moved"
    tol.assert_close(energy, np.full_like(energy, energy[0]), tol.ENERGY_DRIFT)
