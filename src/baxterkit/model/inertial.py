"""Mass, centre of mass and inertia of a rigid body; payloads."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.checks.units import warn_if_grams, warn_if_wide
from baxterkit.errors import InputError, ModelError, ShapeError
from baxterkit.model.parts import Frozen
from baxterkit.model.shape import Solid
from baxterkit.types import Array, Inertia, Vector3, frozen

_LARGEST = 1e100
_SLACK = 1e-9  # of the largest principal moment: rounding of published tensors


@dataclass(frozen=True, eq=False)
class Inertial(Frozen):
    """Mass distribution of a rigid body in some frame.

    Attributes:
        mass: Mass [kg].
        com: Centre of mass [m], shape (3,).
        inertia: Inertia tensor about the centre of mass, in the frame's axes [kg m^2], shape (3,
            3).
    """

    mass: float
    com: Vector3
    inertia: Inertia

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "com", frozen(_shaped(self.com, "com", (3,))))
        object.__setattr__(self, "inertia", frozen(_shaped(self.inertia, "inertia", (3, 3))))

    @property
    def about_origin(self) -> Inertia:
        """Inertia about the frame's origin (parallel axis), shape (3, 3) [kg m^2]."""
        return self.inertia + self.mass * _steiner(self.com)

    def at(self, T_new_old: ArrayLike) -> Inertial:
        """The same body seen from another frame.

        Args:
            T_new_old: Maps this frame's coordinates to the new one's, shape (4, 4).
        """
        T = np.asarray(T_new_old, dtype=np.float64)
        R = T[:3, :3]
        inertia = R @ self.inertia @ R.T
        return Inertial(self.mass, R @ self.com + T[:3, 3], 0.5 * (inertia + inertia.T))

    def combine(self, other: Inertial) -> Inertial:
        """Both bodies rigidly joined; both are given in the same frame."""
        inertia = self.inertia + other.inertia
        if self.mass == 0.0 or other.mass == 0.0:
            heavy = self if other.mass == 0.0 else other
            return Inertial(heavy.mass, heavy.com, inertia)
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass
        inertia = inertia + self.mass * _steiner(self.com - com)
        inertia = inertia + other.mass * _steiner(other.com - com)
        return Inertial(mass, com, inertia)

    def without(self, other: Inertial, name: str = "what is left") -> Inertial:
        """This body without a part of it, `other`; both are given in the same frame.

        Raises:
            ModelError: If the remainder is not physical; the message calls it `name`.
        """
        mass = self.mass - other.mass
        if not mass > 0.0:
            raise ModelError(f"{name}: mass is {mass:g} kg; it must be above zero")
        com = (self.mass * self.com - other.mass * other.com) / mass
        inertia = self.about_origin - other.about_origin - mass * _steiner(com)
        return Inertial(mass, com, 0.5 * (inertia + inertia.T)).check(name)

    def check(self, name: str = "body") -> Inertial:
        """Raises ModelError unless a real body could have these numbers; returns itself."""
        problem = _unphysical(self.mass, self.inertia)
        if problem is not None:
            raise ModelError(f"{name}: {problem}")
        return self


