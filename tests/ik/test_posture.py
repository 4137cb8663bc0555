"""Postures in words: a filter and an objective of ik, ik_all and ik_path."""

from __future__ import annotations

import numpy as np
import pytest
from problems import numpy_twin, uniform

from baxterkit import Arm, Baxter, native, spatial
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import IkStatus, Position
from baxterkit.ik.posture import POSTURES, elbow_offset, posture_rule

needs_native = pytest.mark.skipif(native.load() is None, reason="the extension was not built")
LEFT, RIGHT = Arm("left", "electric_standard"), Arm("right", "electric_standard")
REACH = np.array([0.4, -0.9, 0.5, 1.6, -0.4, 0.9, 0.3])


def height(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Of the elbow above the line from shoulder to wrist [m], from link poses alone."""
    p = arm.link_poses(q)[..., :3, 3]
    S, E, W = p[..., 1, :], p[..., 3, :], p[..., 5, :]
    part = np.sum((E - S) * (W - S), axis=-1) / np.sum((W - S) ** 2, axis=-1)
    return (E - S - part[..., None] * (W - S))[..., 2]


def circle(arm: Arm, n: int) -> np.ndarray:
    angle = np.linspace(0.0, 2.0 * np.pi, n)
    Ts = np.tile(arm.fk(REACH), (n, 1, 1))
    Ts[:, 0, 3] += 0.08 * (np.cos(angle) - 1.0)
    Ts[:, 1, 3] += 0.08 * np.sin(angle)
    return Ts


def every_solution(arm: Arm, T: np.ndarray, values: int = 300) -> np.ndarray:
    e0 = np.linspace(arm.limits.lower[2], arm.limits.upper[2], values)
    q = arm.ik_all(np.broadcast_to(T, (values, 4, 4)), e0).reshape(-1, 7)
    return q[~np.isnan(q[:, 0])]


def test_elbow_up_and_out_mean_what_they_say() -> None:
    q = uniform(LEFT, 200)
    up, out = (posture_rule(name, LEFT.model, LEFT._kernels) for name in POSTURES)
    np.testing.assert_allclose(up.margin(q), height(LEFT, q), rtol=0, atol=1e-12)
    offset = elbow_offset(LEFT._kernels, q)
    p = LEFT.link_poses(q)[..., :3, 3]
    across = np.sum(offset * (p[:, 5] - p[:, 1]), axis=-1)
    np.testing.assert_allclose(across, 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(out.margin(q), offset[:, 1], rtol=0, atol=0)
    # The mirror image of a posture that is out is out too, and up as much.
    mirrored = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) * q
    for name in POSTURES:
        there = posture_rule(name, RIGHT.model, RIGHT._kernels).margin(mirrored)
        here = posture_rule(name, LEFT.model, LEFT._kernels).margin(q)
        np.testing.assert_allclose(there, here, rtol=0, atol=1e-12)


@needs_native
@pytest.mark.parametrize("posture", POSTURES)
@pytest.mark.parametrize("arm", [LEFT, RIGHT], ids=["left", "right"])
def test_ik_gives_the_solution_that_is_most_so(arm: Arm, posture: str) -> None:
    T = arm.fk(uniform(arm, 12))
    rule = posture_rule(posture, arm.model, arm._kernels)
    result = arm.ik(T, posture=posture)
    for i, pose in enumerate(T):
        best = rule.margin(every_solution(arm, pose)).max()
        if result.solved[i]:
            assert rule.margin(result.q[i : i + 1])[0] >= best - 1e-6
            assert result.position_error[i] < 1e-10
        else:
            assert result.status[i] == IkStatus.POSTURE
            assert best <= 1e-6


@needs_native
def test_a_posture_that_no_solution_has_is_a_status() -> None:
    T = LEFT.fk(REACH)
    result = LEFT.ik(T, posture=REACH + 3.0)
    assert result.status is IkStatus.POSTURE
    assert "posture" in str(result.status)
    assert np.isnan(result.q).all()
    beyond = T.copy()
    beyond[0, 3] += 2.0
    statuses = LEFT.ik(np.stack([T, beyond, T]), posture="elbow_up").status.tolist()
    assert statuses == [IkStatus.SOLVED, IkStatus.OUT_OF_REACH, IkStatus.SOLVED]


@needs_native
def test_an_objective_chooses_within_a_posture() -> None:
    T = LEFT.fk(REACH)
    free = LEFT.ik(T, objective="manipulability").q
    up = LEFT.ik(T, objective="manipulability", posture="elbow_up").q
    assert height(LEFT, up) > 0.0
    q = every_solution(LEFT, T)
    best = LEFT.manipulability(q[height(LEFT, q) > 0.0]).max()
    assert LEFT.manipulability(up) >= best - 1e-4
    assert LEFT.manipulability(free) >= LEFT.manipulability(up)


def test_reference_posture_is_the_nearest_solution() -> None:
    T = LEFT.fk(REACH)
    near = REACH + 0.1
    assert np.abs(LEFT.ik(T, posture=near).q - LEFT.ik(T, near, "nearest").q).max() < 1e-6
    named = LEFT.named(near)
    assert (LEFT.ik(T, posture=named).q == LEFT.ik(T, posture=near).q).all()


def test_ik_all_keeps_the_solutions_of_a_posture() -> None:
    T = LEFT.fk(uniform(LEFT, 30))
    e0 = 0.4
    both = LEFT.ik_all(T, e0)
    up = LEFT.ik_all(T, e0, posture="elbow_up")
    for row, kept in zip(both, up, strict=True):
        row, kept = row[~np.isnan(row[:, 0])], kept[~np.isnan(kept[:, 0])]
        assert (kept == row[height(LEFT, row) > 0.0]).all()
    one = LEFT.ik_all(T[0], e0, posture="elbow_up")
    assert one.ndim == 2


@needs_native
@pytest.mark.parametrize("posture", POSTURES)
def test_path_stays_in_a_posture_and_makes_the_most_of_it(posture: str) -> None:
    Ts = circle(LEFT, 60)
    rule = posture_rule(posture, LEFT.model, LEFT._kernels)
    path = LEFT.ik_path(Ts, posture=posture)
    assert path.solved
    assert rule.keeps(path.q).all()
    distance, angle = spatial.pose_error(LEFT.fk(path.q), Ts)
    assert max(distance.max(), angle.max()) < 1e-9
    assert LEFT.limits.contains(path.q, 0.0).all()
    pointwise = rule.margin(LEFT.ik(Ts, posture=posture).q)
    # Pose by pose the best may be on another branch, where no continuous path leads to.
    assert rule.margin(path.q).mean() >= pointwise.mean() - 5e-3
    assert path.largest_step < 0.1


@needs_native
@pytest.mark.parametrize("objective", ["limits", "manipulability", "gravity"])
def test_path_follows_an_objective(objective: str) -> None:
    Ts, half = circle(LEFT, 60), 0.5 * (LEFT.limits.upper - LEFT.limits.lower)
    costs = {
        "limits": lambda q: np.abs((q - LEFT.limits.middle) / half).max(axis=-1),
        "manipulability": lambda q: -LEFT.manipulability(q),
        "gravity": lambda q: np.linalg.norm(LEFT.gravity(q), axis=-1),
    }
    cost = costs[objective]
    plain, better = (cost(LEFT.ik_path(Ts, objective=o).q).mean() for o in (None, objective))
    pointwise = cost(LEFT.ik(Ts, objective=objective).q).mean()
    assert better <= plain
    assert better - pointwise <= 0.1 * (plain - pointwise) + 0.02 * abs(pointwise)


@needs_native
def test_path_follows_a_function() -> None:
    Ts = circle(LEFT, 30)
    by_name = LEFT.ik_path(Ts, objective="manipulability").q
    by_function = LEFT.ik_path(Ts, objective=lambda q: -LEFT.manipulability(q)).q
    assert (by_name == by_function).all()


@needs_native
def test_path_with_a_start_keeps_it_and_its_speeds() -> None:
    Ts, times = circle(LEFT, 80), np.linspace(0.0, 4.0, 80)
    start = LEFT.ik(Ts[0], posture="elbow_up").q
    path = LEFT.ik_path(Ts, seed=start, times=times, objective="manipulability")
    assert path.solved
    assert (path.q[0] == start).all()
    speed = np.abs(np.diff(path.q, axis=0)) / np.diff(times)[:, None]
    assert (speed <= LEFT.limits.velocity + 1e-9).all()
    assert LEFT.manipulability(path.q[-1]) > LEFT.manipulability(LEFT.ik_path(Ts, seed=start).q[-1])


@needs_native
def test_path_that_leaves_a_posture_breaks_and_says_so() -> None:
    q = np.linspace([0, -0.5, 0.5, 1, 0, 1, 0], [0, -0.5, 2.9, 1, 0, 1, 0], 60)
    up = height(LEFT, q)
    assert up[0] > 0.0 > up[-1]
    Ts = LEFT.fk(q)
    path = LEFT.ik_path(Ts, seed=q[0], posture=q[0])
    assert not path.solved
    assert path.status is IkStatus.POSTURE
    assert path.broken_at is not None
    assert (
        "no continuous path was found there with every joint within a quarter turn" in path.reason
    )
    assert np.isfinite(path.q[: path.broken_at]).all()
    assert np.isnan(path.q[path.broken_at :]).all()


@needs_native
def test_both_arms_take_postures() -> None:
    robot = Baxter(LEFT, RIGHT)
    Ts = circle(LEFT, 20)
    path = robot.hands.ik_path(Ts, spatial.mirrored(Ts), posture="elbow_up")
    assert (height(LEFT, path.q_left) > 0.0).all()
    assert (height(RIGHT, path.q_right) > 0.0).all()
    pair = robot.hands.ik(Ts[0], spatial.mirrored(Ts[0]), posture=("elbow_out", None))
    assert pair.solved
    with pytest.raises(InputError, match="posture must be a name, or a pair"):
        robot.hands.ik(Ts[0], spatial.mirrored(Ts[0]), posture=np.zeros(7))


def test_numpy_backend_has_postures_too() -> None:
    twin = numpy_twin(LEFT)
    T = LEFT.fk(REACH)
    q = twin.ik(T, posture="elbow_up").q
    assert height(LEFT, q) > 0.0
    if native.load() is not None:
        assert height(LEFT, q) >= height(LEFT, LEFT.ik(T, posture="elbow_up").q) - 1e-3


def test_bad_postures_are_refused() -> None:
    T = LEFT.fk(REACH)
    with pytest.raises(UnknownNameError, match=r"unknown posture 'elbow_left'; .*: elbow_up"):
        LEFT.ik(T, posture="elbow_left")
    with pytest.raises(ShapeError, match="posture must be a name or 7 joint positions"):
        LEFT.ik(T, posture=np.zeros((2, 7)))
    with pytest.raises(InputError, match="posture needs the exact solver on poses"):
        LEFT.ik(Position([0.6, 0.3, 0.2]), posture="elbow_up")
    with pytest.raises(InputError, match="posture needs the exact solver on poses"):
        LEFT.ik(T, method="lm", posture="elbow_up")
    with pytest.raises(InputError, match="a path has no objective 'quick'"):
        LEFT.ik_path(T[None], objective="quick")
