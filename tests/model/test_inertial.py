"""Bodies of uniform density."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import spatial
from baxterkit.model.inertial import uniform
from baxterkit.model.shape import Solid

CELLS = 120
"""Cells along each axis of the grid that a solid is summed over."""
GRID = 5e-3
"""Share by which sums over that grid deviate."""


def contains(kind: str, size: tuple[float, ...], p: np.ndarray) -> np.ndarray:
    if kind == "box":
        return (np.abs(p) <= 0.5 * np.array(size)).all(axis=-1)
    radius, height = size[-1], size[0] if len(size) == 2 else 0.0
    if kind == "cylinder":
        return (np.hypot(p[:, 0], p[:, 1]) <= radius) & (np.abs(p[:, 2]) <= 0.5 * height)
    beyond = np.maximum(np.abs(p[:, 2]) - 0.5 * height, 0.0)
    return p[:, 0] ** 2 + p[:, 1] ** 2 + beyond**2 <= radius**2


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("box", (0.2, 0.3, 0.1)),
        ("sphere", (0.2,)),
        ("capsule", (0.2, 0.1)),
        ("cylinder", (0.3, 0.1)),
    ],
)
def test_inertia_of_uniform_density_is_the_sum_over_the_solid(
    kind: str, size: tuple[float, ...]
) -> None:
    x = (np.arange(CELLS) + 0.5) / CELLS * 0.4 - 0.2
    p = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    T = spatial.transform(spatial.rpy_to_matrix([0.3, -0.5, 1.1]), [0.1, -0.2, 0.3])
    p = p[contains(kind, size, p)] @ T[:3, :3].T + T[:3, 3]
    away = p - T[:3, 3]
    summed = 2.5 * ((away**2).sum() * np.eye(3) - away.T @ away) / len(p)
    body = uniform(Solid(kind, size, T), 2.5).check()
    assert body.mass == 2.5
    np.testing.assert_allclose(body.com, T[:3, 3], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(body.inertia, summed, rtol=0.0, atol=GRID * np.abs(summed).max())
