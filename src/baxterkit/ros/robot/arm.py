"""One arm of the twin on the robot's topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from baxterkit.arm import Arm
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.messages import Message, message_class
from baxterkit.ros import topics
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.poses import pose_message, vector
from baxterkit.ros.robot.assembly import Assembly
from baxterkit.ros.robot.interfaces import interface
from baxterkit.ros.robot.outlet import Outlet, outlet
from baxterkit.ros.robot.pace import Pace
from baxterkit.sim.limb import TwinLimb
from baxterkit.types import Array

Header = message_class("std_msgs/Header")
Twist = message_class("geometry_msgs/Twist")
Wrench = message_class("geometry_msgs/Wrench")
SUPPRESS = 0.2
"""Time for which one message suppresses gravity compensation or the cuff [s]: it must come above
5 Hz. An inverse-dynamics command is as short-lived; that is chosen here."""
ACCEPTED = (
    "suppress_contact_safety",
    "suppress_hand_overwrench_safety",
    "use_default_spring_model",
    "command_twist_stamped",
    "command_stiffness",
    "set_dominance",
)
"""Topics that are heard, and of which nothing comes: the twin has no reflexes to suppress and one
model of the springs; what the robot makes of the others is not documented."""
FINGER = "finger"
SINGULAR = 0.02
"""Directions in which the tip is felt less than this share of the most are not told of."""
_ZERO = np.zeros(7)
_MODES = {number: mode for mode, number in topics.MODES.items()}


@dataclass(frozen=True)
class Received:
    """A command that the robot received.

    Attributes:
        t: When, by this machine's clock [ns].
        side: The arm.
        mode: Its control mode.
        values: As they came: [rad], [rad/s] or [N m], by joint name.
        accepted: Whether the arm took it.
    """

    t: int
    side: str
    mode: str
    values: dict[str, float]
    accepted: bool


class TwinArm:
    """Publishes an arm's state and obeys its commands. Callbacks hold the twin at the present.

    Args:
        node: The node `realtime_loop`.
        limb: The arm in the twin.
        assembly: The robot's state: a disabled robot ignores commands.
        pace: Of the twin.
        note: Called with every command that arrives.
        contacts: Gives the names of what touches each other in the twin.
    """

    def __init__(
        self,
        node: Node,
        limb: TwinLimb,
        assembly: Assembly,
        pace: Pace,
        note: Callable[[Received], None],
        contacts: Callable[[], list[tuple[str, str]]],
    ) -> None:
        self._contacts = contacts
        self.limb, self._assembly, self._pace, self._note = limb, assembly, pace, note
        side = limb.side
        self._names = list(limb.arm.joint_names)
        self._clock = node.clock
        self._suppressed: dict[str, float] = {}
        self.cuff = False
        """Whether the cuff is squeezed: then the arm floats, and obeys no command."""
        self._floats = False
        self._arrived = 0
        self._with_effects, self._without = limb.arm, limb.arm.with_effects(None)
        self._endpoint = Outlet(node, topics.limb(side, "endpoint"))
        self._commanded = outlet(node, f"/robot/limb/{side}/commanded_endpoint_state")
        self._torques = Outlet(node, topics.limb(side, "torques"))
        self._avoidance = Outlet(node, topics.limb(side, "avoidance"))
        self._detection = Outlet(node, topics.limb(side, "detection"))
        for word, act in (
            ("command", self._command),
            ("timeout", self._timeout),
            ("speed_ratio", self._speed_ratio),
            ("suppress_gravity", lambda _: self._suppress("gravity")),
            ("suppress_avoidance", lambda _: assembly.suppress(side)),
        ):
            name, kind = topics.limb(side, word)
            node.subscribe(name, kind, self._locked(act))
        for word, act in (
            ("command_velocity_tozero", self._to_zero),
            ("suppress_cuff_interaction", lambda _: self._suppress("cuff")),
            ("inverse_dynamics_command", self._feed_forward),
            *((word, lambda _: None) for word in ACCEPTED),
        ):
            name = f"/robot/limb/{side}/{word}"
            node.subscribe(name, message_class(interface(name).kind), self._locked(act))

    def before_step(self) -> None:
        """Lets suppressions expire, a disabled arm hold, and one that is squeezed float."""
        fresh = self._is_suppressed("gravity")
        if self.limb.gravity_compensation is fresh:
            self.limb.gravity_compensation = not fresh
        if not self._is_suppressed("feedback alone"):
            self.limb._loops.feed_forward[:] = 0.0
        if not self._assembly.enabled:
            self._floats = False
            if self.limb.mode != "hold":
                self.limb.hold()
        elif self.cuff and not self._is_suppressed("cuff"):
            self.limb.command_torque(_ZERO)
            self._floats = True
        elif self._floats:
            self._floats = False
            self.limb.hold()

    def publish(self, stamp: int) -> None:
        """Publishes what has listeners."""
        state = self.limb.published
        header = Header(stamp=stamp, frame_id="base")
        if self._endpoint:
            arm = self.limb.arm
            v = arm.twist(state.q, state.qd)
            self._endpoint(
                header=header,
                pose=pose_message(arm.fk(state.q)),
                twist=Twist(linear=vector(v[:3]), angular=vector(v[3:])),
                wrench=self._wrench(state.q, state.tau),
            )
        if self._commanded:
            loops, arm = self.limb._loops, self.limb.arm
            v = arm.twist(loops.reference, loops.reference_velocity)
            self._commanded(
                header=header,
                pose=pose_message(arm.fk(loops.reference)),
                twist=Twist(linear=vector(v[:3]), angular=vector(v[3:])),
                wrench=Wrench(),
            )
        if self._torques:
            self._torques(**self._sea(header, state.q, state.qd, state.tau))
        if self._avoidance:
            near = self.limb.side in self._assembly.near
            self._avoidance(
                header=header,
                other_arm=False,
                collision_object=[f"{self.limb.side}_upper_elbow"] if near else [],
            )
        if self._detection:
            self._detection(header=header, collision_state=self.touches())

    def touches(self) -> bool:
        """Whether something touches the arm, but for what its fingers hold."""
        own = f"{self.limb.side}_"
        return any(
            one.startswith(own) != other.startswith(own)
            for one, other in self._contacts()
            if FINGER not in one and FINGER not in other
        )

    def _wrench(self, q: Array, tau: Array) -> Message:
        """Force and torque on the tip, from the torques that gravity and springs do not explain."""
        rest = self.limb.compensation - tau
        J = self.limb.arm.jacobian(q)
        w = cast(Array, np.linalg.lstsq(J.T, rest, rcond=SINGULAR)[0])
        return Wrench(force=vector(w[:3]), torque=vector(w[3:]))

    def _sea(self, header: Message, q: Array, qd: Array, tau: Array) -> dict[str, object]:
        """The parts of the torque: the sensed one is their sum, as `recording` reads it."""
        gravity = self.limb.compensation
        loops, zero = self.limb._loops, np.zeros(7)
        return {
            "header": header,
            "name": self._names,
            "commanded_position": loops.reference,
            "commanded_velocity": loops.reference_velocity,
            "commanded_acceleration": zero,
            "commanded_effort": zero,
            "actual_position": q,
            "actual_velocity": qd,
            "actual_effort": tau,
            "gravity_model_effort": gravity,
            "gravity_only": self._rigid(self.limb.arm).gravity(q),
            "hysteresis_model_effort": zero,
            "crosstalk_model_effort": zero,
        }

    def _rigid(self, arm: Arm) -> Arm:
        """The arm without springs and friction; made anew when the hand holds something else."""
        if self._with_effects is not arm:
            self._with_effects = arm
            self._without = arm.with_effects(None) if arm.effects else arm
        return self._without

    def _locked(self, act: Callable[[Message], None]) -> Callable[[Message, str], None]:
        def callback(message: Message, _who: str) -> None:
            self._arrived = self._clock.stamp()
            with self._pace:
                act(message)

        return callback

    def _command(self, message: Message) -> None:
        mode = _MODES.get(message.mode, "?")
        values = dict(zip(message.names, message.command.tolist(), strict=False))
        accepted = False
        free = self._assembly.enabled and not self._floats
        if free and len(message.names) == len(message.command):
            try:
                self._obey(mode, values)
                accepted = True
            except BaxterkitError as error:
                LOG.warning("%s arm: %s", self.limb.side, error)
        self._note(Received(self._arrived, self.limb.side, mode, values, accepted))

    def _obey(self, mode: str, values: dict[str, float]) -> None:
        if unknown := set(values) - set(self._names):
            raise InputError(f"{min(unknown)!r} is no joint of the {self.limb.side} arm")
        rest = self.limb._loops.reference if "position" in mode else np.zeros(7)
        row = np.array(
            [values.get(name, x) for name, x in zip(self._names, rest, strict=True)], dtype=float
        )
        if mode in ("position", "raw position"):
            limits = self.limb.arm.limits
            if np.isfinite(row).all():  # the robot clips positions
                row = np.clip(row, limits.lower, limits.upper)
            self.limb.command_position(row, raw=mode == "raw position")
        elif mode == "velocity":
            self.limb.command_velocity(row)
        elif mode == "torque":
            self.limb.command_torque(row)
        else:
            raise InputError("a command of an unknown mode")

    def _timeout(self, message: Message) -> None:
        if np.isfinite(message.data) and message.data > 0.0:
            self.limb.command_timeout = float(np.clip(message.data, 0.001, 1.0))

    def _speed_ratio(self, message: Message) -> None:
        if np.isfinite(message.data):
            self.limb.speed_ratio = float(np.clip(message.data, 0.01, 1.0))

    def _to_zero(self, message: Message) -> None:
        if message.data and self._assembly.enabled:
            self.limb.hold()

    def _feed_forward(self, message: Message) -> None:
        """The acceleration of a motion whose positions come as raw commands, in the arm's order."""
        qdd = message.accelerations
        if len(qdd) == len(self._names) and np.isfinite(qdd).all():
            self.limb._loops.feed_forward[:] = qdd
            self._suppress("feedback alone")

    def _suppress(self, what: str) -> None:
        self._suppressed[what] = self._pace.t

    def _is_suppressed(self, what: str) -> bool:
        return self._pace.t - self._suppressed.get(what, -1.0e9) < SUPPRESS
