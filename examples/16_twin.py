"""The simulated robot: move it, command torques, let it time out, pick something up."""

import numpy as np

from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.robot import RefusedError
from baxterkit.sim import Twin, nominal_effects
from baxterkit.trajectory import circle

# A twin of this robot; an identified one is Twin(Arm.from_file("robot.toml")).
arm = Arm("right", tool="electric_standard").with_effects(nominal_effects())
world = World()
world.add_table("table", height=-0.15)
world.add_box("cube", (0.05, 0.05, 0.05), (0.7, 0.3, -0.12), mass=0.2)  # with a mass: it moves
twin = Twin(Baxter(right=arm), world=world)
twin.enable()  # nothing moves before
print(twin.move_to(right="neutral"), twin, "tip at", twin.right.tip[:3, 3].round(3))

# A circle with a torque controller at 1 kHz; recorded at 100 Hz, with the truth beside it.
motion = circle([0.6, -0.2, 0.1], radius=0.1, period=4.0).to_joints(arm)
twin.place_at(motion)
record = twin.follow(motion, ComputedTorque(arm))["right"]
print(record)
print(f"tracking error {1e3 * record.rms():.2f} mrad RMS, held by the robot: {record.held.any()}")

# Commands last 0.2 s; then the robot holds. What is out of limits is refused.
twin.right.command_velocity([0.3, 0, 0, 0, 0, 0, 0])
twin.step(150)
print(twin.right.mode, twin.right.truth.qd.round(1) + 0.0)
twin.step(500)
print(twin.right.mode, np.abs(twin.right.truth.qd).max() < 0.01)
try:
    twin.right.command_torque([0, 200, 0, 0, 0, 0, 0])
except RefusedError as refusal:
    print(refusal)

# A kilogram in the hand: the robot's own gravity compensation does not account for it.
before = twin.right.tau
twin.right.pick_up(Payload(1.0))
twin.step(2000)
print("torques change by", (twin.right.tau - before).round(1), "N m")
