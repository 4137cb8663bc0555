"""The robot itself, over ROS 1, and the twin that speaks as it does.

For example::

    import baxterkit
    with baxterkit.connect("http://robot.local:11311") as robot:
        print(robot.left.q)
        robot.enable()
        robot.move_to("neutral", "neutral")

ROS need not be installed: `graph` is a node of our own. `robot` is the twin on the robot's topics;
`in_process` puts both into one process on a simulated clock.

From `robot.move_to(goal)` to the wire:

1. `robot.protocol.Robot.move_to` makes a straight motion and calls `follow`, which
   `link.RobotLink` hands to `following.follow`.
2. `before_motion.check_motions` looks at the motion once, before anything moves: its limits, and
   its path, which `trajectory.swept` sweeps in the scene as it is measured.
3. 100 times a second `following` computes a command from the motion and the arm's state,
   `before_limits` slows it down next to limits, and `limb.LinkedLimb` hands it to the gate.
4. `gate.Gate.joints` asks `safety.Judge.joints`, which predicts where the command leads the arm
   (`underway`, `prediction`) and sweeps that (`sweeps`, `scene.clear_motions`). What it refuses is
   not sent; `Gate` alone publishes, through `node` and `graph`.
"""

from __future__ import annotations

from baxterkit.robot.errors import RefusedError
from baxterkit.ros.connecting import connect
from baxterkit.ros.doctor import ADVICE, Diagnosis, Finding, diagnose
from baxterkit.ros.errors import ConnectionLost, MasterError, MessageError, NoReplyError, RosError
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.ros.learning import learn
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.link import RobotLink
from baxterkit.ros.one_process import InProcess, in_process
from baxterkit.ros.recorder import Recorder
from baxterkit.ros.robot import Behaviour, TwinHardware, TwinRobot
from baxterkit.ros.rules import Rules

__all__ = [
    "ADVICE",
    "Behaviour",
    "ConnectionLost",
    "Diagnosis",
    "Finding",
    "InProcess",
    "LinkedLimb",
    "LocalGraph",
    "MasterError",
    "MessageError",
    "NoReplyError",
    "OwnMaster",
    "Recorder",
    "RefusedError",
    "RobotLink",
    "RosError",
    "Rules",
    "TwinHardware",
    "TwinRobot",
    "connect",
    "diagnose",
    "in_process",
    "learn",
]
