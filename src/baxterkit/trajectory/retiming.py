"""The fastest motion along a given path under velocity, acceleration and torque limits.

toppra (extra `[move]`) finds the speed along the path; the torques are those of our inverse
dynamics, with payload, gravity vector and joint effects. Its result respects the limits at the grid
points, and nearly in between. So the result is sampled ten times as densely, and the limits are
tightened by the excess until none is exceeded.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.errors import InputError, ShapeError
from baxterkit.extras import load_extra
from baxterkit.trajectory.checks import greatest_values
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointVector

__all__ = ["limit_ratios", "time_optimal"]

GRID = 400
"""Least number of steps along the path."""
_QUANTITIES = ("velocity", "acceleration", "torque")
_DENSITY = 10
"""Number of times in every piece at which the limits are checked during the search ..."""
_FINAL_DENSITY = 40
"""... and at the end."""
_ROUNDS = 30
_FRICTION_ROUNDS = 4
"""Number of rounds that update only the friction."""
_FIRST_SPEED = 0.3
"""Speed for the first estimate of friction, as a share of what the velocity limits allow."""
_LEAST_SPEED = 0.01
"""Least speed for estimates of friction, as a share of what the velocity limits allow."""
_SLOWEST = 1e-3
"""Speed below which friction is taken as constant [rad/s]."""
_REACHED = 1.0 - 1e-5
"""Share of the limits allowed at the sampled times: in between it may be a little more."""
_COARSE = 1.002
"""Where a limit is exceeded by more than this, a finer grid comes first ..."""
_MOST_GRID = 3000
"""... of at most about twice this many steps."""
_SPACING = 0.01
"""Spacing of the points at which a trajectory's path is sampled [rad]."""


Toppra: TypeAlias = Any
"""The module `toppra`, or an object of it: it has no types."""


def time_optimal(
    arm: Arm,
    path: Trajectory | ArrayLike,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = ACCELERATION,
    torque: ArrayLike | None = None,
    grid: int = GRID,
) -> Trajectory:
    """The fastest motion from rest to rest along a path of the joints.

    Args:
        arm: The arm; its payload, gravity and joint effects count.
        path: Joint positions to go through [rad], shape (n, 7) (a cubic spline connects them), or
            a trajectory, whose path is kept and whose timing is replaced.
        velocity: Greatest velocities [rad/s], shape (7,); the arm's if None.
        acceleration: Greatest accelerations [rad/s²], shape (7,); unlimited if None.
        torque: Greatest torques [N m], shape (7,); the arm's effort limits if None.
        grid: Least number of steps along the path; more take longer and come nearer to the optimum.

    Returns:
        The motion. Accelerations jump where the limiting joint changes.

    Raises:
        InputError: If the torques cannot even hold the arm on the path, or nothing moves.
        TrajectoryError: If the path leaves the joint limits.
    """
    toppra = load_extra("toppra", feature="Time-optimal motion", package="toppra", extra="move")
    limits = {
        "velocity": arm.limits.velocity,
        "acceleration": np.full(7, np.inf),
        "torque": arm.limits.effort,
    }
    given = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    limits |= {k: greatest_values(x, k) for k, x in given.items() if x is not None}
    if isinstance(path, Trajectory):
        path = path.of(arm.side)
    name = path.name if isinstance(path, Trajectory) else "waypoints"
    s, q = _way(path, arm)
    spline = toppra.SplineInterpolator(s, q)
    problem = _Problem(toppra, arm, spline, np.unique(_grid(s, grid)), limits)
    return problem.solve(f"{name}, time-optimal").check(arm.limits)


def limit_ratios(trajectory: Trajectory, arm: Arm, limits: dict[str, Array], t: Array) -> Array:
    """The share of its limits that a motion uses.

    Args:
        trajectory: The motion.
        arm: The arm, for its torques.
        limits: "velocity", "acceleration" and "torque", shape (7,) each.
        t: The times to check [s], shape (n,).

    Returns:
        Greatest |value| / limit of velocity, acceleration and torque, shape (3, 7).
    """
    q, qd, qdd = trajectory.sample(t)
    values = (qd, qdd, arm.inverse_dynamics(q, qd, qdd))
    pairs = zip(values, _QUANTITIES, strict=True)
    return np.stack([(np.abs(x) / limits[name]).max(axis=0) for x, name in pairs])


class _Friction(NamedTuple):
    """Torques of joint effects at the grid points: level + slope · speed², shape (n, 7) each."""

    level: Array
    slope: Array


