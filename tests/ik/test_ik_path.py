"""Paths: through every pose, without jumps, within limits and speeds; or where and why not."""

from __future__ import annotations

import ik_sets
import numpy as np
import pytest

from baxterkit import Arm, native, spatial
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import IkError, IkStatus

pytestmark = pytest.mark.skipif(native.load() is None, reason="the extension was not built")


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left", tool="electric_standard")


def circle(arm: Arm, n: int, radius: float = 0.1) -> np.ndarray:
    """A circle in the table plane, the hand's orientation kept."""
    T = np.asarray(arm.fk(arm.configuration("neutral")))
    Ts = np.tile(T, (n, 1, 1))
    angle = np.linspace(0.0, 2.0 * np.pi, n)
    Ts[:, 0, 3] += radius * (np.cos(angle) - 1.0) - 0.05
    Ts[:, 1, 3] += radius * np.sin(angle) - 0.1
    return Ts


def assert_path(arm: Arm, Ts: np.ndarray, q: np.ndarray) -> None:
    distance, angle = spatial.pose_error(arm.fk(q), Ts)
    assert max(distance.max(), angle.max()) <= 1e-9
    assert arm.limits.contains(q, 0.0).all()


@pytest.mark.parametrize("n", [1, 2, 30, 400])
def test_path_goes_through_every_pose(arm: Arm, n: int) -> None:
    Ts = circle(arm, n, 0.1 if n > 2 else 0.02)
    path = arm.ik_path(Ts)
    assert path.solved
    assert path.broken_at is None
    assert path.q.shape == (n, 7)
    assert_path(arm, Ts, path.q)
    assert path.raise_if_failed() is path


def test_steps_shrink_with_the_distance_of_the_poses(arm: Arm) -> None:
    # A path that jumped between branches would keep its largest step.
    coarse, fine = (arm.ik_path(circle(arm, n)).largest_step for n in (50, 500))
    assert fine < 0.2 * coarse


def test_path_starts_at_a_seed_that_is_on_it(arm: Arm) -> None:
    Ts = circle(arm, 60)
    seed = arm.ik(Ts[0], seed=arm.configuration("neutral")).q
    assert (arm.ik_path(Ts, seed=seed).q[0] == seed).all()


def test_joint_speeds_are_respected(arm: Arm) -> None:
    Ts = circle(arm, 120)
    times = np.linspace(0.0, 4.0, 120)
    path = arm.ik_path(Ts, times=times)
    assert path.solved
    speed = np.abs(np.diff(path.q, axis=0)) / np.diff(times)[:, None]
    assert (speed <= arm.limits.velocity + 1e-9).all()


def test_a_path_that_is_too_fast_breaks_and_says_which_joint(arm: Arm) -> None:
    path = arm.ik_path(circle(arm, 120), times=np.linspace(0.0, 0.05, 120))
    assert not path.solved
    assert path.status is IkStatus.NOT_CONVERGED
    assert "would have to move" in path.reason
    with pytest.raises(IkError, match=r"^the path breaks at pose \d+: left_"):
        path.raise_if_failed()


def test_a_path_out_of_reach_breaks_at_the_first_such_pose(arm: Arm) -> None:
    Ts = circle(arm, 100)
    Ts[:, 0, 3] += np.linspace(0.0, 1.5, 100)
    path = arm.ik_path(Ts)
    first = int(np.argmax(~arm.ik(Ts).solved))
    assert path.broken_at == first
    assert path.status in (IkStatus.OUT_OF_REACH, IkStatus.LIMITS)
    assert np.isnan(path.q[first:]).all()
    assert_path(arm, Ts[:first], path.q[:first])
    assert repr(path).startswith(f"PathResult(100 poses, breaks at pose {first}, ")


def test_the_redundancy_is_used_where_a_locked_e0_fails(arm: Arm) -> None:
    # e0 held at its first value meets a limit on the way; the path moves e0 and arrives.
    q0 = arm.limits.clip(
        arm.configuration("neutral") + np.array([0.2, 0.1, -0.6, 0.6, 0.3, 0.2, 0.0])
    )
    q1 = arm.limits.clip(
        arm.configuration("neutral") + np.array([0.9, 0.4, 1.2, 0.9, -0.8, -0.6, 1.0])
    )
    T0, T1 = arm.fk(q0), arm.fk(q1)
    part = np.linspace(0.0, 1.0, 80)
    twist = spatial.se3_log(spatial.inverse(T0) @ T1)
    Ts = T0 @ spatial.se3_exp(part[:, None] * twist)
    path = arm.ik_path(Ts)
    assert path.solved
    assert_path(arm, Ts, path.q)
    assert path.largest_step < 0.3


