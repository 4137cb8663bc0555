"""What else moves: the other arm, the head, the arm itself since it was measured."""

from __future__ import annotations

import numpy as np
import pytest
from fake_robot import FakeRobot, refused
from tolerances import assert_close

from baxterkit.collision import World
from baxterkit.messages import message_class
from baxterkit.ros import RefusedError, Rules, topics
from baxterkit.ros.prediction import BRAKING, after_velocity, sag
from baxterkit.ros.rules import MARGIN

SIDES = ("left", "right")
INWARDS = {"left": -np.eye(7)[0], "right": np.eye(7)[0]}
BESIDE_THE_HEAD = np.array([0.14, -1.79, -0.57, -0.05, 1.5, 1.55, -2.21])
"""The left elbow is 50 mm from a head that looks to the front, and inside one at 1 rad."""


def in_control(rules: Rules | None = None) -> FakeRobot:
    robot = FakeRobot(rules)
    robot.gate.take_control()
    return robot


def test_arms_that_move_towards_each_other_come_to_rest_apart() -> None:
    """Each alone would stop before where the other one is; but that comes nearer meanwhile."""
    robot = in_control()
    stopping: dict[str, str] = {}
    for _ in range(200):
        for side in SIDES:
            if side in stopping:
                robot.qd[side] = np.sign(robot.qd[side]) * np.maximum(
                    np.abs(robot.qd[side]) - 0.01 * BRAKING, 0.0
                )
                continue
            try:
                robot.gate.joints(side, "velocity", 1.4 * INWARDS[side])
                robot.qd[side] = 1.4 * INWARDS[side]
            except RefusedError as error:
                stopping[side] = error.reason
        for side in SIDES:
            robot.q[side] = robot.q[side] + 0.01 * robot.qd[side]
        robot.tell()
        assert robot.robot.clearance(robot.q["left"], robot.q["right"]) > 0.0
        if len(stopping) == 2 and not any(robot.qd[side].any() for side in SIDES):
            break
    assert stopping == {"left": "collision", "right": "collision"}
    assert robot.q["left"][0] < -0.2  # they did move


def test_an_arm_that_streams_may_be_braked_while_the_other_is_moved() -> None:
    """Of the right arm nine motions more are predicted than of the left: how it would brake."""
    robot = in_control()
    for side in SIDES:
        robot.q[side] = robot.q[side] + 0.8 * INWARDS[side]
    robot.tell()
    right, speed = robot.q["right"].copy(), 0.0
    for _ in range(55):
        speed = min(speed + 0.015, 0.7)
        right = right + 0.01 * speed * INWARDS["right"]
        robot.gate.joints("right", "raw position", right)
        robot.clock.sleep(0.01)
        robot.q["right"], robot.qd["right"] = right, speed * INWARDS["right"]
        robot.tell()
    inwards = 0.6 * INWARDS["left"]
    ends = after_velocity(robot.q["left"], robot.qd["left"], inwards, robot.gate.rules.timeout)[-1]
    going = np.linspace(robot.q["right"], right + 0.005 * INWARDS["right"], 9)
    assert robot.robot.clearance(ends[:, None], going).min() > MARGIN  # had it not to brake
    refused(robot, "collision", "velocity", inwards)
    robot.gate.joints("left", "velocity", -inwards)


def test_an_arm_that_leaves_is_still_where_it_is() -> None:
    """The right arm was told to move away, and has not yet: the left one may not go there."""
    robot = in_control()
    for side in SIDES:
        robot.q[side] = robot.q[side] + 0.95 * INWARDS[side]
    robot.tell()
    near = robot.q["left"] + 0.14 * INWARDS["left"]
    assert robot.robot.in_collision(near, robot.q["right"])
    away = robot.q["right"] - 0.29 * INWARDS["right"]
    assert robot.robot.clearance(near, away) > 0.01
    robot.gate.joints("right", "position", away)
    refused(robot, "collision", "position", near)


