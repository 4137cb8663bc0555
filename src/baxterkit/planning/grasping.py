"""Whether a hand can take an object at a grasp, and how it stands at its place.

Fingers close along their slide; what is between them is measured by parallel lines from one to the
other. A cup takes what its axis meets near the tip. Depths are exact for boxes that meet at a
face, and within a millimetre otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baxterkit.collision.hand import hand_body
from baxterkit.collision.obstacle import Obstacle, plane_pose
from baxterkit.model.model import ArmModel
from baxterkit.model.shape import SOLIDS
from baxterkit.model.tool import ANY_ELECTRIC, ANY_GRIPPER, CUP, CUP_YIELDS, full_name
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, Transform

REACH = 0.1
"""A tool of unknown shape takes what is within this distance of its tip [m]."""
LINES = 0.0005
"""Distance of the lines between the fingers [m]."""
DIRECTIONS = 400
"""Directions in which the depth of two objects is measured first."""
FAR = -0.02
"""Objects that are farther apart than this [m] are not measured."""
ROUNDS = 24
"""Rounds that refine the best direction."""


class _Pads(NamedTuple):
    """Where the fingers hold, in the frame of w2, closing along y [m]."""

    T_tip_last: Transform
    x: tuple[float, float]
    z: tuple[float, float]
    closed: float
    open: float


def grasp_fault(
    model: ArmModel, obstacle: Obstacle, T_object_tip: Transform, opening: float
) -> str | None:
    """Why the hand cannot take an object there; None if it can.

    Args:
        model: The arm with its tool.
        obstacle: The object.
        T_object_tip: The tip as the object sees it, shape (4, 4).
        opening: Of the hand when it comes, 0 (closed) to 1 (open).
    """
    if obstacle.kind not in SOLIDS:
        return None
    name = obstacle.name
    pads = _pads(model)
    if pads is None and full_name(model.tool.name) == CUP:
        return _cup_fault(model.side, obstacle, inverse(T_object_tip))
    if pads is None and not model.tool.shape and model.tool.name == "hand":
        return (
            f"the {model.side} hand has no fingers and no cup that could take {name}; give the arm "
            f"a gripper: Arm({model.side!r}, 'electric_standard') or 'vacuum'"
        )
    if pads is None:
        away = -_overlap(_Convex.of(obstacle, np.eye(4)), _Convex.point(T_object_tip[:3, 3]))
        if away > REACH:
            return f"the tip is {away:.3f} m from {name}, which is off it; move the grasp to it"
        return None
    T = inverse(T_object_tip @ pads.T_tip_last)
    x = np.linspace(*pads.x, int(np.ptp(pads.x) / LINES) + 2)
    from_palm = np.linspace(*pads.z, int(np.ptp(pads.z) / LINES) + 2)
    held = _between(obstacle, T, x, from_palm)
    if held is None:
        return (
            f"there is nothing of {name} between the {model.side} fingers, which would close on "
            "nothing; move the grasp to the object"
        )
    width = held[1] - held[0]
    apart = pads.closed + opening * (pads.open - pads.closed)
    at = "" if opening == 1.0 else f" at their opening of {opening:.2g}"
    before = np.arange(pads.z[0] - 1.0, pads.z[0], 4.0 * LINES)  # passed as they come
    passed = _between(obstacle, T, x, before) or held
    low, high = min(held[0], passed[0]), max(held[1], passed[1])
    if high - low > apart:
        return (
            f"{name} is {1e3 * (high - low):.0f} mm wide between the {model.side} fingers, which "
            f"are {1e3 * apart:.1f} mm apart{at}; turn the grasp to a narrower side, or take other "
            "fingers"
        )
    if max(high, -low) > 0.5 * apart:
        return (
            f"{name} is {1e3 * abs(high + low) / 2:.0f} mm off the middle of the {model.side} "
            f"fingers, which are {1e3 * apart:.1f} mm apart{at}: one would come down on it; move "
            "the grasp to its middle"
        )
    deep = _depth_in_hand(model, obstacle, T, opening)
    if deep > 0.0:
        return (
            f"{name} would be {1e3 * deep:.1f} mm deep in the {model.side} gripper, whose fingers "
            "could not close; take it nearer to their tips"
        )
    if width < pads.closed:
        return (
            f"{name} is {1e3 * width:.1f} mm wide between the {model.side} fingers, which close to "
            f"{1e3 * pads.closed:.1f} mm only; turn the grasp to a wider side, or take other "
            "fingers"
        )
    return None


def _cup_fault(side: str, obstacle: Obstacle, T_tip_object: Transform) -> str | None:
    """Why a cup does not touch an object so that it can suck it up; None if it does."""
    name = obstacle.name
    axis = np.eye(4)  # as fingers close along y
    axis[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    met = _between(obstacle, axis @ T_tip_object, np.zeros(1), np.zeros(1))
    if met is None:
        return f"the axis of the {side} cup, z of the tip, goes past {name}; move the grasp to it"
    if met[0] > CUP_YIELDS:
        return (
            f"the end of the {side} cup is {1e3 * met[0]:.0f} mm off {name}, and it takes what is "
            f"within {1e3 * CUP_YIELDS:g} mm; move the grasp nearer"
        )
    if met[0] < -CUP_YIELDS:
        return (
            f"the end of the {side} cup would be {-1e3 * met[0]:.0f} mm inside {name}, and it "
            f"yields {1e3 * CUP_YIELDS:g} mm; move the grasp to the surface"
        )
    return None


def _depth_in_hand(
    model: ArmModel, obstacle: Obstacle, T_last_object: Transform, opening: float
) -> float:
    """How deep an object is in the gripper that comes to it [m]; negative if it is free."""
    item, deepest = _Convex.of(obstacle, T_last_object), -np.inf
    for capsule in hand_body(model):
        axis = capsule.end - capsule.start
        half = np.array([0.0, 0.0, 0.5 * float(np.linalg.norm(axis))])
        middle = 0.5 * (capsule.start + capsule.end) + opening * capsule.slide
        R = plane_pose(axis, 0.0)[:3, :3] if half[2] > 0.0 else np.eye(3)
        deepest = max(deepest, _overlap(item, _Convex(middle, R, half, capsule.radius, False)))
    return deepest


def depth(one: Obstacle, other: Obstacle) -> float:
    """How deep one solid is in another object that stands [m]; negative if they are apart.

    Far apart, it is minus infinity.
    """
    solid = _Convex.of(one, one.T)
    if other.kind == "plane":
        n = other.T[:3, 2]
        return float(n @ other.T[:3, 3] - n @ solid.center + solid.support(-n[None])[0])
    if other.kind == "cylinder":
        return _overlap(solid, _Convex.of(other, other.T))
    boxes = other.boxes()
    R = boxes.axes.reshape(3, 3).T
    half = np.broadcast_to(boxes.half, boxes.centers.shape)
    d = np.concatenate([solid.R.T, R.T])
    apart = np.abs((boxes.centers - solid.center) @ d.T)
    bound = (solid.support(d) + half @ np.abs(d @ R).T + boxes.radius - apart).min(axis=1)
    deepest = -np.inf
    for k in np.argsort(-bound):  # until no other can be deeper
        if bound[k] <= max(deepest, FAR):
            break
        member = _Convex(boxes.centers[k], R, half[k], boxes.radius, False)
        deepest = max(deepest, _overlap(solid, member))
    return float(deepest)


class _Convex(NamedTuple):
    """A rounded box or a cylinder: middle, axes, half sides, rounding [m]."""

    center: Array
    R: Array
    half: Array
    radius: float
    round: bool

    @classmethod
    def of(cls, solid: Obstacle, T: Transform) -> _Convex:
        size = solid.size
        half, radius = np.zeros(3), 0.0
        if solid.kind == "box":
            half = 0.5 * np.array(size)
        elif solid.kind == "cylinder":
            half = np.array([size[1], size[1], 0.5 * size[0]])
        elif solid.kind == "capsule":
            half, radius = np.array([0.0, 0.0, 0.5 * size[0]]), size[1]
        else:
            (radius,) = size
        return cls(T[:3, 3], T[:3, :3], half, radius, solid.kind == "cylinder")

    @classmethod
    def point(cls, p: Array) -> _Convex:
        return cls(p, np.eye(3), np.zeros(3), 0.0, False)

    def support(self, d: Array) -> Array:
        """How far it reaches from its middle in each of these directions [m], shape (n,)."""
        local = np.abs(d @ self.R)
        if self.round:
            across = self.half[0] * np.hypot(local[:, 0], local[:, 1])
            reach: Array = across + self.half[2] * local[:, 2] + self.radius
        else:
            reach = local @ self.half + self.radius
        return reach


def _overlap(a: _Convex, b: _Convex) -> float:
    """The least distance by which one must move to touch the other from outside [m]."""

    def overlaps(d: Array) -> Array:
        return a.support(d) + b.support(d) - np.abs(d @ (b.center - a.center))

    k = np.arange(DIRECTIONS) + 0.5
    up, turn = 1.0 - 2.0 * k / DIRECTIONS, k * np.pi * (1.0 + np.sqrt(5.0))
    side = np.sqrt(1.0 - up**2)
    sphere = np.stack([side * np.cos(turn), side * np.sin(turn), up], axis=1)
    edges = np.cross(a.R.T[:, None], b.R.T[None]).reshape(-1, 3)
    first = np.concatenate([a.R.T, b.R.T, edges, (b.center - a.center)[None]])
    length = np.linalg.norm(first, axis=1)
    d = np.concatenate([first[length > 1e-9] / length[length > 1e-9, None], sphere])
    values = overlaps(d)
    best, least = d[np.argmin(values)], float(values.min())
    width = 0.1
    for _ in range(ROUNDS):
        d = best + width * sphere
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        values = overlaps(d)
        if values.min() < least:
            best, least = d[np.argmin(values)], float(values.min())
        width *= 0.7
    return least


def _pads(model: ArmModel) -> _Pads | None:
    """Where known fingers hold; None of a tool without fingers, or of unknown ones."""
    fingers = [capsule for capsule in hand_body(model) if capsule.slide.any()]
    if not fingers or full_name(model.tool.name) in (ANY_ELECTRIC, ANY_GRIPPER):
        return None
    own = [
        (np.array([capsule.start, capsule.end]), capsule.radius)
        for capsule in fingers
        if min(capsule.start @ capsule.slide, capsule.end @ capsule.slide) > 0.0
    ]
    slide = float(np.linalg.norm(fingers[0].slide))
    closed = 2.0 * min(float(np.abs(ends[:, 1]).min()) - radius for ends, radius in own)
    ends = np.concatenate([ends for ends, _ in own])
    x, z = (ends[:, i] for i in (0, 2))
    return _Pads(
        inverse(model.T_last_tip),
        (float(x.min()), float(x.max())),
        (float(z.min()), float(z.max())),
        closed,
        closed + 2.0 * slide,
    )


def _between(
    obstacle: Obstacle, T_pads_object: Transform, x: Array, z: Array
) -> tuple[float, float] | None:
    """From where to where along y lines through x and z meet an object [m]; None if none does."""
    R = T_pads_object[:3, :3]
    points = np.stack(np.meshgrid(x, [0.0], z, indexing="ij"), axis=-1).reshape(-1, 3)
    p, d = (points - T_pads_object[:3, 3]) @ R, R[1]
    if obstacle.kind in ("sphere", "capsule"):
        ends = _capsule_hits(p, d, obstacle)
    else:
        if obstacle.kind == "cylinder":
            height, radius = obstacle.size
            ends = _round_hits(p, d, radius)
            slab = _slab_hits(p[:, 2], d[2], 0.5 * height)
            ends = (np.maximum(ends[0], slab[0]), np.minimum(ends[1], slab[1]))
        else:
            slabs = [_slab_hits(p[:, i], d[i], 0.5 * obstacle.size[i]) for i in range(3)]
            ends = (
                np.max([slab[0] for slab in slabs], axis=0),
                np.min([slab[1] for slab in slabs], axis=0),
            )
    hit = ends[0] < ends[1]
    return (float(ends[0][hit].min()), float(ends[1][hit].max())) if hit.any() else None


def _slab_hits(p: Array, d: float, half: float) -> tuple[Array, Array]:
    if abs(d) < 1e-9:
        inside = np.abs(p) <= half
        return np.where(inside, -np.inf, np.inf), np.where(inside, np.inf, -np.inf)
    first, second = (-half - p) / d, (half - p) / d
    return np.minimum(first, second), np.maximum(first, second)


def _round_hits(p: Array, d: Array, radius: float, axes: int = 2) -> tuple[Array, Array]:
    """Where lines enter and leave a cylinder about z (`axes` = 2), or a sphere (3)."""
    a = float(d[:axes] @ d[:axes])
    c = (p[:, :axes] ** 2).sum(axis=1) - radius**2
    if a < 1e-12:
        return np.where(c <= 0.0, -np.inf, np.inf), np.where(c <= 0.0, np.inf, -np.inf)
    b = p[:, :axes] @ d[:axes]
    square = b * b - a * c
    root = np.sqrt(np.maximum(square, 0.0))
    low, high = (-b - root) / a, (-b + root) / a
    return np.where(square > 0.0, low, np.inf), np.where(square > 0.0, high, -np.inf)


def _capsule_hits(p: Array, d: Array, obstacle: Obstacle) -> tuple[Array, Array]:
    radius = obstacle.size[-1]
    half = 0.5 * obstacle.size[0] if obstacle.kind == "capsule" else 0.0
    caps = [_round_hits(p + np.array([0.0, 0.0, shift]), d, radius, 3) for shift in (-half, half)]
    side, slab = _round_hits(p, d, radius), _slab_hits(p[:, 2], d[2], half)
    low, high = np.maximum(side[0], slab[0]), np.minimum(side[1], slab[1])
    low, high = np.where(low < high, low, np.inf), np.where(low < high, high, -np.inf)
    return (
        np.min([low, caps[0][0], caps[1][0]], axis=0),
        np.max([high, caps[0][1], caps[1][1]], axis=0),
    )
