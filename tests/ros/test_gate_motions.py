"""The gate checks the motion that the robot makes: each joint, and its grippers as they are."""

from __future__ import annotations

import numpy as np
import pytest
from fake_robot import FakeRobot, refused
from tolerances import assert_close

from baxterkit import Arm, Baxter, ros
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.messages import message_class
from baxterkit.ros import RefusedError, Rules
from baxterkit.ros.allowance import BURST, LONGEST, Allowance
from baxterkit.ros.prediction import after_position, after_raw_position, after_torque

GRIPPERS = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
START = np.array([-1.1285, -1.7037, 0.7969, 1.9383, 0.0505, 1.9354, 1.4567])
COMMAND = np.array([-1.1285, -1.8522, 0.9454, 1.7898, 0.3495, 2.094, 1.4567])
"""On the straight line between them the left arm keeps 5.9 mm; joint by joint it does not."""
GripperState = message_class("baxter_core_msgs/EndEffectorState")


def in_control(rules: Rules | None = None, configuration: str = "neutral") -> FakeRobot:
    robot = FakeRobot(rules, configuration)
    robot.gate.take_control()
    return robot


def hold(robot: FakeRobot, side: str, opening: float, **fields: object) -> None:
    """A gripper says how far it is open, 0 to 100."""
    state = GripperState(position=opening, calibrated=1, enabled=1, ready=1, **fields)
    robot.node.callbacks[f"/robot/end_effector/{side}_gripper/state"](state, "/end_effectors")


def test_a_position_command_is_checked_on_the_motion_of_each_joint() -> None:
    # A margin of 5 mm would be refused on the straight line too.
    robot = FakeRobot(configuration="untuck", model=GRIPPERS, margin=0.001)
    robot.q["left"] = START
    robot.tell()
    robot.gate.take_control()
    hold(robot, "left", 100.0)
    hold(robot, "right", 100.0)
    line = np.linspace(START, COMMAND, 100)
    assert robot.robot.clearance(line, robot.q["right"]).min() > 0.005
    limits = robot.robot.left.limits.velocity
    raw = after_raw_position(START, np.zeros(7), COMMAND, limits, START)
    assert robot.robot.clearance(raw, robot.q["right"]).min() < 0.0
    assert "left_fingers" in refused(robot, "collision", "position", COMMAND)
    robot.gate._judge._allowances["left"]._velocity = np.full(7, 1e3)  # of the geometry alone
    with pytest.raises(RefusedError) as caught:
        robot.gate.joints("left", "raw position", COMMAND)
    assert caught.value.reason in ("collision", "velocity")
    assert not robot.commands()


def test_joints_arrive_one_after_the_other_and_stay() -> None:
    q, command = np.zeros(7), np.array([0.3, -0.1, 0.05, 0.2, 0.3, -0.3, 0.1])
    top = np.array([[0.45] * 4 + [1.2] * 3])
    motion = after_position(q, np.zeros(7), command, top)
    assert_close(motion[-1], np.broadcast_to(command, motion[-1].shape), 1e-12)
    assert (np.abs(motion) <= np.abs(command) + 1e-9).all()  # none overshoots from rest
    share = motion[3, 1] / command
    assert np.ptp(share) > 0.05  # not on a straight line
    moving = after_position(q, np.full(7, 1.0), -np.abs(command), top)
    assert (moving.max(axis=(0, 1)) > 0.04).all()  # it has to brake first


