"""Teleoperation by a recorded keyboard and a recorded gamepad, on both bodies and from a shell."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from recorded_devices import Played, gamepad, keyboard
from resting import CREEP, creep
from tolerances import SERVO_TRACKED

import baxterkit
from baxterkit.collision import World
from baxterkit.robot import RefusedError, Robot
from baxterkit.servo import Device, Jogging, Nudge, ServoResult
from baxterkit.sim import Twin
from baxterkit.spatial.formulas import pose_difference
from baxterkit.types import Transform

FRONT = 0.12
"""How far a wall is before the fingers [m]; the hand keeps 2 cm from it."""


@pytest.fixture(params=["twin", "link"])
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    twin = Twin(tool="electric_standard")
    made = twin if request.param == "twin" else baxterkit.connect(twin)
    with made:
        made.enable()
        for side in ("left", "right"):
            made.limb(side).calibrate_gripper()
        yield made


def device(name: str, folder: Path) -> AbstractContextManager[Played]:
    return keyboard() if name == "keyboard" else gamepad(folder)


def led(robot: Robot, played: Device, side: str) -> tuple[ServoResult, list[float]]:
    """Hands that follow a device; openings that a gripper was seen at. No step above the limits."""
    openings, speeds, before = list[float](), list[np.ndarray](), list[np.ndarray]()
    source = Jogging(played, robot, side)

    def watched(t: float) -> object:
        openings.append(robot.left.opening or 0.0)
        qd = np.concatenate([robot.left.qd, robot.right.qd])
        speeds.append(qd)
        before.append(np.concatenate([robot.left.q, robot.right.q]))
        return source(t)

    result = robot.servo(watched, side)  # type: ignore[arg-type]
    top = np.concatenate([robot.left.arm.limits.velocity, robot.right.arm.limits.velocity])
    assert (np.abs(speeds) <= 0.55 * top).all()
    assert (np.abs(np.diff(before, axis=0)) <= 0.55 * top * 0.02 + 2e-3).all()
    return result, openings


def away(start: Transform, now: Transform) -> np.ndarray:
    return pose_difference(start, now)


@pytest.mark.slow
def test_recorded_keys_move_both_hands(robot: Robot, tmp_path: Path) -> None:
    start = {side: robot.limb(side).tip for side in ("left", "right")}
    with device("keyboard", tmp_path) as played:
        result, openings = led(robot, played, "both")
    robot.wait(0.3)
    left, right = (away(start[side], robot.limb(side).tip) for side in ("left", "right"))
    assert left == pytest.approx([0.06, 0.0, 0.04, 0.0, 0.0, 0.2], abs=SERVO_TRACKED)
    assert right == pytest.approx([0.0, 0.03, 0.0, 0.0, 0.0, 0.0], abs=SERVO_TRACKED)
    assert (result.notes, min(openings) < 0.05, openings[-1] > 0.9) == ((), True, True)
    assert result.duration == pytest.approx(4.9, abs=0.1)


@pytest.mark.slow
def test_a_recorded_gamepad_moves_a_hand(robot: Robot, tmp_path: Path) -> None:
    start = robot.left.tip
    with device("gamepad", tmp_path) as played:
        result, openings = led(robot, played, "left")
    robot.wait(0.3)
    x, y, z, roll, pitch, yaw = away(start, robot.left.tip)
    assert (0.06 < x < 0.12, 0.01 < y < 0.06, 0.05 < z < 0.11, 0.1 < pitch < 0.3) == (True,) * 4
    assert max(abs(roll), abs(yaw)) < 0.02
    assert (result.notes, min(openings) < 0.05, openings[-1] > 0.9) == ((), True, True)
    assert creep(robot, robot.left) < CREEP


class Ahead:
    """A key that is held down for ever; the device is pulled out at last."""

    def read(self, t: float) -> Nudge:
        if t > 3.0:
            raise StopIteration
        return Nudge(np.array([0.01, 0.0, 0.0]))


def test_a_key_held_before_a_wall_stops_the_hand_and_its_loss_ends_it() -> None:
    world, arm = World(), Twin().left.arm
    tip = arm.fk(arm.configuration("untuck"))[:3, 3]
    world.add_box("wall", (0.02, 0.3, 0.6), (tip[0] + FRONT + 0.01, tip[1], tip[2]))
    twin = Twin(world=world)
    with baxterkit.connect(twin, world=world) as robot:
        robot.enable()
        result, _ = led(robot, Ahead(), "left")
        assert "blocked" in {note.kind for note in result.notes}
        assert robot.scene.clearance(robot.left.q, robot.right.q) > 0.01
        assert creep(robot, robot.left) < CREEP
        assert result.duration < 3.5


def test_a_second_teleoperator_is_refused(tmp_path: Path) -> None:
    twin = Twin().enable()
    refused = []

    class Second(Ahead):
        def read(self, t: float) -> Nudge:
            if t > 0.3 and not refused:
                with pytest.raises(RefusedError, match="follows another target already") as told:
                    twin.servo(Jogging(Ahead(), twin), seconds=1.0)
                refused.append(told.value.reason)
            return super().read(t + 2.0)

    twin.servo(Jogging(Second(), twin), seconds=2.0)
    assert refused == ["moving"]


@pytest.mark.real_clock
def test_the_verb_needs_a_terminal() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "baxterkit", "ros", "teleop", "--master", "http://127.0.0.1:1"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert told.returncode != 0
    assert "is no terminal" in told.stderr
    assert "--gamepad" in told.stderr
