"""Time-optimal motions never exceed a limit, reach one nearly everywhere, and keep the way."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from tolerances import SPLINE, TIMED, TOPPRA, assert_close

from baxterkit import Arm, Payload, native, trajectory
from baxterkit.errors import InputError, MissingExtraError, ShapeError
from baxterkit.trajectory import Trajectory, TrajectoryError, time_optimal
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.types import Array

RIGHT = Arm("right")
CENTER = [0.6, -0.2, 0.1]
FRICTION = {
    "coulomb": [1.0, 2.0, 1.0, 1.0, 0.5, 0.5, 0.5],
    "viscous": [1.0, 2.0, 1.0, 1.0, 0.3, 0.3, 0.3],
    "spring_sin": [[0.0], [6.0], [0.0], [0.0], [0.0], [0.0], [0.0]],
}
ARMS = {
    "bare": RIGHT,
    "payload": RIGHT.replace(payload=Payload(1.5)),
    "effects": RIGHT.with_effects(**FRICTION),
    "both": RIGHT.replace(payload=Payload(1.0)).with_effects(**FRICTION),
}


def ratios(motion: Trajectory, arm: Arm, part: float, acceleration: object) -> dict[str, float]:
    """Largest velocity, acceleration and torque in parts of the limits, at 100,000 times."""
    q, qd, qdd = motion.sample(np.linspace(0.0, motion.duration, 100_001))
    tau = arm.inverse_dynamics(q, qd, qdd)
    found = {
        "velocity": np.abs(qd) / arm.limits.velocity,
        "torque": np.abs(tau) / (part * arm.limits.effort),
    }
    if acceleration is not None:
        found["acceleration"] = np.abs(qdd) / ACCELERATION
    return {name: float(value.max()) for name, value in found.items()}


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
@pytest.mark.parametrize(
    "shape", ["figure_eight", pytest.param("circle", marks=pytest.mark.acceptance)]
)
@pytest.mark.parametrize("acceleration", [None, ACCELERATION], ids=["free", "limited"])
def test_no_limit_is_exceeded_anywhere(arm: Arm, shape: str, acceleration: object) -> None:
    way = getattr(trajectory, shape)(CENTER).to_joints(RIGHT)
    motion = time_optimal(arm, way, acceleration=acceleration)  # type: ignore[arg-type]
    found = ratios(motion, arm, 1.0, acceleration)
    assert max(found.values()) <= 1.0, found
    assert max(found.values()) > 0.995, found


@pytest.mark.parametrize("arm", [ARMS["bare"], ARMS["effects"]], ids=["bare", "effects"])
def test_torque_limits_slow_the_motion_down(arm: Arm) -> None:
    way = trajectory.figure_eight(CENTER).to_joints(RIGHT)
    weak = time_optimal(arm, way, acceleration=None, torque=0.46 * arm.limits.effort)
    strong = time_optimal(arm, way, acceleration=None)
    assert ratios(weak, arm, 0.46, None)["torque"] <= 1.0
    assert ratios(weak, arm, 0.46, None)["torque"] > 0.995
    assert weak.duration > 1.02 * strong.duration
    assert ratios(strong, arm, 0.46, None)["torque"] > 1.5


def test_corners_are_passed_within_the_limits() -> None:
    way = trajectory.square(CENTER).to_joints(RIGHT)
    motion = time_optimal(RIGHT, way, torque=0.5 * RIGHT.limits.effort)
    found = ratios(motion, RIGHT, 0.5, ACCELERATION)
    assert max(found.values()) <= 1.0, found


def test_one_joint_is_bang_bang() -> None:
    """A joint alone under velocity and acceleration limits: way / v + v / a, closed form."""
    a = np.array([0.0, -0.5, 0.0, 1.0, 0.0, 0.5, 0.0])
    b = a.copy()
    b[0] += 1.2
    motion = time_optimal(RIGHT, np.linspace(a, b, 5), grid=2000)
    v, most = RIGHT.limits.velocity[0], ACCELERATION[0]
    assert motion.duration == pytest.approx(1.2 / v + v / most, rel=2e-3)


def test_a_torque_limited_joint_is_bang_bang() -> None:
    """s0 has no gravity: with its torque limit alone, it accelerates for half of the way."""
    a = np.array([0.3, -0.5, 0.0, 1.0, 0.0, 0.5, 0.0])
    b = a.copy()
    b[0] += 0.5
    arm = RIGHT
    inertia = float(arm.inertia(a)[0, 0])
    strong = arm.limits.effort * [0.05, 1, 1, 1, 1, 1, 1]
    motion = time_optimal(
        arm, np.linspace(a, b, 5), acceleration=None, velocity=100.0, torque=strong, grid=2000
    )
    assert motion.duration == pytest.approx(2.0 * np.sqrt(0.5 * inertia / strong[0]), rel=2e-3)


def test_the_way_is_kept() -> None:
    path = trajectory.circle(CENTER)
    motion = time_optimal(RIGHT, path.to_joints(RIGHT))
    p = RIGHT.fk(motion.sample(np.linspace(0.0, motion.duration, 3000)).q)
    radius = np.linalg.norm(p[:, :2, 3] - np.array(CENTER)[:2], axis=-1)
    assert np.abs(radius - 0.1).max() < 1e-6
    assert np.abs(p[:, 2, 3] - 0.1).max() < 1e-6
    assert motion.duration < path.duration


def test_waypoints_are_met_from_rest_to_rest() -> None:
    points = np.stack(
        [RIGHT.configuration("neutral"), RIGHT.configuration("untuck"), RIGHT.limits.middle]
    )
    motion = time_optimal(RIGHT, points)
    assert_close(motion.start, points[0], SPLINE)
    assert_close(motion.end, points[-1], 1e-9)
    q, _, _ = motion.sample(motion.knots)
    assert np.abs(q - points[1]).max(axis=-1).min() < 1e-9
    ends = motion.sample(np.array([0.0, motion.duration]))
    assert np.abs(ends.qd).max() < 1e-3


def test_velocities_are_the_derivatives() -> None:
    motion = time_optimal(RIGHT, trajectory.circle(CENTER).to_joints(RIGHT), acceleration=None)
    t, h = np.linspace(0.01, motion.duration - 0.01, 500), 1e-6
    difference = (motion.sample(t + h).q - motion.sample(t - h).q) / (2.0 * h)
    assert np.abs(difference - motion.sample(t).qd).max() < 1e-4


def test_an_arm_that_cannot_hold_itself_is_refused() -> None:
    way = trajectory.circle(CENTER).to_joints(RIGHT)
    heavy = RIGHT.replace(payload=Payload(12.0))
    with pytest.raises(InputError) as caught:
        time_optimal(heavy, way)
    assert str(caught.value) == (
        "right_e0 cannot hold the arm on the path: 51.08 N m are needed at rest, 50.00 N m are "
        "allowed; carry less, or move elsewhere"
    )


def test_limits_that_allow_no_motion_are_named_once(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Gravity just leaves room, friction does not."""
    way = trajectory.circle(CENTER).to_joints(RIGHT)
    q, _, _ = way.sample(np.linspace(0.0, way.duration, 500))
    still = np.zeros_like(q)
    held = np.abs(RIGHT.inverse_dynamics(q, still, still)).max(axis=0)
    stuck = RIGHT.with_effects(coulomb=FRICTION["coulomb"], speed=[1e-6] * 7)
    with pytest.raises(InputError) as caught:
        time_optimal(stuck, way, torque=held + 0.2)
    assert str(caught.value) == (
        "no motion along the path was found that respects the limits; allow more velocity, "
        "acceleration or torque, carry less, or take a path with less sharp bends"
    )
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruckig", None)
    a, b = RIGHT.configuration("neutral"), RIGHT.configuration("untuck")
    with pytest.raises(MissingExtraError) as caught:
        trajectory.point_to_point(RIGHT, a, b)
    assert (
        str(caught.value)
        == "Point to point needs ruckig: pip install '.[move]' in a clone of baxterkit"
    )


