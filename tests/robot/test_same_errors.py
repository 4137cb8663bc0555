"""The same mistake raises the same error on both bodies; and both wait for heads and grippers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import baxterkit
from baxterkit.errors import BaxterkitError, InputError, ShapeError
from baxterkit.robot import OverdueError, RefusedError, Robot
from baxterkit.sim import Twin

E1, W2 = np.eye(7)[3], np.eye(7)[6]
NAN = np.full(7, np.nan)
Act = Callable[[Robot], object]


def ratio(value: float) -> Act:
    return lambda robot: setattr(robot.left, "speed_ratio", value)


MISTAKES: dict[str, tuple[Act, type[BaxterkitError], str]] = {
    "a position beyond its limit": (
        lambda robot: robot.left.command_position(robot.left.q + 9.0 * W2),
        RefusedError,
        "position",
    ),
    "a raw position beyond its limit": (
        lambda robot: robot.left.command_position(robot.left.q - 9.0 * E1, raw=True),
        RefusedError,
        "position",
    ),
    "too fast": (lambda robot: robot.left.command_velocity(9.0 * W2), RefusedError, "velocity"),
    "too strong": (lambda robot: robot.left.command_torque(99.0 * W2), RefusedError, "effort"),
    "a head beyond its limit": (lambda robot: robot.pan_head(9.0), RefusedError, "position"),
    "a position that is no number": (
        lambda robot: robot.left.command_position(NAN),
        InputError,
        "",
    ),
    "a velocity that is no number": (
        lambda robot: robot.left.command_velocity([np.inf, 0, 0, 0, 0, 0, 0]),
        InputError,
        "",
    ),
    "a torque that is no number": (lambda robot: robot.left.command_torque(NAN), InputError, ""),
    "six values": (lambda robot: robot.left.command_velocity(np.zeros(6)), ShapeError, ""),
    "two rows": (lambda robot: robot.left.command_torque(np.zeros((2, 7))), InputError, ""),
    "words": (lambda robot: robot.left.command_velocity("fast"), InputError, ""),
    "the other arm's joints": (
        lambda robot: robot.left.command_position(robot.right.arm.named(robot.right.q)),
        InputError,
        "",
    ),
    "no such configuration": (lambda robot: robot.move_to("nowhere"), BaxterkitError, ""),
    "a head nowhere": (lambda robot: robot.pan_head(float("nan")), InputError, ""),
    "a head too fast": (lambda robot: robot.pan_head(0.1, speed=2.0), InputError, ""),
    "a head without speed": (lambda robot: robot.pan_head(0.1, speed=0.0), InputError, ""),
    "a head for ever": (lambda robot: robot.pan_head(0.1, timeout=np.inf), InputError, ""),
    "an opening in percent": (lambda robot: robot.left.move_gripper(50.0), InputError, ""),
    "an opening that is no number": (
        lambda robot: robot.left.move_gripper(float("nan")),
        InputError,
        "",
    ),
    "a gripper before its time": (
        lambda robot: robot.left.move_gripper(0.5, timeout=-1.0),
        InputError,
        "",
    ),
    "a ratio above 1": (ratio(2.0), InputError, ""),
    "a ratio of 0": (ratio(0.0), InputError, ""),
    "a ratio that is no number": (ratio(float("nan")), InputError, ""),
    "a head too late": (lambda robot: robot.pan_head(-1.2, timeout=0.1), OverdueError, ""),
    "a gripper too late": (
        lambda robot: robot.left.move_gripper(0.0, timeout=0.05),
        OverdueError,
        "",
    ),
}
NOT_ENABLED: dict[str, Act] = {
    "position": lambda robot: robot.left.command_position(robot.left.q),
    "velocity": lambda robot: robot.left.command_velocity(np.zeros(7)),
    "torque": lambda robot: robot.left.command_torque(np.zeros(7)),
    "head": lambda robot: robot.pan_head(0.3),
    "head where it is": lambda robot: robot.pan_head(robot.head_pan),
    "gripper": lambda robot: robot.left.move_gripper(0.5),
    "motion": lambda robot: robot.move_to("neutral"),
    "servo": lambda robot: robot.servo(lambda t: robot.left.tip, seconds=0.1),
}


def made(kind: str) -> Robot:
    twin = Twin(tool="electric_standard", noise=0.0)
    return twin if kind == "twin" else baxterkit.connect(twin)


@pytest.fixture(scope="module", params=["twin", "link"])
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    with made(request.param) as body:
        body.enable()
        body.left.calibrate_gripper()
        yield body


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_raises_the_same_on_both_bodies(robot: Robot, mistake: str) -> None:
    act, kind, reason = MISTAKES[mistake]
    robot.wait(0.5)  # no command of a mistake before is in force
    with pytest.raises(kind) as caught:
        act(robot)
    assert getattr(caught.value, "reason", "") == reason
    assert isinstance(caught.value, RefusedError) == bool(reason)


@pytest.mark.parametrize("kind", ["twin", "link"])
def test_a_robot_that_is_not_enabled_gives_the_same_reason(kind: str) -> None:
    with made(kind) as robot:
        befores: list[tuple[Callable[[], object], str]] = [
            (lambda: None, "disabled"),
            (robot.enable, ""),
            (robot.stop, "stopped"),
            (lambda: robot.enable().disable(), "disabled"),
        ]
        for before, reason in befores:
            before()
            for name, act in NOT_ENABLED.items() if reason else ():
                with pytest.raises(RefusedError) as caught:
                    act(robot)
                assert caught.value.reason == reason, name


@pytest.mark.parametrize("kind", ["twin", "link"])
def test_the_head_turns_as_fast_as_it_is_told_and_is_there(kind: str) -> None:
    with made(kind) as robot:
        robot.enable()
        times = []
        for pan, speed in ((0.6, 0.2), (0.0, 1.0), (0.1, 0.5)):
            with robot.record() as session:
                robot.pan_head(pan, speed)
            times.append(len(session.recording("left")) / 100.0)
            assert abs(robot.head_pan - pan) < 0.015
        assert times == pytest.approx([1.8, 0.8, 0.4], abs=0.06)  # at 2 rad/s, and it follows
        with pytest.raises(TimeoutError, match=r"the head is at .* not at -1\.00 rad"):
            robot.pan_head(-1.0, timeout=0.2)
        robot.wait(2.0)
        assert abs(robot.head_pan + 1.0) < 0.02  # it has gone on
