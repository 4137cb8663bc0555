"""How does the hand move? Jacobian, singularities, and joint velocities for a wanted motion."""

import numpy as np

from baxterkit import Arm

np.set_printoptions(precision=3, suppress=True)
arm = Arm("right")
q = arm.configuration("untuck")

J = arm.jacobian(q)  # 6 x 7: linear rows [m/rad], then angular rows [1], base axes, at the tip
print("Jacobian:\n", J)
print(f"manipulability {arm.manipulability(q):.4f}, condition {arm.condition_number(q):.2f}")

# Move the tip forward at 5 cm/s without turning it.
twist = np.array([0.05, 0.0, 0.0, 0.0, 0.0, 0.0])
qd = arm.joint_velocity(q, twist)  # the least joint velocity that does it
print("joint velocity [rad/s]:", qd)
print("and the twist it gives:", arm.twist(q, qd))

# Seven joints, six directions: one motion of the elbow leaves the hand where it is.
# Ask for a motion of e0 on the side; only the part that does not disturb the hand is added.
qd_null = np.array([0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0])
qd_elbow = arm.joint_velocity(q, twist, qd_null=qd_null)
print("elbow moves too:", qd_elbow)
print("same twist:", np.allclose(arm.twist(q, qd_elbow), twist, rtol=0, atol=1e-12))
