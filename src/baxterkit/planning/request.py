"""What is asked for, checked: the start, the limits, the checks of what moves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import head_angle
from baxterkit.checks.numbers import count, scalar, small_length
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.planning.start import both_arms
from baxterkit.types import Array, frozen

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.collision.checker import Checker, Settings
    from baxterkit.collision.world import World
    from baxterkit.model.model import ArmModel

__all__ = ["GROUPS", "Request", "make_request"]

GROUPS = ("left", "right", "both")
_COLUMNS = {"left": slice(0, 7), "right": slice(7, 14), "both": slice(0, 14)}
CLEAR = 1.5e-4
"""Clearance that start and goals must have [m]: what is nearer counts as touching on the way."""
LIMIT_SLACK = 1e-6
"""Joints beyond a limit by this [rad] are inside, as of single precision, and are clipped to it."""
MOST_SEED = 2**64
MOST_SAMPLES = 2**62
"""More samples than any time suffices for."""
LONGEST = 1e6
"""Longest time limit of a search [s]: 11 days."""
TURNS = 4.0 * np.pi
"""How far from the start a joint without limits may turn, to either side [rad]."""


@dataclass(frozen=True, eq=False)
class Request:
    """A planning problem without its goal.

    Attributes:
        robot: The robot.
        checker: The checks of all pairs that a motion of the group can bring together.
        group: What moves: "left", "right" or "both".
        start: Joint positions of both arms, left then right [rad], shape (14,).
        limits: Lower and upper limits of both arms [rad], finite, shape (2, 14).
        head: Pan of the head [rad].
        padding: What is nearer than this [m] counts as touching.
        seed: Of the random numbers.
        timeout: Time limit [s].
        samples: Largest number of random postures.
        method: Name of the planner.
        constraints: What the tips keep on the way.
        keep_tree: Whether the search's trees are kept.
    """

    robot: Baxter
    checker: Checker
    group: str
    start: Array
    limits: Array
    head: float
    padding: float
    seed: int
    timeout: float
    samples: int
    method: str
    constraints: tuple[Any, ...] = ()
    keep_tree: bool = False

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
        return self.robot.left if side == "left" else self.robot.right

    def __reduce__(self) -> tuple[object, ...]:
        # The checks are compiled: they are made again.
        fields = {name: value for name, value in vars(self).items() if name != "checker"}
        return _remade, (fields, self.checker.settings)

    def touches(self, q: Array) -> NDArray[np.bool_]:
        """Whether postures of both arms (n, 14) touch something, or nearly; shape (n,)."""
        rows = q[0] if len(q) == 1 else q
        with unwarned():  # what was given has been looked at
            hits = self.checker.in_collision(
                rows[..., :7], rows[..., 7:], self.head, self.padding + CLEAR
            )
        return np.atleast_1d(hits)

    def nearest(self, q: Array) -> tuple[tuple[str, str], float]:
        """Names of the nearest two links at a posture (14,), and their clearance [m]."""
        with unwarned():
            near = self.checker.nearest(q[:7], q[7:], self.head)
        return near.names, float(near.clearance)

    def worst(self, q: Array) -> tuple[str, str]:
        """The links that touch where postures (n, 14) touch least."""
        with unwarned():
            gap = self.checker.clearance(q[:, :7], q[:, 7:], self.head)
        return self.nearest(q[np.argmax(gap)])[0]

    def way_inside(self, joint: int) -> str:
        """What to do about a joint, of the 14, that is beyond its limits."""
        limits = self.arm(SIDES[joint // 7]).limits
        if np.isfinite([limits.lower[joint % 7], limits.upper[joint % 7]]).all():
            return "move it inside first"
        return "it has none, and is planned within two turns of the start: give whole turns less"

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
                f"{self.way_inside(joint)}"
            )
        inside = q.copy()
        inside[columns] = np.clip(q, self.lower, self.upper)[columns]
        return inside


def make_request(
    robot: Baxter,
    start: ArrayLike,
    group: str,
    other: ArrayLike | None,
    world: World | None,
    head: float,
    opening: float | tuple[float, float],
    padding: float,
    without: tuple[tuple[str, str], ...],
    seed: int,
    timeout: float,
    samples: int,
    method: str,
    constraints: tuple[Any, ...],
    keep_tree: bool,
) -> Request:
    """Checks the arguments of `plan`."""
    if not hasattr(robot, "checker"):
        raise InputError(
            f"robot must be a Baxter, which knows the whole body, got {type(robot).__name__}; "
            "Baxter(left=arm) has an arm of yours"
        )
    if not isinstance(group, str) or group not in GROUPS:
        raise UnknownNameError("group", group, GROUPS)
    side = None if group == "both" else group
    checker = robot.checker(opening=opening, without=without, world=world, side=side)
    number, most = count(seed, "seed"), count(samples, "samples")
    if number >= MOST_SEED:
        raise InputError(f"seed = {number} must be below 2**64")
    pan, apart = head_angle(head), small_length(padding, "padding")
    if apart < 0.0:
        raise InputError(f"padding = {apart:g} m must not be negative")
    seconds = _seconds(timeout)
    q = both_arms(robot, start, group, other)
    limits = _limits(robot.left.model, robot.right.model)
    if np.count_nonzero(np.isinf(limits)):
        lower, upper = limits
        low = np.where(np.isinf(lower), np.minimum(q, upper) - TURNS, lower)
        limits = np.stack([low, np.where(np.isinf(upper), np.maximum(q, lower) + TURNS, upper)])
    request = Request(
        robot,
        checker,
        group,
        q,
        limits,
        pan,
        apart,
        number,
        seconds,
        min(most, MOST_SAMPLES),
        method,
        constraints,
        keep_tree,
    )
    inside = request.within_limits(request.start, request.columns, "start")
    object.__setattr__(request, "start", inside)
    return request


def _remade(fields: dict[str, Any], settings: Settings) -> Request:
    return Request(checker=fields["robot"]._checker_of(*settings), **fields)


@lru_cache(maxsize=8)
def _limits(left: ArmModel, right: ArmModel) -> Array:
    rows = [[*left.limits.lower, *right.limits.lower], [*left.limits.upper, *right.limits.upper]]
    return frozen(rows)


def _seconds(timeout: Any) -> float:
    """A time limit [s]."""
    if type(timeout) is float and 0.0 < timeout <= LONGEST:
        return timeout
    seconds = scalar(timeout, "timeout")
    if not 0.0 < seconds <= LONGEST:
        raise InputError(f"timeout = {seconds:g} s must be positive, and {LONGEST:g} s at most")
    return seconds
