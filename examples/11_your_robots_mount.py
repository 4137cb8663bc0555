"""The mount of your robot from a recording with tip poses, saved as robot.toml.

Usage: python 11_your_robots_mount.py [FILE SIDE]     FILE: a bag, or angles and poses as CSV
"""

import sys

import numpy as np

from baxterkit import Arm, identify, recording
from baxterkit.experiments import pose_recording

rec = recording.load(*sys.argv[1:3]) if len(sys.argv) > 2 else pose_recording("right")
fit = identify.mount(rec)
print(fit)

fit.save("robot.toml")
arm = Arm.from_file("robot.toml")
nominal = Arm(arm.side, arm.tool)
q = arm.configuration("neutral")
distance = np.linalg.norm(arm.fk(q)[:3, 3] - nominal.fk(q)[:3, 3])
print(f"the nominal model would miss by {1e3 * distance:.1f} mm at the neutral configuration")
