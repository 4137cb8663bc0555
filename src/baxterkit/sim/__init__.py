"""The twin: the whole robot in MuJoCo, with the robot's own loops, sensors and command modes.

From `twin.follow(motion, controller)` to the links, once a millisecond:

1. `following.follow` samples the motion and calls the controller with the sensed state; its torques
   go to `TwinLimb.command_torque`, which checks them and passes them to `Loops.command`. Those of
   `control.compiled` compute within the compiled step instead.
2. `Twin.step` asks `Loops.torque` for the desired torques: the last command, or the position loop.
3. `joints.ElasticJoints.before_step` turns them into torques and damping of the links, with
   springs and friction (`passive`); MuJoCo steps the model that `build` made.
4. `after_step` steps the motors, and `Sensors.read` quantises the result for step 1.

Steps 2 to 4 are compiled (`native_step`); `numpy_step` is the same to read. Both work on the memory
of a `Record`, whose fields `kernels.twin_fields` declares.
"""

from __future__ import annotations

from baxterkit.sim.batch import BatchRun, TwinBatch
from baxterkit.sim.eye import Eye, Pinhole
from baxterkit.sim.limb import TwinLimb
from baxterkit.sim.limb_state import JointState
from baxterkit.sim.mjcf import MjcfFolder, export_mjcf
from baxterkit.sim.nominal import nominal_effects, with_known_effects
from baxterkit.sim.opengl import RenderError
from baxterkit.sim.physics import Physics
from baxterkit.sim.render import Camera, save_png, save_video
from baxterkit.sim.twin import Twin
from baxterkit.sim.variation import Variation

__all__ = [
    "BatchRun",
    "Camera",
    "Eye",
    "JointState",
    "MjcfFolder",
    "Physics",
    "Pinhole",
    "RenderError",
    "Twin",
    "TwinBatch",
    "TwinLimb",
    "Variation",
    "export_mjcf",
    "nominal_effects",
    "save_png",
    "save_video",
    "with_known_effects",
]
