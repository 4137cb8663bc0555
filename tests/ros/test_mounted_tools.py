"""Which tool the gate reckons with: the robot's word, the model's, in doubt the largest body."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from fake_robot import FakeNode, FakeRobot

from baxterkit import Arm, Baxter, identify
from baxterkit.collision import World
from baxterkit.collision.hand import arm_body
from baxterkit.errors import ModelWarning
from baxterkit.messages import Message, message_class
from baxterkit.model import Solid, Tool
from baxterkit.model.names import SIDES
from baxterkit.recording import Recording
from baxterkit.ros import LocalGraph, RefusedError, RobotLink, Rules, TwinRobot, topics
from baxterkit.ros.mounted_tools import TOOL_KEY, MountedTools, resolve
from baxterkit.ros.one_process import in_process
from baxterkit.ros.safety import Judge
from baxterkit.scene import Scene
from baxterkit.sim import Twin

Properties = message_class("baxter_core_msgs/EndEffectorProperties")
NONE, SUCTION, ELECTRIC, CUSTOM = range(4)
ROD = Tool("rod", np.eye(4), None, (Solid("sphere", (0.02,), np.eye(4)),))
POLE = Tool("pole", np.eye(4))
LARGEST = "gripper"


def said(kind: int, maker: str = "Rethink Robotics", tool: str | None = None) -> Message:
    text = "" if tool is None else json.dumps({TOOL_KEY: tool})
    return Properties(ui_type=kind, manufacturer=maker, properties=text)


@pytest.mark.parametrize(
    ("tool", "kind", "given", "name"),
    [
        # A user's model that the robot's word agrees with is used.
        ("hand", NONE, True, "hand"),
        ("vacuum", SUCTION, True, "vacuum"),
        ("electric_standard", ELECTRIC, True, "electric_standard_narrow"),
        ("electric_extended_wide", ELECTRIC, True, "electric_extended_wide"),
        (ROD, CUSTOM, True, "rod"),
        (ROD, NONE, True, "rod"),
        # In contradiction, or where the robot does not tell, the largest body counts.
        ("hand", ELECTRIC, True, LARGEST),
        ("hand", SUCTION, True, LARGEST),
        ("hand", CUSTOM, True, LARGEST),
        ("hand", None, True, LARGEST),
        ("hand", 77, True, LARGEST),
        ("vacuum", ELECTRIC, True, LARGEST),
        ("vacuum", NONE, True, LARGEST),
        ("vacuum", None, True, LARGEST),
        ("electric_standard", SUCTION, True, LARGEST),
        ("electric_standard", NONE, True, LARGEST),
        ("electric_standard", None, True, LARGEST),
        (ROD, ELECTRIC, True, LARGEST),
        (ROD, None, True, LARGEST),
        # Without a user's model the description counts; it names a gripper only if configured so.
        ("hand", NONE, False, "hand"),
        ("hand", ELECTRIC, False, "electric_gripper"),
        ("hand", SUCTION, False, "vacuum"),
        ("hand", CUSTOM, False, LARGEST),
        ("hand", None, False, LARGEST),
        ("electric_extended_wide", None, False, "electric_extended_wide"),
        ("electric_extended_wide", ELECTRIC, False, "electric_extended_wide"),
        ("electric_extended_wide", SUCTION, False, LARGEST),
        ("electric_extended_wide", NONE, False, LARGEST),
        (Tool("electric_gripper", np.eye(4)), ELECTRIC, False, "electric_gripper"),
        (Tool("electric_gripper", np.eye(4)), ELECTRIC, True, "electric_gripper"),
        (Tool("electric_gripper", np.eye(4)), NONE, True, LARGEST),
        (Tool("electric_of_mine", np.eye(4)), ELECTRIC, True, "electric_gripper"),
        (Tool("electric_of_mine", np.eye(4), None, ROD.shape), ELECTRIC, True, "electric_of_mine"),
        (Tool("vacuum_of_mine", np.eye(4)), SUCTION, True, LARGEST),
        (Tool("gripper", np.eye(4)), ELECTRIC, False, LARGEST),
        (Tool("gripper", np.eye(4)), NONE, False, LARGEST),
        # Of a tool without a shape nothing is known but its tip.
        (POLE, CUSTOM, False, LARGEST),
        (POLE, CUSTOM, True, LARGEST),
        (POLE, NONE, True, LARGEST),
    ],
)
def test_the_tool_that_counts(tool: str | Tool, kind: int | None, given: bool, name: str) -> None:
    model = Arm("left", tool=tool).model
    hand = resolve(model, None if kind is None else said(kind), given)
    assert hand.tool.name == name
    assert hand.known is (name != LARGEST)
    assert "left" in hand.reason or hand.known
    np.testing.assert_array_equal(hand.tool.T_hand_tip, model.T_hand_tip)
    assert hand.tool.inertial is model.tool.inertial
    assert hand.tool.shape == model.tool.shape  # beside the largest body
    if name == LARGEST:
        largest = arm_body(Arm("left", tool=Tool(LARGEST, np.eye(4))).model)
        assert len(arm_body(Arm("left", tool=hand.tool).model)) >= len(largest)


def test_the_twin_names_its_fingers() -> None:
    bare, narrow = Arm("left").model, Arm("left", "electric_extended").model
    word = said(ELECTRIC, "baxterkit", "electric_extended_wide")
    assert resolve(bare, word, False).tool.name == "electric_extended_wide"
    assert resolve(narrow, word, True).tool.name == LARGEST
    any_fingers = Arm("left", tool=Tool("electric_gripper", np.eye(4))).model
    assert resolve(any_fingers, word, True).tool.name == "electric_extended_wide"
    odd = said(ELECTRIC, "baxterkit", "electric_of_mine")  # without a body that we know
    assert resolve(bare, odd, False).tool.name == "electric_gripper"
    garbage = Properties(
        ui_type=ELECTRIC, manufacturer="baxterkit", properties=f'{{"{TOOL_KEY}": 7'
    )
    assert resolve(narrow, garbage, True).tool.name == "electric_extended_narrow"


def test_a_change_of_tool_changes_the_gates_body_and_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    node, robot, told = FakeNode(), Baxter(), []
    node.state_publishers = ()
    with caplog.at_level(logging.WARNING):
        hands = MountedTools(node, robot, True, told.append)  # type: ignore[arg-type]
    assert not hands["left"].known
    assert "says nothing of the left hand's gripper" in caplog.text
    assert "largest body" in caplog.text
    assert told[-1].left.tool.name == LARGEST
    for side in ("left", "right"):
        node.callbacks[topics.limb(side, "gripper_properties").name](said(NONE), "/robot")
    assert hands["left"].known
    assert told[-1] is robot
    node.callbacks[topics.limb("left", "gripper_properties").name](said(ELECTRIC), "/robot")
    assert (told[-1].left.tool.name, told[-1].right.tool.name) == (LARGEST, "hand")
    assert hands["left"].reason in caplog.text


def test_of_two_announcements_at_once_the_last_one_counts() -> None:
    """A robot tells of each gripper on its own topic, so in two threads."""
    node, robot = FakeNode(), Baxter(Arm("left", "hand"), Arm("right", "hand"))
    node.state_publishers = ()
    told: list[Baxter] = []
    threads: list[Thread] = []

    def tell(side: str) -> None:
        node.callbacks[topics.limb(side, "gripper_properties").name](said(NONE), "/robot")

    def changed(now: Baxter) -> None:
        if len(told) == 1 and not threads:
            threads.append(Thread(target=tell, args=("right",)))
            threads[0].start()
            threads[0].join(0.2)
        told.append(now)

    hands = MountedTools(node, robot, True, changed)  # type: ignore[arg-type]
    tell("left")
    threads[0].join()
    assert told[-1] is hands.robot is robot


def test_the_gate_refuses_with_the_largest_body_what_a_bare_hand_may() -> None:
    """A bare hand 8 cm above a table may go down a little; with a gripper it is in the table."""
    low, lower = (down_to(height) for height in (0.10, 0.08))
    fake = FakeRobot(world=above())
    fake.q["left"][:] = low
    fake.tell()
    fake.gate.take_control()
    fake.tell()
    fake.gate.joints("left", "position", lower)
    largest = Tool(LARGEST, np.eye(4))
    fake.gate.reckon_with(Baxter(Arm("left", tool=largest), Arm("right", tool=largest)))
    fake.tell()
    with pytest.raises(RefusedError, match="table"):
        fake.gate.joints("left", "position", lower)


def test_a_tool_that_is_announced_while_the_scene_is_set_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakeRobot()
    fake.gate.take_control()
    scene, others = fake.gate.scene, []
    wearing = Baxter(*(Arm(side, tool=Tool(LARGEST, np.eye(4))) for side in SIDES))
    replace = Scene.replace

    def announced_meanwhile(one: Scene, **changes: object) -> Scene:
        if "robot" not in changes:
            others.append(Thread(target=fake.gate.reckon_with, args=(wearing,)))
            others[-1].start()
            others[-1].join(0.2)
        return replace(one, **changes)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Scene, "replace", announced_meanwhile)
        fake.gate.scene = scene
    others[0].join()
    assert fake.gate.scene.robot is wearing


def test_commands_do_not_wait_for_the_body_of_a_new_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making it may take long; a command that ends a motion goes out meanwhile."""
    fake = FakeRobot()
    fake.gate.take_control()
    fake.gate.joints("left", "velocity", np.zeros(7))
    prepare = Judge.prepare

    def slow(judge: Judge) -> None:
        other = Thread(target=fake.gate.rest, args=("left",), daemon=True)
        other.start()
        other.join(5.0)
        assert not other.is_alive()
        prepare(judge)

    before = len(fake.commands())
    monkeypatch.setattr(Judge, "prepare", slow)
    fake.gate.reckon_with(Baxter(*(Arm(side, tool=Tool(LARGEST, np.eye(4))) for side in SIDES)))
    assert len(fake.commands()) == before + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("worn", "model", "sent"),
    [
        ("hand", None, True),
        ("hand", "hand", True),
        ("electric_standard", None, False),
        ("electric_standard", "hand", False),  # the model is wrong, and that opens no hole
        ("hand", "electric_standard", False),
        ("vacuum", "vacuum", True),
        ("vacuum", None, True),
    ],
)
def test_a_hand_goes_down_to_a_table_as_its_tool_allows(
    worn: str, model: str | None, sent: bool
) -> None:
    """End to end with the twin, on simulated time: the hand ends 0.11 m above the table."""
    twin = Twin(tool=worn)
    twin.place(left=down_to(0.2), right=twin.right.arm.configuration("untuck"))
    robot = None if model is None else Baxter(Arm("left", model), Arm("right", model))
    rules = Rules(stale=1.0, stall=1.0)
    with in_process(twin, model=robot, world=above(), rules=rules, enabled=True) as both:
        with nullcontext() if model in (None, worn) else pytest.warns(ModelWarning, match="120 mm"):
            both.link.take_control()
        if sent:
            assert both.link.move_to(left=down_to(0.11), speed=0.1)
        else:
            with pytest.raises(RefusedError, match="table"):
                both.link.move_to(left=down_to(0.11), speed=0.1)


