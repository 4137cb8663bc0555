"""Recordings that do not belong together, or whose signals are faulty, are named."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from known_robot import recording, robot

from baxterkit import Arm, identify
from baxterkit.errors import InputError, ResultError
from baxterkit.recording import Recording


def of(arm: Arm, seconds: float = 30.0) -> Recording:
    motion = identify.exciting_motion(robot(), seconds, seed=3)
    return identify.simulated_recording(arm, motion, seed=3)


def other_arm() -> Arm:
    """The robot's other arm, whose recording somebody took for this one's: other friction."""
    effects = robot().effects
    assert effects is not None
    memory = effects.hysteresis
    assert memory is not None
    part = np.random.default_rng(1).uniform(0.6, 1.6, (2, 7))
    memory = dataclasses.replace(
        memory, coulomb=memory.coulomb * part[0], torque=memory.torque * part[1]
    )
    return robot().with_effects(effects.replace(hysteresis=memory))


STRANGERS: dict[str, Callable[[], Arm]] = {
    "payload": lambda: robot().replace(payload=None),
    "robot": lambda: Arm("left").with_effects(coulomb=[0.5] * 7, bias=[0, 3, 0, 0, 0, 0, 0]),
    "gripper": lambda: robot().replace(tool="electric_standard"),
    "other arm": other_arm,
}


@pytest.mark.slow
@pytest.mark.parametrize("others", [1, 2])
@pytest.mark.parametrize("stranger", list(STRANGERS))
def test_a_recording_of_another_robot_or_load_is_named(
    stranger: str, others: int, tmp_path: Path
) -> None:
    known = [recording(seed, 30.0) for seed in range(1, 1 + others)]
    fit = identify.dynamics([*known, of(STRANGERS[stranger]())])
    named = [
        re.fullmatch(
            r"the torques of \w\d in (.*) \(rows \d+ to \d+\) do not belong to the rest \(residual "
            r"\S+ N m with it, \S+ alone; most at row \d+\): another robot, another payload, or a "
            r"gripper taken off\?",
            text,
        )
        for text in fit.doubts
        if not text.startswith("no model explains")
    ]
    assert all(named)
    names = {one[1] for one in named if one}
    # Of two recordings nobody can tell which one is the stranger.
    assert names == {"simulated exciting motion 3"} or (others == 1 and names)
    with pytest.raises(ResultError, match="another payload"):
        fit.save(tmp_path / "robot.toml")


@pytest.mark.slow
def test_a_load_that_is_dropped_midway_is_named_with_its_rows() -> None:
    rec = recording(1, 30.0)
    light = identify.simulated_recording(
        robot().replace(payload=None), identify.exciting_motion(robot(), 30.0, seed=1), seed=1
    )
    tau = np.concatenate([rec.required("tau")[:1500], light.required("tau")[1500:]])
    dropped = dataclasses.replace(rec, tau=tau)
    (doubt,) = identify.dynamics([dropped, recording(2, 30.0)]).doubts
    rows = re.search(r"in simulated exciting motion 1 \(rows (\d+) to \d+\) do not", doubt)
    assert rows is not None
    assert abs(int(rows[1]) - 1500) < 60
    (doubt,) = identify.dynamics(dropped).doubts
    assert "do not belong to the rest" in doubt


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_wrong_rate_is_named() -> None:
    rec = recording(1, 30.0)
    slow = dataclasses.replace(rec, t=5.0 * rec.t)
    fit = identify.dynamics(slow)
    assert any(
        text.startswith("the velocities of simulated exciting motion 1 are 5 times the rate of")
        and text.endswith("is its rate (20 Hz) wrong?")
        for text in fit.doubts
    )


def test_a_rate_that_is_a_little_wrong_is_advice() -> None:
    """Velocities lag and positions have noise: neither is taken for another clock."""
    rec = recording(1, 30.0)
    assert not any("is its rate" in text for text in identify.dynamics(rec).advice)
    fit = identify.dynamics(dataclasses.replace(rec, t=1.05 * rec.t))
    assert fit.doubts == ()
    told = "the velocities of simulated exciting motion 1 are 1.05"
    assert any(
        text.startswith(told) and "is its rate 100" in text and text.endswith("Hz, not 95.24?")
        for text in fit.advice
    )


def test_noise_of_positions_is_not_a_wrong_rate() -> None:
    """At 500 Hz a slow joint moves by less than the noise of a row: in offsets, it was refused."""
    n = 1500
    t = 0.002 * np.arange(n)
    swing = np.array([0.1, 0.03, 0.01, 0.1, 0.05, 0.05, 0.05])
    q = robot().configuration("neutral") + swing * np.sin(2.0 * t)[:, None]
    qd, qdd = 2.0 * swing * np.cos(2.0 * t)[:, None], -4.0 * swing * np.sin(2.0 * t)[:, None]
    motion = Recording(t=t, q=q, qd=qd, qdd=qdd, side="left")
    rec = identify.simulated_recording(robot(), motion, seed=1)
    rough = q + np.random.default_rng(1).normal(0.0, 0.31 * np.diff(q[:, 0]).std(), q.shape)
    found = identify.offsets(robot(), dataclasses.replace(rec, q=rough))
    assert not any("is its rate" in text for text in found.advice)


def test_a_stuck_sensor_is_named_with_its_rows() -> None:
    rec = recording(1, 30.0)
    tau = rec.required("tau").copy()
    tau[500:900, 2] = tau[500, 2]
    fit = identify.dynamics(dataclasses.replace(rec, tau=tau))
    assert any("the torque of e0 stays at" in x and "from row 500 to 899" in x for x in fit.doubts)


def test_a_position_that_stays_while_the_joint_turns_is_named_with_its_rows() -> None:
    rec = recording(1, 30.0)
    q = rec.q.copy()
    q[500:900, 1] = q[500, 1]
    stuck = dataclasses.replace(rec, q=q)
    named = (
        r"the position of s1 stays at \S+ rad from row 500 to 899 of simulated exciting motion 1"
    )
    assert any(re.match(named, text) for text in identify.dynamics(stuck).doubts)
    with pytest.raises(InputError, match="is its sensor stuck"):
        identify.offsets(robot(), stuck)


def test_of_three_recordings_only_the_one_with_another_zero_is_named() -> None:
    rec = recording(3, 30.0)
    moved = dataclasses.replace(rec, tau=rec.required("tau") + 0.3 * np.eye(7)[6])
    fit = identify.dynamics([recording(1, 30.0), recording(2, 30.0), moved])
    (named,) = [text for text in fit.advice if text.startswith("the zero of")]
    assert named.startswith("the zero of w2 in simulated exciting motion 3 is +0.")


def test_an_arm_that_rested_is_named_and_not_saved(tmp_path: Path) -> None:
    n = 2000
    still = np.tile(robot().configuration("neutral"), (n, 1))
    none = np.zeros((n, 7))
    motion = Recording(t=0.01 * np.arange(n), q=still, qd=none, qdd=none, side="left")
    fit = identify.dynamics(identify.simulated_recording(robot(), motion, seed=1))
    assert any(text.startswith("the arm rested: no joint moves through") for text in fit.doubts)
    with pytest.raises(ResultError, match=r"the arm rested.*record a motion.*--tare"):
        fit.save(tmp_path / "robot.toml")
    assert not (tmp_path / "robot.toml").exists()
