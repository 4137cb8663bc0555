"""Not the robot: the twin that plays one.

It publishes, obeys and refuses as a real one does, on the same topics.
"""

from __future__ import annotations

from baxterkit.ros.robot.behaviour import Behaviour
from baxterkit.ros.robot.twin_hardware import TwinHardware
from baxterkit.ros.robot.twin_robot import TwinRobot

__all__ = ["Behaviour", "TwinHardware", "TwinRobot"]
