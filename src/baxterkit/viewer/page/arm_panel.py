"""The tab of one arm: its pose, tool, targets and joints."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from baxterkit.collision.hand import has_fingers
from baxterkit.model.library import load_baxter
from baxterkit.model.names import JOINTS
from baxterkit.viewer.page.html import copy_html, elbow_html, pose_html, torques_html
from baxterkit.viewer.server.viser_types import put
from baxterkit.viewer.state.readout import Elbow, Readout
from baxterkit.viewer.state.typed import HAND_FORMS, JOINT_FORM, typed_hand, typed_joints

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

STEP = 0.001
"""Step of the sliders [rad]."""


class ArmPanel:
    """The tab of one arm.

    Args:
        viewer: The viewer; the controls are put into the present container.
        side: Which arm.

    Attributes:
        sliders: Sliders of the joints, s0 first.
        elbow: The slider of the self-motion.
        gripper: The slider of the fingers; visible if the tool has any.
        hand: The text field of a hand pose.
        joints: The text field of joint angles.
    """

    def __init__(self, viewer: Viewer, side: str) -> None:
        self._viewer, self.side = viewer, side
        gui, limb = viewer.server.gui, viewer.session.limb(side)
        self._pose = gui.add_html("")
        tools = tuple(load_baxter().tools)
        known = limb.arm.tool.name if limb.arm.tool.name in tools else tools[0]
        self._tool = gui.add_dropdown("tool", tools, initial_value=known)
        viewer.on_change(self._tool, ("tool", side), partial(viewer.change_tool, side))
        self.gripper = gui.add_slider("gripper", 0.0, 1.0, 0.01, 1.0, hint="0 closed, 1 open")
        viewer.on_change(
            self.gripper, ("gripper", side), partial(viewer.session.open_gripper, side)
        )
        lower, upper = limb.arm.limits.lower.tolist(), limb.arm.limits.upper.tolist()
        with gui.add_folder("Self-motion: the hand stays") as self._self_motion:
            self.elbow = gui.add_slider("elbow e0", lower[2], upper[2], STEP, float(limb.q[2]))
            viewer.on_change(self.elbow, ("e0", side), self._slide)
            self._strip = gui.add_html("")
        with gui.add_folder("Joints [rad]"):
            self.sliders = []
            for i, name in enumerate(JOINTS):
                slider = gui.add_slider(name, lower[i], upper[i], STEP, float(limb.q[i]))
                viewer.on_change(slider, ("joint", side, i), partial(limb.set_joint, i))
                self.sliders.append(slider)
            self._copy = gui.add_html("")
        with gui.add_folder("Go to", expand_by_default=False) as self._go_to:
            self.hand = gui.add_text("hand", "", hint=HAND_FORMS)
            move = gui.add_button("Move the hand there")
            viewer.on_change(move, ("typed hand", side), lambda value: self.go_to_typed_hand())
            self.joints = gui.add_text("joints", "", hint=JOINT_FORM)
            move = gui.add_button("Move the joints there")
            viewer.on_change(move, ("typed joints", side), lambda value: self.go_to_typed_joints())
        self._torques = gui.add_html("")

    def update(self, readout: Readout) -> None:
        """Updates numbers and sliders."""
        session, slide = self._viewer.session, self._viewer.put
        limb = session.limb(self.side)
        self._pose.content = pose_html(readout)
        self._torques.content = torques_html(readout)
        self._copy.content = copy_html(limb.q)
        if limb.arm.tool.name in self._tool.options:
            put(self._tool, value=limb.arm.tool.name)
        for slider, value in zip(self.sliders, limb.q.tolist(), strict=True):
            slide(slider, value)
        slide(self.elbow, float(limb.q[2]))
        slide(self.gripper, session.openings[self.side])
        put(self.gripper, visible=has_fingers(limb.arm.model))

    def watch(self) -> None:
        """Leaves the numbers alone, for an arm that only a robot moves."""
        for handle in (self._tool, self._self_motion, self._go_to):
            handle.visible = False
        for slider in (self.gripper, *self.sliders):
            slider.disabled = True

    def show_elbow(self, elbow: Elbow) -> None:
        """Shows how far the elbow can slide."""
        self._strip.content = elbow_html(elbow)

    def go_to_typed_hand(self) -> None:
        """Sends the hand to the pose that was typed."""
        session = self._viewer.session
        limb = session.limb(self.side)
        T = typed_hand(self.hand.value, limb.T_base_tip[:3, :3])
        session.stop_playing()
        limb.send_hand(T)
        self._viewer.tell("")

    def go_to_typed_joints(self) -> None:
        """Sends the joints to the angles that were typed.

        Raises:
            JointLimitError: If one is beyond its limits; nothing moves.
        """
        session = self._viewer.session
        limb = session.limb(self.side)
        q = typed_joints(self.joints.value)
        limb.arm.limits.check(q)
        session.stop_playing()
        limb.go_to(q)
        self._viewer.tell("")

    def _slide(self, e0: float) -> None:
        """Slides the elbow; the slider then shows the e0 that was reached."""
        self._viewer.slide_elbow(self.side, e0)
        self._viewer.put(self.elbow, float(self._viewer.session.limb(self.side).q[2]), now=True)
