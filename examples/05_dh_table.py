"""From URDF to Denavit-Hartenberg: the table, the transforms around it, and how exact it is."""

import numpy as np

from baxterkit import Arm
from baxterkit.model.dh import dh_from_urdf

np.set_printoptions(precision=5, suppress=True)
urdf = Arm("left").to_urdf()

# Any serial chain of revolute and prismatic joints will do, named by its first and last link.
table = dh_from_urdf(urdf, "base", "left_tip")
print("joint   theta offset          d          a      alpha")
for i, row in enumerate(table.rows, start=1):
    print(f"{i:5d} {row.theta_offset:14.5f} {row.d:10.5f} {row.a:10.5f} {row.alpha:10.5f}")
print("base -> frame 0:\n", table.T_base_0)
print(f"residual against the URDF chain: {table.residual:.1e} m or rad")
