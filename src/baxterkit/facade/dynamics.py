"""The dynamic methods of `Arm`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arrays import check_broadcast, deliver
from baxterkit.errors import UnknownNameError
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointVector, joint_array, vector_array

if TYPE_CHECKING:
    from baxterkit.dynamics.joint_effects import JointEffects
    from baxterkit.model.dh import DhTable

METHODS = ("newton_euler", "lagrange")


class DynamicsMethods:
    """Torques and what they are made of: M(q) qdd + C(q, qd) qd + G(q) = tau + J' w.

    `q`, `qd`, `qdd`, `tau`: last axis 7, order s0 s1 e0 e1 w0 w1 w2. Mount, tool, payload and
    gravity of the model count. What the joints add (`effects`: springs, friction, bias) is part of
    inverse and forward dynamics and their derivatives; M, C, G and the energies stay rigid.
    """

    model: ArmModel
    effects: JointEffects | None
    _kernels: Any
    _motion: Any  # the kernels that know the joints' effects; `_kernels` where there are none

    def inertia(self, q: ArrayLike, *, out: Array | None = None) -> JointMatrix:
        """Joint-space inertia matrix M(q), symmetric and positive definite.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7, 7).

        Returns:
            M [kg m²], shape (*batch, 7, 7).
        """
        M: JointMatrix = self._kernels.inertia(q, out=out)
        return M

    def coriolis(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> JointMatrix:
        """Coriolis matrix C(q, qd) of the Christoffel symbols: dM/dt - 2 C is skew.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7, 7).

        Returns:
            C [kg m²/s], shape (*batch, 7, 7); C qd is the Coriolis and centrifugal torque.
        """
        C: JointMatrix = self._kernels.coriolis(q, qd, out=out)
        return C

    def gravity(self, q: ArrayLike, *, out: Array | None = None) -> JointVector:
        """Torques G(q) that hold the arm against gravity.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7).

        Returns:
            G [N m], shape (*batch, 7).
        """
        G: JointVector = self._kernels.gravity(q, out=out)
        return G

    def bias_torque(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> JointVector:
        """C(q, qd) qd + G(q): the torques of a motion without acceleration.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7).

        Returns:
            Torques [N m], shape (*batch, 7).
        """
        h: JointVector = self._kernels.bias_torque(q, qd, out=out)
        return h

    def dynamics_terms(
        self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
    ) -> tuple[JointMatrix, JointMatrix, JointVector]:
        """M, C and G in one pass, cheaper than one after another.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            out: Array for all three below each other, shape (*batch, 15, 7).

        Returns:
            M (*batch, 7, 7), C (*batch, 7, 7) and G (*batch, 7), as views of one array.
        """
        terms = self._kernels.dynamics_terms(q, qd, out=out)
        n = self.model.dof
        return terms[..., :n, :], terms[..., n : 2 * n, :], terms[..., 2 * n, :]

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
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
                tau: JointVector = self._motion.inverse_dynamics_wrench(q, qd, qdd, wrench, out=out)
            elif out is None:  # the shortest call, for control loops
                tau = self._motion.inverse_dynamics(q, qd, qdd)
            else:
                tau = self._motion.inverse_dynamics(q, qd, qdd, out=out)
            return tau
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
            J: Array = self._kernels.jacobian(q)
            tau = tau - np.einsum("...ij,...i->...j", J, w)
        return deliver(tau, out)

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
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
        """
        if wrench is not None:
            q, qd, tau = self._joint_arrays(q=q, qd=qd, tau=tau)
            w = vector_array(wrench, "wrench", 6)
            check_broadcast(("q", "qd", "tau", "wrench"), (q, qd, tau, w))
            tau = tau + np.einsum("...ij,...i->...j", self._kernels.jacobian(q), w)
        if out is None:
            qdd: JointVector = self._motion.forward_dynamics(q, qd, tau)
        else:
            qdd = self._motion.forward_dynamics(q, qd, tau, out=out)
        return qdd

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Kinetic energy ½ qd' M qd [J], shape (*batch)."""
        energy: Array = self._kernels.kinetic_energy(q, qd, out=out)
        return energy

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Potential energy in gravity [J], zero with all mass at the base's origin, (*batch)."""
        energy: Array = self._kernels.potential_energy(q, out=out)
        return energy

    def task_inertia(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Inertia that a wrench on the tip feels, (J M⁻¹ J')⁻¹, base axes, shape (*batch, 6, 6).

        Force rows first. In a singular posture the pseudo-inverse is taken: directions in which the
        tip cannot move get no inertia.
        """
        q = joint_array(q, "q", self.model.dof)
        J, M = self._kernels.jacobian(q), self._kernels.inertia(q)
        from baxterkit.dynamics.forward import task_inertia_of

        return deliver(task_inertia_of(J, M), out)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
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
        both = self._motion.inverse_dynamics_derivatives(q, qd, qdd, out=out)
        if both.ndim == 3:  # plain indices are quicker, and control loops ask for one state
            return both[0], both[1]
        return both[..., 0, :, :], both[..., 1, :, :]

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None
    ) -> tuple[JointMatrix, JointMatrix, JointMatrix]:
        """First derivatives of `forward_dynamics`.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            tau: Joint torques [N m], shape (*batch, 7).
            out: Array for all three, one after the other, shape (*batch, 3, 7, 7).

        Returns:
            ∂qdd/∂q [1/s²], ∂qdd/∂qd [1/s] and ∂qdd/∂tau = M⁻¹ [1/(kg m²)], (*batch, 7, 7) each.
        """
        all_three = self._motion.forward_dynamics_derivatives(q, qd, tau, out=out)
        return all_three[..., 0, :, :], all_three[..., 1, :, :], all_three[..., 2, :, :]

    def regressor(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Y of tau = Y(q, qd, qdd) beta, beta the base parameters.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            qd: Joint velocities [rad/s], shape (*batch, 7).
            qdd: Joint accelerations [rad/s²], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7, 45).

        Returns:
            Y [1/s²], shape (*batch, 7, 45).
        """
        Y: Array = self._kernels.regressor(q, qd, qdd, out=out)
        return Y

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

    def _joint_arrays(self, **arguments: ArrayLike) -> list[JointVector]:
        arrays = [joint_array(value, name, self.model.dof) for name, value in arguments.items()]
        check_broadcast(tuple(arguments), arrays)
        return arrays
