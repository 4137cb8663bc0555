"""Collision checks of one robot: by the native kernels where available, else by NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit import native
from baxterkit.checks.arrays import both_arms_array, finite_array, joint_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.checks.numbers import scalar
from baxterkit.checks.units import warn_if_degrees
from baxterkit.collision import reference
from baxterkit.collision.body import ARM_LINKS, FINGERS, load_body
from baxterkit.collision.hand import arm_body, carried_capsules
from baxterkit.collision.motion import axis_reaches, edges_free, tubes_free
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.openings import Openings, Span, inflation, sampled, spans
from baxterkit.collision.pairs import BEYOND, LINKS, Without, switched
from baxterkit.collision.world import held_capsules
from baxterkit.display import html_table
from baxterkit.errors import InputError
from baxterkit.kernels.records import BodyNearest, WorldBoxes
from baxterkit.model.head import HeadModel
from baxterkit.model.library import load_baxter
from baxterkit.model.model import ArmModel
from baxterkit.model.names import SIDES, joint_names
from baxterkit.spatial import pose_error
from baxterkit.types import Array, frozen

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels, BodyChecker
    from baxterkit.kernels.protocol import Kernels

MOST_CAPSULES = 320
"""Largest number of capsules of an arm; kMaxBlocks of the kernels has room for them."""
REACH = 1.3
"""Farther than any point of an arm is from its mount [m]."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest pair of links at each configuration.

    Attributes:
        clearance: Distance of their surfaces [m], negative where they overlap, shape (*batch,);
            1000 where no pair is checked.
        pair: Their numbers in `everything`, -1 where no pair is checked, shape (*batch, 2).
        points: The nearest points of their surfaces in base [m], shape (*batch, 2, 3); NaN where
            no pair is checked.
        gradient: Derivative of the clearance by the joints, left then right [m/rad], shape
            (*batch, 14). Zero where the cores of two primitives meet, deep inside each other, and
            where no pair is checked.
        everything: Names of the links, `baxterkit.collision.LINKS`, and of the world's obstacles.
    """

    clearance: Array
    pair: NDArray[np.int64]
    points: Array
    gradient: Array
    everything: tuple[str, ...] = LINKS

    def __repr__(self) -> str:
        if self.pair.ndim != 1:
            least = f"{self.clearance.min():.4f} m at least" if self.clearance.size else "empty"
            return f"<Nearest: {self.clearance.shape} configurations, {least}>"
        if self.pair[0] < 0:
            return "<Nearest: no pair is checked>"
        return f"<Nearest: {' and '.join(self.names)}, {float(self.clearance):.4f} m>"

    def _repr_html_(self) -> str:
        """A table of the nearest points, for notebooks."""
        title = repr(self).strip("<>")
        if self.pair.ndim != 1 or self.pair[0] < 0:
            return html_table(title, (), ())
        rows = [
            (name, *point) for name, point in zip(self.names, self.points.tolist(), strict=True)
        ]
        return html_table(title, ("nearest point of", "x [m]", "y [m]", "z [m]"), rows)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two links, of a single configuration."""
        if self.pair.ndim != 1:
            raise InputError(f"names are of one configuration, not of shape {self.pair.shape[:-1]}")
        if self.pair[0] < 0:
            raise InputError("no pair of links is checked, so none is the nearest")
        return self.everything[int(self.pair[0])], self.everything[int(self.pair[1])]


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
        self._capsules = [self._capsule_rows(arm) for arm in (0, 1)]
        self.native = None if kernels is None else self._compiled(kernels)
        self.owners = self._links_of_primitives()
        """The link or obstacle of each primitive of `native`, by its number in `names`."""

    def in_collision(
        self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike = 0.0, margin: float = 0.0
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

    def clearance(self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike = 0.0) -> Array:
        """Distance of the nearest two links at each configuration [m], shape (*batch,)."""
        left, right, pan, shape = self._configurations(q_left, q_right, head)
        if self.native is not None:
            return self.native.clearances(left, right, pan).reshape(shape)
        return self._reference(left, right, pan).clearance.reshape(shape)

    def nearest(self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike = 0.0) -> Nearest:
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
        self, q0: ArrayLike, q1: ArrayLike, head: ArrayLike = 0.0, margin: float = 0.0
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

            free = edges_free(clearance, self.reaches, start, end, gap)
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

        return tubes_free(clearance, self.reaches, start, end, wide, margin, most)

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
        self, q_left: ArrayLike, q_right: ArrayLike, head: ArrayLike
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

    def _compiled(self, kernels: tuple[Kernels, Kernels]) -> BodyChecker | None:
        extension = native.load()
        if extension is None:
            return None
        standing = {n for n, obstacle in enumerate(self.obstacles) if obstacle.held is None}
        allowed = dict.fromkeys(standing, 0)
        numbers = [
            None if n - len(LINKS) in standing else self._number(n) for n in range(len(self.names))
        ]
        pairs = []
        for a, b in self._pairs:
            one, other = numbers[a], numbers[b]
            if one is None or other is None:
                link = other if one is None else one
                assert link is not None
                allowed[(a if one is None else b) - len(LINKS)] |= 1 << link
            else:
                pairs.append((one, other) if one < other else (other, one))
        boxes: list[WorldBoxes] = []
        cylinders: list[list[float]] = []
        planes: list[list[float]] = []
        for n in sorted(standing):
            obstacle = self.obstacles[n]
            T = obstacle.T
            if obstacle.kind == "cylinder":
                size = (obstacle.size[0] / 2.0, obstacle.size[1])
                cylinders.append([allowed[n], *T[:3, 3], *T[:3, 2], *size])
            elif obstacle.kind == "plane":
                planes.append([allowed[n], *T[:3, 2], float(T[:3, 2] @ T[:3, 3])])
            else:
                own = obstacle.boxes()
                boxes.append(WorldBoxes(allowed[n], own.axes, own.centers, own.half, own.radius))
        left, right = cast("tuple[ArmKernels, ArmKernels]", kernels)
        return extension.BodyChecker(
            left=left,
            right=right,
            pan=np.ascontiguousarray(self._head.T_base_pan[:3]),
            left_capsules=self._capsules[0],
            right_capsules=self._capsules[1],
            boxes=_box_rows(),
            pairs=np.array(pairs, dtype=np.int32).reshape(-1, 2),
            reaches=self.reaches,
            world_boxes=tuple(boxes),
            cylinders=np.array(cylinders, dtype=np.float64).reshape(-1, 9),
            planes=np.array(planes, dtype=np.float64).reshape(-1, 5),
        )

    def _number(self, link: int) -> int:
        """The kernels' number of a link: what the hands hold follows the links of both arms."""
        moving = len(SIDES) * len(ARM_LINKS)
        if link < moving:
            return link
        if link < len(LINKS):
            return link + len(SIDES)
        held = self.obstacles[link - len(LINKS)].held
        assert held is not None
        return moving + SIDES.index(held)

    @property
    def reaches(self) -> Array:
        """Farthest that points of a link of each arm can be from each joint's axis, (2, 9, 7) [m].

        Links are numbered as the kernels do.
        """
        links = len(ARM_LINKS) + 1
        return np.stack(
            [
                axis_reaches(arm, rows, links)
                if any(obstacle.held == side for obstacle in self.obstacles)
                else _own_reaches(arm, span)
                for side, arm, rows, span in zip(
                    SIDES, self._arms, self._capsules, self.spans, strict=True
                )
            ]
        )

    def _capsule_rows(self, arm: int) -> Array:
        """Link, start, end and radius of an arm's capsules and of those that it holds, (n, 8)."""
        rows = _capsule_rows(self._arms[arm], self.spans[arm])
        for obstacle in self.obstacles:
            if obstacle.held == SIDES[arm]:
                held = held_capsules(obstacle, self._arms[arm].T_last_tip)
                rows = np.concatenate([rows, np.insert(held, 0, len(ARM_LINKS), axis=1)])
        if len(rows) > MOST_CAPSULES:
            raise InputError(
                f"the {SIDES[arm]} arm with its tool, its payload and what it holds is covered by "
                f"{len(rows)} capsules; at most {MOST_CAPSULES} are checked: give it fewer, or "
                "larger, solids"
            )
        return np.ascontiguousarray(rows)

    def _links_of_primitives(self) -> NDArray[np.int64]:
        """The link or obstacle of each primitive, as they are counted through."""
        links: list[NDArray[np.int64]] = []
        for arm, rows in enumerate(self._capsules):
            mine = [n for n, obstacle in enumerate(self.obstacles) if obstacle.held == SIDES[arm]]
            places = rows[:, 0].astype(np.int64)
            held = len(LINKS) + mine[0] if mine else -1
            links.append(np.where(places < len(ARM_LINKS), arm * len(ARM_LINKS) + places, held))
        links.append(_box_links())
        for n, obstacle in reference.standing(self.obstacles):
            links.append(np.full(obstacle.primitives, len(LINKS) + n, dtype=np.int64))
        return np.concatenate(links)


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


@cache
def _box_links() -> NDArray[np.int64]:
    """The links of the body's boxes."""
    return np.array([LINKS.index(box.part) for box in load_body().boxes], dtype=np.int64)


@cache
def _box_rows() -> Array:
    """The kernels' number of its link, and the body's boxes as the kernels take them."""
    rows = [(*box.center, *box.R.T.ravel(), *box.half, box.radius) for box in load_body().boxes]
    return np.insert(np.array(rows), 0, _box_links() + len(SIDES), axis=1)


@lru_cache(maxsize=32)
def _own_reaches(model: ArmModel, span: Span) -> Array:
    """`axis_reaches` of an arm that holds nothing."""
    return frozen(axis_reaches(model, _capsule_rows(model, span), len(ARM_LINKS) + 1))


@lru_cache(maxsize=32)
def _capsule_rows(model: ArmModel, span: Span) -> Array:
    rows, body = [], arm_body(model)
    count = sum(bool(capsule.slide.any()) for capsule in body)
    openings, more = sampled(span, count), inflation(span, count)
    for capsule in body:
        slides = bool(capsule.slide.any())
        for opening in openings if slides else span[:1]:
            shift = opening * capsule.slide
            ends = (*(capsule.start + shift), *(capsule.end + shift))
            radius = capsule.radius + (more if slides else 0.0)
            rows.append([ARM_LINKS.index(capsule.link), *ends, radius])
    return frozen(rows)


def _rows(array: Array, shape: tuple[int, ...], width: int) -> Array:
    if array.size == width:
        return np.ascontiguousarray(array.reshape(1, width))
    full = np.broadcast_to(array, (*shape, width))
    return np.ascontiguousarray(full).reshape(-1, width)
