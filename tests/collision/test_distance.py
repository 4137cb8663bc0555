"""Distances of segments and boxes, against minimisation by brute force."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from tolerances import CORE_DISTANCE, assert_close

from baxterkit.collision.distance import segment_box, segments

N = 300
GRID = np.linspace(0.0, 1.0, 2001)


def sample_segments(n: int, name: str) -> tuple[np.ndarray, ...]:
    rng = problems.generator(name)
    p, q = rng.uniform(-1.0, 1.0, (2, n, 3))
    d, e = rng.normal(size=(2, n, 3)) * rng.uniform(0.01, 1.0, (2, n, 1))
    d[: n // 10], e[: n // 10] = e[: n // 10], e[: n // 10] * 0.7  # parallel
    d[n // 10 : n // 5, 1:] = 0.0  # along an axis
    return p, d, q, e


def point_segment(x: np.ndarray, q: np.ndarray, e: np.ndarray) -> np.ndarray:
    t = np.clip(((x - q) * e).sum(-1) / (e * e).sum(-1), 0.0, 1.0)
    return np.linalg.norm(x - q - t[..., None] * e, axis=-1)


def test_segments_are_nearest_where_a_fine_grid_says() -> None:
    p, d, q, e = sample_segments(N, "segments")
    a, b = segments(p, d, q, e)
    found = np.linalg.norm(a - b, axis=-1)
    points = p[:, None] + GRID[:, None] * d[:, None]
    grid = point_segment(points, q[:, None], e[:, None]).min(axis=1)
    step = np.linalg.norm(d, axis=-1) / 2000.0
    assert (found <= grid + CORE_DISTANCE).all()
    assert (found >= grid - step).all()
    # The points lie on the segments.
    assert_close(point_segment(a, p, d), np.zeros(N), CORE_DISTANCE)
    assert_close(point_segment(b, q, e), np.zeros(N), CORE_DISTANCE)


def test_segments_satisfy_the_conditions_of_a_minimum() -> None:
    """Of a convex function they prove it: no descent along either segment within its ends."""
    p, d, q, e = sample_segments(N, "optimality")
    a, b = segments(p, d, q, e)
    for point, start, span, other in ((a, p, d, b), (b, q, e, a)):
        t = ((point - start) * span).sum(-1) / (span * span).sum(-1)
        slope = ((point - other) * span).sum(-1)
        assert (slope[t < 1.0 - 1e-9] >= -CORE_DISTANCE).all()
        assert (slope[t > 1e-9] <= CORE_DISTANCE).all()


def test_a_segment_and_a_box_are_nearest_where_a_fine_grid_says() -> None:
    p, d, _, _ = sample_segments(N, "boxes")
    half = problems.generator("sides").uniform(0.0, 0.5, (N, 3))
    half[::7, 1] = 0.0
    a, b = segment_box(p, d, half)
    found = np.linalg.norm(a - b, axis=-1)
    points = p[:, None] + GRID[:, None] * d[:, None]
    outside = points - np.clip(points, -half[:, None], half[:, None])
    grid = np.linalg.norm(outside, axis=-1).min(axis=1)
    step = np.linalg.norm(d, axis=-1) / 2000.0
    assert (found <= grid + CORE_DISTANCE).all()
    assert (found >= grid - step).all()
    assert (np.abs(b) <= half + CORE_DISTANCE).all()
    assert (found == 0.0).sum() > N // 20  # some pierce the box


@pytest.mark.parametrize("axis", range(3))
def test_a_segment_along_a_side_is_as_far_as_the_side(axis: int) -> None:
    half = np.array([0.3, 0.2, 0.1])
    p, d = np.zeros(3), np.zeros(3)
    other = (axis + 1) % 3
    p[axis], d[axis], p[other] = -1.0, 2.0, half[other] + 0.05
    a, b = segment_box(p, d, half)
    assert_close(np.linalg.norm(a - b), 0.05, CORE_DISTANCE)
