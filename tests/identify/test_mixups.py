"""Exchanged joints and reversed signs are refused and named; what is only noise is not."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from known_robot import recording, robot

from baxterkit import Arm, identify
from baxterkit import recording as recordings
from baxterkit.errors import InputError, ResultError
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording


def exchanged(rec: Recording, a: str, b: str, torques_alone: bool = False) -> Recording:
    order = [{a: b, b: a}.get(name, name) for name in JOINTS]
    columns = [JOINTS.index(name) for name in order]
    tau = rec.required("tau")[:, columns]
    if torques_alone:
        return dataclasses.replace(rec, tau=tau)
    return dataclasses.replace(rec, q=rec.q[:, columns], qd=rec.required("qd")[:, columns], tau=tau)


def reversed_sign(rec: Recording, name: str) -> Recording:
    sign = np.where(np.array(JOINTS) == name, -1.0, 1.0)
    tau, qd = rec.required("tau"), rec.required("qd")
    return dataclasses.replace(rec, q=rec.q * sign, qd=qd * sign, tau=tau * sign)


SIGNALS = r"\(position, velocity and torque\)"
MIXUPS: list[tuple[Callable[[Recording], Recording], str]] = [
    (lambda rec: exchanged(rec, "e0", "w0"), rf"exchanging e0 and w0 {SIGNALS}"),
    (lambda rec: exchanged(rec, "s1", "e0"), rf"exchanging s1 and e0 {SIGNALS}"),
    (lambda rec: exchanged(rec, "w0", "w2"), rf"exchanging w0 and w2 {SIGNALS}"),
    (lambda rec: exchanged(rec, "e0", "e1", True), "exchanging the torques of e0 and e1"),
    (lambda rec: reversed_sign(rec, "s0"), rf"the other sign of s0 {SIGNALS}"),
    (lambda rec: reversed_sign(rec, "e0"), rf"the other sign of e0 {SIGNALS}"),
    (lambda rec: reversed_sign(rec, "w0"), rf"the other sign of w0 {SIGNALS}"),
]
NAMES = ["e0-w0", "s1-e0", "w0-w2", "torques", "s0", "e0", "w0"]


@pytest.mark.slow
@pytest.mark.parametrize(("mix", "words"), MIXUPS, ids=NAMES)
def test_a_mixup_is_named_and_not_saved(
    mix: Callable[[Recording], Recording], words: str, tmp_path: Path
) -> None:
    fit = identify.dynamics([mix(recording(seed, 20.0)) for seed in (1, 2)])
    path = tmp_path / "robot.toml"
    told = rf"robot\.toml was not written: {words} would explain the torques far better \(R² of "
    with pytest.raises(ResultError, match=told) as caught:
        fit.save(path)
    assert "the torques of" in str(caught.value)
    assert str(caught.value).endswith("; accept=True writes it nevertheless")
    assert not path.exists()
    fit.save(path, accept=True)
    assert path.exists()


@pytest.fixture(scope="module")
def two_files() -> Callable[[Path], list[Recording]]:
    def load(folder: Path) -> list[Recording]:
        names = ("Random", "sin_XYZ_10s_T2_Tz_5T_r10")
        paths = [folder / "torque" / f"{name}_ang_vel_torq.csv.gz" for name in names]
        return [recordings.load(path, side="left", rate=100.0) for path in paths]

    return load


@pytest.mark.parametrize(("mix", "words"), MIXUPS, ids=NAMES)
def test_a_mixup_of_real_recordings_is_named(
    mix: Callable[[Recording], Recording],
    words: str,
    two_files: Callable[[Path], list[Recording]],
    data_dir: Path,
) -> None:
    fit = identify.dynamics([mix(rec.slice(10.0, 40.0)) for rec in two_files(data_dir)])
    first, *others = fit.doubts
    assert re.match(rf"{words} would explain the torques far better", first)
    assert any(text.startswith("no model explains") for text in others)


@pytest.mark.parametrize("seconds", [2.0, 6.0, 20.0])
def test_short_real_recordings_are_not_doubted(
    seconds: float, two_files: Callable[[Path], list[Recording]], data_dir: Path
) -> None:
    for rec in two_files(data_dir):
        assert identify.dynamics(rec.slice(20.0, 20.0 + seconds)).doubts == ()


def test_joints_that_hardly_move_or_are_touched_are_not_doubted() -> None:
    """Friction of a joint at rest holds any torque, and contact of a few seconds is left out."""
    arm, n = robot(), 2500
    t = 0.01 * np.arange(n)
    size = np.array([0.5, 0.4, 0.01, 0.5, 0.02, 0.02, 0.5])
    w = np.array([1.0, 1.3, 0.9, 1.7, 1.1, 0.8, 2.1])
    angle = np.outer(t, w)
    motion = Recording(
        t=t,
        q=arm.configuration("neutral") + size * np.sin(angle),
        qd=size * w * np.cos(angle),
        qdd=-size * w**2 * np.sin(angle),
        side="left",
        source="few joints",
    )
    made = identify.simulated_recording(arm, motion, noise=0.03, seed=1)
    rng = np.random.default_rng(0)
    held = np.where(size < 0.05, 0.3 * np.sin(0.4 * t)[:, None] + rng.normal(0, 0.05, (n, 7)), 0.0)
    held[:, 4:] *= 0.3
    doubts = identify.dynamics(dataclasses.replace(made, tau=made.required("tau") + held)).doubts
    assert not any("no model explains" in text for text in doubts)
    touched = recording(1, 30.0)
    push = np.where((touched.t > 10.0) & (touched.t < 12.0), 1.0, 0.0)[:, None]
    tau = touched.required("tau") + push * np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.4])
    doubts = identify.dynamics([dataclasses.replace(touched, tau=tau), recording(2, 30.0)]).doubts
    assert not any("no model explains" in text for text in doubts)


def test_the_other_arm_is_refused_wherever_recordings_are_taken() -> None:
    """Torques of the other arm were scored and predicted without a word."""
    rec = recording(1, 20.0)
    smooth = identify.smooth_motion(rec)
    other = Arm("right")
    said = "the recording is of the left arm, the model is of the right one"
    for attempt in (
        lambda: identify.score(other, rec),
        lambda: identify.predict(other, smooth),
        lambda: identify.offsets(other, rec),
        lambda: identify.dynamics(rec, other),
        lambda: identify.robot(rec, other),
        lambda: identify.simulated_recording(other, smooth),
    ):
        with pytest.raises(InputError) as caught:
            attempt()
        assert str(caught.value) == said
    several = [rec, recording(2, 20.0)]
    for attempt in (
        lambda: identify.score(other, several),
        lambda: identify.cross_validate(several, other),
        lambda: identify.dynamics(several).score([dataclasses.replace(rec, side="right")] * 2),
    ):
        with pytest.raises(InputError, match=r"the recordings are of the \w+ arm, the model is"):
            attempt()
    unknown = dataclasses.replace(rec, side=None)
    assert identify.score(Arm("left"), unknown).rows
