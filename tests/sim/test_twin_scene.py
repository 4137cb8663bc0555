"""Contacts, tables, things, payloads and the head."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.collision.hand import arm_capsules
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.names import JOINTS
from baxterkit.robot import RefusedError
from baxterkit.sim import Physics, Twin


@pytest.mark.parametrize("name", ["neutral", "tuck", "untuck"])
def test_named_configurations_touch_nothing(name: str) -> None:
    assert Twin(start=name, tool="electric_standard").enable().contacts == []


def test_arms_that_cross_touch_each_other() -> None:
    twin = Twin().enable()
    left, right = twin.left.arm, twin.right.arm
    meet = left.fk(left.configuration("neutral"))
    meet[:3, 3] = 0.7, 0.0, 0.2
    q_left = left.ik(meet, seed=left.configuration("neutral")).raise_if_failed().q
    q_right = right.ik(meet, seed=right.configuration("neutral")).raise_if_failed().q
    twin.place(q_left, q_right)
    assert any("left" in a and "right" in b for a, b in twin.contacts)
    off = Twin(physics=Physics(contacts=False)).enable()
    off.place(q_left, q_right)
    assert off.contacts == []


def test_links_of_one_arm_next_to_each_other_do_not_touch() -> None:
    twin = Twin().enable()
    limits = twin.left.arm.limits
    rng = np.random.default_rng(1)
    for _ in range(300):
        twin.place(rng.uniform(limits.lower, limits.upper))
        for a, b in twin.contacts:
            if a.startswith("left_") and b.startswith("left_"):
                i, j = sorted((JOINTS.index(a[5:]), JOINTS.index(b[5:])))
                assert j - i > 2


def test_end_stops_hold_against_full_torque() -> None:
    twin = Twin(noise=0.0, physics=Physics(contacts=False)).enable()
    limits = twin.left.arm.limits
    furthest = -np.inf
    for _ in range(200):
        twin.left.command_torque(0.5 * limits.effort)
        twin.step(10)
        furthest = max(furthest, float((twin.left.truth.q - limits.upper).max()))
    assert 0.0 < furthest < 0.05


def test_a_table_stops_the_hand() -> None:
    arm = Arm("right", "electric_standard")
    T = arm.fk(arm.configuration("neutral"))
    T[:3, :3] = np.diag([1.0, -1.0, -1.0])
    T[:3, 3] = 0.7, -0.2, 0.1
    above = arm.ik(T, seed=arm.configuration("neutral")).raise_if_failed().q
    T[2, 3] = -0.25
    below = arm.ik(T, seed=above).raise_if_failed().q
    twin = Twin(Baxter(right=arm), world=table()).enable()
    twin.place(right=above)
    with pytest.raises(RefusedError, match=r"rad off the motion.*; .*right_.* touches table"):
        twin.move_to(right=below, path_tolerance=0.05)
    assert -0.18 < twin.right.true_tip[2, 3] < -0.13
    assert any("table" in pair for pair in twin.contacts)
    free = Twin(Baxter(right=arm)).enable()
    free.place(right=above)
    assert free.move_to(right=below)


def test_things_fall_and_rest_on_the_table() -> None:
    world = table()
    world.add_box("cube", (0.05, 0.05, 0.05), (0.7, 0.3, 0.0), mass=0.2)
    world.add_sphere("ball", 0.03, (0.8, -0.3, 0.0), mass=0.1)
    world.add_cylinder("can", 0.12, 0.03, (0.9, 0.0, 0.0), mass=0.3)
    twin = Twin(world=world).enable()
    twin.step(1500)
    assert_close(twin.object_pose("cube")[2, 3], -0.125, 2e-3)
    assert_close(twin.object_pose("ball")[2, 3], -0.12, 2e-3)
    assert_close(twin.object_pose("can")[2, 3], -0.09, 2e-3)


def test_a_thing_that_is_picked_up_moves_with_the_hand_and_weighs() -> None:
    arm = Arm("right", "electric_standard")
    tip = arm.fk(arm.configuration("neutral"))[:3, 3]
    below = tip - np.array([0.0, 0.0, 0.08])
    world = World()
    world.add_box("cube", (0.04, 0.04, 0.04), below, mass=0.5)
    twin = Twin(Baxter(right=arm), world=world, start="neutral", noise=0.0).enable()
    twin.step(2)
    twin.right.pick_up("cube")
    assert twin.right.holds == "cube"
    before = np.linalg.inv(twin.right.true_tip) @ twin.object_pose("cube")
    q = arm.configuration("neutral").copy()
    q[0] += 0.4
    twin.move_to(right=q)
    twin.step(3000)
    assert_close(np.linalg.inv(twin.right.true_tip) @ twin.object_pose("cube"), before, 0.01)
    q_now = twin.right.truth.q
    extra = twin.right.truth.tau - twin.right.compensation
    com = (np.linalg.inv(twin.right.true_tip) @ twin.object_pose("cube"))[:3, 3]
    loaded = arm.replace(payload=Payload(0.5, com))
    # Position commands come to rest slowly, so dry friction (0.75 N m at s1) bears a part.
    assert_close(extra, loaded.gravity(q_now) - arm.gravity(q_now), 0.75)
    twin.right.release()
    twin.step(500)
    assert twin.right.holds is None
    assert twin.object_pose("cube")[2, 3] < tip[2] - 0.3


def test_a_payload_is_felt_and_not_compensated() -> None:
    twin = Twin(start="neutral", noise=0.0).enable()
    arm = twin.left.arm
    twin.left.pick_up(Payload(1.0, (0.0, 0.0, 0.05)))
    assert twin.left.payload is not None
    twin.step(3000)
    state = twin.left.truth
    loaded = arm.replace(payload=twin.left.payload)
    extra = loaded.gravity(state.q) - arm.gravity(state.q)
    assert np.abs(extra).max() > 5.0
    assert_close(state.tau - twin.left.compensation, extra, 0.8)  # dry friction takes its share
    twin.left.release()
    assert twin.left.payload is None
    twin.step(3000)
    assert_close(twin.left.truth.tau - twin.left.compensation, np.zeros(7), 0.8)


def test_a_picked_up_payload_makes_the_equations_those_of_the_loaded_arm() -> None:
    from free_motion import largest_difference, rigid_twin

    payload = Payload(1.3, (0.02, -0.01, 0.1), np.diag([0.01, 0.012, 0.008]))
    twin = rigid_twin()
    twin.left.pick_up(payload)
    twin.left.arm = twin.left.arm.replace(payload=payload)  # the oracle's arm
    assert largest_difference(twin, 0, 0.2, 0.0) < 1e-10


def test_a_reset_empties_the_hands() -> None:
    twin = Twin().enable()
    twin.left.pick_up(Payload(1.0))
    twin.reset()
    assert twin.left.payload is None
    fresh = Twin().enable()
    assert twin.model.body("left_w2_link").mass == fresh.model.body("left_w2_link").mass


def test_bad_things_are_refused() -> None:
    hint = r"world must be a collision.World, got str; read the file by World.load\('lab.toml'\)"
    for make in (lambda: Twin(world="lab.toml"), lambda: Baxter().scene("lab.toml")):  # type: ignore[arg-type]
        with pytest.raises(InputError, match=hint):
            make()
    world = table()
    world.add_box("cube", (0.05, 0.05, 0.05), (0.7, 0.3, 0.0), mass=0.2)
    twin = Twin(world=world).enable()
    with pytest.raises(InputError, match=r"table is fixed; only objects with a mass"):
        twin.left.pick_up("table")
    with pytest.raises(UnknownNameError, match=r"unknown obstacle 'bag'; available: table, cube"):
        twin.left.pick_up("bag")
    twin.place(left=over(twin, "cube"))
    twin.left.pick_up("cube")
    with pytest.raises(InputError, match=r"the left hand holds cube; release it first"):
        twin.left.pick_up("cube")


def table() -> World:
    """A table in front of the robot."""
    world = World()
    world.add_table("table", -0.15)
    return world


def over(twin: Twin, name: str, above: float = 0.05) -> np.ndarray:
    """Joint positions with which the left tip points down above an object."""
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = twin.object_pose(name)[:3, 3] + np.array([0.0, 0.0, above])
    found: np.ndarray = twin.left.arm.ik(T).q
    return found


@pytest.mark.parametrize(
    ("kind", "size", "half"),
    [
        ("box", [(0.06, 0.06, 0.04)], 0.02),
        ("sphere", [0.02], 0.02),
        ("cylinder", [0.04, 0.03], 0.02),
        ("capsule", [0.02, 0.01], 0.02),
    ],
)
def test_a_hand_picks_up_only_what_is_near_its_tip(
    kind: str, size: list[object], half: float
) -> None:
    world, middle = World(), np.array([0.7, 0.3, 0.1])
    getattr(world, f"add_{kind}")("thing", *size, middle, mass=0.2)
    twin = Twin(world=world).enable()
    with pytest.raises(InputError) as error:
        twin.left.pick_up("thing")
    away = np.linalg.norm(twin.left.true_tip[:3, 3] - middle)
    assert float(str(error.value).split()[2]) == pytest.approx(away, abs=0.05)
    assert str(error.value).endswith(
        "m from the left tip, and a hand takes what is within 0.1 m of its tip; move it there first"
    )
    assert twin.left.holds is None
    twin.place(left=over(twin, "thing", half + 0.102))
    with pytest.raises(InputError, match=r"thing is 0\.102 m from the left tip"):
        twin.left.pick_up("thing")
    twin.place(left=over(twin, "thing", half + 0.098))
    twin.left.pick_up("thing")
    assert twin.left.holds == "thing"


@pytest.mark.parametrize("end", ["stop", "disable"])
def test_the_head_stays_where_the_twin_is_stopped(end: str) -> None:
    twin = Twin().enable()
    seen = []

    def look() -> None:
        if twin.head_pan > 0.2 and not seen:
            seen.append(twin.head_pan)
            getattr(twin, end)()

    twin._taps.append(look)
    with pytest.raises(RefusedError) as no:
        twin.pan_head(1.0)
    assert no.value.reason == {"stop": "stopped", "disable": "disabled"}[end]
    twin.step(2000)
    assert twin.head_pan == pytest.approx(seen[0], abs=5e-3)
    here = twin.head_pan
    twin.enable().step(1000)
    assert twin.head_pan == pytest.approx(here, abs=5e-3)


def test_the_head_turns() -> None:
    twin = Twin().enable()
    twin.pan_head(0.5)
    assert twin.t < 3.0
    assert twin.head_pan == pytest.approx(0.5, abs=0.01)
    with pytest.raises(RefusedError, match=r"head_pan = 2.0000 rad is above its limit"):
        twin.pan_head(2.0)


def test_the_tool_reaches_to_its_tip() -> None:
    assert {capsule.link for capsule in arm_capsules(Arm("left").model)} == {
        f"left_{name}" for name in JOINTS
    }
    pole = np.eye(4)
    pole[2, 3] = 0.2
    capsule = arm_capsules(Arm("left", tool=pole).model)[-1]
    assert capsule.link == "left_fingers"
    tip = Arm("left", tool=pole).model.T_last_tip[2, 3]
    assert capsule.end[2] + capsule.radius == pytest.approx(tip)
    for tool in ("vacuum", "electric_standard", "electric_extended"):
        model = Arm("left", tool).model
        carried = [c for c in arm_capsules(model) if c.link == "left_fingers"]
        reach = max(max(c.start[2], c.end[2]) + c.radius for c in carried)
        assert reach == pytest.approx(model.T_last_tip[2, 3], abs=0.02)


def test_mjcf_can_be_loaded_again() -> None:
    import mujoco

    twin = Twin(world=table()).enable()
    model = mujoco.MjModel.from_xml_string(twin.to_mjcf())
    assert (model.nq, model.nv, model.ngeom) == (twin.model.nq, twin.model.nv, twin.model.ngeom)
