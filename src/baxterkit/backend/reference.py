"""The NumPy backend: the reference functions behind the same methods as the native kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import kinematics
from baxterkit.checks.arrays import vector_array
from baxterkit.checks.results import check_broadcast, deliver
from baxterkit.checks.units import warn_if_degrees
from baxterkit.dynamics import derivatives, forward, newton_euler, regressor
from baxterkit.kernels.protocol import CalledKernels
from baxterkit.kernels.table import BY_NAME
from baxterkit.kinematics import of_frame
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, Jacobian, Transform

JOINTS = 7
"""Width of kernel arguments with one value per joint; arms of other geometry may differ."""


class ReferenceKernels(CalledKernels):
    """Kernels of one arm in plain NumPy, for any geometry, checked like the native ones."""

    def __init__(self, model: ArmModel) -> None:
        self._model = model

    def _call(self, name: str, inputs: tuple[ArrayLike, ...], out: Array | None) -> Array:
        arguments = BY_NAME[name].inputs
        arrays = [
            self._model.joint_values(value, argument.name)
            if argument.width == JOINTS
            else vector_array(value, argument.name, argument.width)
            for argument, value in zip(arguments, inputs, strict=True)
        ]
        # In a simulation without stops, one array with velocities, the arm may turn far.
        if len(inputs) == 1 or arrays[0].ndim > 1 or not isinstance(inputs[0], np.ndarray):
            warn_if_degrees(arrays[0], "q", self._model)
        check_broadcast(tuple(argument.name for argument in arguments), arrays)
        return deliver(FUNCTIONS[name](self._model, *arrays), out)

    def _fk_of(self, q: ArrayLike, of: str, out: Array | None) -> Transform:
        return of_frame.fk_of(self, self._model, q, of, out)

    def _jacobian_of(self, q: ArrayLike, frame: str, of: str, out: Array | None) -> Jacobian:
        return of_frame.jacobian_of(self, self._model, q, of, frame, out)


def _joint_velocity(model: ArmModel, q: Array, twist: Array, qd_null: Array, lam: Array) -> Array:
    return kinematics.joint_velocity(model, q, twist, qd_null, lam[..., 0])


def _dynamics_terms(model: ArmModel, q: Array, qd: Array) -> Array:
    C = newton_euler.coriolis(model, q, qd)
    M = np.broadcast_to(newton_euler.inertia(model, q), C.shape)
    G = np.broadcast_to(newton_euler.gravity(model, q), C.shape[:-1])
    return np.concatenate([M, C, G[..., None, :]], axis=-2)


def _stacked(function: Callable[..., tuple[Array, ...]]) -> Callable[..., Array]:
    return lambda *arguments: np.stack(function(*arguments), axis=-3)


FUNCTIONS: dict[str, Callable[..., Array]] = {
    "fk": kinematics.forward_kinematics,
    "link_poses": kinematics.link_poses,
    "jacobian": kinematics.jacobian,
    "body_jacobian": kinematics.body_jacobian,
    "twist": kinematics.twist,
    "bias_acceleration": kinematics.bias_acceleration,
    "null_vector": kinematics.null_vector,
    "manipulability": kinematics.manipulability,
    "nullspace": kinematics.nullspace,
    "joint_velocity": _joint_velocity,
    "inverse_dynamics": newton_euler.inverse_dynamics,
    "inverse_dynamics_wrench": newton_euler.inverse_dynamics,
    "gravity": newton_euler.gravity,
    "inertia": newton_euler.inertia,
    "coriolis": newton_euler.coriolis,
    "dynamics_terms": _dynamics_terms,
    "bias_torque": newton_euler.bias,
    "forward_dynamics": forward.forward_dynamics,
    "kinetic_energy": forward.kinetic_energy,
    "potential_energy": forward.potential_energy,
    "inverse_dynamics_derivatives": _stacked(derivatives.inverse_dynamics_derivatives),
    "forward_dynamics_derivatives": _stacked(derivatives.forward_dynamics_derivatives),
    "regressor": regressor.base_regressor,
}
"""Kernel → function of the model and the kernel's arguments."""
