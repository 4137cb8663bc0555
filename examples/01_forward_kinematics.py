"""Where is the hand? Forward kinematics for one configuration, for every link, and for a batch."""

import numpy as np

from baxterkit import Arm

arm = Arm(
    "left"
)  # the bare hand; Arm("left", tool="electric_standard") puts the tip on the gripper
q = arm.configuration(
    "neutral"
)  # named configurations: neutral, tuck, untuck; order s0 s1 e0 e1 w0 w1 w2 [rad]

T_base_tip = arm.fk(q)  # 4 x 4, maps tip coordinates to base
print("tip in base [m]:", T_base_tip[:3, 3].round(4))

# The frames of all links, from the shoulder to the wrist, and the tip.
for name, T_base_link in zip((*arm.joint_names, "tip"), arm.link_poses(q), strict=True):
    print(f"{name:8s} at", T_base_link[:3, 3].round(3))

# Any number of leading axes is a batch: no loop, all cores.
rng = np.random.default_rng(0)
qs = rng.uniform(arm.limits.lower, arm.limits.upper, (100_000, 7))
reach = np.linalg.norm(arm.fk(qs)[:, :3, 3] - arm.link_poses(q)[0, :3, 3], axis=1)
print(f"farthest of {len(qs)} random tips from the shoulder: {reach.max():.2f} m")
