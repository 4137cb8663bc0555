"""Whether an arm rests, by how far it gets: one sensed velocity has 10 to 20 mrad/s of noise."""

from __future__ import annotations

import numpy as np

from baxterkit.robot import Limb, Robot

CREEP = 0.02
"""An arm at rest gets on by less than this [rad/s]."""


def creep(robot: Robot, limb: Limb, seconds: float = 0.3) -> float:
    """Greatest mean velocity of a joint over some time [rad/s]."""
    before = np.array(limb.q)
    robot.wait(seconds)
    return float(np.abs(np.array(limb.q) - before).max()) / seconds
