"""Controllers: small classes with one method, `update(state, reference, dt) -> tau`."""

from __future__ import annotations

from baxterkit.control.base import TorqueController
from baxterkit.control.computed_torque import ComputedTorque
from baxterkit.control.pd_gravity import PdGravity
from baxterkit.control.signals import ArmState, Controller, Reference, State
from baxterkit.control.simulate import Run, simulate

__all__ = [
    "ArmState",
    "ComputedTorque",
    "Controller",
    "PdGravity",
    "Reference",
    "Run",
    "State",
    "TorqueController",
    "simulate",
]
