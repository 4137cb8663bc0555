"""The long runs: a soak under every kind of command, and the speed."""

from __future__ import annotations

import time

import numpy as np
import pytest
from placed import placed

from baxterkit import Arm, Baxter, Payload
from baxterkit.control import ComputedTorque
from baxterkit.errors import BaxterkitError
from baxterkit.sim import Twin, TwinLimb
from baxterkit.trajectory import min_jerk

LIMIT_SLACK = 0.06
"""How far a joint may be pressed into its end stop [rad]: motors and links arrive with up to
6 rad/s, and the stop gives way with a time constant of 4 ms."""
SPEED_SLACK = 8.0
"""Multiple of the velocity limits: motors stay below 1.5, but a flexure wound up by 50 N m holds
1.5 J, which a light link (0.03 kg m² at e0) takes up as 10 rad/s."""


def send_something(limb: TwinLimb, rng: np.random.Generator) -> None:
    limits = limb.arm.limits
    q = rng.uniform(limits.lower, limits.upper)
    uniform = rng.uniform(-1.0, 1.0, 7)
    choices = (
        lambda: limb.command_position(q),
        lambda: limb.command_position(q, raw=True),
        lambda: limb.command_position(q + 2.0 * uniform),
        lambda: limb.command_velocity(uniform * limits.velocity),
        lambda: limb.command_velocity(3.0 * uniform * limits.velocity),
        lambda: limb.command_torque(uniform * limits.effort),
        lambda: limb.command_torque(2.0 * uniform * limits.effort),
        lambda: limb.command_torque(np.full(7, np.nan)),
        lambda: limb.command_position(np.full(7, np.inf)),
        lambda: limb.command_velocity([0.0, 0.0]),
        lambda: limb.command_torque("nonsense"),
        lambda: setattr(limb, "gravity_compensation", bool(rng.integers(2))),
        lambda: limb.pick_up(Payload(float(rng.uniform(0.0, 2.0)))),
        limb.release,
        limb.hold,
    )
    choices[rng.integers(len(choices))]()


def soak(seconds: float, seed: int) -> int:
    """Runs the twin under random commands; returns how many were refused."""
    twin = Twin(seed=seed, tool="electric_standard").enable()
    rng = np.random.default_rng(seed)
    limits = twin.left.arm.limits
    refused = 0
    while twin.t < seconds:
        for limb in twin.limbs:
            try:
                send_something(limb, rng)
            except BaxterkitError:
                refused += 1
        for _ in range(rng.integers(1, 40)):
            twin.step(10)
            for limb in twin.limbs:
                state = limb.truth
                assert np.isfinite([state.q, state.qd, state.tau, limb.q, limb.qd, limb.tau]).all()
                assert (state.q < limits.upper + LIMIT_SLACK).all()
                assert (state.q > limits.lower - LIMIT_SLACK).all()
                assert (np.abs(state.qd) < SPEED_SLACK * limits.velocity).all()
    return refused


def test_ten_seconds_of_random_commands() -> None:
    assert soak(10.0, 1) > 10


@pytest.mark.acceptance
def test_ten_minutes_of_random_commands() -> None:
    assert soak(600.0, 0) > 1000


@pytest.mark.acceptance
@pytest.mark.timing
def test_two_arms_with_controllers_run_fifteen_times_real_time() -> None:
    arms = {side: Arm(side) for side in ("left", "right")}
    twin = Twin(Baxter(**arms)).enable()
    laws = {side: ComputedTorque(arm) for side, arm in arms.items()}
    motions = {
        side: min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral"), 2.0)
        for side, arm in arms.items()
    }
    factors = []
    for _ in range(9):
        start = time.process_time()
        placed(twin, motions, laws)
        factors.append(2.0 / (time.process_time() - start))
    assert max(factors) >= 15.0, factors
