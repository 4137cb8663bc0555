"""Motions that touch nothing: around obstacles, of one arm and of both, and why there is none."""

import numpy as np

from baxterkit import Baxter
from baxterkit.collision import World
from baxterkit.planning import SearchSettings, plan, plan_around, untuck

robot = Baxter()
world = World()
world.add_box("post", size=(0.08, 0.08, 1.2), T=[0.8, 0.15, 0.3])
left, right = robot.left.configuration("untuck"), robot.right.configuration("untuck")
AWAY = np.array([-0.5, -0.2, 0.0, 0.0, 0.0, 0.0, 0.0])

# To a pose of the tip: every free solution of inverse kinematics is a goal.
T = robot.left.fk([-1.1, 0.1, 0.0, 0.9, 0.0, 0.6, 0.0])
result = plan(robot.scene(world), left, T, group="left")
print("solved:", result.solved)

# A motion with 10 mm to spare, under the limits of velocity, acceleration and torque.
motion = result.trajectory(margin=0.01)
t, q, qd, qdd = motion.at_rate(1000.0)
print("clear by 10 mm:", robot.scene(world).clearance(q, right).min() >= 0.01)
print("fast:", motion.duration < 3.0)

# The right arm on the same clock, clear of the left one while that moves.
beside = plan_around(robot.scene(world), right, right + AWAY, motion, side="right")
print("beside the left arm:", beside.duration <= motion.duration + 2.0)

# Both arms from the tucked configuration to the working configuration.
folded = np.concatenate([robot.left.configuration("tuck"), robot.right.configuration("tuck")])
print("untucked:", untuck(robot, folded, search=SearchSettings(timeout=10.0)).solved)

# Where there is no motion, the result gives the reason.
world.add_sphere("ball", radius=0.05, T=T[:3, 3])
refused = plan(robot.scene(world), left, T, group="left")
print(refused.status.name, "ball" in refused.reason)
