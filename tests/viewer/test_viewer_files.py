"""Sessions in files, undo, and what is on screen as Python; without a browser."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_viewer_objects import every_kind
from viewer_client import Client, do, wait_for

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.trajectory import Trajectory
from baxterkit.viewer import Session, Viewer
from baxterkit.viewer.state.as_python import as_python
from baxterkit.viewer.state.history import PAUSE, History
from baxterkit.viewer.state.saved import Search, open_toml, to_toml

SEARCH = Search(any_elbow=False, timeout=3.5, margin=0.012, seed=7)


def furnished() -> Session:
    """A session in which nothing is as at first."""
    session = Session(Baxter(Arm("left", "electric_standard"), Arm("right", "vacuum")))
    session.limb("left").set_joints(session.robot.left.configuration("neutral"))
    session.limb("right").set_joints([-0.3, -0.7, 0.9, 1.4, 0.2, 0.8, -0.4])
    session.open_gripper("left", 0.25)
    session.turn_head(0.4)
    T = session.objects.add("shelf").T.copy()
    T[:3, 3] += [0.05, -0.1, 0.02]
    session.objects.move("shelf 1", T)
    session.objects.add("box")
    session.objects.resize("box 1", [0.1, 0.2, 0.3])
    session.aim(("right",))
    while session.moving:
        session.step(0.02)
    return session


def assert_alike(a: Session, b: Session) -> None:
    for side in ("left", "right"):
        assert_array_equal(a.limb(side).q, b.limb(side).q)
        assert a.limb(side).arm.tool.name == b.limb(side).arm.tool.name
    assert (a.openings, a.pan, a.objects.names) == (b.openings, b.pan, b.objects.names)
    for name in a.objects.names:
        assert_array_equal(a.objects[name].size, b.objects[name].size)
        assert_allclose(a.objects[name].T, b.objects[name].T, rtol=0.0, atol=1e-15)
    assert a.goals.keys() == b.goals.keys()
    for side, goal in a.goals.items():
        assert_allclose(goal.wanted, b.goals[side].wanted, rtol=0.0, atol=1e-12)


def test_a_session_is_the_same_after_it_was_saved_and_opened() -> None:
    session, other = furnished(), Session()
    search = open_toml(to_toml(session, SEARCH), other)
    assert search == SEARCH
    assert_alike(session, other)
    assert to_toml(other, search) == to_toml(session, SEARCH)


def test_a_session_leaves_a_watched_robot_its_arms_and_tools() -> None:
    session, watched = furnished(), Session()
    watched.watched = True
    before = {side: (limb.q, limb.arm) for side, limb in watched.limbs.items()}
    open_toml(to_toml(session, SEARCH), watched)
    for side, (q, arm) in before.items():
        assert watched.limb(side).q is q
        assert watched.limb(side).arm is arm
    assert (watched.pan, watched.openings) == (0.0, {"left": 1.0, "right": 1.0})
    assert watched.objects.names == session.objects.names
    assert watched.goals.keys() == session.goals.keys()
    for side, goal in watched.goals.items():
        assert goal.arm is watched.limb(side).arm
        assert_allclose(goal.wanted, session.goals[side].wanted, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("entry", "wrong", "said"),
    [
        ("format = 1", "format = 9", r"format = 9; a session of the viewer has 1"),
        ("[left]", "[links]", r"the table \[left\] is missing"),
        ('tool = "vacuum"', 'tool = "spoon"', r"right.tool = 'spoon'; known are hand"),
        ("opening = 0.25", 'opening = "wide"', r"left.opening = 'wide': "),
        ("head = 0.4", "head = nan", r"head = nan: "),
        ('kind = "shelf"', 'kind = "piano"', r"number 1: kind must be one of box, table, shelf"),
        ("size = [0.1, 0.2, 0.3]", "size = [0.1, 0.2]", r"size must have shape \(3,\)"),
        ("size = [0.1, 0.2, 0.3]", "size = [0.1, 0.2, 19.0]", r"the side of box 1 would be 19 m"),
        ('name = "box 1"', 'name = "shelf 1"', r"each has a name of its own"),
        ("seed = 7", "seed = -1", r"plan.seed = -1; it is a non-negative integer"),
        ("head = 0.4", "head = ", r"the file is not TOML"),
    ],
)
def test_a_damaged_file_is_refused_and_changes_nothing(entry: str, wrong: str, said: str) -> None:
    text, other = to_toml(furnished(), SEARCH), Session()
    assert entry in text
    before = to_toml(other, Search())
    with pytest.raises(InputError, match=said):
        open_toml(text.replace(entry, wrong), other)
    assert to_toml(other, Search()) == before


def test_the_program_makes_what_is_on_screen() -> None:
    session = furnished()
    code, printed = as_python(session, SEARCH), io.StringIO()
    found: dict[str, Any] = {}
    with contextlib.redirect_stdout(printed):
        exec(code, found)
    for side in ("left", "right"):
        assert_allclose(found[f"q_{side}"], session.limb(side).q, rtol=0.0, atol=1e-12)
    left, right = (session.limb(side).q for side in ("left", "right"))
    ours = session.scene.nearest(left, right)
    theirs = found["scene"].nearest(found["q_left"], found["q_right"])
    assert theirs.names == ours.names
    assert float(theirs.clearance) == pytest.approx(float(ours.clearance), abs=1e-9)
    assert found["plan"].status is not None
    assert_allclose(found["goal"], session.goals["right"].q, rtol=0.0, atol=1e-12)
    session.aim(())
    assert "planning" not in as_python(session, SEARCH)


def test_undo_goes_back_step_by_step() -> None:
    now = [0.0]
    session = furnished()
    history = History(session, lambda: now[0])
    before = to_toml(session, SEARCH)
    steps: list[str] = []
    changes: list[tuple[str, Any]] = [
        ("joint", lambda: session.limb("left").set_joint(0, 0.5)),
        ("tool", lambda: session.change_tool("right", "hand")),
        ("add", lambda: session.objects.add("table")),
        ("goals", lambda: session.aim(("left", "right"))),
        ("show", lambda: None),  # changes nothing: no step
        ("open", lambda: session.open_gripper("left", 0.9)),
    ]
    assert not history.can_undo
    for key, change in changes:
        steps.append(to_toml(session, SEARCH))
        now[0] += 10.0 * PAUSE
        history.note(key)
        change()
    assert history.can_undo
    for kept in (steps[5], steps[3], steps[2], steps[1], steps[0]):
        assert history.undo()
        assert to_toml(session, SEARCH) == kept
    assert to_toml(session, SEARCH) == before
    assert not history.undo()


def test_a_drag_is_one_step() -> None:
    session, now = Session(), [0.0]
    history = History(session, lambda: now[0])
    before = session.limb("left").q
    for value in np.linspace(0.1, 0.6, 30):
        now[0] += 0.05
        history.note("joint")
        session.limb("left").set_joint(0, value)
    assert history.undo()
    assert session.limb("left").q is before
    assert not history.can_undo


def test_files_and_undo_in_the_viewer(viewer: Viewer, client: Client) -> None:
    session, files = viewer.session, viewer.files
    text = to_toml(furnished(), SEARCH)
    before = session.limb("left").q
    do(viewer, lambda: files.open(text.encode()))
    assert viewer.controls.text == "The session is open."
    assert viewer.planner.settings == SEARCH
    assert set(viewer.planner.objects.stage.nodes) == {p.name for p in session.objects.parts()}
    assert not viewer.stage.gizmos["right"].visible  # it gives way to the goal's
    assert viewer.stage.gizmos["left"].visible
    wait_for(lambda: viewer.controls.undo.visible, "there is something to undo")
    do(viewer, files.show_code)
    assert "planning.plan(" in files.code.content
    client.send("GuiUpdateMessage", uuid=viewer.controls.undo._impl.uuid, updates={"value": True})
    wait_for(lambda: session.limb("left").q is before, "it is undone")
    assert len(session.objects) == 0
    wait_for(lambda: viewer.stage.gizmos["right"].visible, "its hand can be dragged again")
    do(viewer, lambda: files.open(b"\xff"))
    assert viewer.controls.text.startswith("This file cannot be opened: ")


def test_a_planned_motion_is_saved(viewer: Viewer, tmp_path: Any) -> None:
    do(viewer, lambda: viewer.planner.goals.aim("left"))
    wait_for(lambda: not viewer.session.moving, "the ghost is there")
    do(viewer, viewer.planner.plan)
    wait_for(lambda: viewer.planner.route is not None, "there is a plan")
    found: list[bytes] = []
    do(viewer, lambda: found.append(viewer.files.motion()))
    path = tmp_path / "motion.json"
    path.write_bytes(found[0])
    assert_allclose(
        Trajectory.load(path).of("left").sample(0.0).q, viewer.planner.route.problem.start[:7],
        rtol=0.0, atol=1e-6,
    )  # fmt: skip


def test_the_world_is_saved_and_opened(viewer: Viewer) -> None:
    files, session = viewer.files, viewer.session
    saved: list[bytes] = []

    def save() -> None:
        session.objects.add("shelf")
        saved.append(files.world()[1])
        session.objects.clear()

    do(viewer, save)
    do(viewer, lambda: files.open_world(saved[0]))
    assert viewer.controls.text == "The world is open."
    assert session.objects.names == tuple(f"shelf 1 {x}" for x in (
        "left side", "right side", "top", "middle board", "bottom"))  # fmt: skip
    before = session.objects.names
    do(viewer, lambda: files.open_world(b"nonsense"))
    assert viewer.controls.text.startswith("This file cannot be opened: ")
    assert session.objects.names == before
    do(viewer, viewer.undo)
    assert session.objects.names == ()
    crate = World()
    crate.add_box("crate", (0.2, 0.2, 0.2), np.eye(4))
    viewer.show_world(crate)  # as --world does
    wait_for(lambda: session.objects.names == ("crate",), "the crate is there")


def test_a_world_of_every_kind_goes_through_files_sessions_and_undo(viewer: Viewer) -> None:
    files, session = viewer.files, viewer.session
    world = every_kind()
    viewer.show_world(world)
    wait_for(lambda: session.objects.names == world.names, "everything is there")
    assert set(viewer.planner.objects.stage.nodes) == set(world.names)
    kept: list[tuple[str, bytes]] = []
    do(viewer, lambda: kept.append(files.world()))
    do(viewer, lambda: kept.append(("", files.session().encode())))
    (name, zipped), (_, text) = kept
    assert name == "world.zip"  # with the points and heights in it
    for reopen in (lambda: files.open_world(zipped), lambda: files.open(text)):
        do(viewer, session.objects.clear)
        do(viewer, reopen)
        assert session.objects.names == world.names
        for one in world.state:
            again = session.objects[one.name]
            assert (again.kind, again.size, again.mass, again.color) == (
                one.kind, one.size, one.mass, one.color
            )  # fmt: skip
            np.testing.assert_array_equal(again.data, one.data)
    do(viewer, lambda: viewer.planner.objects.choose("can"))
    assert viewer.planner.objects.lengths["radius"].visible
    assert not viewer.planner.objects.size.visible
    do(viewer, lambda: viewer.history.note("radius"))
    do(viewer, lambda: viewer.planner.objects.lengthen("radius", 0.09))
    assert session.objects["can"].size == (0.2, 0.09)
    do(viewer, viewer.undo)
    assert session.objects["can"].size == (0.2, 0.05)
    do(viewer, lambda: files.open_world(zipped[:200] + zipped[400:]))
    assert viewer.controls.text.startswith("This file cannot be opened: ")
    damaged = text.replace(b'data = "eJ', b'data = "fJ')
    do(viewer, lambda: files.open(damaged))
    assert "data is damaged" in viewer.controls.text
    do(viewer, session.objects.clear)


def test_python_of_every_kind_makes_the_same_world(viewer: Viewer) -> None:
    session, world = viewer.session, World.of(one for one in every_kind().state if one.data is None)
    text: list[str] = []

    def make() -> None:
        session.objects.put_world(world)
        text.append(as_python(session, Search()))
        session.objects.put_world(every_kind())
        text.append(as_python(session, Search()))
        session.objects.clear()

    do(viewer, make)
    program = text[0].split("scene =")[0]
    names: dict[str, object] = {}
    exec(program, names)
    again = names["world"]
    assert isinstance(again, World)
    for one, other in zip(again.state, world.state, strict=True):
        assert (one.name, one.kind, one.size, one.mass) == (
            other.name, other.kind, other.size, other.mass
        )  # fmt: skip
        np.testing.assert_allclose(one.T[:3, 2], other.T[:3, 2], rtol=0, atol=1e-9)
    assert 'World.load("world.toml")' in text[1]