@dataclass(frozen=True, eq=False)
class Payload(Frozen):
    """A rigid body that the tip carries.

    Attributes:
        mass: Mass [kg].
        com: Centre of mass in the tip frame [m], shape (3,); the tip by default.
        inertia: Inertia about the centre of mass, tip axes [kg m^2], shape (3, 3); zero (a point
            mass) by default.
        shape: Solids that contain it, in the tip frame, for collision checks; none by default.
    """

    mass: float
    com: Vector3 = dataclasses.field(default_factory=lambda: np.zeros(3))
    inertia: Inertia = dataclasses.field(default_factory=lambda: np.zeros((3, 3)))
    shape: tuple[Solid, ...] = ()

    if TYPE_CHECKING:  # what is taken, to type checkers

        def __init__(
            self,
            mass: float,
            com: ArrayLike = ...,
            inertia: ArrayLike = ...,
            shape: Iterable[Solid] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        mass = finite_array(self.mass, "payload mass")
        if mass.ndim != 0:
            raise ShapeError(f"payload mass must be one number, got shape {mass.shape}")
        com = _shaped(self.com, "payload com", (3,))
        inertia = _shaped(self.inertia, "payload inertia", (3, 3))
        problem = _unphysical(float(mass), inertia)
        if problem is not None:
            raise InputError(f"payload {problem}")
        if not float(np.abs(com).max()) <= _LARGEST:
            raise InputError(f"payload com has an entry beyond {_LARGEST:g} m")
        warn_if_grams(float(mass), "payload mass")
        warn_if_wide(float(np.abs(com).max()), "payload com")
        for solid in self.shape:
            if not isinstance(solid, Solid):
                raise InputError(f"payload shape must hold Solids, got {type(solid).__name__}")
        object.__setattr__(self, "mass", float(mass))
        object.__setattr__(self, "com", frozen(com))
        object.__setattr__(self, "inertia", frozen(0.5 * (inertia + inertia.T)))
        object.__setattr__(self, "shape", tuple(self.shape))

    @property
    def inertial(self) -> Inertial:
        """The payload as a body, in the tip frame."""
        return Inertial(self.mass, self.com, self.inertia)


def uniform(solid: Solid, mass: float) -> Inertial:
    """A solid of uniform density, in the frame that its pose is in.

    Args:
        solid: A box, sphere, capsule or cylinder.
        mass: Its mass [kg].
    """
    if solid.kind == "box":
        x, y, z = np.square(solid.size)
        moments = np.array([y + z, x + z, x + y]) / 12.0
    elif solid.kind == "sphere":
        moments = np.full(3, 0.4 * solid.size[0] ** 2)
    else:
        height, radius = solid.size
        along, across = 0.5 * radius**2, (3.0 * radius**2 + height**2) / 12.0
        if solid.kind == "capsule":  # two half spheres, and a cylinder with this share of the mass
            share = height / (height + 4.0 / 3.0 * radius)
            ends = 0.4 * radius**2
            away = 0.25 * height**2 + 0.375 * height * radius
            along = share * along + (1.0 - share) * ends
            across = share * across + (1.0 - share) * (ends + away)
        moments = np.array([across, across, along])
    return Inertial(mass, np.zeros(3), mass * np.diag(moments)).at(solid.T)


def inertia_matrix(six: ArrayLike) -> Inertia:
    """Symmetric tensor, shape (3, 3), from [ixx, ixy, ixz, iyy, iyz, izz] [kg m^2]."""
    ixx, ixy, ixz, iyy, iyz, izz = np.asarray(six, dtype=np.float64)
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def _steiner(r: Vector3) -> Inertia:
    """Inertia of a unit point mass at `r` about the origin."""
    tensor: Inertia = np.dot(r, r) * np.eye(3) - np.outer(r, r)
    return tensor


def _shaped(x: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    array = finite_array(x, name)
    if array.shape != shape:
        raise ShapeError(f"{name} must have shape {shape}, got {array.shape}")
    return array


def _unphysical(mass: float, inertia: Inertia) -> str | None:
    """Why no real body has these numbers, or None if one may."""
    if not mass >= 0.0:
        return f"mass is {mass:g} kg; it must not be negative"
    scale = float(np.abs(inertia).max())
    if mass == 0.0 and scale > 0.0:
        return "has inertia but no mass; give it a mass"
    if not scale <= _LARGEST:
        return f"inertia has an entry of {scale:.3g} kg m^2; at most {_LARGEST:g} are taken"
    skewness = float(np.abs(inertia - inertia.T).max())
    if skewness > _SLACK * scale:
        return f"inertia is not symmetric: entries differ by {skewness:.3g} kg m^2"
    moments = np.linalg.eigvalsh(0.5 * (inertia + inertia.T))
    if moments[0] < -_SLACK * scale:
        return (
            f"inertia has the negative principal moment {moments[0]:.3g} kg m^2; "
            "it must be about the centre of mass, with tensor sign (ixy = -integral of x y dm)"
        )
    if moments[0] + moments[1] < moments[2] * (1.0 - _SLACK):
        return (
            f"inertia breaks the triangle inequality: principal moments {moments[0]:.3g} + "
            f"{moments[1]:.3g} < {moments[2]:.3g} kg m^2, which no body has"
        )
    return None
