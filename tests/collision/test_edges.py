"""Swept checks: what is called free is free all the way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import problems
import pytest
from tolerances import SPATIAL

from baxterkit import Arm, Baxter, _native
from baxterkit.collision import World
from baxterkit.collision.motion import axis_reaches
from baxterkit.collision.primitives import _capsule_rows
from baxterkit.errors import InputError, ShapeError, UnknownNameError

ROBOT = Baxter()
PLAIN = Baxter(Arm("left", backend="numpy"), Arm("right", backend="numpy"))
LOWER, UPPER = (np.tile(x, 2) for x in (ROBOT.left.limits.lower, ROBOT.left.limits.upper))
DENSE = 1e-4
"""Step of the samples that an edge is compared with [rad]."""


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)


def random_edges(n: int, name: str, length: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Edges that begin free; `length` is that of the joint vector [rad]."""
    rng = problems.generator(name)
    q0 = rng.uniform(LOWER, UPPER, (3 * n, 14))
    q0 = q0[~ROBOT.in_collision(q0[:, :7], q0[:, 7:])][:n]
    step = rng.normal(size=q0.shape)
    step[::3, 7:] = 0.0  # one arm alone
    step *= length * rng.uniform(0.1, 1.0, (n, 1)) / np.linalg.norm(step, axis=-1, keepdims=True)
    return q0, np.clip(q0 + step, LOWER, UPPER)


def sampled_clearance(q0: np.ndarray, q1: np.ndarray, clear: bool) -> np.ndarray:
    """Least clearance of dense samples; of those called free only whether one touches."""
    least = np.empty(len(q0))
    for i, (a, b) in enumerate(zip(q0, q1, strict=True)):
        t = np.linspace(0.0, 1.0, 2 + int(np.abs(b - a).max() / DENSE))[:, None]
        q = a + t * (b - a)
        if clear:
            least[i] = ROBOT.clearance(q[:, :7], q[:, 7:]).min()
        else:
            least[i] = -float(np.any(ROBOT.in_collision(q[:, :7], q[:, 7:])))
    return least


