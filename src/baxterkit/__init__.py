"""Kinematics, dynamics and control of the Baxter robot.

>>> from baxterkit import Arm
>>> arm = Arm("left")
>>> T_base_tip = arm.fk(arm.pose("neutral"))
"""

from __future__ import annotations

import importlib
from types import ModuleType

from baxterkit import errors, spatial
from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.errors import BackendWarning, BaxterkitError, SingularityWarning
from baxterkit.model.model import ArmModel, Payload, Tool
from baxterkit.native import backend_info, set_threads

__version__ = "0.1.0"

# Imported when first used, so that `import baxterkit` stays as quick as NumPy allows.
_LAZY = ("control", "experiments", "identify", "plot", "recording", "sim", "trajectory", "viewer")

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


def __getattr__(name: str) -> ModuleType:
    """Import a part of the package at its first use: `baxterkit.recording.load(...)`."""
    if name in _LAZY:
        return importlib.import_module(f"baxterkit.{name}")
    raise AttributeError(f"module 'baxterkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
