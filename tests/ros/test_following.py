"""What `follow` and the recorder make of a robot's states, on a robot without a network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fake_robot import FakeRobot
from tolerances import assert_close

from baxterkit.errors import BaxterkitError
from baxterkit.robot.motions import Options
from baxterkit.robot.streaming import LAG
from baxterkit.ros import RefusedError
from baxterkit.ros.following import _Run
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.node import Listener
from baxterkit.ros.recorder import Recorder
from baxterkit.trajectory import Trajectory

SPEED = 0.5
W2 = np.eye(7)[6]


@pytest.fixture
def robot() -> FakeRobot:
    made = FakeRobot()
    made.gate.take_control()
    return made


def running(robot: FakeRobot, mode: str, feed_forward: bool) -> _Run:
    """A motion of w2 at 0.5 rad/s, with 0.05 rad of tolerance, whose start is now."""
    limb = LinkedLimb(robot.robot.left, robot.states, robot.gate, None)  # type: ignore[arg-type]
    q = robot.q["left"]
    way, speeds = np.array([q, q + 2.0 * SPEED * W2]), np.tile(SPEED * W2, (2, 1))
    motion = Trajectory.from_points([0.0, 2.0], way, speeds, np.zeros((2, 7)))
    options = Options(mode, path_tolerance=0.05, feed_forward=feed_forward)
    run = _Run(limb, motion, None, options)
    run.start(limb.published.arrived)
    return run


@pytest.mark.parametrize("mode", ["position", "velocity"])
def test_the_tolerance_knows_the_lag_of_plain_position_commands(
    robot: FakeRobot, mode: str
) -> None:
    """0.2 rad behind at 0.5 rad/s is as it should be there, and an error everywhere else."""
    plain, fed = running(robot, mode, False), running(robot, mode, True)
    robot.q["left"] = robot.q["left"] + SPEED * (1.0 - LAG) * W2
    robot.tell(later=1.0)
    if mode == "position":
        plain.step(1.0)
        assert len(robot.commands()) == 1
    else:
        with pytest.raises(RefusedError, match=r"left_w2 is 0\.200 rad off the motion"):
            plain.step(1.0)
    with pytest.raises(RefusedError, match=r"left_w2 is 0\.200 rad off the motion at 1\.00 s"):
        fed.step(1.0)


def test_positions_are_sent_ahead_by_the_lag(robot: FakeRobot) -> None:
    run = running(robot, "position", True)
    run.step(0.0)
    (command,) = robot.commands()
    assert_close(command.command[6] - robot.q["left"][6], LAG * SPEED, 1e-12)


def test_a_recording_that_could_not_be_kept_does_not_begin(
    robot: FakeRobot, tmp_path: Path
) -> None:
    listener, before = Listener(robot.node), list(robot.states.taps)  # type: ignore[arg-type]
    (tmp_path / "folder.mcap").mkdir()
    for path, says in (
        (tmp_path / "nowhere" / "run.mcap", "there is no folder"),
        (tmp_path / "folder.mcap", "folder"),
        (tmp_path / "run.csv", r"is recorded as \.bag or \.mcap"),
        (5, "path must be a text or a pathlib.Path, .* got 5"),
    ):
        with pytest.raises(BaxterkitError, match=says):
            Recorder(listener, robot.states, path)  # type: ignore[arg-type]
    assert robot.states.taps == before


def test_recordings_have_the_stamps_of_the_robot(robot: FakeRobot) -> None:
    """Not the times of arrival: messages come in bunches."""
    recorder = Recorder(Listener(robot.node), robot.states)  # type: ignore[arg-type]
    expected = []
    for later in (0.01, 0.01, 0.02, 0.05):
        robot.tell(later=later)
        expected.append(robot.stamp)
    stamps, (q, _, _) = recorder.stamped("left")
    assert stamps.tolist() == expected
    assert_close(recorder.recording("left").t, [0.0, 0.01, 0.03, 0.08], 1e-9)
    assert_close(q[0], robot.q["left"], 1e-12)
