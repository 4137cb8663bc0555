from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio, loaded_arm, nominal_arm, random_states, strange_arm

from baxterkit.dynamics import forward
from baxterkit.dynamics import newton_euler as ne
from baxterkit.model.model import ArmModel


@pytest.fixture(params=[nominal_arm, loaded_arm, strange_arm], ids=["nominal", "loaded", "strange"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def test_forward_dynamics_inverts_inverse_dynamics(arm: ArmModel) -> None:
    s = random_states(100, seed=30, dof=arm.dof)
    w = np.random.default_rng(31).normal(0.0, 10.0, (100, 6))
    tau = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd, w)
    tol.assert_close(
        forward.forward_dynamics(arm, s.q, s.qd, tau, w), s.qdd, tol.FORWARD_ROUND_TRIP
    )


def test_energies_match_pinocchio(arm: ArmModel) -> None:
    s = random_states(50, seed=32, dof=arm.dof)
    kinetic, potential = Pinocchio(arm).energies(s.q, s.qd)
    tol.assert_close(forward.kinetic_energy(arm, s.q, s.qd), kinetic, tol.TORQUE_ENGINE)
    tol.assert_close(forward.potential_energy(arm, s.q), potential, tol.TORQUE_ENGINE)


def test_tip_jacobian_matches_pinocchio(arm: ArmModel) -> None:
    q = random_states(50, seed=33, dof=arm.dof).q
    J = Pinocchio(arm).tip_jacobian(q)
    tol.assert_close(forward.tip_jacobian(arm, q), J, tol.JACOBIAN_ENGINE)


def test_task_inertia_is_what_a_wrench_on_the_tip_feels() -> None:
    """From rest and without gravity, a wrench w accelerates the tip by J qdd, and Λ J qdd = w."""
    from dataclasses import replace

    arm = replace(loaded_arm(), gravity=np.zeros(3))
    q = random_states(50, seed=34).q
    w = np.random.default_rng(35).normal(0.0, 10.0, (50, 6))
    qdd = forward.forward_dynamics(arm, q, np.zeros(7), np.zeros(7), w)
    acceleration = np.einsum("bki,bi->bk", forward.tip_jacobian(arm, q), qdd)
    felt = np.einsum("bkl,bl->bk", forward.task_inertia(arm, q), acceleration)
    np.testing.assert_allclose(felt, w, rtol=0.0, atol=tol.TASK_INERTIA)


def test_task_inertia_is_finite_in_a_singular_configuration() -> None:
    inertia = forward.task_inertia(nominal_arm(), np.zeros((2, 7)))
    assert inertia.shape == (2, 6, 6)
    assert np.isfinite(inertia).all()


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_batch_shapes(batch: tuple[int, ...]) -> None:
    arm = nominal_arm()
    q = np.zeros((*batch, 7))
    assert forward.forward_dynamics(arm, q, q, q).shape == (*batch, 7)
    assert forward.kinetic_energy(arm, q, q).shape == batch
    assert forward.potential_energy(arm, q).shape == batch
    assert forward.task_inertia(arm, q).shape == (*batch, 6, 6)
