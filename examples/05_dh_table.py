"""From URDF to Denavit-Hartenberg: the table, the transforms around it, and how exact it is."""

import numpy as np

from baxterkit import Arm
from baxterkit.model import dh_from_urdf

np.set_printoptions(precision=5, suppress=True)
urdf = Arm("left").to_urdf()

# Any serial chain of revolute and prismatic joints will do, named by its first and last link.
table = dh_from_urdf(urdf, "base", "left_tip")
print("joint     theta - q         d         a     alpha")
for row in table.rows:
    print(f"{row.joint} {row.theta_offset:10.5f} {row.d:10.5f} {row.a:9.5f} {row.alpha:9.5f}")
print("base -> frame 0:\n", table.T_base_0)
print(f"largest difference to the URDF chain: {table.position_residual:.0e} m")
