"""The folder of the goals: which arms have one, and where it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.spatial.formulas import matrix_to_rpy, rpy_to_matrix
from baxterkit.types import Array, Transform
from baxterkit.viewer.page.goal_stage import GoalStage
from baxterkit.viewer.page.objects_panel import triple
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.state.session import CONFIGURATIONS, SIDES

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

ARMS = {"no arm": (), "left": ("left",), "right": ("right",), "both": SIDES}
HERE, HANDS = "where the arm is", "the ghost's hand"


class GoalPanel:
    """The folder of the goals.

    Args:
        viewer: The viewer; the controls are put into the present container.
        changed: Called after each change, in the viewer's thread.

    Attributes:
        stage: The goals in the scene.
        arms: Which arms have a goal: a key of `ARMS`.
        any_elbow: Whether the hand's pose is the goal; else the ghost's joint positions.
        places: Number fields of the hands' positions [m], by side.
        turns: Those of their roll, pitch, yaw [deg].
    """

    def __init__(self, viewer: Viewer, changed: Callable[[], None]) -> None:
        self._viewer, self._changed = viewer, changed
        gui, post = viewer.server.gui, viewer.mailbox.post
        self.stage = GoalStage(viewer.server.scene)
        self.stage.on_drag = lambda side, T: post(
            ("goal", side, T is None), lambda: viewer.told(lambda: self.drag(side, T))
        )
        self.arms = gui.add_dropdown("goal for", tuple(ARMS), initial_value="no arm")
        viewer.on_change(self.arms, "aim", self.aim)
        self._configurations = gui.add_dropdown(
            "goal at", (HANDS, HERE, *CONFIGURATIONS), visible=False
        )
        viewer.on_change(self._configurations, "goal configuration", self.go_to)
        self.places: dict[str, Viser] = {}
        self.turns: dict[str, Viser] = {}
        for side in SIDES:
            for fields, label, step, action in (
                (self.places, f"{side} [m]", 0.01, self.place),
                (self.turns, f"{side} [deg]", 5.0, self.rotate),
            ):
                field = gui.add_vector3(label, (0.0,) * 3, step=step, visible=False)
                fields[side] = field

                viewer.on_change(field, (label, side), partial(action, side))
        self.any_elbow = gui.add_checkbox(
            "any elbow",
            True,
            visible=False,
            hint="Every configuration that brings the hand to its goal will do. Otherwise only the "
            "ghost's.",
        )
        viewer.on_change(self.any_elbow, "any elbow", lambda value: self._changed())

    def aim(self, arms: str) -> None:
        """Gives arms a goal, by a key of `ARMS`."""
        self._viewer.session.aim(ARMS.get(arms, ()))
        self._show_fields()
        self._refresh()

    def reload(self) -> None:
        """Shows the goals after they were changed elsewhere."""
        goals = tuple(side for side in SIDES if side in self._viewer.session.goals)
        self.arms.value = next(name for name, sides in ARMS.items() if sides == goals)
        self._show_fields()
        self.stage.show(self._viewer.session)

    def _show_fields(self) -> None:
        sides = self._viewer.session.goals
        for handle in (self._configurations, self.any_elbow):
            handle.visible = bool(sides)
        for side in SIDES:
            self.places[side].visible = self.turns[side].visible = side in sides
        self._viewer.place_gizmos()

    def go_to(self, name: str) -> None:
        """Sends the goals to a named configuration, or to where the arms are."""
        if name == HANDS:
            return
        session = self._viewer.session
        for side, goal in session.goals.items():
            goal.go_to(session.limb(side).q if name == HERE else goal.arm.configuration(name))
        self._refresh()
        self._configurations.value = name

    def drag(self, side: str, T: Transform | None) -> None:
        """Moves a goal's hand, as its gizmo does; let go (None), that stays at the wanted pose."""
        goal = self._viewer.session.goals.get(side)
        if T is None:
            self.stage.dragged.discard(side)
            self.stage.show(self._viewer.session)
        elif goal is not None:
            self._viewer.history.note(("goal", side))
            self.stage.dragged.add(side)
            goal.drag(T)
            self._refresh()

    def place(self, side: str, position: Array) -> None:
        """Moves a goal's hand to a position [m]."""
        goal = self._viewer.session.goals.get(side)
        if goal is not None:
            T = goal.wanted
            T[:3, 3] = triple(position, "goal")
            goal.drag(T)
            self._refresh()

    def rotate(self, side: str, rpy: Array) -> None:
        """Turns a goal's hand: roll, pitch, yaw [deg]."""
        goal = self._viewer.session.goals.get(side)
        if goal is not None:
            T = goal.wanted
            T[:3, :3] = rpy_to_matrix(np.radians(triple(rpy, "turn")))
            goal.drag(T)
            self._refresh()

    def update(self, problems: Mapping[str, str]) -> None:
        """Updates the number fields, and what is said above the ghosts: problems, if any."""
        session, put = self._viewer.session, self._viewer.put_vector
        self.stage.show(session)
        self.stage.tell(session, problems)
        for side, goal in session.goals.items():
            T = goal.wanted
            put(self.places[side], T[:3, 3])
            put(self.turns[side], np.degrees(matrix_to_rpy(T[:3, :3])))

    def _refresh(self) -> None:
        self._configurations.value = HANDS
        self._changed()
        self.stage.show(self._viewer.session)
