"""A link to the twin as a robot: state, enabling, motions, recordings, and what ends them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import components
import numpy as np
import pytest
from ros_masters import eventually, start_master, stop
from tolerances import assert_close
from twin_process import linked

from baxterkit import Baxter, recording
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.errors import InputError
from baxterkit.ros import Followed, NoReplyError, RefusedError, RobotLink, Rules, TwinRobot
from baxterkit.ros.graph import TcpNode
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.ros.messages import message_class, service_type
from baxterkit.ros.poses import pose_message
from baxterkit.ros.robot.arm import Received
from baxterkit.ros.settling import REST
from baxterkit.ros.steering import Steering
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import Trajectory

SIDES = ("left", "right")


class Scene:
    """A twin as a robot with tucked arms, and a link to it."""

    def __init__(self, master: str) -> None:
        self.master = master
        self.received: list[Received] = []
        self.robot = TwinRobot(Twin(start="tuck"), master, on_command=self.received.append)
        self.link = linked(master)

    def close(self) -> None:
        self.link.close()
        self.robot.close()


@pytest.fixture(scope="module")
def shared(best_master: str) -> Iterator[Scene]:
    made = Scene(best_master)
    yield made
    made.close()


@pytest.fixture
def scene(shared: Scene) -> Scene:
    """The robot enabled and untucked, whatever a test before has done to it."""
    shared.received.clear()
    shared.robot.assembly.press(False)
    ready(shared)
    return shared


@pytest.fixture
def link(scene: Scene) -> RobotLink:
    return scene.link


def ready(scene: Scene) -> None:
    """Armed and enabled, with the arms untucked."""
    link, robot = scene.link, scene.robot
    with robot.lock:
        robot.twin.place(*(limb.arm.pose("untuck") for limb in robot.twin.limbs))
    eventually(lambda: len(link._states.state_sources.now()) == 1)
    eventually(lambda: link._assembly.estop_button == 0)
    eventually(lambda: np.abs(link.left.q - link.left.arm.pose("untuck")).max() < 0.05)
    link.arm()
    link.enable()


ANY = 1.0
"""Tolerance of motions [rad]: on a busy machine the twin skips time; errors are measured by the
long runs."""


def assert_moved(done: Followed, size: float) -> None:
    """The arm went there and came back."""
    away = np.abs(done.recording.q - done.recording.q[0]).max(axis=1)
    assert away.max() > 0.5 * size
    assert away[-1] < 0.4 * size


def bump(link: RobotLink, side: str, size: float = 0.15, duration: float = 1.5) -> Trajectory:
    """There and back with every joint, at rest at both ends."""
    q = link.limb(side).q
    t = np.linspace(0.0, duration, 31)
    way = q + size * (np.sin(np.pi * t / duration) ** 2)[:, None] * [1, 1, 1, -1, 1, 1, 1]
    return Trajectory.from_points(t, way, limits=link.limb(side).arm.limits)


def test_a_tucked_robot_is_enabled_and_untucked(shared: Scene) -> None:
    """The deadlock: a plain request is ignored; ours is not."""
    Bool = message_class("std_msgs/Bool")
    link, robot = shared.link, shared.robot
    link.disarm()
    with robot.lock:
        robot.assembly.enabled = False
        robot.twin.place(*(limb.arm.pose("tuck") for limb in robot.twin.limbs))
    eventually(lambda: link.left.avoidance and not link.enabled)
    with TcpNode("plain", shared.master) as node:
        publisher = node.advertise("/robot/set_super_enable", Bool)
        eventually(lambda: publisher.subscribers)
        for _ in range(10):
            publisher.publish(Bool(data=True))
            time.sleep(0.05)
    assert not link.enabled
    with pytest.raises(RefusedError, match=r"call link\.arm\(\)"):
        link.enable()
    link.arm()
    with pytest.raises(RefusedError, match="disabled"):
        link.left.command_velocity(np.zeros(7))
    link.enable()
    assert link.enabled
    with robot.lock:
        robot.twin.place(*(limb.arm.pose("untuck") for limb in robot.twin.limbs))


@pytest.mark.acceptance
def test_tucking_and_untucking_touch_nothing(scene: Scene) -> None:
    link, touched = scene.link, set[tuple[str, str]]()
    watching = threading.Event()

    def watch() -> None:
        while not watching.wait(0.05):
            with scene.robot.lock:
                touched.update(scene.robot.twin.contacts)

    threading.Thread(target=watch, daemon=True).start()
    assert link.tuck(speed=0.5)
    assert link.untuck(speed=0.5)
    watching.set()
    assert not touched


def test_state_is_that_of_the_robot(link: RobotLink) -> None:
    robot = Baxter()
    for side in SIDES:
        limb = link.limb(side)
        assert limb.published.age < 2.0
        assert_close(link.mount(side), getattr(robot, side).model.T_base_s0, 1e-9)
        assert_close(link.mount(side, "tf"), link.mount(side), 1e-9)
        eventually(lambda limb=limb: limb.endpoint is not None and limb.torques is not None)
        assert limb.endpoint is not None
        assert limb.torques is not None
        assert_close(limb.endpoint, limb.arm.fk(limb.q), 0.02)
        assert np.abs(limb.torques.gravity).max() > 1.0
    eventually(lambda: "l_gripper_l_finger_joint" in link.joints)
    assert len(link.joints) == 19


def test_commands_need_an_explicit_arm(link: RobotLink) -> None:
    link.disarm()
    assert not link.armed
    with pytest.raises(RefusedError, match=r"only reads; call link\.arm\(\)"):
        link.move_to("untuck", "untuck")
    assert "reading only" in repr(link)


def test_a_motion_is_followed_in_spite_of_the_lag(link: RobotLink) -> None:
    motion = bump(link, "left")
    done = link.follow(left=motion, tolerance=ANY, settle=1.0)["left"]
    assert_moved(done, 0.15)
    assert done.recording.side == "left"


def test_controllers_run_on_the_robot_unchanged(link: RobotLink) -> None:
    motion = bump(link, "right")
    controller = ComputedTorque(with_known_effects(link.right.arm), kp=8.0**2)
    done = link.follow(
        right=motion, mode="torque", controllers={"right": controller}, tolerance=ANY, settle=1.0
    )["right"]
    assert_moved(done, 0.15)
    eventually(lambda: np.abs(link.right.qd).max() < 0.05)


def test_what_was_recorded_can_be_read_back(link: RobotLink, tmp_path: Path) -> None:
    path = tmp_path / "run.bag"
    with link.record(path) as recorder:
        time.sleep(0.5)
    direct = recorder.recording("left")
    again = recording.load(path, side="left")
    assert len(direct) > 10
    assert again.gravity is not None
    assert again.position is not None
    assert abs(len(again) - len(direct)) <= 5
    from rosbags.rosbag1 import Reader

    with Reader(path) as reader:
        assert "/robot/ref_joint_states" in reader.topics
    with link.record(tmp_path / "run.mcap"):
        time.sleep(0.3)
    packed = recording.load(tmp_path / "run.mcap", side="left")
    assert packed.gravity is not None
    assert len(packed) > 5
    with pytest.raises(InputError, match=r"is recorded as \.bag or \.mcap"):
        link.record(tmp_path / "run.csv")


def test_the_service_solves_what_the_robots_own_does_not(scene: Scene) -> None:
    link = scene.link
    kind = service_type("baxter_core_msgs/SolvePositionIK")
    Stamped = message_class("geometry_msgs/PoseStamped")
    Header = message_class("std_msgs/Header")
    T = link.left.arm.fk(link.left.q + 0.05)
    far = T.copy()
    far[0, 3] += 3.0
    poses = [Stamped(header=Header(frame_id="base"), pose=pose_message(x)) for x in (T, far)]
    with TcpNode("client", scene.master) as node:
        name = "/ExternalTools/left/PositionKinematicsNode/IKService"
        answer = node.call(name, kind, kind.Request(pose_stamp=poses), 10.0)
    assert answer.isValid.tolist() == [True, False]
    assert list(answer.result_type) == [2, 0]  # from the current angles; none
    assert_close(link.left.arm.fk(answer.joints[0].position), T, 1e-9)
    assert answer.joints[0].name[0] == "left_s0"


def test_a_goal_that_is_blocked_or_too_far_is_refused_before_anything_moves(
    link: RobotLink,
) -> None:
    crossed = link.right.arm.pose("untuck").copy()
    limits = link.right.arm.limits
    rng = np.random.default_rng(1)
    rows = rng.uniform(limits.lower, limits.upper, (200, 7))
    touching = rows[link.robot.in_collision(link.left.q, rows)]
    with pytest.raises(RefusedError, match="blocked"):
        link.move_to(right=touching[0])
    with pytest.raises(InputError, match="more than timeout"):
        link.move_to(right=crossed + 0.5, timeout=0.1)
    with pytest.raises(InputError, match="must be above 0"):
        link.move_to(right=crossed, speed=0.0)
    away = bump(link, "left")
    shifted = Trajectory.from_points([0.0, 1.0], [away.start + 0.25, away.start])
    with pytest.raises(RefusedError, match="go there by move_to first"):
        link.follow(left=shifted)


def test_what_is_no_goal_or_motion_is_said(link: RobotLink) -> None:
    q = link.left.q.copy()
    still = Trajectory.from_points([0.0, 0.2], [q, q])
    for act, says in (
        (
            lambda: link.move_to(left=dict(zip(link.right.arm.joint_names, q, strict=True))),
            "the left arm",
        ),
        (lambda: link.move_to(left=np.zeros((2, 7))), "one posture of 7 values"),
        (lambda: link.move_to(left=q, speed="fast"), "speed must hold real numbers"),
        (lambda: link.move_to(), "give the goal of an arm"),
        (lambda: link.follow(left=np.zeros((5, 7))), "left must be a motion"),
        (lambda: link.follow(left=still, tolerance=float("nan")), "tolerance = nan rad"),
        (lambda: link.follow(left=still, settle=-1.0), "settle = -1"),
        (lambda: link.go(None), "a result of planning.plan"),
        (lambda: link.pan_head(float("nan")), "pan"),
    ):
        with pytest.raises(InputError, match=says):
            act()  # type: ignore[no-untyped-call]
    names = reversed(list(zip(link.left.arm.joint_names, q, strict=True)))
    assert link.move_to(left=dict(names), tolerance=ANY, on_the_way=ANY)


def test_head_and_grippers_obey(link: RobotLink) -> None:
    link.pan_head(0.4)
    eventually(lambda: abs(link.head_pan - 0.4) < 0.15)
    link.pan_head(0.0)
    eventually(lambda: link.left.gripper is not None)
    link.left.calibrate_gripper()
    link.left.command_gripper(20.0)
    eventually(lambda: link.left.gripper is not None and abs(link.left.gripper - 20.0) < 1.0)


def test_one_arm_that_fails_does_not_stop_the_other(link: RobotLink) -> None:
    good = bump(link, "left", 0.1, 1.5)
    q = link.right.q
    # A step that the right arm cannot follow.
    bad = Trajectory.from_points([0.0, 0.3, 0.6, 1.5], [q, q, q + 0.29, q + 0.29])
    before = link.left.q.copy()
    seen: list[float] = []

    def watch() -> None:
        for _ in range(150):
            seen.append(float(np.abs(link.left.q - before).max()))
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    with pytest.raises(RefusedError, match="right_"):
        link.follow(left=good, right=bad, tolerance=0.05)
    thread.join()
    assert max(seen) > 0.03


def test_a_robot_that_falls_silent_gets_no_more_commands(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = scene.link
    monkeypatch.setattr(link._gate, "rules", Rules(stale=0.3, stall=2.0))
    motion = bump(link, "left", 0.2, 3.0)
    threading.Timer(0.5, scene.robot.paused.set).start()
    with pytest.raises(RefusedError, match="old; nothing is sent"):
        link.follow(left=motion, tolerance=ANY)
    count = len(scene.received)
    with pytest.raises(RefusedError):
        link.left.command_velocity(np.zeros(7))
    scene.robot.paused.clear()
    eventually(lambda: link.left.published.age < 0.2)
    time.sleep(0.1)
    link.left.command_velocity(np.zeros(7))
    eventually(lambda: len(scene.received) > count)


def test_the_button_ends_a_motion_and_is_said(scene: Scene) -> None:
    link = scene.link
    threading.Timer(0.4, scene.robot.assembly.press).start()
    with pytest.raises(RefusedError, match="release its button"):
        link.follow(left=bump(link, "left", 0.1, 3.0), tolerance=ANY)
    with pytest.raises(RefusedError, match="emergency stop is pressed"):
        link.enable()
    scene.robot.assembly.press(False)
    eventually(lambda: link._assembly.estop_button == 0)
    link.enable()
    assert link.enabled
    link.stop()
    assert link.stopped
    link.reset()
    link.disable()
    assert not link.enabled


def test_a_motion_that_is_cancelled_raises_when_the_arm_is_at_rest(link: RobotLink) -> None:
    """An arm goes on for a moment; the next motion starts where it is only after that."""
    q = link.left.q
    far = Trajectory.from_points([0.0, 3.0], [q, q - np.array([0.9, 0, 0, 0, 0, 0, 0])])
    moving = threading.Thread(
        target=lambda: (eventually(lambda: np.abs(link.left.qd).max() > 0.2), link.cancel(20.0))
    )
    moving.start()
    with pytest.raises(RefusedError, match="was cancelled after") as stopped:
        link.follow(left=far, tolerance=ANY)
    assert stopped.value.reason == "cancelled"
    assert np.abs(link.left.qd).max() < REST
    here = link.left.q
    moving.join()
    time.sleep(0.3)
    assert np.abs(link.left.q - here).max() < 8e-3
    assert np.abs(here - far.end).max() > 0.1
    assert not link._motions


def test_rules_that_are_set_later_count(link: RobotLink) -> None:
    rules = link.rules
    goal = link.left.q + np.array([0.05, 0, 0, 0, 0, 0, 0])
    link.rules = replace(rules, jump=0.01)
    with pytest.raises(RefusedError, match=r"at most 0\.01 are allowed"):
        link.left.command_position(goal)
    link.rules = rules


def test_the_robot_holds_by_itself_when_commands_end(scene: Scene) -> None:
    scene.link.left.command_velocity(np.full(7, 0.2))
    eventually(lambda: scene.robot.twin.left.mode == "velocity")
    eventually(lambda: scene.robot.twin.left.mode == "hold", 5.0)
    eventually(lambda: np.abs(scene.robot.twin.left.qd).max() < 0.1)


def test_a_missing_robot_is_said_in_time() -> None:
    with OwnMaster(0) as master:
        started = time.monotonic()
        with pytest.raises(NoReplyError, match="waiting for the robot's states"):
            RobotLink(master.uri, backend="tcp", timeout=0.3)
        assert time.monotonic() - started < 5.0


def test_a_forgotten_mock_is_noticed(scene: Scene) -> None:
    state = message_class("baxter_core_msgs/AssemblyState")
    done = threading.Event()
    with TcpNode("mock", scene.master) as mock:
        publisher = mock.advertise("/robot/state", state)

        def pretend() -> None:
            while not done.wait(0.05):
                publisher.publish(state(enabled=True))

        thread = threading.Thread(target=pretend)
        thread.start()
        try:
            eventually(lambda: len(scene.link._states.state_sources.now()) == 2)
            with pytest.raises(RefusedError, match="2 nodes publish /robot/state"):
                scene.link.left.command_velocity(np.zeros(7))
            with linked(scene.master) as other:
                eventually(lambda: len(other._states.state_sources.now()) == 2)
                with pytest.raises(RefusedError, match="2 nodes publish /robot/state"):
                    other.arm()
        finally:
            done.set()
            thread.join()


INTERRUPTED = """
import sys, numpy as np
sys.path.insert(0, sys.argv[2])
from twin_process import linked
with linked(sys.argv[1]) as link:
    link.arm()
    link.enable()
    print("moving", flush=True)
    q = link.left.q.copy()
    q[0] += 0.8
    link.move_to(left=q, speed=0.1)
