"""The gripper over ROS: the twin's fingers close on a thing, hold it, and let it go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from ros_masters import eventually
from twin_process import linked

from baxterkit import Arm, Baxter
from baxterkit.errors import UnknownNameError
from baxterkit.ros import OwnMaster, RefusedError, RobotLink, TwinRobot
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.messages import Message, message_class
from baxterkit.sim import Item, Scene, Twin
from baxterkit.types import Array

TABLE = -0.15
SIDE = 0.036
MODEL = Baxter(left=Arm("left", "electric_extended"))


def at_a_cube() -> Twin:
    """The left hand around a cube on the table; the right hand has no gripper."""
    cube = Item("cube", "box", np.full(3, SIDE), np.array([0.7, 0.3, TABLE + SIDE / 2]), 0.1)
    twin = Twin(MODEL, scene=Scene.with_table(TABLE, cube))
    twin.place(left=above_the_table(0.025, MODEL.left.pose("neutral")))
    return twin


def above_the_table(height: float, seed: Array) -> Array:
    """The left arm with its tip at a height above the table [m], pointing down; touches nothing."""
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.7, 0.3, TABLE + height
    right = MODEL.right.pose("untuck")
    return MODEL.ik("left", T, seed=seed, other=right, padding=0.1).raise_if_failed().q


@pytest.fixture(scope="module")
def robot() -> Iterator[TwinRobot]:
    with OwnMaster(0) as master, TwinRobot(at_a_cube(), master.uri, enabled=True) as robot:
        yield robot


@pytest.fixture(scope="module")
def link(robot: TwinRobot) -> Iterator[RobotLink]:
    with linked(robot.node.master.uri) as link:
        link.arm()
        yield link


def test_a_cube_is_gripped_lifted_and_let_go(robot: TwinRobot, link: RobotLink) -> None:
    hand, twin = link.left, robot.twin
    eventually(lambda: hand.gripper is not None)
    with pytest.raises(RefusedError, match=r"call link\.left\.calibrate_gripper\(\)") as refusal:
        hand.command_gripper(0.0)
    assert refusal.value.reason == "not calibrated"
    hand.calibrate_gripper(20.0)
    assert hand.gripper == pytest.approx(100.0)
    hand.command_gripper(0.0, timeout=20.0)
    assert hand.gripping
    assert hand.gripper is not None
    assert 50.0 < hand.gripper < 80.0  # the cube is between the fingers
    state = link._states.grippers["left"]
    assert (state.force, state.missed, state.state) == (30.0, 0, "gripping")
    assert twin.left.holds == "cube"
    link.move_to(left=above_the_table(0.225, hand.q), on_the_way=1.0)
    eventually(lambda: twin.item_pose("cube")[2, 3] > TABLE + 0.15)
    hand.command_gripper(100.0, timeout=20.0)
    assert not hand.gripping
    assert twin.left.holds is None
    eventually(lambda: abs(twin.item_pose("cube")[2, 3] - TABLE - SIDE / 2) < 2e-3)
    finger = link.joints["l_gripper_l_finger_joint"]
    assert finger == pytest.approx(0.020833, rel=0.1)


def test_fingers_that_close_on_nothing_have_missed(link: RobotLink) -> None:
    link.left.calibrate_gripper(20.0)
    link.left.command_gripper(0.0, timeout=20.0)
    eventually(lambda: link._states.grippers["left"].missed)
    assert not link.left.gripping
    link.left.command_gripper(100.0)


def test_a_hand_without_fingers_of_the_twin_answers_and_holds_nothing(link: RobotLink) -> None:
    link.right.calibrate_gripper(20.0)
    link.right.command_gripper(20.0, timeout=20.0)
    eventually(lambda: abs((link.right.gripper or 0.0) - 20.0) < 1.0)
    assert link.right.gripping is False


def test_buttons_and_lights_as_old_programs_use_them(robot: TwinRobot) -> None:
    """A test presses them, as a person would: programs that wait for one go on."""
    Navigator = message_class("baxter_core_msgs/NavigatorState")
    Digital = message_class("baxter_core_msgs/DigitalIOState")
    Output = message_class("baxter_core_msgs/DigitalOutputCommand")
    last: dict[str, Message] = {}
    with TcpNode("program", robot.node.master.uri) as node:
        for name, kind in (
            ("/robot/navigators/left_navigator/state", Navigator),
            ("/robot/digital_io/left_lower_cuff/state", Digital),
        ):
            node.subscribe(name, kind, lambda m, _, name=name: last.update({name[-10:]: m}))
        light = node.advertise("/robot/digital_io/command", Output)
        eventually(lambda: len(last) == 2 and light.subscribers)
        assert list(last["ator/state"].buttons) == [False] * 3
        robot.buttons.press("left_show")
        robot.buttons.press("left_lower_cuff")
        light.publish(Output(name="left_inner_light", value=True))
        eventually(lambda: list(last["ator/state"].buttons) == [False, False, True])
        eventually(lambda: list(last["ator/state"].lights) == [True, False])
        eventually(lambda: last["cuff/state"].state == 1)
        robot.buttons.press("left_show", False)
        eventually(lambda: not any(last["ator/state"].buttons))
    with pytest.raises(UnknownNameError, match="unknown button 'elbow'"):
        robot.buttons.press("elbow")
