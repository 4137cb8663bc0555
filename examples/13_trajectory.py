"""Draw an eight with the hand: from a shape to joint motion, as quick as the torques allow."""

import numpy as np

from baxterkit import Arm, Payload
from baxterkit.trajectory import Trajectory, TrajectoryError, figure_eight, time_optimal

arm = Arm("right")
path = figure_eight([0.6, -0.2, 0.1], width=0.2, height=0.1, period=8.0)
motion = path.to_joints(arm)  # checked against positions, velocities and torques
print(motion)

# Any time, any rate; velocities and accelerations are exact derivatives.
t, q, qd, qdd = motion.at_rate(1000.0)
error = np.linalg.norm(arm.fk(q)[:, :3, 3] - path.sample(t).T[:, :3, 3], axis=-1)
print(f"{len(t)} samples, tip off the path by at most {1e9 * error.max():.2f} nm")

# Too quick is refused: when, which joint, how much, which limit.
try:
    motion.stretched(0.1).check()
except TrajectoryError as refusal:
    print(refusal)

# The same path as quickly as velocities, accelerations and torques allow.
for payload in (None, Payload(1.5)):
    loaded = arm.replace(payload=payload)
    quick = time_optimal(loaded, motion, acceleration=None)
    sample = quick.sample(np.linspace(0.0, quick.duration, 5000))
    used = np.abs(loaded.inverse_dynamics(*sample)) / arm.limits.effort
    mass = 0.0 if payload is None else payload.mass
    print(f"{mass:.1f} kg: {quick.duration:.2f} s, largest torque ratio {used.max():.4f}")

motion.save("eight.json")
print(Trajectory.load("eight.json"))
