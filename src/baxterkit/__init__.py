"""Kinematics, dynamics and control of the Baxter robot.

>>> from baxterkit import Arm
>>> arm = Arm("left")
>>> T_base_tip = arm.fk(arm.configuration("neutral"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit import errors, spatial
from baxterkit.arm import Arm
from baxterkit.errors import BaxterkitError
from baxterkit.extras import lazy_names
from baxterkit.model.model import Payload
from baxterkit.native import backend_info, set_threads
from baxterkit.version import VERSION

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.dynamics.contact import ContactDetector
    from baxterkit.dynamics.external_torque import MomentumObserver, estimate_external_torque
    from baxterkit.dynamics.joint_effects import JointEffects
    from baxterkit.errors import BackendWarning as BackendWarning
    from baxterkit.errors import SingularityWarning as SingularityWarning
    from baxterkit.model.model import ArmModel as ArmModel
    from baxterkit.model.model import Tool
    from baxterkit.ros.connecting import connect
    from baxterkit.scene.scene import Scene

__version__ = VERSION

__all__ = [
    "Arm",
    "Baxter",
    "BaxterkitError",
    "ContactDetector",
    "JointEffects",
    "MomentumObserver",
    "Payload",
    "Scene",
    "Tool",
    "backend_info",
    "connect",
    "errors",
    "estimate_external_torque",
    "set_threads",
    "spatial",
]

# The names below are imported on first use, so that `import baxterkit` stays fast.
_PARTS = (
    "collision",
    "control",
    "experiments",
    "identify",
    "ik",
    "lesson",
    "papers",
    "planning",
    "plot",
    "poses",
    "recording",
    "robot",
    "ros",
    "servo",
    "sim",
    "trajectory",
    "viewer",
    "workspace",
)
"""For users, and shown by `dir`."""
_LAYERS = (
    "codegen",
    "cuda",
    "dynamics",
    "equations",
    "jax",
    "kinematics",
    "learn",
    "look",
    "messages",
    "model",
    "scene",
    "symbolic",
    "torch",
)
"""The layers below these, for advanced use."""
_NAMES = {
    "Baxter": "baxter",
    "ContactDetector": "dynamics.contact",
    "JointEffects": "dynamics.joint_effects",
    "connect": "ros.connecting",
    "MomentumObserver": "dynamics.external_torque",
    "Scene": "scene.scene",
    "Tool": "model.model",
    "estimate_external_torque": "dynamics.external_torque",
}
_ELSEWHERE = {
    "ArmModel": "model.model",
    "BackendWarning": "errors",
    "SingularityWarning": "errors",
}
"""Names of `baxterkit.model` and `baxterkit.errors` that can be imported from here too."""
__getattr__ = lazy_names(__name__, dict.fromkeys((*_PARTS, *_LAYERS), "") | _NAMES | _ELSEWHERE)


def __dir__() -> list[str]:
    return sorted({*__all__, *_PARTS})
