"""Kinematics, dynamics and control of the Baxter robot.

>>> from baxterkit import Arm
>>> arm = Arm("left")
>>> T_base_tip = arm.fk(arm.pose("neutral"))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from baxterkit import errors, spatial
from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.errors import BackendWarning, BaxterkitError, SingularityWarning
from baxterkit.model.model import ArmModel, Payload, Tool
from baxterkit.native import backend_info, set_threads

if TYPE_CHECKING:
    from baxterkit.dynamics.contact import ContactDetector
    from baxterkit.dynamics.external_torque import MomentumObserver, estimate_external_torque
    from baxterkit.dynamics.joint_effects import JointEffects

__version__ = "0.1.0"

# Imported when first used, so that `import baxterkit` stays as quick as NumPy allows.
_LAZY = ("control", "experiments", "identify", "plot", "recording", "sim", "trajectory", "viewer")
_LAZY_NAMES = {
    "ContactDetector": "baxterkit.dynamics.contact",
    "JointEffects": "baxterkit.dynamics.joint_effects",
    "MomentumObserver": "baxterkit.dynamics.external_torque",
    "estimate_external_torque": "baxterkit.dynamics.external_torque",
}

__all__ = [
    "Arm",
    "ArmModel",
    "BackendWarning",
    "Baxter",
    "BaxterkitError",
    "ContactDetector",
    "JointEffects",
    "MomentumObserver",
    "Payload",
    "SingularityWarning",
    "Tool",
    "backend_info",
    "errors",
    "estimate_external_torque",
    "set_threads",
    "spatial",
]


def __getattr__(name: str) -> Any:
    """Import a part of the package at its first use: `baxterkit.recording.load(...)`."""
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module(_LAZY_NAMES[name]), name)
    if name in _LAZY:
        return importlib.import_module(f"baxterkit.{name}")
    raise AttributeError(f"module 'baxterkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LAZY_NAMES})
