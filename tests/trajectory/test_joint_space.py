"""Motions planned in the joints keep their limits and are as quick as those allow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tolerances import SPLINE, assert_close

from baxterkit import Arm, Baxter, Payload
from baxterkit.errors import InputError, ShapeError, UnitsWarning
from baxterkit.trajectory import (
    Trajectory,
    TrajectoryError,
    circle,
    min_jerk,
    point_to_point,
    through,
)
from baxterkit.trajectory.joint_space import ACCELERATION, JERK

ARM = Arm("left")
TUCK, UNTUCK, NEUTRAL = (ARM.configuration(name) for name in ("tuck", "untuck", "neutral"))


def peaks(motion: Trajectory) -> tuple[float, float]:
    """Largest velocity and acceleration in parts of their limits."""
    _, qd, qdd = motion.sample(motion.check_times())
    return (
        float((np.abs(qd) / ARM.limits.velocity).max()),
        float((np.abs(qdd) / ACCELERATION).max()),
    )


def rests_at_both_ends(motion: Trajectory) -> None:
    ends = motion.sample(np.array([0.0, motion.duration]))
    assert np.abs(ends.qd).max() < 1e-9
    assert np.abs(ends.qdd).max() < 1e-6


def test_minimum_jerk_is_the_known_polynomial() -> None:
    motion = min_jerk(ARM, NEUTRAL, UNTUCK, 3.0)
    x = np.linspace(0.0, 1.0, 101)
    rise = 10 * x**3 - 15 * x**4 + 6 * x**5
    assert_close(motion.sample(3.0 * x).q, NEUTRAL + rise[:, None] * (UNTUCK - NEUTRAL), SPLINE)
    rests_at_both_ends(motion)


def test_minimum_jerk_takes_the_time_it_needs() -> None:
    assert max(peaks(min_jerk(ARM, TUCK, UNTUCK))) == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(TrajectoryError, match="the velocity of left_e0 is"):
        min_jerk(ARM, TUCK, UNTUCK, 1.0)


def test_point_to_point_keeps_velocity_acceleration_and_jerk(
    require: Callable[[str], None],
) -> None:
    require("ruckig")
    motion = point_to_point(ARM, TUCK, UNTUCK)
    assert_close(motion.start, TUCK, SPLINE)
    assert_close(motion.end, UNTUCK, 1e-9)
    rests_at_both_ends(motion)
    assert max(peaks(motion)) < 1.0 + 1e-9
    jerk = 6.0 * motion.coefficients[:, 3]
    assert (np.abs(jerk) <= JERK * (1.0 + 1e-6)).all()
    inner = motion.knots[1:-1]
    for a, b in zip(motion.sample(np.nextafter(inner, 0.0)), motion.sample(inner), strict=True):
        assert_close(a, b, 1e-9)


def test_point_to_point_is_the_quickest_for_one_joint(require: Callable[[str], None]) -> None:
    """One joint, closed form: way = v (T - v/a - a/j) for a way long enough to reach v."""
    require("ruckig")
    goal = NEUTRAL.copy()
    goal[0] += 1.4
    v, a, j = ARM.limits.velocity[0], ACCELERATION[0], JERK[0]
    motion = point_to_point(ARM, NEUTRAL, goal)
    assert motion.duration == pytest.approx(1.4 / v + v / a + a / j, rel=1e-9)


def test_slower_limits_are_kept(require: Callable[[str], None]) -> None:
    require("ruckig")
    motion = point_to_point(ARM, NEUTRAL, UNTUCK, velocity=0.2, acceleration=0.5, jerk=2.0)
    _, qd, qdd = motion.sample(motion.check_times())
    assert np.abs(qd).max() == pytest.approx(0.2, rel=1e-6)
    assert np.abs(qdd).max() <= 0.5 + 1e-9


def test_ruckig_never_gets_a_waypoint(
    require: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would send those to a service."""
    require("ruckig")
    import ruckig

    given = []

    class Watched(ruckig.Ruckig):  # type: ignore[misc]
        def calculate(self, problem: Any, plan: Any) -> Any:
            given.append(list(problem.intermediate_positions))
            return super().calculate(problem, plan)

    monkeypatch.setattr(ruckig, "Ruckig", Watched)
    point_to_point(ARM, NEUTRAL, UNTUCK)
    assert given == [[]]
    monkeypatch.setitem(sys.modules, "ruckig", None)
    through(ARM, [NEUTRAL, UNTUCK, NEUTRAL])


