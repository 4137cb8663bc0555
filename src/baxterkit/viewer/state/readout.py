"""The numbers of the live panels, computed from one limb."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.facade.kinematics import SINGULARITY_INDEX
from baxterkit.ik.self_motion import Segment
from baxterkit.scene.scene import Scene
from baxterkit.spatial.formulas import matrix_to_quaternion, matrix_to_rpy
from baxterkit.types import Array, JointVector, Quaternion, Rotation, Transform, Vector3
from baxterkit.viewer.state.dragged_arm import DraggedArm

GREAT_MANIPULABILITY = 0.139
"""About the greatest manipulability of Baxter's arm, over 200,000 random joint positions."""
LOW_MANIPULABILITY = 10.0 * SINGULARITY_INDEX
"""Manipulability below which the panel warns of a singularity."""
SAME_PLACE = 0.025
"""Lines nearer than this are drawn as one [m]: half the distance of their points."""
FINER = 4
"""Joint positions that are checked for collisions, for each sample of the self-motion."""
Touches: TypeAlias = Callable[[JointVector], NDArray[np.bool_]]
ELBOW = 3
"""Index of the link frame whose origin is the elbow: e1."""


@dataclass(frozen=True, eq=False)
class Readout:
    """Numbers of the panel of one arm.

    Attributes:
        side: Which arm.
        T_base_tip: Pose of the tip, shape (4, 4).
        quaternion: Its orientation, x y z w.
        rpy: Its roll, pitch, yaw [rad].
        manipulability: sqrt(det(J J')).
        singular: Whether the arm is near a singularity.
        ellipsoid_axes: Tip speeds [m/s] along the axes of the ellipsoid for joint speeds of norm 1.
        ellipsoid_rotation: Those axes in base as columns, a rotation, shape (3, 3).
        gravity: Torques that hold the arm [N m], shape (7,).
        effort: The torques' limits [N m], shape (7,).
        message: Why the hand is not at its target; empty if it is.
    """

    side: str
    T_base_tip: Transform
    quaternion: Quaternion
    rpy: Vector3
    manipulability: float
    singular: bool
    ellipsoid_axes: Vector3
    ellipsoid_rotation: Rotation
    gravity: JointVector
    effort: JointVector
    message: str

    @property
    def load(self) -> JointVector:
        """Gravity torques as parts of their limits, signed, shape (7,)."""
        return self.gravity / self.effort


def read_out(limb: DraggedArm) -> Readout:
    """The panel's numbers of a limb."""
    arm, q = limb.arm, limb.q
    T = arm.fk(q)
    axes, lengths, _ = np.linalg.svd(arm.jacobian(q)[:3], full_matrices=False)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    manipulability = float(arm.manipulability(q))
    return Readout(
        side=arm.side,
        T_base_tip=T,
        quaternion=matrix_to_quaternion(T[:3, :3]),
        rpy=matrix_to_rpy(T[:3, :3]),
        manipulability=manipulability,
        singular=manipulability < LOW_MANIPULABILITY,
        ellipsoid_axes=lengths,
        ellipsoid_rotation=axes,
        gravity=arm.gravity(q),
        effort=arm.limits.effort,
        message=limb.message,
    )


@dataclass(frozen=True, eq=False)
class Elbow:
    """The self-motion at the present hand pose, as the e0 slider and the scene show it.

    Attributes:
        e0: Present e0 [rad].
        lower: Least e0 that the joint allows [rad].
        upper: Greatest e0 that the joint allows [rad].
        here: e0 intervals [rad] that the elbow can reach from its present position.
        elsewhere: e0 intervals [rad] that another branch has solutions for.
        blocked: e0 intervals [rad] of both where the arm would touch something.
        feasible: Positions of the elbow within the limits, in base: pieces of shape (k, 3) [m].
        infeasible: Positions beyond the limits, likewise; without those that another branch reaches
            within the limits.
        touching: Positions within the limits where the arm would touch something, likewise.
    """

    e0: float
    lower: float
    upper: float
    here: tuple[tuple[float, float], ...]
    elsewhere: tuple[tuple[float, float], ...]
    feasible: tuple[Vector3, ...]
    infeasible: tuple[Vector3, ...]
    blocked: tuple[tuple[float, float], ...] = ()
    touching: tuple[Vector3, ...] = ()