@pytest.mark.parametrize(("opening", "passes"), [(100.0, True), (0.0, False), (None, False)])
def test_closed_fingers_do_not_pass_where_open_ones_do(opening: float, passes: bool) -> None:
    """A rod between the fingers: the opening is measured, and where it is not, it may be any."""
    robot = FakeRobot(model=GRIPPERS)
    hold(robot, "right", 100.0)
    if opening is not None:
        hold(robot, "left", opening)
    world = World()
    T = robot.robot.left.fk(robot.q["left"])
    T = T.copy()
    T[:3, 3] -= 0.015 * T[:3, 2]
    world.add_capsule("rod", 0.02, 0.005, T)
    robot.among(world, 0.001)
    robot.gate.take_control()
    scene = robot.robot.scene(world, opening=1.0 if opening is None else opening / 100.0)
    gap = scene.clearance(robot.q["left"], robot.q["right"])
    assert (gap > 0.001) == (opening != 0.0)
    down = np.array([0.0, 0.3, 0.0, 0.0, 0.0, 0.3, 0.0])
    moves = {}
    for sign in (1.0, -1.0):  # out of a contact it may move, but not both ways
        try:
            robot.gate.joints("left", "velocity", sign * down)
            moves[sign] = ""
        except RefusedError as error:
            moves[sign] = str(error)
    if passes:
        assert moves == {1.0: "", -1.0: ""}
    else:
        assert any("left_fingers and rod" in text for text in moves.values())


def beside_a_box(gap: float, graspable: tuple[str, ...] = (), between: bool = False) -> FakeRobot:
    """The left hand half open, a box beside a finger at a distance [m], or between the fingers."""
    robot = FakeRobot(model=GRIPPERS)
    for side in ("left", "right"):
        hold(robot, side, 50.0)
    T = robot.robot.left.fk(robot.q["left"]).copy()
    T[:3, 3] -= 0.015 * T[:3, 2]
    world = World()
    if between:
        world.add_box("box", (0.01, 0.02, 0.02), T)
    else:
        T[:3, 3] += (0.045 + gap) * T[:3, 1]
        world.add_box("box", (0.02, 0.02, 0.02), T)
    robot.gate.rules = Rules(graspable=graspable)
    robot.among(world, 0.002)
    robot.gate.take_control()
    return robot


def test_fingers_do_not_open_into_an_obstacle() -> None:
    near, far = beside_a_box(0.004), beside_a_box(0.05)
    with pytest.raises(RefusedError, match="left_fingers and box would come within") as caught:
        near.gate.gripper("left", "go", 100.0)
    assert caught.value.reason == "collision"
    with pytest.raises(RefusedError, match="box"):
        near.gate.gripper("left", "calibrate")
    near.gate.gripper("left", "go", 0.0)  # to close is away from it
    near.gate.gripper("left", "stop")
    far.gate.gripper("left", "go", 100.0)
    far.gate.gripper("left", "calibrate")


def test_fingers_close_on_what_is_named_graspable_alone() -> None:
    robot = beside_a_box(0.0, between=True)
    with pytest.raises(RefusedError, match=r"to grip it, set Rules\(graspable=\('box',\)\)"):
        robot.gate.gripper("left", "go", 0.0)
    robot.gate.gripper("left", "go", 100.0)  # to open is away from it
    meant = beside_a_box(0.0, ("box",), between=True)
    meant.gate.gripper("left", "go", 0.0)
    with pytest.raises(InputError, match="graspable must be a tuple of names of obstacles"):
        Rules(graspable="box")  # type: ignore[arg-type]


def test_a_gripper_that_moves_may_be_anywhere_on_its_way() -> None:
    robot = in_control()
    hold(robot, "left", 100.0)
    grippers, states, now = (
        robot.gate._judge.grippers,
        robot.states.grippers,
        robot.gate._judge._now,
    )
    assert grippers.span("left", states.get("left"), now()) == (1.0, 1.0)
    assert grippers.span("right", states.get("right"), now()) == (0.0, 1.0)
    robot.gate.gripper("left", "go", 25.0)
    assert grippers.span("left", states["left"], now()) == (0.25, 1.0)
    hold(robot, "left", 25.0)
    assert grippers.span("left", states["left"], now()) == (0.25, 0.25)
    assert grippers.span("left", states["left"], now() + 2.0) == (0.0, 1.0)  # not heard of since
    hold(robot, "left", float("nan"))
    assert grippers.span("left", states["left"], now()) == (0.0, 1.0)
    hold(robot, "left", 40.0, moving=1)
    assert grippers.span("left", states["left"], now() + 0.5)[0] <= 0.25
    robot.gate.gripper("left", "calibrate")
    assert grippers.span("left", states["left"], now()) == (0.0, 1.0)


