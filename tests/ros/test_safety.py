"""Nothing unsafe passes the gate, and there is no other way to the wire."""

from __future__ import annotations

import ast
from pathlib import Path

import components
import numpy as np
import pytest
from fake_robot import FakePublisher, FakeRobot, Header, JointState, refused
from tolerances import assert_close

from baxterkit import collision
from baxterkit.errors import InputError
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.ros import RefusedError, Rules, topics
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.prediction import TIMES, after_torque, after_velocity

ROS = components.ROOT / "src" / "baxterkit" / "ros"
SIDES = ("left", "right")


@pytest.fixture
def robot() -> FakeRobot:
    robot = FakeRobot()
    robot.gate.take_control()
    return robot


@pytest.fixture
def strict() -> FakeRobot:
    robot = FakeRobot(Rules(stale=0.5))
    robot.gate.take_control()
    return robot


def test_a_safe_command_passes(robot: FakeRobot) -> None:
    for mode, values in (
        ("position", robot.q["left"] + 0.01),
        ("raw position", robot.q["left"] + 0.005),
        ("velocity", np.full(7, 0.1)),
        ("torque", np.zeros(7)),
    ):
        robot.gate.joints("left", mode, values)
    sent = robot.commands()
    assert [m.mode for m in sent] == [1, 4, 2, 3]
    assert sent[0].names == [
        f"left_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
    ]
    assert np.array_equal(sent[0].command, robot.q["left"] + 0.01)


