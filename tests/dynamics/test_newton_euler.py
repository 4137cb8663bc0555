from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import (
    Mujoco,
    Pinocchio,
    loaded_arm,
    nominal_arm,
    random_states,
    strange_arm,
)

from baxterkit.dynamics import newton_euler as ne
from baxterkit.errors import ModelError
from baxterkit.model.model import ArmModel

ARMS: list[Callable[[], ArmModel]] = [nominal_arm, loaded_arm, strange_arm]
BATCHES = [(), (1,), (3, 1, 2), (0,)]


@pytest.fixture(params=ARMS, ids=["nominal", "loaded", "strange"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def test_terms_match_pinocchio(arm: ArmModel) -> None:
    s = random_states(100, dof=arm.dof)
    engine = Pinocchio(arm)
    tol.assert_close(ne.inertia(arm, s.q), engine.inertia(s.q), tol.INERTIA_ENGINE)
    C = ne.coriolis(arm, s.q, s.qd)
    tol.assert_close(C, engine.coriolis(s.q, s.qd), tol.CORIOLIS_ENGINE)
    tol.assert_close(ne.gravity(arm, s.q), engine.gravity(s.q), tol.GRAVITY_ENGINE)
    tau = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd)
    tol.assert_close(tau, engine.inverse_dynamics(s), tol.TORQUE_ENGINE)


@pytest.mark.sim
def test_inertia_and_bias_match_mujoco(arm: ArmModel) -> None:
    s = random_states(100, seed=1, dof=arm.dof)
    M, bias = Mujoco(arm).inertia_and_bias(s.q, s.qd)
    tol.assert_close(ne.inertia(arm, s.q), M, tol.INERTIA_ENGINE)
    tol.assert_close(ne.bias(arm, s.q, s.qd), bias, tol.TORQUE_ENGINE)


def test_torques_are_the_sum_of_their_terms(arm: ArmModel) -> None:
    s = random_states(50, seed=2, dof=arm.dof)
    M, C = ne.inertia(arm, s.q), ne.coriolis(arm, s.q, s.qd)
    inertial = (M @ s.qdd[..., None] + C @ s.qd[..., None])[..., 0]
    tau = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd)
    tol.assert_close(tau, inertial + ne.gravity(arm, s.q), tol.TORQUE_ENGINE)


def test_inertia_is_symmetric_positive_definite(arm: ArmModel) -> None:
    M = ne.inertia(arm, random_states(200, seed=3, dof=arm.dof).q)
    assert (np.swapaxes(M, -1, -2) == M).all()
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_wrench_on_the_tip_acts_through_the_jacobian(arm: ArmModel) -> None:
    s = random_states(50, seed=4, dof=arm.dof)
    w = np.random.default_rng(5).normal(0.0, 20.0, (50, 6))
    free = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd)
    loaded = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd, wrench=w)
    J = Pinocchio(arm).tip_jacobian(s.q)
    tol.assert_close(loaded, free - np.einsum("bki,bk->bi", J, w), tol.TORQUE_ENGINE)


def test_payload_weight_equals_a_force_on_the_tip() -> None:
    """A point mass at the tip, at rest, is a force at the tip: payload and wrench agree."""
    from dataclasses import replace

    from baxterkit.model.model import Payload

    bare = replace(loaded_arm(), payload=None)
    q = random_states(20, seed=6).q
    zero = np.zeros(7)
    carried = ne.gravity(replace(bare, payload=Payload(2.0)), q)
    pushed = ne.inverse_dynamics(
        bare, q, zero, zero, wrench=np.append(2.0 * bare.gravity, zero[:3])
    )
    tol.assert_close(carried, pushed, tol.TORQUE_ENGINE)


@pytest.mark.parametrize("batch", BATCHES)
def test_batches_equal_single_calls(batch: tuple[int, ...]) -> None:
    arm = loaded_arm()
    rng = np.random.default_rng(8)
    q, qd, qdd = rng.normal(size=(3, *batch, 7))
    w = rng.normal(size=(*batch, 6))
    results = {
        "M": (ne.inertia(arm, q), (7, 7)),
        "C": (ne.coriolis(arm, q, qd), (7, 7)),
        "G": (ne.gravity(arm, q), (7,)),
        "bias": (ne.bias(arm, q, qd), (7,)),
        "tau": (ne.inverse_dynamics(arm, q, qd, qdd, w), (7,)),
    }
    for name, (value, shape) in results.items():
        assert value.shape == (*batch, *shape), name
        assert value.dtype == np.float64
    for index in np.ndindex(batch):
        alone = ne.inverse_dynamics(arm, q[index], qd[index], qdd[index], w[index])
        tol.assert_close(results["tau"][0][index], alone, tol.ROUNDING_TORQUE)


def test_arguments_broadcast() -> None:
    arm = nominal_arm()
    rng = np.random.default_rng(9)
    q, qd, qdd = rng.normal(size=(3, 1, 7)), rng.normal(size=(2, 7)), rng.normal(size=7)
    tau = ne.inverse_dynamics(arm, q, qd, qdd)
    assert tau.shape == (3, 2, 7)
    full = [np.broadcast_to(x, (3, 2, 7)) for x in (q, qd, qdd)]
    tol.assert_close(tau, ne.inverse_dynamics(arm, *full), tol.ROUNDING_TORQUE)


def test_prismatic_joints_are_refused_by_name() -> None:
    from dataclasses import replace

    arm = nominal_arm()
    joints = (*arm.joints[:-1], replace(arm.joints[-1], kind="prismatic"))
    with pytest.raises(ModelError, match=r"^joint left_w2 is prismatic; dynamics needs revolute"):
        ne.inertia(replace(arm, joints=joints), np.zeros(7))
