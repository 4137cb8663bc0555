"""A link to the twin as a robot: state, enabling, motions, recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from link_scene import LocalScene, bump
from tolerances import FOLLOWED, assert_close

from baxterkit import Baxter, identify, recording
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.errors import InputError
from baxterkit.messages import message_class, service_type
from baxterkit.ros import RefusedError, in_process
from baxterkit.ros.poses import pose_message
from baxterkit.ros.steering import Steering
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import Trajectory

SIDES = ("left", "right")


def test_a_tucked_robot_is_enabled_and_untucked(local: LocalScene) -> None:
    """The deadlock: a plain request is ignored; ours is not."""
    Bool = message_class("std_msgs/Bool")
    link, robot = local.link, local.robot
    link.release_control()
    with robot.lock:
        robot.assembly.enabled = False
        robot.twin.place(*(limb.arm.configuration("tuck") for limb in robot.twin.limbs))
    local.eventually(lambda: link.left.avoidance and not link.enabled)
    with local.graph.node("plain") as node:
        publisher = node.advertise("/robot/set_super_enable", Bool)
        local.eventually(lambda: publisher.subscribers)
        for _ in range(10):
            publisher.publish(Bool(data=True))
            local.clock.sleep(0.05)
    assert not link.enabled
    for act in (lambda: None, link.take_control):
        act()
        with pytest.raises(RefusedError, match=r"call enable\(\)"):
            link.left.command_velocity(np.zeros(7))
    link.enable()
    assert link.enabled
    with robot.lock:
        robot.twin.place(*(limb.arm.configuration("untuck") for limb in robot.twin.limbs))


def test_an_exciting_motion_is_followed(local: LocalScene) -> None:
    """As it is made: from rest to rest, within the gate's limits and margin."""
    link = local.link
    motion = identify.exciting_motion(link.left.arm, 3.0, scene=link, other=link.right.q)
    with local.robot.lock:
        local.robot.twin.place(motion.start, None)
    local.eventually(lambda: np.abs(link.left.q - motion.start).max() < 0.01)
    done = link.follow({"left": motion}, settle=0.0)["left"]
    assert np.abs(done.q[-1] - done.q[0]).max() > 0.1
    assert np.abs(done.error).max() < 0.02
    assert_close(link.left.q, motion.end, 0.02)


@pytest.mark.acceptance
def test_tucking_and_untucking_touch_nothing(local: LocalScene) -> None:
    link, touched = local.link, set[tuple[str, str]]()
    watch = local.clock.every(0.01, lambda: touched.update(local.robot.twin.contacts), "watch")
    assert link.tuck(speed=0.5)
    assert link.untuck(speed=0.5)
    watch.close()
    assert not touched


def test_state_is_that_of_the_robot(local: LocalScene) -> None:
    link = local.link
    robot = Baxter()
    for side in SIDES:
        limb = link.limb(side)
        assert limb.published.age < 0.02
        assert_close(link.mount(side), getattr(robot, side).model.T_base_s0, 1e-9)
        assert_close(link.mount(side, "tf"), link.mount(side), 1e-9)
        local.eventually(lambda limb=limb: limb.endpoint is not None and limb.torques is not None)
        assert limb.endpoint is not None
        assert limb.torques is not None
        assert_close(limb.endpoint, limb.arm.fk(limb.q), 5e-3)
        assert np.abs(limb.torques.gravity).max() > 1.0
    assert len(link.joints) == 17  # bare hands have no fingers


def test_commands_need_to_be_enabled(local: LocalScene) -> None:
    link = local.link
    link.release_control()
    assert not link.in_control
    with pytest.raises(RefusedError, match=r"nothing is sent before .*; call enable\(\) first"):
        link.move_to("untuck", "untuck")
    assert "reading only" in repr(link)


def test_a_motion_is_followed_in_spite_of_the_lag(local: LocalScene) -> None:
    link = local.link
    motion = bump(link, "left")
    done = link.follow({"left": motion}, settle=1.0)["left"]
    assert np.abs(done.error).max() < FOLLOWED
    assert np.abs(done.q - motion.start).max() > 0.14
    assert_close(link.left.q, motion.end, FOLLOWED)
    assert done.side == "left"


def test_controllers_run_on_the_robot_unchanged(local: LocalScene) -> None:
    link = local.link
    motion = bump(link, "right")
    controller = ComputedTorque(with_known_effects(link.right.arm), kp=8.0**2)
    done = link.follow({"right": motion}, controller={"right": controller}, settle=1.0)["right"]
    assert np.abs(done.error).max() < 0.02
    assert np.abs(done.q - motion.start).max() > 0.13
    local.eventually(lambda: np.abs(link.right.qd).max() < 0.05)


