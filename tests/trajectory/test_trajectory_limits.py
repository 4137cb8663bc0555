"""A motion beyond a limit is refused, with time, joint, value and limit; one within is not."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from baxterkit import Arm, Payload
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory import Trajectory, TrajectoryError
from baxterkit.trajectory.checks import refuse_beyond

ARM = Arm("right")
REST = np.zeros((2, 7))


def swing(joint: int, goal: float, duration: float) -> Trajectory:
    """From the middle of the range to `goal` [rad] with one joint, by minimum jerk."""
    ends = np.tile(ARM.limits.middle, (2, 1))
    ends[1, joint] = goal
    return Trajectory.from_points([0.0, duration], ends, REST, REST, limits=ARM.limits)


def refusal(motion: Trajectory, **options: object) -> TrajectoryError:
    with pytest.raises(TrajectoryError) as caught:
        motion.check(**options)  # type: ignore[arg-type]
    return caught.value


def test_position() -> None:
    # s1 ends at 1.047 rad; the way from -0.55 is crossed at a known part of the time.
    error = refusal(swing(1, 1.2, 4.0))
    assert str(error) == (
        "at t = 3.064 s the position of right_s1 is 1.0471 rad, above its limit 1.0470 rad; "
        "choose another path or start"
    )
    assert (error.quantity, error.joint, error.limit) == ("position", "right_s1", 1.047)
    assert error.time == pytest.approx(3.064, abs=1e-9)


def test_below_is_said_too() -> None:
    error = refusal(swing(3, -0.3, 4.0))
    assert "below its limit -0.0500 rad" in str(error)
    assert error.value < error.limit


def test_velocity() -> None:
    # 1 rad in 1 s by minimum jerk reaches 1.875 rad/s.
    error = refusal(swing(0, ARM.limits.middle[0] + 1.0, 1.0))
    assert str(error) == (
        "at t = 0.338 s the velocity of right_s0 is 1.5020 rad/s, above its limit 1.5000 rad/s; "
        "slow down: trajectory.stretched(1.25)"
    )
    swing(0, ARM.limits.middle[0] + 1.0, 1.0).stretched(error.factor).check()


def test_acceleration_where_given() -> None:
    motion = swing(0, ARM.limits.middle[0] + 0.5, 1.0)  # reaches 2.887 rad/s²
    motion.check()
    motion.check(acceleration=2.9)
    error = refusal(motion, acceleration=np.array([2.0, 9, 9, 9, 9, 9, 9]))
    assert str(error) == (
        "at t = 0.090 s the acceleration of right_s0 is 2.0147 rad/s², above its limit "
        "2.0000 rad/s²; slow down: trajectory.stretched(1.21)"
    )
    motion.stretched(error.factor).check(acceleration=2.0)


def test_torque_where_an_arm_is_given() -> None:
    ends = np.tile([0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0], (2, 1))
    ends[1, 0] = 0.3
    motion = Trajectory.from_points([0.0, 1.0], ends, REST, REST, limits=ARM.limits)
    motion.check(arm=ARM)
    error = refusal(motion, arm=ARM.replace(payload=Payload(8.0)))
    tau = ARM.replace(payload=Payload(8.0)).inverse_dynamics(*motion.sample(0.0))
    assert str(error) == (
        f"at t = 0.000 s the torque of right_s1 is {tau[1]:.4f} N m, below its limit "
        "-100.0000 N m; "
        "slow down with trajectory.stretched(2.0), or carry less"
    )


def test_joint_effects_count_as_torque() -> None:
    motion = swing(1, 0.0, 2.0)
    motion.check(arm=ARM)
    stuck = ARM.with_effects(bias=[0.0, -90.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert refusal(motion, arm=stuck).joint == "right_s1"


def test_of_several_joints_the_farthest_beyond_is_named() -> None:
    ends = np.tile(ARM.limits.middle, (2, 1))
    ends[1, [4, 5]] += (2.0, 1.5)
    motion = Trajectory.from_points([0.0, 1e-3], ends, REST, REST, limits=ARM.limits)
    assert refusal(motion).joint == "right_w0"


def test_limits_are_closed() -> None:
    swing(1, float(ARM.limits.upper[1]), 4.0).check(arm=ARM)


def test_a_peak_between_samples_is_found() -> None:
    # A spike of 2 ms in one short piece.
    q = np.tile(ARM.limits.middle, (3, 1))
    q[1, 6] += 0.01
    motion = Trajectory.from_points([0.0, 1e-4, 2e-4], q, limits=ARM.limits)
    assert refusal(motion).quantity == "velocity"


def test_without_limits_it_says_so() -> None:
    motion = Trajectory.from_points([0.0, 1.0], np.zeros((2, 7)))
    with pytest.raises(InputError, match=r"^this trajectory has no limits; use check\(limits\)"):
        motion.check()
    assert motion.check(ARM.limits) is motion


def test_a_value_just_beyond_is_told_from_its_limit() -> None:
    error = TrajectoryError("velocity", 0.5, "left_s0", -1.50000123, -1.5, 1.01)
    assert "is -1.500001 rad/s, below its limit -1.500000 rad/s" in str(error)


def test_the_refusal_pickles() -> None:
    error = refusal(swing(1, 1.2, 4.0))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_advised_stretch_is_enough_however_large() -> None:
    motion = swing(0, ARM.limits.middle[0] + 1.0, 0.101)
    error = refusal(motion)
    (printed,) = re.findall(r"stretched\((.*)\)", str(error))
    assert float(printed) == error.factor > 12.0
    motion.stretched(float(printed)).check()


def test_the_room_for_rounding() -> None:
    """Velocities may be 1e-4 of their limit beyond it, positions 1e-9 of half the range."""
    fastest = swing(0, ARM.limits.middle[0] + 1.0, 1.0).stretched(1.25)  # 1.5 rad/s, the limit
    fastest.stretched(1.0 - 0.9e-4).check()
    assert refusal(fastest.stretched(1.0 - 1.2e-4)).quantity == "velocity"
    swing(0, ARM.limits.upper[0] + 1e-9, 4.0).check()
    assert refusal(swing(0, ARM.limits.upper[0] + 3e-9, 4.0)).quantity == "position"


def test_a_slow_motion_is_checked_in_little_memory() -> None:
    motion = swing(0, ARM.limits.middle[0] + 1.0, 1e7)
    assert len(motion.check_times()) < 3000
    motion.check(arm=ARM)
    with pytest.raises(InputError) as caught:
        motion.at_rate(1000.0)
    assert str(caught.value) == (
        "1000 Hz over 1e+07 s are 1e+10 samples, more than 10,000,000; lower the rate"
    )


@pytest.mark.parametrize(
    ("most", "error", "message"),
    [
        ([1.0, 2.0], ShapeError, "acceleration must be one number or have shape (7,), got (2,)"),
        (-1.0, InputError, "acceleration must be positive, got -1"),
    ],
)
def test_bad_limits_of_acceleration(most: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        swing(0, 0.1, 1.0).check(acceleration=most)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_what_is_not_a_number_is_outside() -> None:
    values = np.zeros((3, 7))
    values[1, 4] = np.nan
    with pytest.raises(TrajectoryError) as caught:
        refuse_beyond("torque", np.arange(3.0), values, -np.ones(7), np.ones(7), tuple("abcdefg"))
    assert (caught.value.time, caught.value.joint) == (1.0, "e")


@pytest.mark.parametrize(
    ("lengths", "accelerations", "options"),
    [
        ([0.04] * 4, [60.0, 60.0, -60.0, -60.0], {}),
        ([0.04, 0.04, 0.04, 0.4 / 12.0], [10.0, 10.0, -10.0, -12.0], {"acceleration": 11.0}),
    ],
)
def test_a_motion_that_only_accelerates_fast_is_not_called_at_speed_at_its_ends(
    lengths: list[float], accelerations: list[float], options: dict[str, float]
) -> None:
    knots = np.concatenate([[0.0], np.cumsum(lengths)])
    coefficients = np.zeros((4, 3, 7))
    q, qd = ARM.limits.middle[3], 0.0
    for piece, (length, qdd) in enumerate(zip(lengths, accelerations, strict=True)):
        coefficients[piece, 0] = ARM.limits.middle
        coefficients[piece, :, 3] = q, qd, 0.5 * qdd
        q, qd = q + qd * length + 0.5 * qdd * length**2, qd + qdd * length
    error = refusal(Trajectory(knots, coefficients, ARM.limits, "jerk"), **options)
    assert error.joint == "right_e1"
    assert not knots[1] < error.time < knots[-2]  # where pieces of recordings are steep
    assert "at speed" not in str(error)
