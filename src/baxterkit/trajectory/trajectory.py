"""`Trajectory`: a motion of the joints as a piecewise polynomial in time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.checks.numbers import positive
from baxterkit.display import html_table
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.limits import Limits
from baxterkit.model.names import ARM_COLUMNS, JOINTS, SIDES, check_side, joint_names
from baxterkit.model.parts import Frozen
from baxterkit.scene.scene import SceneLike
from baxterkit.trajectory.checks import (
    BOTH,
    check,
    checked_side,
    columns_of,
)
from baxterkit.trajectory.files import load, save
from baxterkit.trajectory.grippers import (
    GripperMotion,
    checked_grippers,
    gripper_motion,
    joined,
)
from baxterkit.trajectory.splines import cubic_spline, evaluate, evaluate_one, quintic_hermite
from baxterkit.types import Array, JointVector, frozen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm

CHECK_STEP = 1e-3
"""Spacing of the times at which limits are checked [s]; every piece is checked 5 times ..."""
MOST_IN_PIECE = 2000
"""... at least and this many times at most: a long polynomial changes little in between."""
MOST_SAMPLES = 10_000_000
"""Largest number of rows that `Trajectory.at_rate` returns: 1.7 GB."""


class Sample(NamedTuple):
    """State of the joints at one time, or at many: shape (*batch, 7) each; 14 of both arms.

    Attributes:
        q: Joint positions [rad].
        qd: Joint velocities [rad/s].
        qdd: Joint accelerations [rad/s²].
    """

    q: JointVector
    qd: JointVector
    qdd: JointVector


@dataclass(frozen=True, eq=False)
class Trajectory(Frozen):
    """A motion of the joints of one arm or of both: positions, velocities, accelerations.

    It is a piecewise polynomial, so velocities and accelerations are the exact derivatives of the
    positions at every time. Before its start and after its end the joints rest. A motion of both
    arms has 14 columns, left then right; `both_arms` joins two, `of` takes one out.

    Attributes:
        knots: Times where pieces meet [s], the first is 0, increasing, shape (m + 1,).
        coefficients: Coefficients of the powers of the time since the start of the piece, in rad,
            rad/s, ..., shape (m, order, 7), or (m, order, 14) of both arms.
        limits: The limits it was made for; None if unknown.
        name: Name for titles and files.
        side: The arm that it is of, "left" or "right", or "both"; if None, what `limits` name, and
            None if they name none.
        grippers: Openings of the grippers along it, by side; empty: they stay as they are.
    """

    knots: Array
    coefficients: Array
    limits: Limits | None = None
    name: str = "trajectory"
    side: str | None = None
    grippers: Mapping[str, GripperMotion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        knots = frozen(finite_array(self.knots, "knots"))
        joints = columns_of(self.coefficients)
        coefficients = frozen(joint_array(self.coefficients, "coefficients", joints))
        if knots.ndim != 1 or coefficients.ndim != 3 or len(knots) != len(coefficients) + 1:
            raise ShapeError(
                "knots must have shape (m + 1,) and coefficients (m, order, 7 or 14), got "
                f"{knots.shape} and {coefficients.shape}"
            )
        if len(knots) < 2 or knots[0] != 0.0 or not (np.diff(knots) > 0.0).all():
            raise InputError("knots must start at 0 s and increase, and be at least two")
        object.__setattr__(self, "side", checked_side(self.side, self.limits, joints))
        object.__setattr__(self, "knots", knots)
        grippers = checked_grippers(self.grippers, self.sides, float(knots[-1]))
        object.__setattr__(self, "grippers", grippers)
        object.__setattr__(self, "coefficients", coefficients)
        # A list, since bisecting it finds the piece of one time fastest.
        object.__setattr__(self, "_inner", knots[1:-1].tolist())

    @classmethod
    def from_points(
        cls,
        t: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        limits: Limits | None = None,
        name: str = "trajectory",
        side: str | None = None,
    ) -> Trajectory:
        """The motion through given joint positions.

        With positions alone: a cubic spline that starts and ends at rest. With velocities and
        accelerations too: quintic pieces that have them at the given times. Accelerations are
        continuous in both.

        Args:
            t: Times [s], increasing, shape (m,); the first one becomes 0.
            q: Joint positions [rad], shape (m, 7), or (m, 14) of both arms.
            qd: Joint velocities [rad/s], of the same shape.
            qdd: Joint accelerations [rad/s²], of the same shape; needed if `qd` is given.
            limits: The limits to check against later.
            name: Name for titles and files.
            side: The arm that it is of; that of `limits` if None.
        """
        times = finite_array(t, "t")
        if q is None:
            raise InputError("q is None; give joint positions, shape (m, 7)")
        n = columns_of(q)
        rows = {"q": q, "qd": qd, "qdd": qdd}
        given = {k: joint_array(v, k, n) for k, v in rows.items() if v is not None}
        if (qd is None) != (qdd is None):
            raise InputError("give qd and qdd, or neither")
        for what, array in given.items():
            if times.ndim != 1 or array.shape != (len(times), n):
                raise ShapeError(
                    f"t must have shape (m,) and {what} (m, {n}), got {times.shape} and "
                    f"{array.shape}"
                )
        if len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise InputError("t must increase, and have at least two times")
        times = times - times[0]
        if qd is None:
            rest = np.zeros(n)
            coefficients = cubic_spline(times, given["q"], rest, rest)
        else:
            coefficients = quintic_hermite(times, given["q"], given["qd"], given["qdd"])
        return cls(times, coefficients, limits, name, side)

    def of(self, side: str) -> Trajectory:
        """The motion of one arm: its columns of a motion of both.

        A motion of one arm is returned as it is, also where it does not know of which arm it is.

        Raises:
            InputError: If it is a motion of the other arm.
        """
        if check_side(side) == self.side or self.side is None:
            return self
        if self.side != BOTH:
            raise InputError(f"this motion is the {self.side} arm's, not the {side} arm's")
        own = ARM_COLUMNS[side]
        limits = None if self.limits is None else self.limits.part(own)
        kept = {side: self.grippers[side]} if side in self.grippers else {}
        return Trajectory(self.knots, self.coefficients[:, :, own], limits, self.name, side, kept)

    def with_grippers(
        self,
        left: GripperMotion | ArrayLike | None = None,
        right: GripperMotion | ArrayLike | None = None,
    ) -> Trajectory:
        """The same motion with these openings of the grippers, and no others.

        Args:
            left: Of the left gripper, 0 (closed) to 1 (open): rows (time [s], opening), each from
                its time on, or one number. None: it stays as it is.
            right: The same of the right gripper.

        Raises:
            InputError: If an opening is not from 0 to 1, or an arm is not the motion's.
        """
        given = zip(SIDES, (left, right), strict=True)
        return replace(self, grippers={arm: gripper_motion(x) for arm, x in given if x is not None})

    @property
    def sides(self) -> tuple[str, ...]:
        """The arms that move, ("left", "right") of both; empty if it is not known which."""
        return SIDES if self.side == BOTH else () if self.side is None else (self.side,)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the columns: "left_s0" ..., or "s0" ... where the arm is not known."""
        return tuple(name for side in self.sides for name in joint_names(side)) or JOINTS

    @property
    def duration(self) -> float:
        """Time from the first knot to the last [s]."""
        return float(self.knots[-1])

    @property
    def start(self) -> JointVector:
        """Joint positions at the start [rad], shape (7,); (14,) of both arms."""
        return self.sample(0.0).q

    @property
    def end(self) -> JointVector:
        """Joint positions at the end [rad], shape (7,); (14,) of both arms."""
        return self.sample(self.duration).q

    def sample(self, t: ArrayLike | float) -> Sample:
        """The motion at any time or times.

        Args:
            t: Times [s], shape (*batch). Before 0 and after the end the joints rest at its start
                and end.

        Returns:
            Positions, velocities and accelerations, shape (*batch, 7) each; 14 of both arms.

        Raises:
            InputError: If a time is not a finite number.
        """
        if type(t) is float:
            return self._sample_one(t)
        times = finite_array(t, "t")
        flat = times.reshape(-1)
        inside = np.clip(flat, 0.0, self.duration)
        values = evaluate(self.knots, self.coefficients, inside)
        values[1:, flat != inside] = 0.0
        return Sample(*values.reshape(3, *times.shape, values.shape[-1]))

    def at_rate(self, rate: float) -> tuple[Array, JointVector, JointVector, JointVector]:
        """The motion at equal steps of time, from 0 to the end.

        Args:
            rate: Samples per second [Hz]. The last sample is the first at or after the end.

        Returns:
            Times [s], shape (n,), and positions, velocities, accelerations, as `sample` has them.
        """
        rate = positive(rate, "rate")
        if self.duration * rate > MOST_SAMPLES:
            raise InputError(
                f"{rate:g} Hz over {self.duration:g} s are {self.duration * rate:.3g} samples, "
                f"more than {MOST_SAMPLES:,}; lower the rate"
            )
        count = max(int(np.ceil(self.duration * rate - 1e-9)), 1) + 1
        t = np.arange(count) / rate
        return (t, *self.sample(t))

    def check(
        self,
        limits: Limits | None = None,
        *,
        acceleration: ArrayLike | None = None,
        arm: Arm | None = None,
        scene: SceneLike | None = None,
        other: ArrayLike | None = None,
    ) -> Trajectory:
        """Returns itself if it respects limits, checked every millisecond and in every piece.

        Limits are closed, with room for rounding: positions may exceed them by 1e-9 of half the
        range, torques by 1e-9 of the limit, velocities and accelerations by 1e-4 of the limit, so
        that a motion at its limit may be sampled, written to a file and read again. A motion must
        begin and end at rest, to 0.01 rad/s.

        Args:
            limits: Position and velocity limits; those it was made for if None, else the arm's.
            acceleration: Greatest accelerations [rad/s²], shape (7,) or one number.
            arm: The arm whose effort limits the torques must respect, with its payload, gravity and
                joint effects, and the masses that its hand holds in `scene`; torques are not
                checked if None. A motion of both arms is checked with one of them, or with each in
                turn.
            scene: The robot, alone or among obstacles, that must touch nothing meanwhile, between
                the samples too; contacts are not checked if None.
            other: Joint positions of its other arm [rad], shape (7,); untucked if None. Unused
                where both arms move.

        Raises:
            TrajectoryError: If a limit is violated: names time, joint, value and limit.
            ContactError: If the robot touches something: names time and links.
            InputError: If there are no limits to check against, they or the arm are those of the
                other side, or with `scene` it is not known which arm moves.
        """
        check(self, limits, acceleration, arm, scene, other)
        return self

    def check_times(self, step: float = CHECK_STEP) -> Array:
        """Times at which limits are checked [s], both ends included.

        They are at most `step` apart, and 5 in every piece; 2000 in a piece that is longer.
        """
        length = np.diff(self.knots)
        parts = np.clip(np.ceil(length / step), 4, MOST_IN_PIECE).astype(np.int64)
        piece = np.repeat(np.arange(len(parts)), parts)
        within = np.arange(len(piece)) - np.repeat(np.cumsum(parts) - parts, parts)
        inner = self.knots[piece] + length[piece] * (within / parts[piece])
        # Just before a knot too: accelerations may jump there.
        before = np.nextafter(self.knots[1:], 0.0)
        return np.unique(np.concatenate([inner, before, self.knots]))

    def stretched(self, factor: float) -> Trajectory:
        """The same path in `factor` times the time."""
        factor = positive(factor, "factor")
        with np.errstate(over="ignore", invalid="ignore"):  # values too large are refused below
            powers = factor ** -np.arange(self.coefficients.shape[1], dtype=np.float64)
            scaled = self.coefficients * powers[:, None]
        grippers = {side: one.stretched(factor) for side, one in self.grippers.items()}
        return Trajectory(self.knots * factor, scaled, self.limits, self.name, self.side, grippers)

    def then(self, other: Trajectory) -> Trajectory:
        """This motion, and right after it another one that starts where this one ends.

        Raises:
            InputError: If the other starts elsewhere or with another velocity (1e-6 rad, rad/s), or
                is a motion of the other arm.
        """
        if not isinstance(other, Trajectory):
            raise InputError(f"a Trajectory can follow, got {type(other).__name__}")
        if self.side is not None and other.side != self.side:
            if BOTH in (self.side, other.side):
                raise InputError(
                    "of two motions in a row one is of both arms and the other is not; join it "
                    "with a rest of the other arm by trajectory.both_arms"
                )
            other.of(self.side)
        here, there = self.sample(self.duration), other.sample(0.0)
        gap = np.maximum(np.abs(here.q - there.q), np.abs(here.qd - there.qd))
        if gap.max() > 1e-6:
            joint = int(np.argmax(gap))
            raise InputError(
                f"the second trajectory does not start where the first ends: "
                f"{self.joint_names[joint].rpartition('_')[2]} is at "
                f"{here.q[joint]:.6f} rad with {here.qd[joint]:.6f} rad/s, then at "
                f"{there.q[joint]:.6f} rad with {there.qd[joint]:.6f} rad/s"
            )
        order = max(self.coefficients.shape[1], other.coefficients.shape[1])
        padded = [
            np.pad(x.coefficients, ((0, 0), (0, order - x.coefficients.shape[1]), (0, 0)))
            for x in (self, other)
        ]
        knots = np.concatenate([self.knots, self.duration + other.knots[1:]])
        side = self.side or other.side
        grippers = joined(self.grippers, other.grippers, self.duration)
        return Trajectory(knots, np.concatenate(padded), self.limits, self.name, side, grippers)

    def save(self, path: str | Path, rate: float = 100.0) -> Path:
        """Writes a file, by its extension: .npz, .json or .csv; all give the same motion back.

        Args:
            path: The file.
            rate: Samples per second of a .csv file [Hz], for other programs: what it gives back is
                in the last name of its first line (`baxterkit.trajectory.pieces`).
        """
        return save(self, path, rate)

    @staticmethod
    def load(path: str | Path, side: str | None = None) -> Trajectory:
        """Reads a file that `save` wrote, or a .csv of times and joint positions.

        Args:
            path: The file.
            side: The arm, "left" or "right": which to take from a motion of both arms, and whose
                motion it is where the file does not say; None: what the file says.

        Raises:
            InputError: If the file is not a trajectory, or is one of the other arm.
        """
        return load(path, side, Trajectory)

    def plot(self, arm: Arm | None = None) -> Figure:
        """A figure of the motion against its limits; with an arm also of torques and the path."""
        # `plot` is a layer above this one, so it is loaded by name, when it is needed.
        return import_module("baxterkit.plot").trajectory(self, arm)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.coefficients)

    def __repr__(self) -> str:
        pieces = f"{len(self)} piece{'' if len(self) == 1 else 's'}"
        whose = "" if self.side is None else f"{self.side} arm{'s' * (self.side == BOTH)}, "
        hands = "".join(f", {side} gripper" for side in self.grippers)
        return f"Trajectory({self.name!r}, {whose}{self.duration:.2f} s, {pieces}{hands})"

    def _repr_html_(self) -> str:
        """A table of the joints, for notebooks; speeds at a thousand times."""
        q, qd, qdd = self.sample(np.linspace(0.0, self.duration, 1000))
        columns = (q[0], q[-1], np.abs(qd).max(axis=0), np.abs(qdd).max(axis=0))
        names = JOINTS if len(self.sides) < 2 else self.joint_names
        rows = [(name, *(float(column[i]) for column in columns)) for i, name in enumerate(names)]
        header = ("joint", "from [rad]", "to [rad]", "fastest [rad/s]", "greatest [rad/s²]")
        return html_table(repr(self), header, rows)

    def _sample_one(self, t: float) -> Sample:
        """One time: for control loops."""
        if not 0.0 <= t <= self.duration:
            if t != t or t in (float("inf"), float("-inf")):
                raise InputError(f"t = {t}; every value of t must be finite")
            q = self.sample(np.clip(t, 0.0, self.duration)).q
            return Sample(q, np.zeros_like(q), np.zeros_like(q))
        piece = bisect_right(self._inner, t)  # type: ignore[attr-defined]
        return Sample(*evaluate_one(self.coefficients[piece], t - float(self.knots[piece])))