def test_an_arm_has_moved_on_since_it_was_measured() -> None:
    robot = in_control(Rules(stale=0.5))
    upper = robot.robot.left.limits.upper[0]
    robot.q["left"][0] = upper - 0.45
    robot.qd["left"][0] = 1.0
    command = 1.0 * np.eye(7)[0]
    rest = after_velocity(robot.q["left"], robot.qd["left"], command, 0.2)[-1]
    assert (rest[:, 0] < upper).all()  # from where it was measured there is room
    robot.tell()
    robot.clock.sleep(0.15)
    assert "position at rest" in refused(robot, "position", "velocity", command)


def test_joints_that_change_their_speed_at_once_go_farthest() -> None:
    q, still, fast = np.zeros(7), np.zeros(7), np.full(7, 1.5)
    motion = after_velocity(q, still, fast, 0.2)
    assert (np.diff(motion, axis=0) >= 0.0).all()
    slow, usual, instant = motion[-1]
    assert_close(instant, np.full(7, 0.3), 1e-2)
    assert (usual > slow - 1e-12)[4:].all()  # wrists reach that speed
    steady = after_velocity(q, fast, fast, 0.2)[-1]
    assert_close(steady[0], 0.3 + 1.5**2 / (2.0 * BRAKING), 1e-12)
    back = after_velocity(q, fast, -fast, 0.6)
    exact = 1.5**2 / (2.0 * BRAKING)  # where the slowest turns
    assert ((back[:, 0].max(axis=0) <= exact) & (back[:, 0].max(axis=0) > 0.8 * exact)).all()
    assert_close(sag(np.zeros((13, 2, 7))), np.zeros((12, 2, 7)), 1e-12)


def test_torques_may_not_be_too_fast_before_they_time_out() -> None:
    robot = in_control()
    tau = np.zeros(7)
    tau[6] = 0.3
    assert "left_w2" in refused(robot, "velocity", "torque", tau)
    brief = in_control(Rules(torque_timeout=0.01))
    brief.gate.joints("left", "torque", tau)  # for 10 ms it is not


def test_the_head_may_not_turn_into_an_arm() -> None:
    robot = in_control()
    robot.q["left"] = BESIDE_THE_HEAD
    robot.tell()
    before = len(robot.node.sent)
    with pytest.raises(RefusedError, match="left_e0 and head would come within") as caught:
        robot.gate.head(1.2, 0.5)
    assert caught.value.reason == "collision"
    assert len(robot.node.sent) == before
    robot.gate.head(-0.5, 0.5)
    robot.gate.head(0.1, 0.5)


def test_an_arm_may_not_move_where_the_head_turns() -> None:
    robot = in_control()
    start = BESIDE_THE_HEAD.copy()
    start[1] += 0.2
    robot.q["left"] = start
    robot.tell()
    robot.gate.joints("left", "position", BESIDE_THE_HEAD)
    robot.gate.rest("left", arrives=True)
    with pytest.raises(RefusedError, match="head"):  # the arm goes on until its timeout
        robot.gate.head(0.9, 0.5)
    robot.gate._judge.sent.clear()  # which is over
    robot.gate.head(0.9, 0.5)
    assert "head" in refused(robot, "collision", "position", BESIDE_THE_HEAD)


def test_a_head_that_turns_slowly_counts_until_it_is_there() -> None:
    """At 0.04 rad/s it takes 30 s for 1.2 rad; it counted as standing after 5 s."""
    robot = in_control()
    HeadState = message_class("baxter_core_msgs/HeadState")
    heard = robot.node.callbacks["/robot/head/head_state"]
    robot.tell()
    robot.gate.head(1.2, 0.02)
    for i in range(310):
        pan = min(0.004 * i, 1.2)
        robot.clock.sleep(0.1)
        robot.tell(later=0.1)
        heard(HeadState(pan=pan, isTurning=i % 7 > 0 and pan < 1.2), "/realtime_loop")
        heads = robot.gate._judge._heads()
        assert heads[0] == pytest.approx(pan)
        assert heads[-1] == pytest.approx(1.2, abs=0.02)
    assert len(heads) == 1
    robot.gate.head(0.6, 0.02)
    for turning, count in ((True, 7), (False, 1)):  # something holds it, then it gives up
        for _ in range(15):
            robot.clock.sleep(0.1)
            robot.tell(later=0.1)
            heard(HeadState(pan=1.2, isTurning=turning), "/realtime_loop")
        assert len(robot.gate._judge._heads()) == count


