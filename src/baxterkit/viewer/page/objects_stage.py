"""The objects around the robot in the 3D scene, and the gizmo of the chosen one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.collision.obstacle import Obstacle
from baxterkit.look.colors import TOUCHING
from baxterkit.look.obstacles import obstacle_mesh
from baxterkit.types import Transform
from baxterkit.viewer.page.stage import on_moved, wxyz
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.objects import PlacedObject, PlacedObjects

WOOD, CHOSEN = (203, 178, 142), (222, 192, 120)
"""Colours of objects, and of the chosen one."""


class ObjectsStage:
    """Scene nodes of the objects.

    Args:
        api: The server's `scene`.

    Attributes:
        nodes: Nodes by the names of the obstacles that they show.
        gizmo: Moves and turns the chosen object.
        dragged: Whether a user holds the gizmo.
        on_drag: Called with the chosen object's new pose, in the server's loop; None: let go.
        on_click: Called with the name of the obstacle that a user clicks, in the server's loop.
    """

    def __init__(self, api: Viser) -> None:
        self._api = api
        self.nodes: dict[str, Viser] = {}
        self._shown: dict[str, Obstacle] = {}
        self.dragged = False
        self.on_drag: Callable[[Transform | None], None] = lambda T: None
        self.on_click: Callable[[str], None] = lambda name: None
        self.gizmo = api.add_transform_controls(
            "/object_gizmo",
            scale=0.22,
            line_width=3.0,
            depth_test=False,
            opacity=0.85,
            visible=False,
        )
        on_moved(self.gizmo, lambda T, _: self.on_drag(T))

    def show(self, objects: PlacedObjects, chosen: PlacedObject | None) -> None:
        """Draws the objects where they are; unchanged ones cost nothing."""
        parts = {part.name: part for part in objects.parts()}
        for name in [name for name in self.nodes if name not in parts]:
            self.nodes.pop(name).remove()
            self._shown.pop(name)
        for name, part in parts.items():
            before = self._shown.get(name)
            if before is not None and not _looks_like(part, before):
                self.nodes.pop(name).remove()
                before = None
            if before is None:
                self.nodes[name] = self._node(part)
            elif part.kind == "box" and before.size != part.size:
                self.nodes[name].dimensions = part.size
            if before is None or not np.array_equal(before.T, part.T):
                node = self.nodes[name]
                node.position, node.wxyz = part.T[:3, 3], wxyz(part.T[:3, :3])
            self._shown[name] = part
        self.gizmo.visible = chosen is not None
        if chosen is not None and not self.dragged:
            self.gizmo.position, self.gizmo.wxyz = chosen.T[:3, 3], wxyz(chosen.T[:3, :3])

    def colour(self, chosen: PlacedObject | None, touching: tuple[str, ...]) -> None:
        """Colours the obstacles: those that touch, and the chosen ones."""
        own = {part.name for part in chosen.parts()} if chosen is not None else set()
        for name, node in self.nodes.items():
            plain = _colour_of(self._shown[name])
            put(node, color=TOUCHING if name in touching else CHOSEN if name in own else plain)

    def _node(self, part: Obstacle) -> Viser:
        path, color = f"/objects/{part.name.replace('/', '_')}", _colour_of(part)
        if part.kind == "box":
            node = self._api.add_box(path, color=color, dimensions=part.size)
        else:
            mesh = obstacle_mesh(part)
            node = self._api.add_mesh_simple(
                path,
                mesh.vertices.astype(np.float32),
                mesh.faces.astype(np.uint32),
                color=color,
                flat_shading=part.kind not in ("sphere", "capsule", "cylinder"),
                opacity=0.5 if part.kind == "plane" else None,
            )

        async def clicked(event: Viser) -> None:
            self.on_click(part.name)

        node.on_click()(clicked)
        return node


def _looks_like(one: Obstacle, other: Obstacle) -> bool:
    """Whether the same node shows both, but for the pose."""
    if one.kind != other.kind or one.data is not other.data:
        return False
    return one.kind == "box" or one.size == other.size


def _colour_of(part: Obstacle) -> tuple[int, int, int]:
    if part.color is None:
        return WOOD
    red, green, blue = (round(255 * x) for x in part.color)
    return red, green, blue
