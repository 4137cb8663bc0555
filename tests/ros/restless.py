"""A program that moves both arms over and over, until something ends it."""

from __future__ import annotations

import sys

import numpy as np

from baxterkit.ros import RefusedError, RobotLink, RosError
from baxterkit.trajectory import Trajectory

with RobotLink(sys.argv[1], timeout=30.0) as link:
    link.take_control()
    while True:
        t = np.linspace(0.0, 1.6, 9)
        bump = 0.15 * (np.sin(np.pi * t / 1.6) ** 2)[:, None] * [1, 1, 1, -1, 1, 1, 1]
        motions = {
            limb.side: Trajectory.from_points(t, limb.q + bump, limits=limb.arm.limits)
            for limb in (link.left, link.right)
        }
        try:
            link.enable()
            link.follow(motions)
        except (RosError, RefusedError) as error:
            print(error, flush=True)
            link.clock.sleep(0.5)
