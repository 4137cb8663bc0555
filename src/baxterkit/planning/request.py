"""A planning problem, checked: the scene, the start, the limits, what moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import both_arms_array, finite_array, joint_array, one
from baxterkit.checks.named import Given, has_names, named_value
from baxterkit.checks.units import FAR_ANGLE, unwarned
from baxterkit.collision.checker import Checker
from baxterkit.errors import ExtensionError, InputError, ShapeError, UnknownNameError, shortened
from baxterkit.model.names import SIDES, joint_names, other_side
from baxterkit.planning.constraints import SameGrasp, TipConstraint
from baxterkit.planning.settings import SearchSettings
from baxterkit.scene.scene import Scene, as_scene
from baxterkit.types import Array, frozen

if TYPE_CHECKING:
    from baxterkit._native import BodyChecker
    from baxterkit.baxter import Baxter
    from baxterkit.model.model import ArmModel

GROUPS = ("left", "right", "both")
_COLUMNS = {"left": slice(0, 7), "right": slice(7, 14), "both": slice(0, 14)}
CLEAR = 1.5e-4
"""Clearance that start and goals must have [m]: what is nearer counts as touching on a path."""
LIMIT_SLACK = 1e-6
"""Joints beyond a limit by this [rad] are inside, as of single precision, and are clipped to it."""
TURNS = 4.0 * np.pi
"""How far from the start a joint without limits may turn, to either side [rad]."""
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
        return _COLUMNS[self.group]

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


def make_request(
    scene: Scene | Baxter,
    start: ArrayLike,
    group: str,
    other: ArrayLike | None,
    constraints: tuple[TipConstraint | SameGrasp, ...],
    search: SearchSettings,
) -> Request:
    """Checks the arguments of `plan`."""
    scene = as_scene(scene)
    if not isinstance(group, str) or group not in GROUPS:
        raise UnknownNameError("group", group, GROUPS)
    if scene.margin < 0.0:
        raise InputError(f"margin = {scene.margin:g} m must not be negative")
    robot = scene.robot
    q = start_of_both(robot, start, group, other)
    limits = _limits(robot.left.model, robot.right.model)
    if np.count_nonzero(np.isinf(limits)):
        lower, upper = limits
        low = np.where(np.isinf(lower), np.minimum(q, upper) - TURNS, lower)
        limits = np.stack([low, np.where(np.isinf(upper), np.maximum(q, lower) + TURNS, upper)])
    request = Request(scene, group, q, limits, search, constraints)
    inside = request.within_limits(request.start, request.columns, "start")
    object.__setattr__(request, "start", inside)
    return request


@lru_cache(maxsize=8)
def _limits(left: ArmModel, right: ArmModel) -> Array:
    rows = [[*left.limits.lower, *right.limits.lower], [*left.limits.upper, *right.limits.upper]]
    return frozen(rows)


def refuse_text(value: Given, name: str, arm: str) -> None:
    """Says what to give instead of the name of a configuration.

    Raises:
        InputError: If it is a text.
    """
    if isinstance(value, str):
        raise InputError(
            f"{name} = {shortened(repr(value))} is a text; give the joint positions of a named "
            f"configuration, such as robot.{arm}.configuration('untuck')"
        )


def start_of_both(robot: Baxter, start: Given, group: str, other: ArrayLike | None) -> Array:
    """The start as joint positions of both arms, shape (14,)."""
    refuse_text(start, "start", "left" if group == "both" else group)
    if isinstance(start, Mapping) and set(start) == set(SIDES):
        start = (start["left"], start["right"])
    if isinstance(start, tuple | list) and len(start) == 2 and other is None:
        pair = zip(start, SIDES, strict=True)
        arms = [
            one(joint_array(q, f"start of {side}", names=joint_names(side)), "start")
            for q, side in pair
        ]
        return np.concatenate(arms)
    if type(start) is not np.ndarray and has_names(start):
        return _of_named(robot, start, group, other)
    values = finite_array(start, "start")
    if group != "both" and values.shape[-1:] != (14,):
        return _beside(robot, one(joint_array(values, "start"), "start"), group, other)
    if other is not None:
        raise InputError("start holds both arms already; leave `other` out")
    if values.shape != (14,):
        raise ShapeError(
            "start must have 14 values, joints of the left arm, then of the right one"
            f"{'' if group == 'both' else ', or 7 of the arm that moves'}; got shape {values.shape}"
            f"{ONE_ARM if group == 'both' and values.shape == (7,) else ''}"
        )
    return values.copy()


def _of_named(robot: Baxter, start: Given, group: str, other: ArrayLike | None) -> Array:
    """The start of named values: a mapping, or the robot's message. It may name both arms."""
    if group == "both":
        if other is not None:
            raise InputError("start holds both arms already; leave `other` out")
        return one(both_arms_array(start, "start"), "start")
    own = one(joint_array(start, "start", names=joint_names(group)), "start")
    names = joint_names(other_side(group))
    if other is None:
        try:
            named_value(start, "start", names[0])
        except InputError:  # one arm alone
            pass
        else:
            other = joint_array(start, "start", names=names)
    return _beside(robot, own, group, other)


def _beside(robot: Baxter, own: Array, group: str, other: ArrayLike | None) -> Array:
    """The arm that moves and the one that stays; untucked if None."""
    rest = other_side(group)
    if other is None:
        still = (robot.left if rest == "left" else robot.right).configuration("untuck")
    else:
        still = one(joint_array(other, "other", names=joint_names(rest)), "other")
    return np.concatenate([own, still] if group == "left" else [still, own])


def compiled_planner(checker: Checker) -> BodyChecker:
    """The extension's checks, searches and smoothing.

    Raises:
        ExtensionError: If NumPy computes: a plan would take minutes.
    """
    if checker.native is None:
        raise ExtensionError(
            "planning needs the compiled extension, and NumPy computes here; use "
            'Arm(..., backend="native"), or install a C++ compiler and baxterkit again'
        )
    return checker.native
