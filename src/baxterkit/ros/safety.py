"""The gate: one place decides what is sent to the robot, and nothing else can send.

`Gate` alone makes publishers of the command topics, and keeps them to itself. A command passes if
the robot is enabled, its states are fresh and come from one node each, the values are finite and
within the limits, they are near enough to what was measured, and the arm touches neither itself nor
the known world on the way; under velocities and torques also not on the way to rest if we fell
silent right after.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array
from baxterkit.collision.world import World
from baxterkit.errors import BaxterkitError
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.names import SIDES, joint_names
from baxterkit.ros import topics
from baxterkit.ros.errors import RefusedError
from baxterkit.ros.node import Node, Publisher
from baxterkit.ros.prediction import after_torque, after_velocity
from baxterkit.ros.states import ArmReading, States
from baxterkit.types import Array, JointVector

__all__ = ["Gate", "Rules"]


_ROBOT_COMMANDS = ("enable", "reset", "stop", "head_pan")
_LIMB_COMMANDS = (
    "command",
    "timeout",
    "speed_ratio",
    "suppress_gravity",
    "suppress_avoidance",
    "gripper",
)


@dataclass(frozen=True)
class Rules:
    """What the gate allows.

    Attributes:
        jump: Largest difference of a commanded position from the measured one [rad].
        stale: Age at which states no longer count [s].
        stall: A motion ends if the process is held up for longer [s]: the robot brakes then.
        padding: Clearance below which links count as touching [m].
        timeout: Time for which the robot obeys a command [s]; 0.2 unless it was told otherwise.
        torque_timeout: The same under torques [s]; the gate tells the robot.
        collisions: Whether contacts are checked at all.
        world: Obstacles.
    """

    jump: float = 0.3
    stale: float = 0.1
    stall: float = 0.15
    padding: float = 0.005
    timeout: float = 0.2
    torque_timeout: float = 0.05
    collisions: bool = True
    world: World | None = None


class Gate:
    """Decides, and sends.

    Args:
        node: The node; the gate alone advertises topics on it.
        states: What the robot says.
        robot: The robot's model.
        rules: What is allowed.
    """

    def __init__(self, node: Node, states: States, robot: Baxter, rules: Rules) -> None:
        self._node, self._states, self._robot, self.rules = node, states, robot, rules
        self._wire: dict[str, Publisher] = {}
        self._lock = threading.RLock()
        self._armed = False
        self._sent: dict[str, tuple[float, str, JointVector]] = {}
        self._borne: set[str] = set()
        self._sequence = 0
        self.refused = 0

    @property
    def armed(self) -> bool:
        """Whether commands are sent at all."""
        return self._armed

    def arm(self) -> None:
        """Allows commands.

        Raises:
            RefusedError: Unless exactly one node publishes the robot's state, one the arms'.
        """
        with self._lock:
            self._check_sources()
            known = self._node.publishers_of(topics.of_robot("state").name)
            if len(known) != 1:
                raise refusal(
                    "publishers",
                    f"{len(known)} nodes publish /robot/state: {known}; "
                    "one is expected: stop the others, such as a forgotten mock",
                )
            self._connect()
            self._armed = True

    def disarm(self) -> None:
        """Sends no more commands; the robot's own timeout holds the arms."""
        with self._lock:
            self._armed = False

    def joints(self, side: str, mode: str, values: ArrayLike) -> None:
        """Sends a joint command: "position", "raw position" [rad], "velocity", "torque".

        Raises:
            RefusedError: If it is not allowed; nothing was sent.
        """
        with self._lock:
            try:
                row = self._finite(side, mode, values)
                self._check_robot()
                here, there = self._fresh(side), self._fresh(_other(side))
                {
                    "position": self._check_position,
                    "raw position": self._check_position,
                    "velocity": self._check_velocity,
                    "torque": self._check_torque,
                }[mode](side, row, here, there)
            except RefusedError:
                self.refused += 1
                raise
            before = self._sent.get(side)
            if mode == "torque" and (before is None or before[1] != "torque"):
                self._send(topics.limb(side, "timeout"), data=self.rules.torque_timeout)
            elif mode != "torque" and before is not None and before[1] == "torque":
                self._send(topics.limb(side, "timeout"), data=self.rules.timeout)
            if mode == "torque" and side in self._borne:
                self._send(topics.limb(side, "suppress_gravity"))
            self._sent[side] = (time.monotonic(), mode, row)
            self._send(
                topics.limb(side, "command"),
                mode=topics.MODES[mode],
                command=row,
                names=list(joint_names(side)),
            )

    def rest(self, side: str) -> None:
        """Ends a motion: zero velocity if the arm moves by velocities; else nothing is needed.

        Never raises: it is called when something has gone wrong.
        """
        with self._lock:
            last = self._sent.pop(side, None)
            if not self._armed or last is None or self._node.closed:
                return
            try:
                if last[1] == "velocity":
                    self._send(
                        topics.limb(side, "command"),
                        mode=topics.MODES["velocity"],
                        command=np.zeros(7),
                        names=list(joint_names(side)),
                    )
                elif last[1] == "torque":
                    self._send(topics.limb(side, "timeout"), data=self.rules.timeout)
            except BaxterkitError:
                pass

    def enable(self, on: bool) -> None:
        """Enables or disables the robot."""
        self._allow()
        self._send(topics.of_robot("enable"), data=on)

    def reset(self) -> None:
        """Clears a stop or a fault; the robot is disabled then."""
        self._allow()
        self._send(topics.of_robot("reset"))

    def stop(self) -> None:
        """Stops the robot as its button does; allowed at all times."""
        with self._lock:
            self._connect()
        self._send(topics.of_robot("stop"))

    def suppress_avoidance(self, side: str) -> None:
        """Suppresses the robot's own collision avoidance for a moment: to leave the tuck pose."""
        self._allow()
        self._send(topics.limb(side, "suppress_avoidance"))

    def bear(self, side: str, by_torques: bool) -> None:
        """Says who bears an arm under torques: they do, or the robot's gravity compensation.

        If they do, compensation is suppressed with every torque command, and by `keep_suppressed`.
        """
        with self._lock:
            (self._borne.add if by_torques else self._borne.discard)(side)

    def keep_suppressed(self, side: str) -> None:
        """Suppresses gravity compensation for a moment, if torques were sent just now.

        So when the process stalls, the robot bears its arms again.
        """
        with self._lock:
            last = self._sent.get(side)
            if side not in self._borne or last is None or last[1] != "torque":
                return
            if time.monotonic() - last[0] < self.rules.timeout:
                self._check_robot()
                self._send(topics.limb(side, "suppress_gravity"))

    def speed_ratio(self, side: str, ratio: float) -> None:
        """Sets the share of the velocity limits that position commands use, above 0 to 1."""
        self._allow()
        if not 0.0 < ratio <= 1.0:
            raise refusal("velocity", f"speed ratio {ratio}; it must be above 0 and at most 1")
        self._send(topics.limb(side, "speed_ratio"), data=float(ratio))

    def head(self, pan: float, speed: float) -> None:
        """Turns the head to a pan angle [rad], with a share of its greatest speed, 0 to 1."""
        self._check_robot()
        model = self._robot.head
        if not model.lower <= pan <= model.upper:
            raise refusal(
                "position",
                f"head_pan = {pan} rad; its limits are {model.lower:.3f} and {model.upper:.3f} rad",
            )
        if not 0.0 <= speed <= 1.0:
            raise refusal("velocity", f"speed of the head = {speed}; it must be from 0 to 1")
        self._send(topics.of_robot("head_pan"), target=pan, speed_ratio=speed, enable_pan_request=1)

    def gripper(self, side: str, command: str, position: float | None = None) -> None:
        """Commands a gripper: "calibrate", "go" to an opening (0 to 100), "stop", "reset"."""
        self._check_robot()
        if position is not None and not 0.0 <= position <= 100.0:
            raise refusal("position", f"opening {position} %; it must be from 0 to 100")
        self._sequence += 1
        self._send(
            topics.limb(side, "gripper"),
            id=getattr(self._states.grippers.get(side), "id", 0),
            command=command,
            args="" if position is None else json.dumps({"position": position}),
            sender=self._node.name,
            sequence=self._sequence,
        )

    def _connect(self) -> None:
        """Makes the publishers, and gives the robot time to connect: it takes some 0.24 s."""
        wanted = [topics.of_robot(word) for word in _ROBOT_COMMANDS]
        wanted += [topics.limb(side, word) for side in SIDES for word in _LIMB_COMMANDS]
        for name, kind in wanted:
            if name not in self._wire:
                self._wire[name] = self._node.advertise(name, kind, queue=1)
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            if all(publisher.subscribers for publisher in self._wire.values()):
                return
            time.sleep(0.005)

    def _send(self, topic: topics.Topic, **fields: object) -> None:
        """The one way to the wire."""
        if self._wire:
            self._wire[topic.name].publish(topic.kind(**fields))

    def _allow(self) -> None:
        if not self._armed:
            raise refusal("closed", "the link only reads; call link.arm() before commands")
        self._check_sources()

    def _check_sources(self) -> None:
        nodes = self._states.state_sources.now()
        if len(nodes) != 1:
            raise refusal(
                "publishers",
                f"{len(nodes)} nodes publish /robot/state {nodes or ''}; "
                "one is expected: is the robot on, or a mock still running?",
            )
        for side in SIDES:
            nodes = self._states.sources[side].now()
            if len(nodes) != 1:
                raise refusal(
                    "publishers",
                    f"{len(nodes)} nodes publish the {side} arm's joints "
                    f"{nodes or ''}; one is expected: stop the others",
                )

    def _check_robot(self) -> None:
        self._allow()
        state, age = self._states.assembly, self._states.state_age
        if state is None or age > 5.0 * self.rules.stale:
            raise refusal("stale", f"/robot/state is {age:.2f} s old; nothing is sent")
        if state.stopped or state.estop_button == 1:
            raise refusal(
                "stopped",
                "the robot is stopped: release its button, call link.reset() and link.enable()",
            )
        if not state.enabled:
            raise refusal("disabled", "the robot is disabled; call link.enable()")

    def _finite(self, side: str, mode: str, values: ArrayLike) -> JointVector:
        try:
            row = finite_array(values, f"{mode} command")
        except BaxterkitError as error:
            raise refusal("not finite", str(error)) from error
        if row.shape != (7,):
            raise refusal("not finite", f"{mode} command of shape {row.shape}; (7,) is wanted")
        return row.copy()

    def _fresh(self, side: str) -> ArmReading:
        state = self._states.arm(side)
        if state is None or state.age > self.rules.stale:
            age = "missing" if state is None else f"{state.age:.2f} s old"
            raise refusal(
                "stale", f"the {side} arm's states are {age}; nothing is sent until they come again"
            )
        return state

    def _within(
        self, side: str, row: Array, reason: str, what: str, low: Array, high: Array
    ) -> None:
        bad = (row < low) | (row > high)
        if bad.any():
            i = np.unravel_index(int(np.argmax(bad)), row.shape)
            j = int(i[-1])
            raise refusal(
                reason,
                f"{what}: {joint_names(side)[j]} = {float(row[i]):.3f} is outside "
                f"{low[j]:.3f} to {high[j]:.3f}",
            )

    def _check_position(self, side: str, row: Array, here: ArmReading, there: ArmReading) -> None:
        limits = getattr(self._robot, side).limits
        low, high = limits.lower - LIMIT_TOLERANCE, limits.upper + LIMIT_TOLERANCE
        self._within(side, row, "position", "position command [rad]", low, high)
        away = np.abs(row - here.q)
        if away.max() > self.rules.jump:
            j = int(np.argmax(away))
            raise refusal(
                "jump",
                f"{joint_names(side)[j]} = {row[j]:.3f} rad is {away[j]:.3f} rad "
                f"from where it is; at most {self.rules.jump:g} are allowed: move there "
                "by move_to or follow, or set Rules(jump=...)",
            )
        last = self._sent.get(side)
        if last is not None and "position" in last[1]:
            room = limits.velocity * (time.monotonic() - last[0] + 0.02) + 1e-3
            self._within(side, row - last[2], "velocity", "step of position [rad]", -room, room)
        self._check_way(side, np.vstack([here.q, row]), there)

    def _check_velocity(self, side: str, row: Array, here: ArmReading, there: ArmReading) -> None:
        limits = getattr(self._robot, side).limits
        slack = 1e-9
        self._within(
            side,
            row,
            "velocity",
            "velocity command [rad/s]",
            -limits.velocity - slack,
            limits.velocity + slack,
        )
        way = after_velocity(here.q, here.qd, row, self.rules.timeout)
        self._check_rest(side, way, row)
        self._check_way(side, way, there)

    def _check_torque(self, side: str, row: Array, here: ArmReading, there: ArmReading) -> None:
        arm = getattr(self._robot, side)
        limits = arm.limits
        self._within(side, row, "effort", "torque command [N m]", -limits.effort, limits.effort)
        rigid = arm.with_effects(None) if arm.effects is not None else arm
        told = self._states.torques(side)
        borne = arm.gravity(here.q) if told is None else told.gravity
        offset = borne - rigid.gravity(here.q)
        tau = row if side in self._borne else row + borne
        way, first = after_torque(rigid, here.q, here.qd, tau, offset, self.rules.torque_timeout)
        self._within(
            side, first, "velocity", "predicted velocity [rad/s]", -limits.velocity, limits.velocity
        )
        self._check_rest(side, way, first)
        self._check_way(side, way, there)

    def _check_rest(self, side: str, way: Array, qd: Array) -> None:
        """The arm must come to rest within its limits; joints that move inwards are free to."""
        limits = getattr(self._robot, side).limits
        low = np.minimum(limits.lower, way[0]) - LIMIT_TOLERANCE
        high = np.maximum(limits.upper, way[0]) + LIMIT_TOLERANCE
        self._within(side, way[-1], "position", "position at rest after it [rad]", low, high)

    def _check_way(self, side: str, way: Array, there: ArmReading) -> None:
        """The way must be free of contacts; from a contact it must lead outwards."""
        if not self.rules.collisions:
            return
        other, head = self._rest_of(_other(side), there), self._states.head
        sides = (way, np.broadcast_to(other, way.shape))
        q = np.concatenate(sides if side == "left" else sides[::-1], axis=-1)
        options = {"padding": self.rules.padding, "world": self.rules.world}
        if np.all(self._robot.edge_free(q[:-1], q[1:], head, **options)):  # type: ignore[arg-type]
            return
        gap = self._robot.clearance(q[:, :7], q[:, 7:], head, world=self.rules.world)
        if gap[0] < self.rules.padding and (np.diff(gap) >= 0.0).all():
            return
        worst = q[int(np.argmin(gap))]
        pair = self._robot.nearest(worst[:7], worst[7:], head, world=self.rules.world)
        raise refusal(
            "collision",
            f"{pair.names[0]} and {pair.names[1]} would come within "
            f"{1e3 * float(pair.clearance):.1f} mm",
        )

    def _rest_of(self, side: str, state: ArmReading) -> JointVector:
        """Where the other arm goes: to its last position command if that is fresh."""
        last = self._sent.get(side)
        if last is not None and "position" in last[1] and time.monotonic() - last[0] < 0.5:
            return last[2]
        return state.q


def _other(side: str) -> str:
    return "right" if side == "left" else "left"


def refusal(reason: str, message: str) -> RefusedError:
    return RefusedError(reason, f"not sent: {message}")