@pytest.mark.parametrize(
    "n", [250, pytest.param(100_000, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
def test_a_free_edge_is_free_at_dense_samples(n: int) -> None:
    q0, q1 = random_edges(n, "edges")
    free = ROBOT.edge_free(q0, q1)
    assert 0.5 < free.mean() < 0.98
    assert (sampled_clearance(q0[free], q1[free], clear=False) == 0.0).all()
    some = slice(0, max(n // 100, 250))
    gap = sampled_clearance(q0[some], q1[some], clear=True)
    assert free[some][gap > 0.005].mean() >= 0.99
    assert not free[some][gap < 0.0].any()


@pytest.mark.parametrize("length", [2.0, 8.0])
def test_long_edges_with_a_thing_in_the_hand_are_free_at_dense_samples(length: float) -> None:
    world = World()
    rng = problems.generator("crumbs")
    crumbs = rng.uniform([0.3, -1.0, -0.5], [1.2, 1.0, 1.0], (40, 3))
    world.add_points("crumbs", crumbs, 0.01)
    world.add_box("tray", (0.1, 0.35, 0.03), [0.0, 0.0, 0.0])
    world.attach("tray", "left", [0.0, 0.0, 0.03])
    q0, q1 = random_edges(2500, "long edges", length)
    free = np.asarray(ROBOT.scene(world).edge_free(q0, q1))
    assert 100 < free.sum() < 2400
    t = np.linspace(0.0, 1.0, 300)[:, None, None]
    q = q0[free] + t * (q1 - q0)[free]
    assert not np.any(ROBOT.scene(world).in_collision(q[..., :7], q[..., 7:]))
    # What is refused has a reason: something touches, or nearly.
    q = q0[~free][:300] + t * (q1 - q0)[~free][:300]
    gap = ROBOT.scene(world).clearance(q[..., :7], q[..., 7:]).min(axis=0)
    assert gap.max() < 0.005


def test_every_instruction_set_and_every_batch_says_the_same(isa: str) -> None:
    q0, q1 = random_edges(60, "instruction sets")
    free = ROBOT.edge_free(q0, q1)
    single = [ROBOT.edge_free(a, b) for a, b in zip(q0, q1, strict=True)]
    assert all(type(answer) is bool for answer in single)
    assert (free == single).all()
    assert (ROBOT.edge_free(q1, q0) == free).all()
    _native.use_isa(_native.isas()[0])
    assert (ROBOT.edge_free(q0, q1) == free).all()


def test_an_edge_that_only_passes_through_the_body_is_not_free() -> None:
    """Both ends are free; the arm swings through the other one between them."""
    left = np.array([-1.1, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
    right = np.array([1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
    high, low = left.copy(), left.copy()
    high[1], low[1] = -0.8, 0.4
    ends = [np.concatenate([q, right]) for q in (high, low)]
    for end in ends:
        assert not ROBOT.in_collision(end[:7], end[7:])
    assert ROBOT.in_collision(left, right)
    assert not ROBOT.edge_free(*ends)
    assert ROBOT.scene(without=(("left", "right"),)).edge_free(*ends)


def test_an_edge_without_length_is_a_configuration() -> None:
    rng = problems.generator("points")
    q = rng.uniform(LOWER, UPPER, (300, 14))
    gap = ROBOT.clearance(q[:, :7], q[:, 7:])
    assert (ROBOT.edge_free(q, q) == (gap >= 0.0)).all()
    assert (ROBOT.scene(margin=0.03).edge_free(q, q) == (gap >= 0.03)).all()


@pytest.mark.parametrize("turn", [1e4, 1e20, 1e39, 1e200])
def test_an_edge_too_long_to_be_swept_is_not_free(isa: str, turn: float) -> None:
    q = np.concatenate([ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")])
    far = q.copy()
    far[6] += turn
    assert not ROBOT.edge_free(q, far)


def test_a_margin_keeps_the_distance_all_the_way() -> None:
    q0, q1 = random_edges(80, "padding", 0.3)
    free = ROBOT.scene(margin=0.02).edge_free(q0, q1)
    assert 0.2 < free.mean() < 0.9
    assert (sampled_clearance(q0[free], q1[free], clear=True) >= 0.02).all()


def test_numpy_agrees_where_there_is_room() -> None:
    q0, q1 = random_edges(8, "numpy edges", 0.03)
    gap = sampled_clearance(q0, q1, clear=True)
    q0, q1 = q0[gap > 0.02], q1[gap > 0.02]
    assert len(q0) >= 3
    assert PLAIN.edge_free(q0, q1).all()
    assert ROBOT.edge_free(q0, q1).all()
    across = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
    touching = np.concatenate([across, across * [-1, 1, -1, 1, -1, 1, -1]])
    assert not PLAIN.edge_free(touching, touching + 0.01)


def test_no_point_is_farther_from_an_axis_than_its_bound() -> None:
    rows = _capsule_rows(ROBOT.left.model, (1.0, 1.0))
    reaches = axis_reaches(ROBOT.left.model, rows, 8)
    q = problems.generator("reaches").uniform(LOWER[:7], UPPER[:7], (2000, 7))
    Ts = ROBOT.left.link_poses(q)
    found = np.zeros_like(reaches)
    for row in rows:
        k = int(row[0])
        T = Ts[:, min(k, 6)]
        for end in (row[1:4], row[4:7]):
            points = T[:, :3, :3] @ end + T[:, :3, 3]
            for j in range(min(k, 6) + 1):
                apart = np.cross(Ts[:, j, :3, 2], points - Ts[:, j, :3, 3])
                far = np.linalg.norm(apart, axis=-1).max() + row[7]
                found[k, j] = max(found[k, j], far)
    assert (found <= reaches + SPATIAL).all()
    assert (found >= 0.9 * reaches).all()


def test_edges_broadcast_and_bad_ones_are_refused() -> None:
    q0, q1 = random_edges(6, "shapes")
    grid = ROBOT.edge_free(q0[:, None], q1[:4])
    assert grid.shape == (6, 4)
    assert grid[2, 3] == ROBOT.edge_free(q0[2], q1[3])
    assert ROBOT.edge_free(q0[:0], q1[:0]).shape == (0,)
    with pytest.raises(ShapeError, match="q0 must have 14 values"):
        ROBOT.edge_free(q0[:, :7], q1)
    with pytest.raises(InputError, match="q1"):
        ROBOT.edge_free(q0[0], np.full(14, np.nan))
    with pytest.raises(ShapeError, match="do not broadcast"):
        ROBOT.edge_free(q0[:2], q1[:3])
    with pytest.raises(UnknownNameError, match="elbow"):
        ROBOT.scene(without=(("elbow", "torso"),)).edge_free(q0[0], q1[0])
