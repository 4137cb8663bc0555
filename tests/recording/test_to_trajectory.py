"""A recorded motion as one to follow: teach and repeat."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.errors import InputError
from baxterkit.recording import Recording

ARM = Arm("left")


def recorded(noise: float = 0.0) -> Recording:
    """Eight seconds at 100 Hz, from rest to rest."""
    t = np.arange(0.0, 8.0, 0.01)
    s = t / t[-1]
    shape = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    q = ARM.configuration("neutral") + 0.4 * shape[:, None] * np.linspace(-1.0, 1.0, 7)
    q = q + noise * np.random.default_rng(0).standard_normal(q.shape)
    return Recording(t=t + 3.0, q=q, side="left", source="taught")


def test_the_motion_is_the_recorded_one() -> None:
    run = recorded()
    motion = run.to_trajectory()
    assert (motion.side, motion.name) == ("left", "taught")
    assert motion.duration == pytest.approx(run.duration, abs=0.05)
    t = np.linspace(0.0, motion.duration, 200)
    near = np.stack([np.interp(t, run.t - run.t[0], column) for column in run.q.T], axis=-1)
    assert np.abs(motion.sample(t).q - near).max() < 1e-3
    assert np.abs(motion.sample(np.array([0.0, motion.duration])).qd).max() < 1e-12


def test_noise_does_not_become_motion() -> None:
    clean, noisy = recorded().to_trajectory(), recorded(2e-4).to_trajectory()
    t = np.linspace(0.5, 7.0, 200)
    assert np.abs(noisy.sample(t).qdd - clean.sample(t).qdd).max() < 0.5
    raw = recorded(2e-4).to_trajectory(cutoff=None, rate=100.0)
    assert np.abs(raw.sample(t).qdd - clean.sample(t).qdd).max() > 2.0  # what the filter is for


def test_a_gap_is_refused() -> None:
    run = recorded()
    with pytest.raises(InputError, match=r"taught has a gap after 1\.99 s; .* recording.slice\(0"):
        run[np.r_[0:200, 400:800]].to_trajectory()


@pytest.mark.parametrize("rows", [500, 501, 503, 504])
def test_the_last_row_is_the_end(rows: int) -> None:
    t = np.arange(rows) * 0.01
    q = ARM.configuration("neutral") + np.outer(0.045 * t, np.ones(7))  # too slow to need ramps
    run = Recording(t=t, q=q, side="left")
    motion = run.to_trajectory(cutoff=None)
    assert motion.duration == pytest.approx(t[-1], abs=1e-9)
    assert np.abs(motion.end - q[-1]).max() < 1e-9
