"""The folder of the things around the robot: add, choose, move, size and remove them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.spatial import matrix_to_rpy, rpy_to_matrix
from baxterkit.types import Array, Transform, Vector3
from baxterkit.viewer.page.host import Host
from baxterkit.viewer.page.things_stage import ThingsStage
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.state.things import FARTHEST, KINDS, LARGEST, SMALLEST, Thing

NONE = "none"


class ThingsPanel:
    """The folder of the things.

    Args:
        viewer: The viewer; the controls are put into the present container.
        changed: Called after each change, in the viewer's thread.

    Attributes:
        stage: The things in the scene.
        chosen: Name of the chosen thing; empty if there is none.
        middle: The number fields of its middle [m].
        size: Those of its sides [m].
        turn: Those of its roll, pitch, yaw [deg].
    """

    def __init__(self, viewer: Host, changed: Callable[[], None]) -> None:
        self._viewer, self._changed = viewer, changed
        gui, post = viewer.server.gui, viewer.mailbox.post
        self.chosen = ""
        self.stage = ThingsStage(viewer.server.scene)
        self.stage.on_drag = lambda T: post("thing", lambda: self._said(lambda: self.drag(T)))
        self.stage.on_release = lambda: post("thing end", self.release)
        self.stage.on_click = lambda name: post("choose", lambda: self.choose_part(name))
        kinds = gui.add_button_group("add", KINDS)
        viewer.on_change(kinds, "add thing", lambda kind: self._said(lambda: self.add(kind)))
        self._choice = gui.add_dropdown("object", (NONE,), visible=False)
        viewer.on_change(self._choice, "choose", self.choose)
        edge, far = (SMALLEST,) * 3, (FARTHEST,) * 3
        self.middle = gui.add_vector3(
            "middle [m]", (0.0,) * 3, min=(-FARTHEST,) * 3, max=far, step=0.01, visible=False
        )
        self.size = gui.add_vector3(
            "sides [m]", (1.0,) * 3, min=edge, max=(LARGEST,) * 3, step=0.01, visible=False
        )
        self.turn = gui.add_vector3("turn [deg]", (0.0,) * 3, step=5.0, visible=False)
        viewer.on_change(self.middle, "middle", self._saying(self.place))
        viewer.on_change(self.size, "size", self._saying(self.resize))
        viewer.on_change(self.turn, "turn", self._saying(self.rotate))
        self._remove = gui.add_button("Remove it", visible=False)
        viewer.on_change(self._remove, "remove", lambda value: self._said(self.remove))

    @property
    def thing(self) -> Thing | None:
        """The chosen thing."""
        things = self._viewer.session.things
        return things[self.chosen] if self.chosen in things.names else None

    def add(self, kind: str) -> None:
        """Adds a thing and chooses it."""
        self.chosen = self._viewer.session.things.add(kind).name
        self.refresh()

    def choose(self, name: str) -> None:
        """Chooses a thing."""
        self.chosen = name
        self._show()

    def choose_part(self, part: str) -> None:
        """Chooses the thing that a box belongs to."""
        things = self._viewer.session.things
        for name in things.names:
            if any(part == one.name for one in things[name].parts()):
                self.choose(name)

    def drag(self, T: Transform) -> None:
        """Moves the chosen thing to a pose, as its gizmo does."""
        self._viewer.history.note("thing")
        self.stage.dragged = True
        self._move(T)

    def release(self) -> None:
        """The gizmo goes to where the thing is."""
        self.stage.dragged = False
        self._show()

    def place(self, middle: Array) -> None:
        """Moves the chosen thing's middle [m]."""
        if self.thing is not None:
            T = self.thing.T.copy()
            T[:3, 3] = triple(middle, "middle")
            self._move(T)

    def rotate(self, rpy: Array) -> None:
        """Turns the chosen thing: roll, pitch, yaw [deg]."""
        if self.thing is not None:
            T = self.thing.T.copy()
            T[:3, :3] = rpy_to_matrix(np.radians(triple(rpy, "turn")))
            self._move(T)

    def resize(self, size: Array) -> None:
        """Changes the chosen thing's sides [m]."""
        if self.thing is not None:
            self._viewer.session.things.resize(self.chosen, size)
            self.refresh()

    def remove(self) -> None:
        """Removes the chosen thing, and chooses the one that was added last."""
        things = self._viewer.session.things
        if self.thing is not None:
            things.remove(self.chosen)
            self.chosen = things.names[-1] if len(things) else ""
            self.refresh()

    def refresh(self) -> None:
        """Shows the things after a change."""
        self._changed()
        self._show()

    def update(self) -> None:
        """Updates the number fields and the colours."""
        thing = self.thing
        self.stage.colour(thing, self._viewer.scene.touching)
        if thing is not None:
            put = self._viewer.put_vector
            put(self.middle, thing.T[:3, 3])
            put(self.size, thing.size)
            put(self.turn, np.degrees(matrix_to_rpy(thing.T[:3, :3])))

    def _move(self, T: Transform) -> None:
        if self.thing is not None:
            self._viewer.session.things.move(self.chosen, T)
            self.refresh()

    def _show(self) -> None:
        names = (NONE, *self._viewer.session.things.names)
        if tuple(self._choice.options) != names:
            self._choice.options = names
            self._choice.visible = len(names) > 1
        wanted = NONE if self.thing is None else self.chosen
        if self._choice.value != wanted:
            self._choice.value = wanted
        for handle in (self.middle, self.size, self.turn, self._remove):
            if handle.visible != (self.thing is not None):
                handle.visible = self.thing is not None
        self.stage.show(self._viewer.session.things, self.thing)

    def _saying(self, action: Callable[[Viser], None]) -> Callable[[Viser], None]:
        return lambda value: self._said(lambda: action(value))

    def _said(self, action: Callable[[], None]) -> None:
        say(self._viewer, action)


def say(viewer: Host, action: Callable[[], None]) -> None:
    """Runs an action; an error is shown in the panel."""
    try:
        action()
    except BaxterkitError as error:
        viewer.tell(str(error), warning=True)


def triple(values: Array, name: str) -> Vector3:
    """Three finite numbers from a browser.

    Raises:
        InputError: If they are not.
    """
    numbers = finite_array(values, name)
    if numbers.shape != (3,):
        raise InputError(f"{name} must be 3 numbers, got {values!r}")
    return numbers
