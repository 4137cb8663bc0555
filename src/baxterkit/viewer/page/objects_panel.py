"""The folder of the objects around the robot: add, choose, move, size and remove them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError
from baxterkit.spatial.formulas import matrix_to_rpy, rpy_to_matrix
from baxterkit.types import Array, Transform, Vector3
from baxterkit.viewer.page.objects_stage import ObjectsStage
from baxterkit.viewer.server.viser_types import put
from baxterkit.viewer.state.forms import NEW
from baxterkit.viewer.state.objects import FARTHEST, LARGEST, SMALLEST, PlacedObject

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

NONE = "none"


class ObjectsPanel:
    """The folder of the objects.

    Args:
        viewer: The viewer; the controls are put into the present container.
        changed: Called after each change, in the viewer's thread.

    Attributes:
        stage: The objects in the scene.
        chosen: Name of the chosen object; empty if there is none.
        middle: The number fields of its middle [m].
        size: Those of the sides of a box, a table or a shelf [m].
        lengths: The number fields of the height and the radius of round ones [m], by name.
        turn: Those of its roll, pitch, yaw [deg].
    """

    def __init__(self, viewer: Viewer, changed: Callable[[], None]) -> None:
        self._viewer, self._changed = viewer, changed
        gui, post = viewer.server.gui, viewer.mailbox.post
        self.chosen = ""
        self.stage = ObjectsStage(viewer.server.scene)
        self.stage.on_drag = lambda T: post(
            ("object", T is None), lambda: viewer.told(lambda: self.drag(T))
        )
        self.stage.on_click = lambda name: post("choose", lambda: self.choose_part(name))
        kinds = gui.add_button_group("add", tuple(NEW))
        viewer.on_change(kinds, "add object", self.add)
        self._choice = gui.add_dropdown("object", (NONE,), visible=False)
        viewer.on_change(self._choice, "choose", self.choose)
        edge, far = (SMALLEST,) * 3, (FARTHEST,) * 3
        self.middle = gui.add_vector3(
            "middle [m]", (0.0,) * 3, min=(-FARTHEST,) * 3, max=far, step=0.01, visible=False
        )
        self.size = gui.add_vector3(
            "sides [m]", (1.0,) * 3, min=edge, max=(LARGEST,) * 3, step=0.01, visible=False
        )
        self.lengths = {
            name: gui.add_number(
                f"{name} [m]", 0.1, min=SMALLEST, max=LARGEST, step=0.01, visible=False
            )
            for name in ("height", "radius")
        }
        for name, handle in self.lengths.items():
            viewer.on_change(handle, name, partial(self.lengthen, name))
        self.turn = gui.add_vector3("turn [deg]", (0.0,) * 3, step=5.0, visible=False)
        viewer.on_change(self.middle, "middle", self.place)
        viewer.on_change(self.size, "size", self.resize)
        viewer.on_change(self.turn, "turn", self.rotate)
        self._remove = gui.add_button("Remove it", visible=False)
        viewer.on_change(self._remove, "remove", lambda value: self.remove())

    @property
    def placed(self) -> PlacedObject | None:
        """The chosen object."""
        objects = self._viewer.session.objects
        return objects[self.chosen] if self.chosen in objects.names else None

    def add(self, kind: str) -> None:
        """Adds an object and chooses it."""
        self.chosen = self._viewer.session.objects.add(kind).name
        self.refresh()

    def choose(self, name: str) -> None:
        """Chooses an object."""
        self.chosen = name
        self._show()

    def choose_part(self, part: str) -> None:
        """Chooses the object that an obstacle belongs to."""
        objects = self._viewer.session.objects
        for name in objects.names:
            if any(part == one.name for one in objects[name].parts()):
                self.choose(name)

    def drag(self, T: Transform | None) -> None:
        """Moves the chosen object to a pose, as its gizmo does; None lets go of it."""
        self.stage.dragged = T is not None
        if T is None:
            self._show()
        else:
            self._viewer.history.note("object")
            self._move(T)

    def place(self, middle: Array) -> None:
        """Moves the chosen object's middle [m]."""
        if self.placed is not None:
            T = self.placed.T.copy()
            T[:3, 3] = triple(middle, "middle")
            self._move(T)

    def rotate(self, rpy: Array) -> None:
        """Turns the chosen object: roll, pitch, yaw [deg]."""
        if self.placed is not None:
            T = self.placed.T.copy()
            T[:3, :3] = rpy_to_matrix(np.radians(triple(rpy, "turn")))
            self._move(T)

    def resize(self, size: Array) -> None:
        """Changes the chosen object's sides [m]."""
        if self.placed is not None:
            self._viewer.session.objects.resize(self.chosen, size)
            self.refresh()

    def lengthen(self, name: str, length: float) -> None:
        """Changes the height or the radius of the chosen object [m]."""
        placed = self.placed
        if placed is not None and name in placed.lengths:
            sizes = dict(zip(placed.lengths, placed.size, strict=True)) | {name: length}
            self._viewer.session.objects.resize(self.chosen, list(sizes.values()))
            self.refresh()

    def remove(self) -> None:
        """Removes the chosen object, and chooses the one that was added last."""
        objects = self._viewer.session.objects
        if self.placed is not None:
            objects.remove(self.chosen)
            self.chosen = objects.names[-1] if len(objects) else ""
            self.refresh()

    def refresh(self) -> None:
        """Shows the objects after a change."""
        self._changed()
        self._show()

    def update(self) -> None:
        """Updates the number fields and the colours."""
        self.stage.colour(self.placed, self._viewer.stage.touching)
        self._fill()

    def _fill(self) -> None:
        """Fills the number fields, at once for a new object: a user's numbers come after."""
        placed = self.placed
        if placed is not None:
            put_vector = self._viewer.put_vector
            put_vector(self.middle, placed.T[:3, 3])
            if placed.kind == "box":
                put_vector(self.size, np.array(placed.size))
            for name, length in zip(placed.lengths, placed.size, strict=False):
                if name in self.lengths:
                    self._viewer.controls.put(self.lengths[name], length)
            put_vector(self.turn, np.degrees(matrix_to_rpy(placed.T[:3, :3])))

    def _move(self, T: Transform) -> None:
        if self.placed is not None:
            self._viewer.session.objects.move(self.chosen, T)
            self.refresh()

    def _show(self) -> None:
        names = (NONE, *self._viewer.session.objects.names)
        put(self._choice, options=names, visible=len(names) > 1)
        put(self._choice, value=NONE if self.placed is None else self.chosen)
        placed = self.placed
        for handle in (self.middle, self.turn, self._remove):
            put(handle, visible=placed is not None)
        put(self.size, visible=placed is not None and placed.kind == "box")
        for name, handle in self.lengths.items():
            put(handle, visible=placed is not None and name in placed.lengths)
        self._fill()
        self.stage.show(self._viewer.session.objects, self.placed)


def triple(values: Array, name: str) -> Vector3:
    """Three finite numbers from a browser.

    Raises:
        InputError: If they are not.
    """
    numbers = finite_array(values, name)
    if numbers.shape != (3,):
        raise InputError(f"{name} must be 3 numbers, got {values!r}")
    return numbers
