"""The torque controllers by name, for user interfaces."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.arm import Arm
from baxterkit.control.adaptive import Adaptive
from baxterkit.control.cartesian_impedance import CartesianImpedance
from baxterkit.control.computed_torque import ComputedTorque
from baxterkit.control.double_loop_pid import DoubleLoopPid
from baxterkit.control.joint_impedance import JointImpedance
from baxterkit.control.pd_gravity import PdGravity
from baxterkit.control.predictive import Predictive
from baxterkit.control.signals import Controller
from baxterkit.control.sliding_mode import SlidingMode
from baxterkit.errors import UnknownNameError

CONTROLLERS: dict[str, Callable[[Arm], Controller]] = {
    "computed-torque": ComputedTorque,
    "double-loop-pid": DoubleLoopPid,
    "pd-gravity": PdGravity,
    "adaptive": Adaptive,
    "sliding-mode": SlidingMode,
    "predictive": Predictive,
    "joint-impedance": JointImpedance,
    "cartesian-impedance": CartesianImpedance,
}
"""Name -> controller of an arm, with its default gains."""

_WHOLE = "knows its inertias, springs and friction"
KNOWS = {
    "computed-torque": _WHOLE,
    "double-loop-pid": "knows its gravity and springs",
    "pd-gravity": "knows its gravity and springs",
    "adaptive": "knows its springs and friction, learns its inertias",
    "sliding-mode": _WHOLE,
    "predictive": _WHOLE,
    "joint-impedance": _WHOLE,
    "cartesian-impedance": _WHOLE,
}
"""What a controller of this name knows of the arm that it is made for."""


def controller_by_name(name: str, arm: Arm) -> Controller:
    """A controller of an arm, with its default gains.

    Raises:
        UnknownNameError: If there is no such controller; lists the available ones.
    """
    if name not in CONTROLLERS:
        raise UnknownNameError("controller", name, CONTROLLERS)
    return CONTROLLERS[name](arm)
