"""The robot itself, over ROS 1: `RobotLink`, and the twin that speaks as the robot does."""

from __future__ import annotations
