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


def record_motion(link: RobotLink, side: str, duration: float, path: Path, seed: int = 0) -> None:
    """Records an exciting motion of one arm."""
    other = link.limb("right" if side == "left" else "left").q
    motion = identify.exciting_motion(
        link.limb(side).arm, duration, scene=link, other=other, seed=seed
    )
    assert link.move_to(**{side: motion.start})
    with link.record(path):
        link.follow(motion)


def judge(paths: list[Path], side: str, tool: str) -> None:
    """The recordings give the arm's model, with the tool and without a tilt."""
    fit = identify.robot([recording.load(path, side=side) for path in paths], tool=tool)
    assert fit.dynamics is not None
    assert fit.dynamics.scores["consistent"].r2.min() > EXPLAINED
    assert fit.dynamics.tilt < TILT


@pytest.mark.slow
def test_a_bag_of_the_twin_identifies_it(tmp_path: Path) -> None:
    components.require("mujoco")
    with in_process(Twin(tool="electric_standard"), enabled=True) as both:
        both.link.take_control()
        record_motion(both.link, "left", 16.0, tmp_path / "motion.bag")
    judge([tmp_path / "motion.bag"], "left", "electric_standard")


@pytest.mark.acceptance
@pytest.mark.real_clock
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("tool", ["hand", "electric_extended"])
def test_a_bag_over_ros_identifies_the_twin_from_the_shell(
    best_master: str, tmp_path: Path, side: str, tool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In real time, the gripper closed; on a busy machine motions may have to be repeated."""
    components.require("mujoco")
    paths: list[Path] = []
    with twin_process(best_master, "--enabled", "--tool", tool), linked(best_master) as link:
        link.take_control()
        if tool != "hand":
            link.limb(side).calibrate_gripper()
            link.limb(side).move_gripper(0.0, timeout=5.0)
        for trial in range(12):
            path = tmp_path / f"motion{trial}.bag"
            try:
                record_motion(link, side, 20.0, path, seed=trial)
                paths.append(path)
            except RefusedError:  # the twin or the link was held up
                if trial == 11:
                    raise
            if len(paths) == 3:
                break
    assert len(paths) == 3
    judge(paths, side, tool)
    robot = str(tmp_path / "robot.toml")
    assert run(["identify", *map(str, paths), "--side", side, "-o", robot, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
