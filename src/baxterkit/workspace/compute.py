"""The numbers of one chunk of a map: a pure function of the settings and the scene.

Every pose is answered by itself, so the numbers do not depend on how a map is cut into chunks, nor
on who computes them, as long as the instruction set is the same. Sums over vectors, whose order
NumPy may choose, are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik.result import IkStatus
from baxterkit.scene.scene import Scene
from baxterkit.types import AnyArray, Array, Transform
from baxterkit.workspace.answering import Answers
from baxterkit.workspace.grid import orientations
from baxterkit.workspace.settings import PAIR, Settings

BLOCK = 2048
"""Number of poses that are answered at a time: they take less than 10 MB."""
NOT_COMPUTED = 255
REASONS = (
    IkStatus.SOLVED,
    IkStatus.OUT_OF_REACH,
    IkStatus.LIMITS,
    IkStatus.NOT_CONVERGED,
    IkStatus.COLLISION,
)
"""The statuses that are counted, in the order of the last axis of `counts`."""

Chunk = dict[str, AnyArray]


class Stopped(Exception):
    """The computation of a chunk was told to stop."""


@dataclass(frozen=True)
class ArrayKind:
    """One array of a map: its type, what empty cells hold, and its axes after arm, x, y, z."""

    dtype: str
    fill: float
    axis: str | None
    text: str


ARRAYS = {
    "status": ArrayKind("u1", NOT_COMPUTED, "orientation", "IkStatus of each pose"),
    "fraction": ArrayKind("f4", np.nan, None, "share of the orientations that are reached"),
    "counts": ArrayKind("u4", 0, "reason", "number of poses by status"),
    "manipulability": ArrayKind("f4", np.nan, None, "greatest manipulability"),
    "clearance": ArrayKind("f4", np.nan, None, "greatest clearance [m]"),
    "margin": ArrayKind("f4", np.nan, None, "greatest distance from the joint limits [rad]"),
    "width": ArrayKind("f4", np.nan, None, "greatest width of the free self-motion in e0 [rad]"),
}
QUALITIES = ("manipulability", "clearance", "margin", "width")


def array_names(level: str) -> tuple[str, ...]:
    """Names of the arrays of a map of this level."""
    return tuple(name for name in ARRAYS if level == "full" or name not in QUALITIES)


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions of n poses.

    Attributes:
        q: Joint positions [rad], shape (m, 7).
        rows: The pose of each, shape (m,).
        values: Manipulability, clearance [m] and margin [rad] of each, shape (m, 3).
        width: Of each pose, how much of the range of e0 has a solution [rad], shape (n,).
    """

    q: Array
    rows: NDArray[np.int64]
    values: Array
    width: Array


