"""What the hand must keep along a path: upright, on a plane, on a line, the other hand's grasp.

A constraint of the tip turns any pose into the nearest one that respects it; exact inverse
kinematics then gives joint positions for that, so that nothing is left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import vector_array
from baxterkit.errors import InputError, ShapeError, shortened
from baxterkit.spatial.formulas import pose_error, so3_exp
from baxterkit.types import Array, Transform, Vector3

TURNS, SETTLED = 100, 1e-9
"""Rounds in which several constraints are respected in turn, and the change that ends them."""


class TipConstraint(Protocol):
    """A constraint of the tip of one arm."""

    def project(self, T: Transform) -> Transform:
        """The nearest pose that respects it, shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class Upright:
    """An axis of the tip keeps its direction, so that nothing is spilled.

    Attributes:
        direction: In base, of any length but zero, shape (3,).
        axis: The axis in the tip's frame, shape (3,). The hands' z axis points out of the fingers.
    """

    direction: Vector3 = (0.0, 0.0, -1.0)  # type: ignore[assignment]
    axis: Vector3 = (0.0, 0.0, 1.0)  # type: ignore[assignment]

    if TYPE_CHECKING:  # what is taken, to type checkers

        def __init__(self, direction: ArrayLike = ..., axis: ArrayLike = ...) -> None: ...

    def __post_init__(self) -> None:
        for name in ("direction", "axis"):
            object.__setattr__(self, name, _unit(getattr(self, name), name))

    def project(self, T: Transform) -> Transform:
        """The pose, turned as little as possible."""
        now = T[:3, :3] @ self.axis
        cosine = float(now @ self.direction)
        if cosine > -0.5:
            # 1 + [c] + [c]^2 / (1 + cosine) with c = now x direction.
            (a, b, c), (x, y, z) = now.tolist(), self.direction.tolist()
            u, v, w = b * z - c * y, c * x - a * z, a * y - b * x
            K = np.array([[0.0, -w, v], [w, 0.0, -u], [-v, u, 0.0]])
            turn = np.eye(3) + K + K @ K / (1.0 + cosine)
        else:
            cross = np.cross(now, self.direction)
            sine = float(np.linalg.norm(cross))
            if sine < 1e-15:
                cross, sine = np.cross(now, np.eye(3)[np.argmin(np.abs(now))]), 0.0
            turn = so3_exp(np.arctan2(sine, cosine) * cross / np.linalg.norm(cross))
        result = T.copy()
        result[:3, :3] = turn @ T[:3, :3]
        return result

    def deviation(self, T: Transform) -> Array:
        """How far poses (*batch, 4, 4) are from respecting it [rad], shape (*batch)."""
        off = T[..., :3, :3] @ self.axis - self.direction
        half = np.minimum(0.5 * np.linalg.norm(off, axis=-1), 1.0)
        return np.asarray(2.0 * np.arcsin(half))


@dataclass(frozen=True, eq=False)
class OnPlane:
    """The tip's position stays on a plane.

    Attributes:
        point: A point of it in base [m], shape (3,).
        normal: Its normal, of any length but zero, shape (3,).
    """

    point: Vector3
    normal: Vector3

    if TYPE_CHECKING:

        def __init__(self, point: ArrayLike, normal: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _vector(self.point, "point"))
        object.__setattr__(self, "normal", _unit(self.normal, "normal"))

    def project(self, T: Transform) -> Transform:
        """The pose moved along the normal."""
        result = T.copy()
        result[:3, 3] -= ((T[:3, 3] - self.point) @ self.normal) * self.normal
        return result

    def deviation(self, T: Transform) -> Array:
        """Distance of the tips of poses (*batch, 4, 4) from the plane [m], shape (*batch)."""
        return np.asarray(np.abs((T[..., :3, 3] - self.point) @ self.normal))


@dataclass(frozen=True, eq=False)
class OnLine:
    """The tip's position stays on a line.

    Attributes:
        point: A point of it in base [m], shape (3,).
        direction: Its direction, of any length but zero, shape (3,).
    """

    point: Vector3
    direction: Vector3

    if TYPE_CHECKING:

        def __init__(self, point: ArrayLike, direction: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _vector(self.point, "point"))
        object.__setattr__(self, "direction", _unit(self.direction, "direction"))

    def project(self, T: Transform) -> Transform:
        """The pose moved to the nearest point of the line."""
        result = T.copy()
        along = (T[:3, 3] - self.point) @ self.direction
        result[:3, 3] = self.point + along * self.direction
        return result

    def deviation(self, T: Transform) -> Array:
        """Distance of the tips of poses (*batch, 4, 4) from the line [m], shape (*batch)."""
        off = T[..., :3, 3] - self.point
        off = off - (off @ self.direction)[..., None] * self.direction
        return np.asarray(np.linalg.norm(off, axis=-1))


