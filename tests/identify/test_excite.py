"""Exciting motions: within limits, smooth, and honest about their derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from baxterkit import Arm, Payload, identify
from baxterkit.errors import InputError, NoAnswerError


@pytest.mark.parametrize("side", ["left", "right"])
def test_motion_keeps_within_limits_and_matches_its_derivatives(side: str) -> None:
    arm = Arm(side)
    for seed in range(5):
        motion = identify.exciting_motion(arm, 25.0, 500.0, seed=seed)
        assert motion.qd is not None
        assert motion.qdd is not None
        assert (motion.q > arm.limits.lower).all()
        assert (motion.q < arm.limits.upper).all()
        assert (np.abs(motion.qd) <= 0.5 * arm.limits.velocity + 1e-9).all()
        for x, dx in ((motion.q, motion.qd), (motion.qd, motion.qdd)):
            slope = (x[2:] - x[:-2]) * 250.0
            assert np.abs(slope - dx[1:-1]).max() < 2e-4 * (1.0 + np.abs(dx).max())


@pytest.mark.parametrize("side", ["left", "right"])
def test_motion_begins_and_ends_at_rest_within_the_torque_limits(side: str) -> None:
    heavy = Arm(side, payload=Payload(2.2)).with_effects(coulomb=[1.0] * 7)
    for arm, seconds in ((Arm(side), 60.0), (heavy, 30.0), (Arm(side), 2.0)):
        motion = identify.exciting_motion(arm, seconds, seed=3)
        assert motion.check(arm=arm) is motion
        for t in (0.0, motion.duration):
            _, qd, qdd = motion.sample(t)
            assert np.abs(qd).max() < 1e-12
            assert np.abs(qdd).max() < 1e-12
        tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        assert (np.abs(tau) < arm.limits.effort).all()


def test_a_load_beyond_the_arm_is_refused() -> None:
    arm = Arm("left", payload=Payload(30.0, [0.0, 0.0, 0.2]))
    with pytest.raises(NoAnswerError, match=r"left_w1 needs \d+\.\d N m of 15 N m; take off"):
        identify.exciting_motion(arm)


@pytest.mark.sim
def test_the_twin_follows_the_motion_and_is_identified_from_it(
    require: Callable[[str], None],
) -> None:
    require("mujoco")
    from baxterkit.control import ComputedTorque
    from baxterkit.sim import Twin

    twin = Twin(noise=0.0).enable()
    motion = identify.exciting_motion(twin.left.arm, 8.0, seed=2, scene=twin)
    done = twin.place_at(motion).follow(motion, ComputedTorque(twin.left.arm))["left"]
    assert done.rms() < 0.05
    assert not done.held.any()


def test_simulated_velocities_are_late_and_found_to_be() -> None:
    arm = Arm("left")
    motion = identify.exciting_motion(arm, 30.0)
    for delay in (0.0, 0.013, 0.03):
        rec = identify.simulated_recording(arm, motion, delay=delay)
        assert abs(identify.velocity_delay(rec) - delay) < 1e-3


def test_smooth_motion_undoes_the_delay() -> None:
    arm = Arm("left")
    motion = identify.exciting_motion(arm, 30.0)
    smooth = identify.smooth_motion(identify.simulated_recording(arm, motion))
    inside = slice(100, -100)
    for found, true in ((smooth.qd, motion.qd), (smooth.qdd, motion.qdd)):
        assert found is not None
        assert true is not None
        assert np.abs(found - true)[inside].max() < 0.02 * np.abs(true).max()


def test_smooth_accelerations_belong_to_the_positions_though_velocities_are_late() -> None:
    arm = Arm("left")
    motion = identify.exciting_motion(arm, 30.0)
    assert motion.qdd is not None
    rec = identify.simulated_recording(arm, motion, delay=0.03)
    found = rec.with_acceleration(window=0.1).qdd
    late = rec.with_acceleration("difference").qdd
    assert found is not None
    assert late is not None
    inside, size = slice(100, -100), np.abs(motion.qdd).max()
    assert np.abs(found - motion.qdd)[inside].max() < 0.02 * size
    assert np.abs(late - motion.qdd)[inside].max() > 0.05 * size


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        identify.exciting_motion(Arm("left"), -1.0)
    assert str(caught.value) == "duration = -1 must be positive"
    with pytest.raises(InputError, match="part = 2 must be above 0, and 1 at most"):
        identify.exciting_motion(Arm("left"), part=2.0)


def test_a_motion_of_days_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(InputError, match=r"duration = 1e\+06 s; at most 3600 s are taken: record"):
        identify.exciting_motion(Arm("left"), 1e6)
