"""The dynamic methods of `Arm`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import vector_array
from baxterkit.checks.results import check_broadcast, deliver
from baxterkit.errors import ModelError, UnknownNameError
from baxterkit.kernels.protocol import KernelMethods, Kernels
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointsLike, JointVector

if TYPE_CHECKING:
    from baxterkit.dynamics.joint_effects import JointEffects
    from baxterkit.model.dh import DhTable

METHODS = ("newton_euler", "lagrange")
SINGULAR = 1e-13
"""Least eigenvalue of M, scaled to a unit diagonal, below which M counts as singular."""
TINY = 1e-6
"""Least root of a diagonal element of M, of the largest, above rounding; 0.014 on Baxter."""


class DynamicsMethods(KernelMethods):
    """Torques and the terms of the equation of motion: M(q) qdd + C(q, qd) qd + G(q) = tau + J' w.

    `q`, `qd`, `qdd`, `tau`: last axis 7, order s0 s1 e0 e1 w0 w1 w2. Mount, tool, payload and
    gravity of the model count. Joint effects (`effects`: springs, friction, bias) are part of
    inverse and forward dynamics and their derivatives; M, C, G and the energies are those of the
    rigid arm.
    """

    model: ArmModel
    effects: JointEffects | None
    _moving: Kernels  # the kernels with joint effects; `_kernels` if there are none

    def dynamics_terms(
        self, q: JointsLike, qd: JointsLike, *, out: Array | None = None
    ) -> tuple[JointMatrix, JointMatrix, JointVector]:
        """M, C and G in one pass, faster than three calls.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            out: Array for all three, stacked by rows, shape (*batch, 15, 7).

        Returns:
            M (*batch, 7, 7), C (*batch, 7, 7) and G (*batch, 7), as views of one array.
        """
        terms = self._kernels.dynamics_terms(q, qd, out=out)
        n = self.model.dof
        return terms[..., :n, :], terms[..., n : 2 * n, :], terms[..., 2 * n, :]

    def inverse_dynamics(
        self,
        q: JointsLike,
        qd: JointsLike,
        qdd: JointsLike,
        wrench: ArrayLike | None = None,
        method: str = "newton_euler",
        *,
        out: Array | None = None,
    ) -> JointVector:
        """Torques of a motion: tau = M qdd + C qd + G - J' w, plus the joints' effects if any.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            qdd: Joint accelerations [rad/s²], shape (*batch, 7).
            wrench: w = [f; m], force [N] and moment [N m] that the environment exerts on the tip,
                base axes, shape (*batch, 6).
            method: "newton_euler" (the kernels) or "lagrange" (the papers' closed form in NumPy):
                equal to rounding.
            out: Array for the result, shape (*batch, 7).

        Returns:
            tau [N m], shape (*batch, 7).
        """
        if method == "newton_euler":
            if wrench is not None:
                return self._moving.inverse_dynamics_wrench(q, qd, qdd, wrench, out=out)
            if out is None:  # the shortest call, for control loops
                return self._moving.inverse_dynamics(q, qd, qdd)
            return self._moving.inverse_dynamics(q, qd, qdd, out=out)
        if method != "lagrange":
            raise UnknownNameError("method", method, METHODS)
        q, qd, qdd = self._joint_arrays(q=q, qd=qd, qdd=qdd)
        from baxterkit.dynamics import lagrange

        tau = lagrange.inverse_dynamics(self._dh_table, q, qd, qdd, self.model.gravity)
        if self.effects is not None:
            tau = tau + self.effects.torque(q, qd)
        if wrench is not None:
            w = vector_array(wrench, "wrench", 6)
            check_broadcast(("q", "qd", "qdd", "wrench"), (q, qd, qdd, w))
            tau = tau - np.einsum("...ij,...i->...j", self._kernels.jacobian(q), w)
        return deliver(tau, out)

    def forward_dynamics(
        self,
        q: JointsLike,
        qd: JointsLike,
        tau: JointsLike,
        wrench: ArrayLike | None = None,
        *,
        out: Array | None = None,
    ) -> JointVector:
        """Accelerations under torques: qdd of M qdd = tau + J' w - C qd - G, less effects if any.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            tau: Joint torques [N m], shape (*batch, 7).
            wrench: w = [f; m] that the environment exerts on the tip, base axes, shape (*batch, 6).
            out: Array for the result, shape (*batch, 7).

        Returns:
            qdd [rad/s²], shape (*batch, 7).

        Raises:
            ModelError: If the links have no inertia about some joint.
        """
        if not self._has_inertia:
            self._refuse_massless()
        if wrench is not None:
            q, qd, tau = self._joint_arrays(q=q, qd=qd, tau=tau)
            w = vector_array(wrench, "wrench", 6)
            check_broadcast(("q", "qd", "tau", "wrench"), (q, qd, tau, w))
            tau = tau + np.einsum("...ij,...i->...j", self._kernels.jacobian(q), w)
        if out is None:
            return self._moving.forward_dynamics(q, qd, tau)
        return self._moving.forward_dynamics(q, qd, tau, out=out)

    def task_inertia(self, q: JointsLike, *, out: Array | None = None) -> Array:
        """Task-space inertia at the tip, (J M⁻¹ J')⁻¹, base axes, shape (*batch, 6, 6).

        Force rows first. In a singular configuration the pseudo-inverse is taken: directions in
        which the tip cannot move get no inertia.
        """
        if not self._has_inertia:
            self._refuse_massless()
        q = self.model.joint_values(q)
        J, M = self._kernels.jacobian(q), self._kernels.inertia(q)
        from baxterkit.dynamics.forward import task_inertia_of

        return deliver(task_inertia_of(J, M), out)

    def inverse_dynamics_derivatives(
        self, q: JointsLike, qd: JointsLike, qdd: JointsLike, *, out: Array | None = None
    ) -> tuple[JointMatrix, JointMatrix]:
        """First derivatives of `inverse_dynamics`; by qdd it is `inertia`.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            qdd: Joint accelerations [rad/s²], shape (*batch, 7).
            out: Array for both, one after the other, shape (*batch, 2, 7, 7).

        Returns:
            ∂tau/∂q [N m/rad] and ∂tau/∂qd [N m s/rad], shape (*batch, 7, 7) each; row i: tau_i.
        """
        both = self._moving.inverse_dynamics_derivatives(q, qd, qdd, out=out)
        if both.ndim == 3:  # plain indices are faster, and control loops ask for one state
            return both[0], both[1]
        return both[..., 0, :, :], both[..., 1, :, :]

    def forward_dynamics_derivatives(
        self, q: JointsLike, qd: JointsLike, tau: JointsLike, *, out: Array | None = None
    ) -> tuple[JointMatrix, JointMatrix, JointMatrix]:
        """First derivatives of `forward_dynamics`.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            tau: Joint torques [N m], shape (*batch, 7).
            out: Array for all three, one after the other, shape (*batch, 3, 7, 7).

        Returns:
            ∂qdd/∂q [1/s²], ∂qdd/∂qd [1/s] and ∂qdd/∂tau = M⁻¹ [1/(kg m²)], (*batch, 7, 7) each.

        Raises:
            ModelError: If the links have no inertia about some joint.
        """
        if not self._has_inertia:
            self._refuse_massless()
        all_three = self._moving.forward_dynamics_derivatives(q, qd, tau, out=out)
        return all_three[..., 0, :, :], all_three[..., 1, :, :], all_three[..., 2, :, :]

    @cached_property
    def base_parameters(self) -> Array:
        """The 45 base parameters [kg m²], tool and payload included: tau = Y beta."""
        from baxterkit.equations.base_parameters import base_parameters

        beta = base_parameters(self.model)
        beta.setflags(write=False)
        return beta

    @cached_property
    def _dh_table(self) -> DhTable:
        from baxterkit.model.dh import dh_from_model

        return dh_from_model(self.model)

    @cached_property
    def _has_inertia(self) -> bool:
        """Whether torques determine accelerations: M is not singular."""
        M = self._kernels.inertia(np.full(self.model.dof, 0.5))
        if not np.isfinite(M).all():
            return False
        size = np.sqrt(np.diagonal(M))
        if not size.min() > TINY * size.max():
            return False
        return bool(np.linalg.eigvalsh(M / np.outer(size, size))[0] > SINGULAR)

    def _refuse_massless(self) -> NoReturn:
        raise ModelError(
            "the inertia matrix of this arm is singular, so torques give no accelerations; its "
            "links need masses and inertias, the last one about its own axis too"
        )

    def _joint_arrays(self, **arguments: JointsLike) -> list[JointVector]:
        arrays = [self.model.joint_values(value, name) for name, value in arguments.items()]
        check_broadcast(tuple(arguments), arrays)
        return arrays