@pytest.mark.parametrize("named", [False, True])
def test_fingers_that_poses_do_not_tell_are_guarded_as_wide_ones(
    tmp_path: Path, named: bool
) -> None:
    """A robot file of recorded poses; the robot wears wide fingers, and says electric alone."""
    low, high = down_to(0.25), down_to(0.33)
    q = np.random.default_rng(1).uniform(-0.5, 0.5, (20, 7)) + low
    for side in ("left", "right"):
        T = Arm(side, "electric_extended_wide").fk(q)
        seen = Recording(t=np.arange(20.0), q=q, position=T[:, :3, 3], side=side)
        tool = "electric_extended_narrow" if named else "auto"
        identify.mount(seen, tool).save(tmp_path / "robot.toml")
    robot = Baxter.from_file(tmp_path / "robot.toml")
    world = World()
    p = robot.left.fk(low)[:3, 3] - [0.0, 0.09, 0.0]  # beside narrow fingers, where wide ones are
    world.add_box("post", (0.02, 0.02, 0.1), [*p[:2], TOP + 0.05])
    twin = Twin(tool="electric_extended_wide")
    twin.place(left=high, right=twin.right.arm.configuration("untuck"))
    with in_process(twin, model=robot, world=world, enabled=True) as both:
        node = both.graph.node("end_effector_publisher")
        for side in ("left", "right"):
            node.advertise(*topics.limb(side, "gripper_properties")).publish(said(ELECTRIC))
        both.clock.sleep(0.01)
        both.link.take_control()
        worn = "electric_extended_narrow" if named else "electric_gripper"
        assert names(both.link) == (worn, worn)
        if named:  # the user's word, which the robot does not contradict
            assert both.link.move_to(left=low, speed=0.1)
        else:
            with pytest.raises(RefusedError, match="left_fingers and post"):
                both.link.move_to(left=low, speed=0.1)


