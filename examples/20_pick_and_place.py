"""Pick and place: a carton goes from the table into a shelf, planned, in the twin.

Long motions are planned; the last centimetres are straight lines of the hand, since there the
fingers are next to the carton and the carton is next to a board. The name of a folder as argument
(`python 20_pick_and_place.py pictures`) gets pictures of the stages.
"""

import sys
from pathlib import Path

import numpy as np

from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.planning import plan
from baxterkit.trajectory import Trajectory, lines

FORWARD = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # fingers close along y
CARTON, PLACE = np.array([0.80, 0.20, -0.09]), np.array([0.80, 0.70, 0.12])  # middles [m]
GRASP = np.array([0.0, 0.0, 0.02])  # the tip, from the carton's middle [m]
BACK, UP = np.array([-0.12, 0.0, 0.0]), np.array([0.0, 0.0, 0.04])
WEIGHT = Payload(0.2)

robot = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))


def surroundings() -> World:
    """A table with the carton, and a shelf on the robot's left."""
    world = World()
    world.add_table("table", height=-0.15)
    boards = {
        "bottom": ([0.30, 0.40, 0.02], [0.80, 0.70, 0.050]),
        "top": ([0.30, 0.40, 0.02], [0.80, 0.70, 0.400]),
        "inner post": ([0.02, 0.02, 0.33], [0.94, 0.51, 0.225]),
        "outer post": ([0.02, 0.02, 0.33], [0.94, 0.89, 0.225]),
    }
    for name, (size, at) in boards.items():
        world.add_box(name, size, at, color=(0.55, 0.45, 0.36))
    size, green = (0.04, 0.04, 0.12), (0.0, 0.62, 0.45)
    world.add_box("carton", size, CARTON, mass=WEIGHT.mass, color=green)
    return world


def main() -> None:
    """Moves the carton, and says where it is."""
    from baxterkit import sim

    known = Baxter(sim.with_known_effects(robot.left), sim.with_known_effects(robot.right))
    twin = sim.Twin(known, world=surroundings()).enable()
    hand = twin.left

    def follow(motion: Trajectory) -> float:
        """Moves the left arm; returns the largest error of a joint [rad]."""
        arm = known.left.replace(payload=WEIGHT if hand.holds else None)
        return twin.follow(motion, ComputedTorque(arm), settle=0.0).largest

    def go(what: str, goal: np.ndarray) -> None:
        """Around everything."""
        start = np.concatenate([hand.q, twin.right.q])
        result = plan(twin.scene.replace(margin=0.005), start, goal, group="left")
        motion = result.raise_if_failed().trajectory()
        error = follow(motion)
        print(f"{what}: planned, {motion.duration:.1f} s, errors below {1e3 * error:.0f} mrad")

    def straight(step: np.ndarray) -> None:
        """Along a line."""
        T = robot.left.fk(hand.q)
        end = T.copy()
        end[:3, 3] += step
        follow(lines([T, end]).to_joints(known.left, hand.q))

    def look(stage: int) -> None:
        if len(sys.argv) > 1:
            view = {"look_at": (0.5, 0.3, 0.1), "distance": 2.1, "azimuth": 150, "elevation": -15}
            sim.save_png(
                sim.Camera(twin, 640, 480, **view).picture(), Path(sys.argv[1]) / f"{stage}.png"
            )

    look(0)
    go("to the carton", pose(CARTON + GRASP + BACK))
    straight(-BACK)
    hand.move_gripper(0.0)
    print("in the hand:", hand.holds)
    look(1)
    straight(UP)
    go("to the shelf", pose(PLACE + GRASP + BACK + UP))
    look(2)
    straight(-BACK)
    straight(-UP)
    hand.move_gripper(1.0)
    look(3)
    straight(BACK)
    go("back", robot.left.pose("untuck"))
    off = np.abs(twin.object_pose("carton")[:3, 3] - PLACE).max()
    print(f"in the shelf, less than 5 mm off: {off < 5e-3}; what touches: {twin.contacts}")


def pose(position: np.ndarray) -> np.ndarray:
    """The hand at a place, pointing forward."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = FORWARD, position
    return T


try:
    main()
except ImportError:
    print("no MuJoCo on this machine: pip install baxterkit[sim]")