@dataclass(frozen=True)
class SameGrasp:
    """The pose of the right tip in the frame of the left one stays that of the start."""


Constraint: TypeAlias = TipConstraint | SameGrasp


def constraint_tuple(
    constraints: Constraint | Sequence[Constraint], method: str
) -> tuple[Constraint, ...]:
    """What the tips must keep, one or several, as a tuple.

    Raises:
        InputError: If something else is among them, or the planner knows no constraints.
    """
    several = isinstance(constraints, list | tuple)
    found = tuple(cast("Sequence[Constraint]", constraints if several else (constraints,)))
    for constraint in found:
        known = hasattr(constraint, "project") or isinstance(constraint, SameGrasp)
        if not known or isinstance(constraint, type):
            raise InputError(
                "constraints must be Upright, OnPlane, OnLine or SameGrasp, such as Upright(), one "
                f"or a list of them, got {shortened(repr(constraint))}"
            )
    if found and method != "rrt_connect":
        raise InputError(f"method {method!r} knows no constraints; leave `method` out with them")
    return found


def tip_constraints(constraints: tuple[Constraint, ...], side: str) -> tuple[TipConstraint, ...]:
    """Those of the tip of one arm; with `SameGrasp` the right one follows the left one."""
    if side == "right" and any(isinstance(c, SameGrasp) for c in constraints):
        return ()
    return tuple(c for c in constraints if not isinstance(c, SameGrasp))


def projected(constraints: tuple[TipConstraint, ...], T: Transform) -> Transform:
    """A pose that respects all of them.

    Planes and lines together, by least squares; the others one after the other, again where one
    undoes another.
    """
    places = [c for c in constraints if isinstance(c, OnPlane | OnLine)]
    steps = [c.project for c in constraints if len(places) < 2 or c not in places]
    if len(places) > 1:
        steps.append(lambda T: _placed(places, T))
    for _ in range(TURNS if len(steps) > 1 else 1):
        before = T
        for step in steps:
            T = step(T)
        if np.abs(T - before).max() < SETTLED:
            break
    return T


def _placed(places: list[OnPlane | OnLine], T: Transform) -> Transform:
    """The pose, moved as little as possible onto all planes and lines."""
    rows, off = [], []
    for place in places:
        if isinstance(place, OnPlane):
            A = place.normal[None]
        else:
            A = np.eye(3) - np.outer(place.direction, place.direction)
        rows.append(A)
        off.append(A @ (T[:3, 3] - place.point))
    result = T.copy()
    result[:3, 3] -= np.linalg.lstsq(np.concatenate(rows), np.concatenate(off), rcond=1e-9)[0]
    return result


def error(constraints: tuple[TipConstraint, ...], T: Transform) -> float:
    """How far the worst of poses (n, 4, 4) is from respecting one of them [m, rad]."""
    worst = 0.0
    for constraint in constraints:
        if hasattr(constraint, "deviation"):
            worst = max(worst, float(constraint.deviation(T).max()))
        else:
            wanted = np.stack([constraint.project(pose) for pose in T])
            worst = max(worst, *(float(x.max()) for x in pose_error(T, wanted)))
    return worst


def _vector(v: ArrayLike, name: str) -> Array:
    if isinstance(v, str):
        raise InputError(f"{name} = {v!r}; it must be three numbers, such as [0, 0, 1] for z")
    array = np.array(vector_array(v, name))
    if array.shape != (3,):
        raise ShapeError(f"{name} must be one vector of 3 values, got shape {array.shape}")
    return array


def _unit(v: ArrayLike, name: str) -> Array:
    array = _vector(v, name)
    largest = float(np.abs(array).max())
    if largest == 0.0:
        raise InputError(f"{name} must not be zero")
    array = array / largest  # squares of very large or small numbers are none
    return array / np.linalg.norm(array)