class _Problem:
    def __init__(
        self, toppra: Toppra, arm: Arm, spline: Toppra, grid: Array, limits: dict[str, Array]
    ) -> None:
        self.toppra, self.arm, self.spline, self.limits = toppra, arm, spline, limits
        self.grid = grid
        self.effects = arm.effects

    def solve(self, name: str) -> Trajectory:
        """Refines the grid, then tightens the limits by the excess in between."""
        self._require_hold()
        tight, start = np.ones((3, 7)), self.grid
        guess = _FIRST_SPEED * self._most_speed()
        friction = self._friction(guess)
        for k in range(_ROUNDS):
            speed = self._speeds(tight, friction)
            if speed is None:  # perhaps because friction was estimated for too fast a motion
                guess = 0.3 * guess
                friction = self._friction(np.interp(self.grid, start, guess))
                if self.effects is None or guess.max() < _SLOWEST:
                    break
                continue
            trajectory = _compose(self.spline, self.grid, speed, self.arm, name)
            ratios = self._ratios(trajectory, _DENSITY)
            if ratios.max() <= _REACHED:
                ratios = self._ratios(trajectory, _FINAL_DENSITY)
                if ratios.max() <= 1.0:
                    return trajectory
            worst = float(ratios.max())
            settled = self.effects is None or k >= _FRICTION_ROUNDS
            if settled and worst > _COARSE and len(self.grid) < _MOST_GRID:
                self.grid, speed = _refined(self.grid, speed)
            elif settled:
                tight = tight / np.where(ratios > _REACHED, 1.0 + 1.2 * (ratios - _REACHED), 1.0)
            friction = self._friction(speed)  # that of the last speeds
        raise InputError(
            "no motion along the path was found that respects the limits; allow more acceleration "
            "or torque, carry less, or take a path with less sharp bends"
        )

    def _speeds(self, tight: Array, friction: _Friction) -> Array | None:
        """Speeds along the path at the grid points [rad/s]; None if there is no motion."""
        kinds = self.toppra.constraint
        scheme = kinds.DiscretizationType.Interpolation
        velocity, acceleration, torque = (
            factor * self.limits[name] for factor, name in zip(tight, _QUANTITIES, strict=True)
        )
        constraints = [kinds.JointVelocityConstraint(_both(velocity))]
        if np.isfinite(acceleration).all():
            constraints.append(
                kinds.JointAccelerationConstraint(_both(acceleration), discretization_scheme=scheme)
            )
        constraints.append(_torque_constraint(self.toppra, self._terms(friction), torque))
        solver = self.toppra.algorithm.TOPPRA(
            constraints, self.spline, gridpoints=self.grid, solver_wrapper="seidel"
        )
        with _quiet("toppra"):  # our own messages replace its log
            _, speed, _ = solver.compute_parameterization(0.0, 0.0)
        return None if speed is None or not np.isfinite(speed).all() else np.asarray(speed)

    def _terms(self, friction: _Friction) -> tuple[Array, Array, Array]:
        """a, b and c of the torques a s'' + b s'² + c at the grid points, shape (n, 7) each."""
        q, qs, qss = (self.spline(self.grid, order) for order in range(3))
        still = np.zeros_like(q)
        hold = self._rigid(q, still, still)
        a = self._rigid(q, still, qs) - hold
        b = self._rigid(q, qs, qss) - hold
        return a, b + friction.slope, hold + friction.level

    def _rigid(self, q: JointVector, qd: JointVector, qdd: JointVector) -> JointVector:
        tau = self.arm.inverse_dynamics(q, qd, qdd)
        return tau if self.effects is None else tau - self.effects.torque(q, qd)

    def _friction(self, speed: Array) -> _Friction:
        """Torques of the joint effects near given speeds, linearised in the speed's square."""
        if self.effects is None:
            return _Friction(np.zeros((len(self.grid), 7)), np.zeros((len(self.grid), 7)))
        q, qs = self.spline(self.grid), self.spline(self.grid, 1)
        v = np.maximum(speed, _LEAST_SPEED * self._most_speed())[:, None]
        slower, now, faster = (self.effects.torque(q, k * v * qs) for k in (0.99, 1.0, 1.01))
        slope = (faster - slower) / ((1.01**2 - 0.99**2) * v**2)
        return _Friction(now - slope * v**2, slope)

    def _most_speed(self) -> Array:
        """The greatest speeds along the path that the joints' velocities allow."""
        direction = np.abs(self.spline(self.grid, 1))
        speeds: Array = (self.limits["velocity"] / np.maximum(direction, 1e-12)).min(axis=-1)
        return speeds

    def _require_hold(self) -> None:
        q = self.spline(self.grid)
        still = np.zeros_like(q)
        tau = self.arm.inverse_dynamics(q, still, still)
        over = np.abs(tau) / self.limits["torque"]
        if over.max() >= 1.0:
            row, joint = np.unravel_index(int(np.argmax(over)), over.shape)
            raise InputError(
                f"{self.arm.joint_names[joint]} cannot hold the arm on the path: "
                f"{tau[row, joint]:.2f} N m are needed at rest, "
                f"{self.limits['torque'][joint]:.2f} N m are allowed; carry less, or move elsewhere"
            )

    def _ratios(self, trajectory: Trajectory, density: int) -> Array:
        """The used share of the limits, at that many times in every piece; shape (3, 7)."""
        part = np.arange(density) / density
        inner = trajectory.knots[:-1, None] + np.diff(trajectory.knots)[:, None] * part
        before = np.nextafter(trajectory.knots[1:], 0.0)
        t = np.sort(np.concatenate([inner.ravel(), before]))
        return limit_ratios(trajectory, self.arm, self.limits, t)


