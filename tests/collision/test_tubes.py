"""Tubes in joint space: what is called free is free, at every configuration inside."""

from __future__ import annotations

import numpy as np
import pytest
from problems import generator

from baxterkit import Baxter
from baxterkit.collision import World
from baxterkit.collision.motion import BLOCKED, FREE, OPEN
from baxterkit.errors import InputError

ROBOT = Baxter()
LIMITS = ROBOT.left.limits
PADDING = 0.005


def clear_starts(rng: np.random.Generator, n: int, gap: float = 0.01) -> np.ndarray:
    """Configurations of both arms at least `gap` [m] clear, shape (n, 14)."""
    q = rng.uniform(np.tile(LIMITS.lower, 2), np.tile(LIMITS.upper, 2), (8 * n, 14))
    q = q[ROBOT.clearance(q[:, :7], q[:, 7:]) > gap]
    assert len(q) >= n
    return q[:n]


def world() -> World:
    made = World()
    made.add_box("table", (0.8, 1.6, 0.05), [0.8, 0.0, -0.2])
    made.add_cylinder("post", 1.0, 0.05, [0.7, 0.4, 0.2])
    made.add_sphere("ball", 0.1, [0.5, -0.5, 0.5])
    return made


@pytest.mark.parametrize(
    "n", [400, pytest.param(100_000, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
@pytest.mark.parametrize("around", [None, world()], ids=["bare", "world"])
def test_no_configuration_of_a_free_tube_touches(n: int, around: World | None) -> None:
    rng = generator("tubes")
    checker = ROBOT.scene(around, opening=((0.0, 1.0), (0.5, 0.5))).checker
    free = 0
    for _ in range(0, n, 400):
        q = clear_starts(rng, 400)
        line = rng.uniform(-0.3, 0.3, q.shape) * (rng.random(q.shape) < 0.5)
        width = rng.uniform(0.0, 0.05, q.shape) * (rng.random(q.shape) < 0.5)
        head = rng.uniform(-1.0, 1.0, len(q))
        verdict, _ = checker.tubes(q, q + line, width, head, PADDING, 300)
        inside = (
            q[:, None]
            + rng.random((len(q), 40, 1)) * line[:, None]
            + rng.choice([-1.0, 1.0, 0.3], (len(q), 40, 14)) * width[:, None]
        )
        gap = checker.clearance(inside[..., :7], inside[..., 7:], head[:, None]).min(axis=1)
        assert (gap[verdict == FREE] >= PADDING).all()
        free += int((verdict == FREE).sum())
    assert free > 0.2 * n


def test_a_tube_without_width_is_an_edge() -> None:
    rng = generator("tubes as edges")
    q = clear_starts(rng, 300)
    to = q + rng.uniform(-0.3, 0.3, q.shape)
    verdict, where = ROBOT.scene().checker.tubes(
        q, to, np.zeros_like(q), np.zeros(300), PADDING, 100_000
    )
    edges = ROBOT.scene(margin=PADDING).edge_free(q, to)
    assert np.array_equal(verdict == FREE, edges)
    assert set(verdict.tolist()) == {BLOCKED, FREE}
    hit = where[verdict == BLOCKED]
    assert (ROBOT.clearance(hit[:, :7], hit[:, 7:]) < PADDING + 1e-3).all()


def test_what_is_not_decided_is_said() -> None:
    rng = generator("open tubes")
    q = clear_starts(rng, 50)
    verdict, _ = ROBOT.scene().checker.tubes(q, q, np.full_like(q, 0.1), np.zeros(50), PADDING, 1)
    assert OPEN in verdict
    with pytest.raises(InputError, match="finite"):
        ROBOT.scene().checker.tubes(q, q, np.full_like(q, np.nan), np.zeros(50), PADDING, 1)


@pytest.mark.slow
def test_the_reference_agrees() -> None:
    """NumPy's bounds are wider: what it calls free is free for the kernel too."""
    rng = generator("reference tubes")
    q = clear_starts(rng, 6, 0.08)
    line = rng.uniform(-0.02, 0.02, q.shape)
    width = rng.uniform(0.0, 0.003, q.shape)
    slow = Baxter(
        left=ROBOT.left.replace(backend="numpy"), right=ROBOT.right.replace(backend="numpy")
    )
    arguments = (q, q + line, width, np.zeros(len(q)), PADDING)
    readable, _ = slow.scene().checker.tubes(*arguments, 200)
    fast, _ = ROBOT.scene().checker.tubes(*arguments, 200)
    assert (readable == FREE).any()
    assert (fast[readable == FREE] == FREE).all()


def test_fingers_of_unknown_opening_are_checked_at_every_one() -> None:
    rng = generator("openings")
    q = clear_starts(rng, 200)
    left, right = q[:, :7], q[:, 7:]
    every = [
        ROBOT.scene(opening=(x, 0.7)).checker.clearance(left, right) for x in np.linspace(0, 1, 33)
    ]
    swept = ROBOT.scene(opening=((0.0, 1.0), (0.7, 0.7))).checker.clearance(left, right)
    least = np.min(every, axis=0)
    assert (swept <= least + 1e-9).all()
    assert (swept >= least - 0.003).all()
    with pytest.raises(InputError, match="the least of a hand comes first"):
        ROBOT.scene(opening=((0.5, 0.2), (0.0, 1.0)))
