"""The long runs of the native dynamics: 100,000 random states an arm, every instruction set."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import Mujoco, Pinocchio, States
from sample_arms import ARMS, states_of, wrenches

from baxterkit import Arm, _native
from baxterkit.dynamics import newton_euler as ne

COUNT = 100_000
CHUNK = 1_000

pytestmark = pytest.mark.acceptance


@pytest.fixture(params=ARMS)
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm.from_model(ARMS[request.param])


def each_isa(check: Callable[[], None]) -> None:
    """Runs a check on every instruction set: the engine's answers are computed once for all."""
    before = _native.isa()
    try:
        for name in _native.isas():
            _native.use_isa(name)
            check()
    finally:
        _native.use_isa(before)


def parts(s: States) -> Iterator[States]:
    for first in range(0, COUNT, CHUNK):
        chunk = slice(first, first + CHUNK)
        yield States(s.q[chunk], s.qd[chunk], s.qdd[chunk])


def test_kernels_match_pinocchio(arm: Arm) -> None:
    s, engine = states_of(arm.model, COUNT, seed=90), Pinocchio(arm.model)
    M, C, G = engine.inertia(s.q), engine.coriolis(s.q, s.qd), engine.gravity(s.q)
    tau = engine.inverse_dynamics(s)

    def check() -> None:
        tol.assert_close(arm.inertia(s.q), M, tol.INERTIA_ENGINE)
        tol.assert_close(arm.coriolis(s.q, s.qd), C, tol.CORIOLIS_ENGINE)
        tol.assert_close(arm.gravity(s.q), G, tol.GRAVITY_ENGINE)
        tol.assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd), tau, tol.TORQUE_ENGINE)
        terms = arm.dynamics_terms(s.q, s.qd)
        limits = (tol.INERTIA_ENGINE, tol.CORIOLIS_ENGINE, tol.GRAVITY_ENGINE)
        for got, wanted, limit in zip(terms, (M, C, G), limits, strict=True):
            tol.assert_close(got, wanted, limit)

    each_isa(check)


@pytest.mark.sim
def test_kernels_match_mujoco(arm: Arm) -> None:
    s = states_of(arm.model, COUNT, seed=91)
    M, bias = Mujoco(arm.model).inertia_and_bias(s.q, s.qd)

    def check() -> None:
        tol.assert_close(arm.inertia(s.q), M, tol.INERTIA_ENGINE)
        tol.assert_close(arm.bias_torque(s.q, s.qd), bias, tol.TORQUE_ENGINE)

    each_isa(check)


def test_kernels_equal_the_reference(arm: Arm) -> None:
    s, w, model = states_of(arm.model, COUNT, seed=92), wrenches(COUNT, 93), arm.model
    M, C, G = ne.inertia(model, s.q), ne.coriolis(model, s.q, s.qd), ne.gravity(model, s.q)
    tau = ne.inverse_dynamics(model, s.q, s.qd, s.qdd)
    loaded = ne.inverse_dynamics(model, s.q, s.qd, s.qdd, w)

    def check() -> None:
        tol.assert_close(arm.inertia(s.q), M, tol.INERTIA_ENGINE)
        tol.assert_close(arm.coriolis(s.q, s.qd), C, tol.CORIOLIS_ENGINE)
        tol.assert_close(arm.gravity(s.q), G, tol.GRAVITY_ENGINE)
        tol.assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd), tau, tol.TORQUE_ENGINE)
        tol.assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd, w), loaded, tol.TORQUE_ENGINE)
        qdd = arm.forward_dynamics(s.q, s.qd, tau)
        tol.assert_close(qdd, s.qdd, tol.FORWARD_ROUND_TRIP)
        Y = arm.regressor(s.q, s.qd, s.qdd)
        tol.assert_close(Y @ arm.base_parameters, tau, tol.TORQUE_ENGINE)

    each_isa(check)


def test_lagrange_euler_equals_the_kernels(arm: Arm) -> None:
    for s in parts(states_of(arm.model, COUNT, seed=94)):
        lagrange = arm.inverse_dynamics(s.q, s.qd, s.qdd, method="lagrange")
        tol.assert_close(lagrange, arm.inverse_dynamics(s.q, s.qd, s.qdd), tol.TORQUE_ENGINE)


def test_batches_equal_single_calls_to_the_last_bit(arm: Arm) -> None:
    s = states_of(arm.model, COUNT, seed=95)

    def check() -> None:
        batch = arm.inverse_dynamics(s.q, s.qd, s.qdd)
        rows = zip(s.q, s.qd, s.qdd, strict=True)
        single = np.array([arm.inverse_dynamics(*row) for row in rows])
        assert single.tobytes() == batch.tobytes()

    each_isa(check)
