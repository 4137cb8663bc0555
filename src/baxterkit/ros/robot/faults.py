"""Faults of the twin, to practise on and to test by: each is what the doctor calls by its name.

`Behaviour(faults=("estop_pressed",))`, or `baxterkit ros twin --fault estop_pressed`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.clock import Task
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.messages import Message, message_class
from baxterkit.ros import topics
from baxterkit.ros.errors import RosError
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.graph.own_master import own_master
from baxterkit.ros.graph.wire import XmlValue
from baxterkit.ros.node import Node
from baxterkit.ros.robot.message_faults import (
    JOINTS,
    STATE,
    Header,
    altered,
    at_times,
    changed,
    frozen,
    in_bursts,
    joint,
    lost,
    shifted,
    stopping,
    thinned,
    without,
)
from baxterkit.ros.robot.tampering import TamperedNode, Tampering
from baxterkit.ros.topics import Topic

if TYPE_CHECKING:
    from baxterkit.ros.robot.twin_robot import TwinRobot

NOWHERE = "192.0.2.7"
"""An address that belongs to nobody (RFC 5737)."""
NO_NAME = "011305P0009.invalid"
"""A name that is never resolved (RFC 2606)."""
PAUSE = 0.3
"""Time before each answer of a slow node [s]."""
OTHER = "old_script"
"""Name of the node of another program."""


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        sentence: What is wrong.
        tamperings: What happens to messages.
        parameters: Values of parameters in the place of the twin's own; None: not set.
        hidden: Topics that are not published.
        types: Topics that are published as another type.
        start: What begins once the robot is there.
        host: Address that the robot's node gives.
        sockets: Whether it takes a master and sockets.
    """

    sentence: str
    tamperings: tuple[Tampering, ...] = ()
    parameters: dict[str, XmlValue] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    types: dict[str, type[Message]] = field(default_factory=dict)
    start: Callable[[Faults, TwinRobot], None] | None = None
    host: str | None = None
    sockets: bool = False


class Faults:
    """The faults of one robot.

    Args:
        names: Their names.
        master: The robot's master.

    Raises:
        UnknownNameError: If there is no such fault.
        InputError: If a fault takes sockets, and there are none.
    """

    def __init__(self, names: Iterable[str], master: str | LocalGraph | None) -> None:
        self._names = known(names)
        self._faults = [FAULTS[name] for name in self._names]
        self._master = master
        self._ends: list[Callable[[], None]] = []
        for name, fault in zip(self._names, self._faults, strict=True):
            if fault.sockets and isinstance(master, LocalGraph):
                raise InputError(
                    f"the fault {name!r} is one of the network, and this twin has none; "
                    f"baxterkit ros twin --fault {name}"
                )

    @property
    def host(self) -> str | None:
        """Address that the robot's node gives; None: its own."""
        return next((fault.host for fault in self._faults if fault.host), None)

    def on(self, node: Node) -> Node:
        """The node with the faults."""
        if not self._faults:
            return node
        parts = self._faults
        return TamperedNode(
            node,
            [tampering for fault in parts for tampering in fault.tamperings],
            {name: value for fault in parts for name, value in fault.parameters.items()},
            frozenset().union(*(fault.hidden for fault in parts)),
            {topic: kind for fault in parts for topic, kind in fault.types.items()},
        )

    def start(self, robot: TwinRobot) -> None:
        """Lets begin what a robot is needed for."""
        for fault in self._faults:
            if fault.start is not None:
                fault.start(self, robot)

    def beside(self, name: str = OTHER) -> Node:
        """A node of another program at the same master, until the robot ends."""
        graph = self._master
        node = graph.node(name) if isinstance(graph, LocalGraph) else TcpNode(name, graph)
        self._ends.append(node.close)
        return node

    def until(self, task: Task) -> None:
        """Ends a task with the robot."""
        self._ends.append(task.close)

    def at_end(self, act: Callable[[], None]) -> None:
        """Calls something when the robot ends."""
        self._ends.append(act)

    def close(self) -> None:
        """Ends what has begun."""
        while self._ends:
            self._ends.pop()()


def known(names: Iterable[str]) -> tuple[str, ...]:
    """The names of faults.

    Raises:
        UnknownNameError: If there is no such fault.
    """
    found = (names,) if isinstance(names, str) else tuple(names)
    for name in found:
        if name not in FAULTS:
            raise UnknownNameError("fault", name, FAULTS)
    return found


def _sending(
    topic: Topic, rate: float, make: Callable[[TwinRobot], dict[str, object]]
) -> Callable[[Faults, TwinRobot], None]:
    """Another program that sends on a topic."""

    def start(faults: Faults, robot: TwinRobot) -> None:
        node = faults.beside()
        publisher = node.advertise(*topic)
        faults.until(
            node.clock.every(
                1.0 / rate, lambda: publisher.publish(topic.kind(**make(robot))), "other program"
            )
        )

    return start


