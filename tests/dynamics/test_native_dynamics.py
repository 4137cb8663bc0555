"""The generated kernels against the NumPy reference, other engines, 50 digits and physics."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import Mujoco, Pinocchio, States
from sample_arms import ARMS, states_of, wrenches

from baxterkit import Arm
from baxterkit.dynamics import forward
from baxterkit.dynamics import newton_euler as ne

COUNT = 3_000
STEP = 1e-30

every_arm = pytest.mark.parametrize("name", ARMS)


@cache
def sample(name: str, seed: int, count: int = COUNT) -> States:
    return states_of(ARMS[name], count, seed)


@cache
def native(name: str) -> Arm:
    arm = Arm.from_model(ARMS[name])
    assert arm.backend == "native"
    return arm


@cache
def reference(name: str) -> dict[str, Any]:
    """Every quantity by the NumPy backend."""
    arm, s = Arm.from_model(ARMS[name], backend="numpy"), sample(name, 1)
    assert arm.backend == "numpy"
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    return {
        "inertia": arm.inertia(s.q),
        "coriolis": arm.coriolis(s.q, s.qd),
        "gravity": arm.gravity(s.q),
        "bias": arm.bias_torque(s.q, s.qd),
        "terms": arm.dynamics_terms(s.q, s.qd),
        "tau": tau,
        "loaded tau": arm.inverse_dynamics(s.q, s.qd, s.qdd, wrenches(COUNT, 2)),
        "qdd": arm.forward_dynamics(s.q, s.qd, tau),
        "kinetic": arm.kinetic_energy(s.q, s.qd),
        "potential": arm.potential_energy(s.q),
        "inverse derivatives": arm.inverse_dynamics_derivatives(s.q, s.qd, s.qdd),
        "forward derivatives": arm.forward_dynamics_derivatives(s.q, s.qd, tau),
        "regressor": arm.regressor(s.q, s.qd, s.qdd),
    }


@cache
def pinocchio(name: str) -> dict[str, Any]:
    engine, s = Pinocchio(ARMS[name]), sample(name, 3)
    return {
        "inertia": engine.inertia(s.q),
        "coriolis": engine.coriolis(s.q, s.qd),
        "gravity": engine.gravity(s.q),
        "tau": engine.inverse_dynamics(s),
        "derivatives": engine.derivatives(s),
    }


@cache
def mujoco(name: str) -> tuple[np.ndarray, np.ndarray]:
    s = sample(name, 4)
    return Mujoco(ARMS[name]).inertia_and_bias(s.q, s.qd)


def assert_close_to_size(actual: Any, expected: Any, tolerance: float) -> None:
    """Agreement relative to the largest entry of all, as accelerations per rad reach 1e5."""
    size = np.abs(expected).max()
    tol.assert_close(actual / size, expected / size, tolerance)


@every_arm
def test_torques_and_their_terms_equal_the_reference(name: str, isa: str) -> None:
    arm, s, expected = native(name), sample(name, 1), reference(name)
    tol.assert_close(arm.inertia(s.q), expected["inertia"], tol.INERTIA_ENGINE)
    tol.assert_close(arm.coriolis(s.q, s.qd), expected["coriolis"], tol.CORIOLIS_ENGINE)
    tol.assert_close(arm.gravity(s.q), expected["gravity"], tol.GRAVITY_ENGINE)
    tol.assert_close(arm.bias_torque(s.q, s.qd), expected["bias"], tol.TORQUE_ENGINE)
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    tol.assert_close(tau, expected["tau"], tol.TORQUE_ENGINE)
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd, wrenches(COUNT, 2))
    tol.assert_close(tau, expected["loaded tau"], tol.TORQUE_ENGINE)
    limits = (tol.INERTIA_ENGINE, tol.CORIOLIS_ENGINE, tol.GRAVITY_ENGINE)
    terms = arm.dynamics_terms(s.q, s.qd)
    for got, wanted, limit in zip(terms, expected["terms"], limits, strict=True):
        tol.assert_close(got, wanted, limit)


@every_arm
def test_energies_accelerations_and_regressor_equal_the_reference(name: str, isa: str) -> None:
    arm, s, expected = native(name), sample(name, 1), reference(name)
    tol.assert_close(arm.kinetic_energy(s.q, s.qd), expected["kinetic"], tol.TORQUE_ENGINE)
    tol.assert_close(arm.potential_energy(s.q), expected["potential"], tol.TORQUE_ENGINE)
    qdd = arm.forward_dynamics(s.q, s.qd, expected["tau"])
    tol.assert_close(qdd, expected["qdd"], tol.FORWARD_ROUND_TRIP)
    Y = arm.regressor(s.q, s.qd, s.qdd)
    assert_close_to_size(Y, expected["regressor"], tol.REGRESSOR)
    tol.assert_close(Y @ arm.base_parameters, expected["tau"], tol.TORQUE_ENGINE)


@every_arm
def test_derivatives_equal_the_reference(name: str, isa: str) -> None:
    arm, s, expected = native(name), sample(name, 1), reference(name)
    inverse = arm.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    for got, wanted in zip(inverse, expected["inverse derivatives"], strict=True):
        tol.assert_close(got, wanted, tol.DERIVATIVE)
    forwards = arm.forward_dynamics_derivatives(s.q, s.qd, expected["tau"])
    for got, wanted in zip(forwards, expected["forward derivatives"], strict=True):
        assert_close_to_size(got, wanted, tol.DERIVATIVE)


@every_arm
def test_kernels_match_pinocchio(name: str, isa: str) -> None:
    arm, s, expected = native(name), sample(name, 3), pinocchio(name)
    tol.assert_close(arm.inertia(s.q), expected["inertia"], tol.INERTIA_ENGINE)
    tol.assert_close(arm.coriolis(s.q, s.qd), expected["coriolis"], tol.CORIOLIS_ENGINE)
    tol.assert_close(arm.gravity(s.q), expected["gravity"], tol.GRAVITY_ENGINE)
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    tol.assert_close(tau, expected["tau"], tol.TORQUE_ENGINE)
    got = arm.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    for actual, wanted in zip(got, expected["derivatives"], strict=True):
        tol.assert_close(actual, wanted, tol.DERIVATIVE)


@pytest.mark.sim
@every_arm
def test_kernels_match_mujoco(name: str, isa: str) -> None:
    arm, s = native(name), sample(name, 4)
    M, bias = mujoco(name)
    tol.assert_close(arm.inertia(s.q), M, tol.INERTIA_ENGINE)
    tol.assert_close(arm.bias_torque(s.q, s.qd), bias, tol.TORQUE_ENGINE)


@cache
def fifty(name: str, count: int) -> list[dict[str, np.ndarray]]:
    components.require("mpmath")
    import fifty_digits

    s = sample(name, 5, count)
    rows = zip(s.q, s.qd, s.qdd, strict=True)
    return [fifty_digits.terms(ARMS[name], *row) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, 2) for name in ARMS),
        pytest.param("left", 100, marks=pytest.mark.acceptance),
        pytest.param("loaded right", 100, marks=pytest.mark.acceptance),
    ],
)
def test_kernels_agree_with_fifty_digits(name: str, count: int, isa: str) -> None:
    arm, s, exact = native(name), sample(name, 5, count), fifty(name, count)
    got = {
        "M": arm.inertia(s.q),
        "C": arm.coriolis(s.q, s.qd),
        "G": arm.gravity(s.q),
        "tau": arm.inverse_dynamics(s.q, s.qd, s.qdd),
    }
    for key, values in got.items():
        tol.assert_close(values, np.array([row[key] for row in exact]), tol.MPMATH)


def complex_step(function: Any, x: np.ndarray) -> np.ndarray:
    columns = [function(x + 1j * STEP * axis).imag / STEP for axis in np.eye(7)]
    return np.stack(columns, -1)


@every_arm
def test_inverse_dynamics_derivatives_match_complex_step(name: str, isa: str) -> None:
    model, s = ARMS[name], sample(name, 6, 300)
    by_q, by_qd = native(name).inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    expected = complex_step(lambda q: ne.inverse_dynamics(model, q, s.qd, s.qdd), s.q)
    tol.assert_close(by_q, expected, tol.DERIVATIVE)
    expected = complex_step(lambda qd: ne.inverse_dynamics(model, s.q, qd, s.qdd), s.qd)
    tol.assert_close(by_qd, expected, tol.DERIVATIVE)


@pytest.mark.slow
@every_arm
def test_forward_dynamics_derivatives_match_complex_step(name: str, isa: str) -> None:
    model, s = ARMS[name], sample(name, 7, 300)
    tau = ne.inverse_dynamics(model, s.q, s.qd, s.qdd)
    by_q, by_qd, by_tau = native(name).forward_dynamics_derivatives(s.q, s.qd, tau)
    # Each of the three relative to its largest entry: rounding of tau, 1e-13, is multiplied by
    # entries of the inverse of M of up to 1000.
    expected = complex_step(lambda q: forward.forward_dynamics(model, q, s.qd, tau), s.q)
    assert_close_to_size(by_q, expected, tol.DERIVATIVE)
    expected = complex_step(lambda qd: forward.forward_dynamics(model, s.q, qd, tau), s.qd)
    assert_close_to_size(by_qd, expected, tol.DERIVATIVE)
    expected = complex_step(lambda t: forward.forward_dynamics(model, s.q, s.qd, t), tau)
    assert_close_to_size(by_tau, expected, tol.DERIVATIVE)


@every_arm
def test_derivative_by_velocity_is_twice_the_coriolis_matrix(name: str, isa: str) -> None:
    arm, s = native(name), sample(name, 8, 300)
    _, by_qd = arm.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    tol.assert_close(by_qd, 2.0 * arm.coriolis(s.q, s.qd), tol.CORIOLIS_ENGINE)


@every_arm
def test_forward_dynamics_inverts_inverse_dynamics(name: str, isa: str) -> None:
    arm, s, w = native(name), sample(name, 9), wrenches(COUNT, 10)
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    tol.assert_close(arm.forward_dynamics(s.q, s.qd, tau), s.qdd, tol.FORWARD_ROUND_TRIP)
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd, w)
    tol.assert_close(arm.forward_dynamics(s.q, s.qd, tau, w), s.qdd, tol.FORWARD_ROUND_TRIP)


@every_arm
def test_inertia_is_symmetric_positive_definite(name: str, isa: str) -> None:
    M = native(name).inertia(sample(name, 11).q)
    assert np.swapaxes(M, -1, -2).tobytes() == np.ascontiguousarray(M).tobytes()
    assert np.linalg.eigvalsh(M).min() > 0.0


@every_arm
def test_rate_of_inertia_less_twice_coriolis_is_skew(name: str, isa: str) -> None:
    s = sample(name, 12, 300)
    rate = ne.inertia(ARMS[name], s.q + 1j * STEP * s.qd).imag / STEP
    N = rate - 2.0 * native(name).coriolis(s.q, s.qd)
    tol.assert_close(N, -np.swapaxes(N, -1, -2), tol.CORIOLIS_ENGINE)


@pytest.mark.parametrize("duration", [1.0, pytest.param(10.0, marks=pytest.mark.acceptance)])
@every_arm
def test_free_motion_conserves_energy(name: str, duration: float, isa: str) -> None:
    components.require("scipy")
    from scipy.integrate import solve_ivp

    arm, free = native(name), np.zeros(7)

    def motion(_: float, state: np.ndarray) -> np.ndarray:
        q, qd = state[:7], state[7:]
        return np.append(qd, arm.forward_dynamics(q, qd, free))

    start = np.append(np.array([0.1, -0.5, 0.3, 1.0, -0.2, 0.7, 0.4]), np.full(7, 0.2))
    path = solve_ivp(motion, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-12).y.T
    q, qd = path[:, :7], path[:, 7:]
    energy = arm.kinetic_energy(q, qd) + arm.potential_energy(q)
    assert np.abs(qd).max() > 1.0, "the arm hardly moved"
    tol.assert_close(energy, np.full_like(energy, energy[0]), tol.ENERGY_DRIFT)


MANY_ARGUMENTS = {
    "coriolis": (7, 7),
    "dynamics_terms": (7, 7),
    "bias_torque": (7, 7),
    "kinetic_energy": (7, 7),
    "inverse_dynamics": (7, 7, 7),
    "inverse_dynamics_wrench": (7, 7, 7, 6),
    "forward_dynamics": (7, 7, 7),
    "inverse_dynamics_derivatives": (7, 7, 7),
    "forward_dynamics_derivatives": (7, 7, 7),
    "regressor": (7, 7, 7),
}


@pytest.mark.parametrize(
    "shapes",
    [
        ((), (5,), (5,), ()),
        ((5,), (), (1,), ()),
        ((4, 1), (1, 3), (3,), (4, 1)),
        ((1, 2, 1), (3, 1, 4), (), (1, 1, 1)),
        ((1,), (0,), (), (1,)),
    ],
    ids=str,
)
@pytest.mark.parametrize("kernel", MANY_ARGUMENTS)
def test_arguments_broadcast_against_each_other(
    kernel: str, shapes: tuple[tuple[int, ...], ...], isa: str
) -> None:
    call = getattr(native("loaded left")._kernels, kernel)
    widths = MANY_ARGUMENTS[kernel]
    rng = np.random.default_rng(13)
    shapes = shapes[: len(widths)]
    inputs = [rng.normal(size=(*s, w)) for s, w in zip(shapes, widths, strict=True)]
    full = np.broadcast_shapes(*shapes)
    copies = [np.ascontiguousarray(np.broadcast_to(x, (*full, x.shape[-1]))) for x in inputs]
    result = call(*inputs)
    assert result.shape[: len(full)] == full
    assert result.tobytes() == call(*copies).tobytes()
    out = np.full(result.shape, np.nan)
    assert call(*inputs, out=out) is out
    assert out.tobytes() == result.tobytes()


@pytest.mark.skipif(bool(os.environ.get("BAXTERKIT_SANITIZE")), reason="a build for debugging")
def test_extension_is_smaller_than_six_megabytes() -> None:
    """With inverse kinematics, collision checks and planning for three instruction sets."""
    from baxterkit import _native

    assert Path(str(_native.__file__)).stat().st_size < 6_000_000
