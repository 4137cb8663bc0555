"""Verdicts and clearances of the whole robot."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import problems
import pytest
from tolerances import CLEARANCE_NATIVE, CLEARANCE_SLOPE, assert_close

from baxterkit import Arm, Baxter, _native
from baxterkit.collision import LINKS, Nearest, World
from baxterkit.errors import InputError, ShapeError, UnknownNameError

ROBOT = Baxter(Arm("left", mount="pykdl_robot"), Arm("right"))
PLAIN = Baxter(Arm("left", mount="pykdl_robot", backend="numpy"), Arm("right", backend="numpy"))
N = 40


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)


def configurations(
    n: int, name: str = "configurations"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = problems.generator(name)
    low, high = ROBOT.left.limits.lower, ROBOT.left.limits.upper
    left, right = rng.uniform(low, high, (2, n, 7))
    return left, right, rng.uniform(-1.3, 1.3, n)


@cache
def slow_nearest() -> Nearest:
    """What the reference says, the same for every instruction set."""
    left, right, head = configurations(N)
    return PLAIN.scene(opening=(0.3, 0.9)).nearest(left, right, head)


def test_native_nearest_equals_the_reference(isa: str) -> None:
    left, right, head = configurations(N)
    fast = ROBOT.scene(opening=(0.3, 0.9)).nearest(left, right, head)
    slow = slow_nearest()
    assert_close(fast.clearance, slow.clearance, CLEARANCE_NATIVE)
    apart = np.abs(slow.clearance) > 0.0
    assert (fast.pair == slow.pair)[apart].all()
    # Where the cores meet, any point of the common part will do.
    outside = np.abs(slow.gradient).max(axis=-1) > 0.0
    assert outside.sum() > N // 2
    assert_close(fast.points[outside], slow.points[outside], 1e3 * CLEARANCE_NATIVE)
    assert_close(fast.gradient[outside], slow.gradient[outside], 1e3 * CLEARANCE_NATIVE)
    assert (ROBOT.scene(opening=(0.3, 0.9)).clearance(left, right, head) == fast.clearance).all()


DEEP = np.array(
    [
        [-1.09, 0.22, -0.28, 2.01, -0.05, 1.52, 1.94, 0.61, -0.17, -0.29, 0.77, 2.19, 0.39, -1.38],
        [-1.46, 0.17, 1.51, 0.19, 2.63, -1.06, -1.48, 0.43, 0.94, 1.0, 1.94, 2.48, -0.73, 0.79],
        [1.08, 0.25, -0.55, 1.6, -1.3, 1.93, -0.33, 0.04, -1.04, 2.97, 2.49, -2.6, 1.78, -2.15],
        [1.24, 0.95, 0.62, 1.43, 2.23, -1.43, -1.89, 1.38, 0.08, -1.03, 1.46, -1.85, 1.1, -1.6],
    ]
)
"""A hand is so deep in the torso that the overlap is more than the hand's own size."""


PANS = [0.8, -1.14, 1.13, 0.85]


@cache
def slow_deep() -> Nearest:
    return PLAIN.nearest(DEEP[:, :7], DEEP[:, 7:], PANS)


def test_a_small_link_deep_inside_a_large_one_is_the_nearest(isa: str) -> None:
    fast = ROBOT.nearest(DEEP[:, :7], DEEP[:, 7:], PANS)
    slow = slow_deep()
    assert (slow.clearance < -0.08).all()
    assert_close(fast.clearance, slow.clearance, CLEARANCE_NATIVE)


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.05])
def test_verdicts_agree_with_the_clearance(isa: str, margin: float) -> None:
    left, right, head = configurations(5000, "verdicts")
    hits = ROBOT.scene(margin=margin).in_collision(left, right, head)
    gap = ROBOT.clearance(left, right, head)
    sure = np.abs(gap - margin) > CLEARANCE_NATIVE
    assert (hits == (gap < margin))[sure].all()
    assert 0.2 < np.mean(hits) < 0.7


