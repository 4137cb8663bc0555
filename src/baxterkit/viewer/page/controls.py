"""The panel in the browser: controls and readouts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from baxterkit.errors import BaxterkitError
from baxterkit.types import Array
from baxterkit.viewer.page.arm_panel import ArmPanel
from baxterkit.viewer.page.html import (
    clearance_html,
    line_html,
    note_html,
    sentence,
    style_html,
    touching_html,
)
from baxterkit.viewer.page.transport import Transport
from baxterkit.viewer.server.job import Job
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.readout import Elbow, read_out
from baxterkit.viewer.state.session import CONFIGURATIONS, SIDES, Session
from baxterkit.viewer.state.twin_run import Cancelled

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

QUIET = 0.5
"""Time for which a control that a user has just moved is not updated [s]."""
UNDO = "undo"
GHOST_CHOICES = ("off", "within limits", "all")
WIDTH = 350
"""Width of the panel [pixel]."""

Answer = TypeVar("Answer")


class Controls:
    """Builds and updates the panel.

    Callbacks run in the server's event loop; they only post to the viewer's mailbox.

    Args:
        viewer: The viewer.

    Attributes:
        arms: The tabs of the arms, by side.
        text: The message at the top of the panel.
        clearances: The lines that show the clearance.
        banner: The pair that touches; on every tab.
        transport: The motion that is loaded.
        undo: The button that goes one step back.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._touched: dict[int, float] = {}
        self._put: dict[int, tuple[tuple[float, ...] | None, float]] = {}
        self.arms: dict[str, ArmPanel] = {}
        self.clearances: list[Viser] = []
        self.text, self._warning = "", False

    def build(self) -> None:
        """Makes everything but the tabs of the studio."""
        gui, viewer = self._viewer.server.gui, self._viewer
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("baxterkit")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(WIDTH)
        gui.add_html(style_html())
        self._note = gui.add_html("", visible=False)
        self.banner = gui.add_html("", visible=False)
        self.transport = Transport(viewer)
        self._configurations = gui.add_button_group("both arms", CONFIGURATIONS)
        self.on_change(
            self._configurations,
            "both arms",
            lambda value: viewer.session.go_to_configuration(value),
        )
        self.undo = gui.add_button("Undo", visible=False, hint="Ctrl-Z")
        self.on_change(self.undo, UNDO, lambda value: viewer.undo())
        self._undo_key = gui.add_command("Undo", hotkey="Z", modifier="cmd/ctrl")

        async def undone(event: Viser) -> None:
            viewer.mailbox.post(UNDO, viewer.undo)

        self._undo_key.on_trigger(undone)
        self.tabs = gui.add_tab_group()
        for side in SIDES:
            with self.tabs.add_tab(side.capitalize()):
                self.arms[side] = ArmPanel(viewer, side)
        with self.tabs.add_tab("Show"):
            self._build_show()

    @property
    def settling(self) -> bool:
        """Whether a control still shows a value that a user set, not the result."""
        now = self._viewer.clock.now()
        return any(now - at < QUIET for at in tuple(self._touched.values()))

    def update(self, session: Session) -> None:
        """Updates numbers, sliders, ellipsoids and ghosts."""
        scene = self._viewer.stage
        near = scene.show_clearance(session, self.clearance.value)
        gap = float(near.clearance)
        said = clearance_html(near.names, gap)
        for shown in self.clearances:
            shown.content = said
        self.banner.content = touching_html(near.names, gap)
        self.banner.visible = gap < 0.0
        self.transport.update(session.player)
        self.undo.visible = not session.watched and self._viewer.history.can_undo
        counts = []
        for side, limb in session.limbs.items():
            readout = read_out(limb)
            self.arms[side].update(readout)
            scene.show_ellipsoid(readout, self.ellipsoid.value)
            scene.show_message(side, readout.T_base_tip, limb.message)
            count = scene.show_ghosts(side, session, self.ghosts.value)
            counts.append(f"{side} arm {count or 'none'}")
        self.put(self._pan, session.pan)
        told = f"Other branches at this e0: {', '.join(counts)}."
        told += "" if session.watched else " Click one to go there."
        self._branches.content = "" if self.ghosts.value == "off" else line_html(told)
        self._show_note(session)

    def add_clearance(self) -> None:
        """Puts a line with the clearance into the present container."""
        self.clearances.append(self._viewer.server.gui.add_html(""))

    def tell(self, text: str, *, warning: bool = False) -> None:
        """Shows a message at the top of the panel, in place of the last one; none if empty."""
        self.text, self._warning = text, warning
        self._show_note(self._viewer.session)

    def show_elbow(self, side: str, elbow: Elbow) -> None:
        """Shows an arm's self-motion, computed a moment ago: the strip and the elbow's path."""
        self.arms[side].show_elbow(elbow)
        self._viewer.stage.show_elbow(side, elbow if self._curves.value else None)

    def on_change(self, handle: Viser, key: Hashable, action: Callable[[Viser], None]) -> None:
        """Posts an action with the control's value whenever a user changes it."""

        async def changed(event: Viser) -> None:
            if event.client is None:
                return
            self._touched[id(handle)] = self._viewer.clock.now()
            value = handle.value
            self._viewer.mailbox.post(key, lambda: self.act(key, lambda: action(value)))

        register = getattr(handle, "on_click", None) or handle.on_update
        register(changed)

    def act(self, key: Hashable, action: Callable[[], None]) -> None:
        """Does what a user asks for: it can be undone, and the last warning is old."""
        if key != UNDO:
            self._viewer.history.note(key)
        if self._warning:
            self.tell("")
        self.told(action)

    def told(self, action: Callable[[], None]) -> None:
        """Runs an action; an error is shown in the panel."""
        try:
            action()
        except BaxterkitError as error:
            self.tell(str(error), warning=True)

    def compute(
        self,
        job: Job,
        work: Callable[[Callable[[], bool]], Answer],
        show: Callable[[Answer], None],
    ) -> None:
        """Computes in a job's thread, and shows the answer, or an error, in the viewer's.

        `work` gets a function that says whether to go on; of what was cancelled, nothing is shown.
        """

        def guarded(go_on: Callable[[], bool]) -> None:
            try:
                answer = work(go_on)
            except Cancelled:
                return
            except BaxterkitError as error:
                message = str(error)
                told = partial(self.tell, message, warning=True)
                self._viewer.mailbox.post(job, lambda: told() if go_on() else None)
                return
            self._viewer.mailbox.post(job, lambda: show(answer) if go_on() else None)

        job.start(guarded)

    def twin_progress(self, job: Job, go_on: Callable[[], bool]) -> Callable[[float], bool]:
        """Shows how far a run in the twin is, and says whether to go on; for a job's thread."""

        def progress(part: float) -> bool:
            self._viewer.mailbox.post(
                job, lambda: self.tell(f"The twin is running: {100.0 * part:.0f} %")
            )
            return go_on()

        return progress

    def watch(self) -> None:
        """Hides what has no effect on arms that only a robot moves."""
        self._viewer.session.close_motion()
        self.place_gizmos()
        self._undo_key.remove()
        for handle in (self._configurations, self._pan, self._gizmos):
            handle.visible = False
        for arm in self.arms.values():
            arm.watch()

    def put(self, handle: Viser, value: float, *, now: bool = False) -> None:
        """Sets a slider, unless a user is moving it and it need not be `now`."""
        if not now and self._viewer.clock.now() - self._touched.get(id(handle), -QUIET) < QUIET:
            return
        value = round(value, 3)
        if not abs(handle.value - value) <= 5e-4:  # a client may have put NaN there
            handle.value = min(max(value, handle.min), handle.max)

    def put_vector(self, handle: Viser, values: Array) -> None:
        """Sets three number fields, unless a user is typing there."""
        now, touched = self._viewer.clock.now(), self._touched.get(id(handle), -QUIET)
        wanted = tuple(round(float(x), 3) + 0.0 for x in values)
        last, at = self._put.get(id(handle), (None, 0.0))
        if now - touched < QUIET or (last == wanted and touched <= at):
            return  # what else is there now is a user's, and `on_change` has yet to see it
        self._put[id(handle)] = (wanted, now)
        shown = handle.value
        if not isinstance(shown, tuple | list) or tuple(shown) != wanted:
            handle.value = wanted

    def _show_note(self, session: Session) -> None:
        """The last message, and why a hand is not at its target."""
        stuck = [
            f"{side.capitalize()} arm: {limb.message}"
            for side, limb in session.limbs.items()
            if limb.message
        ]
        stuck += [
            f"{side.capitalize()} goal: {goal.message}"
            for side, goal in session.goals.items()
            if goal.message
        ]
        content = note_html(" ".join(stuck), warning=True)
        content += note_html(sentence(self.text), warning=self._warning)
        self._note.content = content
        self._note.visible = bool(content)

    def _build_show(self) -> None:
        gui, viewer = self._viewer.server.gui, self._viewer
        head = viewer.session.robot.head
        self._pan = gui.add_slider("head", round(head.lower, 3), round(head.upper, 3), 0.001, 0.0)
        self.on_change(self._pan, "pan", lambda value: viewer.session.turn_head(value))
        self.ellipsoid = gui.add_checkbox("velocity ellipsoid", False)
        self._curves = gui.add_checkbox("elbow's path", True)
        self.ghosts = gui.add_dropdown("IK branches", GHOST_CHOICES, initial_value="off")
        self._branches = gui.add_html("")
        self._gizmos = gui.add_checkbox("hand gizmos", True)
        for handle in (self.ellipsoid, self._curves, self.ghosts):
            self.on_change(handle, "refresh", lambda value: None)
        self.on_change(self._gizmos, "gizmos", lambda value: self.place_gizmos())
        self.clearance = gui.add_checkbox("line between the nearest two", True)
        self.on_change(self.clearance, "refresh", lambda value: None)
        self.add_clearance()
        contacts = gui.add_checkbox("collision shapes", False)
        self.on_change(contacts, "contacts", viewer.stage.show_contacts)

    def place_gizmos(self) -> None:
        """Shows the gizmos of the hands that are dragged: of those without a goal."""
        session = self._viewer.session
        for side, gizmo in self._viewer.stage.gizmos.items():
            taken = session.watched or session.drawing or side in session.goals
            wanted = self._gizmos.value and not taken
            put(gizmo, visible=wanted)
