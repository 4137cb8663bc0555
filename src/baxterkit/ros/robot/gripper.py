"""A gripper as the robot's topics show it: calibrate, configure, go, grip, release, stop.

Its properties name the kind of the tool: electric, suction, custom or none; in the field that the
message leaves open, the twin names the tool itself, which says the fingers. An electric gripper's
fingers are those of the twin, which close on objects and hold them. Another tool obeys as if it had
fingers, which hold nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from baxterkit.messages import Message
from baxterkit.ros import topics
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.hands import KINDS, kind_of
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.robot.pace import Pace
from baxterkit.ros.robot.tree import STROKE
from baxterkit.sim.limb import TwinLimb

SPEED = 2.5
"""Speed of fingers of our own [openings per second]."""
IDENTITY = 65664
"""Number of the electric gripper's hardware."""
HOLDING = 30.0
"""Force with which it holds [% of the greatest], unless it is configured otherwise."""
DEAD_ZONE = 5.0
"""Opening below which closed fingers have missed [%]."""
STILL = 1e-6
"""Openings this close are equal."""


class RobotGripper:
    """The gripper of one hand.

    Args:
        node: The node `end_effector_publisher`.
        limb: The arm in the twin.
        pace: Of the twin.
    """

    def __init__(self, node: Node, limb: TwinLimb, pace: Pace) -> None:
        side = limb.side
        self._limb, self._pace = limb, pace
        self._own = 1.0
        self._wanted = self.opening
        self._calibrated = False
        self._holding = HOLDING
        self._last = ("", "", 0)
        self._state = Outlet(node, topics.limb(side, "gripper_state"))
        self._properties = Outlet(node, topics.limb(side, "gripper_properties"), latch=True)
        node.subscribe(*topics.limb(side, "gripper"), lambda message, _: self._command(message))
        for word in ("gripper_set_properties", "gripper_set_state"):
            node.subscribe(*topics.limb(side, word), lambda *_: None)
        name = limb.arm.tool.name
        kind = kind_of(name)
        electric = kind == "electric"
        self._properties(
            id=IDENTITY if electric else 0,
            ui_type=next(number for number, word in KINDS.items() if word == kind),
            manufacturer="baxterkit",
            product=f"the twin's {name}",
            serial_number="0",
            hardware_rev="1",
            firmware_rev="1.1.242",
            firmware_date="2015/1/1 00:00:00",
            has_calibration=electric,
            controls_grip=kind in ("electric", "suction"),
            senses_grip=electric,
            reverses_grip=False,
            controls_force=electric,
            senses_force=electric,
            controls_position=electric,
            senses_position=electric,
            properties=json.dumps({"tool": name}),
        )

    @property
    def opening(self) -> float:
        """How far it is open, 0 (closed) to 1 (open)."""
        opening = self._limb.opening
        return self._own if opening is None else opening

    @property
    def finger(self) -> float:
        """Position of a finger [m]."""
        return STROKE * self.opening

    @property
    def moves(self) -> bool:
        """Whether the fingers move."""
        if self._limb.opening is not None:
            return self._limb.fingers_move
        return abs(self._wanted - self._own) > STILL

    @property
    def grips(self) -> bool:
        """Whether something keeps the fingers from closing as far as they were told to."""
        return not self.moves and self.opening > self._wanted + STILL

    def step(self, dt: float) -> None:
        """Lets fingers of our own move for `dt` seconds; the twin moves its own."""
        left = self._wanted - self._own
        self._own += max(-SPEED * dt, min(SPEED * dt, left))

    def publish(self) -> None:
        """Publishes the state."""
        if not self._state:
            return
        with self._pace:
            opening, moves, grips = self.opening, self.moves, self.grips
            stamp = self._pace.stamp
        shut = not moves and not grips and 100.0 * opening <= DEAD_ZONE
        command, sender, sequence = self._last
        self._state(
            timestamp=stamp,
            id=IDENTITY,
            enabled=1,
            calibrated=int(self._calibrated),
            ready=int(self._calibrated),
            moving=int(moves),
            gripping=int(grips),
            missed=int(shut),
            error=0,
            reverse=0,
            position=100.0 * opening,
            force=self._holding if grips else 0.0,
            state="moving" if moves else "gripping" if grips else "idle",
            command=command,
            command_sender=sender,
            command_sequence=sequence,
        )

    def _command(self, message: Message) -> None:
        with self._pace:
            act = self._actions().get(message.command)
            if act is not None:
                act(message.args)
            self._last = (message.command, message.sender, message.sequence)

    def _actions(self) -> dict[str, Callable[[str], None]]:
        return {
            "calibrate": lambda _: self._calibrate(True),
            "clear_calibration": lambda _: self._calibrate(False),
            "configure": self._configure,
            "go": lambda args: self._go(_number(args, "position", 100.0 * self._wanted)),
            "grip": lambda _: self._go(0.0),
            "release": lambda _: self._go(100.0),
            "stop": lambda _: self._move(self.opening),
        }

    def _calibrate(self, on: bool) -> None:
        self._calibrated = on
        if on:
            self._move(1.0)

    def _configure(self, args: str) -> None:
        self._holding = _number(args, "holding_force", self._holding)

    def _go(self, percent: float) -> None:
        if self._calibrated:
            self._move(percent / 100.0)
        else:
            LOG.warning("the %s gripper is not calibrated, and stays", self._limb.side)

    def _move(self, opening: float) -> None:
        self._wanted = opening
        if self._limb._fingers is not None:
            self._limb._fingers.command(opening)


def _number(args: str, name: str, default: float) -> float:
    """A value from 0 to 100 among the arguments of a command."""
    try:
        value = float(json.loads(args)[name])
    except (ValueError, TypeError, KeyError, RecursionError):
        return default
    return default if math.isnan(value) else min(max(value, 0.0), 100.0)