def test_tiny_moves_are_no_moves() -> None:
    for build in (min_jerk, point_to_point):
        with pytest.raises(InputError) as caught:
            build(ARM, NEUTRAL, NEUTRAL + 1e-15)
        assert str(caught.value) == (
            "start and goal are the same joint positions; nothing would move"
        )


@pytest.mark.parametrize("seed", range(20))
def test_point_to_point_anywhere(seed: int, require: Callable[[str], None]) -> None:
    require("ruckig")
    rng = np.random.default_rng(seed)
    a, b = UNTUCK + rng.uniform(-0.5, 0.5, (2, 7))
    motion = point_to_point(ARM, a, b)
    assert_close(motion.end, b, 1e-9)
    assert max(peaks(motion)) < 1.0 + 1e-9


def test_waypoints_are_met() -> None:
    points = np.stack([NEUTRAL, UNTUCK, 0.5 * (NEUTRAL + UNTUCK), NEUTRAL])
    motion = through(ARM, points)
    assert_close(motion.sample(motion.knots).q, points, SPLINE)
    assert max(peaks(motion)) == pytest.approx(1.0, abs=1e-3)
    timed = through(ARM, points, [0.0, 2.0, 4.0, 7.0])
    assert_close(timed.sample(4.0).q, points[2], SPLINE)


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (InputError, "start and goal are the same joint positions; nothing would move",
         lambda: min_jerk(ARM, TUCK, TUCK)),
        (ShapeError, "start and goal must have shape (7,), got (2, 7) and (7,)",
         lambda: point_to_point(ARM, np.zeros((2, 7)), TUCK)),
        (InputError, "left_s1 = 1.200 rad is above its limit 1.047 rad; clip with "
         "arm.limits.clip(q)", lambda: min_jerk(ARM, TUCK, [0, 1.2, 0, 0, 0, 0, 0])),
        (InputError, "acceleration must be positive, got -1",
         lambda: point_to_point(ARM, TUCK, UNTUCK, acceleration=-1.0)),
        (InputError, "duration = 0 must be positive",
         lambda: min_jerk(ARM, TUCK, UNTUCK, 0.0)),
        (InputError, "waypoints 1 and 2 are the same; leave one out, or give times",
         lambda: through(ARM, [NEUTRAL, UNTUCK, UNTUCK])),
        (ShapeError, "waypoints must have shape (n, 7) with n of 2 or more, got (7,)",
         lambda: through(ARM, NEUTRAL)),
    ],
)  # fmt: skip
def test_bad_input_is_refused(error: type[Exception], message: str, make: object) -> None:
    with pytest.raises(error) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message


def test_torques_are_checked() -> None:
    heavy = ARM.replace(payload=Payload(9.0))
    reach = np.array([0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    with pytest.raises(TrajectoryError, match="the torque of left_s1 is"):
        min_jerk(heavy, NEUTRAL, reach)


def test_names_and_degrees_are_told_from_joint_positions() -> None:
    with pytest.raises(InputError, match=r"start is the text 'untuck'; .*arm\.configuration\('un"):
        min_jerk(ARM, "untuck", NEUTRAL)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"goal is the text 'neutral'"):
        point_to_point(ARM, UNTUCK, "neutral")  # type: ignore[arg-type]
    with pytest.raises(
        InputError, match=r"below its limit -2\.147 rad; are these degrees\? .*deg2"
    ):
        point_to_point(ARM, UNTUCK, np.degrees(NEUTRAL))
    with (
        pytest.warns(UnitsWarning, match="waypoints holds 111.154 rad, 17.7 turns: are these deg"),
        pytest.raises(TrajectoryError, match="above its limit"),
    ):
        through(ARM, np.degrees([UNTUCK, NEUTRAL]))


@pytest.mark.parametrize(
    ("given", "hint"),
    [("left", r"got str; Arm\('left'\) makes one"), (Baxter(), "got Baxter; give one of its arms")],
)
def test_what_is_no_arm_is_refused(given: Any, hint: str) -> None:
    for act in (
        lambda: min_jerk(given, UNTUCK, NEUTRAL),
        lambda: circle([0.6, 0.2, 0.1]).to_joints(given),
        lambda: min_jerk(ARM, UNTUCK, NEUTRAL).check(arm=given),
    ):
        with pytest.raises(InputError, match=f"arm must be an Arm, {hint}"):
            act()
