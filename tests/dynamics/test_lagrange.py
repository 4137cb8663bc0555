from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio, loaded_arm, nominal_arm, random_states, strange_arm

from baxterkit.dynamics import forward, lagrange
from baxterkit.dynamics import newton_euler as ne
from baxterkit.model.dh import dh_from_model
from baxterkit.model.model import ArmModel


@pytest.fixture(params=[nominal_arm, loaded_arm, strange_arm], ids=["nominal", "loaded", "strange"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def test_lagrange_euler_equals_newton_euler(arm: ArmModel) -> None:
    s = random_states(60, seed=10, dof=arm.dof)
    table = dh_from_model(arm)
    tol.assert_close(lagrange.inertia(table, s.q), ne.inertia(arm, s.q), tol.INERTIA_ENGINE)
    C = lagrange.coriolis(table, s.q, s.qd)
    tol.assert_close(C, ne.coriolis(arm, s.q, s.qd), tol.CORIOLIS_ENGINE)
    G = lagrange.gravity(table, s.q, arm.gravity)
    tol.assert_close(G, ne.gravity(arm, s.q), tol.GRAVITY_ENGINE)
    tau = lagrange.inverse_dynamics(table, s.q, s.qd, s.qdd, arm.gravity)
    tol.assert_close(tau, ne.inverse_dynamics(arm, s.q, s.qd, s.qdd), tol.TORQUE_ENGINE)


def test_lagrange_euler_matches_pinocchio() -> None:
    arm = nominal_arm()
    s = random_states(40, seed=11)
    tau = lagrange.inverse_dynamics(dh_from_model(arm), s.q, s.qd, s.qdd, arm.gravity)
    tol.assert_close(tau, Pinocchio(arm).inverse_dynamics(s), tol.TORQUE_ENGINE)


def test_energies_equal_those_of_the_links(arm: ArmModel) -> None:
    s = random_states(40, seed=12, dof=arm.dof)
    table = dh_from_model(arm)
    K = lagrange.kinetic_energy(table, s.q, s.qd)
    tol.assert_close(K, forward.kinetic_energy(arm, s.q, s.qd), tol.TORQUE_ENGINE)
    P = lagrange.potential_energy(table, s.q, arm.gravity)
    tol.assert_close(P, forward.potential_energy(arm, s.q), tol.TORQUE_ENGINE)


def test_first_derivatives_match_complex_step() -> None:
    table = dh_from_model(nominal_arm())
    q = random_states(5, seed=13).q
    U = lagrange.first_derivatives(table, q)
    for j in range(7):
        step = q + 1e-30j * np.eye(7)[j]
        rate = lagrange.transforms(table, step).imag / 1e-30
        tol.assert_close(U[:, :, j], rate, tol.INERTIA_ENGINE)


def test_second_derivatives_match_complex_step_and_are_symmetric() -> None:
    table = dh_from_model(nominal_arm())
    q = random_states(5, seed=14).q
    UU = lagrange.second_derivatives(table, q)
    assert (np.swapaxes(UU, -3, -4) == UU).all()
    for k in range(7):
        step = q + 1e-30j * np.eye(7)[k]
        rate = lagrange.first_derivatives(table, step).imag / 1e-30
        tol.assert_close(UU[:, :, :, k], rate, tol.INERTIA_ENGINE)


def test_coefficients_of_equation_7_are_the_christoffel_symbols_of_the_inertia() -> None:
    table = dh_from_model(nominal_arm())
    q = random_states(5, seed=15).q
    h = lagrange.christoffel(table, q)
    dM = np.stack(
        [lagrange.inertia(table, q + 1e-30j * np.eye(7)[k]).imag / 1e-30 for k in range(7)], -1
    )
    symbols = 0.5 * (
        dM + np.swapaxes(dM, -1, -2) - np.einsum("...kmi->...ikm", dM)
    )  # ½ (∂M_ik/∂q_m + ∂M_im/∂q_k - ∂M_km/∂q_i)
    tol.assert_close(h, symbols, tol.CORIOLIS_ENGINE)


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_batch_shapes(batch: tuple[int, ...]) -> None:
    table = dh_from_model(nominal_arm())
    q = np.zeros((*batch, 7))
    assert lagrange.inertia(table, q).shape == (*batch, 7, 7)
    assert lagrange.coriolis(table, q, q).shape == (*batch, 7, 7)
    assert lagrange.christoffel(table, q).shape == (*batch, 7, 7, 7)
    assert lagrange.gravity(table, q, [0.0, 0.0, -9.81]).shape == (*batch, 7)
    assert lagrange.kinetic_energy(table, q, q).shape == batch