def test_raw_commands_travel_no_farther_than_the_joints_can_over_every_window() -> None:
    rng = np.random.default_rng(0)
    velocity = np.array([1.5] * 4 + [4.0] * 3)
    allowance, now = Allowance(velocity), 100.0
    at, sent = np.zeros(7), []
    first = True
    for _ in range(600):
        now += float(rng.choice([0.001, 0.01, 0.01, 0.05]))
        low, high = allowance.between(at, now, first)
        step = np.clip(at + rng.uniform(-1, 1, 7), low, high)
        if (high >= low).all():
            allowance.take(at, step, now, first)
            sent.append((now, np.abs(step - at)))
            at, first = step, False
    assert len(sent) > 300
    t, travel = np.array([s[0] for s in sent]), np.array([s[1] for s in sent])
    total = np.vstack([np.zeros(7), np.cumsum(travel, axis=0)])
    for i in range(len(t)):
        window = t[i:] - t[i]
        assert (total[i + 1 :] - total[i] <= velocity * (window[:, None] + BURST) + 1e-9).all()
    # A long step after a gap threw e0 to 1.39 times its limit.
    assert (travel <= velocity * LONGEST + 1e-9).all()
    assert (travel > 0.99 * velocity * LONGEST).any()


def test_a_fast_stream_of_raw_commands_is_refused_soon() -> None:
    """12 rad/s at w2: the allowance is not granted anew with each command."""
    with ros.in_process(enabled=True, rules=Rules()) as both:
        link = both.link
        link.take_control()
        both.twin.place(*(limb.arm.configuration("neutral") for limb in both.twin.limbs))
        both.clock.sleep(0.3)
        q = link.left.q.copy()
        for k in (1, 2):
            with pytest.raises(RefusedError, match=r"raw step \[rad\]: left_w2"):
                link.left.command_position(q + 0.12 * k * np.eye(7)[6], raw=True)
            both.clock.sleep(0.01)
        for mode in (True, False, True):  # other commands in between grant nothing
            with pytest.raises(RefusedError):
                link.left.command_position(q + 0.12 * np.eye(7)[6], raw=True)
            if not mode:
                link.left.command_velocity(np.zeros(7))


def test_torques_are_predicted_with_the_elasticity_of_the_joints() -> None:
    """A torque on a light wrist: the twin's link is as fast as predicted, within the step."""
    robot = FakeRobot()
    arm = robot.robot.left
    q = arm.configuration("neutral")
    with ros.in_process(enabled=True) as both:
        twin = both.twin
        for j, push in ((6, 0.2), (5, 1.0), (4, 0.6)):
            twin.place(q, both.link.robot.right.configuration("neutral"))
            both.clock.sleep(0.3)
            limb = twin.left
            tau = np.zeros(7)
            tau[j] = push
            limb.command_torque(tau)
            fastest = 0.0
            for _ in range(50):
                twin.step(1)
                fastest = max(fastest, float(np.abs(limb.truth.qd[j])))
            g = limb.compensation
            rigid = both.link.robot.left.with_effects(None)
            _, fast, _ = after_torque(rigid, q, np.zeros(7), tau + g, g, g - rigid.gravity(q), 0.05)
            assert fastest < 1.05 * fast[j]
            assert fast[j] < 2.0 * fastest