def _commands(robot: TwinRobot) -> dict[str, object]:
    arm = robot.arms["left"].limb
    return {"mode": topics.MODES["position"], "names": list(arm.arm.joint_names),
            "command": np.array(arm.published.q)}  # fmt: skip


def _joints(robot: TwinRobot) -> dict[str, object]:
    states = [limb.published for limb in robot.twin.limbs]
    return {
        "header": Header(stamp=robot.lock.stamp),
        "name": [name for limb in robot.twin.limbs for name in limb.arm.joint_names],
        "position": np.concatenate([state.q for state in states]),
        "velocity": np.concatenate([state.qd for state in states]),
        "effort": np.concatenate([state.tau for state in states]),
    }


def _state(robot: TwinRobot) -> dict[str, object]:
    message = robot.assembly.message()
    return {name: getattr(message, name) for name, _ in message._fields}


def _press_estop(_: Faults, robot: TwinRobot) -> None:
    robot.assembly.press()


def _stop(_: Faults, robot: TwinRobot) -> None:
    robot.assembly.stop()


def _press_cuff(_: Faults, robot: TwinRobot) -> None:
    robot.buttons.press("left_cuff")


def _simulated_time(faults: Faults, robot: TwinRobot) -> None:
    robot.node.set_parameter(topics.SIMULATED_TIME, True)

    def end() -> None:
        with suppress(RosError):
            robot.node.set_parameter(topics.SIMULATED_TIME, False)

    faults.at_end(end)


def _tcp(robot: TwinRobot) -> TcpNode:
    assert isinstance(robot.own_node, TcpNode)
    return robot.own_node


def _gone_node(faults: Faults, robot: TwinRobot) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{probe.getsockname()[1]}/"
    node, (topic, kind) = _tcp(robot), topics.of_robot("joint_states")
    other = node.master.as_caller("/old_driver")
    other.call("registerPublisher", topic, kind.TYPE, uri)

    def end() -> None:
        with suppress(RosError):
            other.call("unregisterPublisher", topic, uri)

    faults.at_end(end)


def _deaf_port(_: Faults, robot: TwinRobot) -> None:
    _tcp(robot).close_data_port()


def _slow_answers(_: Faults, robot: TwinRobot) -> None:
    _tcp(robot).answer_after(PAUSE)


def _mute_master(_: Faults, robot: TwinRobot) -> None:
    uri = _tcp(robot).master.uri
    master = own_master(uri)
    if master is None:
        raise InputError(
            f"the fault 'own_address' is one of the twin's own master, and that at {uri} is "
            "another program's; leave out --master, or give a free port of this computer"
        )
    master.calls = False


def _shift_tip(message: Message) -> None:
    message.pose.position.x += 0.05


_LEFT_END, _RIGHT_END = (topics.limb(side, "endpoint").name for side in ("left", "right"))
_CHECKUP = "/robustcontroller/{}/{}/status"

