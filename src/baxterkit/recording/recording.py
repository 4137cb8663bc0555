"""`Recording`: the measured motion of one arm, as arrays with a time base."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.checks.named import named_values
from baxterkit.checks.numbers import positive, scalar
from baxterkit.checks.units import warn_if_degrees
from baxterkit.display import html_table
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.library import baxter_arm
from baxterkit.model.model import ArmModel, Frozen
from baxterkit.model.names import SIDES, check_side, joint_names
from baxterkit.recording import signals
from baxterkit.recording.columns import FIELDS, GRIPPER
from baxterkit.recording.easing import eased
from baxterkit.recording.grips import events, held
from baxterkit.recording.saving import save
from baxterkit.spatial.formulas import quaternion_to_matrix, transform
from baxterkit.types import (
    Array,
    Jacobian,
    JointVector,
    Quaternion,
    Transform,
    Twist,
    Vector3,
    frozen,
)

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

UNITS = {
    "q": "rad",
    "qd": "rad/s",
    "qdd": "rad/s²",
    "position": "m",
    "twist": "m/s, rad/s",
    **dict.fromkeys(("tau", "actuator", "gravity", "hysteresis", "crosstalk"), "N m"),
}


@dataclass(frozen=True, eq=False)
class Recording(Frozen):
    """The measured motion of one arm: n rows in time. Arrays are read-only float64, SI units.

    Joint arrays have last axis 7 in the order s0 s1 e0 e1 w0 w1 w2. Quantities that were not
    recorded are None.

    Attributes:
        t: Time [s], strictly increasing, shape (n,).
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        qdd: Joint accelerations [rad/s²], shape (n, 7).
        tau: Joint torques as sensed [N m], shape (n, 7). Where the robot gives the parts apart, the
            sum of `actuator`, `hysteresis` and `crosstalk`.
        position: Tip in base [m], as the robot computed it, shape (n, 3).
        quaternion: Orientation of the tip in base, x y z w, shape (n, 4).
        twist: Velocity of the tip, linear then angular, base axes [m/s, rad/s], shape (n, 6).
        wrench: The robot's own estimate of force and moment on the tip [N, N m], shape (n, 6).
        jacobian: Jacobian that was recorded, linear rows first, shape (n, 6, 7).
        actuator: Torque of the series-elastic actuators [N m], shape (n, 7).
        gravity: The robot's own model of its gravity torque [N m], shape (n, 7).
        hysteresis: Modelled hysteresis torque of the s1 springs [N m], shape (n, 7).
        crosstalk: Modelled cross-talk torque at s1 [N m], shape (n, 7).
        side: "left", "right", or None if it is not known.
        source: Name of the file, for messages.
        notes: Assumptions and omissions of the reader.
        cutoff: Lowest cut-off of the low-pass filters that it went through [Hz]; infinite: none.
        opening: How far the gripper was open, 0 (closed) to 1 (open), shape (n,).
        gripping: 1 where its fingers held something, 0 elsewhere, shape (n,).
    """

    t: Array
    q: JointVector
    qd: JointVector | None = None
    qdd: JointVector | None = None
    tau: JointVector | None = None
    position: Vector3 | None = None
    quaternion: Quaternion | None = None
    twist: Twist | None = None
    wrench: Twist | None = None
    jacobian: Jacobian | None = None
    actuator: JointVector | None = None
    gravity: JointVector | None = None
    hysteresis: JointVector | None = None
    crosstalk: JointVector | None = None
    side: str | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    cutoff: float = np.inf
    opening: Array | None = None
    gripping: Array | None = None

    def __post_init__(self) -> None:
        t = finite_array(self.t, "t")
        if t.ndim != 1 or t.size == 0:
            raise ShapeError(f"t must have shape (n,) with at least one row, got {t.shape}")
        if not (np.diff(t) > 0.0).all():
            row = int(np.argmax(~(np.diff(t) > 0.0))) + 1
            raise InputError(
                f"t[{row}] = {t[row]:.9g} s is not after t[{row - 1}] = {t[row - 1]:.9g} s; "
                + (
                    "float32 is too coarse for such times; take float64"
                    if _is_coarse(self.t)
                    else "time must increase from row to row"
                )
            )
        object.__setattr__(self, "t", frozen(t))
        if self.side is not None:
            check_side(self.side)
        # Copies share the read-only arrays of the recording that they are made of.
        is_new = not isinstance(self.q, np.ndarray) or self.q.flags.writeable
        for name, shape in FIELDS.items():
            value = getattr(self, name)
            if value is None and name != "q":
                continue
            names = None if self.side is None else joint_names(self.side)
            array = finite_array(named_values(value, name, names) if shape == (7,) else value, name)
            if array.shape != (t.size, *shape):
                raise ShapeError(f"{name} must have shape {(t.size, *shape)}, got {array.shape}")
            if name in GRIPPER and not ((array >= 0.0) & (array <= 1.0)).all():
                worst = float(array[np.abs(array - 0.5).argmax()])
                raise InputError(f"{name} = {worst:g}; it must be from 0 to 1")
            object.__setattr__(self, name, frozen(array))
        if is_new:
            warn_if_degrees(self.q, "q", _arm(self.side or SIDES[0]))
        object.__setattr__(self, "notes", tuple(self.notes))

    def __len__(self) -> int:
        return int(self.t.size)

    def __getitem__(self, rows: slice | ArrayLike) -> Recording:
        """Some of the rows: a slice, a mask or increasing indices."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1:
                raise ShapeError("take rows by a slice, a mask or a list of indices")
        t = self.t[rows]
        if not len(t):
            raise ShapeError(f"these rows are none of the {len(self)} of {self._name}")
        picked: dict[str, Any] = {name: getattr(self, name)[rows] for name in self.fields}
        return dataclasses.replace(self, t=t, **picked)

    def __repr__(self) -> str:
        arm = "" if self.side is None else f"{self.side} arm, "
        source = f", source={self.source!r}" if self.source else ""
        count = len(self.notes)
        notes = f", {count} note{'s' if count > 1 else ''}" if count else ""
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return (
            f"<Recording: {arm}{rows}, {self.duration:.3g} s at {self.rate:.4g} Hz, "
            f"{' '.join(self.fields)}{source}{notes}>"
        )

    def _repr_html_(self) -> str:
        """A table of the quantities, for notebooks."""
        rows = []
        for name in self.fields:
            values = getattr(self, name)
            least, greatest = float(np.min(values)), float(np.max(values))
            unit = f" [{UNITS[name]}]" if name in UNITS else ""
            rows.append((f"{name}{unit}", " x ".join(map(str, values.shape)), least, greatest))
        title = repr(self).strip("<>")
        return html_table(title, ("", "shape", "least", "greatest"), rows, "; ".join(self.notes))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the recorded quantities, `q` first."""
        return tuple(name for name in FIELDS if getattr(self, name) is not None)

    @property
    def duration(self) -> float:
        """Time from the first row to the last [s]."""
        return float(self.t[-1] - self.t[0])

    @cached_property
    def rate(self) -> float:
        """Rows per second, from the median step [Hz]; 0 for a single row."""
        return 0.0 if len(self) < 2 else 1.0 / float(np.median(np.diff(self.t)))

    @property
    def segments(self) -> tuple[slice, ...]:
        """Runs of rows without a gap; filters and derivatives do not reach across gaps."""
        return signals.segments(self.t)

    @property
    def T_base_tip(self) -> Transform:
        """Recorded pose of the tip in base, shape (n, 4, 4).

        Raises:
            InputError: If position or orientation was not recorded.
        """
        rotation = quaternion_to_matrix(self.required("quaternion"))
        return transform(rotation, self.required("position"))

    def slice(self, start: float | None = None, stop: float | None = None) -> Recording:
        """The rows from time `start` to just before `stop` [s]; open ends are None.

        Raises:
            InputError: If there is no row between.
        """
        first = 0 if start is None else int(np.searchsorted(self.t, start))
        last = len(self) if stop is None else int(np.searchsorted(self.t, stop))
        if first >= last:
            raise InputError(
                f"no row of {self._name} lies from {start} to {stop} s; "
                f"it goes from {self.t[0]:g} to {self.t[-1]:g} s"
            )
        return self[first:last]

    def filtered(self, hz: float, order: int = 4) -> Recording:
        """A copy with every quantity low-pass filtered, forwards and backwards: no phase lag.

        Gaps are not filtered across. The recorded Jacobian is dropped, since it belongs to the
        unfiltered positions.

        Args:
            hz: Cut-off frequency [Hz], below half the rate.
            order: Order of the Butterworth filter, 1 to 10; both passes together have twice that.

        Raises:
            InputError: If the cut-off is not between 0 and half the rate, the recording is shorter
                than half a period of it, or the order is another.
            MissingExtraError: If SciPy is not installed.
        """
        hz = scalar(hz, "hz")
        if not 0.0 < hz < 0.5 * self.rate:
            raise InputError(
                f"cut-off {hz:g} Hz must lie above 0 and below half the rate of "
                f"{self.rate:.4g} Hz, {0.5 * self.rate:.4g} Hz"
            )
        shortest = signals.SHORTEST / hz
        if len(self) / self.rate < shortest:
            raise InputError(
                f"{self.duration:.3g} s are too short for a cut-off of {hz:g} Hz, which needs "
                f"{shortest:.3g} s"
            )
        if order not in range(1, 11):
            raise InputError(f"order must be a whole number from 1 to 10, got {order}")
        smooth = dataclasses.replace(self, jacobian=None, cutoff=min(hz, self.cutoff))
        return smooth._mapped(lambda array: signals.low_pass(self.t, array, hz, order))

    def resampled(self, rate: float) -> Recording:
        """A copy on an even grid of `rate` [Hz], by linear interpolation (rotations by slerp).

        No grid point lies in a gap. Before going to a lower rate, call `filtered`: frequencies
        above half the new rate would alias. The recorded Jacobian is dropped.

        Raises:
            InputError: If the rate is not positive, or the times reach too far; names the row.
        """
        positive(rate, "rate [Hz]")
        t = signals.grid(self.t, rate)
        even = dataclasses.replace(self, jacobian=None)
        return even._mapped(lambda array: signals.interpolate(self.t, array, t), t=t)

    def with_velocity(self, method: str = "smooth", window: float = 0.17) -> Recording:
        """A copy with `qd` computed from `q`; see `with_acceleration` for the arguments."""
        return dataclasses.replace(
            self, qd=signals.derivative(self.t, self.q, method=method, window=window)
        )

    def with_acceleration(self, method: str = "smooth", window: float = 0.17) -> Recording:
        """A copy with `qdd` computed from `qd`, which comes from `q` if it was not recorded.

        Args:
            method: "smooth": slope of a cubic fitted to the rows around each one (Savitzky-Golay),
                at the time of the positions: velocities that clearly lag behind them (Baxter's do,
                by 13 ms) are advanced first. "difference": first difference to the row before, as
                Smith et al. do it; noisy.
            window: Width of the smooth fit [s]; at least 5 rows are taken.

        Raises:
            UnknownNameError: If the method is none of these.
            InputError: If the window is not positive.
            MissingExtraError: If SciPy is not installed ("smooth").
        """
        moving = self if self.qd is not None else self.with_velocity(method, window)
        assert moving.qd is not None
        qd = moving.qd
        if method == "smooth" and self.qd is not None:
            qd = signals.advanced(self.t, qd, signals.velocity_lag(self.t, self.q, qd))
        qdd = signals.derivative(self.t, qd, method=method, window=window)
        return dataclasses.replace(moving, qdd=qdd)

    def required(self, name: str) -> Array:
        """A quantity that the caller requires, shape (n, ...).

        Raises:
            InputError: If it was not recorded; lists the recorded quantities.
        """
        value: Array | None = getattr(self, name) if name in FIELDS else None
        if value is None:
            raise InputError(f"{self._name} holds no {name}; it has {', '.join(self.fields)}")
        return value

    def save(self, path: str | Path) -> Path:
        """Writes the recording, by the file's extension: `.parquet`, `.csv`, `.csv.gz` or `.mcap`.

        `baxterkit.recording.load` gives back the same numbers, digit for digit, with side, notes
        and cut-off. An `.mcap` is for ROS 2: times in nanoseconds since the first row, without
        accelerations and Jacobians.

        Returns:
            The path.

        Raises:
            InputError: If the extension is another, or an `.mcap` would not know its arm.
            MissingExtraError: If pyarrow (Parquet) or mcap (MCAP) is not installed.
        """
        return save(self, path)

    def to_trajectory(self, cutoff: float | None = 5.0, rate: float = 20.0) -> Trajectory:
        """The recorded motion as one to follow: a smooth spline that starts and ends at rest.

        One that was cut out of a longer motion, and so begins or ends at speed, gets there from
        rest on the same path, in a second more.

        Where the recording names its arm, the motion has that arm's limits, so that its `check()`
        needs no others, and its `grippers` are told what the recorded gripper did: fingers that
        held something close all the way.

        Args:
            cutoff: Low-pass filter before [Hz], so that noise does not become motion; none if None.
            rate: Knots of the spline per second [Hz].

        Raises:
            InputError: If the recording has a gap, or is too short for the filter.
            MissingExtraError: If SciPy is not installed.
        """
        if len(self.segments) > 1:
            end = self.t[self.segments[0]][-1] - self.t[0]
            raise InputError(
                f"{self._name} has a gap after {end:.2f} s; a motion has none: take a part of it, "
                f"recording.slice(0, {end:.2f})"
            )
        smooth = self if cutoff is None else self.filtered(cutoff)
        positive(rate, "rate [Hz]")
        slow = eased(smooth.t, smooth.q, rate) if len(smooth) > 1 else None
        if slow is None:
            grid = signals.grid(smooth.t, rate)
            more = smooth.t[-1] - grid[-1] > 1e-6  # the last row is a knot, on the grid or not
            times = np.linspace(smooth.t[0], smooth.t[-1], len(grid) + more)
            along = times - times[0]
        else:
            times, along = slow
        q = signals.interpolate(smooth.t, smooth.q, smooth.t[0] + along)
        # `trajectory` is a layer above this one, so it is loaded by name, when it is needed.
        module = import_module("baxterkit.trajectory")
        limits = None if self.side is None else baxter_arm(self.side).limits
        motion: Trajectory = module.Trajectory.from_points(
            times, q, limits=limits, name=self.source or "recording", side=self.side
        )
        if self.opening is None or self.side is None:
            return motion
        when, openings = events(self.t, self.opening, self.gripping)
        # The pace is another where the motion was brought to rest.
        told = np.interp(when - self.t[0], along, times - times[0])
        told = np.minimum(np.maximum.accumulate(told), motion.duration)
        last = np.append(np.diff(told) > 0.0, True)
        gripper = module.GripperMotion(told[last], openings[last])
        return dataclasses.replace(motion, grippers={self.side: gripper})

    @property
    def _name(self) -> str:
        return self.source or "this recording"

    def _mapped(self, function: signals.Map, t: Array | None = None) -> Recording:
        changed: dict[str, Any] = {name: function(getattr(self, name)) for name in self.fields}
        if self.quaternion is not None:
            changed["quaternion"] = signals.rotation_map(function, self.quaternion)
        for name in GRIPPER:  # an opening holds until the next one
            if name in changed:
                values = getattr(self, name)
                changed[name] = values if t is None else held(self.t, values, t)
        return dataclasses.replace(self, t=self.t if t is None else t, **changed)


@cache
def _arm(side: str) -> ArmModel:
    return baxter_arm(side)


def _is_coarse(t: ArrayLike) -> bool:
    """Whether times are in float32, which has seven digits."""
    return getattr(t, "dtype", None) == np.float32
