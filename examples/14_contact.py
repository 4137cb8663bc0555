"""Feel a push: external torques from motion and sensed torques, the tip force, and contacts."""

import numpy as np

from baxterkit import Arm, MomentumObserver, estimate_external_torque
from baxterkit.trajectory import circle

# What a robot would have sensed on a circle while someone pushes its hand down for a second.
arm = Arm("right").with_effects(coulomb=[0.8] * 4 + [0.2] * 3, viscous=[0.4] * 7)
t, q, qd, qdd = circle([0.6, -0.2, 0.1], turns=1.0).to_joints(arm).at_rate(100.0)
push = np.zeros((len(t), 6))
push[(t > 3.0) & (t < 4.0), 2] = -12.0  # N
tau = arm.inverse_dynamics(q, qd, qdd, wrench=push)
rng = np.random.default_rng(0)
qd = np.pi / 8000 * np.round(qd / (np.pi / 8000))  # the steps of the sensors
tau = 0.004 * np.round((tau + rng.normal(0.0, 0.02, tau.shape)) / 0.004)

# A whole recording at once ...
estimate = estimate_external_torque(arm, (t, q, qd, tau))
print(estimate)
for contact in estimate.contacts():
    print(contact)
wrench = estimate.tip_wrench()
middle = (t > 3.4) & (t < 3.9)
print("force [N]:", wrench.wrench[middle, :3].mean(axis=0).round(1) + 0.0)
print(f"condition of J: {wrench.condition[middle].max():.0f}")

# ... or live, in a control loop.
observer = MomentumObserver(arm)
for row in zip(q, qd, tau, strict=True):
    external = observer.update(*row, dt=0.01)
print("at the end [N m]:", external.round(2) + 0.0)
