"""Recordings that do not belong together, or whose signals are faulty, are named."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from known_robot import recording, robot

from baxterkit import Arm, identify
from baxterkit.errors import ResultError
from baxterkit.recording import Recording


def of(arm: Arm, seconds: float = 30.0) -> Recording:
    motion = identify.exciting_motion(robot(), seconds, seed=3)
    return identify.simulated_recording(arm, motion, seed=3)


@pytest.mark.parametrize(
    "stranger",
    [
        lambda: of(robot().replace(payload=None)),
        lambda: of(Arm("left").with_effects(coulomb=[0.5] * 7, bias=[0, 3, 0, 0, 0, 0, 0])),
    ],
    ids=["payload", "robot"],
)
def test_a_recording_of_another_robot_or_load_is_named(stranger: object, tmp_path: Path) -> None:
    other = stranger()  # type: ignore[operator]
    fit = identify.dynamics([recording(1, 30.0), recording(2, 30.0), other])
    assert len(fit.doubts) == 1
    assert re.fullmatch(
        r"the torques of \w\d in simulated exciting motion 3 differ from those of the other "
        r"recordings \(residual \S+ N m, theirs \S+; most at row \d+\): another robot, another "
        r"payload, or a gripper taken off\?",
        fit.doubts[0],
    )
    with pytest.raises(ResultError, match="another payload"):
        fit.save(tmp_path / "robot.toml")


def test_another_zero_and_a_clock_that_jumps_are_advice() -> None:
    rec = recording(3, 30.0)
    late = np.where(np.arange(len(rec)) >= 1000, rec.t + 5.0, rec.t)
    zero = [0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0]
    moved = dataclasses.replace(rec, t=late, tau=rec.required("tau") + zero)
    fit = identify.dynamics([recording(1, 30.0), recording(2, 30.0), moved])
    assert fit.doubts == ()
    assert any(
        text.startswith("the zero of w1 in simulated exciting motion 3 is +0.2")
        for text in fit.advice
    )
    assert "the clock of simulated exciting motion 3 jumps by 5.01 s at row 1000" in fit.advice


def test_a_wrong_rate_is_named() -> None:
    rec = recording(1, 30.0)
    slow = dataclasses.replace(rec, t=5.0 * rec.t)
    fit = identify.dynamics(slow)
    assert any(
        text.startswith("the velocities of simulated exciting motion 1 are 5 times the rate of")
        and text.endswith("is its rate (20 Hz) wrong?")
        for text in fit.doubts
    )


def test_a_stuck_sensor_is_named_with_its_rows() -> None:
    rec = recording(1, 30.0)
    tau = rec.required("tau").copy()
    tau[500:900, 2] = tau[500, 2]
    fit = identify.dynamics(dataclasses.replace(rec, tau=tau))
    assert any("the torque of e0 stays at" in x and "from row 500 to 899" in x for x in fit.doubts)


def test_an_arm_that_rested_is_named_and_not_saved(tmp_path: Path) -> None:
    n = 2000
    still = np.tile(robot().pose("neutral"), (n, 1))
    none = np.zeros((n, 7))
    motion = Recording(t=0.01 * np.arange(n), q=still, qd=none, qdd=none, side="left")
    fit = identify.dynamics(identify.simulated_recording(robot(), motion, seed=1))
    assert any(text.startswith("the arm rested: no joint moves through") for text in fit.doubts)
    with pytest.raises(ResultError, match=r"the arm rested.*record a motion.*--tare"):
        fit.save(tmp_path / "robot.toml")
    assert not (tmp_path / "robot.toml").exists()
