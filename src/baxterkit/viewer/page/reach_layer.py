"""A map of the workspace in the scene: slices, voxels by score, glyphs of a clicked cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baxterkit.ik.result import IkStatus
from baxterkit.look.colors import ARM_COLORS, rgb
from baxterkit.look.shapes import Mesh, ball, revolved
from baxterkit.model.names import SIDES
from baxterkit.plot.maps import LABELS
from baxterkit.spatial.formulas import transform
from baxterkit.types import Array, Rotation
from baxterkit.viewer.page.html import line_html, scale_html
from baxterkit.viewer.page.stage import wxyz
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.workspace.maps import Map
from baxterkit.workspace.settings import PAIR

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

MOST_VOXELS = 20_000
"""Largest number of voxels that are drawn; of more, those with the greatest numbers."""
SIZE = 0.55
"""Edge of a voxel's cube, in steps of the map: the gaps let one look inside."""
PIXELS, GAP = 8, 1
"""Pixels of a slice's cell, and of the gap between two."""
NO_SLICE = "none"
FADED = 0.12
"""Opacity of the voxels while glyphs are shown among them."""
WORLD = 0.5
"""Opacity of the boxes that the map was made with."""
WOOD, GREEN = (176, 141, 98), (0, 158, 115)
SLICE = "z"
"""Axis of the first slice."""
QUALITIES = ("fraction", "manipulability", "clearance", "margin", "width")
VIRIDIS = np.array(
    [
        (68, 1, 84),
        (71, 44, 122),
        (59, 81, 139),
        (44, 113, 142),
        (33, 144, 141),
        (39, 173, 129),
        (92, 200, 99),
        (170, 220, 50),
        (253, 231, 37),
    ],
    dtype=np.float64,
)
"""matplotlib's colour map at nine even steps."""


