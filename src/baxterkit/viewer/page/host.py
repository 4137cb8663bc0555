"""What the panels need of the viewer that holds them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

from baxterkit.model.tools import ToolLike
from baxterkit.viewer.page.stage import Stage
from baxterkit.viewer.server.mailbox import Mailbox
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.state.session import Session


class Host(Protocol):
    """The viewer, as its panels see it; `baxterkit.viewer.app.Viewer` is one.

    Attributes:
        server: viser's server.
        session: What is shown.
        scene: The 3D scene.
        mailbox: Where actions for the thread that owns the session are left.
    """

    server: Viser
    session: Session
    scene: Stage
    mailbox: Mailbox

    def change_tool(self, side: str, tool: ToolLike) -> None:
        """Bolts another tool to a hand."""

    def slide_elbow(self, side: str, e0: float) -> None:
        """Moves the elbow while the hand stays."""

    def on_change(self, handle: Viser, key: Hashable, action: Callable[[Viser], None]) -> None:
        """Posts an action with a control's value whenever somebody changes it."""

    def guarded(self, action: Callable[[], object]) -> object:
        """Does something; what goes wrong is reported, and the viewer goes on."""