def test_one_configuration_is_answered_like_a_batch(isa: str) -> None:
    left, right, head = configurations(500, "single")
    batch = ROBOT.in_collision(left, right, head)
    single = [ROBOT.in_collision(a, b, float(c)) for a, b, c in zip(left, right, head, strict=True)]
    assert all(type(verdict) is bool for verdict in single)
    assert (batch == single).all()
    for n in (1, 2, 3, 5, 9):
        assert (ROBOT.in_collision(left[:n], right[:n], head[:n]) == batch[:n]).all()


def test_the_nearest_pair_does_not_depend_on_what_else_is_asked(isa: str) -> None:
    left, right, head = configurations(60, "batches")
    held = World()
    held.add_box("crate", (0.3, 0.25, 0.2), [0.8, 0.0, 0.3])
    held.attach("crate", "left", np.eye(4))
    for world in (None, held):
        whole = ROBOT.scene(world).nearest(left, right, head)
        for n in (1, 2, 7, 8, 9, 16, 17, 59):
            first = ROBOT.scene(world).nearest(left[:n], right[:n], head[:n])
            assert (first.clearance == whole.clearance[:n]).all()
            assert (first.pair == whole.pair[:n]).all()
            assert (first.points == whole.points[:n]).all()
            assert (first.gradient == whole.gradient[:n]).all()
        backwards = ROBOT.scene(world).clearance(left[::-1], right[::-1], head[::-1])
        assert (backwards[::-1] == whole.clearance).all()


def test_numpy_verdicts_equal_native_ones() -> None:
    left, right, head = configurations(6, "numpy")
    off = (("left", "right"), ("right", "right"), ("right", "torso"))
    expected = ROBOT.scene(without=off).in_collision(left, right, head)
    assert (PLAIN.scene(without=off).in_collision(left, right, head) == expected).all()
    assert PLAIN.scene(without=off).in_collision(left[0], right[0], head[0]) == expected[0]


def test_gradient_matches_central_differences() -> None:
    left, right, head = configurations(400, "gradient")
    q, h = np.concatenate([left, right], axis=-1), 1e-6
    found = ROBOT.nearest(left, right, head)
    rates, same = np.empty((len(q), 14)), np.ones(len(q), dtype=bool)
    for joint in range(14):
        step = h * np.eye(14)[joint]
        ends = [ROBOT.nearest((q + s)[:, :7], (q + s)[:, 7:], head) for s in (step, -step)]
        rates[:, joint] = (ends[0].clearance - ends[1].clearance) / (2.0 * h)
        for end in ends:  # away from where another pair, or another side of a box, takes over
            same &= (end.pair == found.pair).all(axis=-1)
            same &= np.abs(end.gradient - found.gradient).max(axis=-1) < 1e-3
    smooth = same & (np.abs(found.gradient).max(axis=-1) > 0.0)
    assert smooth.sum() > 150
    assert_close(found.gradient[smooth], rates[smooth], CLEARANCE_SLOPE)


def test_nearest_points_are_as_far_apart_as_the_clearance() -> None:
    left, right, head = configurations(400, "points")
    found = ROBOT.nearest(left, right, head)
    free = found.clearance > 0.0
    assert free.sum() > 100
    distance = np.linalg.norm(found.points[:, 0] - found.points[:, 1], axis=-1)
    assert_close(distance[free], found.clearance[free], 10.0 * CLEARANCE_NATIVE)


def test_the_named_configurations_are_free() -> None:
    for name in ("neutral", "untuck", "tuck"):
        assert not ROBOT.in_collision(
            ROBOT.left.configuration(name), ROBOT.right.configuration(name)
        )
    assert not ROBOT.in_collision(np.zeros(7), np.zeros(7))


def test_arms_that_cross_touch_and_the_pair_has_a_name() -> None:
    left = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
    right = left * np.array([-1, 1, -1, 1, -1, 1, -1])
    assert ROBOT.in_collision(left, right)
    found = ROBOT.nearest(left, right)
    assert found.clearance < 0.0
    first, second = found.names
    assert first.startswith("left_")
    assert second.startswith("right_")
    # The check of arm against arm can be switched off.
    assert not ROBOT.scene(without=(("left", "right"),)).in_collision(left, right)
    assert ROBOT.scene(without=[("left", "right")]).clearance(left, right) > 0.0


