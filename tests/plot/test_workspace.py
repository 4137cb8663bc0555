from __future__ import annotations

import time

import numpy as np
import pytest

from baxterkit import Arm, plot
from baxterkit.errors import InputError
from baxterkit.plot.workspaces import best_in_cells, sample_reach


def test_samples_are_tips_within_the_limits() -> None:
    arm = Arm("left")
    reach = sample_reach(arm, 250_000, seed=3)
    q = np.random.default_rng(3).uniform(arm.limits.lower, arm.limits.upper, (100_000, 7))
    np.testing.assert_array_equal(reach.position[:100_000], arm.fk(q)[:, :3, 3])
    np.testing.assert_array_equal(reach.manipulability[:100_000], arm.manipulability(q))
    assert len(reach.position) == len(reach.manipulability) == 250_000
    assert (reach.manipulability[-10:] > 0).all()  # the last, shorter part is filled too


def test_best_in_cells_is_the_greatest_value_of_each_cell() -> None:
    rng = np.random.default_rng(0)
    points, values = rng.uniform(-1, 1, (500, 2)), rng.normal(size=500)
    centers, best = best_in_cells(points, values, 0.25)
    expected: dict[tuple[int, ...], float] = {}
    for point, value in zip(points, values, strict=True):
        cell = tuple(int(x) for x in np.floor(point / 0.25))
        expected[cell] = max(value, expected.get(cell, -np.inf))
    found = {
        tuple(int(x) for x in np.floor(center / 0.25)): value
        for center, value in zip(centers, best, strict=True)
    }
    assert found == expected


def test_progress_counts_every_sample() -> None:
    done: list[int] = []
    sample_reach(Arm("left"), 210_000, progress=done.append)
    assert sum(done) == 210_000
    assert len(done) > 1


@pytest.mark.parametrize("side", ["left", "right"])
def test_only_the_half_behind_the_arms_plane_is_drawn(side: str) -> None:
    arm = Arm(side)
    figure = plot.workspace(arm, 20_000)
    (cloud,) = figure.axes[0].collections
    x, y, _ = cloud._offsets3d  # type: ignore[attr-defined]
    origin = arm.model.T_base_s0[:3, 3]
    # The plane runs forward and outward from s0; what lies towards the middle and front is open.
    inward = -1.0 if side == "left" else 1.0
    assert ((x - origin[0]) + inward * (y - origin[1]) <= 1e-9).all()
    assert len(x) > 500


def test_sections_share_the_colour_scale() -> None:
    figure = plot.workspace(Arm("left"), 20_000)
    images = [ax.images[0] for ax in figure.axes[1:3]]
    limits = {image.get_clim() for image in images} | {figure.axes[0].collections[0].get_clim()}
    assert len(limits) == 1


def test_samples_must_be_positive() -> None:
    with pytest.raises(InputError, match=r"^samples must be a whole number, 1 or above, got 0$"):
        plot.workspace(Arm("left"), 0)


@pytest.mark.timing
def test_a_million_samples_take_less_than_ten_seconds() -> None:
    start = time.process_time()  # of this process: what else the machine does is not counted
    plot.workspace(Arm("left"), 1_000_000)
    assert time.process_time() - start < 10.0
