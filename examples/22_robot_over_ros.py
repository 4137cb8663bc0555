"""A robot over ROS, or a twin in its place: read, move through the safety gate, record.

Usage: python 22_robot_over_ros.py [ADDRESS]     of a robot's master, as robot.local

With an address it moves that robot: read docs/ros-safety.md first. The same program runs on a twin
in this process with `connect()`.
"""

import sys

import numpy as np

import baxterkit
from baxterkit import ros

# Without an address: a twin in a process of its own, behind a master of its own. No ROS is needed.
here = len(sys.argv) < 2
rules = ros.Rules(stale=1.0, stall=1.0) if here else ros.Rules()  # patient on a busy machine
with baxterkit.connect("twin" if here else sys.argv[1], rules=rules) as robot:
    print("joints:", len(robot.joints), "enabled:", robot.enabled)

    # What keeps the robot from working, each with its fix; nothing is sent.
    for finding in ros.diagnose(robot, seconds=1.0).findings:
        print(finding)

    # Nothing can be sent before this.
    robot.enable()

    # What is not safe is refused, and says why.
    try:
        robot.left.command_position(robot.left.q + 1.0)
    except ros.RefusedError as refusal:
        print(refusal.reason)

    # A small motion, recorded.
    goal = robot.left.q + np.array([0.1, 0, 0, 0, 0, 0, 0])
    with robot.record() as session:
        done = robot.move_to(left=goal, speed=0.3, tolerance=0.05, path_tolerance=1.0)
    print("arrived:", done.arrived, "rows:", len(session.recording("left")) > 10)
