"""A `Trajectory` is one smooth motion, however it is sampled, stretched, joined or copied."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tolerances import DIFFERENCE, SPLINE, assert_close

from baxterkit import Arm
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory import Trajectory

Array = NDArray[np.float64]
ARM = Arm("left")


def waves(t: Array) -> tuple[Array, Array, Array]:
    """A smooth motion with known derivatives, at rest at 0."""
    w = np.linspace(0.5, 2.0, 7)
    x = w * np.asarray(t)[..., None]
    return 0.3 * (1.0 - np.cos(x)), 0.3 * w * np.sin(x), 0.3 * w**2 * np.cos(x)


def cubic() -> Trajectory:
    t = np.linspace(0.0, 3.0, 61)
    return Trajectory.from_points(t, waves(t)[0], limits=ARM.limits, name="waves")


def quintic() -> Trajectory:
    t = np.linspace(0.0, 3.0, 31)
    return Trajectory.from_points(t, *waves(t))


@pytest.mark.parametrize("motion", [cubic(), quintic()], ids=["cubic", "quintic"])
def test_velocities_and_accelerations_are_the_derivatives(motion: Trajectory) -> None:
    t, h = np.linspace(0.01, 2.99, 1777), 1e-5
    _, qd, qdd = motion.sample(t)
    before, after = motion.sample(t - h), motion.sample(t + h)
    assert_close(qd, (after.q - before.q) / (2.0 * h), DIFFERENCE)
    # Jerks jump at knots of the cubic one, so a difference over a knot is off by h times the jump.
    assert np.abs(qdd - (after.qd - before.qd) / (2.0 * h)).max() < 1e-4


@pytest.mark.parametrize("motion", [cubic(), quintic()], ids=["cubic", "quintic"])
def test_nothing_jumps_at_the_knots(motion: Trajectory) -> None:
    inner = motion.knots[1:-1]
    left, right = motion.sample(np.nextafter(inner, 0.0)), motion.sample(inner)
    for a, b in zip(left, right, strict=True):
        assert_close(a, b, 1e-9)


def test_a_cubic_one_goes_through_its_points_and_rests_at_both_ends() -> None:
    motion = cubic()
    t = motion.knots
    assert_close(motion.sample(t).q, waves(t)[0], SPLINE)
    assert_close(motion.sample(np.array([0.0, 3.0])).qd, np.zeros((2, 7)), SPLINE)


def test_a_quintic_one_has_the_given_derivatives_and_is_near_in_between() -> None:
    motion = quintic()
    for found, true in zip(motion.sample(motion.knots), waves(motion.knots), strict=True):
        assert_close(found, true, 1e-11)
    t = np.linspace(0.0, 3.0, 999)
    assert np.abs(motion.sample(t).q - waves(t)[0]).max() < 1e-9


def test_the_cubic_error_falls_with_the_fourth_power_of_the_step() -> None:
    errors = []
    fine = np.linspace(0.5, 2.5, 999)
    for n in (21, 41, 81):
        t = np.linspace(0.0, 3.0, n)
        motion = Trajectory.from_points(t, waves(t)[0])
        errors.append(np.abs(motion.sample(fine).q - waves(fine)[0])[:, 0].max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.5).all(), orders


@given(st.floats(-5.0, 8.0))
def test_one_time_is_as_many(time: float) -> None:
    motion = cubic()
    for one, many in zip(motion.sample(time), motion.sample(np.array([[time]])), strict=True):
        assert one.shape == (7,)
        assert_close(one, many[0, 0], SPLINE)


def test_the_joints_rest_before_and_after() -> None:
    motion = quintic()
    for time in (-1.0, 4.0):
        q, qd, qdd = motion.sample(time)
        assert_close(q, motion.start if time < 0 else motion.end, SPLINE)
        assert not qd.any()
        assert not qdd.any()


def test_every_shape_of_times_is_taken() -> None:
    motion = cubic()
    for shape in [(), (0,), (5,), (2, 3)]:
        sample = motion.sample(np.full(shape, 1.0))
        assert all(part.shape == (*shape, 7) for part in sample)
    assert motion.sample(1).q.shape == (7,)


@pytest.mark.parametrize("rate", [7.0, 50.0, 100.0, 1000.0])
def test_any_rate(rate: float) -> None:
    motion = cubic()
    t, q, qd, qdd = motion.at_rate(rate)
    assert_close(np.diff(t), np.full(len(t) - 1, 1.0 / rate), SPLINE)
    assert t[-2] < motion.duration <= t[-1] + 1e-9
    for found, true in zip((q, qd, qdd), motion.sample(t), strict=True):
        assert_close(found, true, 0.0)


def test_twice_the_time_is_half_the_speed() -> None:
    motion, slow = cubic(), cubic().stretched(2.0)
    t = np.linspace(0.0, 3.0, 100)
    assert slow.duration == 2.0 * motion.duration
    factors = (1.0, 0.5, 0.25)
    for a, b, factor in zip(motion.sample(t), slow.sample(2.0 * t), factors, strict=True):
        assert_close(b, factor * a, SPLINE)


def test_motions_follow_each_other() -> None:
    first = cubic()
    back = Trajectory.from_points([0.0, 1.0], [first.end, first.start], *[np.zeros((2, 7))] * 2)
    both = first.then(back)
    assert both.duration == pytest.approx(4.0)
    assert both.limits is first.limits
    assert_close(both.sample(3.5).q, back.sample(0.5).q, SPLINE)
    with pytest.raises(InputError, match="the second trajectory does not start where the first"):
        first.then(first)


def test_it_pickles_and_cannot_be_changed() -> None:
    motion = cubic()
    copy = pickle.loads(pickle.dumps(motion))
    assert repr(copy) == repr(motion) == "Trajectory('waves', left arm, 3.00 s, 60 pieces)"
    assert_close(copy.sample(1.2).q, motion.sample(1.2).q, 0.0)
    with pytest.raises(ValueError, match="read-only"):
        motion.knots[0] = 1.0


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (InputError, "t must increase, and have at least two times",
         lambda: Trajectory.from_points([0.0, 0.0], np.zeros((2, 7)))),
        (ShapeError, "t must have shape (m,) and q (m, 7), got (3,) and (2, 7)",
         lambda: Trajectory.from_points([0.0, 1.0, 2.0], np.zeros((2, 7)))),
        (InputError, "give qd and qdd, or neither",
         lambda: Trajectory.from_points([0.0, 1.0], *[np.zeros((2, 7))] * 2)),
        (InputError, "q[1, 3] = nan; every value of q must be finite",
         lambda: Trajectory.from_points([0.0, 1.0], [[0.0] * 7, [0, 0, 0, np.nan, 0, 0, 0]])),
        (InputError, "knots must start at 0 s and increase, and be at least two",
         lambda: Trajectory(np.array([1.0, 2.0]), np.zeros((1, 4, 7)))),
        (ShapeError, "knots must have shape (m + 1,) and coefficients (m, order, 7 or 14), got "
         "(2,) and (3, 4, 7)", lambda: Trajectory(np.array([0.0, 2.0]), np.zeros((3, 4, 7)))),
        (InputError, "rate = -1 must be positive", lambda: cubic().at_rate(-1.0)),
        (InputError, "factor = 0 must be positive", lambda: cubic().stretched(0.0)),
        (InputError, "t = nan; every value of t must be finite", lambda: cubic().sample(np.nan)),
        (InputError, "t = inf; every value of t must be finite",
         lambda: cubic().sample(float("inf"))),
    ],
)  # fmt: skip
def test_bad_input_is_refused(error: type[Exception], message: str, make: object) -> None:
    with pytest.raises(error) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message
