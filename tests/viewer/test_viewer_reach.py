"""The map's layer in the scene, without a browser and in one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest
from viewer_client import do, opened, wait_for

from baxterkit import Arm, Baxter, workspace
from baxterkit.collision import World
from baxterkit.look.colors import ARM_COLORS, rgb
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.reach_layer import ReachLayer, colors, linear


@pytest.fixture(scope="module")
def example() -> workspace.Map:
    return workspace.open_map(components.ROOT / "examples" / "left_arm.zarr")


@pytest.fixture
def shown(request: pytest.FixtureRequest, example: workspace.Map) -> Iterator[Viewer]:
    with opened(request, reach=example) as viewer:
        yield viewer


def layer_of(viewer: Viewer) -> ReachLayer:
    assert viewer.reach is not None
    return viewer.reach


def test_voxels_are_those_above_the_least(shown: Viewer, example: workspace.Map) -> None:
    layer = layer_of(shown)
    layer.slice.value = "none"
    do(shown, layer.update)
    share = example.values("fraction")
    np.testing.assert_array_equal(
        layer.cells, np.argwhere((share > 0) & (share >= 0.5 * share.max()))
    )
    middles = example.grid.middles()[tuple(layer.cells.T)]
    np.testing.assert_allclose(layer._voxels.batched_positions, middles, atol=1e-6)  # type: ignore[union-attr]
    layer.name.value = "clearance"
    layer.least.value = 0.0
    do(shown, layer.update)
    assert len(layer.cells) == (share > 0).sum()
    layer.name.value = "off"
    do(shown, layer.update)
    assert len(layer.cells) == 0
    assert layer._voxels is None


def test_the_map_starts_with_a_slice_through_the_shoulder(
    shown: Viewer, example: workspace.Map
) -> None:
    layer, model = layer_of(shown), example.scene.robot.left.model
    shoulder = model.T_base_s0 @ model.joints[1].T_parent_joint[:, 3]
    assert layer.place.value == pytest.approx(shoulder[2], abs=0.01)
    z = example.grid.cell_of([0.0, 0.0, layer.place.value])[0][2]
    assert set(layer.cells[:, 2]) == {z}
    assert layer.place.visible
    assert not layer.least.visible
    best = float(example.values("fraction").max())
    for number in (0.0, 0.5 * best, best):  # the legend's ends are those of the figures
        assert f"<span>{number:.3g}</span>" in layer.legend.content
    middle = example.grid.middles()[tuple(layer.cells[3])]
    do(shown, lambda: layer.click_at(middle + 0.3 * example.grid.step))
    assert layer.clicked == tuple(layer.cells[3])


def test_a_slice_shows_one_layer_of_cells(shown: Viewer, example: workspace.Map) -> None:
    layer = layer_of(shown)
    layer.slice.value, layer.place.value = "z", 0.25
    do(shown, layer.update)
    z = example.grid.cell_of([0.0, 0.0, 0.25])[0][2]
    assert set(layer.cells[:, 2]) == {z}
    assert len(layer.cells) == (example.values("fraction")[:, :, z] > 0).sum()


def test_a_slice_has_no_picture_where_there_is_no_cell(
    shown: Viewer, example: workspace.Map
) -> None:
    layer = layer_of(shown)
    step = example.grid.step
    cells = []
    for strip in layer._strips:
        left = strip.position[0] - 0.5 * strip.render_width
        count = round(strip.render_width / step)
        middles = [[left + (i + 0.5) * step, *strip.position[1:]] for i in range(count)]
        assert strip.render_height == pytest.approx(step)
        cells += [tuple(example.grid.cell_of(middle)[0]) for middle in middles]
    assert len(cells) == len(set(cells))
    assert set(cells) == {tuple(cell) for cell in layer.cells}


def test_a_map_hides_while_a_path_is_drawn_and_its_controls_while_it_is_off(
    shown: Viewer,
) -> None:
    layer, studio = layer_of(shown), shown.studio
    for drawing in (True, False):
        studio._active.value = drawing
        do(shown, studio.show_plane)
        do(shown, layer.update)
        assert [strip.visible for strip in layer._strips] == [not drawing] * len(layer._strips)
    dead = (layer.slice, layer.place, layer.least, layer.side)
    assert [handle.visible for handle in dead] == [True, True, False, False]
    layer.name.value = "off"
    do(shown, layer.update)
    assert not any(handle.visible for handle in dead)


def test_a_clicked_voxel_shows_its_orientations(shown: Viewer, example: workspace.Map) -> None:
    layer = layer_of(shown)
    do(shown, lambda: layer.click(7))
    x, y, z = layer.cells[7]
    assert layer.clicked == (x, y, z)
    reached = int((example["status"][0, x, y, z] == 0).sum())
    assert f"reaches {reached} of 48 orientations" in layer.note.content
    sphere, cones = layer._glyphs
    assert len(cones.batched_positions) == reached
    np.testing.assert_allclose(sphere.position, example.grid.middles()[x, y, z], atol=1e-6)
    do(shown, lambda: layer.click(10**6))  # voxels that are gone
    do(shown, layer.update)
    assert layer._glyphs == []


def test_colours_run_from_dark_to_yellow() -> None:
    found = colors(np.array([0.0, 0.5, 1.0, 7.0, np.nan]))
    assert found[0].tolist() == [68, 1, 84]
    assert found[1].tolist() == [33, 144, 141]
    assert found[2].tolist() == found[3].tolist() == [253, 231, 37]
    assert found[4].tolist() == found[0].tolist()


@pytest.mark.slow
def test_a_browser_shows_the_map(shown: Viewer, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    page.goto(shown.address)
    wait_for(lambda: len(shown.server.get_clients()) == 1, "the browser is there")
    page.get_by_role("tab", name="Reach").click()
    page.get_by_text("Click one to see its orientations").wait_for(timeout=120_000)
    page.close()


@pytest.fixture
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Viewer]:
    """A viewer with a map of both arms, of a robot with a tool, and a table."""
    components.require("viser")
    robot = Baxter(Arm("left", "vacuum"))
    world = World()
    world.add_box("table", (0.6, 1.0, 0.04), np.eye(4))
    made = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question("both", 0.3, 6, level="body"), robot.scene(world)
    )
    with opened(request, reach=made) as viewer:
        yield viewer


def test_a_voxel_of_both_arms_shows_the_orientations_of_both(both: Viewer) -> None:
    layer = layer_of(both)
    layer.name.value, layer.least.value, layer.slice.value = "both", 0.0, "none"
    do(both, layer.update)
    do(both, lambda: layer.click(0))
    made, (x, y, z) = layer._map, layer.cells[0]
    reached = (made["status"][:, x, y, z] == 0).sum(axis=-1).tolist()
    assert min(reached) > 0
    cones = layer._glyphs[1:]
    assert [len(cone.batched_positions) for cone in cones] == reached
    expected = {tuple(linear(np.array(rgb(color)))) for color in ARM_COLORS.values()}
    assert {tuple(cone.batched_colors) for cone in cones} == expected
    assert f"left hand reaches {reached[0]} of 6" in layer.note.content
    assert f"right hand reaches {reached[1]} of 6" in layer.note.content


def test_the_maps_robot_and_table_are_shown(both: Viewer) -> None:
    assert both.session.robot.left.tool.name == "vacuum"
    names = [str(name) for name in both.server.scene._handle_from_node_name]
    assert "/reach/world/table" in names


def test_both_hands_at_once_have_their_cones(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    box = ((0.5, -0.3, -0.1), (0.8, 0.3, 0.2))
    made = workspace.make_map(tmp_path / "map.zarr", workspace.Question("pair", 0.3, 12, box=box))
    with opened(request, reach=made) as viewer:
        layer = layer_of(viewer)
        layer.slice.value = "none"
        do(viewer, layer.update)
        do(viewer, lambda: layer.click(0))
        _, left, right = layer._glyphs
        assert len(left.batched_positions) == len(right.batched_positions) > 0
        assert "both hands at once reach" in layer.note.content
