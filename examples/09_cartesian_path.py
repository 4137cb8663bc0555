"""Follow a circle with the hand: one continuous joint path, within limits and joint speeds."""

import numpy as np

from baxterkit import Arm

arm = Arm("right")
T = arm.fk(arm.configuration("neutral"))
angle = np.linspace(0.0, 2.0 * np.pi, 150)
poses = np.tile(T, (150, 1, 1))
poses[:, 0, 3] += 0.1 * np.cos(angle) - 0.25
poses[:, 1, 3] += 0.1 * np.sin(angle)

start = arm.ik(poses[0], seed=arm.configuration("neutral")).raise_if_failed().q
path = arm.ik_path(poses, seed=start, times=np.linspace(0.0, 5.0, 150))
print(path)
path.raise_if_failed()
speed = np.abs(np.diff(path.q, axis=0)).max(axis=0) / (5.0 / 149)
print("largest joint speeds [rad/s]:", speed.round(2), "limits:", arm.limits.velocity)
print(f"off the circle by at most {np.abs(arm.fk(path.q) - poses).max():.1e}")
