from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from components import ROOT

from baxterkit import Arm, Baxter, plot, workspace
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.workspace import sample_reach


@pytest.fixture(scope="module")
def example() -> workspace.Map:
    return workspace.open_map(ROOT / "examples" / "left_arm.zarr")


def test_slices_show_the_cells(example: workspace.Map) -> None:
    figure = plot.workspace_map(example, "manipulability", at=(0.55, 0.35, 0.25))
    values = example.values("manipulability")
    x, y, z = example.grid.cell_of([0.55, 0.35, 0.25])[0].tolist()
    images = [axes.images[0].get_array() for axes in figure.axes[1:4]]
    for image, expected in zip(
        images, (values[x].T, values[:, y].T, values[:, :, z].T), strict=True
    ):
        np.testing.assert_array_equal(np.ma.filled(image, np.nan), expected)
    titles = [axes.get_title(loc="left") for axes in figure.axes[1:4]]
    assert titles == ["x = 0.55 m", "y = 0.35 m", "z = 0.25 m"]


def test_space_shows_the_reached_cells_behind_the_slice(example: workspace.Map) -> None:
    figure = plot.workspace_map(example, "fraction", at=(0.5, 0.35, 0.2))
    (cloud,) = figure.axes[0].collections
    _, y, _ = cloud._offsets3d  # type: ignore[attr-defined]
    reached = (example.fraction[0] > 0) & (example.grid.middles()[..., 1] > 0.3)
    assert len(y) == reached.sum()


def test_reasons_add_up_to_all_poses(example: workspace.Map) -> None:
    (axes,) = plot.workspace_reasons(example).axes
    ends = {}
    for bar in axes.patches:
        ends[round(bar.get_y(), 6)] = max(
            ends.get(round(bar.get_y(), 6), 0.0), bar.get_x() + bar.get_width()
        )  # type: ignore[attr-defined]
    np.testing.assert_allclose(list(ends.values()), 1.0)


@pytest.mark.slow
def test_a_report_is_one_file(example: workspace.Map, tmp_path: Path) -> None:
    text = plot.map_report(example, tmp_path / "map.html").read_text()
    assert text.count("data:image/png") == 6  # five arrays, and the reasons
    assert "464,640 poses" in text
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_what_is_not_there_is_refused(example: workspace.Map) -> None:
    with pytest.raises(UnknownNameError, match="unknown array to draw 'status'"):
        plot.workspace_map(example, "status")
    with pytest.raises(InputError, match='make one with side="both"'):
        plot.workspace_map(example, "both")
    with pytest.raises(InputError, match="outside of the map"):
        plot.workspace_map(example, at=(9.0, 0.0, 0.0))


def test_samples_beside_what_the_body_leaves() -> None:
    arm, robot = Arm("right"), Baxter()
    reach = sample_reach(arm, 30_000, seed=1, scene=robot)
    q = np.random.default_rng(1).uniform(arm.limits.lower, arm.limits.upper, (30_000, 7))
    hits = np.asarray(robot.in_collision(robot.left.configuration("untuck"), q))
    assert reach.free is not None
    np.testing.assert_array_equal(reach.free, ~hits)
    assert len(reach.allowed.position) == (~hits).sum()
    figure = plot.workspace(arm, reach)
    clouds = [axes.collections[0] for axes in figure.axes if axes.name == "3d"]
    counts = [len(cloud._offsets3d[0]) for cloud in clouds]  # type: ignore[attr-defined]
    assert len(counts) == 2
    assert counts[0] > counts[1] > 0
    images = [axes.images[0] for axes in figure.axes if axes.images]
    assert len({image.get_clim() for image in images}) == 1
    with pytest.raises(InputError, match="give scene="):
        _ = sample_reach(arm, 10).allowed
    with pytest.raises(InputError, match="give scene= too"):
        sample_reach(arm, 10, other=np.zeros(7))
