"""`CartesianPath`: poses of the tip over time, with twists and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, rotation_array
from baxterkit.checks.numbers import scalar
from baxterkit.checks.units import unwarned, warn_if_turns
from baxterkit.errors import InputError, ShapeError
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.trajectory.splines import minimum_jerk
from baxterkit.types import Array, Rotation, Transform, Twist, Vector3

if TYPE_CHECKING:
    from baxterkit.arm import Arm
    from baxterkit.trajectory.trajectory import Trajectory

Curve = Callable[[Array], tuple[Vector3, Vector3, Vector3]]
"""Positions, velocities and accelerations, shape (n, 3) each, at times of shape (n,)."""


class TipMotion(NamedTuple):
    """Pose, velocity and acceleration of the tip at one time, or at many.

    Attributes:
        T: T_base_tip, shape (*batch, 4, 4).
        twist: [v; w] of the tip's origin in base axes [m/s, rad/s], shape (*batch, 6).
        acceleration: Its derivative [m/s², rad/s²], shape (*batch, 6).
    """

    T: Transform
    twist: Twist
    acceleration: Twist


@dataclass(frozen=True, eq=False)
class CartesianPath:
    """Poses of the tip over time. Before its start and after its end the tip rests.

    Attributes:
        duration: Duration [s].
        motion: The motion at times in [0, duration], shape (n,).
        name: Name for titles and files.
    """

    duration: float
    motion: Callable[[Array], TipMotion]
    name: str = "path"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.duration) and self.duration > 0.0):
            raise InputError(f"duration must be positive, got {self.duration:g} s")

    @classmethod
    def from_curve(
        cls,
        duration: float,
        curve: Curve,
        rotation: ArrayLike | None = None,
        name: str = "path",
    ) -> CartesianPath:
        """A path of the tip's position with a fixed orientation.

        Args:
            duration: Duration [s].
            curve: Positions in base, velocities and accelerations [m, m/s, m/s²], shape (n, 3)
                each, at times of shape (n,).
            rotation: R_base_tip, shape (3, 3); the tool's axis down if None.
            name: Name for titles and files.
        """
        R = tool_down() if rotation is None else rotation_array(rotation, "rotation")

        def motion(t: Array) -> TipMotion:
            p, v, a = curve(t)
            if not np.shape(p) == np.shape(v) == np.shape(a) == (len(t), 3):
                raise ShapeError(
                    f"the curve must give shape ({len(t)}, 3) three times at {len(t)} times, got "
                    f"{np.shape(p)}, {np.shape(v)} and {np.shape(a)}"
                )
            still = np.zeros_like(p)
            twist, acceleration = (np.concatenate([x, still], axis=-1) for x in (v, a))
            return TipMotion(transform(R, p), twist, acceleration)

        return cls(duration, motion, name)

    def sample(self, t: ArrayLike) -> TipMotion:
        """The motion at any time or times [s], shape (*batch)."""
        times = finite_array(t, "t")
        flat = times.reshape(-1)
        inside = np.clip(flat, 0.0, self.duration)
        T, twist, acceleration = self.motion(inside)
        moving = (flat == inside)[:, None]
        return TipMotion(
            T.reshape(*times.shape, 4, 4),
            np.where(moving, twist, 0.0).reshape(*times.shape, 6),
            np.where(moving, acceleration, 0.0).reshape(*times.shape, 6),
        )

    def ramped(self, seconds: float = 1.0) -> CartesianPath:
        """The same path with smooth ramps at both ends, so that the tip starts and stops at rest.

        The rate of the path's time rises from 0 to 1 within `seconds`, with two continuous
        derivatives, and falls to 0 in the same manner at the end. In between, the motion is
        unchanged but delayed by half of `seconds`; in total it takes `seconds` longer.

        Args:
            seconds: Length of each ramp [s].
        """
        if not (np.isfinite(seconds) and 0.0 < seconds <= self.duration):
            raise InputError(
                f"seconds must be in (0, {self.duration:g}], the path's duration, got {seconds:g}"
            )
        total = self.duration + seconds

        def motion(t: Array) -> TipMotion:
            clock, rate, change = ramped_clock(t, total, seconds)
            T, twist, acceleration = self.motion(np.clip(clock, 0.0, self.duration))
            rate, change = rate[:, None], change[:, None]
            return TipMotion(T, rate * twist, rate**2 * acceleration + change * twist)

        return CartesianPath(total, motion, self.name)

    def stretched(self, factor: float) -> CartesianPath:
        """This path of the tip in `factor` times the time."""
        if not (np.isfinite(factor) and factor > 0.0):
            raise InputError(f"factor must be positive, got {factor:g}")

        def motion(t: Array) -> TipMotion:
            T, twist, acceleration = self.motion(t / factor)
            return TipMotion(T, twist / factor, acceleration / factor**2)

        return CartesianPath(self.duration * factor, motion, self.name)

    def to_joints(
        self,
        arm: Arm,
        start: ArrayLike | None = None,
        *,
        method: str = "auto",
        rate: float = 100.0,
    ) -> Trajectory:
        """The motion of an arm's joints that moves its tip like this; see `to_joints`.

        Args:
            arm: The arm.
            start: Joint positions to start at, or near, [rad], shape (7,).
            method: "posture", "ik_path", "auto" (these two in turn) or "resolved_rate" (Smith et
                al., eq. 15).
            rate: Knots per second [Hz].

        Raises:
            InputError: If the path does not start or end at rest.
            IkError: If the arm cannot follow it.
            TrajectoryError: If the joints would have to be faster or stronger than they are.
        """
        from baxterkit.trajectory.to_joints import to_joints

        return to_joints(self, arm, start, method=method, rate=rate)

    def __repr__(self) -> str:
        return f"CartesianPath({self.name!r}, {self.duration:.2f} s)"


def tool_down(yaw: float = 0.0) -> Rotation:
    """R_base_tip of a tool whose z axis points down, turned by `yaw` [rad] about the vertical."""
    angle = scalar(yaw, "yaw")
    warn_if_turns(np.array(angle), "yaw")
    with unwarned():
        return rpy_to_matrix([np.pi, 0.0, angle])


def ramped_clock(t: Array, total: float, ramp: float) -> tuple[Array, Array, Array]:
    """A time scale with smooth ramps at both ends: value and two derivatives at times `t`.

    Args:
        t: Times [s], shape (n,).
        total: End time [s].
        ramp: Length of the ramps at both ends [s]; the final value is `total - ramp`.
    """
    # Elapsed part of the first ramp, and remaining part of the last one.
    x, y = t / ramp, (total - t) / ramp
    (rise, change, _), (fall, change_back, _) = minimum_jerk(x), minimum_jerk(y)
    clock = np.where(x < 1.0, ramp * _rise_integral(x), t - 0.5 * ramp)
    clock = np.where(y < 1.0, total - ramp * (1.0 + _rise_integral(y)), clock)
    return clock, rise * fall, (change - change_back) / ramp


def _rise_integral(x: Array) -> Array:
    """Integral of the minimum-jerk rise from 0 to x, 1/2 at 1."""
    y = np.clip(x, 0.0, 1.0)
    return y**4 * (2.5 - 3.0 * y + y**2)
