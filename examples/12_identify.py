"""The model of your robot: from recorded motions and torques to robot.toml to better torques."""

import tempfile
from pathlib import Path

import numpy as np

from baxterkit import Arm, Payload, identify

np.set_printoptions(precision=3, suppress=True, linewidth=100)

# A simulated robot takes the place of yours: a mount tilted by a degree, a gripper of half a
# kilogram that the model does not know, springs at s1, friction, a cable at w2.
robot = Arm("left", payload=Payload(0.5), gravity_vector=[0.17, 0.0, -9.81]).with_effects(
    bias=[0.2, 18.0, 0.1, 0.0, 0.05, 0.1, 0.0],
    coulomb=[0.3, 0.7, 0.4, 0.1, 0.1, 0.05, 0.1],
    viscous=[0.2, 0.3, 0.1, 0.1, 0.02, 0.02, 0.02],
    spring_sin=[[0.0], [18.0], [0.0], [0.0], [0.0], [0.0], [-0.2]],
    spring_cos=[[0.0], [12.0], [0.0], [0.0], [0.0], [0.0], [0.0]],
)

# Yours: recordings = [recording.load(path, side="left") for path in sorted(Path("bags").iterdir())]
recordings = [
    identify.simulated_recording(robot, identify.exciting_motion(robot, 30.0, seed=seed), seed=seed)
    for seed in (1, 2, 3)
]
*to_fit, to_test = recordings

fit = identify.dynamics(to_fit)
print(fit)

print("\nOn a motion that was not fitted, mean absolute error [N m]:")
print("  nominal:   ", identify.score(Arm("left"), to_test).mae)
print("  identified:", fit.score(to_test).mae)
print("  the truth: ", identify.score(robot, to_test).mae, "(noise)")

# Kept in a file, and read again: the same torques to the last digit.
path = Path(tempfile.mkdtemp()) / "robot.toml"
fit.save(path)
arm = Arm.from_file(path)
q, still = arm.configuration("neutral"), np.zeros(7)
print("\ntorques that hold the neutral configuration [N m]:")
print("  nominal:   ", Arm("left").inverse_dynamics(q, still, still))
print("  identified:", arm.inverse_dynamics(q, still, still))
print("  the truth: ", robot.inverse_dynamics(q, still, still))
