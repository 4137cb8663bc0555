"""Buttons, wheels, lamps, sensors and checkups of the twin, heard by another program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.collision import World
from baxterkit.errors import UnknownNameError
from baxterkit.messages import Message, message_class
from baxterkit.ros import LocalGraph, TwinRobot
from baxterkit.ros.robot.interfaces import interface
from baxterkit.ros.robot.sonar import RADIUS
from baxterkit.sim import Twin
from baxterkit.spatial import transform

WALL = 0.2
"""Distance of a wall from the left hand's range sensor [m]."""


class Program:
    """A program that hears and says what the robot's interfaces carry."""

    def __init__(self, robot: TwinRobot, graph: LocalGraph) -> None:
        self.robot, self.clock, self.graph = robot, graph.clock, graph
        self._node = graph.node("program")
        self._heard: dict[str, Message] = {}
        self._senders: dict[str, object] = {}

    def hear(self, name: str, wait: float = 0.2) -> Message:
        if name not in self._heard:
            kind = message_class(interface(name).kind)
            note = lambda m, _, name=name: self._heard.__setitem__(name, m)  # noqa: E731
            self._node.subscribe(name, kind, note)
        self._heard.pop(name, None)
        self.clock.sleep(wait)
        return self._heard[name]

    def say(self, topic: str, /, **fields: object) -> None:
        kind = message_class(interface(topic).kind)
        if topic not in self._senders:
            self._senders[topic] = self._node.advertise(topic, kind)
        self._senders[topic].publish(kind(**fields))  # type: ignore[attr-defined]
        self.clock.sleep(0.1)


def before_a_wall() -> Twin:
    robot = Baxter()
    q = robot.left.configuration("neutral")
    T = robot.left.fk(q, of="left_hand_range")
    T_wall = T.copy()
    T_wall[:3, 3] += (WALL + 0.01) * T[:3, 0]
    world = World()
    world.add_box("wall", (0.02, 0.3, 0.3), T_wall)
    return Twin(robot, world=world, start="neutral", rigid=True)


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    graph = LocalGraph()
    with TwinRobot(before_a_wall(), graph, enabled=True) as robot:
        yield Program(robot, graph)


def test_buttons_are_on_their_topics_in_the_aggregate_and_on_the_navigator(
    program: Program,
) -> None:
    press = program.robot.buttons.press
    press("left_cancel")
    assert program.hear("/robot/digital_io/left_button_back/state").state == 1
    everything = program.hear("/robot/digital_io_states")
    assert everything.states[everything.names.index("left_button_back")].state == 1
    assert program.hear("/robot/navigators/left_navigator/state").buttons.tolist() == [0, 1, 0]
    press("left_cancel", False)
    assert program.hear("/robot/digital_io/left_button_back/state").state == 0
    with pytest.raises(UnknownNameError, match="button 'left_nose'"):
        press("left_nose")


def test_a_wheel_counts_around(program: Program) -> None:
    program.robot.buttons.turn("torso_right", -3)
    assert program.hear("/robot/navigators/torso_right_navigator/state").wheel == 253
    assert program.hear("/robot/analog_io/torso_right_wheel/state").value == 253
    program.robot.buttons.turn("torso_right", 5)
    assert program.hear("/robot/analog_io/torso_right_wheel/value_uint32").data == 2


def test_outputs_are_switched_and_inputs_are_not(program: Program) -> None:
    program.say("/robot/digital_io/command", name="head_red_light", value=True)
    state = program.hear("/robot/digital_io/head_red_light/state")
    assert (state.state, state.isInputOnly) == (1, False)
    program.say("/robot/digital_io/command", name="left_lower_cuff", value=True)
    state = program.hear("/robot/digital_io/left_lower_cuff/state")
    assert (state.state, state.isInputOnly) == (0, True)
    program.say("/robot/analog_io/command", name="torso_fan", value=70)
    assert program.hear("/robot/analog_io/torso_fan/state").value == 70.0


def test_the_range_sensor_sees_a_wall(program: Program) -> None:
    seen = program.hear("/robot/range/left_hand_range/state")
    assert seen.range == pytest.approx(WALL, abs=2e-3)
    assert program.hear("/robot/analog_io/left_hand_range/state").value == pytest.approx(200, abs=2)
    assert program.hear("/robot/range/right_hand_range/state").range == pytest.approx(65.535)


