"""`Checks`: a robot, its surroundings and what counts as a collision, with every check of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.backend.choice import device_of, is_native, processor_kernels
from baxterkit.checks.arrays import head_angle
from baxterkit.checks.numbers import small_length
from baxterkit.checks.results import deliver
from baxterkit.checks.units import unwarned
from baxterkit.collision.checker import Checker
from baxterkit.collision.nearest import Nearest
from baxterkit.collision.openings import Openings, plain_opening
from baxterkit.collision.pairs import BEYOND, Without, check_pairs
from baxterkit.collision.world import World, check_is_world
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.names import check_side
from baxterkit.types import Array, ForeignArray, JointsLike

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.cuda.collision import CudaChecks

Of = TypeVar("Of")
EMPTY = World().snapshot()
MOST_CHECKERS = 32
"""Checkers that are kept: openings can take any value."""


def _not_negative(margin: float) -> float:
    if margin < 0.0:
        raise InputError(f"margin = {margin:g} m must not be negative; with 0 links may touch")
    return margin


def _all_but(checker: Checker, pairs: Without) -> Without:
    """Every pair of a checker but these, in either order."""
    kept = {frozenset(pair) for pair in pairs}
    return tuple(pair for pair in checker.pairs if frozenset(pair) not in kept)


class _Kept(NamedTuple):
    """What scenes that were made of each other share."""

    checkers: dict[object, Checker]
    parts: dict[object, Checks]


class Changes(TypedDict, total=False):
    """What `Checks.replace` changes."""

    robot: Baxter
    world: World
    head: float
    opening: Openings
    margin: float
    without: Without


@dataclass(frozen=True, repr=False)
class Checks:
    """The checks of a `Scene`, which documents the attributes."""

    robot: Baxter
    world: World = EMPTY
    head: float = 0.0
    opening: Openings = 1.0
    margin: float = 0.0
    without: Without = ()
    _kept: _Kept = field(default_factory=lambda: _Kept({}, {}), compare=False)

    def __post_init__(self) -> None:
        check_is_world(self.world)
        world = self.world.snapshot()
        checked = {
            "world": world if len(world) else EMPTY,
            "head": head_angle(self.robot.head.check(self.head, BEYOND, "head")),
            "opening": plain_opening(self.opening),
            "margin": _not_negative(small_length(self.margin, "margin")),
            "without": check_pairs(self.without, world.names),
        }
        vars(self).update(checked)

    def replace(self, **changes: Unpack[Changes]) -> Self:
        """A copy with other values of some attributes."""
        if {"head", "margin"} & changes.keys():
            return replace(self, **changes)
        with unwarned():  # what this scene has was looked at
            return replace(self, **changes)

    def arm(self, side: str) -> Arm:
        """An arm of the robot, "left" or "right"."""
        return self.robot.arm(side)

    @cached_property
    def checker(self) -> Checker:
        """The collision checks of this scene, made at their first use."""
        key = (self.robot, self.opening, self.without, self.world)
        kept = self._kept.checkers
        found = kept.get(key)  # another thread may clear them at any time
        if found is None:
            arms = (self.robot.left, self.robot.right)
            kernels = tuple(processor_kernels(arm.model, arm._kernels) for arm in arms)
            natives = (kernels[0], kernels[1]) if all(map(is_native, kernels)) else None
            models = (arms[0].model, arms[1].model)
            obstacles = self.world.state
            found = Checker(models, self.robot.head, natives, self.opening, self.without, obstacles)
            if len(kept) >= MOST_CHECKERS:
                kept.clear()
                self._kept.parts.clear()
            kept[key] = found
        return found

    @cached_property
    def _gpu(self) -> CudaChecks | None:
        """The checks of configurations that are on a GPU; None if no arm computes there."""
        found = (device_of(arm._kernels) for arm in (self.robot.left, self.robot.right))
        devices = {device for device in found if device is not None}
        if not devices:
            return None
        if len(devices) > 1:
            raise InputError("the arms of this robot compute on two GPUs; a scene needs one")
        from baxterkit.cuda.collision import CudaChecks

        native = self.checker.native
        if native is None:
            raise InputError("checks on a GPU need the compiled kernels; reinstall baxterkit")
        return CudaChecks(native, self.checker.owners, devices.pop(), len(self.world) > 0)

    def _on_gpu(self, *q: object) -> CudaChecks | None:
        """The checks of these arrays, if one is on a GPU."""
        if self._gpu is None:
            return None
        from baxterkit.cuda.libraries import on_gpu

        return self._gpu if any(map(on_gpu, q)) else None

    def of_arm(self, side: str) -> Self:
        """This scene with those pairs alone that a motion of one arm can bring together.

        For "both" it is this scene itself.
        """
        both = isinstance(side, str) and side == "both"
        return self if both else self._part(check_side(side, "arm"), Checker.all_but_arm)

    def of_hand(self, side: str) -> Self:
        """This scene with the pairs of one hand alone, whose pose a target of the arm gives."""
        return self._part(check_side(side, "arm"), Checker.all_but_hand)

    def _alone(self, pairs: Without) -> Self:
        """This scene with some pairs alone, of those that it checks."""
        return self._part(pairs, _all_but)

    def in_collision(
        self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike | None = None
    ) -> NDArray[np.bool_] | bool:
        """Whether the robot touches itself or the world.

        The body is that of `baxterkit.collision`: it contains the meshes of the robot and of its
        tools, so False is certain, and True may be a near miss.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            head: Pan of the head [rad], shape (*batch); the scene's if None.

        Returns:
            A bool for each configuration, shape (*batch).
        """
        gpu = self._on_gpu(q_left, q_right)
        if gpu is not None:
            hits: NDArray[np.bool_] = gpu.in_collision(
                q_left, q_right, self._pan(head), self.margin
            )
            return hits
        pan = self._pan_angles(head)
        return self.checker.in_collision(q_left, q_right, pan, self.margin)

    def clearance(
        self,
        q_left: JointsLike,
        q_right: JointsLike,
        head: ArrayLike | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        """Distance of the two links that are nearest to each other.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            head: Pan of the head [rad], shape (*batch); the scene's if None.
            out: Array for the result, shape (*batch).

        Returns:
            The clearance [m], negative where they overlap, shape (*batch).
        """
        gpu = self._on_gpu(q_left, q_right)
        if gpu is not None:
            gap: Array = gpu.clearance(q_left, q_right, self._pan(head), out)
            return gap
        pan = self._pan_angles(head)
        return deliver(self.checker.clearance(q_left, q_right, pan), out)

    def nearest(
        self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike | None = None
    ) -> Nearest:
        """The two links that are nearest to each other: names, points, clearance and its gradient.

        Arguments are those of `in_collision`. For arrays on a GPU the answer is there too.
        """
        gpu = self._on_gpu(q_left, q_right)
        if gpu is not None:
            return Nearest(*gpu.nearest(q_left, q_right, self._pan(head)), self.checker.names)
        pan = self._pan_angles(head)
        return self.checker.nearest(q_left, q_right, pan)

    def edge_free(
        self, q0: JointsLike, q1: JointsLike, head: ArrayLike | None = None
    ) -> NDArray[np.bool_] | bool:
        """Whether the straight motion in joint space between two configurations touches nothing.

        True holds for the whole motion, not only for samples: intervals are halved until no two
        links can meet within them, by bounds on the motion of any point. False means a collision,
        or links that come nearer than about 0.1 mm.

        Args:
            q0: Joint positions at the start, left arm then right arm [rad], shape (*batch, 14); or
                by name.
            q1: Joint positions at the end, likewise.
            head: Pan of the head [rad], which stays, shape (*batch); the scene's if None.

        Returns:
            A bool for each edge, shape (*batch).
        """
        gpu = self._on_gpu(q0, q1)
        if gpu is not None:
            free: NDArray[np.bool_] = gpu.edge_free(q0, q1, self._pan(head), self.margin)
            return free
        pan = self._pan_angles(head)
        return self.checker.edge_free(q0, q1, pan, self.margin)

    def first_contact(
        self, q_left: JointsLike, q_right: JointsLike
    ) -> tuple[int, tuple[str, str]] | None:
        """Where a path is blocked first: its edges are swept as by `edge_free`.

        Args:
            q_left: Joint positions of the left arm along the path [rad], shape (n, 7), or (7,) if
                it stays.
            q_right: The same for the right arm.

        Returns:
            The row from which the path to the next one is blocked, and the names of the two links
            that touch or are nearest there; None if the whole path is clear.

        Raises:
            ShapeError: If a path has another shape, or the arms' paths differ in length.
        """
        left, right = self.robot.hands.joint_arrays(q_left=q_left, q_right=q_right)
        try:
            shape = np.broadcast_shapes(left.shape, right.shape)
        except ValueError:
            shape = ()
        if len(shape) != 2:
            raise ShapeError(
                "a path is joint positions of shape (n, 7) for one arm or for both, got "
                f"{left.shape} and {right.shape}"
            )
        q = np.concatenate([np.broadcast_to(x, shape) for x in (left, right)], axis=-1)
        ends = (q, q) if len(q) == 1 else (q[:-1], q[1:])
        with unwarned():  # what was given has been looked at
            blocked = np.nonzero(~np.asarray(self.edge_free(*ends)))[0]
            if not len(blocked):
                return None
            row = int(blocked[0])
            t = np.linspace(0.0, 1.0, 101)[:, None]
            line = q[row] + t * (ends[1][row] - q[row])
            worst = line[np.argmin(self.clearance(line[:, :7], line[:, 7:]))]
            return row, self.nearest(worst[:7], worst[7:]).names

    def _pan(self, head: ForeignArray) -> ForeignArray:
        """Pan angles for a GPU: those that are there are taken as they are."""
        from baxterkit.cuda.libraries import on_gpu

        return head if on_gpu(head) else self._pan_angles(head)

    def _pan_angles(self, head: ArrayLike | None) -> ArrayLike:
        """Pan angles of the head that were given to a check, looked at; the scene's if None.

        Raises:
            InputError: If the head cannot turn so far.
        """
        given: object = head
        if head is None:
            return self.head
        if type(given) is float and self.robot.head.lower <= given <= self.robot.head.upper:
            return head  # a plain number stays one
        return self.robot.head.check(head, BEYOND, "head")

    def _part(self, of: Of, rest: Callable[[Checker, Of], Without]) -> Self:
        found = self._parts.get((rest, of))
        if found is None:
            key = (rest, of, self.checker)
            kept = self._kept.parts.get(key)
            if kept is None:
                kept = self.replace(without=(*self.without, *rest(self.checker, of)))
                self._kept.parts[key] = kept
            found = object.__new__(type(self))  # all of it has been checked
            vars(found).update(vars(kept) | {"head": self.head, "margin": self.margin})
            vars(found).pop("_parts", None)
            self._parts[rest, of] = found
        return found

    @cached_property
    def _parts(self) -> dict[object, Self]:
        return {}

    def __getstate__(self) -> dict[str, object]:
        # The checks are compiled: they are made again.
        kept = {k: v for k, v in vars(self).items() if k not in ("checker", "_parts", "_gpu")}
        return {**kept, "_kept": _Kept({}, {})}

    def __repr__(self) -> str:
        other = [f for f in fields(self) if f.name[0] != "_" and getattr(self, f.name) != f.default]
        values = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in other)
        return f"{type(self).__name__}({values})"
