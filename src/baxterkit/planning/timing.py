"""The fastest motion along a path of straight and round pieces, under all limits of the joints.

The path is cut into intervals. In each the acceleration along the path is constant, so joints'
accelerations are between those at its ends, and torques nearly so. TOPP-RA (Pham and Pham 2018)
finds the greatest speeds. The result is sampled more densely, and limits are tightened by the
excess until none is exceeded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit import native
from baxterkit.arm import Arm
from baxterkit.errors import InputError
from baxterkit.planning import reference_path
from baxterkit.planning.rounding import Pieces
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array

__all__ = ["Bounds", "time_pieces"]

INTERVAL = 0.08
"""Longest interval [rad]; every piece has LEAST at least."""
LEAST = 4
DENSITY = 5
"""Times in every interval at which limits are checked during the search ..."""
FINAL_DENSITY = 20
"""... and at the end."""
ROUNDS = 12
REACHED = 1.0 - 1e-5
"""Share of the limits allowed at these times: in between it may be a little more."""
SLOWER = 1.05
"""Factor by which a motion is slowed down where tightening did not suffice ..."""
MOST_SLOWER = 200
"""... this many times at most."""

FASTEST = 1e3
"""Greatest velocity of a joint without a limit [rad/s]."""
NO_MOTION = (
    "no motion along the path was found that respects the limits; allow more velocity, "
    "acceleration or torque, or carry less"
)


class Bounds:
    """Greatest velocities, accelerations and torques of the joints of one arm or of both.

    Attributes:
        arms: The arms that move.
        velocity: [rad/s], shape (7 or 14,).
        acceleration: [rad/s²], likewise.
        torque: [N m], likewise.
    """

    def __init__(
        self, arms: Sequence[Arm], velocity: Array, acceleration: Array, torque: Array
    ) -> None:
        self.arms, self.velocity = tuple(arms), np.minimum(velocity, FASTEST)
        self.acceleration, self.torque = acceleration, torque
        names = [name for arm in self.arms for name in arm.joint_names]
        for what, limits in (("velocity", velocity), ("torque", torque)):
            if not (limits > 0.0).all():
                joint = int(np.argmin(limits))
                raise InputError(
                    f"the {what} limit of {names[joint]} is {limits[joint]:g}; nothing can move "
                    f"under it: give another one, {what}="
                )

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques of all joints [N m], shape (n, 7 or 14)."""
        parts = []
        for i, arm in enumerate(self.arms):
            own = slice(7 * i, 7 * i + 7)
            parts.append(arm.inverse_dynamics(q[:, own], qd[:, own], qdd[:, own]))
        return np.concatenate(parts, axis=-1)

    def shares(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Greatest |value| / limit of velocities, accelerations, torques, shape (3, joints)."""
        values = (qd, qdd, self.torques(q, qd, qdd))
        limits = (self.velocity, self.acceleration, self.torque)
        return np.stack([(np.abs(x) / m).max(axis=0) for x, m in zip(values, limits, strict=True)])


def time_pieces(pieces: Pieces, bounds: Bounds) -> tuple[Array, Array]:
    """Times the path: rest at its ends and where it stops, as fast as the bounds allow.

    Returns:
        Knots [s], shape (m + 1,), and coefficients, shape (m, 5, joints), of a `Trajectory`.

    Raises:
        InputError: If the torques cannot hold the arms on the path.
    """
    fine = pieces.split(INTERVAL, LEAST)
    terms = _terms(fine, bounds)
    tight = np.ones((3, fine.q.shape[1]))
    for _ in range(ROUNDS):
        x = _speeds(fine, bounds, terms, tight)
        if x is None:
            tight[2] = np.minimum(1.0, 1.1 * tight[2])
            break
        knots, coefficients = _compose(fine, x)
        shares = _shares(knots, coefficients, bounds, DENSITY)
        if shares.max() <= 1.0 - 0.1 * (1.0 - REACHED):
            shares = _shares(knots, coefficients, bounds, FINAL_DENSITY)
            if shares.max() <= 1.0:
                return knots, coefficients
        tight = tight / np.where(shares > REACHED, 1.0 + 1.1 * (shares - REACHED), 1.0)
    else:
        x = _speeds(fine, bounds, terms, tight)
    return _slowed(fine, bounds, x, terms)


def _terms(fine: Pieces, bounds: Bounds) -> tuple[Array, Array, Array]:
    """a, b and c of the torques a u + b x + c at both ends of intervals, (n, 2, joints) each."""
    q1, slope1 = fine.ends()
    q, slope = (np.stack(pair, axis=1) for pair in ((fine.q, q1), (fine.slope, slope1)))
    bend = np.repeat(fine.bend[:, None], 2, axis=1)
    shape = q.shape
    q, slope, bend = (v.reshape(-1, shape[-1]) for v in (q, slope, bend))
    still = np.zeros_like(q)
    hold = bounds.torques(q, still, still)
    over = np.abs(hold) / bounds.torque
    if over.max() >= 1.0:
        row, joint = np.unravel_index(int(np.argmax(over)), over.shape)
        names = [name for arm in bounds.arms for name in arm.joint_names]
        raise InputError(
            f"{names[joint]} cannot hold the arm on the path: {hold[row, joint]:.2f} N m are "
            f"needed at rest, {bounds.torque[joint]:.2f} N m are allowed; carry less, or plan "
            "elsewhere"
        )
    a = bounds.torques(q, still, slope) - hold
    b = bounds.torques(q, slope, bend) - hold
    effects = [arm.effects for arm in bounds.arms]
    if any(effect is not None for effect in effects):
        b, hold = _with_friction(bounds, q, slope, bend, hold, b)
    return tuple(v.reshape(shape) for v in (a, b, hold))  # type: ignore[return-value]


def _with_friction(
    bounds: Bounds, q: Array, slope: Array, bend: Array, hold: Array, b: Array
) -> tuple[Array, Array]:
    """Torques at two speeds, from which those that grow with the speed's square are told apart."""
    fast = 0.5 * (bounds.velocity / np.maximum(np.abs(slope), 1e-9)).min(axis=-1, keepdims=True)
    low, high = 0.3 * fast, fast
    at = [bounds.torques(q, v * slope, v**2 * bend) for v in (low, high)]
    growth = (at[1] - at[0]) / (high**2 - low**2)
    level = at[1] - growth * high**2
    return growth, level


def _speeds(
    fine: Pieces, bounds: Bounds, terms: tuple[Array, Array, Array], tight: Array
) -> Array | None:
    """Squares of the speeds at the ends of all intervals, shape (n + 1,)."""
    _, slope1 = fine.ends()
    velocity, acceleration, torque = (
        factor * limit
        for factor, limit in zip(
            tight, (bounds.velocity, bounds.acceleration, bounds.torque), strict=True
        )
    )
    slope = np.stack([fine.slope, slope1], axis=1)
    bend = np.broadcast_to(fine.bend[:, None], slope.shape)
    a = np.concatenate([slope / acceleration, terms[0] / torque], axis=-1)
    b = np.concatenate([bend / acceleration, terms[1] / torque], axis=-1)
    c = np.concatenate([np.zeros_like(slope), terms[2] / torque], axis=-1)
    with np.errstate(divide="ignore"):
        each = ((velocity / np.abs(slope)).min(axis=-1)) ** 2
    most = np.empty(len(fine.q) + 1)
    most[0] = most[-1] = 0.0
    most[1:-1] = np.minimum(each[:-1, 1], each[1:, 0])
    most[:-1][fine.stops] = 0.0
    extension = native.load()
    solve = reference_path.speeds if extension is None else extension.speeds
    return solve(*(np.ascontiguousarray(v) for v in (fine.length, a, b, c, most)))


def _compose(fine: Pieces, x: Array) -> tuple[Array, Array]:
    """The pieces of q(s(t)): quadratic in s, which is quadratic in t."""
    speed = np.sqrt(x)
    rate = 0.5 * np.diff(x) / fine.length
    together = speed[:-1] + speed[1:]
    if not (together > 0.0).all():
        raise InputError(NO_MOTION)
    duration = 2.0 * fine.length / together
    v, w = speed[:-1, None], 0.5 * rate[:, None]
    half = 0.5 * fine.bend
    coefficients = np.stack(
        [
            fine.q,
            fine.slope * v,
            fine.slope * w + half * v**2,
            2.0 * half * v * w,
            half * w**2,
        ],
        axis=1,
    )
    return np.concatenate([[0.0], np.cumsum(duration)]), coefficients


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


def _slowed(
    fine: Pieces, bounds: Bounds, x: Array | None, terms: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """The motion slowed down until it respects the limits."""
    if x is None:
        loose = np.ones((3, fine.q.shape[1]))
        loose[2] = 0.5
        x = _speeds(fine, bounds, terms, loose)
    if x is not None:
        for _ in range(MOST_SLOWER):
            knots, coefficients = _compose(fine, x)
            if _shares(knots, coefficients, bounds, FINAL_DENSITY).max() <= 1.0:
                return knots, coefficients
            x = x / SLOWER**2
    raise InputError(NO_MOTION)


def make_trajectories(
    knots: Array, coefficients: Array, arms: Sequence[Arm], name: str
) -> tuple[Trajectory, ...]:
    """A trajectory of each arm."""
    return tuple(
        Trajectory(knots, coefficients[:, :, 7 * i : 7 * i + 7], arm.limits, name)
        for i, arm in enumerate(arms)
    )