def test_open_hands_reach_farther_than_closed_ones() -> None:
    robot = Baxter(ROBOT.left.replace(tool="electric_extended"), Arm("right", "electric_standard"))
    left, right, head = configurations(3000, "hands")
    wide = robot.clearance(left, right, head)
    closed = robot.scene(opening=0.0).clearance(left, right, head)
    assert np.abs(wide - closed).max() > 0.005
    assert np.abs(wide - closed).max() <= 2.0 * 0.020833 + CLEARANCE_NATIVE


def test_leading_axes_broadcast() -> None:
    left, right, head = configurations(6, "shapes")
    grid = ROBOT.in_collision(left[:, None], right[:3], head[0])
    assert grid.shape == (6, 3)
    for i in range(6):
        for j in range(3):
            assert grid[i, j] == ROBOT.in_collision(left[i], right[j], head[0])
    assert ROBOT.clearance(left[:0], right[:0]).shape == (0,)
    out = np.empty(6)
    assert ROBOT.clearance(left, right[0], out=out) is out
    assert ROBOT.nearest(left, right[0]).points.shape == (6, 2, 3)


def test_bad_input_is_refused_by_name_and_value() -> None:
    q = np.zeros(7)
    with pytest.raises(InputError, match=r"q_right\[2\] = nan"):
        ROBOT.in_collision(q, [0, 0, np.nan, 0, 0, 0, 0])
    with pytest.raises(ShapeError, match="q_left must have 7 values"):
        ROBOT.in_collision(q[:6], q)
    with pytest.raises(InputError, match="head = inf"):
        ROBOT.clearance(q, q, np.inf)
    with pytest.raises(ShapeError, match="leading axes do not broadcast"):
        ROBOT.clearance(np.zeros((2, 7)), np.zeros((3, 7)))
    with pytest.raises(InputError, match=r"opening = 1\.5 must be from 0"):
        ROBOT.scene(opening=1.5)
    with pytest.raises(InputError, match="margin = nan"):
        ROBOT.scene(margin=np.nan)
    with pytest.raises(UnknownNameError, match="unknown link 'elbow'"):
        ROBOT.scene(without=(("elbow", "torso"),))


def test_names_are_those_of_the_links() -> None:
    found = ROBOT.nearest(ROBOT.left.configuration("tuck"), ROBOT.right.configuration("tuck"))
    assert set(found.names) <= set(LINKS)
    with pytest.raises(InputError, match="names are of one configuration"):
        _ = ROBOT.nearest(np.zeros((2, 7)), np.zeros(7)).names


def test_one_message_of_the_robot_serves_both_arms() -> None:
    left, right = ROBOT.left.configuration("untuck"), ROBOT.right.configuration("neutral")
    whole = {**ROBOT.right.named(right), **ROBOT.left.named(left)}
    assert ROBOT.clearance(whole, whole) == ROBOT.clearance(left, right)
    with pytest.raises(InputError, match="q_right holds joints of the left arm"):
        ROBOT.in_collision(whole, ROBOT.left.named(left))


@pytest.mark.slow
def test_nearest_of_no_pair_has_no_points_and_no_gradient() -> None:
    """Where all pairs are switched off, nothing of the memory that was there before is returned."""
    off = (("left", "right"), *((side, part) for side in ("left", "right") for part in LINKS))
    for robot in (ROBOT, PLAIN):
        q = [arm.limits.middle for arm in (robot.left, robot.right)]
        robot.nearest(*(np.tile(row, (200, 1)) for row in q))  # leaves numbers on the stack
        for shape in ((7,), (70, 7)):
            near = robot.scene(without=off).nearest(*(np.broadcast_to(row, shape) for row in q))
            assert (near.pair == -1).all()
            assert (near.clearance == 1000.0).all()
            assert np.isnan(near.points).all()
            assert (near.gradient == 0.0).all()
