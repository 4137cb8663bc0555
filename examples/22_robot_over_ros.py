"""A robot over ROS, or the twin in its place: read, move through the safety gate, record.

With the address of a robot's master as argument it moves that robot: read docs/ros-safety.md first.
"""

import sys
from contextlib import ExitStack

import numpy as np

from baxterkit import ros

rules = ros.Rules(stale=1.0, stall=1.0)  # patient, for a twin on a busy machine
with ExitStack() as stack:
    if len(sys.argv) > 1:
        address, rules = sys.argv[1], ros.Rules()
    else:  # no ROS needed: a master of our own, and the twin as a robot
        address = stack.enter_context(ros.OwnMaster(0)).uri
        stack.enter_context(ros.TwinRobot(master=address))
    link = stack.enter_context(ros.RobotLink(address, rules=rules, backend="tcp"))
    print("joints:", len(link.joints), "enabled:", link.enabled)

    # Nothing can be sent before this.
    link.arm()
    link.enable()

    # What is not safe is refused, and says why.
    try:
        link.left.command_position(link.left.q + 1.0)
    except ros.RefusedError as refusal:
        print(refusal.reason)

    # A small motion, recorded.
    goal = link.left.q + np.array([0.1, 0, 0, 0, 0, 0, 0])
    with link.record() as recorder:
        arrived = link.move_to(left=goal, speed=0.3, tolerance=0.05, on_the_way=1.0)
    print("arrived:", arrived, "rows:", len(recorder.recording("left")) > 10)
