"""The panels in the browser: controls and readouts."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from baxterkit.model.library import load_baxter
from baxterkit.model.names import JOINTS
from baxterkit.viewer.page.host import Host
from baxterkit.viewer.page.html import elbow_html, readout_html
from baxterkit.viewer.page.plots import Plots
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.state.readout import Elbow, read_out
from baxterkit.viewer.state.session import POSES, SIDES, Session

QUIET = 0.5
"""Time for which a control that a user has just moved is not updated [s]."""
GHOST_CHOICES = ("off", "within limits", "all")


class Controls:
    """Builds and updates the panels.

    Callbacks run in the server's event loop; they only post to the viewer's mailbox.

    Args:
        viewer: The viewer.
    """

    def __init__(self, viewer: Host) -> None:
        self._viewer = viewer
        self._gui = viewer.server.gui
        self._touched: dict[int, float] = {}
        self.sliders: dict[str, list[Viser]] = {}
        self._elbow: dict[str, Viser] = {}
        self._strip: dict[str, Viser] = {}
        self._live: dict[str, Viser] = {}
        self._build()

    def update(self, session: Session) -> None:
        """Updates numbers, sliders, ellipsoids and ghosts."""
        scene = self._viewer.scene
        for side, limb in session.limbs.items():
            readout = read_out(limb)
            self._live[side].content = readout_html(readout)
            for slider, value in zip(self.sliders[side], limb.q.tolist(), strict=True):
                self._set(slider, value)
            self._set(self._elbow[side], float(limb.q[2]))
            scene.show_ellipsoid(readout, self.ellipsoid.value)
            scene.show_ghosts(side, session, self.ghosts.value)
        self._set(self._pan, session.pan)

    def show_elbow(self, side: str, elbow: Elbow) -> None:
        """Shows an arm's self-motion, computed a moment ago: the strip and the elbow's way."""
        self._strip[side].content = elbow_html(elbow)
        self._viewer.scene.show_elbow(side, elbow if self._curves.value else None)

    def _build(self) -> None:
        gui, viewer = self._gui, self._viewer
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("baxterkit")
        live = gui.add_panel()
        with live.add_tab("Live"):
            for side in SIDES:
                self._live[side] = gui.add_html("")
            self.plots = Plots(gui)
        live.dock_left()
        live.set_width(290)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(350)
        poses = gui.add_button_group("pose", POSES)
        self.on_change(poses, "pose", lambda value: viewer.session.go_to_pose(value))
        self._pan = gui.add_slider(
            "head",
            min=round(viewer.session.robot.head.lower, 3),
            max=round(viewer.session.robot.head.upper, 3),
            step=0.001,
            initial_value=0.0,
        )
        self.on_change(self._pan, "pan", lambda value: viewer.session.turn_head(value))
        tabs = gui.add_tab_group()
        for side in SIDES:
            with tabs.add_tab(f"{side.capitalize()} arm"):
                self._build_arm(side)
        self.tabs = tabs
        with tabs.add_tab("Show"):
            self._build_show()

    def _build_arm(self, side: str) -> None:
        gui, viewer = self._gui, self._viewer
        limb = viewer.session.limb(side)
        tools = tuple(load_baxter().tools)
        tool = gui.add_dropdown("tool", tools, initial_value=_known(limb.arm.tool.name, tools))
        self.on_change(tool, ("tool", side), lambda value: viewer.change_tool(side, value))
        lower, upper = limb.arm.limits.lower, limb.arm.limits.upper
        with gui.add_folder("Self-motion: the hand stays"):
            slider = gui.add_slider(
                "elbow e0", float(lower[2]), float(upper[2]), 0.001, float(limb.q[2])
            )
            self.on_change(slider, ("e0", side), lambda value: viewer.slide_elbow(side, value))
            self._elbow[side] = slider
            self._strip[side] = gui.add_html("")
        with gui.add_folder("Joints [rad]"):
            sliders = []
            for i, name in enumerate(JOINTS):
                slider = gui.add_slider(
                    name, float(lower[i]), float(upper[i]), 0.001, float(limb.q[i])
                )
                self.on_change(slider, ("joint", side, i), _joint_action(viewer, side, i))
                sliders.append(slider)
            self.sliders[side] = sliders

    def _build_show(self) -> None:
        gui = self._gui
        self.ellipsoid = gui.add_checkbox("velocity ellipsoid", False)
        self._curves = gui.add_checkbox("elbow's way", True)
        self.ghosts = gui.add_dropdown("IK branches", GHOST_CHOICES, initial_value="off")
        gizmos = gui.add_checkbox("hand gizmos", True)
        for handle in (self.ellipsoid, self._curves, self.ghosts):
            self.on_change(handle, "refresh", lambda value: None)
        self.on_change(gizmos, "gizmos", self._show_gizmos)
        contacts = gui.add_checkbox("contact capsules", False)
        self.on_change(contacts, "contacts", self._viewer.scene.show_contacts)

    def _show_gizmos(self, visible: bool) -> None:
        for gizmo in self._viewer.scene.gizmos.values():
            gizmo.visible = visible

    def on_change(self, handle: Viser, key: Hashable, action: Callable[[Viser], None]) -> None:
        """Posts an action with the control's value whenever a user changes it."""

        async def changed(event: Viser) -> None:
            if event.client is None:
                return
            self._touched[id(handle)] = time.monotonic()
            value = handle.value
            self._viewer.mailbox.post(key, lambda: action(value))

        register = getattr(handle, "on_click", None) or handle.on_update
        register(changed)

    def _set(self, handle: Viser, value: float) -> None:
        """Sets a control, unless a user is moving it."""
        if time.monotonic() - self._touched.get(id(handle), -QUIET) < QUIET:
            return
        value = round(value, 3)
        if not abs(handle.value - value) <= 5e-4:  # a client may have put NaN there
            handle.value = min(max(value, handle.min), handle.max)


def _joint_action(viewer: Host, side: str, index: int) -> Callable[[float], None]:
    return lambda value: viewer.session.limb(side).set_joint(index, value)


def _known(name: str, tools: tuple[str, ...]) -> str:
    return name if name in tools else tools[0]