def test_what_was_recorded_can_be_read_back(local: LocalScene, tmp_path: Path) -> None:
    link = local.link
    path = tmp_path / "run.bag"
    with link.record(path) as recorder:
        local.clock.sleep(0.5)
    direct = recorder.recording("left")
    again = recording.load(path, side="left")
    assert len(direct) == 50
    assert again.gravity is not None
    assert again.position is not None
    assert_close(again.q, direct.q, 0.0)
    from rosbags.rosbag1 import Reader

    with Reader(path) as reader:
        assert "/robot/ref_joint_states" in reader.topics
    with link.record(tmp_path / "run.mcap"):
        local.clock.sleep(0.3)
    packed = recording.load(tmp_path / "run.mcap", side="left")
    assert packed.gravity is not None
    assert len(packed) == 30
    with pytest.raises(InputError, match=r"is recorded as \.bag or \.mcap"):
        link.record(tmp_path / "run.csv")


def test_the_service_solves_what_the_robots_own_does_not(local: LocalScene) -> None:
    link = local.link
    kind = service_type("baxter_core_msgs/SolvePositionIK")
    Stamped = message_class("geometry_msgs/PoseStamped")
    Header = message_class("std_msgs/Header")
    T = link.left.arm.fk(link.left.q + 0.05)
    far = T.copy()
    far[0, 3] += 3.0
    poses = [Stamped(header=Header(frame_id="base"), pose=pose_message(x)) for x in (T, far)]
    with local.graph.node("client") as node:
        name = "/ExternalTools/left/PositionKinematicsNode/IKService"
        answer = node.call(name, kind, kind.Request(pose_stamp=poses), 10.0)
    assert answer.isValid.tolist() == [True, False]
    assert list(answer.result_type) == [2, 0]  # from the current angles; none
    assert_close(link.left.arm.fk(answer.joints[0].position), T, 1e-9)
    assert answer.joints[0].name[0] == "left_s0"


def test_a_goal_that_is_blocked_or_too_far_is_refused_before_anything_moves(
    local: LocalScene,
) -> None:
    link = local.link
    crossed = link.right.arm.configuration("untuck").copy()
    limits = link.right.arm.limits
    rng = np.random.default_rng(1)
    rows = rng.uniform(limits.lower, limits.upper, (200, 7))
    touching = rows[link.robot.in_collision(link.left.q, rows)]
    with pytest.raises(RefusedError, match=r"nothing was sent: .* would come within 5 mm"):
        link.move_to(right=touching[0])
    with pytest.raises(InputError, match="more than timeout"):
        link.move_to(right=crossed + 0.5, timeout=0.1)
    with pytest.raises(InputError, match="must be above 0"):
        link.move_to(right=crossed, speed=0.0)
    away = bump(link, "left")
    shifted = Trajectory.from_points([0.0, 1.0], [away.start + 0.25, away.start])
    with pytest.raises(RefusedError, match="go there by move_to first"):
        link.follow({"left": shifted})


def test_what_is_no_goal_or_motion_is_said(local: LocalScene) -> None:
    link = local.link
    q = link.left.q.copy()
    still = Trajectory.from_points([0.0, 0.2], [q, q])
    for act, says in (
        (
            lambda: link.move_to(left=dict(zip(link.right.arm.joint_names, q, strict=True))),
            "the left arm",
        ),
        (lambda: link.move_to(left=np.zeros((2, 7))), "one configuration of 7 values"),
        (lambda: link.move_to(left=q, speed="fast"), "speed must hold real numbers"),
        (lambda: link.move_to(), "give the goal of an arm"),
        (lambda: link.follow({"left": np.zeros((5, 7))}), "left must be a motion"),
        (
            lambda: link.follow({"left": still}, path_tolerance=float("nan")),
            "path_tolerance = nan rad",
        ),
        (lambda: link.follow({"left": still}, settle=-1.0), "settle = -1"),
        (lambda: link.follow(None), "a motion is a Trajectory, a plan, or"),
        (lambda: link.pan_head(float("nan")), "pan"),
    ):
        with pytest.raises(InputError, match=says):
            act()  # type: ignore[no-untyped-call]
    names = reversed(list(zip(link.left.arm.joint_names, q, strict=True)))
    assert link.move_to(left=dict(names))


def test_the_head_obeys(local: LocalScene) -> None:
    link = local.link
    link.pan_head(0.4)
    local.eventually(lambda: abs(link.head_pan - 0.4) < 0.15)
    link.pan_head(0.0)
    local.clock.sleep(1.0)
    for speed in (np.nan, 0.0, 1.5):
        with pytest.raises(InputError, match="speed"):
            link.pan_head(0.0, speed=speed)  # although it is there


