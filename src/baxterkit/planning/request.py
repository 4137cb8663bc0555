"""A planning problem, and what every step asks of it: does it touch, is it within the limits?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.checks.named import Given
from baxterkit.checks.units import FAR_ANGLE, unwarned
from baxterkit.errors import InputError, shortened
from baxterkit.model.baxter_data import load_baxter
from baxterkit.model.names import ARM_COLUMNS, SIDES, joint_names
from baxterkit.planning.constraints import SameGrasp, TipConstraint
from baxterkit.planning.settings import SearchSettings
from baxterkit.scene.scene import Scene
from baxterkit.types import Array

CLEAR = 1.5e-4
"""Clearance that start and goals must have [m]: anything closer counts as a collision on a path."""
LIMIT_SLACK = 1e-6
"""Joints beyond a limit by this [rad] are inside, as of single precision, and are clipped to it."""
ONE_ARM = '; to plan for one arm: group="left" or group="right"'


@dataclass(frozen=True, eq=False)
class Request:
    """A planning problem without its goal.

    Attributes:
        scene: The robot among its obstacles.
        group: What moves: "left", "right" or "both".
        start: Joint positions of both arms, left then right [rad], shape (14,).
        limits: Lower and upper limits of both arms [rad], finite, shape (2, 14).
        search: How a path is searched for.
        constraints: What the tips keep along the path.
    """

    scene: Scene
    group: str
    start: Array
    limits: Array
    search: SearchSettings
    constraints: tuple[TipConstraint | SameGrasp, ...] = ()

    @cached_property
    def checks(self) -> Scene:
        """The scene with the pairs alone that a motion of the group can bring together."""
        return self.scene.of_arm(self.group)

    @property
    def columns(self) -> slice:
        """The joints that move, of the 14."""
        return ARM_COLUMNS[self.group]

    @property
    def lower(self) -> Array:
        """Lower limits of both arms [rad], shape (14,)."""
        lower: Array = self.limits[0]
        return lower

    @property
    def upper(self) -> Array:
        """Upper limits of both arms [rad], shape (14,)."""
        upper: Array = self.limits[1]
        return upper

    @property
    def sides(self) -> tuple[str, ...]:
        """The arms that move."""
        return SIDES if self.group == "both" else (self.group,)

    def arm(self, side: str) -> Arm:
        """An arm by name."""
        return self.scene.arm(side)

    def touches(self, q: Array) -> NDArray[np.bool_]:
        """Whether configurations of both arms (n, 14) touch something, or nearly; shape (n,)."""
        rows, scene = q[0] if len(q) == 1 else q, self.checks
        with unwarned():  # what was given has been looked at
            hits = scene.checker.in_collision(
                rows[..., :7], rows[..., 7:], scene.head, scene.margin + CLEAR
            )
        return np.atleast_1d(hits)

    def nearest(self, q: Array) -> tuple[tuple[str, str], float]:
        """Names of the nearest two links at a configuration (14,), and their clearance [m]."""
        with unwarned():
            near = self.checks.nearest(q[:7], q[7:])
        return near.names, float(near.clearance)

    def worst(self, q: Array) -> tuple[str, str]:
        """The links that touch where configurations (n, 14) touch least."""
        with unwarned():
            gap = self.checks.clearance(q[:, :7], q[:, 7:])
        return self.nearest(q[np.argmax(gap)])[0]

    def how_to_allow(self, joint: int, name: str, q: Array) -> str:
        """What to do about a joint, of the 14, that is beyond its limits."""
        limits = self.arm(SIDES[joint // 7]).limits
        if not np.isfinite([limits.lower[joint % 7], limits.upper[joint % 7]]).all():
            return (
                "it has none, and is planned within two turns of the start: give whole turns less"
            )
        as_degrees = self.lower[joint] <= np.deg2rad(q[joint]) <= self.upper[joint]
        if abs(q[joint]) > FAR_ANGLE and as_degrees:
            return f"are these degrees? Angles are in radians: np.deg2rad({name})"
        return "move it inside first"

    def within_limits(self, q: Array, columns: slice, name: str) -> Array:
        """Joint positions (14,) clipped by rounding errors.

        Raises:
            InputError: If a joint is beyond its limits.
        """
        own, (low, high) = q[columns], self.limits[:, columns]
        if not np.count_nonzero((own < low) | (own > high)):
            return q
        beyond = np.maximum(self.lower - q, q - self.upper)
        beyond[: columns.start] = beyond[columns.stop :] = 0.0
        joint = int(np.argmax(beyond))
        if beyond[joint] > LIMIT_SLACK:
            names = (*joint_names("left"), *joint_names("right"))
            raise InputError(
                f"{name}: {names[joint]} = {q[joint]:.6f} rad is outside its limits "
                f"[{self.lower[joint]:.6f}, {self.upper[joint]:.6f}] by {beyond[joint]:.2g} rad; "
                f"{self.how_to_allow(joint, name, q)}"
            )
        inside = q.copy()
        inside[columns] = np.clip(q, self.lower, self.upper)[columns]
        return inside


def refuse_text(value: Given, name: str, arm: str) -> None:
    """Says what to give instead of the name of a configuration.

    Raises:
        InputError: If it is a text.
    """
    if isinstance(value, str):
        known = value if value in load_baxter().configurations else "untuck"
        raise InputError(
            f"{name} = {shortened(repr(value))} is a text; give the joint positions of a named "
            f"configuration, such as robot.{arm}.configuration({known!r})"
        )
