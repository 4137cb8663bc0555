"""Predictive control: a quick motion with weak motors, beside clipped computed torque."""

import numpy as np

from baxterkit import Arm, control
from baxterkit.trajectory import smith_set

# Smith's second set, quick switches from side to side, 1.4 times as fast.
arm = Arm("right")
motion = smith_set(2, arm).stretched(1 / 1.4)

# Limits that hold the arm anywhere on the path, and leave half of the torque that the motion needs.
t, q, qd, qdd = motion.at_rate(200.0)
hold = arm.gravity(q)
moving = np.abs(arm.inverse_dynamics(q, qd, qdd) - hold).max(axis=0)
effort = np.abs(hold).max(axis=0) + 0.5 * moving
print("limits [N m]:", np.round(effort, 1))

for controller in (
    control.DoubleLoopPid(arm, effort=effort),
    control.ComputedTorque(arm, effort=effort),
    control.Predictive(arm, effort=effort),
):
    run = control.simulate(arm, controller, motion, 1.5, dt=2e-3)
    limited = (np.abs(run.tau) > 0.999 * effort).any(axis=1).mean()
    name = type(controller).__name__
    print(
        f"{name:15} {1e3 * run.rms():6.1f} mrad RMS, at a limit {100 * limited:3.0f} % of the time"
    )
