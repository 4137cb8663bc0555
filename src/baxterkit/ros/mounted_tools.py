"""Which tool each hand wears: what the robot says of it, and the tool that the gate reckons with.

The robot names the kind of its grippers on `/robot/end_effector/*_gripper/properties`, but not the
fingers of an electric one. So the model's tool is used where the robot's word agrees with it. Where
the robot says nothing, or something else, the gate reckons with "gripper", the largest body, which
contains those of all tools; a shape that the model's tool has is kept beside it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.collision.tool_bodies import tool_body
from baxterkit.messages import Message
from baxterkit.model.model import ArmModel, Tool
from baxterkit.model.names import SIDES
from baxterkit.model.tool import ANY_ELECTRIC, ANY_GRIPPER, full_name
from baxterkit.ros import topics
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node

KINDS = {0: "none", 1: "suction", 2: "electric", 3: "custom"}
"""`ui_type` of the properties -> kind of tool, as Rethink's own programs call them."""
TOOL_KEY = "baxterkit_tool"
"""Key of the tool's name in the field of the properties that the message leaves open."""
WAIT = 1.0
"""Longest wait for the properties of a gripper that a node publishes [s]."""


@dataclass(frozen=True)
class MountedTool:
    """The tool of one hand, as the gate reckons with it.

    Attributes:
        side: "left" or "right".
        tool: The tool; its name is "gripper" where the largest body stands for it.
        known: Whether robot and model agree.
        reason: Why this tool.
        other: Whether the robot names another tool than the model.
    """

    side: str
    tool: Tool
    known: bool
    reason: str
    other: bool = False


class MountedTools:
    """Listens to what the robot says of its grippers.

    Args:
        node: The node.
        robot: The robot's model.
        given: Whether a user gave that model; else it is of the robot's description.
        changed: Called with the robot to reckon with, whenever that has changed.
    """

    def __init__(
        self, node: Node, robot: Baxter, given: bool, changed: Callable[[Baxter], None]
    ) -> None:
        self._model, self._given, self._changed = robot, given, changed
        self._lock = threading.Lock()
        self._said: dict[str, Message] = {}
        self._heard = node.clock.condition()
        self._now: dict[str, MountedTool] = {}
        self._started = False
        self.robot = robot
        for side in SIDES:
            node.subscribe(*topics.limb(side, "gripper_properties"), self._noting(side))
        names = {side: topics.limb(side, "gripper_properties").name for side in SIDES}
        told = {side for side, name in names.items() if node.publishers_of(name)}
        self._heard.wait_for(lambda: told <= set(self._said), WAIT if told else 0.0)
        self._started = True
        self._decide()

    def __getitem__(self, side: str) -> MountedTool:
        """The tool of a side, as the gate reckons with it."""
        return self._now[side]

    def worn(self, side: str) -> str:
        """Name of the tool of a side: the model's, unless the robot names another one."""
        hand, model = self._now[side], self._model.arm(side).model.tool.name
        return hand.tool.name if hand.other or hand.tool.name != ANY_GRIPPER else str(model)

    def kind(self, side: str) -> str | None:
        """The kind of the tool as the robot tells: "none", "suction", "electric" or "custom"."""
        return _told(self._said.get(side))

    def _noting(self, side: str) -> Callable[[Message, str], None]:
        def note(message: Message, _who: str) -> None:
            self._said[side] = message
            self._heard.notify()
            if self._started:
                self._decide()

        return note

    def _decide(self) -> None:
        with self._lock:
            hands = {
                side: resolve(self._model.arm(side).model, self._said.get(side), self._given)
                for side in SIDES
            }
            before, self._now = self._now, hands
            for side, hand in hands.items():
                news = side not in before or before[side].reason != hand.reason
                if news and not hand.known:
                    LOG.warning(
                        "%s; the gate checks the %s hand with the largest body", hand.reason, side
                    )
            if all(_same(before.get(side), hand) for side, hand in hands.items()):
                return
            self.robot = _wearing(self._model, hands)
            self._changed(self.robot)  # here, so that the last one told is the last one known


def kind_of(name: str) -> str:
    """The kind of a tool by its name: "none", "suction", "electric" or "custom"."""
    full = full_name(name)
    if full == "hand":
        return "none"
    return {"electric": "electric", "vacuum": "suction"}.get(full.partition("_")[0], "custom")


