"""The gripper over ROS: the twin's fingers close on a thing, hold it, and let it go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.messages import Message, message_class
from baxterkit.ros import InProcess, RefusedError, in_process
from baxterkit.ros.steering import Steering
from baxterkit.sim import Twin
from baxterkit.types import Array

TABLE = -0.15
SIDE = 0.036
MODEL = Baxter(left=Arm("left", "electric_extended"))


def at_a_cube() -> Twin:
    """The left hand around a cube on the table; the right hand has no gripper."""
    world = World()
    world.add_table("table", TABLE)
    world.add_box("cube", (SIDE, SIDE, SIDE), (0.7, 0.3, TABLE + SIDE / 2), mass=0.1)
    twin = Twin(MODEL, world=world)
    twin.place(left=above_the_table(0.025, MODEL.left.configuration("neutral")))
    return twin


def above_the_table(height: float, seed: Array) -> Array:
    """The left arm with its tip at a height above the table [m], pointing down; touches nothing."""
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.7, 0.3, TABLE + height
    right = MODEL.right.configuration("untuck")
    return MODEL.scene(margin=0.1).ik("left", T, seed=seed, other=right).raise_if_failed().q


@pytest.fixture(scope="module")
def both() -> Iterator[InProcess]:
    with in_process(at_a_cube(), enabled=True) as both:
        both.link.take_control()
        both.clock.sleep(0.1)
        yield both


def test_a_cube_is_gripped_lifted_and_let_go(both: InProcess) -> None:
    link, hand, twin = both.link, both.link.left, both.twin
    with pytest.raises(RefusedError, match=r"call link\.left\.calibrate_gripper\(\)") as refusal:
        hand.move_gripper(0.0)
    assert refusal.value.reason == "not calibrated"
    hand.calibrate_gripper(20.0)
    assert hand.opening == pytest.approx(1.0)
    hand.move_gripper(0.0, timeout=20.0)
    assert hand.gripping
    assert hand.opening is not None
    assert 0.5 < hand.opening < 0.8  # the cube is between the fingers
    state = link._states.grippers["left"]
    assert (state.force, state.missed, state.state) == (30.0, 0, "gripping")
    assert twin.left.holds == "cube"
    link.move_to(left=above_the_table(0.225, hand.q))
    assert twin.object_pose("cube")[2, 3] > TABLE + 0.2
    hand.move_gripper(1.0, timeout=20.0)
    assert not hand.gripping
    assert twin.left.holds is None
    both.clock.sleep(1.0)
    assert abs(twin.object_pose("cube")[2, 3] - TABLE - SIDE / 2) < 2e-3
    finger = link.joints["l_gripper_l_finger_joint"]
    assert finger == pytest.approx(0.020833, rel=0.1)


def test_fingers_that_close_on_nothing_have_missed(both: InProcess) -> None:
    link = both.link
    link.left.calibrate_gripper(20.0)
    link.move_to(left=above_the_table(0.225, link.left.q))  # the cube may be in the hand
    link.left.move_gripper(0.0, timeout=20.0)
    both.clock.sleep(0.5)
    assert link._states.grippers["left"].missed
    assert not link.left.gripping
    Steering(link).grip("left", 1.0)
    assert link.left.opening == pytest.approx(1.0, abs=0.05)


def test_a_hand_without_fingers_cannot_be_opened(both: InProcess) -> None:
    """The robot says that nothing is there; it answers other programs all the same."""
    hand = both.link.right
    for act in (hand.calibrate_gripper, lambda: hand.move_gripper(0.2)):
        with pytest.raises(InputError, match="the right arm's tool 'hand' has no fingers"):
            act()
    both.clock.sleep(0.5)
    assert hand.opening is None
    assert hand.gripping is False


def test_buttons_and_lights_as_old_programs_use_them(both: InProcess) -> None:
    """A test presses them, as a person would: programs that wait for one go on."""
    Navigator = message_class("baxter_core_msgs/NavigatorState")
    Digital = message_class("baxter_core_msgs/DigitalIOState")
    Output = message_class("baxter_core_msgs/DigitalOutputCommand")
    robot, last = both.robot, dict[str, Message]()
    with both.graph.node("program") as node:
        for name, kind in (
            ("/robot/navigators/left_navigator/state", Navigator),
            ("/robot/digital_io/left_lower_cuff/state", Digital),
        ):
            node.subscribe(name, kind, lambda m, _, name=name: last.update({name[-10:]: m}))
        light = node.advertise("/robot/digital_io/command", Output)
        both.clock.sleep(0.1)
        assert light.subscribers == 1
        assert list(last["ator/state"].buttons) == [False] * 3
        robot.buttons.press("left_show")
        robot.buttons.press("left_lower_cuff")
        light.publish(Output(name="left_inner_light", value=True))
        both.clock.sleep(0.1)
        assert list(last["ator/state"].buttons) == [False, False, True]
        assert list(last["ator/state"].lights) == [True, False]
        assert last["cuff/state"].state == 1
        robot.buttons.press("left_show", False)
        both.clock.sleep(0.1)
        assert not any(last["ator/state"].buttons)
    with pytest.raises(UnknownNameError, match="unknown button 'elbow'"):
        robot.buttons.press("elbow")
