"""PD with gravity, computed torque and the double-loop PID: convergence and equations."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from controllers import ARM, NEUTRAL, SWING, TORQUE, energy, swinging

from baxterkit import control
from baxterkit.control import Reference, State, simulate

START = NEUTRAL + 0.5 * SWING
GOAL = Reference(NEUTRAL)


@pytest.mark.parametrize(
    "name",
    ["pid", "pd_gravity", "computed_torque", "sliding_mode", "joint_impedance", "predictive"],
)
def test_an_arm_with_the_true_model_comes_to_rest_at_the_reference(name: str) -> None:
    run = simulate(ARM, TORQUE[name](), GOAL, 6.0, q=START)
    assert np.abs(run.error[-1]).max() < tol.SETTLED
    assert np.abs(run.qd[-1]).max() < tol.SETTLED


@pytest.mark.parametrize("name", ["pid_of_the_paper", "adaptive"])
def test_an_arm_without_a_model_or_learning_one_comes_to_rest_too(name: str) -> None:
    run = simulate(ARM, TORQUE[name](), GOAL, 10.0, q=START)
    assert np.abs(run.error[-1]).max() < tol.SETTLED_BY_LEARNING


@pytest.mark.parametrize("name", ["computed_torque", "sliding_mode", "joint_impedance", "adaptive"])
def test_with_the_true_model_a_motion_is_followed_up_to_the_period(name: str) -> None:
    errors = [simulate(ARM, TORQUE[name](), swinging, 2.0, dt=dt).rms() for dt in (2e-3, 1e-3)]
    assert errors[1] < tol.HELD_TORQUES
    if name == "computed_torque":  # torques held over a period are late by half of it
        assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_pd_with_gravity_loses_energy_until_it_rests() -> None:
    controller = control.PdGravity(ARM)
    run = simulate(ARM, controller, GOAL, 2.0, q=START, dt=5e-4)
    spring = 0.5 * (controller.kp * run.error**2).sum(axis=-1)
    total = energy(ARM, run.q, run.qd) + spring
    assert np.diff(total).max() < tol.ENERGY_STEP * total[0]
    assert total[-1] < 1e-3 * total[0]


def test_errors_under_computed_torque_obey_their_linear_equation() -> None:
    controller = control.ComputedTorque(ARM, kp=100.0, armature=0.0)
    start = swinging(0.0)
    run = simulate(ARM, controller, swinging, 1.0, q=start.q - 0.05, qd=start.qd, dt=2e-4)
    expected = 0.05 * (1.0 + 10.0 * run.t) * np.exp(-10.0 * run.t)
    tol.assert_close(run.error, np.repeat(expected[:, None], 7, axis=1), tol.LINEAR_ERROR)


def test_double_loop_pid_is_equations_13_and_14() -> None:
    kp, kd, kp_inner, ki = 9.0, 0.3, 20.0, 50.0
    controller = control.DoubleLoopPid(None, kp, kd, kp_inner, ki, effort=1e9)
    integral, dt = np.zeros(7), 2e-3
    for i in range(20):
        r = swinging(i * dt)
        q, qd = r.q - 0.02 + 0.001 * i, 0.9 * r.qd
        error = kp * (r.q - q) + kd * (r.qd - qd) - qd
        integral = integral + dt * error
        expected = kp_inner * error + ki * integral
        tol.assert_close(controller.update(State(q, qd), r, dt), expected, tol.PASSIVE_DYNAMICS)
    tol.assert_close(controller.integral, integral, tol.ROUNDING)


def test_the_lag_of_the_double_loop_is_the_velocity_over_its_gain() -> None:
    speed = np.full(7, 0.1)

    def ramp(t: float) -> Reference:
        return Reference(NEUTRAL + t * speed, speed, np.zeros(7))

    run = simulate(ARM, control.DoubleLoopPid(ARM), ramp, 4.0)
    tol.assert_close(run.error[-1], speed / control.DoubleLoopPid().outer_kp, tol.LAG)
    without = simulate(ARM, control.DoubleLoopPid(ARM, feedforward=True), ramp, 4.0)
    assert np.abs(without.error[-1]).max() < tol.LAG


def test_the_integral_does_not_wind_up_in_a_blocked_arm() -> None:
    controller = control.DoubleLoopPid(ARM)
    blocked = State(NEUTRAL, np.zeros(7))
    far = Reference(NEUTRAL + 1.0)
    for _ in range(100):
        controller.update(blocked, far, 1e-2)
    after_1_s = controller.integral
    for _ in range(900):
        controller.update(blocked, far, 1e-2)
    saturated = controller.inner_ki * after_1_s > 0.0
    assert saturated.any()
    # Ten seconds of pushing leave no more than the torque limit in the integral.
    assert (controller.inner_ki * controller.integral <= 2.0 * ARM.limits.effort).all()
    np.testing.assert_array_equal(controller.integral[:2], after_1_s[:2])
    # Turned round, the torque follows in the time that it took to saturate.
    back = Reference(NEUTRAL - 1.0)
    tau = np.array([controller.update(blocked, back, 1e-2) for _ in range(150)])
    assert (tau[-1] < 0.0).all()


def test_a_saturated_arm_still_comes_to_rest() -> None:
    weak = control.DoubleLoopPid(ARM, effort=0.5 * ARM.limits.effort)
    run = simulate(ARM, weak, GOAL, 8.0, q=NEUTRAL + np.array([1.0, 0.4, -1.0, 0.6, 1.0, 0.5, 2.0]))
    assert (np.abs(run.tau).max(axis=0)[:2] == 0.5 * ARM.limits.effort[:2]).any()
    assert np.abs(run.error[-1]).max() < tol.SETTLED_BY_LEARNING


def test_smoothing_leaves_slow_velocities_and_quiets_fast_ones() -> None:
    damper = control.PdGravity(lambda q: np.zeros(7), kp=0.0, kd=1.0)
    smoothed = control.Smoothed(damper, cutoff=10.0)
    r = Reference(np.zeros(7))
    t = np.arange(4000) * 1e-3
    for hz, gain in ((0.5, 1.0 / np.hypot(1.0, 0.05)), (100.0, 0.1)):
        smoothed.reset()
        tau = [
            smoothed.update(State(np.zeros(7), np.full(7, np.sin(2 * np.pi * hz * x))), r, 1e-3)[0]
            for x in t
        ]
        assert np.ptp(tau[2000:]) / 2.0 == pytest.approx(gain, rel=0.05)
