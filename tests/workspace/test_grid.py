from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, spatial
from baxterkit.errors import InputError
from baxterkit.workspace import Grid, orientations, reach_box


@pytest.mark.parametrize("count", [1, 7, 100, 1000])
def test_orientations_are_rotations_and_the_same_every_time(count: int) -> None:
    R = orientations(count)
    assert R.shape == (count, 3, 3)
    np.testing.assert_allclose(
        R @ R.swapaxes(-1, -2), np.broadcast_to(np.eye(3), R.shape), atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-12)
    np.testing.assert_array_equal(R, orientations(count))


def test_the_bits_of_orientations_do_not_depend_on_the_processors_sines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NumPy's sine has other last bits on other processors."""
    before = orientations(200)
    for name in ("sin", "cos"):
        exact = getattr(np, name)
        monkeypatch.setattr(
            f"baxterkit.workspace.grid.np.{name}", lambda x, f=exact: np.nextafter(f(x), 2.0)
        )
    np.testing.assert_array_equal(orientations(200), before)


def test_orientations_are_spread_evenly() -> None:
    """No rotation is far from the set, and each stands for about as many as any other."""
    count = 500
    R = orientations(count)
    quaternions = np.random.default_rng(0).normal(size=(20_000, 4))
    some = spatial.quaternion_to_matrix(quaternions)
    traces = some.reshape(-1, 9) @ R.reshape(-1, 9).T
    nearest = traces.argmax(axis=-1)
    angle = np.arccos(np.clip((traces.max(axis=-1) - 1.0) / 2.0, -1.0, 1.0))
    # A ball of 20.6 deg is 1/500 of SO(3); random sets leave gaps of more than 55 deg.
    assert np.degrees(angle.max()) < 42.0
    share = np.bincount(nearest, minlength=count) / len(some) * count
    assert share.min() > 0.4
    assert share.max() < 1.8


@pytest.mark.parametrize("tool", ["hand", "electric_extended"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_tip_stays_in_the_box_of_reach(side: str, tool: str) -> None:
    arm = Arm(side, tool)
    low, high = reach_box(arm)
    rng = np.random.default_rng(1)
    p = arm.fk(rng.uniform(-np.pi, np.pi, (100_000, 7)))[:, :3, 3]
    assert (p >= low).all()
    assert (p <= high).all()
    assert (p.min(axis=0) - low).max() < 0.12  # and the box is not much larger
    assert (high - p.max(axis=0)).max() < 0.12


def test_every_point_of_the_box_has_its_cell() -> None:
    low, high = np.array([-0.31, 0.1, -0.5]), np.array([0.4, 0.72, 0.5])
    grid = Grid.around(low, high, 0.1)
    assert grid.low == (-4, 1, -5)
    assert grid.shape == (8, 7, 10)
    p = np.random.default_rng(2).uniform(low, high, (1000, 3))
    index, inside = grid.cell_of(p)
    assert inside.all()
    middle = grid.middles()[tuple(index.T)]
    assert np.abs(p - middle).max() <= 0.05 + 1e-12
    assert not grid.cell_of([2.0, 0.0, 0.0])[1]
    index, inside = grid.cell_of([1e300, 0.35, -1e300])
    assert index.tolist() == [7, 2, 0]
    assert not inside


def test_a_part_of_the_grid_has_the_middles_of_the_whole() -> None:
    grid = Grid.around((-0.3, -0.2, 0.0), (0.6, 0.5, 0.4), 0.07)
    part = (slice(2, 5), slice(0, 3), slice(4, 6))
    np.testing.assert_array_equal(grid.middles(part), grid.middles()[part])


@pytest.mark.parametrize(
    ("low", "high", "step", "message"),
    [
        ((0, 0, 0), (1, 1, 1), 0.0, "step = 0 m must be positive"),
        ((0, 0, 0), (1, 1, -1), 0.1, "is empty"),
        ((0, 0, 0), (1, 1, 1), 1e-5, "take a larger step"),
        ((0, 0), (1, 1), 0.1, r"low must have shape \(3,\)"),
    ],
)
def test_impossible_grids_are_refused(low: object, high: object, step: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grid.around(low, high, step)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -3, 2.5, True, 10**9])
def test_impossible_numbers_of_orientations_are_refused(count: object) -> None:
    with pytest.raises(InputError, match="orientations"):
        orientations(count)  # type: ignore[arg-type]
