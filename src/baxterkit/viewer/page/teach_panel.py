"""The tab "Teach": lessons of a robot that is shown live are recorded, named and replayed.

A person leads the arm by its cuff, or the mouse does, also on a twin: the arrows at the hands lead
them, through the safety gate, while the mouse button is pressed.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from baxterkit import disk
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.lesson.lesson import Lesson
from baxterkit.robot.live import LiveRobot
from baxterkit.types import Transform
from baxterkit.viewer.page.file_panel import offer_file, take_file
from baxterkit.viewer.page.robot_panel import PROGRAM, RobotPanel
from baxterkit.viewer.page.stage import on_moved, wxyz
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.session import SIDES

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

RECORD, END = "Record a lesson", "End the lesson"
REPLAY, MIRRORED, SMOOTH = "replay", "mirrored", "smooth"
RENAME, REMOVE = "rename", "remove"
FILE = "lesson.json"
LONGEST = 60
"""Longest name of a lesson [characters]."""
FASTEST = 0.5
"""Speed of a hand that the mouse leads [m/s], at the whole share of the speed."""


class TeachPanel:
    """The tab of lessons.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        live: The robot.
        robot: The tab of the robot, which knows who may move it.

    Attributes:
        lessons: Lessons by their names.
        name: Name of the next lesson, or the new one of the lesson that is chosen.
        record: The button that begins and ends a lesson.
        mark: The button that marks a waypoint.
        choice: The lesson that is chosen.
        acts: What can be done with it.
        leading: Whether the mouse leads the hands.
        gizmos: Where it leads them to, by side.
    """

    def __init__(self, viewer: Viewer, tabs: Viser, live: LiveRobot, robot: RobotPanel) -> None:
        self._viewer, self._live, self._robot = viewer, live, robot
        self.lessons: dict[str, Lesson] = {}
        self._recording = ""
        self._lead: object | None = None
        self._targets: dict[str, Transform] = {}
        self._dragged: set[str] = set()
        gui = viewer.server.gui
        with tabs.add_tab("Teach"):
            self.status = gui.add_markdown("")
            self.leading = gui.add_checkbox(
                "lead hands with the mouse", False, visible=False,
                hint="Drag the arrows and arcs at a hand: it follows, clear of everything, until "
                "the mouse button is released.",
            )  # fmt: skip
            self.name = gui.add_text("name", "lesson 1")
            self.record = gui.add_button(RECORD)
            self.mark = gui.add_button("Mark a waypoint", visible=False)
            self.choice = gui.add_dropdown("lesson", ("",), visible=False)
            self.acts = gui.add_button_group(
                "do", (REPLAY, MIRRORED, SMOOTH, RENAME, REMOVE), visible=False
            )
            self._save = gui.add_button("Save the lesson", visible=False)
            upload = gui.add_upload_button("Open a lesson …", mime_type=".json")
        self.gizmos = {side: self._gizmo(side) for side in SIDES}
        viewer.on_change(self.record, "record", lambda _: self.toggle())
        viewer.on_change(self.mark, "mark", lambda _: live.mark())
        robot.connect(self.acts, "lesson", self.act)
        robot.connect(self.leading, "lead", self.lead)
        offer_file(viewer, self._save, "save lesson", lambda: (FILE, self.file()))
        take_file(
            viewer, upload, "open lesson", lambda file: viewer.told(lambda: self.open(file.content))
        )

    def toggle(self) -> None:
        """Begins a lesson, or ends it."""
        if not self._recording:
            name = self._new_name(self.name.value)
            self._live.teach(name)
            self._recording = name
            self._viewer.tell(f"Recording “{name}”: lead an arm by its cuff, or with the mouse.")
            return
        self._recording = ""
        lesson = self._live.taught()
        self._keep(lesson)
        told = "; ".join((f"“{lesson.name}” is recorded, {lesson.duration:.1f} s", *lesson.notes))
        self._viewer.tell(f"{told}.", warning=bool(lesson.notes))

    def act(self, what: str, who: int = PROGRAM) -> None:
        """Does something with the lesson that is chosen, as a page asks, or a program."""
        lesson, speed = self.lessons.get(self.choice.value), self._robot.share
        if lesson is None:
            self._viewer.tell("Record a lesson first, or open one.", warning=True)
        elif what in (REPLAY, MIRRORED):
            self._viewer.told(lambda: self._replay(lesson, what == MIRRORED, speed, who))
        elif what == SMOOTH:
            self._viewer.told(lambda: self._smooth(lesson))
        elif what == RENAME:
            self._viewer.told(lambda: self._rename(lesson))
        elif what == REMOVE:
            del self.lessons[lesson.name]
            self._offer("")

    def lead(self, on: bool, who: int = PROGRAM) -> None:
        """Lets the mouse lead the hands while a user has control, or ends it."""
        if self._robot.is_anothers(who, "lead its hands"):
            return
        if not on:
            self._lead = None
            return
        mine = object()

        def source(t: float) -> dict[str, Transform]:
            if self._lead is not mine:
                raise StopIteration
            return dict(self._targets)

        def act() -> None:
            try:
                self._live.lead(source, FASTEST * self._robot.share)
            finally:
                if self._lead is mine:
                    self._lead = None

        self._targets = {side: self._live.tip(side) for side in SIDES}
        self._lead = mine
        if not self._robot.start("lead the hands", act, "The hands rest.", who):
            self._lead = None

    def drag(self, side: str, T: Transform | None, who: int = PROGRAM) -> None:
        """Leads a hand to a pose; None lets go of it, and it rests where it is."""
        if self._robot.is_anothers(who, "lead its hands"):
            return
        if T is None:
            self._dragged.discard(side)
            self._targets[side] = self._live.tip(side)
        else:
            self._dragged.add(side)
            self._targets[side] = T

    def file(self) -> bytes:
        """The lesson that is chosen, as `Lesson.load` reads it.

        Raises:
            InputError: If there is none.
        """
        lesson = self.lessons.get(self.choice.value)
        if lesson is None:
            raise InputError("record a lesson first, or open one")
        with tempfile.TemporaryDirectory() as folder:
            return disk.read_bytes(lesson.save(Path(folder) / FILE))

    def open(self, content: bytes) -> None:
        """Adds a lesson from a file.

        Raises:
            InputError: If it is none.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / FILE
            disk.write_bytes(path, content)
            try:
                lesson = Lesson.load(path)
            except BaxterkitError as error:
                raise InputError(str(error).replace(f"{path}", "this file")) from error
        self._keep(lesson.named(self._new_name(lesson.name)))
        self._viewer.tell("The lesson is open.")

    def watch(self) -> None:
        """Shows what can be done now; for the viewer's thread."""
        in_control = self._live.in_control
        put(self.leading, visible=in_control)
        put(self.record, label=END if self._recording else RECORD)
        put(self.mark, visible=bool(self._recording))
        for handle in (self.choice, self.acts, self._save):
            put(handle, visible=bool(self.lessons))
        said = f"**Recording “{self._recording}”.**" if self._recording else ""
        if not in_control and not self._recording:
            said = (
                "Tick *control* in the tab Robot, and enable the robot there, to replay lessons "
                "and to lead its hands."
            )
        put(self.status, content=said)
        if not self._robot.job.running:
            self._lead = None  # it has ended, or was told to before it began
        led = self._lead is not None
        put(self.leading, value=led)
        for side, gizmo in self.gizmos.items():
            put(gizmo, visible=led)
            if side not in self._dragged:
                T = self._viewer.session.limb(side).T_base_tip
                put(gizmo, position=tuple(T[:3, 3].tolist()), wxyz=tuple(wxyz(T[:3, :3])))

    def stop(self) -> None:
        """Ends what the mouse leads, and a lesson that is being recorded."""
        self._lead = None
        if self._recording:
            with suppress(BaxterkitError):
                self._live.taught()

    def _replay(self, lesson: Lesson, mirrored: bool, speed: float, who: int) -> None:
        played = lesson.mirrored() if mirrored else lesson
        self._robot.start(
            f"replay “{lesson.name}”",
            lambda: self._live.replay(played, speed),
            f"“{lesson.name}” is replayed.",
            who,
        )

    def _smooth(self, lesson: Lesson) -> None:
        """Keeps the same path, smooth and as fast as half of the limits allow, besides."""
        self._keep(lesson.retimed(0.5).named(self._new_name(f"{lesson.name}, smooth")))

    def _rename(self, lesson: Lesson) -> None:
        name = self._new_name(self.name.value)
        del self.lessons[lesson.name]
        self._keep(lesson.named(name))

    def _keep(self, lesson: Lesson) -> None:
        self.lessons[lesson.name] = lesson
        self._offer(lesson.name)
        self.name.value = self._free_name("lesson")

    def _offer(self, name: str) -> None:
        self.choice.options = tuple(self.lessons) or ("",)
        self.choice.value = name if name in self.lessons else self.choice.options[0]

    def _new_name(self, given: str) -> str:
        """A name that no lesson has yet."""
        plain = "".join(c for c in str(given) if c.isprintable()).strip()[:LONGEST]
        return self._free_name(plain or "lesson", plain)

    def _free_name(self, stem: str, first: str = "") -> str:
        if first and first not in self.lessons:
            return first
        n = 2 if first else 1
        while f"{stem} {n}" in self.lessons:
            n += 1
        return f"{stem} {n}"

    def _gizmo(self, side: str) -> Viser:
        gizmo = self._viewer.server.scene.add_transform_controls(
            f"/lead_hand/{side}", scale=0.25, line_width=4.0, depth_test=False, visible=False
        )
        post = self._viewer.mailbox.post
        on_moved(gizmo, lambda T, who: post(("lead", side), lambda: self.drag(side, T, who)))
        return gizmo
