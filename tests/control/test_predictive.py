"""Predictive control: computed torque away from the limits, and better than it at them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import tolerances as tol
from controllers import ARM, NEUTRAL, SWING, swinging

from baxterkit import Arm, control
from baxterkit.control import Predictive, Reference, State, simulate
from baxterkit.control.predictive import STEPS, Horizon
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError, MissingExtraError, ShapeError
from baxterkit.experiments.smith_predictive import limited_effort
from baxterkit.trajectory import Trajectory, min_jerk, smith_set
from baxterkit.types import Array

REAL = ARM.with_effects(
    JointEffects(
        bias=np.full(7, 0.1),
        coulomb=np.full(7, 0.2),
        viscous=np.full(7, 0.1),
        spring_sin=np.full((7, 1), 5.0),
        spring_cos=np.full((7, 1), 5.0),
    )
)


@pytest.fixture(scope="module")
def motion() -> Trajectory:
    """A swing of all joints in half a second, and back."""
    there = min_jerk(ARM, NEUTRAL, NEUTRAL + 0.8 * SWING)
    return there.stretched(0.5 / there.duration)


def state_at(t: float, off: float = 0.01) -> tuple[State, Reference]:
    r = swinging(t)
    return State(r.q - off, r.qd + off), r


@pytest.mark.parametrize(("kp", "kd"), [(400.0, 40.0), (100.0, 15.0)])
def test_an_unlimited_horizon_gives_the_feedback_of_its_gains(kp: float, kd: float) -> None:
    fine = Horizon(np.full(50, 2e-4), kp, kd)
    np.testing.assert_allclose(fine.feedback[0], [-kp, -kd], rtol=tol.HELD_FEEDBACK, atol=0.0)


def test_the_cost_of_a_horizon_is_that_of_its_integral() -> None:
    kp, kd, steps = 90.0, 21.0, np.array([0.01, 0.03, 0.02])
    horizon = Horizon(steps, kp, kd)
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=2), rng.normal(size=3)

    def cost(a: Array) -> float:
        e, ed = x
        total, n = 0.0, 20_000
        for h, one in zip(steps, a, strict=True):
            s = (np.arange(n) + 0.5) * h / n
            E, Ed = e + ed * s + 0.5 * one * s * s, ed + one * s
            total += h / n * np.sum(kp**2 * E**2 + (kd**2 - 2 * kp) * Ed**2 + one**2)
            e, ed = e + ed * h + 0.5 * one * h * h, ed + one * h
        return float(total + kp * kd * e * e + 2 * kp * e * ed + kd * ed * ed)

    quadratic = 0.5 * a @ horizon.H @ a + x @ horizon.c @ a
    assert cost(a) - cost(np.zeros(3)) == pytest.approx(quadratic, rel=1e-6)


@pytest.mark.parametrize("arm", [ARM, REAL], ids=["rigid", "with effects"])
def test_away_from_the_limits_it_is_computed_torque(arm: Arm) -> None:
    predictive = Predictive(arm, steps=np.full(30, 5e-4))
    state, r = state_at(0.3)
    expected = control.ComputedTorque(arm).update(state, r, 1e-3)
    assert (np.abs(expected) < 0.9 * arm.limits.effort).all()
    np.testing.assert_allclose(
        predictive.update(state, r, 1e-3), expected, rtol=tol.HELD_FEEDBACK, atol=tol.HELD_FEEDBACK
    )


@pytest.mark.parametrize("arm", [ARM, REAL], ids=["rigid", "with effects"])
def test_predicted_torques_are_those_of_inverse_dynamics(arm: Arm, motion: Trajectory) -> None:
    """Along an error that stays small, to first order; friction as at the reference."""
    predictive = Predictive(arm)
    rng = np.random.default_rng(1)
    t, scale = 0.1, 1e-5
    s = motion.sample(t)
    e, ed, a = scale * rng.normal(size=(3, 7))
    a_all = np.tile(a, (len(STEPS), 1))
    r = Reference(s.q, s.qd, s.qdd, ahead=lambda later: motion.sample(t + later))
    base, G = predictive._predicted(s.q + e, s.qd + ed, r, np.array([e, ed]))
    predicted = (base + G @ a_all.ravel()).reshape(-1, 7) - predictive.armature * a_all
    later = np.concatenate([[0.0], np.cumsum(STEPS)[:-1]])[:, None]
    ahead = motion.sample(t + later[:, 0])
    q, qd = ahead.q + e + later * ed + 0.5 * later**2 * a, ahead.qd + ed + later * a
    exact = arm.with_effects(None).inverse_dynamics(q, qd, ahead.qdd + a)
    if arm.effects is not None:
        exact = exact + arm.effects.torque(q, ahead.qd)
    assert np.abs(predicted - exact).max() < 100.0 * scale**2


def test_at_the_limits_commands_stay_within_and_errors_are_smaller(motion: Trajectory) -> None:
    effort = limited_effort(ARM, motion)
    runs = [
        simulate(ARM, make(ARM, effort=effort), motion, 0.6, dt=2e-3)
        for make in (control.ComputedTorque, Predictive)
    ]
    for run in runs:
        assert (np.abs(run.tau) <= effort).all()
        assert (np.abs(run.tau) >= (1.0 - 1e-6) * effort).any(axis=1).mean() > 0.2
    clipped, predictive = (run.rms() for run in runs)
    assert predictive < 0.5 * clipped


def test_a_future_that_is_known_helps(motion: Trajectory) -> None:
    effort = limited_effort(ARM, motion)

    def blind(t: float) -> Reference:
        s = motion.sample(t)
        return Reference(s.q, s.qd, s.qdd)

    seeing, unseeing = (
        simulate(ARM, Predictive(ARM, effort=effort), x, 0.6, dt=2e-3).rms()
        for x in (motion, blind)
    )
    assert seeing < unseeing


def test_a_joint_that_counts_more_errs_less() -> None:
    """Two joints share a limit through gravity: the weights decide which of them gives."""
    motion = smith_set(2, ARM).stretched(0.7)
    effort = limited_effort(ARM, motion, 0.5)
    errors = []
    for weight in (1.0, [30.0, 1, 1, 1, 1, 1, 1]):
        run = simulate(ARM, Predictive(ARM, effort=effort, weight=weight), motion, 0.5, dt=2e-3)
        errors.append(np.sqrt(np.mean(run.error[:, 0] ** 2)))
    assert errors[1] < errors[0]


def test_the_solution_is_optimal_within_the_limits() -> None:
    """No feasible change of the accelerations costs less: the gradient is in the cone of bounds."""
    predictive = Predictive(ARM, effort=0.7 * np.abs(ARM.gravity(NEUTRAL)) + 2.0)
    r = Reference(NEUTRAL + 0.1 * SWING)
    e, ed = NEUTRAL - r.q, np.zeros(7)
    base, G = predictive._predicted(NEUTRAL, ed, r, np.array([e, ed]))
    c = np.concatenate([e, ed]) @ predictive._c
    a = predictive._within(c, base, G)
    assert a is not None
    torque, bound = base + G @ a, predictive._bound
    assert (np.abs(torque) <= bound + tol.PROGRAM).all()
    active = np.abs(torque) > bound - tol.PROGRAM
    assert active.any()
    # Stationarity: H a + c = -G' y, with y of the sign of an active bound and 0 elsewhere.
    y = np.linalg.solve(G.T, -(predictive._H @ a + c))
    scale = np.abs(y).max()
    assert np.abs(y[~active]).max() < tol.PROGRAM * scale
    assert (y[active] * np.sign(torque[active]) > -tol.PROGRAM * scale).all()


def test_a_program_that_is_not_solved_falls_back_on_clipping(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    predictive, unlimited = Predictive(ARM, effort=5.0), Predictive(ARM, effort=1e4)
    monkeypatch.setattr(predictive, "_within", lambda c, base, G: None)
    state, r = state_at(0.3, 0.1)
    tau = predictive.update(state, r, 1e-3)
    np.testing.assert_array_equal(tau, np.clip(unlimited.update(state, r, 1e-3), -5.0, 5.0))
    assert unlimited.unsolved == 0
    assert predictive.unsolved == 1
    predictive.reset()
    assert predictive.unsolved == 0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_future_that_is_not_finite_raises(motion: Trajectory, value: float) -> None:
    def ahead(later: Array) -> object:
        s = motion.sample(later)
        s.qd[2, 1] = value
        return s

    state, r = state_at(0.0)
    r.ahead = ahead  # type: ignore[assignment]
    with pytest.raises(InputError, match=rf"^reference.ahead.qd\[2, 1\] = {value}; every value"):
        Predictive(ARM).update(state, r, 1e-3)


def test_a_future_of_another_shape_raises(motion: Trajectory) -> None:
    state, r = state_at(0.0)
    r.ahead = lambda later: motion.sample(later[:2])
    with pytest.raises(ShapeError, match=r"^reference.ahead.q must have shape \(5, 7\), a row a"):
        Predictive(ARM).update(state, r, 1e-3)


def test_one_step_is_a_horizon_too() -> None:
    state, r = state_at(0.3)
    tau = Predictive(ARM, steps=[0.02], effort=10.0).update(state, r, 1e-3)
    assert (np.abs(tau) <= 10.0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kd": 20.0}, "kd = 20 1/s is below √(2 kp) = 28.2843, a damping ratio of 0.71; the "
                       "feedback would not be the optimum of a cost"),
        ({"kp": 0.0}, "kp must be positive, got 0"),
        ({"steps": 0.1}, "steps must have shape (n,), one length [s] a step, got ()"),
        ({"steps": []}, "steps must have shape (n,), one length [s] a step, got (0,)"),
        ({"steps": [0.1, -0.1]}, "steps must be positive, got -0.1"),
        ({"weight": 0.0}, "weight must be positive, got 0"),
    ],
)  # fmt: skip
def test_wrong_arguments_say_what_is_right(options: dict[str, object], message: str) -> None:
    with pytest.raises((InputError, ShapeError)) as caught:
        Predictive(ARM, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_a_callable_has_no_derivatives() -> None:
    with pytest.raises(InputError) as caught:
        Predictive(ARM.inverse_dynamics)  # type: ignore[arg-type]
    assert str(caught.value) == ("predictive control needs an Arm with its derivatives, got method")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "piqp", None)
    with pytest.raises(MissingExtraError) as caught:
        Predictive(ARM)
    assert str(caught.value) == (
        "Predictive control needs PIQP: pip install '.[mpc]' in a clone of baxterkit"
    )
