"""Pick and place: the stages touch nothing but what they must, and the object arrives."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.planning import PickAndPlace, PickSettings, PlanError, PlanStatus, pick_and_place
from baxterkit.planning.grasping import depth, grasp_fault

ROBOT = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
START = np.concatenate([ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")])
GRASP = np.array([[1.0, 0, 0, 0], [0, -1.0, 0, 0], [0, 0, -1.0, 0.03], [0, 0, 0, 1.0]])
"""From above, at the carton's upper part."""
MARGIN = 0.003


def surroundings(sign: float = 1.0) -> World:
    """A carton on a table, and a post between it and its place; mirrored with sign = -1."""
    world = World()
    world.add_table("table", -0.15)
    world.add_box("carton", (0.04, 0.04, 0.12), (0.75, sign * 0.25, -0.09), mass=0.2)
    world.add_box("post", (0.05, 0.05, 0.4), (0.75, sign * 0.45, 0.05))
    return world


@pytest.mark.parametrize(("side", "sign"), [("left", 1.0), ("right", -1.0)])
def test_the_stages_follow_each_other_and_touch_nothing(side: str, sign: float) -> None:
    scene, place = ROBOT.scene(surroundings(sign), margin=MARGIN), (0.75, sign * 0.65, -0.09)
    found = pick_and_place(scene, START, "carton", GRASP, place, side=side).raise_if_failed()
    assert [one.name for one in found.stages] == [
        "go", "approach", "lift", "carry", "lower", "retreat",
    ]  # fmt: skip
    assert [one.opening for one in found.stages] == [None, 0.0, None, None, 1.0, None]
    columns = ARM_COLUMNS[side]
    here = START[columns]
    other = START[7:] if side == "left" else START[:7]
    for stage in found.stages:
        np.testing.assert_allclose(stage.motion.sample(0.0).q, here, rtol=0.0, atol=1e-9)
        stage.motion.check(scene=stage.scene.replace(margin=0.0), other=other)
        here = stage.motion.sample(stage.motion.duration).q
    arm = scene.arm(side)
    lower = found.stages[4].motion
    tip = arm.fk(lower.sample(lower.duration).q)
    np.testing.assert_allclose((tip @ np.linalg.inv(GRASP))[:3, 3], place, rtol=0.0, atol=1e-6)
    assert found.stages[3].scene.world["carton"].held == side
    assert found.stages[5].scene.world["carton"].held is None
    assert found.stages[5].scene.without == ((f"{side}_fingers", "carton"),)
    assert "go" in repr(found)
    assert found.duration == sum(stage.motion.duration for stage in found.stages)


@pytest.mark.slow
def test_the_twin_does_it() -> None:
    pytest.importorskip("mujoco")
    from baxterkit.sim import Twin

    twin = Twin(ROBOT, world=surroundings(), noise=0.0).enable()
    scene, place = twin.scene.replace(margin=MARGIN), (0.75, 0.65, -0.09)
    for stage in pick_and_place(scene, START, "carton", GRASP, place).raise_if_failed().stages:
        assert twin.follow(stage.motion)
        if stage.opening is not None:
            twin.left.move_gripper(stage.opening)
            assert twin.left.holds == ("carton" if stage.opening == 0.0 else None)
    np.testing.assert_allclose(twin.object_pose("carton")[:3, 3], place, rtol=0.0, atol=2e-3)


def test_a_failure_names_its_stage() -> None:
    scene = ROBOT.scene(surroundings(), margin=MARGIN)
    high = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.65, 3.0))
    assert high.status is PlanStatus.OUT_OF_REACH
    assert high.reason.startswith("lower: the straight line ends after 0.000 m")
    assert [one.name for one in high.stages] == ["go", "approach", "lift"]
    with pytest.raises(PlanError, match="lower: the straight line"):
        high.raise_if_failed()
    inside = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.45, -0.09))
    assert inside.status is PlanStatus.GOAL_BLOCKED
    assert "post" in inside.reason


@pytest.mark.parametrize(
    ("tool", "width", "apart"),
    [("standard", 0.05, 49.6), ("standard", 0.08, 49.6), ("extended_wide", 0.13, 125.2)],
)
def test_an_object_wider_than_the_fingers_open_is_refused(
    tool: str, width: float, apart: float
) -> None:
    world, arm = World(), Arm("left", f"electric_{tool}")
    world.add_table("table", -0.15)
    world.add_box("carton", (0.04, width, 0.12), (0.7, 0.2, -0.09), mass=0.2)
    scene = Baxter(arm, Arm("right")).scene(world, margin=MARGIN)
    found = pick_and_place(scene, START, "carton", GRASP, (0.7, 0.5, -0.09))
    assert found.status is PlanStatus.NO_GRASP
    assert f"carton is {1e3 * width:.0f} mm wide between the left fingers" in found.reason
    assert f"which are {apart} mm apart; turn" in found.reason
    turned = GRASP.copy()  # closing along x, where it is narrow
    turned[:2, :2] = [[0.0, 1.0], [1.0, 0.0]]
    found = pick_and_place(scene, START, "carton", turned, (0.7, 0.5, -0.09))
    if tool == "standard":
        assert found.status is not PlanStatus.NO_GRASP
    else:
        assert "carton is 40.0 mm wide" in found.reason
        assert "close to 83.5 mm only" in found.reason


