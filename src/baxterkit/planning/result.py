"""Results of planning: a path, or a status and a sentence that say why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.named import Given
from baxterkit.display import html_table
from baxterkit.errors import ResultError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.planning.outcome import PlanStatus, Search
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.planning.request import Request
    from baxterkit.scene.scene import Scene
    from baxterkit.trajectory.trajectory import Trajectory


class PlanError(ResultError):
    """Raised by `PlanResult.raise_if_failed`.

    Attributes:
        result: The result that failed.
    """

    result: PlanResult | None


@dataclass(frozen=True, eq=False)
class PlanResult:
    """A path, or why there is none.

    Attributes:
        status: The outcome.
        reason: Why there is no path, in a sentence that names links, obstacles and values; empty if
            there is one.
        path: Corners of the path [rad], the start and the goal included, shape (n, 7) of one arm or
            (n, 14), left then right, of both; shape (0, 7) or (0, 14) if there is none. Read-only.
        group: What moves: "left", "right" or "both".
        legs: Row of `path` at which each goal of a sequence is reached, the last row last.
        pair: Names of two links or obstacles that touch, where the status is about a collision.
        search: What the search took.
    """

    status: PlanStatus
    reason: str
    path: Array
    group: str
    legs: tuple[int, ...] = ()
    pair: tuple[str, str] | None = None
    search: Search = field(default_factory=Search)
    _request: Request = field(default=None, repr=False)  # type: ignore[assignment]
    _plan_again: Callable[[Request, Sequence[Given]], PlanResult] | None = field(
        default=None, repr=False
    )
    _goals: tuple[Given, ...] = field(default=(), repr=False)

    @property
    def solved(self) -> bool:
        """Whether a path was found."""
        return self.status is PlanStatus.SOLVED

    @property
    def length(self) -> float:
        """Length of the path in joint space, Euclidean over the joints that move [rad]."""
        return float(np.linalg.norm(np.diff(self.path, axis=0), axis=-1).sum())

    @property
    def tree(self) -> tuple[Array, Array]:
        """Edges of the trees at the start and at the goals, to be drawn; for `keep_tree=True`.

        Each edge is two configurations of both arms, parent and child, left then right [rad]: shape
        (n, 2, 14), in the order in which they grew. Only edges of a path are swept; the others were
        looked at in steps. Empty if nothing was kept, or if the straight line was free.
        """
        return self.search.edges

    @property
    def robot(self) -> Baxter:
        """The robot that it was planned for."""
        return self.scene.robot

    @property
    def scene(self) -> Scene:
        """The robot among its obstacles, as it was planned."""
        return self._request.scene

    @property
    def configurations(self) -> Array:
        """Corners of the path of both arms, left then right [rad], shape (n, 14)."""
        if self.group == "both":
            return self.path
        whole = np.tile(self._request.start, (len(self.path), 1))
        whole[:, self._request.columns] = self.path
        return whole

    def trajectory(
        self,
        *,
        margin: float | None = None,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> Trajectory:
        """The fastest motion to the goal along a shorter path with round corners.

        Corners are cut off where the straight line is free and then rounded, both with swept
        checks. The motion rests at its ends and at the goals of a sequence. Its limits, and that
        nothing touches, are checked again every millisecond, in the world as it was planned in.

        Args:
            margin: Safety margin [m]: anything closer counts as a collision; the scene's if None.
                If the path comes nearer somewhere, another one is planned.
            velocity: Greatest velocities [rad/s]: one number, (7,), or one for each joint that
                moves; the arms' if None.
            acceleration: Greatest accelerations [rad/s²]; `trajectory.joint_space.ACCELERATION`
                if None.
            torque: Greatest torques [N m]; the arms' effort limits if None. Payload, gravity and
                joint effects of the arms count, and the masses of what their hands hold.

        Returns:
            The motion of the arm that moves, or of both.

        Raises:
            PlanError: If there is no path, or none with this margin.
            InputError: If the torques cannot hold the arms on the path, or nothing moves.
        """
        clear = self.raise_if_failed()
        if margin is not None:
            clear = self._with_margin(margin)
        limits = (velocity, acceleration, torque)
        return clear._fastest if all(x is None for x in limits) else clear._motion(*limits)

    def _with_margin(self, margin: float) -> PlanResult:
        """The same path if nothing is nearer than a margin [m], else another one.

        Raises:
            PlanError: If there is none.
        """
        scene = self.scene.replace(margin=margin)
        request = replace(self._request, scene=scene)
        q = self.configurations
        ends = (q, q) if len(q) == 1 else (q[:-1], q[1:])
        if np.all(request.checks.edge_free(*ends)):
            return replace(self, _request=request)
        assert self._plan_again is not None
        other = self._plan_again(request, self._goals)
        if not other.solved:
            message = (
                f"{other.status.name} with a margin of {1e3 * scene.margin:g} mm: {other.reason}"
            )
            raise PlanError(message, other)
        return other

    @cached_property
    def _fastest(self) -> Trajectory:
        return self._motion(None, None, None)

    def _motion(
        self,
        velocity: ArrayLike | None,
        acceleration: ArrayLike | None,
        torque: ArrayLike | None,
    ) -> Trajectory:
        from baxterkit.planning.motion import make_motion

        return make_motion(
            self._request, self.configurations, self.legs, velocity, acceleration, torque
        )

    def raise_if_failed(self) -> PlanResult:
        """Returns itself if there is a path.

        Raises:
            PlanError: If there is none: says why.
        """
        if not self.solved:
            raise PlanError(f"{self.status.name}: {self.reason}", self)
        return self

    def __bool__(self) -> bool:
        return self.solved

    def _repr_html_(self) -> str:
        """A table of the joints that move, for notebooks."""
        if not self.solved:
            return html_table(f"PlanResult: {self.status.name}", (), (), self.reason)
        sides = SIDES if self.group == "both" else (self.group,)
        names = [name for side in sides for name in joint_names(side)]
        rows = zip(names, *(self.path[k].tolist() for k in (0, -1)), strict=True)
        least, most = self.path.min(axis=0).tolist(), self.path.max(axis=0).tolist()
        cells = [(*row, low, high) for row, low, high in zip(rows, least, most, strict=True)]
        head = ("joint", "start [rad]", "goal [rad]", "least [rad]", "greatest [rad]")
        return html_table(repr(self), head, cells, "result.trajectory() is the motion")

    def __repr__(self) -> str:
        if not self.solved:
            return f"PlanResult({self.status.name}: {self.reason})"
        return (
            f"PlanResult(SOLVED, group={self.group!r}; {len(self.path)} corners, "
            f"{self.length:.2f} rad, {self.search.samples} samples)"
        )
