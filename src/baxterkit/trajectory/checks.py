"""Checks a motion against limits, and refuses one that violates them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arms import need_arm
from baxterkit.checks.numbers import bounds
from baxterkit.errors import InputError, NoAnswerError, ShapeError
from baxterkit.model.limits import Limits
from baxterkit.model.names import ARM_COLUMNS, SIDES, check_side
from baxterkit.scene.held import with_held
from baxterkit.scene.scene import Scene, SceneLike, as_scene
from baxterkit.trajectory.ends import SHORT_PIECE, speeds_at_end
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.arm import Arm
    from baxterkit.trajectory.trajectory import Trajectory

BOTH = "both"
"""Side of a motion of both arms."""
CONTACT_STEP = 0.01
"""Step of the samples between which contacts are swept [s]."""
AT_REST = 0.01
"""A motion that begins or ends with a velocity up to this [rad/s] does so at rest."""
SLACK = {"position": 1e-9, "velocity": 1e-4, "acceleration": 1e-4, "torque": 1e-9}
"""Limits are closed: a value beyond one by this share of half the range (of the limit itself, if
the range is symmetric) still counts as inside. For velocities this is about the step of their
sensor, so that a motion at its limit may be sampled, written to a file and read again."""

_UNITS = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s²", "torque": "N m"}
_REMEDIES = {
    "position": "choose another path or start",
    "velocity": "slow down: trajectory.stretched({factor:.2f})",
    "acceleration": "slow down: trajectory.stretched({factor:.2f})",
    "torque": "slow down with trajectory.stretched(2.0), or carry less",
}


class TrajectoryError(NoAnswerError, ValueError):
    """A trajectory violates a limit.

    Attributes:
        quantity: "position", "velocity", "acceleration" or "torque".
        time: Time of the first violation [s].
        joint: The joint's name.
        value: The value then [rad, rad/s, rad/s² or N m].
        limit: The violated limit, with its sign.
        factor: Time stretch after which a velocity or an acceleration would respect its limit
            everywhere; 1 for the others.
    """

    def __init__(
        self,
        quantity: str,
        time: float,
        joint: str,
        value: float,
        limit: float,
        factor: float = 1.0,
    ) -> None:
        super().__init__(quantity, time, joint, value, limit, factor)
        self.quantity = quantity
        self.time = time
        self.joint = joint
        self.value = value
        self.limit = limit
        self.factor = factor
        self._remedy = _REMEDIES[quantity].format(factor=factor)

    def __str__(self) -> str:
        unit = _UNITS[self.quantity]
        # As many digits as it takes to tell the value from its limit, four at least.
        digits = next(
            (d for d in range(4, 12) if f"{self.value:.{d}f}" != f"{self.limit:.{d}f}"), 4
        )
        side = "above" if self.value > self.limit else "below"
        return (
            f"at t = {self.time:.3f} s the {self.quantity} of {self.joint} is "
            f"{self.value:.{digits}f} {unit}, {side} its limit {self.limit:.{digits}f} {unit}; "
            f"{self._remedy}"
        )


def of_a_part(error: TrajectoryError, when: str) -> TrajectoryError:
    """The error of a motion that "begins" or "ends" at speed, with what to do about its file."""
    error._remedy += (
        f"; the motion {when} at speed, and a trajectory {when} at rest: if the file is a "
        "recording, or was cut off, take recording.load(...).to_trajectory()"
    )
    return error


class ContactError(NoAnswerError, ValueError):
    """On a trajectory the robot touches itself or the world.

    Attributes:
        time: When it touches first, to a hundredth [s].
        first: Name of the one link.
        second: Name of the other link or obstacle.
    """

    def __init__(self, time: float, first: str, second: str) -> None:
        super().__init__(time, first, second)
        self.time = time
        self.first = first
        self.second = second

    def __str__(self) -> str:
        return (
            f"at t = {self.time:.2f} s {self.first} touches {self.second}; choose another path, or "
            "move the other arm away"
        )


def columns_of(x: ArrayLike) -> int:
    """Columns that joint values are meant to have: 14 of both arms, else 7."""
    try:
        return 14 if np.shape(x)[-1:] == (14,) else 7
    except ValueError:  # rows of unequal length, which the checks refuse in words
        return 7


def refuse_beyond(
    quantity: str,
    t: Array,
    values: Array,
    lower: Array,
    upper: Array,
    names: Sequence[str],
) -> None:
    """Raises if a value lies beyond its limits.

    Args:
        quantity: Name of the values, as in `TrajectoryError`.
        t: Times [s], shape (n,).
        values: One row for each time, shape (n, joints).
        lower: Least values, shape (joints,).
        upper: Greatest values, shape (joints,).
        names: Joint names.

    Raises:
        TrajectoryError: At the first time where a joint is outside; of several joints, the one that
            is farthest beyond.
    """
    room = np.where(np.isfinite(upper - lower), upper - lower, 1.0)
    slack = 0.5 * SLACK[quantity] * room
    beyond = np.maximum(values - upper, lower - values) - slack
    outside = ~(beyond <= 0.0).all(axis=-1)  # written so that NaN counts as outside
    if not outside.any():
        return
    row = int(np.argmax(outside))
    joint = int(np.argmax(beyond[row]))
    value = float(values[row, joint])
    limit = float(upper[joint] if value > upper[joint] else lower[joint])
    raise TrajectoryError(
        quantity, float(t[row]), names[joint], value, limit, _factor(quantity, values, upper)
    )


def _factor(quantity: str, values: Array, upper: Array) -> float:
    """Time stretch that the motion needs, rounded up so that the printed number suffices."""
    if quantity not in ("velocity", "acceleration") or not (upper > 0.0).all():
        return 1.0
    ratio = float((np.abs(values) / upper).max())
    factor = ratio if quantity == "velocity" else float(np.sqrt(ratio))
    return float(np.ceil(100.0 * factor) / 100.0)


def side_of(limits: Limits) -> str | None:
    """The arm whose joints limits name, or "both"; None where they name none."""
    whose = {name.split("_")[0] for name in limits.names} & {*SIDES}
    return None if not whose else whose.pop() if len(whose) == 1 else BOTH


def checked_side(side: str | None, limits: Limits | None, joints: int) -> str | None:
    """The side of a motion, by what is said of it, its limits and its columns."""
    named = None if limits is None else side_of(limits)
    if limits is not None and len(limits.names) != joints:
        raise ShapeError(
            f"the motion has {joints} columns, and its limits are of {len(limits.names)}"
        )
    if (side == BOTH and joints == 7) or (side in SIDES and joints == 14):
        raise InputError(f"a motion of {side} has {21 - joints} columns, got {joints}")
    if side not in (None, BOTH) and named not in (None, check_side(side)):
        raise InputError(f"this motion is the {side} arm's; its limits are the {named} one's")
    return BOTH if joints == 14 else side or named


def check(
    motion: Trajectory,
    limits: Limits | None,
    acceleration: ArrayLike | None,
    arm: Arm | None,
    scene: SceneLike | None,
    other: ArrayLike | None,
) -> None:
    """Refuses a motion that violates limits or touches something; see `Trajectory.check`."""
    if limits is not None and not isinstance(limits, Limits):
        raise InputError(f"limits must be Limits, as arm.limits, got {type(limits).__name__}")
    if arm is not None:
        need_arm(arm)
    checks = None if scene is None else as_scene(scene)
    for whose in (
        None if limits is None else side_of(limits),
        None if arm is None else arm.side,
    ):
        if whose not in (None, BOTH, motion.side):
            motion.of(str(whose))
    if limits is None:
        limits = motion.limits if motion.limits is not None or arm is None else arm.limits
    if limits is None:
        raise InputError("this trajectory has no limits; use check(limits) or check(arm=...)")
    part, limits = _within(motion, limits)
    if arm is not None and checks is not None:
        arm = with_held(arm, checks.world)
    try:
        _check_limits(motion, part, limits, acceleration, arm)
    except TrajectoryError as error:
        for when, since in (("begins", error.time), ("ends", motion.duration - error.time)):
            if since <= SHORT_PIECE and speeds_at_end(motion, when).any():
                raise of_a_part(error, when) from None
        raise
    _check_ends(motion, part, limits)
    if checks is not None:
        _check_contacts(motion, checks, limits, other)


def _check_limits(
    motion: Trajectory,
    part: Trajectory,
    limits: Limits,
    acceleration: ArrayLike | None,
    arm: Arm | None,
) -> None:
    t = motion.check_times()
    q, qd, qdd = part.sample(t)
    refuse_beyond("position", t, q, limits.lower, limits.upper, limits.names)
    refuse_beyond("velocity", t, qd, -limits.velocity, limits.velocity, limits.names)
    if acceleration is not None:
        most = np.resize(bounds(acceleration, "acceleration"), q.shape[-1])
        refuse_beyond("acceleration", t, qdd, -most, most, limits.names)
    if arm is not None:
        tau = arm.inverse_dynamics(*motion.of(arm.side).sample(t))
        effort = arm.limits.effort
        refuse_beyond("torque", t, tau, -effort, effort, arm.joint_names)


def _check_ends(motion: Trajectory, part: Trajectory, limits: Limits) -> None:
    """Refuses a motion that begins or ends at speed: before and after it the joints rest."""
    for time, when in ((motion.duration, "ends"), (0.0, "begins")):
        qd = part.sample(time).qd
        if np.abs(qd).max() <= AT_REST:
            qd = speeds_at_end(part, when)
        joint = int(np.argmax(np.abs(qd)))
        if abs(qd[joint]) > AT_REST:
            limit = float(np.copysign(AT_REST, qd[joint]))
            error = TrajectoryError("velocity", time, limits.names[joint], float(qd[joint]), limit)
            error._remedy = (
                f"the motion {when} at speed, and a trajectory {when} at rest: if its file "
                "was cut off, or is a recording, take recording.load(...).to_trajectory()"
            )
            raise error


def _within(motion: Trajectory, limits: Limits) -> tuple[Trajectory, Limits]:
    """The arm that limits are of, or the limits of the arm that this motion is of."""
    if len(limits.names) == motion.coefficients.shape[-1]:
        return motion, limits
    whose = side_of(limits)
    if whose is None or motion.side is None:
        raise InputError(
            f"limits of {len(limits.names)} joints do not tell which arm they are of, and the "
            f"motion has {motion.coefficients.shape[-1]} columns; take arm.limits"
        )
    if whose == BOTH:
        return motion, limits.part(ARM_COLUMNS[motion.side])
    return motion.of(whose), limits


def _check_contacts(
    motion: Trajectory, scene: Scene, limits: Limits, other: ArrayLike | None
) -> None:
    side = motion.side or side_of(limits)
    if side is None:
        raise InputError(
            "it is not known which arm moves; give the side: Trajectory.load(path, side), or "
            "dataclasses.replace(trajectory, side=...)"
        )
    left = side == "left"
    if other is None:
        other = scene.arm("right" if left else "left").configuration("untuck")
    t = motion.check_times(CONTACT_STEP)
    q = motion.sample(t).q
    sides = (q[:, :7], q[:, 7:]) if side == BOTH else (q, other) if left else (other, q)
    found = scene.first_contact(*sides)
    if found is not None:
        row, pair = found
        raise ContactError(float(t[row]), *pair)
