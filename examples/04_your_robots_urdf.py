"""Your own robot: read its URDF, and see how its measured mount moves the hand.

Only the mounts differ from one Baxter to the next: they are welded by hand and measured at the
factory, and the robot publishes them in its URDF. Save it once (on the robot's network):

    rosparam get -p /robot_description > my_baxter.urdf

and run `python 04_your_robots_urdf.py my_baxter.urdf`. Without a file, this example makes one
with a mount that is off by a centimetre and a degree.
"""

import sys
from pathlib import Path

import numpy as np

from baxterkit import Arm
from baxterkit.spatial import pose_error, se3_exp

nominal = Arm("left")
if len(sys.argv) > 1:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
else:
    off = se3_exp([0.0, 0.0, -0.01, 0.0, np.radians(1.0), 0.0])  # [m], [rad]
    text = Arm("left", mount=nominal.model.T_base_s0 @ off).to_urdf()

mine = Arm.from_urdf(text, "left")
print("angles snapped to multiples of pi/2:", len(mine.model.snaps))

q = nominal.configuration("neutral")
distance, angle = pose_error(nominal.fk(q), mine.fk(q))
print(f"hand is {1e3 * distance:.1f} mm and {np.degrees(angle):.2f} deg away from the nominal one")
