"""A bag that was recorded from the twin, in velocity mode at 100 Hz, identifies the twin."""

from __future__ import annotations

import json
from pathlib import Path

import components
import numpy as np
import pytest
from twin_process import linked, twin_process

from baxterkit import identify, recording
from baxterkit.cli.app import run
from baxterkit.ros import RefusedError, RobotLink, in_process
from baxterkit.sim import Twin

EXPLAINED = 0.98
"""Least share of the torques' variance that the identified model explains, at every joint."""
TILT = np.deg2rad(0.2)
"""Most that a mount may seem tilted that is not [rad]."""


def record_motion(link: RobotLink, side: str, duration: float, path: Path) -> None:
    """Records an exciting motion of one arm."""
    other = link.limb("right" if side == "left" else "left").q
    motion = identify.exciting_motion(link.limb(side).arm, duration, robot=link.robot, other=other)
    assert link.move_to(**{side: motion.start})
    with link.record(path):
        link.follow(**{side: motion})


def judge(path: Path, side: str, tool: str) -> None:
    """The recording gives the arm's model, with the tool and without a tilt."""
    fit = identify.robot(recording.load(path, side=side), tool=tool)
    assert fit.dynamics is not None
    assert fit.dynamics.scores["consistent"].r2.min() > EXPLAINED
    assert fit.dynamics.tilt < TILT


def test_a_bag_of_the_twin_identifies_it(tmp_path: Path) -> None:
    components.require("mujoco")
    with in_process(Twin(tool="electric_standard"), enabled=True) as both:
        both.link.arm()
        record_motion(both.link, "left", 16.0, tmp_path / "motion.bag")
    judge(tmp_path / "motion.bag", "left", "electric_standard")


@pytest.mark.acceptance
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("tool", ["hand", "electric_extended"])
def test_a_bag_over_ros_identifies_the_twin_from_the_shell(
    best_master: str, tmp_path: Path, side: str, tool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In real time, the gripper closed; where the machine is busy, a motion may need a retry."""
    components.require("mujoco")
    path, robot = tmp_path / "motion.bag", tmp_path / "robot.toml"
    with twin_process(best_master, "--enabled", "--tool", tool), linked(best_master) as link:
        link.arm()
        if tool != "hand":
            link.limb(side).calibrate_gripper()
            link.limb(side).command_gripper(0.0, timeout=5.0)
        for trial in range(3):
            try:
                record_motion(link, side, 60.0, path)
                break
            except RefusedError:  # the twin or the link was held up
                if trial == 2:
                    raise
                path.unlink(missing_ok=True)
    judge(path, side, tool)
    assert run(["identify", str(path), "--side", side, "-o", str(robot), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts
