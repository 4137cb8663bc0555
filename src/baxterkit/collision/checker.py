"""Collision checks of one robot: by the native kernels where available, else by NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit import native
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.collision import reference
from baxterkit.collision.body import ARM_LINKS, Body, load_body
from baxterkit.collision.motion import axis_reaches, edges_free
from baxterkit.collision.pairs import LINKS, switched
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.head import HeadModel
from baxterkit.model.model import ArmModel
from baxterkit.model.names import joint_names
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels, BodyChecker
    from baxterkit.kernels.protocol import Kernels

__all__ = ["Checker", "Nearest"]

Without = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest pair of links at each posture.

    Attributes:
        clearance: Distance of their surfaces [m], negative where they overlap, shape (*batch,).
        pair: Their numbers in `baxterkit.collision.LINKS`, shape (*batch, 2).
        points: The nearest points of their surfaces in base [m], shape (*batch, 2, 3).
        gradient: Derivative of the clearance by the joints, left then right [m/rad], shape
            (*batch, 14). Zero where the cores of two primitives meet, deep inside each other.
    """

    clearance: Array
    pair: NDArray[np.int64]
    points: Array
    gradient: Array

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two links, of a single posture."""
        if self.pair.ndim != 1:
            raise InputError(f"names are of one posture; this has shape {self.pair.shape[:-1]}")
        return LINKS[int(self.pair[0])], LINKS[int(self.pair[1])]


class Checker:
    """Checks postures of one robot with given hand openings, some pairs switched off.

    Args:
        arms: Left and right arm; both with Baxter's joints.
        head: The head.
        kernels: The kernels of both arms, if they are the extension's; None: NumPy computes.
        opening: Of both hands, or of the left and the right one: 0 (closed) to 1 (open).
        without: Pairs of links, by name, that are not checked; "left" and "right" mean whole arms.

    Raises:
        InputError: If an arm has other joints than Baxter's, or an opening is not from 0 to 1.
        UnknownNameError: If there is no such link.
    """

    def __init__(
        self,
        arms: tuple[ArmModel, ArmModel],
        head: HeadModel,
        kernels: tuple[Kernels, Kernels] | None = None,
        opening: float | tuple[float, float] = 1.0,
        without: Without = (),
    ) -> None:
        for arm in arms:
            if not arm.is_baxter_geometry:
                raise InputError("the body is Baxter's; an arm with other joints has none")
        self.body = load_body()
        self.opening = _openings(opening)
        self._arms, self._head = arms, head
        self._pairs = switched(without)
        self._native = None if kernels is None else self._compiled(kernels)
        # The link of each primitive, capsules of both arms first.
        one_arm = [ARM_LINKS.index(capsule.link) for capsule in self.body.capsules]
        standing = [LINKS.index(box.part) for box in self.body.boxes]
        both = one_arm + [len(ARM_LINKS) + k for k in one_arm]
        self._links: NDArray[np.int64] = np.array(both + standing, dtype=np.int64)

    def in_collision(
        self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike = 0.0, padding: float = 0.0
    ) -> NDArray[np.bool_] | bool:
        """Whether links touch, or are nearer than `padding` [m]: bool, or shape (*batch,)."""
        if self._native is not None:
            single = self._native.hit(q_left, q_right, head, padding)
            if single is not None:
                return single
        left, right, pan, shape = _postures(q_left, q_right, head)
        gap = float(finite_array(padding, "padding"))
        if self._native is not None:
            hits = self._native.hits(left, right, pan, gap)
            assert hits is not None
        else:
            hits = self._reference(left, right, pan).clearance < gap
        return bool(hits[0]) if shape == () else hits.reshape(shape)

    def clearance(self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike = 0.0) -> Array:
        """Distance of the nearest two links at each posture [m], shape (*batch,)."""
        left, right, pan, shape = _postures(q_left, q_right, head)
        if self._native is not None:
            fast = self._native.clearances(left, right, pan)
            assert fast is not None
            return fast.reshape(shape)
        return self._reference(left, right, pan).clearance.reshape(shape)

    def nearest(self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike = 0.0) -> Nearest:
        """The nearest pair of links at each posture."""
        left, right, pan, shape = _postures(q_left, q_right, head)
        if self._native is not None:
            fast = self._native.nearest(left, right, pan)
            assert fast is not None
            found = reference.Found(*fast)
        else:
            found = self._reference(left, right, pan)
        pair = np.where(found.primitives >= 0, self._links[found.primitives], -1)
        return Nearest(
            found.clearance.reshape(shape),
            pair.reshape(*shape, 2),
            found.points.reshape(*shape, 2, 3),
            found.gradient.reshape(*shape, 14),
        )

    def edge_free(
        self, q0: ArrayLike, q1: ArrayLike, head: ArrayLike = 0.0, padding: float = 0.0
    ) -> NDArray[np.bool_] | bool:
        """Whether all postures on the straight line from q0 to q1 are free: bool, or (*batch,)."""
        if self._native is not None:
            single = self._native.edges(q0, q1, head, padding)
            if type(single) is bool:
                return single
        start, end = (_both_arms(q, name) for q, name in ((q0, "q0"), (q1, "q1")))
        pan, gap = finite_array(head, "head"), float(finite_array(padding, "padding"))
        try:
            shape = np.broadcast_shapes(start.shape[:-1], end.shape[:-1], pan.shape)
        except ValueError:
            explain_shapes(("q0", "q1", "head"), (start.shape, end.shape, (*pan.shape, 1)))
        start, end, pans = (
            _rows(x, shape, n) for x, n in ((start, 14), (end, 14), (pan[..., None], 1))
        )
        if self._native is not None:
            free = self._native.edges(start, end, pans, gap)
            assert isinstance(free, np.ndarray)
        else:
            n = int(np.prod(shape))
            start, end = (np.broadcast_to(q, (n, 14)) for q in (start, end))
            pans = np.broadcast_to(pans[:, 0], (n,))

            def clearance(q: Array, edge: NDArray[np.int64]) -> Array:
                return self._reference(q[:, :7], q[:, 7:], pans[edge]).clearance

            free = edges_free(clearance, self._reaches(), start, end, gap)
        return bool(free[0]) if shape == () else free.reshape(shape)

    def _reference(self, left: Array, right: Array, pan: Array) -> reference.Found:
        n = max(len(left), len(right), len(pan)) if min(len(left), len(right), len(pan)) else 0
        q = (np.broadcast_to(left, (n, 7)), np.broadcast_to(right, (n, 7)))
        head = np.broadcast_to(pan, (n,))
        return reference.nearest(
            self.body, self._arms, self._head, self._pairs, q, head, self.opening
        )

    def _compiled(self, kernels: tuple[Kernels, Kernels]) -> BodyChecker | None:
        extension = native.load()
        if extension is None:
            return None
        capsules = [_capsule_rows(self.body, opening) for opening in self.opening]
        boxes = np.array(
            [
                [
                    _kernel_number(LINKS.index(box.part)),
                    *box.center,
                    *box.R.T.ravel(),
                    *box.half,
                    box.radius,
                ]
                for box in self.body.boxes
            ]
        )
        pan = np.ascontiguousarray(self._head.T_base_pan[:3]).ravel()
        pairs = np.array(
            [[_kernel_number(link) for link in pair] for pair in self._pairs], dtype=np.int32
        ).reshape(-1, 2)
        left, right = cast("tuple[ArmKernels, ArmKernels]", kernels)
        return extension.BodyChecker(
            left, right, pan, capsules[0], capsules[1], boxes, pairs, self._reaches()
        )

    def _reaches(self) -> Array:
        """Of both arms, for the links as the kernels number them, shape (2, 9, 7) [m]."""
        rows = [_capsule_rows(self.body, opening) for opening in self.opening]
        links = len(ARM_LINKS) + 1
        return np.stack([axis_reaches(a, r, links) for a, r in zip(self._arms, rows, strict=True)])


def _kernel_number(link: int) -> int:
    """The kernels' number of a link in `LINKS`: what a hand holds is one more link of theirs."""
    return link + min(link // len(ARM_LINKS), 2)


def _capsule_rows(body: Body, opening: float) -> Array:
    rows = []
    for capsule in body.capsules:
        shift = opening * capsule.slide
        ends = (*(capsule.start + shift), *(capsule.end + shift))
        rows.append([ARM_LINKS.index(capsule.link), *ends, capsule.radius])
    return np.array(rows)


def _openings(opening: float | tuple[float, float]) -> tuple[float, float]:
    values = finite_array(opening, "opening")
    if values.shape not in ((), (2,)):
        raise InputError(f"opening must be one number or two, left and right, got {opening!r}")
    for value in np.atleast_1d(values):
        if not 0.0 <= value <= 1.0:
            raise InputError(f"opening = {value:g} must be from 0 (closed) to 1 (open)")
    left, right = np.broadcast_to(values, (2,)).tolist()
    return left, right


def _postures(
    q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike
) -> tuple[Array, Array, Array, tuple[int, ...]]:
    """Rows of both arms and of the pan, a single row where it is constant, and the batch shape."""
    left = joint_array(q_left, "q_left", names=joint_names("left"))
    right = joint_array(q_right, "q_right", names=joint_names("right"))
    pan = finite_array(head, "head")
    try:
        shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1], pan.shape)
    except ValueError:
        explain_shapes(("q_left", "q_right", "head"), (left.shape, right.shape, (*pan.shape, 1)))
    pans = _rows(pan[..., None], shape, 1)[:, 0]
    return _rows(left, shape, 7), _rows(right, shape, 7), np.ascontiguousarray(pans), shape


def _both_arms(q: ArrayLike, name: str) -> Array:
    """Joint positions of both arms, left then right, shape (*batch, 14)."""
    values = finite_array(q, name)
    if values.ndim == 0 or values.shape[-1] != 14:
        raise ShapeError(
            f"{name} must have 14 values in its last axis, joints of the left arm, then of the "
            f"right one; got shape {values.shape}"
        )
    return values


def _rows(array: Array, shape: tuple[int, ...], width: int) -> Array:
    if array.size == width:
        return np.ascontiguousarray(array.reshape(1, width))
    full = np.broadcast_to(array, (*shape, width))
    return np.ascontiguousarray(full).reshape(-1, width)