def test_torques_end_before_the_robot_obeys_longer() -> None:
    """After the longer timeout was set back, the last torques would last as long."""
    robot = in_control()
    robot.gate.joints("left", "torque", np.zeros(7))
    before = len(robot.node.sent)
    robot.gate.rest("left")
    words = [topic.rsplit("/", 1)[-1] for topic, _ in robot.node.sent[before:]]
    assert words == ["joint_command", "joint_command_timeout"]
    assert robot.commands()[-1].mode == 2


@pytest.mark.parametrize("mode", ["velocity", "position", "torque"])
def test_rest_and_inward_motions_are_allowed_at_an_end_stop(mode: str) -> None:
    """In spite of the sensors' noise, which measures the stop beyond its limit."""
    rng = np.random.default_rng(4)
    robot = in_control()
    limits = robot.robot.left.limits
    for _ in range(60):
        robot.q["left"] = robot.robot.left.configuration("neutral") + 2e-4 * rng.standard_normal(7)
        robot.qd["left"] = 6e-3 * rng.standard_normal(7)
        robot.q["left"][5] = limits.upper[5] + 2e-4 * rng.standard_normal()
        robot.tell()
        rest = robot.q["left"] if mode == "position" else np.zeros(7)
        robot.gate.joints("left", mode, rest)
        robot.gate.joints("left", mode, rest - 0.01 * np.eye(7)[5])
    assert len(robot.commands()) == 120


def test_messages_have_digits_enough() -> None:
    robot = in_control()
    limits = robot.robot.left.limits
    q = robot.q["left"].copy()
    q[5] = limits.upper[5] + 1e-5
    assert "left_w1 = 2.094010 is outside -1.570796 to 2.094000" in refused(
        robot, "position", "position", q
    )


def test_a_small_step_stream_passes_in_the_twin() -> None:
    with ros.in_process(enabled=True) as both:
        link = both.link
        link.take_control()
        both.twin.place(*(limb.arm.configuration("untuck") for limb in both.twin.limbs))
        both.clock.sleep(0.3)
        q, start = link.left.q.copy(), both.clock.now()
        while (t := both.clock.now() - start) < 1.5:
            wave = 0.15 * np.sin(np.pi * t / 1.5) ** 2
            link.left.command_position(q + wave * np.array([1, 1, 1, -1, 1, 1, 1]), raw=True)
            both.clock.sleep(0.01)
        assert link._gate.refused == 0
        assert np.abs(link.left.q - q).max() < 0.02  # 0.0027 was seen


def test_a_raw_stream_does_not_begin_before_the_last_one_has_ended() -> None:
    """Published velocities are late: just after a stream was ended they show an arm at rest."""
    with ros.in_process(enabled=True) as both:
        link = both.link
        link.take_control()
        both.twin.place(*(limb.arm.configuration("untuck") for limb in both.twin.limbs))
        both.clock.sleep(0.3)
        q, step = link.left.q.copy(), np.eye(7)[2]
        link.left.command_position(q + 0.008 * step, raw=True)
        both.clock.sleep(0.012)
        with pytest.raises(RefusedError, match="raw step"):
            link.left.command_position(q + 0.2 * step, raw=True)
        link.left.command_velocity(np.zeros(7))
        with pytest.raises(RefusedError) as no:
            link.left.command_position(link.left.q, raw=True)
        assert no.value.reason == "not at rest"
        both.clock.sleep(0.15)
        link.left.command_position(link.left.q, raw=True)


def test_a_raw_stream_that_takes_a_motor_to_its_limit_is_refused() -> None:
    """Its torque would come late, and the joints next to it would be thrown."""
    robot = in_control()
    _, most = robot.gate.allowance("left")
    words = refused(robot, "effort", "raw position", most)
    assert "predicted torque beyond the load [N m]: left_s" in words


def test_an_arm_that_was_told_to_rest_is_not_told_again() -> None:
    robot = in_control()
    robot.gate.joints("left", "velocity", np.full(7, 0.01))
    robot.gate.rest("left")
    robot.gate.rest("left")
    assert len(robot.commands()) == 2
    assert not robot.commands()[-1].command.any()
