"""The twin: the whole robot in MuJoCo, with the robot's own loops, sensors and command modes."""

from __future__ import annotations

from baxterkit.sim.following import PairController, TwinRecording, follow, follow_pair, stream
from baxterkit.sim.limb import JointState, Limb
from baxterkit.sim.nominal import nominal_effects, with_known_effects
from baxterkit.sim.render import Camera, RenderError, save_png, save_video
from baxterkit.sim.scene import Item, Scene
from baxterkit.sim.twin import Twin

__all__ = [
    "Camera",
    "Item",
    "JointState",
    "Limb",
    "PairController",
    "RenderError",
    "Scene",
    "Twin",
    "TwinRecording",
    "follow",
    "follow_pair",
    "nominal_effects",
    "save_png",
    "save_video",
    "stream",
    "with_known_effects",
]
