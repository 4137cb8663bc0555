"""Joint limits as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.checks.arrays import joint_array
from baxterkit.checks.units import FAR_ANGLE
from baxterkit.display import html_table
from baxterkit.errors import InputError
from baxterkit.model.parts import Frozen
from baxterkit.types import Array, JointsLike, JointVector, frozen

LIMIT_TOLERANCE = 1e-9
"""Limits are closed: a joint beyond one by this much [rad or m] still counts as inside."""


@dataclass(frozen=True, eq=False)
class Limits(Frozen):
    """Limits of a chain of joints, shape (n,) each.

    Attributes:
        lower: Least positions [rad or m].
        upper: Greatest positions [rad or m].
        velocity: Greatest speeds [rad/s or m/s].
        effort: Greatest torques or forces [N m or N].
        names: Joint names, for messages.
        units: "rad" or "m" per joint, for messages.
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what in ("lower", "upper", "velocity", "effort"):
            object.__setattr__(self, what, frozen(getattr(self, what)))
        n = len(self.lower)
        object.__setattr__(
            self, "names", tuple(self.names) or tuple(f"joint {i}" for i in range(n))
        )
        object.__setattr__(self, "units", tuple(self.units) or ("rad",) * n)

    def _repr_html_(self) -> str:
        columns = (self.lower, self.upper, self.velocity, self.effort)
        cells = zip(self.names, *(column.tolist() for column in columns), strict=True)
        unit = self.units[0] if len(set(self.units)) == 1 else "rad or m"
        torque = {"rad": "N m", "m": "N"}.get(unit, "N m or N")
        head = (
            "joint",
            f"lower [{unit}]",
            f"upper [{unit}]",
            f"velocity [{unit}/s]",
            f"effort [{torque}]",
        )
        return html_table(f"Limits of {len(self.names)} joints", head, cells)

    def part(self, rows: slice) -> Limits:
        """The limits of some joints in a row."""
        return Limits(
            self.lower[rows], self.upper[rows], self.velocity[rows], self.effort[rows],
            self.names[rows], self.units[rows],
        )  # fmt: skip

    @property
    def middle(self) -> Array:
        """Middle of the range, 0 where a joint has no limits, shape (n,)."""
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        return np.where(bounded, 0.5 * (np.where(bounded, self.lower, 0.0) + self.upper), 0.0)

    def clip(self, q: JointsLike) -> JointVector:
        """`q`, shape (*batch, n), with each joint moved to its nearest limit if it is outside."""
        return np.clip(joint_array(q, "q", len(self.lower), self.names), self.lower, self.upper)

    def contains(self, q: JointsLike, tolerance: float = LIMIT_TOLERANCE) -> NDArray[np.bool_]:
        """Whether all joints are inside, or beyond by `tolerance` [rad or m] at most.

        Args:
            q: Joint positions, shape (*batch, n).
            tolerance: Slack on either side.

        Returns:
            Booleans, shape (*batch).
        """
        q = joint_array(q, "q", len(self.lower), self.names)
        inside = (q >= self.lower - tolerance) & (q <= self.upper + tolerance)
        return np.asarray(inside.all(axis=-1))

    def check(self, q: JointsLike, tolerance: float = LIMIT_TOLERANCE) -> JointVector:
        """Returns `q` as an array if it is inside the limits.

        Raises:
            InputError: If a joint is outside, naming the first one, its value and its limit.
        """
        q = joint_array(q, "q", len(self.lower), self.names)
        outside = (q < self.lower - tolerance) | (q > self.upper + tolerance)
        if outside.any():
            index = tuple(int(i) for i in np.argwhere(outside)[0])
            joint, value = index[-1], q[index]
            above = value > self.upper[joint]
            limit = self.upper[joint] if above else self.lower[joint]
            where = f"q[{', '.join(map(str, index[:-1]))}]: " if len(index) > 1 else ""
            unit = self.units[joint]
            raise InputError(
                f"{where}{self.names[joint]} = {value:.3f} {unit} is "
                f"{'above' if above else 'below'} its limit {limit:.3f} {unit}; "
                f"{self._remedy(q)}"
            )
        return q

    def _remedy(self, q: JointVector) -> str:
        """What to do about joint positions outside: convert them if they make sense as degrees."""
        turned = float(np.abs(q).max()) > FAR_ANGLE and set(self.units) == {"rad"}
        if turned and self.contains(np.deg2rad(q)).all():
            return "are these degrees? Angles are in radians: np.deg2rad(q)"
        return "clip with arm.limits.clip(q)"
