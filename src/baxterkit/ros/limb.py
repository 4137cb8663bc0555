"""One arm of the robot: what it senses, and its commands. The same names as a limb of the twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.messages import Message
from baxterkit.ros.errors import NoReplyError, RosError
from baxterkit.ros.gate import Gate
from baxterkit.ros.states import ArmReading, States, Torques
from baxterkit.ros.waiting import seconds
from baxterkit.types import JointVector, Transform

__all__ = ["LinkedLimb"]

SUPPRESS = 0.02
"""Period of the messages that suppress gravity compensation [s]; the robot wants above 5 Hz."""

ANSWER = 0.5
"""A gripper that does not repeat a command's number has heard of it after this time [s]."""
THERE = 5.0
"""A gripper is there when its opening is this near [%]; as the robot's own programs ask."""


class LinkedLimb:
    """One arm over the link. Made by `RobotLink`.

    Args:
        arm: Its model.
        states: What the robot says.
        gate: Decides on commands.
    """

    def __init__(self, arm: Arm, states: States, gate: Gate) -> None:
        self.arm = arm
        self._states, self._gate = states, gate

    @property
    def side(self) -> str:
        """Which arm: "left" or "right"."""
        return self.arm.side

    @property
    def published(self) -> ArmReading:
        """The last state: time by the robot's clock, positions, velocities, torques.

        Raises:
            NoReplyError: If the robot has sent none.
        """
        state = self._states.arm(self.side)
        if state is None:
            raise NoReplyError(f"no states of the {self.side} arm have come")
        return state

    @property
    def q(self) -> JointVector:
        """Sensed positions [rad], shape (7,)."""
        return self.published.q

    @property
    def qd(self) -> JointVector:
        """Sensed velocities [rad/s], shape (7,)."""
        return self.published.qd

    @property
    def tau(self) -> JointVector:
        """Sensed torques [N m], shape (7,)."""
        return self.published.tau

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
        """
        self._gate.joints(self.side, "raw position" if raw else "position", q)

    def command_velocity(self, qd: ArrayLike) -> None:
        """Commands joint velocities [rad/s], shape (7,); valid for 0.2 s. Raises as above."""
        self._gate.joints(self.side, "velocity", qd)

    def command_torque(self, tau: ArrayLike) -> None:
        """Commands joint torques [N m], shape (7,); valid for 0.05 s. Raises as above.

        They add to gravity compensation unless that is suppressed.
        """
        self._gate.joints(self.side, "torque", tau)

    @property
    def raw_allowance(self) -> tuple[JointVector, JointVector]:
        """Least and greatest raw position command that may come now [rad], shape (7,) each.

        Commands between them may still be refused, for a collision or a predicted speed.

        Raises:
            RefusedError: If the arm's states are stale.
        """
        return self._gate.allowance(self.side)

    def speed_ratio(self, ratio: float) -> None:
        """Sets the share of the velocity limits that position commands use, above 0 to 1."""
        self._gate.speed_ratio(self.side, ratio)

    def hold(self) -> None:
        """Ends a motion by velocities; the robot holds the arm."""
        self._gate.rest(self.side)

    @contextmanager
    def suppress_gravity(self) -> Iterator[None]:
        """Suppresses gravity compensation within a `with`, as long as torques are being sent."""

        def keep() -> None:
            with suppress(RosError):
                self._gate.keep_suppressed(self.side)

        self._gate.bear(self.side, by_torques=True)
        task = self._states.clock.every(SUPPRESS, keep, f"{self.side} gravity")
        try:
            yield
        finally:
            self._gate.bear(self.side, by_torques=False)
            task.close()

    def calibrate_gripper(self, timeout: float = 5.0) -> None:
        """Calibrates the gripper: it opens and closes; waits until it is ready.

        Raises:
            NoReplyError: If it is not, within `timeout` [s].
        """
        seconds(timeout)
        sent = self._gate.gripper(self.side, "calibrate")
        self._await_gripper(sent, lambda state: bool(state.ready) and not state.moving, timeout)

    def command_gripper(self, opening: float, timeout: float = 0.0) -> None:
        """Opens or closes the gripper.

        Args:
            opening: 0 (closed) to 100 (open).
            timeout: Time to wait until it is there or grips something [s]; 0 does not wait.

        Raises:
            RefusedError: If the gripper is not calibrated, or the opening not from 0 to 100.
            NoReplyError: If it is not there in time.
        """
        seconds(timeout)
        sent = self._gate.gripper(self.side, "go", opening)
        if timeout > 0.0:
            self._await_gripper(
                sent,
                lambda state: abs(state.position - opening) <= THERE or bool(state.gripping),
                timeout,
            )

    @property
    def gripper(self) -> float | None:
        """Opening of the gripper, 0 to 100; None if not heard."""
        message = self._states.grippers.get(self.side)
        return None if message is None else float(message.position)

    @property
    def calibrated(self) -> bool:
        """Whether the gripper says that it is calibrated."""
        message = self._states.grippers.get(self.side)
        return message is not None and message.calibrated == 1

    @property
    def gripping(self) -> bool | None:
        """Whether the gripper holds something; None if not heard."""
        message = self._states.grippers.get(self.side)
        return None if message is None else bool(message.gripping)

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
