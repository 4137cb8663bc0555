"""The gate: the only sender.

`Gate` alone makes publishers of the robot's command topics, and keeps them to itself. Every command
asks `safety.Judge` first; what is refused is not sent.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.baxter import Baxter
from baxterkit.collision.world import World
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.model.names import SIDES, joint_names, other_side
from baxterkit.ros import topics
from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.near import NearPairs
from baxterkit.ros.node import Node, Publisher
from baxterkit.ros.refusals import refusal
from baxterkit.ros.rivals import Rivals
from baxterkit.ros.rules import Rules
from baxterkit.ros.safety import Judge
from baxterkit.ros.states import States
from baxterkit.scene import Scene
from baxterkit.scene.clear_motions import Measured
from baxterkit.types import Array

CONNECT = 2.0
"""Time that the robot has to connect to new topics [s]; a real one takes some 0.24 s."""
SPEED_RATIO = 0.3
"""Share of the velocity limits that a robot uses which was told none."""
REMIND = 0.1
"""Time after which a command tells the robot its timeout anew [s]: half of the timeout, so that a
timeout of another program that was missed does not outlast the motion for which ours was told."""
BRAKED = ("not finite", "position", "velocity", "effort", "jump", "collision")
"""Reasons for which a stream of raw positions ends and its arm brakes."""
_ROBOT_COMMANDS = ("enable", "reset", "stop", "head_pan")
_LIMB_COMMANDS = (
    "command",
    "timeout",
    "speed_ratio",
    "suppress_gravity",
    "suppress_avoidance",
    "gripper",
)


class Gate:
    """Sends what is allowed.

    Args:
        node: The node; the gate alone advertises topics on it.
        states: What the robot says.
        scene: The robot's model, the obstacles around it and the safety margin.
        rules: What is allowed.
    """

    def __init__(self, node: Node, states: States, scene: Scene, rules: Rules) -> None:
        self._node, self._states = node, states
        self._clock = states.clock
        self._judge = Judge(states, scene, rules)
        self._rivals = Rivals(node, states, self._mend_timeout, self._meet)
        self._wire: dict[str, Publisher] = {}
        self._lock = threading.RLock()
        self._in_control = False
        self._timeouts: dict[str, tuple[float, float]] = {}  # what was told, and when
        self._sequence = 0
        self.refused = 0

    @property
    def rules(self) -> Rules:
        """What is allowed."""
        return self._judge.rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        if not isinstance(rules, Rules):
            raise InputError(f"rules must be ros.Rules, got {type(rules).__name__}")
        self._judge.rules = rules

    @property
    def scene(self) -> Scene:
        """The robot among its obstacles, head and grippers as they are measured now."""
        return self._judge.measured().scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            raise InputError(
                f"scene must be a baxterkit.Scene, got {type(scene).__name__}; to tell the link "
                "of obstacles: link.scene = link.scene.replace(world=world)"
            )
        if scene.without:
            raise InputError(
                f"the scene leaves out {len(scene.without)} pairs of links; the gate checks every "
                "pair: use a scene with without=()"
            )
        with self._lock:
            ours = self._judge.scene
            if scene.robot is not ours.robot:
                raise InputError(
                    "this scene has another robot than the link; take the link's own: "
                    "link.scene = link.scene.replace(world=world)"
                )
            self._judge.scene = ours.replace(world=scene.world, margin=scene.margin)

    def change_world(self, change: Callable[[World], World]) -> None:
        """Changes the obstacles; nothing else changes them meanwhile."""
        with self._lock:
            ours = self._judge.scene
            world = change(ours.world)
            if world is not ours.world:
                self._judge.scene = ours.replace(world=world)

    def reckon_with(self, robot: Baxter) -> None:
        """Checks commands with another model from now on: a hand wears another tool."""
        with self._lock:
            self._judge.scene = self._judge.scene.replace(robot=robot)
        self._judge.prepare()  # may take long, and commands do not wait for it

    @property
    def in_control(self) -> bool:
        """Whether commands are sent: since `take_control`, until `release_control`."""
        return self._in_control

    def take_control(self) -> None:
        """Lets commands through from now on.

        Raises:
            RefusedError: Unless exactly one node publishes the robot's state, one the arms'.
            NoReplyError: If the robot does not listen to us.
        """
        self._need_open()
        with self._lock:
            self._judge.sources_are_single()
            known = self._node.publishers_of(topics.of_robot("state").name)
            if len(known) != 1:
                raise refusal(
                    "publishers",
                    f"{len(known)} nodes publish /robot/state: {known}; "
                    "one is expected: stop the others, such as a forgotten mock",
                )
            self._connect(
                *(topics.of_robot(word) for word in _ROBOT_COMMANDS),
                *(topics.limb(side, word) for side in SIDES for word in _LIMB_COMMANDS),
            )
            self._need_listeners()
            self._rivals.watch()
            self._judge.prepare()
            self._timeouts.clear()
            self._judge.ratios.clear()  # another program may have set others meanwhile
            self._in_control = True
        for side in SIDES:
            name = topics.limb(side, "command").name
            others = [who for who in self._node.publishers_of(name) if who != self._node.name]
            if others:
                LOG.warning("%s can command the %s arm too: the last word counts", others, side)

    def release_control(self) -> None:
        """Sends no more commands; the robot's own timeout holds the arms."""
        with self._lock:
            self._in_control = False

    def joints(self, side: str, mode: str, values: ArrayLike) -> None:
        """Sends a joint command: "position", "raw position" [rad], "velocity", "torque".

        Raises:
            RefusedError: If it is not allowed; it was not sent. An arm that moves by raw positions,
                and would stop with a jolt, is told to brake.
        """
        with self._lock:
            try:
                self.need_control()
                self._rivals.check(side, self.rules.timeout)
                row = self._judge.joints(side, mode, values)
                if self.rules.collisions and (mode != "velocity" or row.any()):
                    self._rivals.check_other(side, self.rules.timeout)
            except BaxterkitError as error:
                self.refused += 1
                if getattr(error, "reason", "") in BRAKED and self._judge.must_brake(side):
                    self._brake(side)
                raise
            # What was predicted holds for this time only, and others may have set another one.
            timeout = self.rules.torque_timeout if mode == "torque" else self.rules.timeout
            told, t = self._timeouts.get(side, (0.0, 0.0))
            if told != timeout or not 0.0 <= self._clock.now() - t < REMIND:
                self._tell_timeout(side, timeout)
            if mode == "torque" and side in self._judge.borne:
                self._send(topics.limb(side, "suppress_gravity"))
            self._judge.note_sent(side, mode, row)
            self._send(
                topics.limb(side, "command"),
                mode=topics.MODES[mode],
                command=row,
                names=list(joint_names(side)),
            )

    def rest(self, side: str, arrives: bool = False) -> None:
        """Ends a motion: zero velocity.

        Torques end before the robot's timeout is set back: it would obey the last ones for that
        longer time.

        Never raises: it is called when something has gone wrong.

        Args:
            side: The arm.
            arrives: Whether an arm that was told a position goes on to it, until its timeout: its
                motion has come to its end. Else it brakes, as under all other commands.
        """
        if self._node.closed:
            return
        with self._lock, contextlib.suppress(BaxterkitError):
            last = self._judge.sent.get(side)
            if not self._in_control or last is None:
                return
            if last.mode == "position" and (arrives or not self._judge.obeyed(last)):
                return  # until its timeout it counts
            self._brake(side)
            self._judge.sent.pop(side, None)
            if last.mode == "torque":
                self._tell_timeout(side, self.rules.timeout)
            self._timeouts.pop(side, None)

    def _tell_timeout(self, side: str, timeout: float) -> None:
        self._send(topics.limb(side, "timeout"), data=timeout)
        self._timeouts[side] = (timeout, self._clock.now())
        self._rivals.told(side, timeout)

    def _mend_timeout(self, side: str) -> None:
        """Tells the robot our timeout again, as soon as another program has told it one.

        It must not wait for the next command: there may be none, and the robot would obey the last
        one for longer than was predicted. Once the robot obeys no command of ours, nothing is sent:
        two links would answer each other for ever.
        """
        with self._lock, contextlib.suppress(BaxterkitError):
            last = self._judge.sent.get(side)
            if not self._in_control or last is None or side not in self._timeouts:
                return
            if self._judge.obeyed(last):
                self._tell_timeout(side, self._timeouts[side][0])

    def _meet(self, side: str) -> None:
        """Another program moves an arm: the other one, if it is on a motion of ours, brakes.

        Of two programs that begin at the same instant each has checked its motion with the other
        arm at rest.
        """
        ours = other_side(side)
        with self._lock, contextlib.suppress(BaxterkitError):
            last = self._judge.sent.get(ours)
            if last is None or not self.rules.collisions or not self._judge.obeyed(last):
                return
            if last.mode != "velocity" or last.values.any():
                self.rest(ours)

    def _brake(self, side: str) -> None:
        """Tells an arm to brake: to stop is always allowed."""
        zero = np.zeros(7)
        self._judge.note_sent(side, "velocity", zero)
        self._send(
            topics.limb(side, "command"),
            mode=topics.MODES["velocity"],
            command=zero,
            names=list(joint_names(side)),
        )

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
        self._need_open()
        topic = topics.of_robot("stop")
        with self._lock:
            self._connect(topic)  # for no other topic a stop would wait
        self._send(topic)

    def suppress_avoidance(self, side: str) -> None:
        """Suppresses the robot's own collision avoidance for a moment: to leave "tuck"."""
        self._allow()
        self._send(topics.limb(side, "suppress_avoidance"))

    def bear(self, side: str, by_torques: bool) -> None:
        """Says who bears an arm under torques: they do, or the robot's gravity compensation.

        If they do, compensation is suppressed with every torque command, and by `keep_suppressed`.
        """
        with self._lock:
            (self._judge.borne.add if by_torques else self._judge.borne.discard)(side)

    def keep_suppressed(self, side: str) -> None:
        """Suppresses gravity compensation for a moment, if torques were sent just now.

        So when the process stalls, the robot bears its arms again.
        """
        with self._lock:
            last = self._judge.sent.get(side)
            if side not in self._judge.borne or last is None or last.mode != "torque":
                return
            if self._clock.now() - last.t < self.rules.timeout:
                self._judge.robot_is_ready()
                self._send(topics.limb(side, "suppress_gravity"))

    def speed_ratio(self, side: str, ratio: float) -> None:
        """Sets the share of the velocity limits that position commands use, above 0 to 1."""
        with self._lock:
            self.need_control()
            self._judge.ratios[side] = self._judge.speed_ratio(ratio)
            self._send(topics.limb(side, "speed_ratio"), data=self._judge.ratios[side])

    def allowance(self, side: str) -> tuple[Array, Array]:
        """See `Judge.allowance`."""
        with self._lock:
            return self._judge.allowance(side)

    def measured(self) -> Measured:
        """The robot among its obstacles as it is now, but for pairs that may come near."""
        with self._lock:
            return self._judge.moments()[0]

    @property
    def near(self) -> NearPairs:
        """Pairs that may come nearer to each other than the margin."""
        return self._judge.near

    def ratio(self, side: str) -> float:
        """The speed ratio that was last set, or the robot's own."""
        return self._judge.ratios.get(side, SPEED_RATIO)

    def head(self, pan: float, speed: float) -> None:
        """Turns the head to a pan angle [rad], with a share of its greatest speed, 0 to 1."""
        with self._lock:
            self.need_control()
            pan, speed = self._judge.head(pan, speed)
            self._judge.panned = (self._clock.now(), pan)
            self._send(
                topics.of_robot("head_pan"), target=pan, speed_ratio=speed, enable_pan_request=1
            )

    def gripper(self, side: str, command: str, position: float | None = None) -> tuple[str, int]:
        """Commands a gripper: "calibrate", "go" to an opening (0 to 100), "stop", "reset".

        Returns:
            Sender and number of the command; the gripper's state repeats them.
        """
        with self._lock:
            self.need_control()
            position = self._judge.gripper(side, command, position)
            if position is not None or command == "calibrate":
                opening = None if position is None else position / 100.0
                self._judge.grippers.tell(side, self._clock.now(), opening)
            self._sequence += 1
            self._send(
                topics.limb(side, "gripper"),
                id=getattr(self._states.grippers.get(side), "id", 0),
                command=command,
                args="" if position is None else json.dumps({"position": position}),
                sender=self._node.name,
                sequence=self._sequence,
            )
            return self._node.name, self._sequence

    def _connect(self, *wanted: topics.Topic) -> None:
        """Makes the publishers, and gives the robot time to connect: it takes some 0.24 s."""
        for name, kind in wanted:
            if name not in self._wire:
                self._wire[name] = self._node.advertise(name, kind, queue=1)
        end = self._clock.now() + CONNECT
        while self._clock.now() < end:
            if all(self._wire[topic.name].subscribers for topic in wanted):
                return
            self._clock.sleep(0.005)

    @property
    def closed(self) -> bool:
        """Whether the link was closed."""
        return self._node.closed

    def _need_open(self) -> None:
        if self.closed:
            raise refusal(
                "closed",
                "the link was closed; make a new one (a process that was forked off needs its own)",
            )

    def _need_listeners(self) -> None:
        """The robot must have connected to what moves it; grippers may be missing."""
        needed = [topics.of_robot("enable"), *(topics.limb(side, "command") for side in SIDES)]
        deaf = [topic.name for topic in needed if not self._wire[topic.name].subscribers]
        if deaf:
            raise NoReplyError(
                f"nobody listens to our {deaf[0]} within {CONNECT:g} s: the robot cannot connect "
                "to this machine; set ROS_IP to this machine's address in the robot's network "
                "before the link is made, and let its firewall pass"
            )

    def _send(self, topic: topics.Topic, **fields: object) -> None:
        """The only place that sends."""
        if topic.name in self._wire:
            self._wire[topic.name].publish(topic.kind(**fields))

    def need_control(self) -> None:
        """Refuses unless commands are sent at all."""
        self._need_open()
        if not self._in_control:
            state = self._states.assembly
            raise refusal(
                "closed" if state is not None and state.enabled else "disabled",
                "nothing is sent before the link has enabled the robot; call enable() first",
            )

    def _allow(self) -> None:
        self.need_control()
        self._judge.sources_are_single()