"""


def test_ctrl_c_releases_and_unregisters(scene: Scene) -> None:
    here = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, scene.master, here],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A suite that runs in the background of a shell has it ignored, and its children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "moving\n"
    eventually(lambda: scene.received)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20.0)
    assert "KeyboardInterrupt" in error
    assert scene.received[-1].values["left_s0"] == 0.0  # the last word is: stand still
    with TcpNode("after", scene.master) as node:
        left = node.publishers_of("/robot/limb/left/joint_command")
        assert not [name for name in left if f"_{process.pid}_" in name]
    eventually(lambda: scene.robot.twin.left.mode == "hold")


@pytest.mark.ros
@pytest.mark.acceptance
def test_a_master_that_is_killed_and_restarted_does_not_disturb_a_motion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    components.require("ros")
    monkeypatch.setattr("baxterkit.ros.graph.watch.PERIOD", 0.1)
    process, uri = start_master()
    try:
        with TwinRobot(Twin(start="neutral"), uri, enabled=True), linked(uri) as link:
            link.arm()
            motion = bump(link, "left", 0.1, 2.0)
            threading.Timer(0.5, stop, (process,)).start()
            done = link.follow(left=motion, tolerance=ANY)["left"]
            assert len(done.t) > 50
            process, _ = start_master(int(uri.rpartition(":")[2]))
            with TcpNode("late", uri) as late:
                eventually(lambda: late.publishers_of("/robot/state"))
                eventually(lambda: late.publishers_of("/robot/limb/left/joint_command"))
            link.left.command_velocity(np.zeros(7))
    finally:
        stop(process)


def test_a_plan_is_followed(link: RobotLink) -> None:
    from baxterkit import planning

    start = np.concatenate([link.left.q, link.right.q])
    goal = link.left.q.copy()
    goal[:2] += 0.2
    plan = planning.plan(link.robot, start, goal, group="left", padding=0.01)
    done = link.go(plan.raise_if_failed(), speed=0.3)
    assert set(done) == {"left"}
    way = done["left"].recording.q
    assert np.abs(way - goal).max(axis=1).min() < 0.1  # on a busy machine it may end too soon
    with pytest.raises(InputError, match="must be above 0"):
        link.go(plan, speed=2.0)


def test_a_mirror_shows_the_robot_and_sends_nothing(scene: Scene) -> None:
    from baxterkit.ros.mirror import Mirror

    shown: list[np.ndarray] = []
    scene.link.disarm()
    time.sleep(0.2)  # for what is still on its way
    count = len(scene.received)
    with Mirror(scene.link, lambda left, right, head: shown.append(left)):
        eventually(lambda: len(shown) > 2)
    assert np.abs(shown[-1] - scene.link.left.q).max() < 0.1
    assert len(scene.received) == count


def test_a_viewer_moves_the_robot_through_the_gate_only_while_it_is_armed(scene: Scene) -> None:
    link, received = scene.link, scene.received
    live = Steering(link)
    assert live.heard
    assert live.report() == "enabled"
    live.disarm()
    motion = bump(link, "left", 0.05, 0.6)
    count = len(received)
    for act in (
        lambda: live.follow({"left": motion}, 0.5, World()),
        lambda: live.go_to("neutral", 0.2),
        lambda: live.grip("left", 0.0),
    ):
        with pytest.raises(RefusedError, match=r"call link\.arm\(\)"):
            act()
    assert len(received) == count
    live.arm()
    live.grip("left", 0.0)
    assert link.left.gripper is not None
    assert link.left.gripper < 5.0
    live.follow({"left": bump(link, "left", 0.05, 0.6)}, 0.5, World())
    assert len(received) > count + 20
    far = bump(link, "left", 0.3, 6.0)
    threading.Timer(0.5, live.halt).start()
    with pytest.raises(RefusedError, match="cancelled"):
        live.follow({"left": far}, 1.0, World())
    way = bump(link, "left", 0.3, 4.0)
    world = World()
    world.add_sphere("ball", 0.1, link.left.arm.fk(way.sample(2.0).q)[:3, 3])
    with pytest.raises(RefusedError, match="and ball would come within"):
        live.follow({"left": way}, 1.0, world)
    link.rules = replace(link.rules, world=None)
