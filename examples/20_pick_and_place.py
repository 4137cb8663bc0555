"""Pick and place: a carton goes from the table into a shelf, planned, in the twin.

`pick_and_place` plans the far motions; near the carton the hand moves on straight lines. The stages
can be looked at before they run. The name of a folder as argument (`python 20_pick_and_place.py
pictures`) gets pictures of them.
"""

import sys
from pathlib import Path

import numpy as np

from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.planning import pick_and_place

FORWARD = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # fingers close along y
CARTON, PLACE = np.array([0.80, 0.20, -0.09]), np.array([0.80, 0.70, 0.12])  # middles [m]
GRASP = np.eye(4)  # the tip as the carton sees it: pointing forward, 2 cm above its middle
GRASP[:3, :3], GRASP[2, 3] = FORWARD, 0.02
WEIGHT = Payload(0.2)

robot = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))


def surroundings() -> World:
    """A table with the carton, and a shelf on the robot's left."""
    world = World()
    world.add_table("table", height=-0.15)
    carton, green = (0.04, 0.04, 0.12), (0.0, 0.62, 0.45)
    world.add_box("carton", carton, CARTON, mass=WEIGHT.mass, color=green)
    boards = {
        "bottom": ([0.30, 0.40, 0.02], [0.80, 0.70, 0.050]),
        "top": ([0.30, 0.40, 0.02], [0.80, 0.70, 0.400]),
        "inner post": ([0.02, 0.02, 0.33], [0.94, 0.51, 0.225]),
        "outer post": ([0.02, 0.02, 0.33], [0.94, 0.89, 0.225]),
    }
    for name, (size, at) in boards.items():
        world.add_box(name, size, at, color=(0.55, 0.45, 0.36))
    return world


def main() -> None:
    """Moves the carton, and says where it is."""
    from baxterkit import sim

    known = Baxter(sim.with_known_effects(robot.left), sim.with_known_effects(robot.right))
    twin = sim.Twin(known, world=surroundings()).enable()
    hand = twin.left
    start = np.concatenate([hand.q, twin.right.q])
    plan = pick_and_place(twin.scene.replace(margin=0.003), start, "carton", GRASP, PLACE)
    for number, stage in enumerate(plan.raise_if_failed().stages):
        arm = known.left.replace(payload=WEIGHT if hand.holds else None)
        error = twin.follow(stage.motion, ComputedTorque(arm), settle=0.0).largest
        print(f"{stage.name}: {stage.motion.duration:.1f} s, errors below {1e3 * error:.0f} mrad")
        if stage.opening is not None:
            hand.move_gripper(stage.opening)
            print("in the hand:", hand.holds)
        if len(sys.argv) > 1:
            view = {
                "look_at": (0.42, 0.25, -0.12),
                "distance": 2.6,
                "azimuth": 150,
                "elevation": -15,
            }
            picture = sim.Camera(twin, 640, 480, **view).picture()
            sim.save_png(picture, Path(sys.argv[1]) / f"{number}.png")
    off = np.abs(twin.object_pose("carton")[:3, 3] - PLACE).max()
    print(f"in the shelf, less than 5 mm off: {off < 5e-3}; what touches: {twin.contacts}")


try:
    main()
except ImportError:
    print("no MuJoCo on this machine: pip install baxterkit[sim]")
