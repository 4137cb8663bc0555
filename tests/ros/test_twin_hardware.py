"""Another program uses the hardware of the twin: buttons, wheels, the emergency stop, a push."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from baxterkit.errors import UnknownNameError
from baxterkit.ros import LocalGraph, MasterError, TwinHardware, TwinRobot, topics
from baxterkit.sim import Twin


@pytest.fixture
def robot() -> Iterator[TwinRobot]:
    with TwinRobot(Twin(start="neutral", rigid=True), LocalGraph(), enabled=True) as made:
        yield made


@pytest.fixture
def hardware(robot: TwinRobot) -> TwinHardware:
    return TwinHardware(robot.node.graph)  # type: ignore[attr-defined]


def test_a_button_is_pressed_for_a_while(robot: TwinRobot, hardware: TwinHardware) -> None:
    seen: list[bool] = []
    robot.clock.every(0.1, lambda: seen.append(robot.buttons.is_on("left_lower_cuff")), "eyes")
    hardware.press("left_cuff", 0.5)
    robot.clock.sleep(0.3)
    assert 4 <= sum(seen) <= 7
    assert not seen[-1]
    with pytest.raises(UnknownNameError, match="button 'left_nose'"):
        hardware.press("left_nose")


def test_a_wheel_turns_back(robot: TwinRobot, hardware: TwinHardware) -> None:
    hardware.turn("left", -2)
    assert robot.buttons._value["left_wheel"] == 254


def test_the_emergency_stop_needs_a_reset_after_it(
    robot: TwinRobot, hardware: TwinHardware
) -> None:
    hardware.estop()
    assert robot.assembly.stopped
    assert not robot.assembly.enabled
    robot.assembly.reset()
    assert robot.assembly.stopped
    hardware.estop(False)
    robot.assembly.reset()
    assert not robot.assembly.stopped


def test_a_push_is_a_spring_that_torque_sensors_feel(
    robot: TwinRobot, hardware: TwinHardware
) -> None:
    limb = robot.twin.left
    robot.clock.sleep(0.5)
    tau, tip = limb.published.tau, limb.tip[:3, 3]
    hardware.push("left", tip + np.array([0.0, 0.0, 0.05]), 1.0)
    felt = limb.published.tau - tau
    assert np.abs(felt).max() > 3.0
    lift = limb.arm.jacobian(limb.q)[2] @ felt
    assert lift < 0.0  # the arm presses down against it
    robot.clock.sleep(2.0)
    assert np.abs(limb.published.tau - tau).max() < 0.5
    assert not robot.twin.data.xfrc_applied.any()


def test_a_real_robot_is_refused() -> None:
    graph = LocalGraph()
    with pytest.raises(MasterError, match="there is no robot at that master, no twin"):
        TwinHardware(graph)
    graph.node("boot").set_parameter(topics.SERIAL, "011305P0009")
    with pytest.raises(MasterError, match=r"there is the robot 011305P0009 .* by hand"):
        TwinHardware(graph)
