"""Clearance of the whole robot in plain NumPy: the reference for the native kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.collision.body import ARM_LINKS, Body, BodyBox, BodyCapsule
from baxterkit.collision.distance import MEET, nearest_on, segment_box, segments
from baxterkit.collision.hand import arm_body
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.pairs import LINKS
from baxterkit.collision.world import held_capsules
from baxterkit.kernels.records import BodyNearest
from baxterkit.kinematics.forward import link_poses
from baxterkit.model.head import HeadModel
from baxterkit.model.model import ArmModel
from baxterkit.model.names import SIDES
from baxterkit.types import Array, JointVector

FAR = 1e3
"""Clearance where no pair is checked [m]."""


@dataclass(frozen=True)
class _Placed:
    """A primitive in base at n configurations."""

    shape: BodyCapsule | BodyBox
    start: Array  # of the segment, or the box's middle, (n, 3)
    span: Array  # (n, 3), or the box's axes as columns, (n, 3, 3)
    arm: int  # 0, 1; -1 if it is a box
    joints: int  # how many joints of that arm move it
    link: int  # in LINKS


def nearest(
    body: Body,
    arms: tuple[ArmModel, ArmModel],
    head: HeadModel,
    pairs: tuple[tuple[int, int], ...],
    q: tuple[JointVector, JointVector],
    pan: Array,
    opening: tuple[float, float],
    obstacles: tuple[Obstacle, ...] = (),
) -> BodyNearest:
    """The nearest pair of primitives of links that are checked.

    Args:
        body: The geometry.
        arms: Left and right arm.
        head: The head.
        pairs: Links to check against each other, as numbers in `LINKS`.
        q: Joint positions of both arms [rad], shape (n, 7) each.
        pan: Pan angle of the head [rad], shape (n,).
        opening: Openings of the left and right hand, 0 (closed) to 1 (open).
        obstacles: Obstacles, and what the hands hold; they are numbered after `LINKS`.
    """
    poses = [link_poses(arm, angles) for arm, angles in zip(arms, q, strict=True)]
    held = _held(arms, poses, obstacles)
    placed = _place(body, arms, poses, head.fk(pan), opening, held)
    n = len(pan)
    clearance, primitives = np.full(n, FAR), np.full((n, 2), -1)
    points, normal = np.zeros((n, 2, 3)), np.zeros((n, 3))
    wanted = {frozenset(pair) for pair in pairs}
    for i, one in enumerate(placed):
        for j in range(i + 1, len(placed)):
            other = placed[j]
            if {one.link, other.link} not in wanted:
                continue
            a, b = _cores(one, other)
            length = np.linalg.norm(a - b, axis=-1)
            gap = length - one.shape.radius - other.shape.radius
            nearer = gap < clearance
            clearance[nearer] = gap[nearer]
            primitives[nearer] = i, j
            points[nearer, 0], points[nearer, 1] = a[nearer], b[nearer]
    length = np.linalg.norm(points[:, 0] - points[:, 1], axis=-1)
    apart = length > MEET
    normal[apart] = (points[apart, 0] - points[apart, 1]) / length[apart, None]
    rounding = np.zeros(n)  # of the second, where it is an obstacle
    first = len(placed)  # the number of an obstacle's first primitive
    for n_obstacle, obstacle in standing(obstacles):
        for i, one in enumerate(placed):
            if one.arm < 0 or {one.link, len(LINKS) + n_obstacle} not in wanted:
                continue
            found = nearest_on(obstacle, one.start, one.span)
            gap = found.distance - one.shape.radius - found.radius
            nearer = gap < clearance
            clearance[nearer], rounding[nearer] = gap[nearer], found.radius
            primitives[nearer, 0] = i
            primitives[nearer, 1] = first + found.member[nearer]
            points[nearer, 0], points[nearer, 1] = found.a[nearer], found.b[nearer]
            normal[nearer] = found.normal[nearer]
        first += obstacle.primitives
    points[primitives[:, 0] < 0] = np.nan
    gradient = np.zeros((n, 14))
    for row in np.nonzero(primitives[:, 0] >= 0)[0]:
        for side, sign in ((0, 1.0), (1, -1.0)):
            if primitives[row, side] >= len(placed):
                points[row, side] += rounding[row] * normal[row]
                continue
            own = placed[primitives[row, side]]
            for joint in range(own.joints):
                T = poses[own.arm][row, joint]
                velocity = np.cross(T[:3, 2], points[row, side] - T[:3, 3])
                gradient[row, 7 * own.arm + joint] += sign * normal[row] @ velocity
            points[row, side] -= sign * own.shape.radius * normal[row]
    return BodyNearest(clearance, primitives, points, gradient)


def standing(obstacles: tuple[Obstacle, ...]) -> list[tuple[int, Obstacle]]:
    """Those that no hand holds, with their numbers, in the order in which primitives count."""
    those = [(n, obstacle) for n, obstacle in enumerate(obstacles) if obstacle.held is None]
    kinds = {"cylinder": 1, "plane": 2}
    return sorted(those, key=lambda entry: kinds.get(entry[1].kind, 0))


def _held(
    arms: tuple[ArmModel, ArmModel], poses: list[Array], obstacles: tuple[Obstacle, ...]
) -> tuple[list[_Placed], list[_Placed]]:
    """Capsules of what each hand holds."""
    held: tuple[list[_Placed], list[_Placed]] = ([], [])
    for n, obstacle in enumerate(obstacles):
        if obstacle.held is None:
            continue
        arm = SIDES.index(obstacle.held)
        T = poses[arm][:, 6]
        for row in held_capsules(obstacle, arms[arm].T_last_tip):
            start, end = (T[:, :3, :3] @ x + T[:, :3, 3] for x in (row[:3], row[3:6]))
            shape = BodyCapsule(obstacle.name, row[:3], row[3:6], row[6], np.zeros(3), (0.0, 0.0))
            held[arm].append(_Placed(shape, start, end - start, arm, 7, len(LINKS) + n))
    return held


def _place(
    body: Body,
    arms: tuple[ArmModel, ArmModel],
    poses: list[Array],
    T_base_head: Array,
    opening: tuple[float, float],
    held: tuple[list[_Placed], list[_Placed]],
) -> list[_Placed]:
    placed = []
    for arm, Ts in enumerate(poses):
        for capsule in arm_body(arms[arm]):
            k = ARM_LINKS.index(capsule.link)
            T = Ts[:, min(k, 6)]
            ends = [x + opening[arm] * capsule.slide for x in (capsule.start, capsule.end)]
            start, end = (T[:, :3, :3] @ x + T[:, :3, 3] for x in ends)
            link = arm * len(ARM_LINKS) + k
            placed.append(_Placed(capsule, start, end - start, arm, min(k, 6) + 1, link))
        placed += held[arm]
    for box in body.boxes:
        T = T_base_head if box.part == "head" else np.broadcast_to(np.eye(4), T_base_head.shape)
        center = T[:, :3, :3] @ box.center + T[:, :3, 3]
        link = LINKS.index(box.part)
        placed.append(_Placed(box, center, T[:, :3, :3] @ box.R, -1, 0, link))
    return placed


def _cores(one: _Placed, other: _Placed) -> tuple[Array, Array]:
    """Nearest points of two cores, in base."""
    if isinstance(other.shape, BodyCapsule):
        return segments(one.start, one.span, other.start, other.span)
    R = other.span
    p = ((one.start - other.start)[:, None] @ R)[:, 0]
    d = (one.span[:, None] @ R)[:, 0]
    half = np.broadcast_to(other.shape.half, p.shape)
    a, b = ((R @ x[..., None])[..., 0] + other.start for x in segment_box(p, d, half))
    return a, b
