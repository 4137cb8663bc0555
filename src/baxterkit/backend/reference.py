"""The NumPy backend: the reference functions behind the same methods as the native kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import kinematics
from baxterkit.arrays import check_broadcast, deliver
from baxterkit.dynamics import derivatives, forward, newton_euler, regressor
from baxterkit.model.model import ArmModel
from baxterkit.native.messages import explain_frame
from baxterkit.types import Array, joint_array, vector_array


class ReferenceKernels:
    """Kernels of one arm in plain NumPy, for any geometry, checked like the native ones."""

    def __init__(self, model: ArmModel) -> None:
        self._model = model

    def fk(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Tip pose, shape (*batch, 4, 4)."""
        return self._run(kinematics.forward_kinematics, out, q=q)

    def link_poses(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Poses of links and tip, shape (*batch, n + 1, 4, 4)."""
        return self._run(kinematics.link_poses, out, q=q)

    def jacobian(self, q: ArrayLike, frame: str = "base", *, out: Array | None = None) -> Array:
        """Jacobian in base or tip axes, shape (*batch, 6, n)."""
        if frame not in ("base", "tip"):
            explain_frame(frame)
        function = kinematics.jacobian if frame == "base" else kinematics.body_jacobian
        return self._run(function, out, q=q)

    def twist(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Tip velocity, shape (*batch, 6)."""
        return self._run(kinematics.twist, out, q=q, qd=qd)

    def bias_acceleration(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """J̇ q̇, shape (*batch, 6)."""
        return self._run(kinematics.bias_acceleration, out, q=q, qd=qd)

    def null_vector(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Self-motion direction, shape (*batch, 7)."""
        return self._run(kinematics.null_vector, out, q=q)

    def manipulability(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Yoshikawa's index, shape (*batch)."""
        return self._run(kinematics.manipulability, out, q=q)

    def nullspace(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Projector onto the null space of J, shape (*batch, n, n)."""
        return self._run(kinematics.nullspace, out, q=q)

    def joint_velocity(
        self,
        q: ArrayLike,
        twist: ArrayLike,
        qd_null: ArrayLike,
        damping: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array:
        """Joint velocities for a twist, shape (*batch, n); `damping` has a last axis of 1."""
        dof = self._model.dof
        q, qd_null = joint_array(q, "q", dof), joint_array(qd_null, "qd_null", dof)
        twist, lam = vector_array(twist, "twist", 6), vector_array(damping, "damping", 1)
        check_broadcast(("q", "twist", "qd_null", "damping"), (q, twist, qd_null, lam))
        qd = kinematics.joint_velocity(self._model, q, twist, qd_null, lam[..., 0])
        return deliver(qd, out)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Torques, shape (*batch, n)."""
        return self._run(newton_euler.inverse_dynamics, out, q=q, qd=qd, qdd=qdd)

    def inverse_dynamics_wrench(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array:
        """Torques under a tip wrench, shape (*batch, n)."""
        dof = self._model.dof
        motion = [joint_array(x, name, dof) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))]
        arrays = [*motion, vector_array(wrench, "wrench", 6)]
        check_broadcast(("q", "qd", "qdd", "wrench"), arrays)
        return deliver(newton_euler.inverse_dynamics(self._model, *arrays), out)

    def gravity(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Gravity torques, shape (*batch, n)."""
        return self._run(newton_euler.gravity, out, q=q)

    def inertia(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Inertia matrix, shape (*batch, n, n)."""
        return self._run(newton_euler.inertia, out, q=q)

    def coriolis(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Coriolis matrix, shape (*batch, n, n)."""
        return self._run(newton_euler.coriolis, out, q=q, qd=qd)

    def dynamics_terms(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """M, C and G below each other, shape (*batch, 2 n + 1, n)."""
        return self._run(_terms, out, q=q, qd=qd)

    def bias_torque(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """C qd + G, shape (*batch, n)."""
        return self._run(newton_euler.bias, out, q=q, qd=qd)

    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Accelerations, shape (*batch, n)."""
        return self._run(forward.forward_dynamics, out, q=q, qd=qd, tau=tau)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Kinetic energy, shape (*batch)."""
        return self._run(forward.kinetic_energy, out, q=q, qd=qd)

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Potential energy, shape (*batch)."""
        return self._run(forward.potential_energy, out, q=q)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Derivatives of the torques by q and qd, shape (*batch, 2, n, n)."""
        function = _stacked(derivatives.inverse_dynamics_derivatives)
        return self._run(function, out, q=q, qd=qd, qdd=qdd)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Derivatives of the accelerations by q, qd and tau, shape (*batch, 3, n, n)."""
        function = _stacked(derivatives.forward_dynamics_derivatives)
        return self._run(function, out, q=q, qd=qd, tau=tau)

    def regressor(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Regressor of the base parameters, shape (*batch, n, 7 n - 4)."""
        return self._run(regressor.base_regressor, out, q=q, qd=qd, qdd=qdd)

    def _run(
        self, function: Callable[..., Any], out: Array | None, **arguments: ArrayLike
    ) -> Array:
        dof = self._model.dof
        arrays = [joint_array(value, name, dof) for name, value in arguments.items()]
        check_broadcast(tuple(arguments), arrays)
        result: Array = function(self._model, *arrays)
        return deliver(result, out)


def _terms(model: ArmModel, q: Array, qd: Array) -> Array:
    C = newton_euler.coriolis(model, q, qd)
    M = np.broadcast_to(newton_euler.inertia(model, q), C.shape)
    G = np.broadcast_to(newton_euler.gravity(model, q), C.shape[:-1])
    return np.concatenate([M, C, G[..., None, :]], axis=-2)


def _stacked(function: Callable[..., tuple[Array, ...]]) -> Callable[..., Array]:
    return lambda *arguments: np.stack(function(*arguments), axis=-3)