def test_a_head_without_a_number_is_not_believed() -> None:
    robot = in_control()
    HeadState = message_class("baxter_core_msgs/HeadState")
    heard = robot.node.callbacks["/robot/head/head_state"]
    heard(HeadState(pan=0.3), "/realtime_loop")
    heard(HeadState(pan=float("nan")), "/realtime_loop")
    assert robot.states.head == pytest.approx(0.3)
    robot.gate.joints("left", "velocity", np.zeros(7))


def test_the_robot_is_told_how_long_it_obeys() -> None:
    """What is predicted holds for that time only, and another program may have set another."""
    robot = in_control()

    def told() -> list[float]:
        name = topics.limb("left", "timeout").name
        return [message.data for topic, message in robot.node.sent if topic == name]

    robot.gate.joints("left", "velocity", np.zeros(7))
    robot.gate.joints("left", "velocity", np.zeros(7))
    assert told() == [0.2]
    robot.gate.rules = Rules(timeout=0.1)
    robot.gate.joints("left", "velocity", np.zeros(7))
    robot.gate.joints("left", "torque", np.zeros(7))
    robot.gate.rules = Rules(torque_timeout=0.02)
    robot.gate.joints("left", "torque", np.zeros(7))
    assert told() == [0.2, 0.1, 0.05, 0.02]
    robot.gate.rest("left")
    assert told()[-1] == 0.2
    robot.gate.joints("left", "velocity", np.zeros(7))  # a new motion tells it anew
    assert told()[-2:] == [0.2, 0.2]


def test_a_first_raw_step_is_no_jump() -> None:
    robot = in_control()
    far = robot.q["left"] + 0.02 * np.eye(7)[0]
    assert "raw step" in refused(robot, "velocity", "raw position", far)
    robot.gate.joints("left", "position", far)  # the robot smooths that one
    assert "raw step" in refused(robot, "velocity", "raw position", far)
    robot.gate.joints("left", "raw position", robot.q["left"] + 0.005 * np.eye(7)[0])


def test_a_thing_that_another_thread_adds_is_seen() -> None:
    """It comes while the world is being read."""
    world = World()
    world.add_sphere("first", 0.1, [2.0, 0.0, 0.0])

    class Interrupted(dict):  # type: ignore[type-arg]
        def values(self) -> object:  # type: ignore[override]
            obstacles = list(super().values())
            if len(obstacles) == 1:
                world.add_sphere("second", 0.1, [3.0, 0.0, 0.0])
            return obstacles

    world._obstacles = Interrupted(world._obstacles)
    assert world.snapshot().names == ("first",)
    assert world.snapshot().names == ("first", "second")


@pytest.mark.parametrize("mode", ["velocity", "position", "raw position", "torque"])
def test_other_rules_do_not_change_what_was_sent(mode: str) -> None:
    """The robot goes on by the timeouts that it was told, until it is told others."""
    robot = in_control(Rules(timeout=1.0, torque_timeout=0.3, collisions=False))
    values = {
        "velocity": 0.3 * np.eye(7)[0],
        "position": robot.q["left"] + 0.2 * np.eye(7)[0],
        "raw position": robot.q["left"] + 0.002 * np.eye(7)[0],
        "torque": 0.02 * np.eye(7)[6],
    }[mode]
    robot.gate.joints("left", mode, values)
    robot.clock.sleep(0.02)
    robot.tell()
    judge = robot.gate._judge
    reading = robot.states.arm("left")
    before = judge._motion_of("left", reading)
    robot.gate.rules = Rules(timeout=0.02, torque_timeout=0.01)
    assert_close(judge._motion_of("left", reading), before, 1e-12)
    if mode in ("velocity", "position"):
        robot.clock.sleep(0.8)
        robot.tell()
        assert np.ptp(judge._motion_of("left", robot.states.arm("left")), axis=0).max() > 0.1
