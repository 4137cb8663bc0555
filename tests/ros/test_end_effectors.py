"""The grippers of the twin by the kind of their tool, on simulated time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.messages import Message
from baxterkit.model import Tool
from baxterkit.ros import LocalGraph, RobotLink, TwinRobot, topics
from baxterkit.ros.robot.custom_hand import IDENTITY
from baxterkit.sim import Twin

CUSTOM, SUCTION, ELECTRIC = 3, 1, 2


class Programs:
    """A twin, and another program's node that hears and commands its left gripper."""

    def __init__(self, twin: Twin) -> None:
        self.graph = LocalGraph()
        self.robot = TwinRobot(twin, self.graph, enabled=True)
        self.heard: dict[str, Message] = {}
        node = self.graph.node("program")
        for word in ("gripper_state", "gripper_properties"):
            node.subscribe(*topics.limb("left", word), self._noting(word))
        self._send = {
            word: node.advertise(*topics.limb("left", word))
            for word in ("gripper", "gripper_set_state", "gripper_set_properties")
        }
        self.graph.clock.sleep(0.2)

    def _noting(self, word: str):  # type: ignore[no-untyped-def]
        return lambda message, _: self.heard.__setitem__(word, message)

    def send(self, word: str, wait: float = 0.2, **fields: object) -> Message:
        kind = topics.limb("left", word).kind
        self._send[word].publish(kind(**fields))
        self.graph.clock.sleep(wait)
        return self.heard["gripper_state"]


def vacuum_over_a_box(gap: float) -> Twin:
    """A suction cup this far above a box that can be lifted [m]."""
    robot = Baxter(Arm("left", "vacuum"))
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.7, 0.3, 0.0
    q = robot.left.ik(T, robot.left.configuration("neutral")).raise_if_failed().q
    world = World()
    world.add_table("table", -0.1 - gap)
    world.add_box("parcel", (0.1, 0.1, 0.1), (0.7, 0.3, -0.05 - gap), mass=0.2)
    twin = Twin(robot, world=world, rigid=True)
    twin.place(left=q)
    return twin


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("hand", CUSTOM), (Tool("rod", np.eye(4)), CUSTOM), ("vacuum", SUCTION),
     ("electric_standard", ELECTRIC)],
)  # fmt: skip
def test_a_hand_says_which_kind_of_gripper_it_has(tool: str | Tool, kind: int) -> None:
    programs = Programs(Twin(Baxter(Arm("left", tool)), rigid=True))
    assert programs.heard["gripper_properties"].ui_type == kind


def test_a_bare_hand_is_custom_to_programs_and_bare_to_a_link() -> None:
    programs = Programs(Twin(rigid=True))
    assert programs.heard["gripper_properties"].id == IDENTITY
    with RobotLink(programs.graph) as link:
        assert link.tools["left"].known
        assert link.tools["left"].tool.name == "hand"
        assert link.left.opening is None
        assert not link.left.gripping


def test_programs_may_tell_of_a_tool_of_their_own() -> None:
    programs = Programs(Twin(rigid=True))
    programs.send("gripper_set_properties", id=7, manufacturer="ours", product="hook")
    told = programs.heard["gripper_properties"]
    assert (told.id, told.manufacturer, told.ui_type) == (7, "ours", CUSTOM)
    state = programs.send("gripper_set_state", enabled=1, calibrated=2, gripping=1, position=40.0)
    assert (state.gripping, state.position) == (1, 40.0)


def test_a_cup_lifts_what_it_touches_and_blows_it_off() -> None:
    programs = Programs(vacuum_over_a_box(0.005))
    state = programs.send("gripper", command="go", args=json.dumps({"grip_attempt_seconds": 3.0}))
    seen = json.loads(state.state)
    assert seen["vacuum"]
    assert seen["sucking"]
    assert state.gripping
    assert programs.robot.twin.left.holds == "parcel"
    programs.graph.clock.sleep(5.0)  # a grip outlasts its attempt
    assert json.loads(programs.heard["gripper_state"].state)["vacuum"]
    seen = json.loads(programs.send("gripper", command="stop").state)
    assert not seen["vacuum"]
    assert seen["blowing"]
    assert programs.robot.twin.left.holds is None
    programs.graph.clock.sleep(0.5)
    assert not json.loads(programs.heard["gripper_state"].state)["blowing"]


def test_a_cup_that_touches_nothing_gives_up() -> None:
    programs = Programs(vacuum_over_a_box(0.1))
    state = programs.send("gripper", command="go", args=json.dumps({"grip_attempt_seconds": 1.0}))
    seen = json.loads(state.state)
    assert seen["sucking"]
    assert not seen["vacuum"]
    assert 0 < seen["vacuum sensor"] < 46
    programs.graph.clock.sleep(1.5)
    state = programs.heard["gripper_state"]
    assert not json.loads(state.state)["sucking"]
    assert state.missed


def test_fingers_have_a_joint_state_and_other_tools_have_none() -> None:
    for tool, there in (("electric_standard", True), ("hand", False), ("vacuum", False)):
        graph = LocalGraph()
        names: set[str] = set()
        with TwinRobot(Twin(tool=tool, rigid=True), graph):
            graph.node("reader").subscribe(
                *topics.of_robot("joint_states"),
                lambda message, _, names=names: names.update(message.name),
            )
            graph.clock.sleep(0.2)
        assert (topics.GRIPPER_JOINTS["left"] in names) is there, tool
