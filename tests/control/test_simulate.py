"""The small simulation: physics as they are, starts and references of every kind."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from controllers import ARM, NEUTRAL, SWING, swinging

from baxterkit import control
from baxterkit.control import ArmState, Reference, simulate
from baxterkit.errors import InputError
from baxterkit.trajectory import min_jerk
from baxterkit.types import Array


class Nothing:
    """No torque at all."""

    def update(self, state: ArmState, reference: Reference, dt: float) -> Array:
        return np.zeros(7)

    def reset(self) -> None: ...


def test_an_arm_left_alone_keeps_its_energy() -> None:
    run = simulate(ARM, Nothing(), Reference(NEUTRAL), 1.0, q=NEUTRAL, qd=SWING)
    energy = ARM.kinetic_energy(run.q, run.qd) + ARM.potential_energy(run.q)
    assert np.ptp(energy) < 1e-7 * np.ptp(ARM.kinetic_energy(run.q, run.qd))
    assert np.ptp(run.q, axis=0).max() > 0.5  # it did fall


def test_a_wrench_that_carries_the_arm_is_felt() -> None:
    hold = control.PdGravity(ARM)
    lift = np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])
    run = simulate(ARM, hold, Reference(NEUTRAL), 4.0, wrench=lambda t, q, qd: lift)
    np.testing.assert_array_equal(run.wrench, np.tile(lift, (len(run.t), 1)))
    assert ARM.fk(run.q[-1])[2, 3] > ARM.fk(NEUTRAL)[2, 3] + 0.01


def test_trajectories_functions_and_references_are_followed() -> None:
    goal = NEUTRAL + 0.2 * SWING
    motion = min_jerk(ARM, NEUTRAL, goal, duration=1.0)
    by_trajectory = simulate(ARM, control.ComputedTorque(ARM), motion, 1.0)
    assert np.abs(by_trajectory.q[-1] - goal).max() < 1e-3

    def function(t: float) -> Reference:
        sample = motion.sample(t)
        return Reference(sample.q, sample.qd, sample.qdd)

    by_function = simulate(ARM, control.ComputedTorque(ARM), function, 1.0)
    np.testing.assert_array_equal(by_trajectory.q, by_function.q)
    at_rest = simulate(ARM, control.ComputedTorque(ARM), Reference(goal), 0.1)
    tol.assert_close(at_rest.error, np.zeros_like(at_rest.error), tol.PASSIVE_DYNAMICS)


def test_it_starts_on_the_reference_or_where_told() -> None:
    moving = simulate(ARM, Nothing(), swinging, 0.01)
    np.testing.assert_array_equal(moving.q[0], NEUTRAL)
    np.testing.assert_array_equal(moving.qd[0], swinging(0.0).qd)
    resting = simulate(ARM, Nothing(), swinging, 0.01, q=NEUTRAL.tolist())
    np.testing.assert_array_equal(resting.qd[0], np.zeros(7))
    assert len(resting.t) == 11
    assert resting.rms(since=0.005) > 0.0


def test_an_arm_that_runs_away_is_named() -> None:
    wild = control.PdGravity(lambda q: np.zeros(7), kp=0.0, kd=1e9, effort=1e300)
    with (
        np.errstate(all="ignore"),
        pytest.raises(InputError, match=r"^the simulation diverged at t = \d+\.\d{3} s; lower"),
    ):
        simulate(ARM, wild, swinging, 1.0, q=NEUTRAL + 0.1)
    with pytest.raises(InputError, match=r"^dt = 0\.0 s; a time step must be positive"):
        simulate(ARM, wild, swinging, 1.0, dt=0.0)


def test_a_run_is_shown_in_one_line() -> None:
    run = simulate(ARM, Nothing(), Reference(NEUTRAL), 0.01, q=NEUTRAL + 0.1)
    assert repr(run).startswith("<Run: 11 rows, 0.01 s, error 100 mrad RMS>")


@pytest.mark.parametrize("duration", [-1.0, np.nan, np.inf])
def test_a_duration_must_be_one(duration: float) -> None:
    with pytest.raises(
        InputError, match=f"^duration = {duration:g}(; every value| s; it must not be neg)"
    ):
        simulate(ARM, Nothing(), Reference(NEUTRAL), duration)


def test_a_controller_without_a_command_raises() -> None:
    class Silent(Nothing):
        def update(self, state: ArmState, reference: Reference, dt: float) -> Array:
            return None  # type: ignore[return-value]

    with pytest.raises(InputError, match=r"^the controller's torque must hold real numbers"):
        simulate(ARM, Silent(), Reference(NEUTRAL), 0.01)
