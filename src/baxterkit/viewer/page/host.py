"""The interface of the viewer for its panels."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

from baxterkit.clock import Clock
from baxterkit.model.tools import ToolLike
from baxterkit.types import Array
from baxterkit.viewer.page.stage import Stage
from baxterkit.viewer.server.mailbox import Mailbox
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.state.history import History
from baxterkit.viewer.state.session import Session


class Host(Protocol):
    """The interface of the viewer for its panels; `baxterkit.viewer.app.Viewer` implements it.

    Attributes:
        server: viser's server.
        session: The session that is shown.
        scene: The 3D scene.
        clock: What the panels tell time by.
        mailbox: The mailbox for actions on the session, which another thread owns.
        history: What can be undone.
    """

    server: Viser
    session: Session
    scene: Stage
    mailbox: Mailbox
    history: History
    clock: Clock

    def undo(self) -> None:
        """Goes one step back."""

    def rebuild(self) -> None:
        """Draws arms, objects and goals anew after they were replaced."""

    def change_tool(self, side: str, tool: ToolLike) -> None:
        """Changes the tool of a hand."""

    def slide_elbow(self, side: str, e0: float) -> None:
        """Moves the elbow while the hand stays."""

    def on_change(self, handle: Viser, key: Hashable, action: Callable[[Viser], None]) -> None:
        """Posts an action with a control's value whenever a user changes it."""

    def put(self, handle: Viser, value: float, *, now: bool = False) -> None:
        """Sets a slider, unless a user is moving it and it need not be `now`."""

    def put_vector(self, handle: Viser, values: Array) -> None:
        """Sets three number fields, unless a user is typing there."""

    def place_gizmos(self) -> None:
        """Shows the gizmos of the hands that are dragged: of those without a goal."""

    def add_clearance(self) -> None:
        """Puts a line with the clearance into the present container."""

    def tell(self, text: str, *, warning: bool = False) -> None:
        """Shows a message at the top of the panel, in place of the last one; none if empty."""

    def guarded(self, action: Callable[[], object]) -> object:
        """Runs an action; an exception is reported, and the viewer continues."""
