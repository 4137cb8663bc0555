"""Where can the left hand work? A map of its reach, and questions to it."""

import tempfile
from pathlib import Path

import numpy as np

from baxterkit import Baxter, spatial, workspace

robot = Baxter()

# A map that comes with the examples: cells of 10 cm, 48 orientations, nothing touched.
made = workspace.open_map(Path(__file__).with_name("left_arm.zarr"))
print(made)
print({name: count for name, count in made.reasons().items() if count})
print(
    f"{made.volume():.2f} m^3 with some orientation, {made.volume(0.5):.2f} m^3 with half of them"
)

# One pose: what the map guesses from its cell, and what inverse kinematics says.
T = spatial.transform(spatial.rpy_to_matrix([np.pi, 0.0, 0.0]), [0.7, 0.3, 0.0])
score = made.score(T)
print(f"downwards at 0.7 0.3 0.0: {bool(score.reached)}, cell {score.fraction:.2f}")

# The best orientations at a point, solved there.
grasps = made.best_grasps([0.7, 0.3, 0.1], count=3, by="clearance")
print(f"{grasps.reached} of {grasps.tried} orientations; clearance {grasps.clearance.round(3)} m")
assert np.allclose(robot.left.fk(grasps.q), grasps.T, atol=1e-9)

# Where should the robot stand, so that it reaches all of these?
around = np.linspace(0.0, np.pi, 8)
points = np.stack([2.0 + 0.3 * np.cos(around), 0.3 * np.sin(around), 0.0 * around], axis=-1)
tasks = spatial.transform(np.broadcast_to(T[:3, :3], (8, 3, 3)), points)
place = made.best_base(tasks)[0]
print(f"base at {place.T_room_base[:2, 3].round(2)}: {place.reached.sum()} of {len(tasks)} poses")

# A map of one's own: the same call on an unfinished folder goes on where it stopped.
with tempfile.TemporaryDirectory() as folder:
    coarse = workspace.make_map(
        Path(folder) / "right.zarr", workspace.Question("right", step=0.25, orientations=20)
    )
    print(coarse, f"{coarse.volume():.2f} m^3")