class ReachLayer:
    """Draws a map, and its tab in the panel.

    Args:
        viewer: The viewer.
        tabs: The panel's tabs.
        made: The map.

    Attributes:
        cells: Indices of the voxels that are shown, shape (n, 3).
        clicked: The voxel whose glyphs are shown, or None.
    """

    def __init__(self, viewer: Viewer, tabs: Viser, made: Map) -> None:
        self._viewer, self._map = viewer, made
        self.cells: NDArray[np.int64] = np.empty((0, 3), dtype=np.int64)
        self.clicked: tuple[int, int, int] | None = None
        self._voxels: Viser | None = None
        self._strips: list[Viser] = []
        self._glyphs: list[Viser] = []
        gui = viewer.server.gui
        with tabs.add_tab("Reach"):
            names = [name for name in QUALITIES if name in made.names]
            names += ["both"] if len(made.sides) == 2 else []
            self.name = gui.add_dropdown("cells by", ("off", *names), initial_value="fraction")
            self.side = gui.add_dropdown(
                "arm of the map", made.sides, initial_value=made.sides[0],
                visible=len(made.sides) > 1,
            )  # fmt: skip
            self.slice = gui.add_dropdown("slice", (*"xyz", NO_SLICE), initial_value=SLICE)
            low, high = (float(x) for x in (made.grid.corners[0].min(), made.grid.corners[1].max()))
            at = min(max(self._shoulder(), low), high)
            self.place = gui.add_slider("slice at [m]", low, high, 0.01, at)
            self.least = gui.add_slider("at least, of the best", 0.0, 1.0, 0.05, 0.5)
            self.legend = gui.add_html("")
            self.note = gui.add_html("")
        for handle in (self.name, self.side, self.least, self.place):
            viewer.on_change(handle, "reach layer", lambda value: self.update())
        viewer.on_change(self.slice, "reach slice", lambda value: self._through_shoulder())
        self._draw_world()
        self.update()

    def _shoulder(self) -> float:
        """The shoulder of the map's arm on the slice's axis [m]."""
        side = self.side.value if self.side.value in SIDES else SIDES[0]
        model = getattr(self._map.scene.robot, side).model
        p = (model.T_base_s0 @ model.joints[1].T_parent_joint[:, 3])[:3]
        return round(float(p["xyz".index(self.slice.value)]), 2)

    def _through_shoulder(self) -> None:
        if self.slice.value != NO_SLICE:
            self.place.value = min(max(self._shoulder(), self.place.min), self.place.max)
        self.update()

    def update(self) -> None:
        """Draws what the controls say; for the viewer's thread."""
        for handle in self._drawn:
            handle.remove()
        self._voxels, self._strips, self._glyphs, self.clicked = None, [], [], None
        name, side = self.name.value, self.side.value
        on, sliced = name != "off", self.slice.value != NO_SLICE
        self.side.visible = on and name != "both" and len(self._map.sides) > 1
        self.slice.visible = on
        self.least.visible, self.place.visible = on and not sliced, on and sliced
        if not on:
            self.cells = np.empty((0, 3), dtype=np.int64)
            self.note.content = self.legend.content = ""
            return
        values = self._map.values(name, None if name == "both" else side)
        share = self._map.both if name == "both" else self._map.values("fraction", side)
        reached = np.where(share > 0, values, np.nan)
        best = float(np.nanmax(reached)) if np.isfinite(reached).any() else 0.0
        low = min(0.0, float(np.nanmin(reached))) if np.isfinite(reached).any() else 0.0
        part = (reached - low) / max(best - low, 1e-12)
        shown = np.isfinite(part) & (np.nan_to_num(part) >= self.least.value)
        if sliced:
            axis = "xyz".index(self.slice.value)
            at = np.zeros(3)
            at[axis] = self.place.value
            layer = int(self._map.grid.cell_of(at)[0][axis])
            mask = np.zeros(shown.shape, dtype=bool)
            mask[(slice(None),) * axis + (layer,)] = True
            shown = np.isfinite(part) & mask
        self.cells = np.argwhere(shown)
        if len(self.cells) > MOST_VOXELS:
            order = np.argsort(-part[tuple(self.cells.T)], kind="stable")[:MOST_VOXELS]
            self.cells = self.cells[order]
        self.legend.content = scale_html(LABELS[name], low, best, [tuple(x) for x in VIRIDIS])
        self.note.content = line_html(
            f"{len(self.cells)} cells of {100 * self._map.grid.step:g} cm. "
            "Click one to see its orientations."
        )
        if len(self.cells) and sliced:
            self._draw_slice(part, axis, layer)
        elif len(self.cells):
            self._draw(part[tuple(self.cells.T)])
        self.veil()

    @property
    def _drawn(self) -> list[Viser]:
        """All that is in the scene and comes from the controls."""
        return [*([] if self._voxels is None else [self._voxels]), *self._strips, *self._glyphs]

    def veil(self) -> None:
        """Hides the map while a path is being drawn, which it would cover."""
        for handle in self._drawn:
            put(handle, visible=not self._viewer.session.drawing)

    def click(self, index: int) -> None:
        """Shows the orientations that are reached in a voxel; for the viewer's thread."""
        if not 0 <= index < len(self.cells):  # the voxels have changed since
            return
        for handle in self._glyphs:
            handle.remove()
        x, y, z = self.cells[index].tolist()
        self.clicked = (x, y, z)
        made = self._map
        step = made.grid.step
        middle = made.grid.middles((slice(x, x + 1), slice(y, y + 1), slice(z, z + 1)))[0, 0, 0]
        sides = made.sides if self.name.value == "both" else (self.side.value,)
        reached = {side: self._reached(side, (x, y, z)) for side in sides}
        count = len(made.orientations)
        share = min(len(found) for found in reached.values()) / count
        sphere = ball(0.3 * step)
        self._glyphs = [
            self._viewer.stage.api.add_mesh_simple(
                "/reach/sphere",
                sphere.vertices,
                sphere.faces,
                color=colors(np.array([share]))[0],
                position=middle,
                cast_shadow=False,
            )
        ]
        for side, found in reached.items():
            if side != PAIR:
                self._cones(
                    side, found, middle, GREEN if len(sides) == 1 else rgb(ARM_COLORS[side])
                )
                continue
            T = transform(found, np.broadcast_to(middle, (len(found), 3)))
            for name, hand in zip(SIDES, made.job.hands(T), strict=True):
                self._cones(name, hand[:, :3, :3], middle, rgb(ARM_COLORS[name]))
        if self._voxels is not None and self.slice.value == NO_SLICE:
            self._voxels.opacity = FADED
        hands = {PAIR: "both hands at once reach"}
        told = ", ".join(
            f"{hands.get(side, f'the {side} hand reaches')} {len(found)} of {count} orientations"
            for side, found in reached.items()
        )
        one = len(sides) == 1 and PAIR not in sides
        self.note.content = line_html(
            f"At {middle[0]:.2f} {middle[1]:.2f} {middle[2]:.2f} m {told}: cones show where "
            f"{'it comes' if one else 'they come'} from."
        )

    def _reached(self, side: str, cell: tuple[int, int, int]) -> Rotation:
        """Orientations that are reached in a cell, shape (n, 3, 3)."""
        made = self._map
        count = len(made.orientations)
        status = made.statuses.at(made.number(side), np.tile(cell, (count, 1)), np.arange(count))
        found: Rotation = made.orientations[status == IkStatus.SOLVED]
        return found

    def _cones(self, name: str, R: Rotation, middle: Array, color: tuple[int, int, int]) -> None:
        """Cones that stand where the hand comes from, and whose tips touch the sphere."""
        if not len(R):
            return
        step = self._map.grid.step
        cone = revolved([[0.0, -1.5 * step], [0.13 * step, -1.5 * step], [0.0, -0.3 * step]])
        self._glyphs.append(
            self._viewer.stage.api.add_batched_meshes_simple(
                f"/reach/cones/{name}",
                cone.vertices,
                cone.faces,
                batched_wxyzs=wxyz(R),
                batched_positions=np.broadcast_to(middle, (len(R), 3)),
                batched_colors=linear(np.array(color)),
                lod="off",
                cast_shadow=False,
                receive_shadow=False,
            )
        )

    def _draw_world(self) -> None:
        """The boxes that the map was made with."""
        for obstacle in self._map.scene.world.state:
            if obstacle.kind == "box":
                self._viewer.stage.api.add_box(
                    f"/reach/world/{obstacle.name}",
                    color=WOOD,
                    dimensions=obstacle.size,
                    opacity=WORLD,
                    position=obstacle.T[:3, 3],
                    wxyz=wxyz(obstacle.T[:3, :3]),
                )

    def _draw_slice(self, part: Array, axis: int, layer: int) -> None:
        """One layer of cells as pictures, in the very colours of the figures.

        Each picture is a row of neighbours. One of the whole layer would hide ghosts behind its
        empty cells: browsers draw nothing behind a picture, be it transparent or not.
        """
        grid = self._map.grid
        columns, rows = (k for k in range(3) if k != axis)
        values = np.moveaxis(part, axis, 0)[layer].T  # rows, columns
        R = np.zeros((3, 3))
        R[columns, 0] = R[rows, 1] = 1.0
        R[:, 2] = np.cross(R[:, 0], R[:, 1])
        height = float(grid.corners[0][axis] + (layer + 0.5) * grid.step)

        async def clicked(event: Viser) -> None:
            origin, ray = np.array(event.ray_origin), np.array(event.ray_direction)
            point = origin + (height - origin[axis]) / (ray[axis] or 1e-9) * ray
            self._viewer.mailbox.post("reach click", lambda: self.click_at(point))

        for row, first, end in _runs(np.isfinite(values)):
            picture = np.full((PIXELS, (end - first) * PIXELS, 4), 255, dtype=np.uint8)
            picture[..., :3] = colors(values[row, first:end]).repeat(PIXELS, axis=0)
            for gap in range(GAP):
                picture[gap, :, 3] = picture[:, gap::PIXELS, 3] = 0
            middle = np.full(3, height)
            middle[columns] = grid.corners[0][columns] + 0.5 * (first + end) * grid.step
            middle[rows] = grid.corners[0][rows] + (row + 0.5) * grid.step
            strip = self._viewer.stage.api.add_image(
                f"/reach/slice/{row}_{first}",
                picture,
                render_width=(end - first) * grid.step,
                render_height=grid.step,
                format="png",
                wxyz=wxyz(R),
                position=middle,
                cast_shadow=False,
            )
            strip.on_click()(clicked)
            self._strips.append(strip)

    def click_at(self, point: Array) -> None:
        """Shows the orientations of the cell at a point in base [m]; for the viewer's thread."""
        cell, inside = self._map.grid.cell_of(point)
        found = np.flatnonzero((self.cells == cell).all(axis=-1))
        if inside and len(found):
            self.click(int(found[0]))

    def _draw(self, part: Array) -> None:
        cube = _cube(SIZE * self._map.grid.step)
        middles = self._map.grid.middles()[tuple(self.cells.T)]
        self._voxels = self._viewer.stage.api.add_batched_meshes_simple(
            "/reach/voxels",
            cube.vertices,
            cube.faces,
            batched_wxyzs=np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(middles), 1)),
            batched_positions=middles,
            batched_colors=linear(colors(part)),
            lod="off",
            flat_shading=True,
            cast_shadow=False,
            receive_shadow=False,
        )
        count = len(self.cells)

        async def clicked(event: Viser) -> None:
            index = event.instance_index
            if index is not None and len(self.cells) == count:
                self._viewer.mailbox.post("reach click", lambda: self.click(int(index)))

        self._voxels.on_click()(clicked)


