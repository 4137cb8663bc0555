"""Running a trajectory in the twin: which controller, how far it is, and what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import control
from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.control.signals import ArmState, Controller, Reference
from baxterkit.errors import UnknownNameError
from baxterkit.types import Array, JointVector
from baxterkit.viewer.state.motion import Motion

if TYPE_CHECKING:
    from baxterkit.trajectory import Trajectory

CONTROLLERS: dict[str, Callable[[Arm], Controller]] = {
    "computed torque": control.ComputedTorque,
    "PD and gravity": control.PdGravity,
    "joint impedance": control.JointImpedance,
    "double-loop PID": control.DoubleLoopPid,
}
"""Name -> controller of an arm."""


class Cancelled(Exception):
    """Somebody does not want the result any more."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What a run in the twin gave.

    Attributes:
        motion: What the arm did, to be played.
        t: Time [s], shape (n,).
        error: Wanted less true joint positions [rad], shape (n, 7).
        tau: Torques as the twin's sensors read them [Nm], shape (n, 7).
        tip_error: Distance of the true tip from the wanted one [m], shape (n,).
    """

    motion: Motion
    t: Array
    error: JointVector
    tau: JointVector
    tip_error: Array

    @property
    def summary(self) -> str:
        """The run in one line."""
        rms = np.degrees(np.sqrt(np.mean(self.error**2)))
        farthest, strongest = 1e3 * self.tip_error.max(), np.abs(self.tau).max()
        return (
            f"{self.t[-1]:.1f} s, joint error {rms:.3f}° rms, tip at most {farthest:.1f} mm off, "
            f"torque at most {strongest:.1f} Nm"
        )


def rehearse(
    robot: Baxter,
    trajectory: Trajectory,
    side: str,
    controller: str = "computed torque",
    progress: Callable[[float], bool] | None = None,
) -> Rehearsal:
    """Lets the twin's arm follow a trajectory, with a controller that knows the arm's model.

    Args:
        robot: The robot to be a twin of.
        trajectory: What to follow.
        side: Which arm.
        controller: A name of `CONTROLLERS`.
        progress: Called now and then with the part that is done; it returns whether to go on.

    Raises:
        Cancelled: If `progress` said no.
        UnknownNameError: If there is no such controller.
        MissingExtraError: If MuJoCo is not installed.
    """
    if controller not in CONTROLLERS:
        raise UnknownNameError("controller", controller, CONTROLLERS)
    from baxterkit.sim import Twin

    twin = Twin(Baxter(_with_effects(robot.left), _with_effects(robot.right)))
    arm = twin.limb(side).arm
    law = CONTROLLERS[controller](arm)
    if progress is not None:
        law = _Watched(law, trajectory.duration, progress)
    record = twin.follow(law, trajectory, side)
    offset = arm.fk(record.truth.q)[:, :3, 3] - arm.fk(record.reference.q)[:, :3, 3]
    assert record.tau is not None
    return Rehearsal(
        motion=Motion(f"twin: {trajectory.name}", record.t, {side: record.truth.q}),
        t=record.t,
        error=record.error,
        tau=record.tau,
        tip_error=np.linalg.norm(offset, axis=-1),
    )


def _with_effects(arm: Arm) -> Arm:
    """The arm, with nominal springs and friction if it has none: the controller shall know them."""
    from baxterkit.sim.nominal import nominal_effects

    return arm if arm.effects is not None else arm.with_effects(nominal_effects())


class _Watched:
    """A controller that tells how far the run is, and stops it when asked to."""

    EVERY = 200  # ticks of 1 ms

    def __init__(
        self, inner: Controller, duration: float, progress: Callable[[float], bool]
    ) -> None:
        self._inner, self._duration, self._progress = inner, duration, progress
        self._time, self._ticks = 0.0, 0

    def reset(self) -> None:
        """Begins anew."""
        self._inner.reset()
        self._time, self._ticks = 0.0, 0

    def update(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """The inner controller's torques [Nm], shape (7,)."""
        self._time += dt
        self._ticks += 1
        told = self._ticks % self.EVERY == 0
        if told and not self._progress(min(self._time / self._duration, 1.0)):
            raise Cancelled
        return self._inner.update(state, reference, dt)
