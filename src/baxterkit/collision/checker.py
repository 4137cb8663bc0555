"""Collision checks of one robot: by the native kernels where available, else by NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.checks.arrays import both_arms_array, finite_array, joint_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.checks.numbers import scalar
from baxterkit.checks.units import warn_if_degrees
from baxterkit.collision import reference
from baxterkit.collision.body import FINGERS, load_body
from baxterkit.collision.hand import carried_capsules
from baxterkit.collision.motion import edges_free, tubes_free
from baxterkit.collision.nearest import Nearest
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.openings import Openings, inflation, sampled, spans
from baxterkit.collision.pairs import BEYOND, LINKS, Without, switched
from baxterkit.collision.primitives import Primitives
from baxterkit.errors import InputError
from baxterkit.kernels.records import BodyNearest
from baxterkit.model.head import HeadModel
from baxterkit.model.library import load_baxter
from baxterkit.model.model import ArmModel
from baxterkit.model.names import joint_names
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import Array, JointsLike

if TYPE_CHECKING:
    from baxterkit.kernels.protocol import Kernels

REACH = 1.3
"""Farther than any point of an arm is from its mount [m]."""


class Checker:
    """Checks configurations of one robot with given hand openings, some pairs switched off.

    Args:
        arms: Left and right arm; both with Baxter's joints.
        head: The head.
        kernels: The kernels of both arms, if they are the extension's; None: NumPy computes.
        opening: Gripper opening from 0 (closed) to 1 (open): one value, or (left, right), or the
            least and the greatest of each hand where it is not known: then the fingers are checked
            at every opening in between.
        without: Pairs of links, by name, that are not checked; "left" and "right" mean whole arms.
        obstacles: Obstacles, and what the hands hold.
        proven: Whether pairs that are proven never to touch are left out.

    Attributes:
        primitives: What the body and the obstacles consist of.
        native: The extension's checks; None if NumPy computes.

    Raises:
        InputError: If an arm has other joints than Baxter's, or an opening is not from 0 to 1.
        UnknownNameError: If there is no such link.
    """

    def __init__(
        self,
        arms: tuple[ArmModel, ArmModel],
        head: HeadModel,
        kernels: tuple[Kernels, Kernels] | None = None,
        opening: Openings = 1.0,
        without: Without = (),
        obstacles: tuple[Obstacle, ...] = (),
        proven: bool = True,
    ) -> None:
        for arm in arms:
            if not arm.is_baxter_geometry:
                raise InputError("the body is Baxter's; an arm with other joints has none")
        self.body = load_body()
        self.spans = spans(opening)
        self._arms, self._head = arms, head
        self.obstacles = obstacles
        self.names = (*LINKS, *(obstacle.name for obstacle in obstacles))
        named = tuple((obstacle.name, obstacle.held) for obstacle in obstacles)
        displaced = _displaced(arms) if proven else np.inf
        # The proofs know the tools that were sold, and nothing else that a hand may carry.
        other = tuple(f"{arm.side}_{FINGERS}" for arm in arms if carried_capsules(arm))
        self._pairs = switched(without, named, displaced, other)
        self.primitives = Primitives(arms, self.spans, obstacles)
        self.native = (
            None if kernels is None else self.primitives.compiled(kernels, head, self._pairs)
        )
        self.owners = self.primitives.owners
        """The link or obstacle of each primitive of `native`, by its number in `names`."""

    def in_collision(
        self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike = 0.0, margin: float = 0.0
    ) -> NDArray[np.bool_] | bool:
        """Whether links touch, or are nearer than `margin` [m]: bool, or shape (*batch,)."""
        if self.native is not None:
            single = self.native.hit(q_left, q_right, head, margin)
            if single is not None:
                return single
        left, right, pan, shape = self._configurations(q_left, q_right, head)
        gap = scalar(margin, "margin")
        if self.native is not None:
            hits = self.native.hits(left, right, pan, gap)
        else:
            hits = self._reference(left, right, pan).clearance < gap
        return bool(hits[0]) if shape == () else hits.reshape(shape)

    def clearance(self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike = 0.0) -> Array:
        """Distance of the nearest two links at each configuration [m], shape (*batch,)."""
        left, right, pan, shape = self._configurations(q_left, q_right, head)
        if self.native is not None:
            return self.native.clearances(left, right, pan).reshape(shape)
        return self._reference(left, right, pan).clearance.reshape(shape)

    def nearest(self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike = 0.0) -> Nearest:
        """The nearest pair of links at each configuration."""
        left, right, pan, shape = self._configurations(q_left, q_right, head)
        if self.native is not None:
            found = self.native.nearest(left, right, pan)
        else:
            found = self._reference(left, right, pan)
        pair = np.where(found.primitives >= 0, self.owners[found.primitives], -1)
        return Nearest(
            found.clearance.reshape(shape),
            pair.reshape(*shape, 2),
            found.points.reshape(*shape, 2, 3),
            found.gradient.reshape(*shape, 14),
            self.names,
        )

    def edge_free(
        self, q0: JointsLike, q1: JointsLike, head: ArrayLike = 0.0, margin: float = 0.0
    ) -> NDArray[np.bool_] | bool:
        """Whether the straight line from q0 to q1 is free all along: bool, or (*batch,)."""
        if self.native is not None:
            single = self.native.edge(q0, q1, head, margin)
            if single is not None:
                return single
            several = self.native.edges(q0, q1, head, margin, False)
            if several is not None:
                return several
        start, end = (both_arms_array(q, name) for q, name in ((q0, "q0"), (q1, "q1")))
        pan, gap = finite_array(head, "head"), scalar(margin, "margin")
        for q, name in ((start, "q0"), (end, "q1")):
            if any(self._in_degrees((q[..., :7], q[..., 7:]), (name, name))):
                break
        try:
            shape = np.broadcast_shapes(start.shape[:-1], end.shape[:-1], pan.shape)
        except ValueError:
            explain_shapes(("q0", "q1", "head"), (start.shape, end.shape, (*pan.shape, 1)))
        start, end, pans = (
            _rows(x, shape, n) for x, n in ((start, 14), (end, 14), (pan[..., None], 1))
        )
        if self.native is not None:
            every = self.native.edges(start, end, pans[:, 0], gap, True)
            assert every is not None
            free = every
        else:
            n = int(np.prod(shape))
            start, end = (np.broadcast_to(q, (n, 14)) for q in (start, end))
            pans = np.broadcast_to(pans[:, 0], (n,))

            def clearance(q: Array, edge: NDArray[np.int64]) -> Array:
                return self._reference(q[:, :7], q[:, 7:], pans[edge]).clearance

            free = edges_free(clearance, self.primitives.reaches, start, end, gap)
        return bool(free[0]) if shape == () else free.reshape(shape)

    def tubes(
        self, q0: Array, q1: Array, width: Array, head: Array, margin: float, most: int
    ) -> tuple[NDArray[np.uint8], Array]:
        """Whether boxes around straight lines in joint space are free; see `motion.tubes_free`.

        `head` is the pan of the head [rad], shape (n,).
        """
        start, end, wide, pans = (
            np.ascontiguousarray(x, dtype=np.float64) for x in (q0, q1, width, head)
        )
        if self.native is not None:
            found = self.native.tubes(start, end, wide, pans, margin, most)
            if found is None:
                raise InputError("tubes need finite numbers, of shape (n, 14) each")
            return found

        def clearance(q: Array, tube: NDArray[np.int64]) -> Array:
            return self._reference(q[:, :7], q[:, 7:], pans[tube]).clearance

        return tubes_free(clearance, self.primitives.reaches, start, end, wide, margin, most)

    def all_but_arm(self, side: str) -> Without:
        """Pairs that a motion of one arm alone does not bring together."""
        arm = {link for link in LINKS if link.startswith(f"{side}_")}
        arm |= {obstacle.name for obstacle in self.obstacles if obstacle.held == side}
        return tuple(pair for pair in self.pairs if not arm & {*pair})

    @property
    def pairs(self) -> Without:
        """The pairs that are checked, by name."""
        return tuple((self.names[a], self.names[b]) for a, b in self._pairs)

    def all_but_hand(self, side: str) -> Without:
        """Pairs that do not tell whether an arm's hand touches something else than its arm.

        The pose of the hand, and of what it holds, is given by the pose of the tip.
        """
        arm = {link for link in LINKS if link.startswith(f"{side}_")}
        held = {obstacle.name for obstacle in self.obstacles if obstacle.held == side}
        hand = {f"{side}_w2", f"{side}_{FINGERS}", *held}
        rest = set(self.names) - arm - held
        wanted = {frozenset((a, b)) for a in hand for b in rest}
        return tuple(pair for pair in self.pairs if frozenset(pair) not in wanted)

    def _configurations(
        self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike
    ) -> tuple[Array, Array, Array, tuple[int, ...]]:
        """Rows of both arms and of the pan, a single row where it is constant, and the batch shape.

        Warns if joint positions seem to be in degrees.
        """
        left = joint_array(q_left, "q_left", names=joint_names("left"))
        right = joint_array(q_right, "q_right", names=joint_names("right"))
        pan = finite_array(head, "head")
        try:
            shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1], pan.shape)
        except ValueError:
            shapes = (left.shape, right.shape, (*pan.shape, 1))
            explain_shapes(("q_left", "q_right", "head"), shapes)
        pans = np.ascontiguousarray(_rows(pan[..., None], shape, 1)[:, 0])
        left, right = _rows(left, shape, 7), _rows(right, shape, 7)
        any(self._in_degrees((left, right), ("q_left", "q_right")))
        return left, right, pans, shape

    def _in_degrees(self, q: tuple[Array, Array], names: tuple[str, str]) -> Iterator[bool]:
        return map(warn_if_degrees, q, names, self._arms)

    def _reference(self, left: Array, right: Array, pan: Array) -> BodyNearest:
        n = max(len(left), len(right), len(pan)) if min(len(left), len(right), len(pan)) else 0
        q = (np.broadcast_to(left, (n, 7)), np.broadcast_to(right, (n, 7)))
        head = np.broadcast_to(pan, (n,))
        found = [
            reference.nearest(
                self.body, self._arms, self._head, self._pairs, q, head, opening, self.obstacles
            )
            for opening in product(sampled(self.spans[0]), sampled(self.spans[1]))
        ]
        if len(found) == 1:
            return found[0]
        which = np.argmin([each.clearance for each in found], axis=0)
        rows = np.arange(n)
        least = BodyNearest(*(np.stack(x)[which, rows] for x in zip(*found, strict=True)))
        closer = max(inflation(span) for span in self.spans)
        return least._replace(clearance=least.clearance - closer)


@lru_cache(maxsize=8)
def _displaced(arms: tuple[ArmModel, ArmModel]) -> float:
    """How much nearer links can come than with the nominal mounts [m].

    Infinite where a joint may turn farther than the proofs of what can never touch go.
    """
    nearer = 0.0
    for arm in arms:
        for joint, usual in zip(arm.joints, load_baxter().joints, strict=True):
            if joint.lower < usual.lower - BEYOND or joint.upper > usual.upper + BEYOND:
                return np.inf
        nominal = load_baxter().mounts["nominal"][arm.side]
        shift, angle = pose_error(nominal, arm.T_base_s0)
        nearer += float(shift) + REACH * float(angle)
    return nearer


def _rows(array: Array, shape: tuple[int, ...], width: int) -> Array:
    if array.size == width:
        return np.ascontiguousarray(array.reshape(1, width))
    full = np.broadcast_to(array, (*shape, width))
    return np.ascontiguousarray(full).reshape(-1, width)
