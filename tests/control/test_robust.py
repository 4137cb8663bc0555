"""Sliding mode and adaptive control: what holds when the model is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from controllers import ARM, NEUTRAL, SWING, swinging

from baxterkit import Payload, control
from baxterkit.control import Controller, Reference, Run, State, simulate
from baxterkit.control.adaptive import parameter_covariance
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.types import Array

HEAVY = ARM.replace(payload=Payload(1.0, (0.0, 0.0, 0.05)))
RUBBING = HEAVY.with_effects(
    JointEffects(coulomb=np.array([0.3, 0.7, 0.4, 0.1, 0.1, 0.05, 0.07]), viscous=np.full(7, 0.05))
)


def surface(run: Run, slope: Array) -> Array:
    """s = qd_r + Λ e - qd of a swinging run, shape (n, 7)."""
    qd_r = np.array([swinging(t).qd for t in run.t])
    return qd_r + slope * run.error - run.qd


def test_sliding_mode_stays_in_its_boundary_layer_with_a_kilogram_unknown() -> None:
    controller = control.SlidingMode(ARM)
    run = simulate(HEAVY, controller, swinging, 4.0)
    s = surface(run, controller.slope)
    assert (np.abs(s[run.t > 1.0]) < controller.boundary).all()
    bound = controller.boundary / controller.slope
    assert (np.abs(run.error[run.t > 1.0]) < bound).all()


def test_sliding_mode_reaches_its_layer_from_afar_without_leaving_again() -> None:
    controller = control.SlidingMode(ARM)
    run = simulate(ARM, controller, swinging, 2.0, q=NEUTRAL + 0.6 * SWING)
    s = np.abs(surface(run, controller.slope)) / controller.boundary
    assert s[0].max() > 1.0
    first = int(np.argmax((s < 1.0).all(axis=-1)))
    assert first > 0
    assert (s[first:] < 1.0).all()


def test_sliding_mode_is_stiffer_than_computed_torque_against_a_wrong_model() -> None:
    rough = simulate(HEAVY, control.ComputedTorque(ARM), swinging, 4.0).rms(1.0)
    assert simulate(HEAVY, control.SlidingMode(ARM), swinging, 4.0).rms(1.0) < 0.85 * rough


def lyapunov(controller: control.Adaptive, state: State, reference: Reference) -> float:
    """½ s'Ms + ½ (β̂ - β)'Σ⁻¹(β̂ - β) / γ of an arm that is HEAVY."""
    s = reference.qd + controller.slope * (reference.q - state.q) - state.qd
    wrong = controller.parameters - HEAVY.base_parameters
    far = wrong @ np.linalg.solve(parameter_covariance(ARM.model), wrong)
    return float(0.5 * s @ HEAVY.inertia(state.q) @ s + 0.5 * far / controller.rate)


def test_the_energy_of_errors_and_parameters_falls_under_adaptation() -> None:
    controller = control.Adaptive(
        ARM, learning=control.Learning(rate=2.0, friction=False, radius=1e3, period=0.0)
    )
    values: list[float] = []

    class Watched:
        def update(self, state: State, reference: Reference, dt: float) -> Array:
            values.append(lyapunov(controller, state, reference))
            return controller.update(state, reference, dt)

        def reset(self) -> None: ...

    watched: Controller = Watched()
    simulate(HEAVY, watched, swinging, 0.4, dt=1e-4)
    V = np.array(values)
    assert np.diff(V).max() < tol.ENERGY_STEP * V[0]
    assert V[-1] < 0.9 * V[0]


@pytest.mark.parametrize("friction", [True, False])
def test_adaptation_learns_an_unknown_payload(friction: bool) -> None:
    controller = control.Adaptive(ARM, learning=control.Learning(friction=friction))
    run = simulate(HEAVY, controller, swinging, 10.0)
    first, last = run.rms(), run.rms(8.0)
    without = simulate(
        HEAVY, control.Adaptive(ARM, learning=control.Learning(rate=0.0)), swinging, 4.0
    ).rms(1.0)
    assert last < 0.1 * without
    assert last < first
    assert controller.distance < controller.radius


def test_adaptation_learns_friction() -> None:
    learning = control.Adaptive(ARM)
    run = simulate(RUBBING, learning, swinging, 12.0)
    fixed = simulate(
        RUBBING, control.Adaptive(ARM, learning=control.Learning(rate=0.0)), swinging, 4.0
    )
    assert run.rms(10.0) < 0.1 * fixed.rms(2.0)
    # The dry friction of the shoulder is found, its size and its sign.
    assert learning.friction[1, 1] == pytest.approx(0.7, abs=0.35)


def test_the_estimate_never_leaves_its_ball() -> None:
    controller = control.Adaptive(ARM, learning=control.Learning(radius=0.5, rate=200.0))
    far: list[float] = []
    for i in range(2000):
        r = swinging(1e-3 * i)
        controller.update(State(r.q - 0.05, r.qd), r, 1e-3)
        far.append(controller.distance)
    assert max(far) == pytest.approx(0.5, rel=1e-12)
    moved = controller.parameters - ARM.base_parameters
    size = np.sqrt(moved @ np.linalg.solve(parameter_covariance(ARM.model), moved))
    assert 0.1 < size <= 0.5  # friction has its part


def test_the_distance_is_that_of_the_estimate() -> None:
    controller = control.Adaptive(ARM, learning=control.Learning(friction=False))
    for i in range(1000):
        r = swinging(1e-3 * i)
        controller.update(State(r.q - 0.02 * np.sin(0.01 * i), r.qd), r, 1e-3)
    moved = controller.parameters - ARM.base_parameters
    size = np.sqrt(moved @ np.linalg.solve(parameter_covariance(ARM.model), moved))
    assert controller.distance == pytest.approx(size, rel=1e-6)


def test_the_estimate_changes_once_a_period() -> None:
    often, seldom = (
        control.Adaptive(ARM, learning=control.Learning(period=x)) for x in (0.0, 4.5e-3)
    )
    r = swinging(0.3)
    changed = []
    for _ in range(10):
        before = seldom.parameters
        for controller in (often, seldom):
            controller.update(State(r.q - 1e-4, r.qd), r, 1e-3)
        changed.append(bool((seldom.parameters != before).any()))
    assert changed == [False, False, False, False, True] * 2
    # Over ten milliseconds both have learned the same, up to what the estimate itself changed.
    assert seldom.distance == pytest.approx(often.distance, rel=1e-3)


def test_a_saturated_arm_does_not_learn() -> None:
    controller = control.Adaptive(ARM)
    for _ in range(10):
        tau = controller.update(State(NEUTRAL, np.zeros(7)), Reference(NEUTRAL + 2.0), 1e-3)
    assert (np.abs(tau) == ARM.limits.effort).any()
    np.testing.assert_array_equal(controller.parameters, ARM.base_parameters)
    assert not controller.friction.any()


def test_a_callable_regressor_serves_as_the_arm_does() -> None:
    spread = np.full(45, 0.1)
    own = control.Adaptive(ARM, spread=spread)
    called = control.Adaptive(ARM.regressor, ARM.base_parameters, spread)
    for i in range(10):
        r = swinging(1e-3 * i)
        state = State(r.q - 0.02, r.qd)
        np.testing.assert_array_equal(own.update(state, r, 1e-3), called.update(state, r, 1e-3))
    assert own.distance > 0.0


def test_an_arm_that_starts_far_away_comes_back_before_it_learns() -> None:
    away = np.array([-0.2, -0.1, -0.7, -0.6, -1.5, 1.4, -0.5])
    controller = control.Adaptive(ARM)
    run = simulate(HEAVY, controller, Reference(NEUTRAL - 0.5 * away), 4.0, q=NEUTRAL + 0.5 * away)
    assert np.abs(run.error[-1]).max() < 0.01
