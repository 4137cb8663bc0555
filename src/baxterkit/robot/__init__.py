"""A robot that acts: one protocol, two bodies.

`Robot` has two `Limb`s and the verbs of a program: enable, move, follow, grip, record, stop.
`sim.Twin` is the body in MuJoCo, `ros.RobotLink` the one behind ROS. `baxterkit.connect` always
gives a `RobotLink`, to the twin of this process too: its motions go through ros/following.py;
sim/following.py is `Twin.follow` alone. A motion ends in a `MotionResult`, which has a `Followed`
for each arm; a command that is not sent raises `RefusedError`, one that is not
obeyed in time `OverdueError`.
"""

from __future__ import annotations

from baxterkit.robot.errors import OverdueError, RefusedError
from baxterkit.robot.followed import Followed, MotionResult
from baxterkit.robot.limb import Limb, PublishedState
from baxterkit.robot.motions import Controllers, Motion, PairController
from baxterkit.robot.protocol import RecordingSession, Robot
from baxterkit.robot.replaying import ReplayResult

__all__ = [
    "Controllers",
    "Followed",
    "Limb",
    "Motion",
    "MotionResult",
    "OverdueError",
    "PairController",
    "PublishedState",
    "RecordingSession",
    "RefusedError",
    "ReplayResult",
    "Robot",
]
