"""A run of a trajectory in the twin: controller, progress and result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.control.by_name import controller_by_name
from baxterkit.control.signals import ArmState, Controller, Reference
from baxterkit.model.names import check_side
from baxterkit.types import Array, JointVector
from baxterkit.viewer.state.motion import Motion

if TYPE_CHECKING:
    from baxterkit.sim import TwinRecording
    from baxterkit.trajectory import Trajectory


class Cancelled(Exception):
    """The run was cancelled."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Result of a run in the twin.

    Attributes:
        motion: The arm's motion, to be played.
        record: Sensed, true and reference values.
        tip_error: Distance of the true tip from the reference [m], shape (n,).
    """

    motion: Motion
    record: TwinRecording
    tip_error: Array

    @property
    def tau(self) -> JointVector:
        """Torques as the twin's sensors read them [N m], shape (n, 7)."""
        assert self.record.tau is not None
        return self.record.tau

    @property
    def summary(self) -> str:
        """The run in one line."""
        rms = np.degrees(self.record.rms())
        seconds = self.record.t[-1]
        farthest, strongest = 1e3 * self.tip_error.max(), np.abs(self.tau).max()
        return (
            f"{seconds:.1f} s, joint error {rms:.3f}° rms, tip at most {farthest:.1f} mm off, "
            f"torque at most {strongest:.1f} N m"
        )


def rehearse(
    robot: Baxter,
    trajectory: Trajectory,
    side: str,
    controller: str = "computed-torque",
    progress: Callable[[float], bool] | None = None,
) -> Rehearsal:
    """Runs a trajectory in the twin, with a controller that uses the arm's model.

    Args:
        robot: The robot to simulate.
        trajectory: The trajectory to follow.
        side: Which arm.
        controller: A name of `control.CONTROLLERS`.
        progress: Called repeatedly with the share that is done; it returns whether to continue.

    Raises:
        Cancelled: If `progress` returned False.
        UnknownNameError: If there is no such controller.
        MissingExtraError: If MuJoCo is not installed.
    """
    from baxterkit.sim import Twin, with_known_effects

    both = Baxter(with_known_effects(robot.left), with_known_effects(robot.right))
    arm = both.left if check_side(side) == "left" else both.right
    law = controller_by_name(controller, arm)
    twin = Twin(both)
    if progress is not None:
        law = _Watched(law, trajectory.duration, progress)
    record = twin.follow(law, trajectory, side)
    offset = arm.fk(record.truth.q)[:, :3, 3] - arm.fk(record.reference.q)[:, :3, 3]
    assert record.tau is not None
    assert record.qd is not None
    signals = {
        "joint error [deg]": np.degrees(record.error),
        "torque [N m]": record.tau,
        "velocity [rad/s]": record.qd,
    }
    return Rehearsal(
        motion=Motion(f"twin: {trajectory.name}", record.t, {side: record.truth.q}, signals),
        record=record,
        tip_error=np.linalg.norm(offset, axis=-1),
    )


class _Watched:
    """A controller that reports progress, and stops the run on request."""

    EVERY = 200  # ticks of 1 ms

    def __init__(
        self, inner: Controller, duration: float, progress: Callable[[float], bool]
    ) -> None:
        self._inner, self._duration, self._progress = inner, duration, progress
        self._time, self._ticks = 0.0, 0

    def reset(self) -> None:
        """Restarts the inner controller."""
        self._inner.reset()
        self._time, self._ticks = 0.0, 0

    def update(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """The inner controller's torques [N m], shape (7,)."""
        self._time += dt
        self._ticks += 1
        told = self._ticks % self.EVERY == 0
        if told and not self._progress(min(self._time / self._duration, 1.0)):
            raise Cancelled
        return self._inner.update(state, reference, dt)