def elbow_of(limb: DraggedArm, touches: Touches | None = None) -> Elbow:
    """The self-motion at a limb's hand pose.

    Args:
        limb: The arm.
        touches: Which of some joint positions of it (n, 7) touch something; None if nothing does.
    """
    arm, q = limb.arm, limb.q
    motion = arm.self_motion(arm.fk(q))
    segments = sorted(motion.feasible, key=lambda segment: _gap(segment.q, q))
    feasible = tuple(_elbows(arm, segment.q) for segment in segments)
    stretches = [] if touches is None else _touching(segments, touches)
    infeasible = [_elbows(arm, piece) for curve in motion.curves for piece in _beyond(arm, curve.q)]
    return Elbow(
        e0=float(q[2]),
        lower=float(arm.limits.lower[2]),
        upper=float(arm.limits.upper[2]),
        here=tuple(segment.e0_range for segment in segments[:1]),
        elsewhere=tuple(segment.e0_range for segment in segments[1:]),
        feasible=feasible,
        infeasible=tuple(part for piece in infeasible for part in _apart(piece, feasible)),
        blocked=tuple((float(rows[:, 2].min()), float(rows[:, 2].max())) for rows in stretches),
        touching=tuple(_elbows(arm, rows) for rows in stretches),
    )


def touches_of(scene: Scene, side: str, other: JointVector) -> Touches:
    """Which joint positions of an arm touch something while the other arm is at `other`, (7,)."""

    def touches(q: JointVector) -> NDArray[np.bool_]:
        rows = np.broadcast_to(other, q.shape)
        both = (q, rows) if side == "left" else (rows, q)
        return np.asarray(scene.in_collision(*both))

    return touches


def _touching(segments: Sequence[Segment], touches: Touches) -> list[JointVector]:
    """The stretches of segments that touch something, sampled more finely, shape (k, 7) each."""
    found = []
    for segment in segments:
        between = np.arange(FINER)[:, None] / FINER
        rows = segment.q[:-1, None] + between * np.diff(segment.q, axis=0)[:, None]
        q = np.concatenate([rows.reshape(-1, 7), segment.q[-1:]])
        hit = touches(q)
        cuts = np.flatnonzero(np.diff(hit)) + 1
        parts = zip(np.split(q, cuts), np.split(hit, cuts), strict=True)
        found += [part for part, flag in parts if flag[0]]
    return found


def other_branches(limb: DraggedArm, limits: bool = True) -> JointVector:
    """Every other solution for the hand pose and e0 of a limb.

    Args:
        limb: The limb.
        limits: Whether to leave out solutions beyond the limits.

    Returns:
        Joint positions [rad], shape (n, 7).
    """
    found = limb.arm.ik_all(limb.arm.fk(limb.q), limb.q[2], limits)
    others: JointVector = found[np.abs(_wrapped(found - limb.q)).max(axis=-1) > 1e-4]
    return others


def _elbows(arm: Arm, q: JointVector) -> Vector3:
    return arm.link_poses(q)[:, ELBOW, :3, 3]


def _beyond(arm: Arm, q: JointVector) -> list[JointVector]:
    """The pieces of a curve that are beyond the limits, each with a neighbour at its ends."""
    outside = ~arm.limits.contains(_wrapped(q))
    near = outside.copy()
    near[:-1] |= outside[1:]
    near[1:] |= outside[:-1]
    cuts = np.flatnonzero(np.diff(near)) + 1
    pieces = np.split(q, cuts)
    flags = np.split(near, cuts)
    return [piece for piece, flag in zip(pieces, flags, strict=True) if flag[0]]


def _apart(piece: Vector3, others: tuple[Vector3, ...]) -> list[Vector3]:
    """The parts of a line (k, 3) that do not run along one of the others."""
    if not others:
        return [piece]
    points = np.concatenate(others)
    far = np.linalg.norm(piece[:, None] - points, axis=-1).min(axis=-1) > SAME_PLACE
    cuts = np.flatnonzero(np.diff(far)) + 1
    parts = zip(np.split(piece, cuts), np.split(far, cuts), strict=True)
    return [part for part, flag in parts if flag[0]]


def _gap(path: JointVector, q: JointVector) -> float:
    return float(np.abs(path - q).max(axis=-1).min())


def _wrapped(angle: Array) -> Array:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi
