"""A run of one trajectory or two in the twin: controllers, progress and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.collision.world import World
from baxterkit.control.by_name import KNOWS, controller_by_name
from baxterkit.control.signals import ArmState, Controller, Reference, forget
from baxterkit.model.names import SIDES, check_side
from baxterkit.scene.scene import SceneLike, as_scene
from baxterkit.types import Array, JointVector, Vector3
from baxterkit.viewer.state.motion import Motion

if TYPE_CHECKING:
    from baxterkit.robot import Followed
    from baxterkit.trajectory import Trajectory


class Cancelled(Exception):
    """The run was cancelled."""


@dataclass(frozen=True, eq=False)
class TwinRun:
    """Result of a run in the twin.

    Attributes:
        motion: The motion of the arms that ran, to be played.
        records: Sensed, true and reference values, by side.
        tip_errors: Distance of the true tip from the reference [m], by side, shape (n,).
        traces: Where the true tip went in base [m], by side, shape (n, 3).
        clearance: Least clearance of the true motion from the robot and the world [m].
        controller: Name of the controller, and what it knows.
    """

    motion: Motion
    records: Mapping[str, Followed]
    tip_errors: Mapping[str, Array]
    traces: Mapping[str, Vector3]
    clearance: float
    controller: str

    @property
    def summary(self) -> str:
        """The run in one line; of two arms the greater errors."""
        records = self.records.values()
        seconds = max(record.t[-1] for record in records)
        rms = max(float(np.degrees(record.rms())) for record in records)
        farthest = 1e3 * max(float(error.max()) for error in self.tip_errors.values())
        strongest = max(float(np.abs(_tau(record)).max()) for record in records)
        faults = [f"{side} arm, {one}" for side, r in self.records.items() for one in r.faults]
        failed = f"; not a success: {'; '.join(faults)}" if faults else ""
        return (
            f"{self.controller}: {seconds:.1f} s, joint error {rms:.3f}° rms, "
            f"tip at most {farthest:.1f} mm off, "
            f"torque at most {strongest:.1f} N m{failed}"
        )


def run_in_twin(
    scene: SceneLike,
    trajectories: Mapping[str, Trajectory],
    controller: str = "computed-torque",
    progress: Callable[[float], bool] | None = None,
    *,
    at: Mapping[str, JointVector] | None = None,
) -> TwinRun:
    """Runs trajectories in the twin, with a controller for each arm that uses the arm's model.

    Args:
        scene: The robot to simulate, alone or among obstacles of shapes that the twin has.
        trajectories: For each arm that moves the trajectory to follow.
        controller: A name of `control.CONTROLLERS`.
        progress: Called repeatedly with the share that is done; it returns whether to continue.
        at: Joint positions of the arms at the start [rad], for those that stay; untucked if None.

    Raises:
        Cancelled: If `progress` returned False.
        UnknownNameError: If there is no such controller.
        MissingExtraError: If MuJoCo is not installed.
    """
    from baxterkit.sim import Twin, with_known_effects

    scene = as_scene(scene)
    robot = scene.robot
    both = robot.replace(left=with_known_effects(robot.left), right=with_known_effects(robot.right))
    arms = {"left": both.left, "right": both.right}
    laws: dict[str, Controller] = {
        check_side(side): controller_by_name(controller, arms[side]) for side in trajectories
    }
    world = World.of(one for one in scene.world.state if one.held is None or one.mass)
    twin = Twin(both, world=world)
    own = all(robot.arm(side).effects is not None for side in trajectories)
    whose = "identified ones" if own else "nominal ones"
    if at is not None:
        twin.place(**at)
    longest = max(trajectories.values(), key=lambda one: one.duration)
    if progress is not None:
        first = next(iter(laws))
        laws[first] = _Watched(laws[first], longest.duration, progress)
    still = {side: twin.limb(side).q.copy() for side in SIDES}
    records = (
        twin.enable()
        .place_at(trajectories)
        .follow(trajectories, laws, path_tolerance=np.inf, settle=0.0)
    )
    several = len(records) > 1
    signals: dict[str, ArrayLike] = {}
    traces, errors = {}, {}
    for side, record in records.items():
        traces[side] = arms[side].fk(record.truth.q)[:, :3, 3]
        wanted = arms[side].fk(record.reference.q)[:, :3, 3]
        errors[side] = np.linalg.norm(traces[side] - wanted, axis=-1)
        of = f"{side} " if several else ""
        signals[f"{of}joint error [deg]"] = np.degrees(record.error)
        signals[f"{of}torque [N m]"] = _tau(record)
        if record.qd is not None:
            signals[f"{of}velocity [rad/s]"] = record.qd
    q = {side: record.truth.q for side, record in records.items()}
    gap = scene.clearance(*({**still, **q}[side] for side in SIDES))
    t = next(iter(records.values())).t
    return TwinRun(
        motion=Motion(f"twin: {longest.name}", t, q, signals),
        records=records,
        tip_errors=errors,
        traces=traces,
        clearance=float(np.min(gap)),
        controller=f"Twin under {controller}, which {KNOWS[controller]} ({whose})",
    )


def _tau(record: Followed) -> JointVector:
    """Torques as the twin's sensors read them [N m], shape (n, 7)."""
    assert record.tau is not None
    return record.tau


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
        forget(self._inner)
        self._time, self._ticks = 0.0, 0

    def update(self, state: ArmState, reference: Reference, dt: float) -> JointVector:
        """The inner controller's torques [N m], shape (7,)."""
        self._time += dt
        self._ticks += 1
        told = self._ticks % self.EVERY == 0
        if told and not self._progress(min(self._time / self._duration, 1.0)):
            raise Cancelled
        return self._inner.update(state, reference, dt)
