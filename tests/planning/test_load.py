"""What hands hold has weight: motions are slower with it, and what is too heavy is refused."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.model.inertial import uniform
from baxterkit.planning import PlanError, PlanStatus, pick_and_place, plan
from baxterkit.planning.load import loaded_arm
from baxterkit.trajectory import Trajectory, TrajectoryError

ROBOT = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
UNTUCK, NEUTRAL = (ROBOT.right.configuration(name) for name in ("untuck", "neutral"))
START = np.concatenate([ROBOT.left.configuration("untuck"), UNTUCK])
GRASP = np.diag([1.0, -1.0, -1.0, 1.0])
GRASP[2, 3] = 0.03
SLACK = 1e-6
"""Share by which checks of a motion may exceed a limit."""


def held(mass: float, side: str = "right") -> World:
    world = World()
    world.add_box("load", (0.05, 0.04, 0.12), (0.6, -0.3, 0.1), mass=mass)
    T = np.eye(4)
    T[:3, 3] = 0.01, 0.0, 0.05
    world.attach("load", side, T)
    return world


def share(arm: Arm, motion: Trajectory) -> float:
    tau = arm.inverse_dynamics(*motion.at_rate(1000.0)[1:])
    return float((np.abs(tau) / arm.limits.effort).max())


def carton(mass: float) -> World:
    world = World()
    world.add_table("table", -0.15)
    world.add_box("carton", (0.04, 0.04, 0.12), (0.75, 0.25, -0.09), mass=mass)
    return world


def test_a_heavy_object_in_the_hand_slows_the_motion_down() -> None:
    durations = []
    for mass in (0.0, 0.5, 6.5):
        scene = ROBOT.scene(held(mass))
        motion = plan(scene, START, NEUTRAL, group="right").trajectory(acceleration=40.0)
        item = scene.world["load"]
        loaded = ROBOT.right if not mass else ROBOT.right.replace(
            payload=Payload(mass, (0.01, 0.0, 0.05), uniform(item, mass).inertia)
        )  # fmt: skip
        assert share(loaded, motion) <= 1.0 + SLACK
        durations.append(motion.duration)
    assert durations[0] <= durations[1] < durations[2] - 0.05


def test_the_object_is_beside_a_payload_of_the_arm_and_of_its_own_hand_alone() -> None:
    own = Payload(1.0, (0.0, 0.02, 0.03), 0.01 * np.eye(3))
    scene = Baxter(ROBOT.left, ROBOT.right.replace(payload=own)).scene(held(3.0))
    both = loaded_arm(scene, "right").model.payload
    assert both is not None
    wanted = own.inertial.combine(uniform(scene.world["load"], 3.0))
    assert both.mass == 4.0
    np.testing.assert_allclose(both.com, wanted.com, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(both.inertia, wanted.inertia, rtol=0.0, atol=1e-15)
    assert loaded_arm(scene, "left") is ROBOT.left


def test_a_check_with_a_scene_counts_what_the_hand_holds() -> None:
    motion = plan(ROBOT, START, NEUTRAL, group="right").trajectory()
    heavy = ROBOT.scene(held(12.0), without=[("right_fingers", "load")])
    assert motion.check(arm=ROBOT.right) is motion
    with pytest.raises(TrajectoryError, match="the torque of right_"):
        motion.check(arm=ROBOT.right, scene=heavy)


def test_what_cannot_be_held_still_at_the_start_or_at_the_goal_is_no_plan() -> None:
    result = plan(ROBOT.scene(held(30.0)), START, NEUTRAL, group="right")
    assert result.status is PlanStatus.TOO_HEAVY
    assert "at the start right_e1 cannot hold 30 kg (load) still" in result.reason
    assert "N m are needed, and its limit is 50.00 N m" in result.reason
    with pytest.raises(PlanError, match="TOO_HEAVY: at the start"):
        result.trajectory()
    out = np.array([0.0, -0.1, 0.0, 0.1, 0.0, 0.1, 0.0])  # stretched out in front
    far = plan(ROBOT.scene(held(6.0)), START, out, group="right")
    assert far.status is PlanStatus.TOO_HEAVY
    assert "at the goal right_s1 cannot hold 6 kg" in far.reason
    assert plan(ROBOT.scene(held(2.0)), START, out, group="right").solved
    assert plan(ROBOT.scene(held(30.0, "left")), START, NEUTRAL, group="right").solved


def test_a_path_through_where_the_load_is_too_heavy_is_no_plan() -> None:
    low, high = np.zeros(7), np.zeros(7)
    low[1], high[1] = 1.0, -1.1
    scene = ROBOT.scene(held(6.0))
    result = plan(scene, low, high, group="right")
    assert result.status is PlanStatus.TOO_HEAVY
    assert "on the path that was found right_w1 cannot hold 6 kg (load) still" in result.reason


@pytest.mark.parametrize("mass", [0.4, 6.0])
def test_every_stage_respects_the_torques_of_what_it_carries(mass: float) -> None:
    found = pick_and_place(ROBOT.scene(carton(mass)), START, "carton", GRASP, (0.75, 0.65, -0.09))
    for stage in found.raise_if_failed().stages:
        arm = loaded_arm(stage.scene, "left")
        carries = stage.name in ("lift", "carry", "lower")
        assert (arm.model.payload is not None) == carries
        assert share(arm, stage.motion) <= 1.0 + SLACK


def test_an_object_too_heavy_to_lift_is_refused_by_name() -> None:
    scene = ROBOT.scene(carton(45.0))
    found = pick_and_place(scene, START, "carton", GRASP, (0.75, 0.65, -0.09))
    assert found.status is PlanStatus.TOO_HEAVY
    assert found.reason.startswith("lift: left_s1 cannot hold 45 kg (carton) still: ")
    assert "its limit is 100.00 N m; carry less" in found.reason
    assert [stage.name for stage in found.stages] == ["go", "approach"]
