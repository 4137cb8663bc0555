"""The tab of one arm: its pose, tool, targets and joints."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.collision.hand import has_fingers
from baxterkit.errors import BaxterkitError
from baxterkit.model.library import load_baxter
from baxterkit.model.names import JOINTS
from baxterkit.viewer.page.host import Host
from baxterkit.viewer.page.html import copy_html, elbow_html, pose_html, torques_html
from baxterkit.viewer.state.readout import Elbow, Readout
from baxterkit.viewer.state.typed import HAND_FORMS, JOINT_FORM, typed_hand, typed_joints

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

    def __init__(self, viewer: Host, side: str) -> None:
        self._viewer, self.side = viewer, side
        gui, limb = viewer.server.gui, viewer.session.limb(side)
        self._pose = gui.add_html("")
        tools = tuple(load_baxter().tools)
        known = limb.arm.tool.name if limb.arm.tool.name in tools else tools[0]
        self._tool = gui.add_dropdown("tool", tools, initial_value=known)
        viewer.on_change(self._tool, ("tool", side), self._change_tool)
        self.gripper = gui.add_slider("gripper", 0.0, 1.0, 0.01, 1.0, hint="0 closed, 1 open")
        viewer.on_change(self.gripper, ("gripper", side), self._open)
        lower, upper = limb.arm.limits.lower.tolist(), limb.arm.limits.upper.tolist()
        with gui.add_folder("Self-motion: the hand stays") as self._self_motion:
            self.elbow = gui.add_slider("elbow e0", lower[2], upper[2], STEP, float(limb.q[2]))
            viewer.on_change(self.elbow, ("e0", side), self._slide)
            self._strip = gui.add_html("")
        with gui.add_folder("Joints [rad]"):
            self.sliders = []
            for i, name in enumerate(JOINTS):
                slider = gui.add_slider(name, lower[i], upper[i], STEP, float(limb.q[i]))
                viewer.on_change(slider, ("joint", side, i), self._joint_action(i))
                self.sliders.append(slider)
            self._copy = gui.add_html("")
        with gui.add_folder("Go to", expand_by_default=False) as self._go_to:
            self.hand = gui.add_text("hand", "", hint=HAND_FORMS)
            self._button("Move the hand there", "typed hand", self.go_to_typed_hand)
            self.joints = gui.add_text("joints", "", hint=JOINT_FORM)
            self._button("Move the joints there", "typed joints", self.go_to_typed_joints)
        self._torques = gui.add_html("")

    def update(self, readout: Readout) -> None:
        """Updates numbers and sliders."""
        session, put = self._viewer.session, self._viewer.put
        limb = session.limb(self.side)
        self._pose.content = pose_html(readout)
        self._torques.content = torques_html(readout)
        self._copy.content = copy_html(limb.q)
        if self._tool.value != limb.arm.tool.name and limb.arm.tool.name in self._tool.options:
            self._tool.value = limb.arm.tool.name
        for slider, value in zip(self.sliders, limb.q.tolist(), strict=True):
            put(slider, value)
        put(self.elbow, float(limb.q[2]))
        put(self.gripper, session.openings[self.side])
        fingers = has_fingers(limb.arm.model)
        if self.gripper.visible != fingers:
            self.gripper.visible = fingers

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

    def _change_tool(self, tool: str) -> None:
        self._viewer.change_tool(self.side, tool)

    def _open(self, opening: float) -> None:
        self._viewer.session.open_gripper(self.side, opening)

    def _slide(self, e0: float) -> None:
        """Slides the elbow; the slider then shows the e0 that was reached."""
        self._viewer.slide_elbow(self.side, e0)
        self._viewer.put(self.elbow, float(self._viewer.session.limb(self.side).q[2]), now=True)

    def _joint_action(self, index: int) -> Callable[[float], None]:
        return lambda value: self._viewer.session.limb(self.side).set_joint(index, value)

    def _button(self, label: str, key: str, action: Callable[[], None]) -> None:
        def pressed(value: object) -> None:
            try:
                action()
                self._viewer.tell("")
            except BaxterkitError as error:
                self._viewer.tell(str(error), warning=True)

        button = self._viewer.server.gui.add_button(label)
        self._viewer.on_change(button, (key, self.side), pressed)
