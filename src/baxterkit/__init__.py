"""Kinematics, dynamics and control of the Baxter robot.

>>> from baxterkit import Arm
>>> arm = Arm("left")
>>> T_base_tip = arm.fk(arm.pose("neutral"))
"""

from baxterkit import errors, spatial
from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.errors import BackendWarning, BaxterkitError, SingularityWarning
from baxterkit.model.model import ArmModel, Payload, Tool
from baxterkit.native import backend_info, set_threads

__version__ = "0.1.0"

__all__ = [
    "Arm",
    "ArmModel",
    "BackendWarning",
    "Baxter",
    "BaxterkitError",
    "Payload",
    "SingularityWarning",
    "Tool",
    "backend_info",
    "errors",
    "set_threads",
    "spatial",
]
