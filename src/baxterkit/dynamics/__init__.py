"""Dynamics of a serial arm, in plain NumPy: the reference for the generated kernels.

`newton_euler` has M, C, G and inverse dynamics, `lagrange` the same in the papers' form;
`forward` has forward dynamics, energies and task-space inertia, `derivatives` first derivatives,
`regressor` the regressor for identification. For users: joint effects (`JointEffects`), external
torques (`estimate_external_torque`, `MomentumObserver`), contacts (`ContactDetector`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.extras import lazy_names

if TYPE_CHECKING:
    from baxterkit.dynamics.contact import Contact, ContactDetector, detect_contacts
    from baxterkit.dynamics.external_torque import (
        ExternalTorque,
        MomentumObserver,
        TipWrench,
        estimate_external_torque,
        tip_wrench,
    )
    from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects, Sensing

__all__ = [
    "Contact",
    "ContactDetector",
    "ExternalTorque",
    "Hysteresis",
    "JointEffects",
    "MomentumObserver",
    "Sensing",
    "TipWrench",
    "detect_contacts",
    "estimate_external_torque",
    "tip_wrench",
]

_MODULES = {
    "Contact": "contact",
    "ContactDetector": "contact",
    "detect_contacts": "contact",
    "ExternalTorque": "external_torque",
    "MomentumObserver": "external_torque",
    "TipWrench": "external_torque",
    "estimate_external_torque": "external_torque",
    "tip_wrench": "external_torque",
    "Hysteresis": "joint_effects",
    "JointEffects": "joint_effects",
    "Sensing": "joint_effects",
}
__getattr__ = lazy_names(__name__, _MODULES)
