"""One side of the tests on a real master, in a process of its own: reads, commands, follows."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from baxterkit.messages import message_class, service_type
from baxterkit.ros import RefusedError, RobotLink, RosError, Rules
from baxterkit.ros.poses import pose_message
from baxterkit.trajectory import Trajectory


def main(master: str, seconds: float) -> dict[str, object]:
    facts: dict[str, object] = {}
    rules = Rules(stale=30.0, stall=30.0, jump=1.0)
    with RobotLink(master, rules=rules, timeout=120.0) as link:
        link.enable(120.0)
        facts.update(states(link, seconds))
        facts["sent"] = commands(link)
        facts.update(motions(link, seconds))
        facts["gripper"], facts["head"] = hand_and_head(link)
        facts["ik"] = ik(link)
        facts["mount"] = link.mount("left", "tf").tolist()
        facts["closed"] = beside(link, master)
    return facts


def beside(link: RobotLink, master: str) -> str:
    """A second link comes and goes, and the first one goes on; what the closed one says."""
    with RobotLink(master, timeout=120.0) as second:
        second.mount("left")
    link.left.command_velocity(np.zeros(7))
    try:
        second.stop()
    except (RosError, RefusedError) as error:
        return str(error)
    return ""


def states(link: RobotLink, seconds: float) -> dict[str, object]:
    """How many states came, and the largest gap between their stamps."""
    with link.record() as recorder:
        time.sleep(seconds)
    stamps, _ = recorder.stamped("left")
    return {"states": len(stamps), "stamps": stamps.tolist()}


def commands(link: RobotLink) -> list[int]:
    """Times of sending [ns] of commands that the value of w2 numbers."""
    sent = []
    for i in range(100):
        sent.append(time.time_ns())
        link.left.command_velocity([0.0] * 6 + [1e-6 * (i + 1)])
        time.sleep(0.01)
    return sent


def motions(link: RobotLink, seconds: float) -> dict[str, object]:
    """Tracking errors of a circle in joint space at 0.5 rad/s, with and without feed-forward."""
    long = seconds > 5.0
    duration, radius = (14.0, 0.5) if long else (3.0, 0.1)
    t = np.linspace(0.0, duration, round(10 * duration) + 1)
    speed = np.minimum(1.0, np.minimum(t, duration - t) / (2.0 if long else 1.0))
    angle = np.concatenate([[0.0], np.cumsum(0.05 * (speed[1:] + speed[:-1]))]) * 0.5 / radius
    q = np.tile(link.left.q, (len(t), 1))
    q[:, 0] += radius * np.sin(angle)
    q[:, 5] += radius * (np.cos(angle) - 1.0)
    motion = Trajectory.from_points(t, q, limits=link.left.arm.limits)
    facts: dict[str, object] = {"fastest": float(np.abs(motion.at_rate(100.0)[2]).max())}
    home = link.left.q.copy()
    cases = [("velocity", True)]
    if long:
        cases += [("position", True), ("position", False), ("raw position", True)]
    for mode, forward in cases:
        link.move_to(left=home)
        done = link.follow({"left": motion}, mode=mode, feed_forward=forward, path_tolerance=1.0)[
            "left"
        ]
        moving = done.error[:, [0, 5]]
        facts[f"{mode}, {'fed forward' if forward else 'plain'}"] = float(
            np.sqrt(np.mean(moving**2))
        )
        facts[f"{mode}, {'fed forward' if forward else 'plain'}, largest"] = float(
            np.abs(moving).max()
        )
    return facts


def hand_and_head(link: RobotLink) -> tuple[float | None, float]:
    """Opening of a gripper that was told 20 %, and the pan of a head that was told 0.3 rad."""
    link.right.calibrate_gripper(20.0)
    link.right.move_gripper(0.2, timeout=120.0)
    link.pan_head(0.3, timeout=120.0)
    return link.right.opening, link.head_pan


def ik(link: RobotLink) -> list[bool]:
    """What the robot's IK service answers for the present pose."""
    kind = service_type("baxter_core_msgs/SolvePositionIK")
    Stamped = message_class("geometry_msgs/PoseStamped")
    pose = Stamped(pose=pose_message(link.left.arm.fk(link.left.q)))
    name = "/ExternalTools/left/PositionKinematicsNode/IKService"
    node = link._gate._node
    answer = node.call(name, kind, kind.Request(pose_stamp=[pose]), 20.0)
    return [bool(x) for x in answer.isValid]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], float(sys.argv[2]))))
