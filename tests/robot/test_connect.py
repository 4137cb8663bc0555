"""`connect`: the address alone says which robot it is."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import baxterkit
from baxterkit import Arm, Baxter, Payload
from baxterkit.clock import SYSTEM, SimulatedClock
from baxterkit.errors import InputError
from baxterkit.robot import RefusedError
from baxterkit.ros import MasterError, OwnMaster, RobotLink, Rules
from baxterkit.ros.connecting import address
from baxterkit.sim import Twin, with_known_effects


def test_without_an_address_it_is_a_twin_in_this_process() -> None:
    with baxterkit.connect() as robot:
        assert isinstance(robot, RobotLink)
        assert isinstance(robot.clock, SimulatedClock)
        assert isinstance(robot.twin, Twin)
        assert not robot.enabled
        assert not robot.twin.enabled
        robot.enable()
        assert robot.twin.enabled
        began = robot.clock.now()
        robot.wait(0.5)
        assert robot.clock.now() - began == pytest.approx(0.5)
        assert np.abs(robot.twin.left.truth.q - robot.left.q).max() < 1e-3
    with pytest.raises(RefusedError, match="was closed"):
        robot.enable()


def test_it_is_the_robot_that_is_given(tmp_path: Path) -> None:
    arm = Arm(
        "right", "electric_extended", mount=Arm("right").model.T_base_s0 + 1e-3 * np.eye(4, k=3)
    )
    with baxterkit.connect(robot=Baxter(right=arm)) as robot:
        assert robot.twin is not None
        tools = robot.twin.right.arm.tool.name, robot.right.arm.tool.name
        assert tools == ("electric_extended_narrow", "electric_extended_narrow")
        assert np.abs(robot.right.arm.model.T_base_s0 - arm.model.T_base_s0).max() < 1e-6
    arm.to_file(tmp_path / "robot.toml")
    with baxterkit.connect(robot=tmp_path / "robot.toml", rules=Rules(jump=0.1)) as robot:
        assert robot.rules.jump == 0.1
        assert np.abs(robot.right.arm.model.T_base_s0 - arm.model.T_base_s0).max() < 1e-6


def test_the_link_knows_all_of_the_robot_that_is_simulated() -> None:
    """A tool of one's own, a payload and joint effects: its description tells of none of them."""
    T = np.eye(4)
    T[2, 3] = 0.3
    right = with_known_effects(Arm("right", "electric_standard", payload=Payload(1.5)))
    given = Baxter(Arm("left", T), right)
    for robot in (baxterkit.connect(robot=given), baxterkit.connect(Twin(given))):
        with robot:
            assert robot.twin is not None
            for ours, true in ((robot.left, robot.twin.left), (robot.right, robot.twin.right)):
                assert np.abs(ours.tip - true.tip).max() < 2e-3
                assert np.abs(ours.arm.gravity(ours.q) - true.arm.gravity(ours.q)).max() < 1e-9
            payload = robot.right.arm.model.payload
            assert payload is not None
            assert payload.mass == 1.5
            assert robot.right.arm.effects is not None


@pytest.mark.slow
@pytest.mark.real_clock
def test_a_twin_behind_ros_ends_with_its_link() -> None:
    with baxterkit.connect("twin", rules=Rules(stale=30.0, stall=30.0), timeout=120.0) as robot:
        assert robot.clock is SYSTEM
        assert robot.twin is None
        assert robot.serial == "baxterkit-twin"
        with pytest.raises(RefusedError, match=r"call enable\(\)"):
            robot.left.command_velocity(np.zeros(7))
        robot.enable(120.0)
        goal = robot.left.q + 0.05 * np.eye(7)[0]
        done = robot.move_to(left=goal, tolerance=0.05, path_tolerance=1.0)
        assert done.arrived
        assert done["left"].side == "left"
        pid = robot._ends[0].__self__._process.pid  # type: ignore[attr-defined]
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_addresses_are_read_as_people_write_them() -> None:
    for text, uri in (
        ("robot.local", "http://robot.local:11311"),
        ("011305P0009.local:11312", "http://011305P0009.local:11312"),
        ("http://10.0.0.5:11311/", "http://10.0.0.5:11311"),
        ("localhost", "http://localhost:11311"),
    ):
        assert address(text) == uri


def test_mistakes_are_said() -> None:
    for where in ("", "http://", "two words", "robot.local:99999", "robot.local:", "ftp://x"):
        with pytest.raises(InputError, match="is no address of a ROS master; give it as 'http"):
            baxterkit.connect(where)
    for wrong in (5, Baxter(), b"twin"):
        with pytest.raises(InputError, match="where must be None"):
            baxterkit.connect(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a Twin has its robot already"):
        baxterkit.connect(Twin(), robot=Baxter())
    with pytest.raises(InputError, match="made from a robot file"):
        baxterkit.connect("twin", robot=Baxter())
    with OwnMaster(0) as master:
        port = master.uri.rpartition(":")[2]
    with pytest.raises(MasterError):
        baxterkit.connect(f"127.0.0.1:{port}", timeout=0.5)