def _runs(inside: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Row, first column and end of each run of neighbours in a table (n, m)."""
    padded = np.pad(inside, ((0, 0), (1, 1))).astype(np.int8)
    steps = np.diff(padded, axis=-1)
    first, end = np.argwhere(steps == 1), np.argwhere(steps == -1)
    return [(int(row), int(a), int(b)) for (row, a), (_, b) in zip(first, end, strict=True)]


def colors(part: Array) -> NDArray[np.uint8]:
    """Colours of numbers from 0 to 1, shape (n, 3)."""
    at = np.clip(np.nan_to_num(part), 0.0, 1.0) * (len(VIRIDIS) - 1)
    rgb = [np.interp(at, np.arange(len(VIRIDIS)), channel) for channel in VIRIDIS.T]
    return np.stack(rgb, axis=-1).round().astype(np.uint8)


def linear(color: NDArray[Any]) -> NDArray[np.uint8]:
    """Colours as batched meshes take them, which is without the curve of screens."""
    light: Array = 255.0 * (np.asarray(color) / 255.0) ** 2.2
    return light.round().astype(np.uint8)


def _cube(edge: float) -> Mesh:
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
    squares = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4],
                        [1, 5, 7, 3]])  # fmt: skip
    faces = squares[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    return Mesh((corners - 0.5) * edge, faces)