FAULTS: dict[str, Fault] = {
    "node_name": Fault(
        "The robot's node gives a name that cannot be resolved.", host=NO_NAME, sockets=True
    ),
    "node_address": Fault(
        "The robot's node gives an address that cannot be reached.", host=NOWHERE, sockets=True
    ),
    "node_gone": Fault("The master lists a node that has ended.", start=_gone_node, sockets=True),
    "data_port": Fault("A firewall blocks the robot's messages.", start=_deaf_port, sockets=True),
    "own_address": Fault("The robot cannot reach this computer.", start=_mute_master, sockets=True),
    "slow_network": Fault("Calls take long.", start=_slow_answers, sockets=True),
    "clock_ahead": Fault("The robot's clock is ahead by 5 s.", (shifted("*", lambda t: 5.0),)),
    "clock_behind": Fault("The robot's clock is behind by 90 s.", (shifted("*", lambda t: -90.0),)),
    "clock_set": Fault(
        "The robot's clock is set to and fro by 3 s.",
        (shifted("*", lambda t: 3.0 * (t % 1.2 < 0.6)),),
    ),
    "stamps_stuck": Fault("All joint states have one stamp.", (frozen(JOINTS, values=False),)),
    "simulated_time": Fault("/use_sim_time is set.", start=_simulated_time),
    "software_version": Fault(
        "The robot has software 1.0.", parameters={topics.VERSION: "1.0.0.40"}
    ),
    "software_unknown": Fault(
        "The robot tells no version of its software.", parameters={topics.VERSION: None}
    ),
    "robot_class": Fault("The robot is a Sawyer.", parameters={topics.CLASS: "Sawyer"}),
    "no_description": Fault(
        "There is no /robot_description.", parameters={topics.DESCRIPTION: None}
    ),
    "description_unreadable": Fault(
        "/robot_description is cut off.",
        parameters={topics.DESCRIPTION: "<robot name='baxter'><link name='base'>"},
    ),
    "message_type": Fault(
        "/robot/state has another type.", types={STATE: message_class("std_msgs/Bool")}
    ),
    "estop_pressed": Fault("The emergency stop is pressed.", start=_press_estop),
    "estop_unknown": Fault(
        "The emergency stop is not plugged in.", (changed(STATE, estop_button=2),)
    ),
    "stopped": Fault("The robot was stopped.", start=_stop),
    "error_state": Fault(
        "The robot reports an error.",
        (changed(STATE, error=True, stopped=True, enabled=False, estop_source=3),),
    ),
    "diagnostics_error": Fault(
        "Diagnostics report a failed part.",
        (changed("/diagnostics_toplevel_state", level=2, message="left_w1: no current"),),
    ),
    "contact": Fault(
        "The left arm touches something.",
        (changed(topics.limb("left", "detection").name, collision_state=True),),
    ),
    "cuff_squeezed": Fault("The left cuff is squeezed.", start=_press_cuff),
    "calibration_failed": Fault(
        "The left arm's calibration has failed.",
        (changed(_CHECKUP.format("left", "CalibrateArm"), complete=1, errorCodes=["timeout"]),),
    ),
    "tare_failed": Fault(
        "The right arm's tare has failed.",
        (changed(_CHECKUP.format("right", "Tare"), complete=1, errorCodes=["moved"]),),
    ),
    "torque_offset": Fault(
        "The zero of a torque sensor is off by 12 N m.",
        (joint("left_e0", "effort", lambda tau: tau + 12.0),),
    ),
    "beyond_limits": Fault(
        "A joint reads 0.3 rad beyond its limit.", (joint("right_e1", "position", lambda q: -0.35),)
    ),
    "tip_differs": Fault(
        "The robot computes the right tip 5 cm off.", (altered(_RIGHT_END, _shift_tip),)
    ),
    "gripper_error": Fault(
        "The left gripper reports an error.",
        (changed(topics.limb("left", "gripper_state").name, error=1),),
    ),
    "controllers_not_loaded": Fault(
        "The right arm's controllers are not loaded.",
        (changed("/robustcontroller/right/rc_plugins_loaded", data=False),),
    ),
    "joints_missing": Fault("Nobody publishes /robot/joint_states.", hidden=frozenset({JOINTS})),
    "joints_silent": Fault("/robot/joint_states is silent.", (lost(JOINTS),)),
    "state_missing": Fault("Nobody publishes /robot/state.", hidden=frozenset({STATE})),
    "state_silent": Fault("/robot/state is silent.", (lost(STATE),)),
    "endpoint_silent": Fault("The left endpoint state is silent.", (lost(_LEFT_END),)),
    "states_stopped": Fault(
        "Joint states end a second after somebody listens.", (stopping(JOINTS, 1.0),)
    ),
    "two_robots": Fault(
        "A second node publishes /robot/state.",
        start=_sending(topics.of_robot("state"), 10.0, _state),
    ),
    "two_joint_publishers": Fault(
        "A second node publishes the arms' joints.",
        start=_sending(topics.of_robot("joint_states"), 10.0, _joints),
    ),
    "arm_missing": Fault("The right arm's joints are missing.", (without("right_"),)),
    "no_velocities": Fault("Joint states have no velocities.", (changed(JOINTS, velocity=[]),)),
    "not_finite": Fault(
        "A joint's position is NaN.", (joint("right_w0", "position", lambda _: float("nan")),)
    ),
    "values_frozen": Fault("Joint states repeat the same values.", (frozen(JOINTS, values=True),)),
    "rival_commands": Fault(
        "Another program commands the left arm.",
        start=_sending(topics.limb("left", "command"), 20.0, _commands),
    ),
    "rival_timeout": Fault(
        "Another program sets the right arm's command timeout.",
        start=_sending(topics.limb("right", "timeout"), 5.0, lambda _: {"data": 0.2}),
    ),
    "rival_enable": Fault(
        "Another program disables the robot over and over.",
        start=_sending(topics.of_robot("enable"), 2.0, lambda _: {"data": False}),
    ),
    "gravity_suppressed": Fault(
        "Another program suppresses the left arm's gravity compensation.",
        start=_sending(topics.limb("left", "suppress_gravity"), 10.0, lambda _: {}),
    ),
    "joints_slow": Fault("Joint states come at 20 Hz.", (thinned(JOINTS, 0.05),)),
    "state_slow": Fault("/robot/state comes twice a second.", (thinned(STATE, 0.5),)),
    "gaps": Fault(
        "Half of the joint states are lost, 0.3 s at a time.",
        (at_times(JOINTS, lambda t: t % 0.6 < 0.3),),
    ),
    "late_states": Fault("Joint states come in bursts, every 0.4 s.", (in_bursts(JOINTS, 0.4),)),
}
"""Name -> fault. The names are those of the doctor's findings."""
