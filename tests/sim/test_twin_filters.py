"""Filters of commands and sensors: what the twin publishes at 100 Hz is what its joints do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sim.swings import Swings

from baxterkit import Arm, Baxter, identify
from baxterkit.model.names import SIDES
from baxterkit.recording import Recording
from baxterkit.sim import Physics, Twin
from baxterkit.sim.nominal import EFFORT_FILTER, VELOCITY_FILTER, nominal_effects
from baxterkit.sim.sensors import low_pass_weights

RIPPLE = 0.5
"""Most that a torque is off its mean over 10 ms because commands come in steps [N m]: 0.28 are seen
at s0, and 9.7 without the filter of the commands."""
EXPLAINED = 0.98
"""Least share of the torques' variance that the twin's own model explains, at every joint."""
TILT = np.deg2rad(0.2)
"""Most that a mount may seem tilted that is not [rad]."""


def known_twin(side: str, tool: str = "hand", noise: float = 1.0) -> tuple[Twin, Arm]:
    arms = {s: Arm(s, tool=tool).with_effects(nominal_effects()) for s in SIDES}
    return Twin(Baxter(**arms), seed=1, noise=noise).enable(), arms[side]


def published(side: str, mode: str, duration: float, tool: str = "hand") -> tuple[Arm, Recording]:
    """What the robot publishes while it is moved through an interface at 100 Hz."""
    twin, arm = known_twin(side, tool)
    motion = Swings(arm, duration)
    twin.place(**{side: motion.centre})
    limb = twin.limb(side)
    rows = []
    for i in range(round(100 * duration)):
        at = motion.sample(0.01 * i)
        if mode == "velocity":
            limb.command_velocity(at.qd)
        else:
            limb.command_position(at.q, raw=mode == "raw position")
        twin.step(10)
        rows.append(limb.published)
    names = [field.name for field in dataclasses.fields(rows[0])]
    t, q, qd, tau = (np.array([getattr(row, name) for row in rows]) for name in names)
    return arm, Recording(t=t, q=q, qd=qd, tau=tau, side=side, source=f"{mode} commands")


def test_the_twins_own_model_explains_what_it_publishes() -> None:
    arm, recording = published("right", "raw position", 8.0)
    assert identify.score(arm, recording).r2.min() > EXPLAINED


@pytest.mark.acceptance
@pytest.mark.parametrize("tool", ["hand", "electric_standard"])
@pytest.mark.parametrize("mode", ["velocity", "position", "raw position"])
@pytest.mark.parametrize("side", SIDES)
def test_every_interface_of_both_arms_identifies_the_twin(side: str, mode: str, tool: str) -> None:
    arm, recording = published(side, mode, 60.0, tool)
    assert identify.score(arm, recording).r2.min() > EXPLAINED
    fit = identify.dynamics(recording)
    assert fit.scores["consistent"].r2.min() > EXPLAINED
    assert fit.tilt < TILT


@pytest.mark.parametrize("mode", ["velocity", "position"])
def test_torques_do_not_saw_within_the_period_of_the_commands(mode: str) -> None:
    twin, arm = known_twin("left", noise=0.0)
    motion = Swings(arm, 20.0)
    twin.place(left=motion.centre)
    torques = []
    for i in range(250):
        at = motion.sample(0.01 * i)
        if mode == "velocity":
            twin.left.command_velocity(at.qd)
        else:
            twin.left.command_position(at.q)
        for _ in range(10):
            twin.step()
            torques.append(twin.left.truth.tau)
    tau = np.array(torques)[1000:]
    # Without what is slower than a period: a mean over one period, centred.
    slow = np.stack([np.convolve(x, np.full(10, 0.1), mode="same") for x in tau.T], axis=1)
    assert np.abs(tau - slow)[20:-20].max() < RIPPLE


def test_published_velocities_lag_as_the_robots_do() -> None:
    _, recording = published("left", "velocity", 4.0)
    assert 0.010 < identify.velocity_delay(recording) < 0.014


@pytest.mark.parametrize("hz", [VELOCITY_FILTER, EFFORT_FILTER])
def test_filters_halve_the_power_at_their_corner(hz: float) -> None:
    weights = low_pass_weights(hz, 1e-3, 128)
    age = np.arange(128)[::-1] * 1e-3
    gain = {f: abs(np.sum(weights * np.exp(-2j * np.pi * f * age))) for f in (0.2 * hz, hz, 4 * hz)}
    assert gain[0.2 * hz] == pytest.approx(1.0, abs=0.01)
    assert gain[hz] == pytest.approx(np.sqrt(0.5), abs=0.01)
    assert gain[4 * hz] == pytest.approx(1 / 16, rel=0.15)


def test_a_placed_arm_publishes_where_it_is_at_once() -> None:
    twin = Twin(noise=0.0).enable()
    twin.left.command_velocity(np.full(7, 0.5))
    twin.step(100)
    right = twin.right.published.tau
    twin.place(left=np.full(7, 0.3), qd_left=np.full(7, 0.2))
    state = twin.left.published
    np.testing.assert_allclose(state.qd, 0.2, rtol=0.0, atol=1e-3)
    np.testing.assert_allclose(state.tau, twin.left.truth.tau, rtol=0.0, atol=0.01)
    np.testing.assert_allclose(twin.right.published.tau, right, rtol=0.0, atol=0.0)


def test_a_rigid_twin_publishes_what_is() -> None:
    twin = Twin(rigid=True).enable()
    twin.left.command_velocity(np.full(7, 0.5))
    twin.step(50)
    assert (twin.left.published.qd == twin.left.truth.qd).all()
    assert (twin.left.published.tau == twin.left.truth.tau).all()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_velocity_commands_stop_before_the_end_of_the_range(sign: float) -> None:
    twin = Twin(rigid=True, physics=Physics(contacts=False)).enable()
    limits = twin.left.arm.limits
    reference, fastest = [], []
    for _ in range(400):
        twin.left.command_velocity(sign * limits.velocity)
        twin.step(10)
        reference.append(twin.left._loops.reference)
        fastest.append(np.abs(twin.left._loops.reference_velocity))
    assert (np.array(reference) <= limits.upper).all()
    assert (np.array(reference) >= limits.lower).all()
    assert (np.max(fastest, axis=0) <= limits.velocity * (1 + 1e-9)).all()
    end = limits.upper if sign > 0.0 else limits.lower
    np.testing.assert_allclose(reference[-1], end, rtol=0.0, atol=1e-3)


def test_a_held_arm_comes_to_rest_exactly() -> None:
    twin = Twin().enable()
    twin.left.command_velocity(twin.left.arm.limits.velocity * 0.5)
    twin.step(100)
    twin.left.hold()
    twin.step(600)
    assert not twin.left._loops.reference_velocity.any()
