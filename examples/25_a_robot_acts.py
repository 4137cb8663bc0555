"""What a robot does, each in five lines or less: the twin here, or your robot.

Usage: python 25_a_robot_acts.py [ADDRESS]     "twin": one behind ROS; "robot.local": that robot

Read docs/ros-safety.md before you give the address of a robot.
"""

import sys

import numpy as np

import baxterkit
from baxterkit import planning
from baxterkit.control import ComputedTorque
from baxterkit.robot import RefusedError, Robot
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import both_arms, min_jerk

TURN = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # of s0 [rad]


def nothing_moves_before_it_is_enabled(robot: Robot) -> object:
    try:
        return robot.move_to("neutral")
    except RefusedError as refusal:
        robot.enable()
        return "call enable()" in str(refusal)


def read_its_state(robot: Robot) -> object:
    return robot.enabled, robot.left.q.shape, robot.left.tau.shape, robot.left.tip.shape


def move_one_arm(robot: Robot) -> object:
    return robot.move_to(left=robot.left.q + TURN, speed=0.3).arrived


def move_both_arms(robot: Robot) -> object:
    return robot.move_to(robot.left.q - TURN, robot.right.q + TURN).raise_if_failed().arrived


def follow_a_motion(robot: Robot) -> object:
    motion = min_jerk(robot.left.arm, robot.left.q, robot.left.q + TURN, 1.0)
    return robot.follow(motion).largest < 0.02


def follow_one_of_both_arms(robot: Robot) -> object:
    left = min_jerk(robot.left.arm, robot.left.q, robot.left.q - TURN, 1.0)
    right = min_jerk(robot.right.arm, robot.right.q, robot.right.q - TURN, 1.0)
    return sorted(robot.follow(both_arms(left, right), speed=0.8))


def follow_a_plan(robot: Robot) -> object:
    here = np.concatenate([robot.left.q, robot.right.q])
    plan = planning.plan(robot.robot.scene(margin=0.01), here, here[:7] + TURN, group="left")
    return robot.follow(plan, speed=0.5).arrived


def follow_with_a_controller(robot: Robot) -> object:
    arm = with_known_effects(robot.left.arm)
    motion = min_jerk(arm, robot.left.q, robot.left.q - TURN, 1.0)
    return robot.follow(motion, ComputedTorque(arm, kp=8.0**2)).succeeded


def send_commands_of_your_own(robot: Robot) -> object:
    for _ in range(20):
        robot.left.command_velocity(TURN)
        robot.wait(0.01)
    return robot.left.hold()


def grip(robot: Robot) -> object:
    robot.left.calibrate_gripper()
    robot.left.move_gripper(0.5)
    return abs(robot.left.opening - 0.5) < 0.05


def record(robot: Robot) -> object:
    with robot.record("run.mcap") as session:
        robot.wait(0.2)
    return len(session.recording("left")) > 15


def stop_and_go_on(robot: Robot) -> object:
    robot.stop()
    stopped = robot.stopped
    return stopped, robot.enable().enabled


TASKS = (
    nothing_moves_before_it_is_enabled, read_its_state, move_one_arm, move_both_arms,
    follow_a_motion, follow_one_of_both_arms, follow_a_plan, follow_with_a_controller,
    send_commands_of_your_own, grip, record, stop_and_go_on,
)  # fmt: skip

where = sys.argv[1] if len(sys.argv) > 1 else Twin(tool="electric_standard")
with baxterkit.connect(where) as robot:
    for task in TASKS:
        print(f"{task.__name__.replace('_', ' ')}: {task(robot)}")
