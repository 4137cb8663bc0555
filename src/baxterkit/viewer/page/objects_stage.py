"""The objects around the robot in the 3D scene, and the gizmo of the chosen one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.collision.obstacle import Obstacle
from baxterkit.look.colors import TOUCHING
from baxterkit.types import Transform
from baxterkit.viewer.page.stage import pose_of, wxyz
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.objects import PlacedObject, PlacedObjects

WOOD, CHOSEN = (203, 178, 142), (222, 192, 120)
"""Colours of objects, and of the chosen one."""


class ObjectsStage:
    """Scene nodes of the objects.

    Args:
        api: The server's `scene`.

    Attributes:
        boxes: Nodes by the names of the boxes that they show.
        gizmo: Moves and turns the chosen object.
        dragged: Whether a user holds the gizmo.
        on_drag: Called with the chosen object's new pose, in the server's loop.
        on_release: Called when the user lets the gizmo go, in the server's loop.
        on_click: Called with the name of the box that a user clicks, in the server's loop.
    """

    def __init__(self, api: Viser) -> None:
        self._api = api
        self.boxes: dict[str, Viser] = {}
        self._shown: dict[str, Obstacle] = {}
        self.dragged = False
        self.on_drag: Callable[[Transform], None] = lambda T: None
        self.on_release: Callable[[], None] = lambda: None
        self.on_click: Callable[[str], None] = lambda name: None
        self.gizmo = api.add_transform_controls(
            "/thing_gizmo",
            scale=0.22,
            line_width=3.0,
            depth_test=False,
            opacity=0.85,
            visible=False,
        )

        async def moved(event: Viser) -> None:
            if event.phase == "end":
                self.on_release()
            else:
                self.on_drag(pose_of(self.gizmo.position, self.gizmo.wxyz))

        self.gizmo.on_update(moved)

    def show(self, objects: PlacedObjects, chosen: PlacedObject | None) -> None:
        """Draws the objects where they are; unchanged boxes cost nothing."""
        parts = {part.name: part for part in objects.parts()}
        for name in [name for name in self.boxes if name not in parts]:
            self.boxes.pop(name).remove()
            self._shown.pop(name)
        for name, part in parts.items():
            if name not in self.boxes:
                self.boxes[name] = self._box(part)
            before, node = self._shown.get(name), self.boxes[name]
            self._shown[name] = part
            if before is None or before.size != part.size:
                node.dimensions = part.size
            if before is None or not np.array_equal(before.T, part.T):
                node.position, node.wxyz = part.T[:3, 3], wxyz(part.T[:3, :3])
        self.gizmo.visible = chosen is not None
        if chosen is not None and not self.dragged:
            self.gizmo.position, self.gizmo.wxyz = chosen.T[:3, 3], wxyz(chosen.T[:3, :3])

    def colour(self, chosen: PlacedObject | None, touching: tuple[str, ...]) -> None:
        """Colours the boxes: those that touch, and the chosen ones."""
        own = {part.name for part in chosen.parts()} if chosen is not None else set()
        for name, node in self.boxes.items():
            put(node, color=TOUCHING if name in touching else CHOSEN if name in own else WOOD)

    def _box(self, part: Obstacle) -> Viser:
        node = self._api.add_box(f"/objects/{part.name}", color=WOOD, dimensions=part.size)

        async def clicked(event: Viser) -> None:
            self.on_click(part.name)

        node.on_click()(clicked)
        return node