@pytest.mark.parametrize("kind", ["box", "cylinder", "capsule", "sphere"])
def test_the_width_between_the_fingers_is_that_of_any_solid(kind: str) -> None:
    for radius, fits in ((0.024, True), (0.026, False)):
        world = World()
        if kind == "box":
            world.add_box("cup", (2 * radius, 2 * radius, 0.1), (0.7, 0.2, 0.0))
        elif kind == "sphere":
            world.add_sphere("cup", radius, (0.7, 0.2, 0.0))
        else:
            getattr(world, f"add_{kind}")("cup", 0.1, radius, (0.7, 0.2, 0.0))
        at = GRASP.copy()
        at[2, 3] = -0.01  # lower than the middle: the widest part passes between the fingers
        assert (grasp_fault(ROBOT.left.model, world["cup"], at, 1.0) is None) == fits
        at[1, 3] = 0.005
        off = grasp_fault(ROBOT.left.model, world["cup"], at, 1.0)
        assert off is not None
        assert ("5 mm off the middle" in off) == fits


def test_a_grasp_beside_the_object_is_refused() -> None:
    scene, place = ROBOT.scene(surroundings(), margin=MARGIN), (0.75, 0.65, -0.09)
    for shift in ((0.0, 0.0, 0.25), (0.06, 0.0, 0.0)):
        grasp = GRASP.copy()
        grasp[:3, 3] += shift
        found = pick_and_place(scene, START, "carton", grasp, place)
        assert found.status is PlanStatus.NO_GRASP
        assert "nothing of carton between the left fingers" in found.reason
    closed = pick_and_place(scene.replace(opening=0.0), START, "carton", GRASP, place)
    assert "which are 7.9 mm apart at their opening of 0;" in closed.reason


@pytest.mark.parametrize(("over", "deep"), [(0.0, 2.2), (0.003, None)])
def test_an_object_that_would_be_in_the_gripper_is_refused(over: float, deep: float | None) -> None:
    """The standard fingers are 58 mm long: a carton that reaches 60 mm above their tips is not."""
    pytest.importorskip("mujoco")
    from baxterkit.sim import Twin

    twin = Twin(tool="electric_standard", world=surroundings(), noise=0.0).enable()
    grasp = GRASP.copy()
    grasp[2, 3] = over
    scene, place = twin.scene.replace(margin=MARGIN), (0.75, 0.65, -0.09)
    found = pick_and_place(scene, START, "carton", grasp, place)
    if deep is not None:
        assert found.status is PlanStatus.NO_GRASP
        assert f"carton would be {deep} mm deep in the left gripper" in found.reason
        return
    for stage in found.raise_if_failed().stages[:2]:
        twin.follow(stage.motion)
    twin.left.move_gripper(0.0)
    assert twin.left.holds == "carton"


def test_a_place_inside_the_table_is_refused_and_one_above_it_noted() -> None:
    scene = ROBOT.scene(surroundings(), margin=MARGIN)
    for deep in (0.002, 0.03):
        found = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.65, -0.09 - deep))
        assert found.status is PlanStatus.GOAL_BLOCKED
        assert f"carton would be {1e3 * deep:.1f} mm deep in table" in found.reason
    for high, notes in ((-0.0005, 0), (0.004, 0), (0.02, 1)):
        found = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.65, -0.09 + high))
        assert found.solved
        assert len(found.notes) == notes
        assert ("it will drop" in repr(found)) == bool(notes)


