"""Both arms and the head: poses in one frame, and one hand as seen from the other."""

import numpy as np

from baxterkit import Baxter

np.set_printoptions(precision=4, suppress=True)
robot = Baxter()
q_left, q_right = robot.left.configuration("untuck"), robot.right.configuration("untuck")

print("left tip in base:  ", robot.left.fk(q_left)[:3, 3])
print("right tip in base: ", robot.right.fk(q_right)[:3, 3])
print("camera, head turned by 0.5 rad:", robot.head.fk(0.5, frame="camera")[:3, 3])

T_left_right = robot.hands.relative_pose(q_left, q_right)  # right tip in the left tip's frame
print("right tip seen from the left one:\n", T_left_right)

# The relative Jacobian takes all 14 joint velocities to the relative twist.
J_relative = robot.hands.relative_jacobian(q_left, q_right)
print(
    "relative Jacobian has shape", J_relative.shape, "and rank", np.linalg.matrix_rank(J_relative)
)
