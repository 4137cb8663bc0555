"""One arm of the robot: what it senses, and its commands. The same names as a limb of the twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import scalar, share
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.messages import Message
from baxterkit.robot.errors import RefusedError, no_fingers
from baxterkit.ros.errors import NoReplyError, RosError
from baxterkit.ros.gate import Gate
from baxterkit.ros.mounted_tools import MountedTools
from baxterkit.ros.states import ArmReading, States, Torques
from baxterkit.ros.waiting import seconds
from baxterkit.types import JointVector, Transform

SUPPRESS = 0.02
"""Period of the messages that suppress gravity compensation [s]; the robot wants above 5 Hz."""

FINGERLESS = ("none", "suction")
"""Kinds of tools whose fingers do not move."""
ANSWER = 0.5
"""A gripper that does not repeat a command's number has heard of it after this time [s]."""
THERE = 0.05
"""A gripper is there when its opening is this near; as the robot's own programs ask."""


class LinkedLimb:
    """One arm over the link. Made by `RobotLink`.

    Args:
        arm: Its model.
        states: What the robot says.
        gate: Decides on commands.
        tools: What the robot says of its grippers.
    """

    def __init__(self, arm: Arm, states: States, gate: Gate, tools: MountedTools) -> None:
        self.arm = arm
        self._states, self._gate, self._tools = states, gate, tools
        self._holds = 0

    @property
    def side(self) -> str:
        """Side of the arm: "left" or "right"."""
        return self.arm.side

    @property
    def published(self) -> ArmReading:
        """The last state: time by the robot's clock, positions, velocities, torques.

        Raises:
            NoReplyError: If the robot has sent none.
            RefusedError: If the link was closed: its last state is not where the arm is now.
        """
        if self._gate.closed:
            raise RefusedError(
                "closed", "the link was closed; make a new one to read where an arm is"
            )
        state = self._states.arm(self.side)
        if state is None:
            raise NoReplyError(f"no states of the {self.side} arm have come")
        return state

    @property
    def q(self) -> JointVector:
        """Positions of the last state [rad], shape (7,)."""
        return self.published.q

    @property
    def qd(self) -> JointVector:
        """Velocities of the last state [rad/s], shape (7,)."""
        return self.published.qd

    @property
    def tau(self) -> JointVector:
        """Torques of the last state [N m], shape (7,)."""
        return self.published.tau

    @property
    def tip(self) -> Transform:
        """Pose of the tip in base at the sensed positions, shape (4, 4)."""
        return self.arm.fk(self.q)

    @property
    def torques(self) -> Torques | None:
        """The robot's own account: actuators, gravity, hysteresis, crosstalk; None if not heard."""
        return self._states.torques(self.side)

    @property
    def endpoint(self) -> Transform | None:
        """The tip's pose in base as the robot computes it, shape (4, 4); None if not heard."""
        return self._states.endpoint(self.side)

    @property
    def avoidance(self) -> tuple[str, ...]:
        """What the robot's own collision avoidance says is too near."""
        return self._states.avoidance[self.side]

    def command_position(self, q: ArrayLike, raw: bool = False) -> None:
        """Commands joint positions [rad], shape (7,); valid for 0.2 s.

        Raises:
            RefusedError: If it is not safe; nothing was sent.
            InputError: If it is not seven finite numbers.
        """
        self._command("raw position" if raw else "position", q)

    def command_velocity(self, qd: ArrayLike) -> None:
        """Commands joint velocities [rad/s], shape (7,); valid for 0.2 s. Raises as above."""
        self._command("velocity", qd)

    def command_torque(self, tau: ArrayLike) -> None:
        """Commands joint torques [N m], shape (7,); valid for 0.05 s. Raises as above.

        They add to gravity compensation unless that is suppressed.
        """
        self._command("torque", tau)

    @property
    def raw_allowance(self) -> tuple[JointVector, JointVector]:
        """Least and greatest raw position command that may come now [rad], shape (7,) each.

        Commands between them may still be refused, for a collision or a predicted speed.

        Raises:
            RefusedError: If the arm's states are stale.
        """
        return self._gate.allowance(self.side)

    @property
    def speed_ratio(self) -> float:
        """Share of the velocity limits that position commands use; 0.3 unless it was set."""
        return self._gate.ratio(self.side)

    @speed_ratio.setter
    def speed_ratio(self, ratio: float) -> None:
        self._gate.speed_ratio(self.side, share(ratio, "speed_ratio"))

    def hold(self) -> None:
        """Brakes to rest, and the robot holds the arm; a motion that it follows ends.

        `follow` and `servo` of this arm, in another thread, raise RefusedError with the reason
        "held", and calls of several motions, as `tuck`, before their next one.
        """
        self._holds += 1
        self._gate.rest(self.side)

    def _end(self, arrived: bool) -> None:
        """Ends a motion: one that was cut short brakes, others come to rest by themselves."""
        self._gate.rest(self.side, arrives=arrived)

    @contextmanager
    def suppress_gravity(self) -> Iterator[None]:
        """Suppresses gravity compensation within a `with`, as long as torques are being sent."""

        def keep() -> None:
            with suppress(RosError, RefusedError):
                self._gate.keep_suppressed(self.side)

        self._gate.bear(self.side, by_torques=True)
        task = self._states.clock.every(SUPPRESS, keep, f"{self.side} gravity")
        try:
            yield
        finally:
            self._gate.bear(self.side, by_torques=False)
            task.close()

    def calibrate_gripper(self, timeout: float = 5.0) -> None:
        """Calibrates the gripper, whose fingers move; waits until it is ready.

        Raises:
            NoReplyError: If it is not, within `timeout` [s].
        """
        seconds(timeout)
        self._need_fingers()
        sent = self._gate.gripper(self.side, "calibrate")
        self._await_gripper(sent, lambda state: bool(state.ready) and not state.moving, timeout)

    def move_gripper(self, opening: float, timeout: float = 5.0) -> None:
        """Opens or closes the gripper, and waits until it is there or grips something.

        Args:
            opening: 0 (closed) to 1 (open).
            timeout: Longest wait [s]; 0 does not wait.

        Raises:
            InputError: If the tool has no fingers, or `opening` is not from 0 to 1.
            RefusedError: If the gripper is not calibrated, or must not move.
            NoReplyError: If it is not there in time.
        """
        seconds(timeout)
        if not 0.0 <= scalar(opening, "opening") <= 1.0:
            raise InputError(f"opening = {opening!r}; it must be from 0 (closed) to 1 (open)")
        self._need_fingers()
        sent = self._gate.gripper(self.side, "go", 100.0 * opening)
        if timeout > 0.0:
            self._await_gripper(
                sent,
                lambda state: abs(0.01 * state.position - opening) <= THERE or bool(state.gripping),
                timeout,
            )

    @property
    def opening(self) -> float | None:
        """Gripper opening from 0 (closed) to 1 (open); None if not heard, or without fingers."""
        message = self._states.grippers.get(self.side)
        fingers = self._tools.kind(self.side) not in FINGERLESS
        return 0.01 * float(message.position) if message is not None and fingers else None

    @property
    def calibrated(self) -> bool:
        """Whether the gripper says that it is calibrated."""
        message = self._states.grippers.get(self.side)
        return message is not None and message.calibrated == 1

    @property
    def gripping(self) -> bool | None:
        """Whether the gripper holds something; None if not heard."""
        message = self._states.grippers.get(self.side)
        return None if message is None else bool(message.gripping == 1)

    def _command(self, mode: str, values: ArrayLike) -> None:
        try:
            self._gate.joints(self.side, mode, values)
        except RefusedError as no:
            if no.reason == "not finite" and isinstance(no.__cause__, BaxterkitError):
                raise no.__cause__ from None  # the gate counts it, and brakes where it must
            raise

    def _need_fingers(self) -> None:
        self._gate.need_control()
        if self._tools.kind(self.side) in FINGERLESS:
            raise no_fingers(self.arm)

    def _await_gripper(
        self, sent: tuple[str, int], done: Callable[[Message], bool], timeout: float
    ) -> None:
        """Waits for a state that answers the command; one that is older says nothing of it."""
        clock = self._states.clock
        answered = clock.now() + ANSWER

        def there() -> bool:
            state = self._states.grippers.get(self.side)
            if state is None:
                return False
            ours = (state.command_sender, state.command_sequence) == sent
            return (ours or clock.now() > answered) and done(state)

        self._states.wait(there, timeout, f"waiting for the {self.side} gripper")

    def __repr__(self) -> str:
        return f"<LinkedLimb: {self.side} arm>"
