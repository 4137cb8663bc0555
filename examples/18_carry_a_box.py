"""Two hands carry a box: paths of both arms that keep the grasp, and a controller that holds it."""

import numpy as np

from baxterkit import Arm, Baxter, Payload, spatial
from baxterkit.control import CartesianImpedance, RelativeImpedance
from baxterkit.trajectory import Trajectory

robot = Baxter(Arm("left", "electric_standard"), Arm("right", "electric_standard"))

# The box is lifted and turned; the hands hold opposite faces, 30 cm apart, and point inward.
s = np.linspace(0.0, 1.0, 100)[:, None]
s = s**2 * (3.0 - 2.0 * s)
R = spatial.so3_exp(0.4 * s * [0.0, 0.0, 1.0])
Ts_base_box = spatial.transform(R, [0.45, 0.0, 0.05] + s * [0.05, 0.08, 0.25])
T_box_left = spatial.transform(spatial.rpy_to_matrix([np.pi / 2, 0.0, 0.0]), [0.0, 0.15, 0.0])
T_box_right = spatial.mirrored(T_box_left)

times = np.linspace(0.0, 4.0, len(s))
path = robot.hands.ik_path(Ts_base_box @ T_box_left, Ts_base_box @ T_box_right, times=times)
print(path)
grasp = spatial.inverse(T_box_left) @ T_box_right  # the right hand as the left one sees it
distance, angle = spatial.pose_error(robot.hands.relative_pose(path.q_left, path.q_right), grasp)
print("the grasp is kept within 1e-9:", bool(max(distance.max(), angle.max()) < 1e-9))
print("hands and arms stay clear:", not robot.in_collision(path.q_left, path.q_right).any())

# On the twin: the left hand carries half a kilogram that no controller knows of. A spring from hand
# to hand, stiffer than those that hold each hand, keeps the grip; the box sinks a little instead.
try:
    from baxterkit import sim

    known = Baxter(*(sim.with_known_effects(arm) for arm in (robot.left, robot.right)))
    twin = sim.Twin(Baxter(known.left.replace(payload=Payload(0.5)), known.right)).enable()
    motion = Trajectory.from_points(times, np.hstack([path.q_left, path.q_right]))
    hands = {"left": CartesianImpedance(known.left), "right": CartesianImpedance(known.right)}
    each = twin.place_at(motion).follow(motion, hands, path_tolerance=1.0)
    twin.reset()
    both = twin.place_at(motion).follow(motion, RelativeImpedance(known), path_tolerance=1.0)
    for name, run in (("each hand for itself", each), ("relative impedance", both)):
        q_left, q_right = (run[side].truth.q for side in ("left", "right"))
        distance, _ = spatial.pose_error(robot.hands.relative_pose(q_left, q_right), grasp)
        print(f"{name}: the grip changes by {1e3 * distance.max():.0f} mm at most")
except ImportError:
    print("no MuJoCo on this machine: pip install baxterkit[sim]")