def test_an_accelerometer_at_rest_feels_gravity(program: Program) -> None:
    felt = program.hear("/robot/accelerometer/left_accelerometer/state").linear_acceleration
    arm = program.robot.twin.left.arm
    R = arm.fk(program.robot.twin.left.q, of="left_hand_accelerometer")[:3, :3]
    wanted = R.T @ np.array([0.0, 0.0, 9.81])
    np.testing.assert_allclose([felt.x, felt.y, felt.z], wanted, atol=0.05, rtol=0)


def test_a_sonar_hears_a_post_and_its_lamp_shows_it_unless_a_program_has_the_lamps() -> None:
    robot, graph = Baxter(), LocalGraph()
    ring, world = robot.transform("base", "sonar_ring"), World()
    T = ring @ transform(np.eye(3), np.array([0.0, 1.2, 0.0]))
    world.add_box("post", (0.2, 0.2, 0.2), T)
    halo = "/robot/sonar/head_sonar/"
    with TwinRobot(Twin(robot, world=world, rigid=True), graph) as twin:
        program = Program(twin, graph)
        cloud = program.hear(f"{halo}state")
        assert [channel.name for channel in cloud.channels] == ["SensorId", "Distance"]
        numbers, distances = (channel.values.tolist() for channel in cloud.channels)
        assert numbers == [3.0]  # a quarter of the ring
        assert distances[0] == pytest.approx(1.1 - RADIUS, abs=1e-6)
        assert [cloud.points[0].x, cloud.points[0].y] == pytest.approx([0.0, 1.1], abs=1e-6)
        assert program.hear(f"{halo}lights/state").data == 1 << 3
        for _ in range(3):
            program.say(f"{halo}lights/set_lights", data=0x8005)
        assert program.hear(f"{halo}lights/state", 0.1).data == 0x8005
        assert program.hear(f"{halo}lights/state", 0.4).data == 1 << 3  # it is not sent any more
        program.say(f"{halo}set_sonars_enabled", data=0)
        assert program.hear(f"{halo}sonars_enabled").data == 0
        assert program.hear(f"{halo}state").points == []
        program.say(f"{halo}lights/set_red_level", data=40.0)
        assert program.hear(f"{halo}lights/red_level").data == 40.0


