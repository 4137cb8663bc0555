"""Controllers whose law is made of kernels, as the compiled step of the twin takes them.

A controller written in Python is called by the twin; one of these computes within its step. The
Python form is the readable one, and the one for other robots.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.backend.choice import is_native
from baxterkit.control.base import TorqueController
from baxterkit.control.cartesian_impedance import CartesianImpedance
from baxterkit.control.computed_torque import ComputedTorque
from baxterkit.control.double_loop_pid import DoubleLoopPid
from baxterkit.control.joint_impedance import JointImpedance
from baxterkit.control.pd_gravity import PdGravity
from baxterkit.kernels.records import TwinLaw
from baxterkit.types import Array

KINDS = (PdGravity, ComputedTorque, JointImpedance, CartesianImpedance, DoubleLoopPid)
"""In the order of the kinds in `native/twin_laws.hpp`."""
_ZERO = np.zeros(7)


def compiled_law(controller: object) -> TwinLaw | None:
    """The controller as the extension takes it, its motion still empty; None without such a form.

    Controllers of a class of one's own, with a callable as their model, or with an arm that NumPy
    computes, have none.
    """
    if type(controller) not in KINDS or "update" in vars(controller):
        return None
    assert isinstance(controller, TorqueController)
    model, arm, effects = controller.model, None, None
    if isinstance(model, Arm):
        arm = model._kernels if is_native(model._kernels) else None
        effects = None if model.effects is None else model.effects._kernels
        if arm is None or (model.effects is not None and effects is None):
            return None
    elif model is not None:
        return None
    rows: list[Array]
    integral, feedforward = _ZERO.copy(), False
    if isinstance(controller, PdGravity):
        rows = [controller.kp, controller.kd]
    elif isinstance(controller, ComputedTorque):
        rows = [controller.kp, controller.kd, controller.armature]
    elif isinstance(controller, JointImpedance):
        rows = [controller.stiffness, controller.damping]
    elif isinstance(controller, CartesianImpedance):
        rows = [
            np.append(controller.stiffness, controller.drag),
            np.append(controller.damping, 0.0),
            controller.null_stiffness,
        ]
    else:
        assert isinstance(controller, DoubleLoopPid)
        rows = [controller.outer_kp, controller.outer_kd, controller.inner_kp, controller.inner_ki]
        integral, feedforward = controller._integral, controller.feedforward
    gains = np.stack([*rows, *[_ZERO] * (4 - len(rows))])
    return TwinLaw(
        KINDS.index(type(controller)),
        arm,  # type: ignore[arg-type]
        effects,  # type: ignore[arg-type]
        gains,
        np.array(controller.effort),
        integral,
        feedforward,
        np.empty((0, 3, 7)),
    )