@pytest.mark.parametrize("mode", ["position", "raw position", "velocity", "torque"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(robot: FakeRobot, mode: str, bad: float) -> None:
    values = np.zeros(7)
    values[3] = bad
    refused(robot, "not finite", mode, values)
    refused(robot, "not finite", mode, np.zeros(6))
    refused(robot, "not finite", mode, [["a"] * 7])


def test_limits_hold_in_every_mode(robot: FakeRobot) -> None:
    limits = robot.robot.left.limits
    for j in range(7):
        for sign in (-1.0, 1.0):
            step = np.zeros(7)
            step[j] = sign
            q = robot.q["left"] + step * 10.0
            assert f"left_{('s0', 's1', 'e0', 'e1', 'w0', 'w1', 'w2')[j]}" in refused(
                robot, "position", "position", q
            )
            refused(robot, "velocity", "velocity", step * limits.velocity[j] * 1.001)
            refused(robot, "effort", "torque", step * limits.effort[j] * 1.001)


def test_a_jump_is_refused_and_the_limit_can_be_set(robot: FakeRobot) -> None:
    q = robot.q["left"].copy()
    q[5] += 0.31
    text = refused(robot, "jump", "position", q)
    assert "left_w1" in text
    assert "at most 0.3 are allowed" in text
    loose = FakeRobot(Rules(jump=0.5))
    loose.gate.take_control()
    loose.gate.joints("left", "position", q)


def test_positions_may_not_run_faster_than_the_joints(robot: FakeRobot) -> None:
    robot.gate.joints("left", "position", robot.q["left"])
    far = robot.q["left"].copy()
    far[0] += 0.25
    refused(robot, "velocity", "position", far)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"jump": np.nan}, r"jump\[\] = nan|jump = nan"),
        ({"stale": -1.0}, r"stale = -1 s; it must be above 0, up to 60 s"),
        ({"stall": 0.0}, r"stall = 0 s; it must be above 0"),
        ({"timeout": "long"}, "timeout must hold real numbers"),
    ],
)
def test_rules_that_would_switch_a_check_off_are_refused(
    fields: dict[str, object], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        Rules(**fields)  # type: ignore[arg-type]


def test_values_by_name_come_in_any_order_and_wrong_ones_are_said(robot: FakeRobot) -> None:
    arm = robot.robot.left
    named = dict(reversed(list(zip(arm.joint_names, robot.q["left"] + 0.01, strict=True))))
    robot.gate.joints("left", "position", named)  # type: ignore[arg-type]
    (command,) = robot.commands()
    assert command.names == list(arm.joint_names)
    assert_close(command.command, robot.q["left"] + 0.01, 1e-12)
    other = {name.replace("left", "right"): x for name, x in named.items()}
    assert "and this is the left arm" in refused(robot, "not finite", "position", other)
    named.pop("left_w1")
    assert "left_w1" in refused(robot, "not finite", "position", named)
    for words in ("neutral", None, [0.0] * 6, np.zeros((2, 7))):
        refused(robot, "not finite", "velocity", words)
    for act in (
        lambda: robot.gate.gripper("left", "go", "open"),  # type: ignore[arg-type]
        lambda: robot.gate.speed_ratio("left", "fast"),  # type: ignore[arg-type]
        lambda: robot.gate.head("front", 0.5),  # type: ignore[arg-type]
    ):
        with pytest.raises(RefusedError, match="must hold real numbers"):
            act()
    with pytest.raises(InputError, match=r"rules must be ros\.Rules, got int"):
        robot.gate.rules = 3  # type: ignore[assignment]
    robot.node.closed = True
    with pytest.raises(RefusedError, match="the link was closed; make a new one"):
        robot.gate.take_control()


def test_contacts_are_refused_and_named() -> None:
    robot = FakeRobot(Rules(jump=5.0))
    robot.gate.take_control()
    limits = robot.robot.right.limits
    rows = np.random.default_rng(0).uniform(limits.lower, limits.upper, (100, 7))
    touching = rows[robot.robot.in_collision(robot.q["left"], rows)]
    assert len(touching) > 5
    for q in touching:
        text = refused(robot, "collision", "position", q, "right")
        assert "would come within" in text


def test_stopping_counts_the_way_to_rest(robot: FakeRobot) -> None:
    """A velocity that is free now, but would carry the arm into a ball after we fell silent."""
    slow, fast = np.zeros(7), np.zeros(7)
    slow[0], fast[0] = 0.05, 1.4
    rest = after_velocity(robot.q["left"], np.zeros(7), fast, 0.2)[-1].max(axis=0)
    world = collision.World()
    wall = np.eye(4)
    wall[:3, 3] = robot.robot.left.fk(rest)[:3, 3]
    world.add_sphere("ball", 0.02, wall)
    walled = FakeRobot(world=world)
    walled.gate.take_control()
    assert not walled.robot.scene(world).in_collision(walled.q["left"], walled.q["right"])
    walled.gate.joints("left", "velocity", slow)
    refused(walled, "collision", "velocity", fast)
    robot.gate.joints("left", "velocity", fast)  # without the wall it is free


def test_torques_that_would_run_into_a_limit_are_refused(robot: FakeRobot) -> None:
    tau = np.zeros(7)
    robot.gate.joints("left", "torque", tau)
    tau[6] = 15.0
    refused(robot, "velocity", "torque", tau)
    robot.q["left"][5] = robot.robot.left.limits.upper[5] - 0.01
    robot.tell()
    tau[:] = 0.0
    tau[5] = 1.0
    with pytest.raises(RefusedError, match=r"at rest|predicted"):
        robot.gate.joints("left", "torque", tau)


def test_an_arm_in_contact_may_only_move_outwards() -> None:
    robot = FakeRobot(configuration="tuck", margin=0.05)
    robot.gate.take_control()
    here = np.r_[robot.q["left"], robot.q["right"]]
    gap = robot.robot.nearest(here[:7], here[7:])
    assert gap.clearance < 0.05
    side = "left" if np.abs(gap.gradient[:7]).max() > 1e-6 else "right"
    own = ARM_COLUMNS[side]
    way = 0.01 * gap.gradient[own] / np.linalg.norm(gap.gradient[own])
    limits = getattr(robot.robot, side).limits
    robot.gate.joints(side, "position", np.clip(here[own] + way, limits.lower, limits.upper))
    refused(robot, "collision", "position", np.clip(here[own] - way, limits.lower, limits.upper),
            side)  # fmt: skip


def test_a_contact_of_one_arm_is_no_leave_for_the_other() -> None:
    """The depth of a contact that does not change says nothing of the arm that moves."""
    robot = FakeRobot()
    turn = np.array([0.29, 0, 0, 0, 0, 0, 0])  # to the left
    world = collision.World()
    for name, side, q in (
        ("what the right hand rests on", "right", robot.q["right"]),
        ("what the left hand would hit", "left", robot.q["left"] + 0.8 * turn),
    ):
        world.add_sphere(name, 0.03, getattr(robot.robot, side).fk(q)[:3, 3])
    robot.among(world)
    robot.gate.take_control()
    robot.tell()
    for mode, values in (("position", robot.q["left"] + turn), ("velocity", 3.0 * turn)):
        with pytest.raises(RefusedError, match="would come within"):
            robot.gate.joints("left", mode, values)
    robot.gate.joints("left", "velocity", np.zeros(7))  # to stand still is allowed,
    robot.gate.joints("left", "velocity", -turn)  # and to move where nothing is
    assert len(robot.commands()) == 2


def test_stale_states_stop_everything(strict: FakeRobot) -> None:
    strict.tell()
    strict.gate.joints("left", "velocity", np.zeros(7))
    strict.clock.sleep(0.6)
    refused(strict, "stale", "velocity", np.zeros(7))
    strict.tell(later=0.7)
    strict.gate.joints("left", "velocity", np.zeros(7))


def test_repeated_and_late_states_do_not_look_fresh(strict: FakeRobot) -> None:
    strict.clock.sleep(0.6)
    strict.tell(later=0.0)  # the same stamp again
    assert strict.states.dropped >= 2
    refused(strict, "stale", "velocity", np.zeros(7))
    strict.tell(later=0.01)  # a new one, but 0.6 s late by the robot's clock
    refused(strict, "stale", "velocity", np.zeros(7))
    strict.tell(later=0.7)
    strict.gate.joints("left", "velocity", np.zeros(7))


def test_states_are_merged_by_name_in_any_order(robot: FakeRobot) -> None:
    names = list(topics.ROBOT_JOINTS)[::-1]
    q = np.arange(len(names), dtype=float) / 10.0
    message = JointState(
        header=Header(stamp=robot.stamp + 10**7), name=names, position=q, velocity=q, effort=q
    )
    robot.node.callbacks["/robot/joint_states"](message, "/realtime_loop")
    assert robot.reading("left")[0] == q[names.index("left_s0")]
    gripper = JointState(
        header=Header(stamp=robot.stamp + 2 * 10**7), name=["l_gripper_l_finger_joint"],
        position=np.array([0.01]),
    )  # fmt: skip
    robot.node.callbacks["/robot/joint_states"](gripper, "/end_effector_publisher")
    assert robot.reading("left")[0] == q[names.index("left_s0")]
    assert robot.states.joints["l_gripper_l_finger_joint"] == 0.01


def test_states_that_are_not_finite_are_dropped(robot: FakeRobot) -> None:
    before = robot.reading("left").copy()
    robot.q["left"][2] = np.nan
    robot.tell()
    assert np.array_equal(robot.reading("left"), before)


def test_a_robot_that_was_restarted_is_heard_again(robot: FakeRobot) -> None:
    robot.stamp -= 10 * 10**9
    robot.q["left"][6] += 0.1
    robot.tell()
    assert robot.reading("left")[6] == robot.q["left"][6]
    robot.gate.joints("left", "velocity", np.zeros(7))


def test_a_second_publisher_is_refused() -> None:
    robot = FakeRobot()
    robot.tell("/mock")
    with pytest.raises(RefusedError, match="2 nodes publish /robot/state"):
        robot.gate.take_control()
    other = FakeRobot()
    other.gate.take_control()
    other.tell("/mock")
    refused(other, "publishers", "velocity", np.zeros(7))
    third = FakeRobot()
    third.node.state_publishers = ("/realtime_loop", "/stale_mock")
    with pytest.raises(RefusedError, match="forgotten mock"):
        third.gate.take_control()


def test_a_stop_waits_for_no_other_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    """A robot without grippers has no listener for their commands; a stop goes out all the same."""
    robot = FakeRobot()
    advertise = robot.node.advertise

    def lacking(topic: str, kind: object, **options: object) -> FakePublisher:
        publisher = advertise(topic, kind, **options)  # type: ignore[arg-type]
        publisher.subscribers = int("gripper" not in topic)
        return publisher

    monkeypatch.setattr(robot.node, "advertise", lacking)
    monkeypatch.setattr("baxterkit.ros.gate.CONNECT", 60.0)
    robot.gate.stop()
    assert [topic for topic, _ in robot.node.sent] == ["/robot/set_super_stop"]


def test_others_that_can_command_the_arms_are_named(caplog: pytest.LogCaptureFixture) -> None:
    robot = FakeRobot()
    with caplog.at_level("WARNING", "baxterkit.ros"):
        robot.gate.take_control()
    assert "['/realtime_loop'] can command the left arm too" in caplog.text


def test_disabled_stopped_and_without_control_are_said() -> None:
    robot = FakeRobot()
    assert "call enable()" in refused(robot, "closed", "velocity", np.zeros(7))
    robot.gate.take_control()
    robot.assembly.enabled = False
    robot.tell()
    assert "call enable()" in refused(robot, "disabled", "velocity", np.zeros(7))
    robot.assembly.press()
    robot.tell()
    assert "release its button" in refused(robot, "stopped", "velocity", np.zeros(7))
    with pytest.raises(RefusedError, match="stopped"):
        robot.gate.head(0.0, 0.5)
    with pytest.raises(RefusedError, match="stopped"):
        robot.gate.gripper("left", "go", 50.0)


def test_head_gripper_and_speed_have_limits(robot: FakeRobot) -> None:
    for act in (
        lambda: robot.gate.head(1.5, 0.5),
        lambda: robot.gate.head(float("nan"), 0.5),
        lambda: robot.gate.head(0.0, 1.5),
        lambda: robot.gate.gripper("left", "go", 101.0),
        lambda: robot.gate.speed_ratio("left", 0.0),
        lambda: robot.gate.speed_ratio("left", 1.1),
    ):
        before = len(robot.node.sent)
        with pytest.raises(RefusedError):
            act()
        assert len(robot.node.sent) == before


def test_gravity_stays_compensated_unless_torques_flow(robot: FakeRobot) -> None:
    topic = topics.limb("left", "suppress_gravity").name
    limb = LinkedLimb(robot.robot.left, robot.states, robot.gate, None)  # type: ignore[arg-type]
    with limb.suppress_gravity():
        robot.clock.sleep(0.05)
        assert not [t for t, _ in robot.node.sent if t == topic]  # no torques, no suppression
        limb.command_torque(robot.robot.left.gravity(robot.q["left"]))
        sent = [t for t, _ in robot.node.sent]
        assert sent.index(topic) < sent.index(topics.limb("left", "command").name)
        robot.tell()
        robot.clock.sleep(0.08)
        assert [t for t, _ in robot.node.sent].count(topic) > 1
    count = len(robot.node.sent)
    robot.clock.sleep(0.05)
    assert len(robot.node.sent) == count


def test_predicted_motions_end_at_rest() -> None:
    q, qd = np.zeros(7), np.full(7, 0.5)
    motion = after_velocity(q, qd, qd, 0.2)
    assert not motion[0].any()
    assert np.allclose(motion[TIMES.tolist().index(0.2)], 0.1)
    assert (np.diff(motion, axis=0) >= 0.0).all()
    assert not np.diff(motion, axis=0)[-1].any()
    robot = FakeRobot()
    arm = robot.robot.left
    g = arm.gravity(q)
    still, fast, last = after_torque(arm, q, np.zeros(7), g, g, np.zeros(7), 0.1)
    assert np.abs(still - q).max() < 1e-9
    assert max(np.abs(fast).max(), np.abs(last).max()) < 1e-9


def test_random_commands_never_leave_the_limits_or_touch() -> None:
    """Whatever passes is inside all limits, free, near, and finite, for all modes, anywhere."""
    rng = np.random.default_rng(5)
    passed = 0
    for _ in range(60):
        robot = FakeRobot(Rules(stale=10.0, jump=1.0))
        robot.gate.take_control()
        arm = robot.robot.left
        while True:
            for side in SIDES:
                limits = getattr(robot.robot, side).limits
                robot.q[side] = rng.uniform(limits.lower, limits.upper)
            if not robot.robot.scene(margin=0.01).in_collision(robot.q["left"], robot.q["right"]):
                break
        robot.tell()
        for mode, scale, centre in (
            ("position", 0.5, robot.q["left"]),
            ("velocity", 2.0, np.zeros(7)),
            ("torque", 20.0, np.zeros(7)),
        ):
            values = centre + scale * rng.standard_normal(7)
            if rng.random() < 0.1:
                values[rng.integers(7)] = np.nan
            try:
                robot.gate.joints("left", mode, values)
            except RefusedError:
                continue
            passed += 1
            assert np.isfinite(values).all()
            if mode == "position":
                arm.limits.check(values)
                assert not robot.robot.in_collision(values, robot.q["right"])
            elif mode == "velocity":
                assert (np.abs(values) <= arm.limits.velocity).all()
                after = robot.q["left"] + 0.2 * values
                assert not robot.robot.in_collision(after, robot.q["right"])
            else:
                assert (np.abs(values) <= arm.limits.effort).all()
    assert passed > 5


def test_only_the_gate_can_send() -> None:
    """Of all that a link consists of, `gate.py` alone advertises, and sends in one place."""
    for path in ROS.rglob("*.py"):
        inside = path.relative_to(ROS).as_posix()
        if inside.startswith(("graph/", "robot/")) or inside == "node.py":
            continue  # what carries messages, and the twin, which is no client
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in ("advertise", "publish", "_wire"):
                assert inside == "gate.py", f"{inside}:{node.lineno} reaches the wire"
    senders = [name for name, names in gate_methods().items() if "publish" in names]
    assert senders == ["_send"]


def test_every_way_through_the_gate_asks_first() -> None:
    """Each method that sends asks the judge; only a stop, and standing still, need no leave."""
    asks = {"_allow", "_judge"}
    for name, names in gate_methods().items():
        if "_send" in names and name not in ("stop", "rest", "_send", "_tell_timeout"):
            assert names & asks, f"Gate.{name} sends without asking"
    assert "_judge" in gate_methods()["_allow"]
    assert "joints" in gate_methods()["joints"]  # of the judge


def gate_methods() -> dict[str, set[str]]:
    """Methods of `Gate` -> names of the attributes that they use."""
    tree = ast.parse((ROS / "gate.py").read_text(encoding="utf-8"))
    return {
        function.name: {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute)}
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
    }


def test_the_objects_of_a_link_lead_to_no_publisher_but_through_the_gate() -> None:
    from baxterkit.ros.node import Listener

    robot = FakeRobot()
    listener = Listener(robot.node)  # type: ignore[arg-type]
    assert not hasattr(listener, "advertise")
    for value in vars(listener).values():
        assert value is not robot.node
    assert Path(ROS / "link.py").read_text(encoding="utf-8").count("open_node(") == 1