@pytest.mark.parametrize("rate", [20, 50, 200, 500, 1000])
def test_the_rate_of_the_states_can_be_set(program: Program, rate: int) -> None:
    stamps: list[int] = []
    kind = message_class("sensor_msgs/JointState")
    program.graph.node("rates").subscribe(
        "/robot/joint_states",
        kind,
        lambda m, who: stamps.append(m.header.stamp) if who == "/realtime_loop" else None,
    )
    program.say("/robot/joint_state_publish_rate", data=rate)
    stamps.clear()
    program.clock.sleep(0.5)
    program.say("/robot/joint_state_publish_rate", data=100)
    gaps = np.diff(stamps[: rate // 2 - 1])
    assert len(gaps) == rate // 2 - 2
    assert gaps.tolist() == [1_000_000_000 // rate] * len(gaps)


def test_a_picture_is_on_the_screen(program: Program) -> None:
    picture = np.zeros((2, 3, 3), np.uint8)
    picture[0, 0] = 10, 20, 30
    program.say("/robot/xdisplay", height=2, width=3, encoding="bgr8", step=9,
                data=picture.tobytes())  # fmt: skip
    shown = program.robot.screen.picture
    assert shown is not None
    assert shown.shape == (600, 1024, 3)
    assert shown[0, 0].tolist() == [30, 20, 10]
    assert not shown[2:].any()
    program.say("/robot/xdisplay", height=2, width=3, encoding="bgr8", step=9, data=b"short")
    assert program.robot.screen.picture is shown


def test_a_checkup_runs_and_succeeds(program: Program) -> None:
    name = "/robustcontroller/left/Tare/"
    assert not program.hear(f"{name}status").isEnabled
    for _ in range(8):
        program.say(f"{name}enable", isEnabled=True, uid="sdk")
        program.clock.sleep(0.4)
    status = program.hear(f"{name}status")
    assert (status.isEnabled, status.complete, status.controlUid) == (True, 2, "sdk")
    program.say(f"{name}enable", isEnabled=False, uid="sdk")
    status = program.hear(f"{name}status")
    assert (status.isEnabled, status.timedOut) == (False, False)


def test_a_checkup_fails_without_power_and_ends_when_nobody_asks_for_it(program: Program) -> None:
    name = "/robustcontroller/right/CalibrateArm/"
    program.say(f"{name}enable", isEnabled=True, uid="sdk")
    program.robot.assembly.enabled = False
    status = program.hear(f"{name}status")
    program.robot.assembly.enabled = True
    assert (status.isEnabled, status.complete) == (True, 1)
    status = program.hear(f"{name}status", 2.5)
    assert (status.isEnabled, status.timedOut) == (False, True)


def test_a_squeezed_cuff_lets_the_arm_float_and_then_it_stays(program: Program) -> None:
    robot, limb = program.robot, program.robot.twin.left
    robot.buttons.press("left_cuff")
    program.clock.sleep(0.3)
    assert limb.mode == "torque"
    q = limb.q
    names = list(limb.arm.joint_names)
    program.say("/robot/limb/left/joint_command", mode=1, names=names, command=q + 0.3)
    program.clock.sleep(0.5)
    assert limb.mode == "torque"
    assert np.abs(limb.q - q).max() < 0.02
    program.say("/robot/limb/left/suppress_cuff_interaction")
    assert limb.mode == "hold"
    robot.buttons.press("left_cuff", False)
    program.clock.sleep(0.5)
    assert limb.mode == "hold"


def test_a_push_is_felt_at_the_endpoint(program: Program) -> None:
    twin = program.robot.twin
    hand = twin.model.body("left_w2_link").id
    before = program.hear("/robot/limb/left/endpoint_state", 1.0).wrench.force
    twin.data.xfrc_applied[hand, 2] = -10.0
    pushed = program.hear("/robot/limb/left/endpoint_state", 2.0).wrench.force
    twin.data.xfrc_applied[hand] = 0.0
    program.clock.sleep(1.0)
    assert pushed.z - before.z == pytest.approx(-10.0, abs=1.5)
    assert abs(pushed.x - before.x) < 3.0


def test_touching_is_a_collision() -> None:
    robot = Baxter()
    q = robot.left.configuration("neutral")
    goal = q + np.array([0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    world = World()
    world.add_box("block", (0.2, 0.2, 0.1), robot.left.fk(goal)[:3, 3])
    graph = LocalGraph()
    twin = Twin(robot, world=world, start="neutral", rigid=True)
    with TwinRobot(twin, graph, enabled=True) as made:
        program = Program(made, graph)
        assert not program.hear("/robot/limb/left/collision_detection_state").collision_state
        for _ in range(20):
            program.say("/robot/limb/left/joint_command", mode=1, command=goal,
                        names=list(robot.left.joint_names))  # fmt: skip
        assert program.hear("/robot/limb/left/collision_detection_state", 0.1).collision_state
        assert not program.hear("/robot/limb/right/collision_detection_state").collision_state


def test_a_fragment_becomes_part_of_the_description() -> None:
    fragment = (
        '<?xml version="1.0" ?><robot name="hook"><link name="left_gripper_base"/>'
        '<link name="hook"/><joint name="hook_joint" type="fixed">'
        '<parent link="left_gripper_base"/><child link="hook"/></joint></robot>'
    )
    graph = LocalGraph()
    with TwinRobot(Twin(rigid=True), graph) as robot:
        program = Program(robot, graph)
        program.say("/robot/urdf", time=1, link="left_hand", joint="left_gripper_base",
                    urdf=fragment)  # fmt: skip
        text = graph.node("reader").parameter("/robot_description")
        assert '"hook_joint"' in text
        assert Baxter.from_urdf(text).left.tool.name == "hand"
        program.say("/robot/urdf", time=2, link="left_hand", joint="x", urdf="<robot>")
        assert graph.node("reader").parameter("/robot_description") == text


def test_parts_report_the_state_of_the_robot(program: Program) -> None:
    assert program.hear("/robot/assembly/torso/state").enabled
    assert program.hear("/robot/limb/left/state").enabled
    assert program.hear("/diagnostics", 1.2).status[0].message == "enabled"
