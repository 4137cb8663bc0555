"""The joints move the tip along its path, within the limits, from rest to rest."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import RESOLVED_RATE, TIP_AT_KNOT, TIP_ON_PATH, assert_close

from baxterkit import Arm, trajectory
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import IkError
from baxterkit.trajectory import CartesianPath, Trajectory, TrajectoryError, circle, smith_path
from baxterkit.trajectory.resolved_rate import resolved_rate

RIGHT = Arm("right")
CENTER = np.array([0.6, -0.2, 0.1])


def follows(arm: Arm, path: CartesianPath, motion: Trajectory, most: float) -> None:
    """Checks tip, twist, rest, limits and the end of the path."""
    t = np.linspace(0.0, path.duration, 4001)
    q, qd, _ = motion.sample(t)
    wished = path.sample(t)
    assert_close(arm.fk(q), wished.T, most)
    assert_close(arm.twist(q, qd), wished.twist, 1e3 * most)
    ends = motion.sample(np.array([0.0, motion.duration]))
    assert np.abs(ends.qd).max() < 1e-9
    assert np.abs(ends.qdd).max() < 5e-3
    assert motion.duration == path.duration
    motion.check(arm.limits, arm=arm)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("method", ["posture", "ik_path"])
def test_smiths_sets_are_feasible_and_exact(number: int, method: str) -> None:
    path = smith_path(number)
    motion = trajectory.smith_set(number, method=method)
    follows(RIGHT, path, motion, TIP_ON_PATH)
    assert_close(RIGHT.fk(motion.sample(motion.knots).q), path.sample(motion.knots).T, TIP_AT_KNOT)


@pytest.mark.parametrize("tool", ["electric_standard", "vacuum"])
def test_smiths_sets_work_with_tools(tool: str) -> None:
    arm = Arm("right", tool)
    follows(arm, smith_path(1), trajectory.smith_set(1, arm), TIP_ON_PATH)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("shape", ["circle", "figure_eight", "spiral", "square"])
def test_shapes(side: str, shape: str) -> None:
    arm = Arm(side)
    center = CENTER * [1.0, -1.0 if side == "left" else 1.0, 1.0]
    path = getattr(trajectory, shape)(center)
    follows(arm, path, path.to_joints(arm), TIP_ON_PATH)


def test_a_closed_path_is_closed_in_the_joints() -> None:
    motion = circle(CENTER, turns=2.0).to_joints(RIGHT)
    assert_close(motion.end, motion.start, TIP_AT_KNOT)


def test_it_starts_where_the_arm_is() -> None:
    path = circle(CENTER)
    start = RIGHT.ik(path.sample(0.0).T, objective="manipulability").q
    for method in ("auto", "ik_path", "resolved_rate"):
        assert_close(path.to_joints(RIGHT, start, method=method).start, start, TIP_AT_KNOT)


def test_it_starts_near_a_posture_that_is_elsewhere() -> None:
    path = circle(CENTER)
    motion = path.to_joints(RIGHT, RIGHT.configuration("neutral"))
    assert_close(RIGHT.fk(motion.start), path.sample(0.0).T, TIP_AT_KNOT)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_resolved_rates_follow_too(number: int) -> None:
    motion = trajectory.smith_set(number, method="resolved_rate")
    follows(RIGHT, smith_path(number), motion, RESOLVED_RATE)


def test_an_error_stays_without_correction_and_decays_with_it() -> None:
    """Smith's eq. 15 as printed follows velocities only: what is wrong once stays wrong."""
    path = circle(CENTER, period=8.0)
    start = path.to_joints(RIGHT).start + 0.01
    t = np.linspace(0.0, 2.0, 401)

    def errors(gain: float) -> np.ndarray:
        q = resolved_rate(path, RIGHT, start, t, drift_gain=gain, null_gain=0.0)
        gap = RIGHT.fk(q)[:, :3, 3] - path.sample(t).T[:, :3, 3]
        return np.linalg.norm(gap, axis=-1)

    stays, decays = errors(0.0), errors(5.0)
    assert stays[0] > 1e-3
    assert np.abs(stays / stays[0] - 1.0).max() < 0.05
    assert np.abs(decays / decays[0] - np.exp(-5.0 * t)).max() < 0.01


