"""The tab "Plan": objects around the robot, goals, and a motion that touches nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.arrays import finite_array
from baxterkit.control.by_name import CONTROLLERS
from baxterkit.model.names import SIDES
from baxterkit.viewer.page.goal_panel import GoalPanel
from baxterkit.viewer.page.objects_panel import ObjectsPanel
from baxterkit.viewer.server.job import Job
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.motion import Motion
from baxterkit.viewer.state.route import LONGEST, WIDEST, Route, problem_of
from baxterkit.viewer.state.saved import Search
from baxterkit.viewer.state.twin_run import TwinRun, run_in_twin

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

BLUE, ORANGE = (0, 114, 178), (213, 94, 0)
"""Colours of the planned path of a tip and of the twin's."""
TREES = ((86, 180, 233), (230, 159, 0))
"""Colours of the trees from the start and from the goals."""
MOVED = 0.05
"""Arms that are farther from a plan's start have moved since [rad]."""
TO_THE_ROBOT = " In the tab Robot, “along the plan” moves the robot along it."
PLAN, RUN, CANCEL = "Plan", "Run in the twin", "Cancel the computation"


class PlanPanel:
    """The tab to plan.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        keep: Puts a motion on the play list.

    Attributes:
        objects: The folder of the objects.
        goals: The folder of the goals.
        job: Planning, and runs in the twin.
        route: The last plan; None if something has changed since.
    """

    def __init__(self, viewer: Viewer, tabs: Viser, keep: Callable[[Motion], None]) -> None:
        self._viewer, self._keep = viewer, keep
        self.job = Job(viewer.worker("job"))
        self.route: Route | None = None
        self._motions: list[Motion] = []
        gui = viewer.server.gui
        with tabs.add_tab("Plan"):
            self._build_actions()
            with gui.add_folder("Objects around the robot"):
                self.objects = ObjectsPanel(viewer, self.changed)
            with gui.add_folder("Goal"):
                self.goals = GoalPanel(viewer, self._aimed)
            with gui.add_folder("Settings", expand_by_default=False):
                self._build_settings()

    def _build_actions(self) -> None:
        viewer, gui = self._viewer, self._viewer.server.gui
        self._hint = gui.add_markdown("Choose below which arms have a goal; then plan.")
        self.buttons = {}
        for name, action in ((PLAN, self.plan), (RUN, self.run), (CANCEL, self.stop_motion)):
            color = "gray" if name == CANCEL else None
            button = self.buttons[name] = gui.add_button(name, visible=False, color=color)

            viewer.on_change(button, name, lambda value, action=action: action())  # type: ignore[misc]
        viewer.add_clearance()

    def _build_settings(self) -> None:
        viewer, gui = self._viewer, self._viewer.server.gui
        self.limit = gui.add_number("time limit [s]", 2.0, min=0.1, max=LONGEST, step=0.1)
        self.margin = gui.add_number("margin [mm]", 5.0, min=0.0, max=1e3 * WIDEST, step=1.0)
        self.seed = gui.add_number("seed", 0, min=0, max=10**6, step=1)
        self.law = gui.add_dropdown("controller", tuple(CONTROLLERS))
        self.tree = gui.add_checkbox("show the tree", True)
        viewer.on_change(self.tree, "tree", lambda value: self._draw())

    @property
    def settings(self) -> Search:
        """The planner's settings; a number that is not finite is refused."""
        margin = 1e-3 * float(finite_array(self.margin.value, "margin"))
        seconds = float(finite_array(self.limit.value, "time limit"))
        return Search(self.goals.any_elbow.value, seconds, margin, int(self.seed.value))

    @settings.setter
    def settings(self, search: Search) -> None:
        self.goals.any_elbow.value = search.any_elbow
        self.limit.value = min(max(search.timeout, 0.1), LONGEST)
        self.margin.value = min(max(1e3 * search.margin, 0.0), 1e3 * WIDEST)
        self.seed.value = search.seed

    def show(self) -> None:
        """Moves what moves with the session; called as often as the arms are drawn."""
        self.goals.stage.show(self._viewer.session)

    def update(self) -> None:
        """Updates numbers, colours and the timeline."""
        self.objects.update()
        route = self.route
        self.goals.update(self._problems())
        wanted = {
            PLAN: bool(self._viewer.session.goals),
            RUN: route is not None and bool(route.trajectories),
            CANCEL: self.job.running,
        }
        for name, visible in wanted.items():
            put(self.buttons[name], visible=visible)
        put(self._hint, visible=not wanted[PLAN])

    def _problems(self) -> dict[str, str]:
        """Why there is no path, by goal, as long as the arms are where it was to begin."""
        here = np.concatenate([self._viewer.session.limb(side).q for side in SIDES])
        if self.route is None or np.abs(here - self.route.problem.start).max() > MOVED:
            return {}
        return self.route.of_each_goal

    def stop(self) -> None:
        """Ends the thread of plans and runs."""
        self.job.stop()

    def stop_motion(self) -> None:
        """Stops what is being computed, and the motion."""
        if self.job.running:
            self._viewer.tell("Cancelled.")
        self.job.cancel()
        self._viewer.session.stop_playing()

    def changed(self) -> None:
        """An object, a goal or a tool is another one: the last plan is void, and so its motion."""
        self.job.cancel()
        self._viewer.tell("")
        if self._viewer.session.player.motion in self._motions:
            self._viewer.session.close_motion()
        self._motions = []
        if self.route is not None:
            self.route = None
            self._draw()

    def reload(self) -> None:
        """Shows objects and goals that were changed elsewhere: by an undo, by a file."""
        self.goals.reload()
        self.objects.choose(self.objects.chosen)
        self.changed()

    def _aimed(self) -> None:
        """A goal is another one; its gizmo is in use now, not that of an object."""
        self.objects.choose("")
        self.changed()

    def plan(self) -> None:
        """Plans from where the arms are to the goals, in a thread of its own; then plays it."""
        problem = problem_of(
            self._viewer.session,
            any_elbow=self.goals.any_elbow.value,
            timeout=self.limit.value,
            margin=1e-3 * float(finite_array(self.margin.value, "margin")),
            seed=self.seed.value,
        )
        self._viewer.session.stop_playing()
        self._viewer.tell("Planning …")
        self._viewer.controls.compute(self.job, lambda go_on: problem.solve(), self._show_route)

    def run(self) -> None:
        """Runs the last plan in the twin, among the same objects; then plays what the twin did."""
        route, law = self.route, self.law.value
        if route is None or not route.trajectories:
            self._viewer.tell("Plan a motion first; the twin then runs it.", warning=True)
            return
        problem = route.problem
        self._viewer.tell("The twin is being set up …")

        def work(go_on: Callable[[], bool]) -> TwinRun:
            return run_in_twin(
                problem.scene,
                route.trajectories,
                law,
                self._viewer.controls.twin_progress(self.job, go_on),
                at=dict(zip(SIDES, np.split(problem.start, 2), strict=True)),
            )

        self._viewer.controls.compute(self.job, work, self._show_run)

    def _show_route(self, route: Route) -> None:
        self.route = route
        watched = self._viewer.session.watched and route.trajectories
        self._viewer.tell(
            f"{route.words}{TO_THE_ROBOT if watched else ''}", warning=not route.solved
        )
        self._draw()
        if route.motion is not None:
            self._play(route.motion)

    def _show_run(self, run: TwinRun) -> None:
        gap = 1e3 * run.clearance
        near = f"{gap:.0f} mm from anything" if gap >= 0.0 else f"{-gap:.0f} mm into something"
        plots = "" if self._viewer.session.watched else " Plots: in the tab Play."
        self._viewer.tell(f"{run.summary}; at its nearest {near}.{plots}")
        self._draw()
        for side, trace in run.traces.items():
            self._viewer.stage.show_line(f"/route/{side}/twin", (trace,), ORANGE, 3.0)
        self._play(run.motion)

    def _play(self, motion: Motion) -> None:
        if self._viewer.session.watched:
            return  # the arms are the robot's
        self._keep(motion)
        self._motions.append(motion)
        player = self._viewer.session.player
        player.loop, player.speed = False, 1.0
        self._viewer.session.play(motion)

    def _draw(self) -> None:
        """Draws the last plan: the tips' paths and the trees."""
        show, route = self._viewer.stage.show_line, self.route
        for side in SIDES:
            trace = None if route is None else route.traces.get(side)
            show(f"/route/{side}/path", () if trace is None else (trace,), BLUE, 5.0)
            show(f"/route/{side}/twin", (), ORANGE, 3.0)
            trees = None if route is None or not self.tree.value else route.trees.get(side)
            for i, color in enumerate(TREES):
                segments = np.empty((0, 2, 3)) if trees is None else trees[i]
                self._viewer.stage.show_segments(f"/route/{side}/tree {i}", segments, color, 1.5)
