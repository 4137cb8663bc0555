"""The fastest motion along a path of polynomial pieces, under all limits of the joints.

The path is cut into intervals. In each the acceleration along the path is constant, so joints'
accelerations are nearly between those at its ends, and torques too. TOPP-RA finds the greatest
speeds. The result is sampled more densely, and limits are tightened by the excess until none is
exceeded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.arm import Arm
from baxterkit.errors import InputError
from baxterkit.trajectory.speeds import greatest_speeds
from baxterkit.types import Array

INTERVAL = 0.08
"""Longest interval [rad]; every piece has LEAST at least."""
LEAST = 4
DENSITY = 5
"""Times in every interval at which limits are checked during the search ..."""
FINAL_DENSITY = 20
"""... and at the end."""
ROUNDS = 30
FRICTION_ROUNDS = 4
"""Number of rounds that update only the friction, at arms with joint effects."""
FIRST_SPEED, LEAST_SPEED = 0.3, 0.01
"""Speeds for the first and the slowest estimate of friction, as shares of what velocity limits
allow."""
REACHED = 1.0 - 1e-5
"""Share of the limits allowed at these times: in between it may be a little more."""
COARSE = 1.002
"""Where a limit is exceeded by more than this, a finer grid comes first ..."""
MOST_INTERVALS = 3000
"""... of at most about twice this many intervals."""
SLOWER = 1.05
"""Factor by which a motion is slowed down where tightening did not suffice ..."""
MOST_SLOWER = 200
"""... this many times at most."""

FASTEST = 1e3
"""Greatest velocity of a joint without a limit [rad/s]."""
NO_MOTION = (
    "no motion along the path was found that respects the limits; allow more velocity, "
    "acceleration or torque, carry less, or take a path with less sharp bends"
)


class HoldError(InputError):
    """Torques are too small to hold the arms at rest on a path."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of a path: polynomials in its parameter s, each from s = 0 to its length.

    First derivatives go on from one to the next, except where the motion stops.

    Attributes:
        coefficients: Coefficients of 1, s, s², ... [rad, 1, 1/rad, ...], shape (n, order, joints).
        length: Lengths in s [rad], shape (n,).
        stops: Whether the motion rests at the start of the piece, shape (n,).
    """

    coefficients: Array
    length: Array
    stops: Array

    @classmethod
    def joined(cls, parts: Sequence[Pieces]) -> Pieces:
        """Several paths, one after the other; at each joint the motion stops if the parts say."""
        columns = zip(*((p.coefficients, p.length, p.stops) for p in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def split(self, longest: float, least: int) -> Pieces:
        """The same path in shorter pieces."""
        parts = np.maximum(np.ceil(self.length / longest), least).astype(np.int64)
        row = np.repeat(np.arange(len(parts)), parts)
        part = np.arange(len(row)) - np.repeat(np.cumsum(parts) - parts, parts)
        length = self.length[row] / parts[row]
        coefficients = _shifted(self.coefficients[row], part * length)
        return Pieces(coefficients, length, self.stops[row] & (part == 0))

    def derivatives(self) -> tuple[Array, Array, Array]:
        """q, dq/ds and d²q/ds² at both ends of each piece, shape (n, 2, joints) each."""
        c = self.coefficients
        ends = np.stack([c[:, :3], _shifted(c, self.length)[:, :3]], axis=1)
        return ends[:, :, 0], ends[:, :, 1], 2.0 * ends[:, :, 2]


def _shifted(c: Array, s: Array) -> Array:
    """Coefficients of the same polynomials about s, shape (n,) (Horner's scheme)."""
    c = c.copy()
    order = c.shape[1]
    for k in range(order - 1):
        for j in range(order - 2, k - 1, -1):
            c[:, j] += s[:, None] * c[:, j + 1]
    return c


class Bounds:
    """Greatest velocities, accelerations and torques of the joints of one arm or of both.

    Attributes:
        arms: The arms that move.
        velocity: [rad/s], shape (7 or 14,).
        acceleration: [rad/s²], likewise; inf: no limit.
        torque: [N m], likewise.
    """

    def __init__(
        self, arms: Sequence[Arm], velocity: Array, acceleration: Array, torque: Array
    ) -> None:
        self.arms, self.velocity = tuple(arms), np.minimum(velocity, FASTEST)
        self.acceleration, self.torque = acceleration, torque
        self.effects = any(arm.effects is not None for arm in self.arms)
        self.names = [name for arm in self.arms for name in arm.joint_names]
        for what, limits in (("velocity", velocity), ("torque", torque)):
            if not (limits > 0.0).all():
                joint = int(np.argmin(limits))
                raise InputError(
                    f"the {what} limit of {self.names[joint]} is {limits[joint]:g}; nothing can "
                    f"move under it: give another one, {what}="
                )

    def torques(self, q: Array, qd: Array, qdd: Array, *, effects: bool = True) -> Array:
        """Torques of all joints [N m], with joint effects or without, shape (*batch, joints)."""
        parts = []
        for i, arm in enumerate(self.arms):
            own = slice(7 * i, 7 * i + 7)
            parts.append(arm.inverse_dynamics(q[..., own], qd[..., own], qdd[..., own]))
            if arm.effects is not None and not effects:
                parts[-1] = parts[-1] - arm.effects.torque(q[..., own], qd[..., own])
        return np.concatenate(parts, axis=-1)

    def friction(self, q: Array, qd: Array) -> Array:
        """Torques of the joint effects alone [N m], shape (*batch, joints)."""
        still = np.zeros_like(q)
        return self.torques(q, qd, still) - self.torques(q, qd, still, effects=False)

    def shares(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Greatest |value| / limit of velocities, accelerations, torques, shape (3, joints)."""
        values = (qd, qdd, self.torques(q, qd, qdd))
        limits = (self.velocity, self.acceleration, self.torque)
        return np.stack([(np.abs(x) / m).max(axis=0) for x, m in zip(values, limits, strict=True)])


def time_pieces(
    pieces: Pieces, bounds: Bounds, longest: float = INTERVAL, least: int = LEAST
) -> tuple[Array, Array]:
    """Times the path: rest at its ends and where it stops, as fast as the bounds allow.

    Args:
        pieces: The path.
        bounds: Limits of the joints.
        longest: Longest interval of constant acceleration along the path [rad].
        least: Least number of intervals in each piece.

    Returns:
        Knots [s], shape (m + 1,), and coefficients, shape (m, order, joints), of a `Trajectory`.

    Raises:
        HoldError: If the torques cannot hold the arms on the path.
        InputError: If no motion is found.
    """
    work = _Timing(pieces.split(longest, least), bounds)
    tight = np.ones((3, len(bounds.names)))
    best: tuple[Array, Array] | None = None
    settling = FRICTION_ROUNDS if bounds.effects else 0
    for _ in range(ROUNDS):
        x = work.speeds(tight)
        if x is None or _halts(x):
            if best is not None or not work.expect_slower():
                break
            continue
        motion = work.compose(x)
        shares = _shares(*motion, bounds, DENSITY)
        if shares.max() <= 1.0 - 0.1 * (1.0 - REACHED):
            shares = _shares(*motion, bounds, FINAL_DENSITY)
            if shares.max() <= 1.0:
                if best is None or motion[0][-1] < best[0][-1]:
                    best = motion
                if settling <= 0:
                    break
        if settling <= 0 and shares.max() > COARSE and len(x) < MOST_INTERVALS:
            x = work.refine(x)
        elif settling <= 0:
            tight = tight / np.where(shares > REACHED, 1.0 + 1.1 * (shares - REACHED), 1.0)
        work.expect(np.sqrt(x))
        settling -= 1
    return work.slowed(tight) if best is None else best


class _Timing:
    """The search for speeds at the ends of intervals."""

    def __init__(self, fine: Pieces, bounds: Bounds) -> None:
        self.fine, self.bounds = fine, bounds
        self.set_terms()
        self.guess = FIRST_SPEED * self.most_speed()
        self.expect_friction()

    def set_terms(self) -> None:
        """a, b and c of the torques a u + b x + c at both ends, without joint effects."""
        bounds = self.bounds
        self.q, self.slope, self.bend = q, slope, bend = self.fine.derivatives()
        still = np.zeros_like(q)
        hold = bounds.torques(q, still, still)
        over = np.abs(hold) / bounds.torque
        if over.max() >= 1.0:
            at = np.unravel_index(int(np.argmax(over)), over.shape)
            raise HoldError(
                f"{bounds.names[at[-1]]} cannot hold the arm on the path: {hold[at]:.2f} N m are "
                f"needed at rest, {bounds.torque[at[-1]]:.2f} N m are allowed; carry less, or move "
                "elsewhere"
            )
        rest = hold if not bounds.effects else bounds.torques(q, still, still, effects=False)
        a = bounds.torques(q, still, slope, effects=False) - rest
        b = bounds.torques(q, slope, bend, effects=False) - rest
        self.terms = (a, b, rest)

    def most_speed(self) -> Array:
        """Greatest speeds along the path that the joints' velocities allow, shape (n, 2)."""
        direction = np.maximum(np.abs(self.slope), 1e-9)
        speeds: Array = (self.bounds.velocity / direction).min(axis=-1)
        return speeds

    def expect(self, speed: Array) -> None:
        """Takes the friction of these speeds at the ends of intervals, shape (n + 1,)."""
        if self.bounds.effects:
            self.guess = np.stack([speed[:-1], speed[1:]], axis=1)
            self.expect_friction()

    def expect_slower(self) -> bool:
        """Takes the friction of a slower motion; whether that may help."""
        self.guess = 0.3 * self.guess
        self.expect_friction()
        return self.bounds.effects and float(self.guess.max()) > 1e-3

    def expect_friction(self) -> None:
        """Torques of joint effects near the expected speeds v: level + growth v²."""
        self.level = self.growth = np.zeros(1)
        if not self.bounds.effects:
            return
        v = np.maximum(self.guess, LEAST_SPEED * self.most_speed())[..., None]
        slower, now, faster = (
            self.bounds.friction(self.q, k * v * self.slope) for k in (0.99, 1.0, 1.01)
        )
        self.growth = (faster - slower) / ((1.01**2 - 0.99**2) * v**2)
        self.level = now - self.growth * v**2

    def speeds(self, tight: Array) -> Array | None:
        """Squares of the speeds at the ends of all intervals, shape (n + 1,)."""
        fine, slope = self.fine, self.slope
        limits = (self.bounds.velocity, self.bounds.acceleration, self.bounds.torque)
        velocity, acceleration, torque = (f * m for f, m in zip(tight, limits, strict=True))
        a, b, c = self.terms
        a = np.concatenate([slope / acceleration, a / torque], axis=-1)
        b = np.concatenate([self.bend / acceleration, (b + self.growth) / torque], axis=-1)
        c = np.concatenate([np.zeros_like(slope), (c + self.level) / torque], axis=-1)
        with np.errstate(divide="ignore"):
            each = ((velocity / np.abs(slope)).min(axis=-1)) ** 2
        most = np.empty(len(slope) + 1)
        most[0] = most[-1] = 0.0
        most[1:-1] = np.minimum(each[:-1, 1], each[1:, 0])
        most[:-1][fine.stops] = 0.0
        return greatest_speeds(fine.length, a, b, c, most)

    def refine(self, x: Array) -> Array:
        """Halves all intervals; returns the squares of the speeds, linear in between."""
        self.fine = self.fine.split(np.inf, 2)
        self.set_terms()
        finer = np.empty(2 * len(x) - 1)
        finer[::2], finer[1::2] = x, 0.5 * (x[:-1] + x[1:])
        return finer

    def compose(self, x: Array) -> tuple[Array, Array]:
        """Knots and pieces of q(s(t)), a polynomial in s, which is quadratic in t."""
        speed, length = np.sqrt(x), self.fine.length
        if _halts(x):
            raise InputError(NO_MOTION)
        duration = 2.0 * length / (speed[:-1] + speed[1:])
        v, w = speed[:-1, None, None], (0.25 * np.diff(x) / length)[:, None, None]
        c = self.fine.coefficients
        n, order, joints = c.shape
        found = np.zeros((n, 2 * order - 1, joints))
        power = np.zeros((n, 2 * order - 1, 1))  # of s = v t + w t²
        power[:, 0] = 1.0
        for k in range(order):
            found += power * c[:, k, None]
            power[:, 2:] = v * power[:, 1:-1] + w * power[:, :-2]
            power[:, 1] = v[:, 0] * (k == 0)
            power[:, 0] = 0.0
        return np.concatenate([[0.0], np.cumsum(duration)]), found

    def slowed(self, tight: Array) -> tuple[Array, Array]:
        """The motion slowed down until it respects the limits."""
        x = self.speeds(tight)
        if x is None:
            loose = np.ones_like(tight)
            loose[2] = 0.5
            x = self.speeds(loose)
        if x is not None:
            for _ in range(MOST_SLOWER):
                knots, coefficients = self.compose(x)
                if _shares(knots, coefficients, self.bounds, FINAL_DENSITY).max() <= 1.0:
                    return knots, coefficients
                x = x / SLOWER**2
        raise InputError(NO_MOTION)


def _halts(x: Array) -> bool:
    """Whether the speed is zero at both ends of an interval."""
    return not (x[:-1] + x[1:] > 0.0).all()


def _shares(knots: Array, coefficients: Array, bounds: Bounds, density: int) -> Array:
    """The used share of the limits at several times of every interval."""
    part = np.linspace(0.0, 1.0, density)
    t = np.diff(knots)[:, None] * part  # within each interval
    order, joints = coefficients.shape[1:]
    powers = t[..., None] ** np.arange(order)
    k = np.arange(1, order)
    q = powers @ coefficients
    qd = powers[..., :-1] @ (coefficients[:, 1:] * k[:, None])
    qdd = powers[..., :-2] @ (coefficients[:, 2:] * (k[1:] * k[:-1])[:, None])
    return bounds.shares(*(v.reshape(-1, joints) for v in (q, qd, qdd)))