def test_depths_of_every_kind_of_object() -> None:
    world = World()
    world.add_sphere("ball", 0.05, (0.0, 0.0, 0.0))
    world.add_cylinder("can", 0.1, 0.05, (0.0, 0.0, 0.0))
    world.add_plane("floor", (0.0, 0.0, 1.0), 0.05)
    world.add_height_field("ground", np.full((8, 8), 0.05), 0.02, (-0.08, -0.08, 0.0))
    world.add_points("cloud", [[0.0, 0.0, 0.04], [0.0, 0.3, 0.0]], 0.01)
    for x, z, deep in ((0.0, 0.09, 0.01), (0.0, 0.11, -0.01)):
        world.add_box("cube", (0.1, 0.1, 0.1), (x, 0.0, z))
        for name in ("ball", "can", "floor", "ground", "cloud"):
            assert depth(world["cube"], world[name]) == pytest.approx(deep, abs=1e-6), name
        world.remove("cube")
    world.add_sphere("other", 0.05, (0.08, 0.0, 0.05 + 0.04))
    assert depth(world["other"], world["ball"]) == pytest.approx(0.1 - np.hypot(0.08, 0.09))
    off = np.hypot(0.03, 0.04)  # from the can's rim
    assert depth(world["other"], world["can"]) == pytest.approx(0.05 - off, abs=1e-5)


def test_bad_arguments_are_refused() -> None:
    world = surroundings()
    with pytest.raises(UnknownNameError, match="unknown obstacle 'cup'; available: table, carton"):
        pick_and_place(ROBOT.scene(world), START, "cup", GRASP, (0.75, 0.65, -0.09))
    world.attach("carton", "right", np.eye(4))
    with pytest.raises(InputError, match="the right hand holds carton already"):
        pick_and_place(ROBOT.scene(world), START, "carton", GRASP, (0.75, 0.65, -0.09))
    with pytest.raises(InputError, match="approach = 2 m; it must be at most 1 m"):
        PickSettings(approach=2.0)


def with_cup(over: float, tool: str = "vacuum") -> PickAndPlace:
    """The right hand at the top of a crate, its tip this far above it [m]."""
    world = World()
    world.add_table("bench", -0.2)
    world.add_box("crate", (0.05, 0.035, 0.1), (0.62, -0.45, -0.15), mass=0.4)
    grasp = np.diag([1.0, -1.0, -1.0, 1.0])
    grasp[2, 3] = 0.05 + over
    scene = Baxter(right=Arm("right", tool)).scene(world)
    return pick_and_place(scene, START, "crate", grasp, (0.55, -0.6, -0.15), side="right")


def test_a_cup_takes_what_is_within_its_compliance() -> None:
    deep, far = with_cup(-0.035), with_cup(0.02)
    assert deep.status is far.status is PlanStatus.NO_GRASP
    assert "would be 35 mm inside crate, and it yields 15 mm; move the grasp" in deep.reason
    assert "is 20 mm off crate, and it takes what is within 15 mm; move the" in far.reason
    for over in (-0.0149, 0.0, 0.0149):
        found = with_cup(over)
        assert found.solved
        assert [stage.opening for stage in found.stages] == [None] * 6
        (note,) = found.notes
        assert "it takes crate at the end of approach" in note


def test_a_cup_beside_the_object_is_refused_and_one_at_any_solid_is_measured() -> None:
    arm, world = Arm("right", "vacuum"), World()
    world.add_sphere("sphere", 0.05, (0.6, -0.4, 0.0))
    world.add_cylinder("cylinder", 0.1, 0.03, (0.6, -0.4, 0.0))
    world.add_capsule("capsule", 0.06, 0.02, (0.6, -0.4, 0.0))
    grasp = np.diag([1.0, -1.0, -1.0, 1.0])
    for name in world.names:
        for over, words in ((0.0, None), (-0.02, "20 mm inside"), (0.03, "30 mm off")):
            grasp[2, 3] = 0.05 + over
            fault = grasp_fault(arm.model, world[name], grasp, 1.0)
            assert fault is None if words is None else words in str(fault), name
    grasp[:3, 3] = 0.055, 0.0, 0.05
    assert "goes past sphere" in str(grasp_fault(arm.model, world["sphere"], grasp, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize("over", [-0.0149, 0.0, 0.0149])
def test_the_twin_picks_and_places_with_a_cup_that_yields(over: float) -> None:
    pytest.importorskip("mujoco")
    from baxterkit.sim import Twin

    found = with_cup(over).raise_if_failed()
    twin = Twin(found.stages[0].scene.robot, world=found.stages[0].scene.world, noise=0.0).enable()
    for stage in found.stages:
        assert twin.follow(stage.motion)
        if stage.name == "approach":
            twin.right.pick_up("crate")
        elif stage.name == "lower":
            twin.right.release()
    placed = twin.object_pose("crate")[:3, 3]
    np.testing.assert_allclose(placed, (0.55, -0.6, -0.15), rtol=0.0, atol=2e-3)


def test_a_bare_hand_is_told_that_it_cannot_grip() -> None:
    found = with_cup(0.0, tool="hand")
    assert found.status is PlanStatus.NO_GRASP
    assert "the right hand has no fingers and no cup that could take crate" in found.reason
    assert "Arm('right', 'electric_standard')" in found.reason