def test_bad_arguments_are_refused(arm: Arm) -> None:
    Ts = circle(arm, 4)
    with pytest.raises(ShapeError, match=r"Ts must have shape \(n, 4, 4\), got \(4, 4\)"):
        arm.ik_path(Ts[0])
    with pytest.raises(ShapeError, match=r"times must have shape \(4,\), one for each pose"):
        arm.ik_path(Ts, times=[0.0, 1.0])
    with pytest.raises(InputError, match="times must increase, got 2 s and then 1 s"):
        arm.ik_path(Ts, times=[0.0, 2.0, 1.0, 3.0])
    with pytest.raises(InputError, match="max_step must be positive, got 0"):
        arm.ik_path(Ts, max_step=0.0)
    with pytest.raises(ShapeError, match=r"seed must have shape \(7,\)"):
        arm.ik_path(Ts, seed=np.zeros((2, 7)))


def test_an_empty_path_is_solved(arm: Arm) -> None:
    path = arm.ik_path(np.empty((0, 4, 4)))
    assert path.solved
    assert path.q.shape == (0, 7)


def cost(q: np.ndarray) -> float:
    """Sum of the squared steps [rad²]."""
    return float(np.sum(np.diff(q, axis=0) ** 2))


@pytest.mark.parametrize("share", [0.5, 0.75, 1.0])
def test_poses_of_a_joint_motion_are_a_path(arm: Arm, share: float) -> None:
    for i in range(20):
        witness = ik_sets.smooth_motion(arm, 60, f"{share}{i}", share)
        Ts = ik_sets.poses(arm, witness)
        path = arm.ik_path(Ts)
        assert path.solved, (i, path)
        assert_path(arm, Ts, path.q)
        assert path.largest_step <= 0.5
        assert cost(path.q) < 3.0 * cost(witness) + 0.1


def test_a_start_and_speeds_that_a_joint_motion_keeps_are_kept(arm: Arm) -> None:
    for i in range(20):
        witness = ik_sets.smooth_motion(arm, 80, f"speed{i}", 0.6)
        Ts = ik_sets.poses(arm, witness)
        slowest = (np.abs(np.diff(witness, axis=0)) / arm.limits.velocity).max()
        times = np.arange(80) * slowest * 1.5
        path = arm.ik_path(Ts, seed=witness[0], times=times)
        assert path.solved, (i, path)
        assert_path(arm, Ts, path.q)
        assert (path.q[0] == witness[0]).all()
        speed = np.abs(np.diff(path.q, axis=0)) / np.diff(times)[:, None]
        assert (speed <= arm.limits.velocity * (1.0 + 1e-9)).all()


def test_a_path_over_the_shoulder_takes_bounded_work(arm: Arm) -> None:
    # The wrist passes the s0 axis, where a solution may turn about it at any speed.
    q = ik_sets.near_axis(arm, 1, "path")[0]
    T = np.asarray(arm.fk(q))
    Ts = np.tile(T, (100, 1, 1))
    Ts[:, 0, 3] += np.linspace(-0.1, 0.1, 100)
    path = arm.ik_path(Ts)
    done = len(Ts) if path.broken_at is None else path.broken_at
    assert_path(arm, Ts[:done], path.q[:done])


@pytest.mark.parametrize("i", [0, 6, 8, 13, 15, 21, 28, 38])
def test_poses_of_a_joint_motion_along_limits_are_a_path(arm: Arm, i: int) -> None:
    # The witness is clipped at the limits: there only short stretches of the self-motion, or
    # points of it, are left, and they must be gone through.
    witness = ik_sets.smooth_motion(arm, 100, f"p1.25{i}", 1.25)
    witness = arm.limits.clip(witness)
    assert ((witness == arm.limits.lower) | (witness == arm.limits.upper)).any()
    Ts = ik_sets.poses(arm, witness)
    path = arm.ik_path(Ts)
    assert path.solved, path
    assert_path(arm, Ts, path.q)
    assert path.largest_step <= 0.5