TOP = -0.1


def above() -> World:
    world = World()
    T = np.eye(4)
    T[:3, 3] = 0.8, 0.0, TOP - 0.02
    world.add_box("table", (0.6, 1.4, 0.04), T)
    return world


def down_to(height: float) -> np.ndarray:
    """The left arm with its hand at a height above the table [m], pointing down."""
    arm = Arm("left")
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.65, 0.25, TOP + height
    return arm.ik(T, seed=arm.configuration("neutral"), objective="nearest").raise_if_failed().q


@pytest.fixture(scope="module")
def graph() -> Iterator[LocalGraph]:
    """A twin with a vacuum gripper on its left hand, wide fingers on its right one."""
    model = Baxter(Arm("left", "vacuum"), Arm("right", "electric_extended_wide"))
    graph = LocalGraph()
    with TwinRobot(Twin(model), graph, enabled=True):
        yield graph


def names(link: RobotLink) -> tuple[str, str]:
    robot = link._gate._judge.scene.robot
    return robot.left.tool.name, robot.right.tool.name


def test_the_link_takes_the_twins_tools(graph: LocalGraph) -> None:
    with RobotLink(graph) as link:
        assert names(link) == ("vacuum", "electric_extended_wide")
        assert link.tools["left"].known
        assert link.tools["right"].known
        assert (link.robot.left.tool.name, link.robot.right.tool.name) == names(link)
        assert "unknown" not in repr(link)


def test_a_model_with_other_tools_is_guarded_by_the_largest_body(
    graph: LocalGraph, caplog: pytest.LogCaptureFixture
) -> None:
    with RobotLink(graph, robot=Baxter()) as link:
        graph.clock.sleep(1.0)
        assert link.tools["left"].reason.startswith("the left hand's gripper is suc")
        assert names(link) == (LARGEST, LARGEST)
        assert link.robot.left.tool.name == "hand"  # the user's model is the user's
        assert "left tool unknown" in repr(link)
        assert "right tool unknown" in repr(link)
    assert "to the robot, 'hand' to the model" in caplog.text


def test_properties_of_the_twin_name_the_kind_of_tool() -> None:
    kinds = {"hand": CUSTOM, "vacuum": SUCTION, "electric_standard": ELECTRIC}
    for tool, kind in kinds.items():
        with in_process(Twin(tool=tool)) as both:
            heard = both.link.tools._said["left"]
            assert heard.ui_type == kind
            assert heard.has_calibration is (kind == ELECTRIC)
            assert json.loads(heard.properties) == {TOOL_KEY: both.link.robot.left.tool.name}
