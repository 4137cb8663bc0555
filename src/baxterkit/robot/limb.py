"""`Limb`: what one arm of a robot can do, whatever the body."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.types import JointVector, Transform


class PublishedState(Protocol):
    """The state of an arm that the robot has published."""

    @property
    def t(self) -> float:
        """Its time by the robot's clock [s]; a twin's begins at 0."""

    @property
    def q(self) -> JointVector:
        """Positions [rad], shape (7,)."""

    @property
    def qd(self) -> JointVector:
        """Velocities [rad/s], shape (7,)."""

    @property
    def tau(self) -> JointVector:
        """Torques [N m], shape (7,)."""


class Limb(Protocol):
    """One arm of a robot: what it senses, its commands, its gripper.

    A command is valid for 0.2 s, torques over ROS for 0.05 s; then the robot holds the arm.

    Both bodies raise the same errors. What the robot's state or its limits forbid is a
    `RefusedError` with its `reason`: "disabled" or "stopped" before the robot is enabled,
    "position", "velocity" or "effort" beyond a limit; over ROS the safety gate has more. What is
    malformed is an `InputError`, or a `ShapeError`: not seven finite numbers, a ratio, an opening
    or a time that is out of its range. What does not happen in time is an `OverdueError`.
    """

    @property
    def arm(self) -> Arm:
        """The arm's model, with its tool."""

    @property
    def side(self) -> str:
        """Which limb: "left" or "right"."""

    @property
    def q(self) -> JointVector:
        """Sensed positions [rad], shape (7,)."""

    @property
    def qd(self) -> JointVector:
        """Sensed velocities [rad/s], shape (7,)."""

    @property
    def tau(self) -> JointVector:
        """Sensed torques [N m], shape (7,)."""

    @property
    def tip(self) -> Transform:
        """Pose of the tip in base by the model, at the sensed positions, shape (4, 4)."""

    @property
    def published(self) -> PublishedState:
        """The state that the robot last published, at 100 Hz, with its time."""

    @property
    def speed_ratio(self) -> float:
        """Share of the velocity limits that position commands use; may be set, above 0 to 1."""

    @speed_ratio.setter
    def speed_ratio(self, ratio: float) -> None: ...

    def command_position(self, q: ArrayLike, raw: bool = False) -> None:
        """Commands joint positions [rad], shape (7,); `raw` skips the robot's filter."""

    def command_velocity(self, qd: ArrayLike) -> None:
        """Commands joint velocities [rad/s], shape (7,)."""

    def command_torque(self, tau: ArrayLike) -> None:
        """Commands joint torques [N m], shape (7,), on top of gravity compensation."""

    def suppress_gravity(self) -> AbstractContextManager[None]:
        """Suppresses gravity compensation within a `with`: the torques that are sent are all.

        In the other modes, and where no torques are sent any more, the robot bears the arm.
        """

    def hold(self) -> None:
        """Brakes to rest and stays there."""

    @property
    def opening(self) -> float | None:
        """Gripper opening from 0 (closed) to 1 (open); None if the tool has no fingers."""

    @property
    def calibrated(self) -> bool:
        """Whether the gripper is calibrated; it obeys no opening before."""

    @property
    def gripping(self) -> bool | None:
        """Whether the gripper holds something; None if that is not known."""

    def calibrate_gripper(self, timeout: float = 5.0) -> None:
        """Calibrates the gripper, whose fingers move: needed once before it obeys an opening.

        Raises:
            OverdueError: If it is not ready within `timeout` [s].
        """

    def move_gripper(self, opening: float, timeout: float = 5.0) -> None:
        """Opens or closes the gripper, 0 (closed) to 1 (open).

        Waits until it is there or grips something, at most `timeout` [s]; 0 does not wait.

        Raises:
            InputError: If the tool has no fingers, or the opening is not from 0 to 1.
            OverdueError: If it is not there in time, and grips nothing; it goes on.
        """
