"""Controllers: small classes with one method, `update(state, reference, dt) -> tau`."""

from __future__ import annotations

from baxterkit.control.adaptive import Adaptive, Learning
from baxterkit.control.base import TorqueController
from baxterkit.control.by_name import CONTROLLERS, controller_by_name
from baxterkit.control.cartesian_impedance import CartesianImpedance
from baxterkit.control.computed_torque import ComputedTorque
from baxterkit.control.double_loop_pid import DoubleLoopPid
from baxterkit.control.joint_impedance import JointImpedance
from baxterkit.control.pd_gravity import PdGravity
from baxterkit.control.predictive import Predictive
from baxterkit.control.relative_impedance import PairTorques, RelativeImpedance
from baxterkit.control.resolved_rate import ResolvedRate
from baxterkit.control.signals import ArmState, Controller, Course, Reference, State
from baxterkit.control.simulation import Run, simulate
from baxterkit.control.sliding_mode import SlidingMode
from baxterkit.control.smoothed import Smoothed
from baxterkit.control.tracking import Fault

__all__ = [
    "CONTROLLERS",
    "Adaptive",
    "ArmState",
    "CartesianImpedance",
    "ComputedTorque",
    "Controller",
    "Course",
    "DoubleLoopPid",
    "Fault",
    "JointImpedance",
    "Learning",
    "PairTorques",
    "PdGravity",
    "Predictive",
    "Reference",
    "RelativeImpedance",
    "ResolvedRate",
    "Run",
    "SlidingMode",
    "Smoothed",
    "State",
    "TorqueController",
    "controller_by_name",
    "simulate",
]
