"""`RobotLink`: a Baxter over ROS, or the twin that speaks as one."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from baxterkit.baxter import Baxter
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.lesson.rehearsal import Taking
from baxterkit.messages import Message
from baxterkit.model.names import SIDES, check_side
from baxterkit.robot.errors import RefusedError, not_enabled
from baxterkit.robot.followed import MotionResult
from baxterkit.robot.grips import Grips
from baxterkit.robot.head import head_goal, is_there, not_there
from baxterkit.robot.motions import Controllers, Motion, Options, courses
from baxterkit.robot.protocol import Robot
from baxterkit.robot.teaching import Witness
from baxterkit.ros import enabling, following, mounts, planned, topics
from baxterkit.ros.cancelling import Cancelling
from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.foxglove_server import FoxgloveServer
from baxterkit.ros.gate import Gate
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.graph.node import open_node
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.mounted_tools import MountedTools
from baxterkit.ros.node import Listener
from baxterkit.ros.recorder import Recorder
from baxterkit.ros.rules import MARGIN, Rules
from baxterkit.ros.servoing import follow_target
from baxterkit.ros.settling import settled
from baxterkit.ros.states import States
from baxterkit.ros.taking import LinkGrips
from baxterkit.ros.waiting import seconds as wait_time
from baxterkit.ros.witness import witnessed
from baxterkit.scene import Scene
from baxterkit.servo import ServoResult, ServoSettings, Source
from baxterkit.sim.twin import Twin
from baxterkit.trajectory.swept import WIDTH
from baxterkit.types import Transform


class RobotLink(Robot):
    """A robot on a ROS master: reads its state; after `enable()` also moves it, through the gate.

    Args:
        master: Address of the master, as "http://011305P0009.local:11311"; ROS_MASTER_URI if None.
            Or a graph of this process, as `ros.in_process` makes one.
        robot: The robot's model; from its own description if None.
        world: Obstacles that the gate keeps clear of, and the objects that the hands hold; none if
            None. `scene` replaces them.
        rules: What the safety gate allows.
        timeout: Time to wait for the robot's first states [s].

    Attributes:
        robot: The robot's model.
        tools: Which tool the gate reckons with: `link.tools["left"]`.
        clock: What its times are by.
        twin: The twin behind it, if it is in this process (`connect()`); it knows the truth.

    Raises:
        MasterError: If the master does not answer.
        NoReplyError: If no states come in time.
    """

    left: LinkedLimb
    right: LinkedLimb
    _beside = WIDTH

    def __init__(
        self,
        master: str | LocalGraph | None = None,
        *,
        robot: Baxter | None = None,
        world: World | None = None,
        rules: Rules | None = None,
        timeout: float = 5.0,
    ) -> None:
        wait_time(timeout)
        if robot is not None and not isinstance(robot, Baxter):
            raise InputError(
                f"robot must be a Baxter, got {type(robot).__name__}; of one arm: "
                "Baxter.of_arm(arm), of a file: Baxter.from_file(path)"
            )
        if rules is not None and not isinstance(rules, Rules):
            raise InputError(f"rules must be ros.Rules, got {type(rules).__name__}")
        node = open_node("baxterkit", master)
        try:
            self._states = States(node)
            self._states.wait_for_robot(timeout)
            model = mounts.described(node) if robot is None else robot
            scene = model.scene(world, margin=MARGIN)
            self._gate = Gate(node, self._states, scene, rules or Rules())
            self.tools = MountedTools(node, model, robot is not None, self._gate.reckon_with)
            self.robot = self.tools.robot if robot is None else robot
            self._given = robot is not None
        except BaseException:
            node.close()
            raise
        self.clock = node.clock
        self.twin: Twin | None = None
        self._ends: list[Callable[[], None]] = []
        # This part of the node only listens; the gate alone can send.
        self._listener = Listener(node)
        self._motions: set[threading.Event] = set()
        self._moving: dict[str, object] = {}
        self._starting = threading.Lock()
        self._brought: Counter[Obstacle] = Counter()  # by plans under way; how many know each
        limbs = (self.robot.left, self.robot.right)
        self.left, self.right = (
            LinkedLimb(arm, self._states, self._gate, self.tools) for arm in limbs
        )
        self._cancelling = Cancelling(lambda: {side: self.limb(side)._holds for side in SIDES})

    @property
    def rules(self) -> Rules:
        """What the safety gate allows; may be set, as to `Rules(jump=0.1)`."""
        return self._gate.rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        self._gate.rules = rules

    @property
    def scene(self) -> Scene:
        """The robot among its obstacles, head and grippers as measured now: to check and plan in.

        It does not change, and neither does its world. To tell the gate of other obstacles, of an
        object in a hand, or of another safety margin, set it:
        `link.scene = link.scene.replace(world=world)`.
        """
        return self._gate.scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        self._gate.scene = scene

    @property
    def serial(self) -> str | None:
        """Serial number of the robot, as it tells; "baxterkit-twin" is the twin's."""
        value = self._listener.parameter(topics.SERIAL)
        return None if value is None else str(value)

    def limb(self, side: str) -> LinkedLimb:
        return self.left if check_side(side) == "left" else self.right

    @property
    def enabled(self) -> bool:
        return bool(self._assembly.enabled)

    @property
    def stopped(self) -> bool:
        return bool(self._assembly.stopped)

    @property
    def _assembly(self) -> Message:
        if self._gate.closed:
            raise RefusedError("closed", "the link was closed; make a new one to read the robot")
        state = self._states.assembly
        assert state is not None  # it was waited for
        return state

    @property
    def head_pan(self) -> float:
        return self._states.head

    @property
    def joints(self) -> dict[str, float]:
        """Position of every joint that the robot tells of, grippers included, by name [rad, or m].

        Of joints that a Baxter does not have, the first 64 are kept.
        """
        return dict(self._states.joints)

    @property
    def in_control(self) -> bool:
        """Whether commands are sent."""
        return self._gate.in_control

    def take_control(self) -> None:
        """Takes control: commands are sent from now on; `enable` does so too.

        Raises:
            RefusedError: Unless exactly one node publishes the robot's state, and one the arms'.

        Warns:
            ModelWarning: If a hand's tip by the given model is elsewhere than by the robot.
        """
        self._gate.take_control()
        if self._given:
            mounts.warn_of_other_tips((self.left, self.right))

    def release_control(self) -> None:
        """Lets the arms come to rest, and sends no more."""
        self.hold()
        self._gate.release_control()

    def enable(self, timeout: float = 10.0) -> Self:
        """Takes control and enables the robot, from tucked arms too; returns itself.

        A stop is reset first.

        Raises:
            NoReplyError: If it does not obey in time.
            RefusedError: If its emergency stop is pressed, or the link cannot take control.
        """
        wait_time(timeout)
        if self.stopped or not self.enabled:
            self._end_motions()  # of before, which must not go on now
        if not self.in_control:
            self.take_control()
        enabling.enable(self._gate, self._states, timeout)
        return self

    def disable(self, timeout: float = 5.0) -> None:
        self._end_motions()
        enabling.disable(self._gate, self._states, timeout)

    def stop(self, timeout: float = 3.0) -> None:
        self._end_motions()
        enabling.stop(self._gate, self._states, timeout)

    def wait(self, seconds: float) -> None:
        self.clock.sleep(wait_time(seconds, "seconds"))

    def _follow(
        self, motion: Motion, speed: float, controller: Controllers | None, options: Options
    ) -> MotionResult:
        with planned.world_of(self, motion):
            return following.follow(self, courses(motion, speed), controller, options)

    def _servo(
        self, source: Source, sides: tuple[str, ...], seconds: float, settings: ServoSettings
    ) -> ServoResult:
        return follow_target(self, source, sides, seconds, settings)

    def _witnessed(self, witness: Witness) -> AbstractContextManager[None]:
        return witnessed(self, witness)

    def _worn(self, side: str) -> str:
        return self.tools.worn(side)

    def _graspable(self) -> tuple[str, ...]:
        return self.rules.graspable

    def _grips(self, taken: Sequence[Taking], world: World) -> Grips:
        return LinkGrips(self, taken, world)

    def cancel(self, timeout: float = 1.0) -> bool:
        """Ends the motions under way, from another thread: `follow` there raises RefusedError.

        Calls of several motions, as `tuck`, end as a whole, also where none is under way yet. A
        motion that is cut short takes the arm on by some 20 mrad; so this waits until both arms are
        at rest and those motions are over, at most `timeout` [s].

        Returns:
            Whether they are.
        """
        end = self.clock.now() + wait_time(timeout)
        before = list(self._moving.values())
        self._end_motions()
        at_rest = settled(self.clock, (self.left, self.right), timeout)
        while not self._cancelling.within and any(x in before for x in self._moving.values()):
            if self.clock.now() >= end:
                return False
            self.clock.sleep(0.005)
        return at_rest

    def hold(self) -> None:
        """Ends the motions under way, and lets both arms come to rest and stay."""
        self._end_motions()
        super().hold()

    def pan_head(self, pan: float, speed: float = 0.5, timeout: float = 5.0) -> None:
        """Turns the head to an angle [rad], and waits until it is there; see `Robot.pan_head`.

        Raises:
            NoReplyError: If it is not, within `timeout` [s].
        """
        begun, states = self.clock.now(), self._states
        end = begun + wait_time(timeout)
        pan, speed = head_goal(self.robot.head, pan, speed)
        self._gate.need_control()
        if not self.enabled:
            raise not_enabled(self.stopped)
        while not is_there(states.head, pan, self.clock.now() - max(begun, states.head_moved)):
            self._cancelling.check(SIDES)
            try:
                self._gate.head(pan, speed)
            except RefusedError as error:
                if error.reason != "stale" or self.clock.now() > end:
                    raise
            if self.clock.now() > end:
                raise NoReplyError(str(not_there(states.head, pan, timeout)))
            self.clock.sleep(0.02)

    def record(self, path: str | Path | None = None) -> Recorder:
        """Records until it is closed: `with link.record("run.bag") as r:`, `r.recording("left")`.

        Args:
            path: A bag (.bag) or an MCAP file (.mcap) of every message, `/robot/ref_joint_states`
                too; none if None.
        """
        return Recorder(self._listener, self._states, path)

    def foxglove(self, port: int = 8765, host: str = "127.0.0.1") -> FoxgloveServer:
        """Shows what the robot says in Foxglove, live: `with link.foxglove() as server:`.

        Open a connection to `server.address` (ws://127.0.0.1:8765) there. The robot gets nothing.

        Args:
            port: Port to listen on; a free one if 0.
            host: Address to listen on; others than this machine's let the network in.
        """
        return FoxgloveServer(self._listener, self._states, host, port)

    def mount(self, side: str, source: str = "description", timeout: float = 5.0) -> Transform:
        """Where an arm is bolted on, `T_base_s0`, shape (4, 4), as this robot was measured.

        Args:
            side: The arm.
            source: "description" (`/robot_description`) or "tf" (`/tf`).
            timeout: Time to wait [s].
        """
        return mounts.mount(self._listener, check_side(side), source, timeout)

    def owns(self, end: Callable[[], None], twin: Twin | None = None) -> None:
        """Ends something with this link; `twin` is the twin behind it, if it is in this process."""
        self._ends.append(end)
        self.twin = twin

    def close(self) -> None:
        """Lets the arms come to rest, and unregisters; may be called twice."""
        if not self._listener.closed:
            self.release_control()
        self._listener.close()
        while self._ends:
            self._ends.pop()()

    def _end_motions(self) -> None:
        self._cancelling.cancel()
        for motion in list(self._motions):
            motion.set()

    def __repr__(self) -> str:
        if self._gate.closed:
            return "<RobotLink: closed>"
        state = "stopped" if self.stopped else "enabled" if self.enabled else "disabled"
        control = "in control" if self.in_control else "reading only"
        doubt = "".join(f", {side} tool unknown" for side in SIDES if not self.tools[side].known)
        return f"<RobotLink: robot {state}, {control}{doubt}>"

    def _whole(self) -> AbstractContextManager[None]:
        return self._cancelling.whole()
