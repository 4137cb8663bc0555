from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from baxterkit import Arm, Baxter, planning, workspace
from baxterkit.collision import World
from baxterkit.display import html_table
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.trajectory import min_jerk


class Cells(HTMLParser):
    """The rows of a table as text; fails on tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_table_escapes_and_rounds() -> None:
    table = Cells(html_table("a < b", ("x", "y"), [("<i>", -0.00001), ("n", 3)], note="c & d"))
    assert table.rows == [["x", "y"], ["<i>", "0.0000"], ["n", "3"]]
    assert table.text.startswith("a < b")
    assert table.text.endswith("c & d")


def test_arm_shows_its_limits() -> None:
    arm = Arm("left", tool="vacuum")
    table = Cells(arm._repr_html_())
    assert "tool='vacuum'" in table.text
    assert [row[0] for row in table.rows[1:]] == list(arm.joint_names)
    np.testing.assert_allclose(
        [float(row[1]) for row in table.rows[1:]], arm.limits.lower, rtol=0, atol=5e-5
    )


def test_solution_shows_its_joints() -> None:
    arm = Arm("right")
    result = arm.ik(arm.fk(arm.configuration("untuck")))
    table = Cells(result._repr_html_())
    assert table.text.startswith("IkResult: SOLVED")
    assert [row[0].removeprefix("right_") for row in table.rows[1:]] == list(JOINTS)
    np.testing.assert_allclose(
        [float(row[1]) for row in table.rows[1:]], result.q, rtol=0, atol=5e-5
    )
    np.testing.assert_allclose(
        [float(row[2]) for row in table.rows[1:]], np.degrees(result.q), rtol=0, atol=5e-5
    )


def test_failure_names_the_joints_beyond_their_limits() -> None:
    arm = Arm("left")
    result = arm.ik(arm.fk(np.array([-1.0, 1.3, -1.1, 1.2, 0.2, 2.3, 1.4])))
    table = Cells(result._repr_html_())
    assert "LIMITS" in table.text
    assert [row[0] for row in table.rows[1:]] == list(result.violations)


def test_a_failure_without_excess_has_no_table() -> None:
    arm = Arm("left")
    T = arm.fk(arm.configuration("untuck"))
    T[0, 3] += 5.0
    result = arm.ik(T)
    assert result.status.name == "OUT_OF_REACH"
    html = result._repr_html_()
    assert "<table" not in html
    assert "OUT_OF_REACH" in html
    assert result.method in html


def test_batch_counts_its_statuses() -> None:
    arm = Arm("left")
    Ts = np.stack([arm.fk(arm.configuration("untuck"))] * 3)
    Ts[2, 0, 3] += 5.0
    table = Cells(arm.ik(Ts)._repr_html_())
    assert [row[:2] for row in table.rows[1:]] == [["SOLVED", "2"], ["OUT_OF_REACH", "1"]]


def test_recording_shows_its_quantities() -> None:
    t = np.arange(5) / 100.0
    q = np.linspace(-1.0, 2.0, 35).reshape(5, 7)
    table = Cells(Recording(t=t, q=q, tau=3.0 * q, side="left")._repr_html_())
    assert table.rows[1:] == [
        ["q [rad]", "5 x 7", "-1.0000", "2.0000"],
        ["tau [N m]", "5 x 7", "-3.0000", "6.0000"],
    ]
    assert table.text.startswith("Recording: left arm, 5 rows")


def test_trajectory_shows_where_it_goes_and_how_fast() -> None:
    arm = Arm("left")
    start, end = arm.configuration("neutral"), arm.configuration("untuck")
    motion = min_jerk(arm, start, end)
    rows = np.array([row[1:] for row in Cells(motion._repr_html_()).rows[1:]], dtype=float)
    np.testing.assert_allclose(rows[:, 0], start, rtol=0, atol=5e-5)
    np.testing.assert_allclose(rows[:, 1], end, rtol=0, atol=5e-5)
    # The fastest moment of a minimum-jerk motion is 15/8 of its mean speed.
    fastest = 15.0 / 8.0 * np.abs(end - start) / motion.duration
    np.testing.assert_allclose(rows[:, 2], fastest, rtol=1e-3, atol=1e-4)


def test_a_plan_shows_where_it_starts_and_ends_or_why_there_is_none() -> None:
    robot = Baxter()
    start, goal = robot.left.configuration("untuck"), robot.left.configuration("neutral")
    result = planning.plan(robot, start, goal, group="left")
    table = Cells(result._repr_html_())
    assert [row[0] for row in table.rows[1:]] == list(robot.left.joint_names)
    np.testing.assert_allclose(
        [[float(x) for x in row[1:3]] for row in table.rows[1:]],
        np.stack([start, goal], axis=1),
        rtol=0,
        atol=5e-5,
    )
    world = World()
    world.add_sphere("ball", 0.2, robot.left.fk(goal)[:3, 3])
    none = planning.plan(robot.scene(world), start, goal, group="left")
    assert not none.solved
    assert none.reason in Cells(none._repr_html_()).text


def test_a_world_shows_its_objects() -> None:
    world = World()
    assert "0 objects" in Cells(world._repr_html_()).text
    world.add_box(
        "<table>", [0.6, 1.2, 0.05], [[1, 0, 0, 0.8], [0, 1, 0, 0], [0, 0, 1, -0.1], [0, 0, 0, 1]]
    )
    table = Cells(world._repr_html_())
    place = ["0.8000", "0.0000", "-0.1000"]
    assert table.rows[1] == ["<table>", "box", "0.6 x 1.2 x 0.05", *place, "base"]
    world.add_sphere("ball", 0.03, (0.6, 0.2, 0.1))
    world.attach("ball", "left", np.eye(4))
    assert Cells(world._repr_html_()).rows[2][-1] == "tip of the left hand"


def test_a_robot_shows_its_arms_and_their_limits() -> None:
    robot = Baxter(left=Arm("left", tool="vacuum"))
    table = Cells(robot._repr_html_())
    assert [row[:3] for row in table.rows[1:]] == [
        ["left", "vacuum", "none"],
        ["right", "hand", "none"],
    ]
    table = Cells(robot.left.limits._repr_html_())
    assert [row[0] for row in table.rows[1:]] == list(robot.left.joint_names)
    assert table.rows[0][4] == "effort [N m]"


def test_the_nearest_pair_shows_its_points() -> None:
    robot = Baxter()
    q = robot.left.configuration("neutral")
    near = robot.nearest(q, robot.right.configuration("neutral"))
    table = Cells(near._repr_html_())
    assert tuple(row[0] for row in table.rows[1:]) == near.names
    assert repr(near) == f"<Nearest: {' and '.join(near.names)}, {float(near.clearance):.4f} m>"
    many = robot.nearest(np.stack([q, q]), robot.right.configuration("neutral"))
    assert "(2,) configurations" in Cells(many._repr_html_()).text


def test_a_map_shows_what_each_arm_reaches(tmp_path: Path, require: Callable[[str], None]) -> None:
    require("zarr")
    made = workspace.make_map(tmp_path / "map", workspace.Question(step=0.6, orientations=2))
    table = Cells(made._repr_html_())
    assert [row[0] for row in table.rows[1:]] == list(made.sides)
    assert int(table.rows[1][1]) == np.count_nonzero(made.fraction[0])


def test_a_motion_result_shows_the_errors_of_each_joint(require: Callable[[str], None]) -> None:
    require("mujoco")
    from baxterkit.sim import Twin

    twin = Twin().enable()
    done = twin.move_to(left=twin.left.arm.configuration("untuck"), speed=0.5)
    table = Cells(done._repr_html_())
    assert table.text.startswith("MotionResult: left, error ")
    assert "left_w2" in table.text


def test_a_twin_shows_its_joints(require: Callable[[str], None]) -> None:
    require("mujoco")
    from baxterkit.sim import Twin

    twin = Twin()
    table = Cells(twin._repr_html_())
    assert [row[0] for row in table.rows[1:]] == [
        *twin.left.arm.joint_names,
        *twin.right.arm.joint_names,
    ]
    assert table.text.startswith("Twin: t = 0.000 s")


def test_a_figure_is_shown_inline_and_can_be_copied(require: Callable[[str], None]) -> None:
    require("matplotlib")
    from baxterkit import plot

    arm = Arm("left")
    figure = plot.trajectory(
        min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck"))
    )
    picture = figure._repr_png_()  # type: ignore[attr-defined]
    assert picture.startswith(b"\x89PNG")
    assert len(pickle.loads(pickle.dumps(figure)).axes) == len(figure.axes)
    assert len(copy.deepcopy(figure).axes) == len(figure.axes)