def _torque_constraint(toppra: Toppra, terms: tuple[Array, Array, Array], most: Array) -> Toppra:
    """The constraint |a s'' + b s'² + c| <= most, held along whole steps (Interpolation)."""
    kinds = toppra.constraint
    base: Toppra = kinds.LinearConstraint
    rows = np.vstack([np.eye(7), -np.eye(7)])
    bounds = np.concatenate([most, most])

    class TorqueConstraint(base):  # type: ignore[misc]
        def compute_constraint_params(self, path: Toppra, gridpoints: Array) -> Toppra:
            return kinds.canlinear_colloc_to_interpolate(
                *terms, rows, bounds, None, None, gridpoints, identical=True
            )

    constraint = TorqueConstraint()
    constraint.dof, constraint.identical = 7, True
    constraint.set_discretization_type(kinds.DiscretizationType.Interpolation)
    return constraint


@contextlib.contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Keeps a library from logging."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _refined(grid: Array, speed: Array) -> tuple[Array, Array]:
    """Twice as many steps; squares of speeds go linearly in between."""
    finer = np.sort(np.concatenate([grid, 0.5 * (grid[:-1] + grid[1:])]))
    return finer, np.sqrt(np.interp(finer, grid, speed**2))


def _compose(spline: Toppra, grid: Array, speed: Array, arm: Arm, name: str) -> Trajectory:
    """The exact pieces of q(s(t)): cubic in s, which is quadratic in t between grid points."""
    step = np.diff(grid)
    rate = 0.5 * np.diff(speed**2) / step
    length = 2.0 * step / (speed[:-1] + speed[1:])
    knots = np.concatenate([[0.0], np.cumsum(length)])
    cubic = spline.cspl
    piece = np.clip(np.searchsorted(cubic.x, grid[:-1], side="right") - 1, 0, len(cubic.x) - 2)
    inner = np.stack([grid[:-1] - cubic.x[piece], speed[:-1], 0.5 * rate], axis=-1)
    power = np.zeros((len(step), 7))
    power[:, 0] = 1.0
    coefficients = np.zeros((len(step), 7, 7))
    for k in range(4):
        coefficients += power[:, :, None] * cubic.c[3 - k, piece][:, None, :]
        shifted = np.zeros_like(power)
        for j in range(3):
            shifted[:, j:] += inner[:, j, None] * power[:, : 7 - j]
        power = shifted
    return Trajectory(knots, coefficients, arm.limits, name)


def _way(path: Trajectory | ArrayLike, arm: Arm) -> tuple[Array, JointVector]:
    """Points of the path and their distances along it in joint space [rad]."""
    if isinstance(path, Trajectory):
        t = path.check_times(path.duration / 5000.0)
        s = _distances(path.sample(t).q)
        moving = np.concatenate([[True], np.diff(s) > 1e-12])
        even = np.linspace(0.0, s[-1], max(int(np.ceil(s[-1] / _SPACING)), 8) + 1)
        q = path.sample(np.interp(even, s[moving], t[moving])).q
        return _distances(q), q
    q = arm.model.joint_values(path, "path")
    if q.ndim != 2 or len(q) < 2:
        raise ShapeError(f"path must have shape (n, 7) with n of 2 or more, got {q.shape}")
    s = _distances(q)
    if not (np.diff(s) > 1e-9).all():
        i = int(np.argmin(np.diff(s)))
        raise InputError(f"points {i} and {i + 1} of the path are the same; leave one out")
    return s, q


def _distances(q: JointVector) -> Array:
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=-1))])
    if not s[-1] > 1e-6:
        raise InputError("the path does not move the joints")
    return s


def _grid(s: Array, least: int) -> Array:
    """Grid points: the spline's own, and equal steps between them."""
    if not least >= 10:
        raise InputError(f"grid must be at least 10, got {least}")
    parts = np.maximum(np.ceil(np.diff(s) / s[-1] * least), 2).astype(int)
    pieces = [
        np.linspace(a, b, n, endpoint=False) for a, b, n in zip(s[:-1], s[1:], parts, strict=True)
    ]
    return np.concatenate([*pieces, s[-1:]])


def _both(most: Array) -> Array:
    return np.stack([-most, most], axis=-1)
