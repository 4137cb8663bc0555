"""The tab "Plan" without a browser: objects, goals, plans, runs in the twin, bad messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import components
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from viewer_client import Client, StillViewer, do, going_on, wait_for

from baxterkit.look.colors import TOUCHING
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.goal_stage import WIDEST
from baxterkit.viewer.page.objects_stage import CHOSEN, WOOD
from baxterkit.viewer.page.plan_panel import PlanPanel
from baxterkit.viewer.page.stage import GREEN


@pytest.fixture(scope="module")
def live() -> Iterator[Viewer]:
    components.require("viser")
    with Viewer(port=0) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def still() -> Iterator[Viewer]:
    components.require("viser")
    with StillViewer(port=0) as viewer:
        yield viewer


@pytest.fixture
def viewer(request: pytest.FixtureRequest) -> Iterator[Viewer]:
    """A viewer without objects and goals, the arms untucked; one of each kind for all tests."""
    shared = request.getfixturevalue("live" if "client" in request.fixturenames else "still")
    with going_on(shared):
        yield cleared(shared)


def cleared(shared: Viewer) -> Viewer:
    panel, session = shared.planner, shared.session

    def clear() -> None:
        panel.stop_motion()
        session.objects.clear()
        panel.objects.refresh()
        panel.goals.aim("no arm")
        for limb in session.limbs.values():
            limb.set_joints(limb.arm.configuration("untuck"))
        panel.limit.value, panel.margin.value, panel.seed.value = 2.0, 5.0, 0
        shared.controls._touched.clear()

    wait_for(lambda: not panel.job.running, "the last job has ended")
    do(shared, clear)
    assert shared.failures == 0
    return shared


def prepare(viewer: Viewer, sides: str = "left") -> PlanPanel:
    """A box before the robot, a goal beyond it, the right arm out of the way."""
    panel, right = viewer.planner, viewer.session.limb("right")
    do(viewer, lambda: right.set_joints(right.arm.configuration("neutral")))
    do(viewer, lambda: panel.objects.add("box"))
    do(viewer, lambda: panel.goals.aim(sides))
    do(viewer, lambda: panel.goals.place("left", np.array([0.72, -0.14, 0.15])))
    wait_for(lambda: not viewer.session.moving, "the ghost is there")
    return panel


def test_a_thing_is_added_moved_sized_and_removed(viewer: Viewer) -> None:
    panel, objects = viewer.planner.objects, viewer.session.objects
    do(viewer, lambda: panel.add("table"))
    do(viewer, lambda: panel.add("box"))
    assert panel._choice.options == ("none", "table 1", "box 1")
    assert panel._choice.value == panel.chosen == "box 1"
    assert panel.stage.gizmo.visible
    assert len(panel.stage.nodes) == 6  # a top, four legs, a box
    do(viewer, lambda: panel.place(np.array([0.8, 0.1, 0.2])))
    do(viewer, lambda: panel.resize(np.array([0.2, 0.1, 0.3])))
    do(viewer, lambda: panel.rotate(np.array([0.0, 0.0, 90.0])))
    box, node = objects["box 1"], panel.stage.nodes["box 1"]
    assert_allclose(box.T[:3, :2], [[0, -1], [1, 0], [0, 0]], rtol=0.0, atol=1e-12)
    assert_allclose(node.position, [0.8, 0.1, 0.2], rtol=0.0, atol=1e-6)
    assert_allclose(node.dimensions, [0.2, 0.1, 0.3], rtol=0.0, atol=1e-6)
    assert_allclose(panel.stage.gizmo.position, [0.8, 0.1, 0.2], rtol=0.0, atol=1e-6)
    do(viewer, viewer.planner.update)
    assert_allclose(panel.turn.value, [0.0, 0.0, 90.0], rtol=0.0, atol=1e-3)
    assert tuple(node.color) == CHOSEN
    do(viewer, lambda: panel.choose_part("table 1 leg 2"))
    do(viewer, viewer.planner.update)
    assert panel.chosen == "table 1"
    assert tuple(node.color) == WOOD
    do(viewer, panel.remove)
    assert objects.names == ("box 1",)
    assert list(panel.stage.nodes) == ["box 1"]
    do(viewer, panel.remove)
    do(viewer, panel.remove)  # nothing is chosen any more
    assert not panel.stage.gizmo.visible
    assert panel._choice.options == ("none",)


def test_an_object_counts_in_the_clearance_and_stands_out_where_it_touches(viewer: Viewer) -> None:
    panel, limb = viewer.planner.objects, viewer.session.limb("left")
    do(viewer, lambda: panel.add("box"))
    do(viewer, lambda: panel.drag(limb.T_base_tip))
    wait_for(lambda: tuple(panel.stage.nodes["box 1"].color) == TOUCHING, "the box stands out")
    wait_for(lambda: "touches box 1, by " in viewer.controls.banner.content, "the banner")
    lines = viewer.controls.clearances  # under Show and under Plan
    wait_for(lambda: [line.content for line in lines] == ["", ""], "no clearance")
    parts = viewer.stage.parts["left"]
    wait_for(lambda: any(tuple(part.color) == TOUCHING for part in parts), "the arm stands out")
    far = np.eye(4)
    far[:3, 3] = [2.0, 2.0, 0.0]
    do(viewer, lambda: panel.drag(far))
    do(viewer, lambda: panel.drag(None))
    wait_for(lambda: "apart" in viewer.controls.clearances[1].content, "nothing touches")
    wait_for(lambda: tuple(panel.stage.nodes["box 1"].color) == CHOSEN, "the box as it was")


def test_a_plan_is_found_drawn_and_played(viewer: Viewer) -> None:
    panel, limb = prepare(viewer), viewer.session.limb("left")
    assert tuple(panel.goals.stage.ghosts["left"].meshes[0].color) == GREEN
    assert not panel.objects.stage.gizmo.visible  # the goal's is in use
    do(viewer, panel.plan)
    wait_for(lambda: panel.route is not None, "there is a plan")
    wait_for(lambda: viewer.session.player.playing, "it plays")
    assert viewer.controls.text.startswith("Found in ")
    route = panel.route
    assert route is not None
    shown = viewer.stage._lines
    assert shown["/route/left/path"].visible
    tree = next(shown[f"/route/left/tree {i}"] for i in (0, 1) if len(route.trees["left"][i]))
    assert tree.visible
    panel.tree.value = False
    do(viewer, panel._draw)
    assert not tree.visible
    panel.tree.value = True
    do(viewer, viewer.session.pause)
    do(viewer, lambda: viewer.session.seek(1e9))
    do(viewer, panel.update)
    do(viewer, lambda: viewer.controls.transport.update(viewer.session.player))
    assert viewer.controls.transport.buttons.options[0] == "play"
    assert_allclose(limb.T_base_tip, viewer.session.goals["left"].target, rtol=0.0, atol=1e-6)
    assert "planned motion" in viewer.studio.pieces
    do(viewer, lambda: panel.objects.add("shelf"))  # another world: the plan is void
    assert panel.route is None
    assert not viewer.stage._lines["/route/left/path"].visible
    assert viewer.controls.text == ""


def test_impossible_goals_are_said_above_the_ghost_and_in_the_panel(viewer: Viewer) -> None:
    panel, limb = prepare(viewer), viewer.session.limb("left")
    before = limb.q

    def label() -> str:
        return str(panel.goals.stage.ghosts["left"].label.text)

    do(viewer, lambda: panel.goals.place("left", np.array([0.75, 0.0, 0.10])))
    wait_for(lambda: "touches box 1" in label(), "the ghost touches the box")
    assert tuple(panel.goals.stage.ghosts["left"].meshes[0].color) == TOUCHING
    for position, words, short in (
        ([0.75, 0.0, 0.10], "touches box 1. Move the goal", "no path: left_"),
        ([2.0, 0.0, 0.1], "out of reach", "no path: out of reach"),
    ):
        do(viewer, lambda position=position: panel.goals.place("left", np.array(position)))
        do(viewer, panel.plan)
        wait_for(lambda: panel.route is not None, "there is an answer")
        assert words in viewer.controls.text
        wait_for(lambda short=short: label().startswith(short), "it is said above the ghost")
    wait_for(lambda: "Left goal: " in viewer.controls._note.content, "why the ghost is not there")
    assert limb.q is before
    assert not viewer.session.player.playing


def test_why_there_is_no_path_is_not_said_of_arms_that_have_moved_since(viewer: Viewer) -> None:
    panel, limb = prepare(viewer), viewer.session.limb("left")
    label = panel.goals.stage.ghosts["left"].label
    here = limb.T_base_tip
    do(viewer, lambda: viewer.session.objects.move("box 1", here))
    do(viewer, panel.plan)
    wait_for(lambda: str(label.text).startswith("no path: at the"), "the start touches the box")
    assert max(map(len, label.text.splitlines())) <= WIDEST
    do(viewer, lambda: limb.set_joints(limb.arm.configuration("tuck")))
    wait_for(lambda: "no path" not in label.text, "it is no longer so")


def test_nothing_to_plan_and_nothing_to_run_is_said(viewer: Viewer) -> None:
    panel = viewer.planner
    do(viewer, panel.plan)
    wait_for(lambda: viewer.controls.text == "choose the arms that have a goal first", "it is said")
    do(viewer, panel.run)
    assert viewer.controls.text == "Plan a motion first; the twin then runs it."


def test_without_mujoco_the_way_out_is_said(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = prepare(viewer)
    do(viewer, panel.plan)
    wait_for(lambda: panel.route is not None, "there is a plan")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    do(viewer, panel.run)
    wait_for(lambda: "MuJoCo" in viewer.controls.text, "it is said")
    assert "pip install" in viewer.controls.text


def test_a_change_while_it_plans_voids_the_answer(viewer: Viewer) -> None:
    panel = prepare(viewer)

    def plan_and_change() -> None:
        panel.plan()
        panel.objects.add("shelf")

    do(viewer, plan_and_change)
    wait_for(lambda: not panel.job.running, "the job has ended")
    do(viewer, lambda: None)
    assert panel.route is None
    assert viewer.controls.text == ""
    do(viewer, panel.stop_motion)


def send(client: Client, handle: Any, value: Any) -> None:
    client.send("GuiUpdateMessage", uuid=handle._impl.uuid, updates={"value": value})


def test_gizmos_and_fields_of_a_browser_move_objects_and_goals(
    viewer: Viewer, client: Client
) -> None:
    panel, objects = viewer.planner, viewer.session.objects
    do(viewer, lambda: panel.objects.add("box"))
    place = {"position": (0.8, 0.3, 0.1), "wxyz": (1.0, 0.0, 0.0, 0.0), "owner": ""}
    client.send("TransformControlsUpdateMessage", name="/object_gizmo", **place)
    wait_for(lambda: objects["box 1"].T[1, 3] == pytest.approx(0.3), "the box is moved")
    assert panel.objects.stage.dragged
    client.send("TransformControlsDragEndMessage", name="/object_gizmo", owner="")
    wait_for(lambda: not panel.objects.stage.dragged, "it is released")
    send(client, panel.objects.size, [0.3, 0.2, 0.1])
    wait_for(lambda: objects["box 1"].size == (0.3, 0.2, 0.1), "the box is sized")
    send(client, panel.goals.arms, "both")
    wait_for(lambda: len(viewer.session.goals) == 2, "both arms have a goal")
    wait_for(lambda: not viewer.session.moving, "the ghosts are there")
    place["position"] = tuple(
        (viewer.session.goals["right"].T_base_tip[:3, 3] + [0.0, 0.0, 0.05]).tolist()
    )
    place["wxyz"] = tuple(map(float, panel.goals.stage.ghosts["right"].gizmo.wxyz))
    client.send("TransformControlsUpdateMessage", name="/goal_hand/right", **place)
    goal = viewer.session.goals["right"]
    wait_for(
        lambda: np.abs(goal.T_base_tip[:3, 3] - place["position"]).max() < 1e-6,
        "the ghost's hand is there",
    )
    client.send("TransformControlsDragEndMessage", name="/goal_hand/right", owner="")
    wait_for(lambda: not panel.goals.stage.dragged, "it is released")
    send(client, panel.goals.places["left"], [0.6, 0.3, 0.3])
    wait_for(lambda: (viewer.session.goals["left"].wanted[:3, 3] == [0.6, 0.3, 0.3]).all(), "typed")


def test_a_field_that_a_user_has_just_changed_is_not_overwritten(viewer: Viewer) -> None:
    panel, fields = viewer.planner, viewer.planner.objects.middle
    do(viewer, lambda: panel.objects.add("box"))
    do(viewer, panel.update)
    assert_allclose(fields.value, [0.75, 0.0, 0.10], rtol=0.0, atol=1e-9)
    fields.value = (0.5, 0.5, 0.5)  # as viser does before it calls back
    do(viewer, panel.update)
    assert tuple(fields.value) == (0.5, 0.5, 0.5)
    viewer.controls._touched[id(fields)] = viewer.clock.now() - 10.0  # seen, and refused
    viewer.controls._put[id(fields)] = (viewer.controls._put[id(fields)][0], -20.0)
    do(viewer, panel.update)
    assert_allclose(fields.value, [0.75, 0.0, 0.10], rtol=0.0, atol=1e-9)


@pytest.mark.slow
def test_nonsense_from_a_browser_changes_nothing_and_breaks_nothing(
    viewer: Viewer, client: Client
) -> None:
    panel = viewer.planner
    do(viewer, lambda: panel.objects.add("box"))
    do(viewer, lambda: panel.goals.aim("left"))
    wait_for(lambda: not viewer.session.moving, "the ghost is there")
    do(viewer, lambda: panel.objects.choose("box 1"))
    box, goal = viewer.session.objects["box 1"], viewer.session.goals["left"].wanted
    fields = (panel.objects.middle, panel.objects.size, panel.objects.turn)
    for handle in (*fields, panel.goals.places["left"], panel.goals.turns["left"]):
        for value in ("x", [1.0], [1.0, "a", 2.0], None, {"x": 1}, [9e5, 0.0, 0.0]):
            send(client, handle, value)
            do(viewer, lambda: None)
    for handle in (panel.limit, panel.margin, panel.seed):
        for value in ("x", None, -1.0, [1.0, 2.0]):
            send(client, handle, value)
            do(viewer, panel_plan(panel))
    for handle in (panel.goals.arms, panel.objects._choice, *panel.buttons.values()):
        send(client, handle, "elephant")
        do(viewer, lambda: None)
    assert_array_equal(viewer.session.objects["box 1"].size, box.size)
    assert np.isfinite(goal).all()
    assert viewer.failures == 0


def panel_plan(panel: PlanPanel) -> Any:
    return lambda: panel._viewer.told(panel.plan)
