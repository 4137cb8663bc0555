"""The twin against recordings: its parts, on a robot whose every parameter is known."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from baxterkit import Arm, identify
from baxterkit.experiments.neural_ode import NeuralOde
from baxterkit.experiments.twin_truth import _driven, _lag, _open_loop, _within
from baxterkit.recording import Recording
from baxterkit.sim import Twin
from baxterkit.sim.nominal import nominal_effects


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left").with_effects(nominal_effects())


@pytest.fixture(scope="module")
def recorded(arm: Arm) -> Recording:
    motion = identify.exciting_motion(arm, 9.0, part=0.3, seed=1)
    return identify.simulated_recording(arm, motion)


def test_the_twin_of_the_recorded_robot_stays_with_it(arm: Arm, recorded: Recording) -> None:
    peer = NeuralOde([identify.smooth_motion(recorded, 10.0)], steps=300)
    runs = _open_loop(arm, peer, [recorded], every=2.0)
    error, floor, own = (runs.median(slice(0, 7))[k] for k in ("error", "floor", "own torques"))
    assert (error[0] < [0.005] * 6 + [0.03]).all(), error
    assert (own[1, :4] < 0.003).all(), own
    assert (error[:2, :4] < 5.0 * floor[:2, :4] + 0.002).all()


def test_joints_beyond_the_aim_are_compared_with_their_floor() -> None:
    errors, floors = np.array([1.0, 2, 3, 4, 5, 9, 30]), np.array([1.0, 1, 1, 1, 1, 6, 40])
    text = "s0 s1 e0 e1 w0 within it; w1 1.5 times its floor; w2 0.8 times its floor"
    assert _within(errors, floors, 5.0) == text
    assert _within(errors, floors, 0.5).startswith("none within it; s0 1.0 times its floor")


def test_a_twin_of_another_load_does_not(arm: Arm, recorded: Recording) -> None:
    smooth = identify.smooth_motion(recorded, 10.0)
    heavier = dataclasses.replace(arm.model.inertials[-1], mass=arm.model.inertials[-1].mass + 1.0)
    links = (*arm.model.inertials[:-1], heavier)
    other = Arm.from_model(dataclasses.replace(arm.model, inertials=links), effects=arm.effects)
    errors = [
        np.abs(_driven(one, smooth, recorded.required("tau"), np.array([4.0]))[0, 1, :4]).max()
        for one in (arm, other)
    ]
    assert errors[1] > 5.0 * errors[0]


def test_the_lag_behind_commands_is_found(recorded: Recording) -> None:
    late = np.interp(recorded.t - 0.1, recorded.t, recorded.q[:, 0])
    followed = dataclasses.replace(recorded, q=np.column_stack([late] * 7))
    wanted = dataclasses.replace(recorded, q=np.column_stack([recorded.q[:, 0]] * 7))
    assert np.abs(_lag(wanted, followed) - 0.1).max() < 0.03


def test_a_twin_lags_behind_raw_commands_as_it_is_told() -> None:
    twin = Twin(noise=0.0).enable()
    twin.left.command_lag = 0.2
    start = twin.left.q.copy()
    for k in range(100):
        twin.left.command_position(start + 0.003 * (k + 1) * np.eye(7)[0], raw=True)
        twin.step(10)
    behind = 0.3 - (twin.left.truth.q - start)[0]
    assert behind == pytest.approx(0.3 * 0.2, abs=0.01)
    with pytest.raises(ValueError, match=r"command_lag = 0 s; it must be at least 0.001 s"):
        twin.left.command_lag = 0.0


@pytest.mark.slow
def test_the_neural_ode_learns_accelerations(recorded: Recording) -> None:
    smooth = identify.smooth_motion(recorded, 10.0)
    qdd = smooth.required("qdd")
    left = []
    for steps in (20, 1500):
        network = NeuralOde([smooth], steps=steps)
        found = network.accelerations(smooth.q, smooth.required("qd"), smooth.required("tau"))
        left.append(np.mean((found - qdd) ** 2, axis=0) / qdd.var(axis=0))
    assert (left[1] < 0.5 * left[0]).all(), left
    errors = network.driven(smooth, np.array([2.0, 4.0]), (0.01, 0.2))
    assert np.abs(errors[:, 0, :7]).max() < 1e-3
    assert np.isfinite(errors).all()