@dataclass(frozen=True)
class Job:
    """Settings with the scene: what it takes to compute any chunk. Pickles.

    Attributes:
        settings: Its settings, checked.
        scene: The robot among its obstacles.
        device: The GPU that answers poses, for example "cuda"; the processor does if None.
    """

    settings: Settings
    scene: Scene
    device: str | None = None

    @property
    def indices(self) -> Iterator[tuple[int, int, int, int]]:
        """All chunks: arm, then x, y and z."""
        for flat in range(int(np.prod(self.settings.chunks))):
            a, x, y, z = np.unravel_index(flat, self.settings.chunks)
            yield int(a), int(x), int(y), int(z)

    def chunk(
        self, index: tuple[int, int, int, int], stop: Callable[[], bool] = lambda: False
    ) -> Chunk:
        """The arrays of one chunk, each with axes x, y, z and its own.

        Args:
            index: The chunk: arm, then x, y and z.
            stop: Asked now and then; True ends the work.

        Raises:
            Stopped: If `stop()` is true.
        """
        settings = self.settings
        middles = settings.grid.middles(settings.part(index[1:]))
        points = middles.reshape(-1, 3)
        R = orientations(settings.orientations)
        status = np.empty(len(points) * len(R), dtype=np.uint8)
        qualities = np.full((len(status) if settings.level == "full" else 0, 4), -np.inf)
        block = BLOCK if self.device is None else len(status)
        for start in range(0, len(status), block):
            if stop():
                raise Stopped
            rows = np.arange(start, min(start + block, len(status)))
            T = np.zeros((len(rows), 4, 4))
            T[:, :3, :3] = R[rows % len(R)]
            T[:, :3, 3] = points[rows // len(R)]
            T[:, 3, 3] = 1.0
            status[rows], q = self.answers(index[0], T)
            if settings.level == "full":
                solved = np.nonzero(status[rows] == IkStatus.SOLVED)[0]
                if len(solved):
                    qualities[rows[solved]] = self.qualities(index[0], T[solved], q[solved])
        shape = middles.shape[:3]
        found: Chunk = {"status": status.reshape(*shape, len(R))}
        counts = [(found["status"] == reason).sum(axis=-1) for reason in REASONS]
        found["counts"] = np.stack(counts, axis=-1).astype(np.uint32)
        found["fraction"] = (counts[0] / len(R)).astype(np.float32)
        if settings.level == "full":
            best = qualities.reshape(*shape, len(R), 4).max(axis=-2)
            best[~np.isfinite(best)] = np.nan
            for k, name in enumerate(QUALITIES):
                found[name] = best[..., k].astype(np.float32)
        return {name: np.ascontiguousarray(found[name]) for name in array_names(settings.level)}

    def answers(self, side: int, T: Transform) -> tuple[NDArray[np.uint8], Array]:
        """Status codes of poses (n, 4, 4), shape (n,), and joint positions, (n, 7).

        For both hands at once the joint positions are those of the left arm, then of the right one,
        shape (n, 14).
        """
        settings = self.settings
        name = settings.sides[side]
        if name == PAIR:
            return self._pair_answers(T)
        return self._answers.ik(name, T, np.array(settings.others[side]))

    @cached_property
    def _answers(self) -> Answers:
        body = self.settings.level != "reach"
        if self.device is None:
            return Answers(self.scene, body)
        from baxterkit.workspace.on_device import DeviceAnswers

        return DeviceAnswers(self.scene, body, self.device)

    def _pair_answers(self, T: Transform) -> tuple[NDArray[np.uint8], Array]:
        left, right = self.hands(T)
        alone = (self.scene.robot.left.ik(left), self.scene.robot.right.ik(right))
        # Reachability failures take precedence over collisions.
        codes = np.stack([np.asarray(one.status) for one in alone])
        status = np.full(len(T), int(IkStatus.SOLVED))
        for reason in (IkStatus.NOT_CONVERGED, IkStatus.LIMITS, IkStatus.OUT_OF_REACH):
            status[(codes == reason).any(axis=0)] = reason
        q = np.concatenate([one.q for one in alone], axis=-1)
        rows = np.nonzero(status == IkStatus.SOLVED)[0]
        if self.settings.level != "reach" and len(rows):
            found = self.scene.ik_pair(left[rows], right[rows])
            status[rows] = found.status
            q[rows] = np.concatenate([found.q_left, found.q_right], axis=-1)
        q[status != IkStatus.SOLVED] = np.nan
        return status.astype(np.uint8), q

    def hands(self, T: Transform) -> tuple[Transform, Transform]:
        """Poses of the left and the right tip for both hands at once, of poses (n, 4, 4).

        The left tip is at +y of the pose and points to -y, the right one at -y to +y; their x axes
        are that of the pose.
        """
        found = []
        for sign in (1.0, -1.0):
            hand = T.copy()
            hand[:, :3, 1], hand[:, :3, 2] = sign * T[:, :3, 2], -sign * T[:, :3, 1]
            hand[:, :3, 3] += (sign * (self.settings.apart or 0.0) / 2.0) * T[:, :3, 1]
            found.append(hand)
        return found[0], found[1]

    def qualities(self, side: int, T: Transform, q: Array) -> Array:
        """Of poses that are reached: best manipulability, clearance, margin; width, (n, 4).

        Solutions are looked at for `samples` values of e0, and the answer `q` is one of them.
        """
        found = self.solutions(side, T, q)
        best = np.full((len(T), 4), -np.inf)
        for k in range(3):
            np.maximum.at(best[:, k], found.rows, found.values[:, k])
        best[:, 3] = found.width
        return best

    def solutions(self, side: int, T: Transform, q: Array) -> Solutions:
        """Free solutions of poses (n, 4, 4) at `samples` values of e0, and the answers (n, 7)."""
        size = self._answers.looked_at
        starts = range(0, max(len(T), 1), size)
        parts = [
            self._solutions(side, T[start : start + size], q[start : start + size])
            for start in starts
        ]
        return Solutions(
            np.concatenate([part.q for part in parts]),
            np.concatenate([s + part.rows for s, part in zip(starts, parts, strict=True)]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.width for part in parts]),
        )

    def _solutions(self, side: int, T: Transform, q: Array) -> Solutions:
        """The same of some poses, all at once."""
        settings, answers = self.settings, self._answers
        name, other = settings.sides[side], np.array(settings.others[side])
        limits = self.scene.arm(name).limits
        lower, upper = limits.lower, limits.upper
        spacing = (upper[2] - lower[2]) / settings.samples
        e0 = lower[2] + (np.arange(settings.samples) + 0.5) * spacing
        every = answers.ik_all(name, T, e0)
        row, at, member = np.nonzero(np.isfinite(every[..., 0]))
        found = every[row, at, member]
        if settings.level != "reach":
            free = ~answers.hits(name, found, other)
            found, row, at = found[free], row[free], at[free]
        open_at = np.zeros((len(T), settings.samples), dtype=bool)
        open_at[row, at] = True
        found = np.concatenate([q, found])  # the answers themselves have been checked
        gap = answers.clearance(name, found, other)
        margin = np.minimum(found - lower, upper - found).min(axis=-1)
        values = np.stack([answers.manipulability(name, found), gap, margin], axis=-1)
        rows = np.concatenate([np.arange(len(T)), row])
        return Solutions(found, rows, values, open_at.sum(axis=-1) * spacing)