def test_the_null_space_draws_the_joints_home() -> None:
    path = circle(CENTER, turns=3.0)
    start = path.to_joints(RIGHT).start
    t = np.linspace(0.0, path.duration, 1500)

    free = resolved_rate(path, RIGHT, start, t, null_gain=0.0)
    home = start + 0.4 * RIGHT.null_vector(start) / np.linalg.norm(RIGHT.null_vector(start))
    pulled = resolved_rate(path, RIGHT, start, t, home=home, null_gain=2.0)
    assert np.linalg.norm(pulled[700] - home) < np.linalg.norm(free[700] - home)
    # Home is the start if nothing else is said: after three rounds the joints are back there.
    kept = resolved_rate(path, RIGHT, start, t, null_gain=2.0)
    assert np.linalg.norm(kept[-1] - start) < 0.1 * np.linalg.norm(free[-1] - start)


def test_an_unreachable_path_says_where_it_breaks() -> None:
    path = trajectory.lines([[0.6, -0.2, 0.1], [1.6, -0.2, 0.1]], [0.0, 8.0])
    for method in ("auto", "ik_path", "posture", "resolved_rate"):
        with pytest.raises(
            IkError, match=r"^the path breaks at t = \d\.\d\d s: No joint angles reach the target"
        ):
            path.to_joints(RIGHT, method=method)
    with pytest.raises(IkError, match=r"^the path breaks at t = 0\.00 s: No joint angles reach"):
        circle([2.0, 0.0, 0.0]).to_joints(RIGHT)


def test_a_path_too_far_from_its_first_posture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baxterkit.trajectory.to_joints._NEWTON_STEPS", 1)
    with pytest.raises(IkError, match="leads too far from the posture at its start; use ik_path"):
        circle(CENTER).to_joints(RIGHT, method="posture")


def test_resolved_rates_that_lose_the_path_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baxterkit.trajectory.to_joints.FOLLOWED", 1e-15)
    with pytest.raises(IkError, match=r"^resolved rates lose the path at t = 0\.\d\d s, "):
        circle(CENTER).to_joints(RIGHT, method="resolved_rate")


def test_an_endless_path_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(InputError) as caught:
        circle(CENTER, period=1e7).to_joints(RIGHT)
    assert str(caught.value) == (
        "1e+07 s at 100 knots a second are more than 200,000 knots; lower the rate, or cut the path"
    )


def test_a_path_that_cannot_be_followed_smoothly_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("baxterkit.trajectory.to_joints._WINDOWS", ())
    with pytest.raises(IkError) as caught:
        circle(CENTER).to_joints(RIGHT, method="ik_path")
    assert str(caught.value) == (
        "the arm can follow the path only along its joint limits, and not smoothly; move the "
        "path, or turn the tool"
    )


@pytest.mark.parametrize("method", ["auto", "posture", "ik_path", "resolved_rate"])
def test_a_path_that_is_too_quick_is_refused(method: str) -> None:
    path = trajectory.lines([[0.6, -0.4, 0.1], [0.6, 0.1, 0.1]], [0.0, 0.4])
    with pytest.raises(TrajectoryError, match=r"the velocity of right_.. is") as caught:
        path.to_joints(RIGHT, method=method)
    assert caught.value.factor > 1.0


def test_a_path_in_motion_is_refused() -> None:
    def curve(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        zero, speed = np.zeros((len(t), 3)), np.array([0.1, 0.0, 0.0])
        return CENTER + t[:, None] * speed, zero + speed, zero

    with pytest.raises(InputError) as caught:
        CartesianPath.from_curve(1.0, curve).to_joints(RIGHT)
    assert str(caught.value) == (
        "the path does not start at rest (0.1 m/s or rad/s), and a robot does; use "
        "path.ramped(seconds)"
    )
    CartesianPath.from_curve(1.0, curve).ramped(0.5).to_joints(RIGHT)


def test_bad_settings_are_refused() -> None:
    path = circle(CENTER)
    with pytest.raises(UnknownNameError, match="unknown method 'magic'; available: auto, posture"):
        path.to_joints(RIGHT, method="magic")
    with pytest.raises(InputError, match="rate must be positive, got 0 Hz"):
        path.to_joints(RIGHT, rate=0.0)
    with pytest.raises(
        ShapeError, match=r"start must have shape \(7,\), one at a time, got \(2, 7\)"
    ):
        path.to_joints(RIGHT, np.zeros((2, 7)))
    with pytest.raises(InputError, match="gains must not be negative, got drift_gain = -1"):
        resolved_rate(path, RIGHT, np.zeros(7), np.linspace(0, 1, 5), drift_gain=-1.0)
