"""Every tool has its own body: above a table, drawn as it is checked, inside the largest one."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import CLEARANCE_NATIVE, assert_close

from baxterkit import Arm, Baxter, robot_file
from baxterkit.collision import World
from baxterkit.collision.body import BodyCapsule
from baxterkit.collision.hand import arm_body, arm_capsules, has_fingers
from baxterkit.collision.tool_bodies import load_tools, tool_body
from baxterkit.model import Tool
from baxterkit.model.library import load_baxter

TOOLS = tuple(load_baxter().tools)
ELECTRIC = tuple(name for name in TOOLS if name.startswith("electric"))
REACH = {
    "hand": 0.034,
    "vacuum": 0.0775,
    **{name: 0.123 if "standard" in name else 0.161 for name in ELECTRIC},
}
"""How far each reaches beyond the hand, by its mesh [m]; a bare hand by its range finder."""
EXCESS = 0.012
"""How far a body stands off its mesh along the hand at most [m]."""
TOP = -0.1


def above_a_table(tool: str | Tool, height: float, **options: str) -> tuple[Baxter, np.ndarray]:
    """A robot, and its left arm with the hand pointing down at a height above the table [m]."""
    robot = Baxter(Arm("left", tool, **options), Arm("right", **options))
    bare = Arm("left")
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.65, 0.25, TOP + height
    return robot, bare.ik(
        T, seed=bare.configuration("neutral"), objective="nearest"
    ).raise_if_failed().q


def table() -> World:
    world = World()
    T = np.eye(4)
    T[:3, 3] = 0.8, 0.0, TOP - 0.02
    world.add_box("table", (0.6, 1.4, 0.04), T)
    return world


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_a_bare_hand_8_cm_above_a_table_is_free(backend: str) -> None:
    robot, q = above_a_table("hand", 0.08, backend=backend)
    right = robot.right.configuration("untuck")
    assert not robot.scene(table()).in_collision(q, right)
    assert float(robot.scene(table()).clearance(q, right)) > 0.03


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_ends_where_its_mesh_does(tool: str) -> None:
    for height, touches in ((REACH[tool] + EXCESS, False), (REACH[tool] - 0.002, True)):
        robot, q = above_a_table(tool, height)
        for opening in (0.0, 1.0):
            hit = robot.scene(table(), opening=opening).in_collision(
                q, robot.right.configuration("untuck")
            )
            assert hit is touches, (height, opening)


def test_open_fingers_are_wider_than_closed_ones_and_wide_sets_than_narrow_ones() -> None:
    def half_width(tool: str, opening: float) -> float:
        pieces = [p for p in arm_capsules(Arm("left", tool).model, opening) if p.is_finger]
        tips = [p for p in pieces if p.start[2] > 0.2]  # the feet reach across the middle
        return max(max(abs(p.start[1]), abs(p.end[1])) + p.radius for p in tips)

    for length in ("standard", "extended"):
        narrow, wide = (f"electric_{length}_{width}" for width in ("narrow", "wide"))
        for tool in (narrow, wide):
            wider = half_width(tool, 1.0) - half_width(tool, 0.0)
            assert wider == pytest.approx(0.020833, abs=1e-9)
        wider = half_width(wide, 0.0) - half_width(narrow, 0.0)
        assert wider == pytest.approx(0.05503 - 0.01725, abs=1e-4)


@pytest.mark.slow
def test_the_arms_wear_different_tools() -> None:
    one = Baxter(Arm("left", "vacuum"), Arm("right", "electric_extended_wide"))
    other = Baxter(Arm("left", "electric_extended_wide"), Arm("right", "vacuum"))
    rng, limits = np.random.default_rng(4), one.left.limits
    left, right = rng.uniform(limits.lower, limits.upper, (2, 2000, 7))
    for robot in (one, other):
        numpy_one = Baxter(
            robot.left.replace(backend="numpy"), robot.right.replace(backend="numpy")
        )
        few = slice(0, 3)
        assert_close(
            robot.scene(opening=(0.2, 0.7)).clearance(left[few], right[few]),
            numpy_one.scene(opening=(0.2, 0.7)).clearance(left[few], right[few]),
            CLEARANCE_NATIVE,
        )
    hits = [np.asarray(robot.in_collision(left, right)) for robot in (one, other)]
    assert (hits[0] != hits[1]).any()


def inside(one: BodyCapsule, other: BodyCapsule) -> bool:
    """Whether one is inside the other at every opening: both end spheres, and they move alike."""
    span = other.end - other.start
    gaps = []
    for point in (one.start, one.end):
        t = np.clip((point - other.start) @ span / (span @ span), 0.0, 1.0)
        gaps.append(other.radius - one.radius - np.linalg.norm(point - other.start - t * span))
    return bool(min(gaps) >= 0.0) and np.array_equal(one.slide, other.slide)


@pytest.mark.parametrize("tool", [*TOOLS, "electric_gripper"])
def test_the_largest_body_contains_each_of_the_others(tool: str) -> None:
    """Exactly, at every opening: each capsule is inside one that moves as it does."""
    bodies = load_tools().bodies
    for name in ("electric_gripper", "gripper"):
        if name == "electric_gripper" and not tool.startswith("electric"):
            continue
        for capsule in bodies[tool]:
            assert any(inside(capsule, larger) for larger in bodies[name])


def test_the_largest_body_is_never_farther_from_anything() -> None:
    largest = Tool("gripper", np.eye(4))
    safe = Baxter(Arm("left", tool=largest), Arm("right", tool=largest))
    rng, limits = np.random.default_rng(5), safe.left.limits
    left, right = rng.uniform(limits.lower, limits.upper, (2, 300, 7))
    for opening in (0.0, 0.5, 1.0):
        gap = safe.scene(table(), opening=opening).clearance(left, right)
        for tool in TOOLS:
            robot = Baxter(Arm("left", tool), Arm("right", tool))
            own = robot.scene(table(), opening=opening).clearance(left, right)
            assert (gap <= own + CLEARANCE_NATIVE).all()


def test_short_names_mean_narrow_fingers() -> None:
    for short in ("electric_standard", "electric_extended"):
        assert Arm("left", short).tool.name == f"{short}_narrow"
        assert tool_body(short) is tool_body(f"{short}_narrow")


def test_a_tool_of_unknown_shape_is_its_capsule_on_a_bare_hand() -> None:
    T = np.eye(4)
    T[2, 3] = 0.2
    carried = [c for c in arm_body(Arm("left", tool=T).model) if c.link == "fingers"]
    assert len(carried) == 1
    assert carried[0].radius == 0.03
    assert not [c for c in arm_body(Arm("left").model) if c.link == "fingers"]


def test_a_tip_beyond_the_tool_of_that_name_is_reached_by_a_capsule() -> None:
    T = np.eye(4)
    T[2, 3] = 0.3
    far = Arm("left", tool=Tool("vacuum", T)).model
    assert len(arm_body(far)) == len(arm_body(Arm("left", "vacuum").model)) + 1


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("opening", [0.0, 1.0])
def test_what_is_drawn_is_what_is_checked(tool: str, opening: float) -> None:
    model = Arm("right", tool).model
    drawn = arm_capsules(model, opening)
    rows = Baxter(right=Arm("right", tool)).scene(opening=opening).checker.primitives.capsules[1]
    assert len(drawn) == len(rows)
    for piece, row in zip(drawn, rows, strict=True):
        assert_close(np.array([*piece.start, *piece.end, piece.radius]), row[1:], 0.0)
        assert piece.frame == min(int(row[0]), 6)
    assert any(piece.is_finger for piece in drawn) is has_fingers(model) is (tool in ELECTRIC)


@pytest.mark.parametrize("tool", TOOLS)
def test_files_keep_the_body(tool: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    arm = Arm("left", tool)
    robot_file.write(tmp_path / "robot.toml", robot_file.StoredArm(arm.model))
    for again in (Arm.from_file(tmp_path / "robot.toml"), Arm.from_urdf(arm.to_urdf(), "left")):
        assert again.tool.name == tool
        assert len(arm_body(again.model)) == len(arm_body(arm.model))