def test_a_way_beyond_the_limits_is_refused() -> None:
    points = np.zeros((3, 7))
    points[:, 3] = 1.0
    points[1, 1], points[2, 1] = 0.9, 1.3
    with pytest.raises(TrajectoryError, match="the position of right_s1 is"):
        time_optimal(RIGHT, points)


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        (ShapeError, "path must have shape (n, 7) with n of 2 or more, got (7,)",
         {"path": np.zeros(7)}),
        (InputError, "the path does not move the joints", {"path": np.zeros((3, 7))}),
        (InputError, "points 1 and 2 of the path are the same; leave one out",
         {"path": np.outer([0.0, 0.1, 0.1], np.ones(7))}),
        (InputError, "torque must be positive, got 0",
         {"path": np.outer([0.0, 0.1], np.ones(7)), "torque": 0.0}),
        (InputError, "grid must be at least 10, got 1",
         {"path": np.outer([0.0, 0.1], np.ones(7)), "grid": 1}),
    ],
)  # fmt: skip
def test_bad_input_is_refused(
    error: type[Exception], message: str, options: dict[str, object]
) -> None:
    with pytest.raises(error) as caught:
        time_optimal(RIGHT, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize("acceleration", [None, ACCELERATION], ids=["free", "limited"])
@pytest.mark.parametrize("count", [2, 3, 7])
def test_toppra_finds_no_faster_motion(
    require: Callable[[str], None], count: int, acceleration: Array | None
) -> None:
    require("toppra")
    from oracles import toppra_timing

    arm = RIGHT.replace(payload=Payload(1.0))
    half = 0.25 * (arm.limits.upper - arm.limits.lower)
    points = arm.limits.middle + np.random.default_rng(count).uniform(-1.0, 1.0, (count, 7)) * half
    torque = 0.8 * arm.limits.effort
    motion = time_optimal(arm, points, acceleration=acceleration, torque=torque, grid=1000)
    best = toppra_timing.duration(arm, points, acceleration, torque)
    assert motion.duration == pytest.approx(best, rel=TOPPRA)


def test_numpy_finds_the_speeds_of_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.stack(
        [RIGHT.configuration("neutral"), RIGHT.configuration("untuck"), RIGHT.limits.middle]
    )
    fast = time_optimal(RIGHT, points, grid=50)
    monkeypatch.setattr(native, "load", lambda: None)
    slow = time_optimal(RIGHT, points, grid=50)
    assert slow.knots.shape == fast.knots.shape
    assert np.abs(slow.knots - fast.knots).max() < TIMED


def test_friction_estimated_for_a_slow_motion_does_not_keep_it_slow() -> None:
    """The first estimate of friction is too high here; that of a slow motion is only a start."""
    points = [
        [0.32, -0.22, 0.64, 1.42, 1.62, 0.17, -1.38],
        [-0.51, -0.73, 0.41, 1.06, -0.24, -0.19, 0.84],
        [0.7, -0.86, 1.1, 0.8, 1.74, -0.05, 0.59],
        [0.21, -1.35, 0.31, 0.56, -0.05, 0.34, 1.66],
    ]
    arm = RIGHT.replace(payload=Payload(0.3871590349930474))
    arm = arm.with_effects(coulomb=FRICTION["coulomb"], viscous=FRICTION["viscous"])
    motion = time_optimal(arm, points, acceleration=None, torque=0.5 * arm.limits.effort)
    assert motion.duration < 5.0  # 21 s with the friction of the first motion found


@pytest.mark.acceptance
@pytest.mark.parametrize("seed", range(8))
def test_no_limit_is_exceeded_on_random_ways(seed: int) -> None:
    """Spline paths through random configurations, with payloads, effects and weaker motors."""
    rng = np.random.default_rng(seed)
    solved = 0
    for _ in range(20):
        arm = Arm(str(rng.choice(["left", "right"])))
        if rng.random() < 0.5:
            arm = arm.replace(payload=Payload(float(rng.uniform(0.2, 2.0))))
        if rng.random() < 0.5:
            arm = arm.with_effects(coulomb=FRICTION["coulomb"], viscous=FRICTION["viscous"])
        half = 0.5 * (arm.limits.upper - arm.limits.lower)
        points = arm.limits.middle + rng.uniform(-0.6, 0.6, (rng.integers(2, 8), 7)) * half
        acceleration = None if rng.random() < 0.5 else ACCELERATION
        part = float(rng.choice([1.0, 0.7, 0.5]))
        try:
            motion = time_optimal(
                arm, points, acceleration=acceleration, torque=part * arm.limits.effort
            )
        except TrajectoryError as refusal:  # the spline leaves the joint limits
            quantity = refusal.quantity
        except InputError as refusal:  # gravity alone is too much
            quantity = "hold" if "cannot hold" in str(refusal) else str(refusal)
        else:
            quantity, solved = "solved", solved + 1
            found = ratios(motion, arm, part, acceleration)
            assert max(found.values()) <= 1.0, found
            assert max(found.values()) > 0.99, found
        assert quantity in ("solved", "position", "hold")
    assert solved >= 10