def resolve(model: ArmModel, said: Message | None, given: bool) -> MountedTool:
    """The tool to reckon with.

    Args:
        model: The arm, with the tool that the model has.
        said: The properties of its gripper; None if the robot has not published any.
        given: Whether a user gave the model; else it is of the robot's description.
    """
    side, tool = model.side, model.tool
    whose = "model" if given else "description"
    kind = kind_of(tool.name)
    told = _told(said)
    if tool.name == ANY_GRIPPER:
        return _largest(model, f"the {whose} does not tell which gripper the {side} hand wears")
    if told is None:
        if kind in ("electric", "suction") and not given:
            return MountedTool(side, tool, True, f"the description names {tool.name}")
        says = "nothing" if said is None else f"a gripper of the unknown type {said.ui_type}"
        return _largest(model, f"the robot says {says} of the {side} hand's gripper")
    exact = _named_by_twin(said)
    if exact is not None and kind_of(exact) == kind and kind != "custom" and not tool.shape:
        if not given or full_name(tool.name) in (exact, ANY_ELECTRIC):
            return MountedTool(side, _renamed(tool, exact), True, f"the twin wears {exact}")
        if kind == "electric":  # the other fingers than the model's
            reason = f"the {side} hand of the twin wears {exact}, not {tool.name}"
            return replace(_largest(model, reason), other=True)
    if kind == told:
        if kind == "custom" and not tool.shape:
            return _shapeless(model, whose)
        if kind == "electric" and not tool.shape and not _has_body(tool.name):
            tool = _renamed(tool, ANY_ELECTRIC)
        if kind == "suction" and not tool.shape and not _has_body(tool.name):
            return _shapeless(model, whose)
        if tool.name == ANY_ELECTRIC:
            reason = f"the {side} hand's electric gripper may have any fingers"
            return MountedTool(side, tool, True, reason)
        return MountedTool(side, tool, True, f"robot and {whose} agree on {tool.name}")
    if kind == "custom" and told == "none" and given:
        # Nothing electric is plugged in; a tool of the user's own does not tell of itself.
        if not tool.shape:
            return _shapeless(model, whose)
        reason = f"the model names {tool.name}, which the robot cannot know"
        return MountedTool(side, tool, True, reason)
    if kind == "none" and not given and told in ("electric", "suction"):
        # The robot's description has the gripper's frames alone, unless it was configured.
        name = exact or (ANY_ELECTRIC if told == "electric" else "vacuum")
        return MountedTool(side, _renamed(tool, name), True, f"the robot says that it is {told}")
    reason = (
        f"the {side} hand's gripper is {_word(told)} to the robot, {tool.name!r} to the {whose}"
    )
    return replace(_largest(model, reason), other=True)


def _largest(model: ArmModel, reason: str) -> MountedTool:
    return MountedTool(model.side, _renamed(model.tool, ANY_GRIPPER), False, reason)


def _shapeless(model: ArmModel, whose: str) -> MountedTool:
    """A tool of which the tip alone is known."""
    name, side = model.tool.name, model.side
    return _largest(
        model, f"the {whose} has no shape of the {side} hand's tool {name!r}: Tool(..., shape=...)"
    )


def _renamed(tool: Tool, name: str) -> Tool:
    """The same tip, mass and shape, with the body of another tool."""
    return tool if tool.name == name else Tool(name, tool.T_hand_tip, tool.inertial, tool.shape)


def _told(said: Message | None) -> str | None:
    """The kind of tool that the properties name; of a bare hand the twin says more than "custom".

    The robot has one word for a bare hand and for a tool of one's own.
    """
    if said is None:
        return None
    kind = KINDS.get(int(said.ui_type))
    return "none" if kind == "custom" and _named_by_twin(said) == "hand" else kind


def _named_by_twin(said: Message | None) -> str | None:
    """The tool that the twin names in its properties; the robot's own do not say."""
    if said is None:
        return None
    try:
        name = json.loads(said.properties)[TOOL_KEY]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return full_name(name) if isinstance(name, str) and _has_body(name) else None


def _has_body(name: str) -> bool:
    """Whether that is a tool that was sold with the robot."""
    return tool_body(name) is not None


def _word(kind: str) -> str:
    return "not there" if kind == "none" else kind


def _same(one: MountedTool | None, other: MountedTool) -> bool:
    return one is not None and one.tool.name == other.tool.name


def _wearing(robot: Baxter, hands: dict[str, MountedTool]) -> Baxter:
    """The robot with these tools; the same robot where they are its own."""
    arms: dict[str, Arm] = {side: robot.arm(side) for side in SIDES}
    if all(hands[side].tool is arm.tool for side, arm in arms.items()):
        return robot
    return robot.replace(**{s: arm.replace(tool=hands[s].tool) for s, arm in arms.items()})
