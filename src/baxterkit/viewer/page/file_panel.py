"""The tab "File": a session saved and opened, a plan's motion saved, what is shown as Python."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from baxterkit import disk
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.viewer.page.html import code_html
from baxterkit.viewer.page.plan_panel import PlanPanel
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.as_python import as_python
from baxterkit.viewer.state.packed import world_bytes, world_of
from baxterkit.viewer.state.saved import open_toml, to_toml

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

SESSION, MOTION = "session.toml", "motion.json"
HELD = "Arms, tools, head, objects, goals and the planner's settings:"
WATCHED = "Objects, goals and the planner's settings; arms, tools and head stay the robot's:"


class FilePanel:
    """The tab of files.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        planner: The tab with objects, goals and the plan.

    Attributes:
        code: The program, once it was asked for.
        save_motion: The button that saves a plan's motion; visible if there is one.
    """

    def __init__(self, viewer: Viewer, tabs: Viser, planner: PlanPanel) -> None:
        self._viewer, self._planner = viewer, planner
        gui = viewer.server.gui
        with tabs.add_tab("File"):
            self._held = gui.add_markdown(HELD)
            save = gui.add_button("Save the session")
            offer_file(viewer, save, "save session", lambda: (SESSION, self.session().encode()))
            upload = gui.add_upload_button("Open a session …", mime_type=".toml")
            take_file(viewer, upload, "open session", lambda file: self.open(file.content))
            gui.add_markdown("The objects alone, as `--world` and `World.load` read them:")
            world = gui.add_button("Save the world")
            offer_file(viewer, world, "save world", self.world)
            upload = gui.add_upload_button("Open a world …", mime_type=".toml,.zip")
            take_file(viewer, upload, "open world", lambda file: self.open_world(file.content))
            gui.add_markdown("And for programs:")
            self.save_motion = gui.add_button("Save the planned motion", visible=False)
            offer_file(viewer, self.save_motion, "save motion", lambda: (MOTION, self.motion()))
            copy = gui.add_button("Copy as Python")
            viewer.on_change(copy, "as Python", lambda value: self.show_code())
            self.code = gui.add_html("")

    def session(self) -> str:
        """The session as TOML."""
        return to_toml(self._viewer.session, self._planner.settings)

    def open(self, content: bytes) -> None:
        """Opens a session; an error is shown, and nothing is changed."""
        self._viewer.history.note("open session")
        try:
            search = open_toml(content.decode("utf-8"), self._viewer.session)
        except (BaxterkitError, UnicodeDecodeError) as error:
            self._viewer.tell(f"This file cannot be opened: {error}", warning=True)
            return
        self._planner.settings = search
        self._viewer.rebuild()
        self._viewer.tell("The session is open.")

    def world(self) -> tuple[str, bytes]:
        """The objects as `baxterkit.collision.World.load` reads them: a file's name and content."""
        return world_bytes(self._viewer.session.objects.world)

    def open_world(self, content: bytes) -> None:
        """Puts the objects of a world around the robot; if that fails, nothing is changed."""
        self._viewer.history.note("open world")
        try:
            self._viewer.session.objects.put_world(world_of(content))
        except BaxterkitError as error:
            self._viewer.tell(f"This file cannot be opened: {error}", warning=True)
            return
        self._viewer.rebuild()
        self._viewer.tell("The world is open.")

    def motion(self) -> bytes:
        """The motion of the last plan, as `baxterkit.trajectory.Trajectory.load` reads it."""
        route = self._planner.route
        if route is None or not route.trajectories:
            raise InputError("plan a motion first, in the tab Plan")
        whole: Trajectory = route.result.trajectory()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / MOTION
            whole.save(path)
            return disk.read_bytes(path)

    def show_code(self) -> None:
        """Shows the program that makes what is on screen."""
        self.code.content = code_html(as_python(self._viewer.session, self._planner.settings))

    def update(self) -> None:
        """Shows the buttons that have an effect now."""
        route = self._planner.route
        put(self.save_motion, visible=route is not None and bool(route.trajectories))
        put(self._held, content=WATCHED if self._viewer.session.watched else HELD)


def offer_file(
    viewer: Viewer, button: Viser, key: str, make: Callable[[], tuple[str, bytes]]
) -> None:
    """Sends a file, of a name and content, to the page that presses a button."""

    async def pressed(event: Viser) -> None:
        client = event.client
        if client is not None:
            viewer.mailbox.post((key, event.client_id), lambda: send(client))

    def send(client: Viser) -> None:
        viewer.told(lambda: client.send_file_download(*make()))

    button.on_click(pressed)


def take_file(viewer: Viewer, button: Viser, key: str, act: Callable[[Viser], None]) -> None:
    """Does something in the viewer's thread with a file that a page sends, and its `content`."""

    async def uploaded(event: Viser) -> None:
        file = button.value
        viewer.mailbox.post(key, lambda: act(file))

    button.on_upload(uploaded)