def test_the_head_turns_as_fast_as_it_is_told(local: LocalScene) -> None:
    link = local.link
    for speed, least, most in ((0.1, 2.6, 3.2), (1.0, 0.1, 0.9)):
        begun, before = local.clock.now(), link.head_pan
        link.pan_head(before + 0.55 if before < 0.2 else before - 0.55, speed=speed)
        assert least < local.clock.now() - begun < most
        local.clock.sleep(2.0)
    link.pan_head(0.0)


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.1, 1.0])
@pytest.mark.parametrize("end", ["stop", "disable", "twin", "button"])
def test_the_head_stays_where_the_robot_is_not_enabled(
    local: LocalScene, end: str, speed: float
) -> None:
    link, robot = local.link, local.robot
    goal = 1.0 if link.head_pan < 0.2 else -1.0
    seen = []

    def stop() -> None:
        {
            "stop": link._gate.stop,
            "disable": lambda: link._gate.enable(False),
            "twin": robot.twin.stop,
            "button": robot.assembly.press,
        }[end]()
        seen.append(link.head_pan)

    local.later(0.3, stop)
    with pytest.raises(RefusedError):
        link.pan_head(goal, speed=speed)
    local.clock.sleep(2.0)
    assert abs(link.head_pan - seen[0]) < 0.02
    here = link.head_pan
    robot.assembly.press(False)
    local.clock.sleep(0.1)
    link.enable()
    local.clock.sleep(1.0)
    assert link.head_pan == pytest.approx(here, abs=5e-3)
    link.pan_head(0.0)
    local.clock.sleep(1.0)


def test_a_head_does_not_turn_on_after_a_reset_of_the_twin() -> None:
    with in_process(Twin()) as both:
        both.link.enable()._gate.head(-1.0, 0.05)
        both.clock.sleep(0.5)
        assert both.link.head_pan < -0.02
        both.twin.reset()
        both.clock.sleep(2.0)
        assert abs(both.link.head_pan) < 5e-3


def test_rules_that_are_set_later_count(local: LocalScene) -> None:
    link = local.link
    rules = link.rules
    goal = link.left.q + np.array([0.05, 0, 0, 0, 0, 0, 0])
    link.rules = replace(rules, jump=0.01)
    with pytest.raises(RefusedError, match=r"at most 0\.01 are allowed"):
        link.left.command_position(goal)
    link.rules = rules


def test_a_plan_is_followed(local: LocalScene) -> None:
    from baxterkit import planning

    link = local.link
    start = np.concatenate([link.left.q, link.right.q])
    goal = link.left.q.copy()
    goal[:2] += 0.2
    plan = planning.plan(link.robot.scene(margin=0.01), start, goal, group="left")
    done = link.follow(plan.raise_if_failed(), speed=0.3)
    assert set(done) == {"left"}
    assert np.abs(done["left"].error).max() < 0.01
    assert_close(link.left.q, goal, FOLLOWED)
    with pytest.raises(InputError, match="must be above 0"):
        link.follow(plan, speed=2.0)


def test_a_mirror_shows_the_robot_and_sends_nothing(local: LocalScene) -> None:
    from baxterkit.ros.mirror import Mirror

    shown: list[np.ndarray] = []
    local.link.release_control()
    local.clock.sleep(0.2)  # for what is still on its way
    count = len(local.received)
    with Mirror(local.link, lambda left, *rest: shown.append(left)):
        local.eventually(lambda: len(shown) > 2)
    assert_close(shown[-1], local.link.left.q, 2e-3)
    assert len(local.received) == count


def test_a_viewer_moves_the_robot_through_the_gate_only_while_it_has_control(
    local: LocalScene,
) -> None:
    link, received = local.link, local.received
    live = Steering(link)
    assert live.heard
    assert live.report() == "enabled"
    live.release_control()
    local.clock.sleep(0.05)  # for what is still on its way
    motion = bump(link, "left", 0.05, 0.6)
    count = len(received)
    for act in (
        lambda: live.follow({"left": motion}, 0.5, World()),
        lambda: live.go_to("neutral", 0.2),
        lambda: live.grip("left", 0.0),
    ):
        with pytest.raises(RefusedError, match=r"call enable\(\)"):
            act()
    assert len(received) == count
    live.take_control()
    with pytest.raises(InputError, match="has no fingers that move"):
        live.grip("left", 0.0)
    live.follow({"left": bump(link, "left", 0.05, 0.6)}, 0.5, World())
    assert len(received) > count + 20
    far = bump(link, "left", 0.3, 6.0)
    local.later(0.5, live.halt)
    with pytest.raises(RefusedError, match="cancelled"):
        live.follow({"left": far}, 1.0, World())
    way = bump(link, "left", 0.3, 4.0)
    world = World()
    world.add_sphere("ball", 0.1, link.left.arm.fk(way.sample(2.0).q)[:3, 3])
    with pytest.raises(RefusedError, match="and ball would come within"):
        live.follow({"left": way}, 1.0, world)
    link.scene = link.scene.replace(world=World())
