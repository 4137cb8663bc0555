"""Readings: steps, noise, publishing, and the same run for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit.errors import InputError
from baxterkit.sim import Twin
from baxterkit.sim.nominal import NOISE

STEPS = {"q": 2 * np.pi / 16384, "qd": np.pi / 8000, "tau": 0.004}


@pytest.mark.parametrize(("what", "step"), STEPS.items())
def test_readings_come_in_the_robots_steps(what: str, step: float) -> None:
    twin = Twin().enable()
    for _ in range(20):
        twin.step(7)
        for limb in twin.limbs:
            counts = getattr(limb, what) / step
            assert_close(counts, np.rint(counts), 1e-6)


def test_without_noise_a_reading_is_within_half_a_step() -> None:
    twin = Twin(noise=0.0).enable()
    twin.step(123)
    for limb in twin.limbs:
        for what, step in STEPS.items():
            off = np.abs(getattr(limb, what) - getattr(limb.truth, what))
            assert off.max() <= 0.5 * step * (1 + 1e-9)


def test_noise_has_its_standard_deviation() -> None:
    twin = Twin(rigid=True, noise=1.0).enable()
    rows = []
    for _ in range(2000):
        twin.step()
        truth = twin.left.truth
        rows.append([twin.left.q - truth.q, twin.left.qd - truth.qd, twin.left.tau - truth.tau])
    spread = np.std(rows, axis=0)
    for row, what in zip(spread, ("position", "velocity", "effort"), strict=True):
        assert (np.abs(row / NOISE[what] - 1.0) < 0.1).all()


def test_same_seed_same_run_and_another_seed_another() -> None:
    def run(seed: int) -> np.ndarray:
        twin = Twin(seed=seed).enable()
        twin.left.command_velocity(np.full(7, 0.2))
        twin.step(300)
        return np.concatenate([twin.left.q, twin.left.truth.q, twin.right.tau])

    assert (run(3) == run(3)).all()
    assert (run(3) != run(4)).any()


def test_reset_starts_the_same_run_again() -> None:
    twin = Twin(seed=5).enable()
    twin.left.command_velocity(np.full(7, 0.2))
    twin.step(100)
    first = twin.left.truth.q
    twin.step(50)
    twin.reset()
    assert twin.t == 0.0
    twin.left.command_velocity(np.full(7, 0.2))
    twin.step(100)
    assert (twin.left.truth.q == first).all()


def test_the_robot_publishes_every_ten_milliseconds() -> None:
    twin = Twin().enable()
    twin.left.command_velocity(np.full(7, 0.2))
    twin.step(20)
    published = twin.left.published
    assert published.t == pytest.approx(0.02)
    assert (published.q == twin.left.q).all()
    twin.step(9)
    assert (twin.left.published.q == published.q).all()
    assert (twin.left.q != published.q).any()
    twin.step(1)
    assert twin.left.published.t == pytest.approx(0.03)


def test_negative_noise_is_refused() -> None:
    with pytest.raises(InputError, match=r"noise = -1; it must not be negative"):
        Twin(noise=-1).enable()
