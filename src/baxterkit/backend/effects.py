"""The kernels of an arm with joint effects: the rigid ones plus the effects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array
from baxterkit.checks.results import check_broadcast
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.kernels.protocol import CalledKernels, Kernels
from baxterkit.types import Array, Jacobian, JointVector, Transform

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels


class EffectKernels(CalledKernels):
    """Inverse and forward dynamics and their derivatives with effects; the rest is rigid.

    Args:
        rigid: Kernels of the rigid arm.
        effects: The joint effects.
    """

    def __init__(self, rigid: Kernels, effects: JointEffects) -> None:
        self._rigid = rigid
        self._effects = effects
        self._torque: Callable[[ArrayLike, ArrayLike], Array] = effects.reference_torque
        self._slopes = effects.reference_derivatives

    def _call(self, name: str, inputs: tuple[ArrayLike, ...], out: Array | None) -> Array:
        result: Array = getattr(self._rigid, name)(*inputs, out=out)
        return result

    def _fk_of(self, q: ArrayLike, of: str, out: Array | None) -> Transform:
        return self._rigid.fk(q, of=of, out=out)

    def _jacobian_of(self, q: ArrayLike, frame: str, of: str, out: Array | None) -> Jacobian:
        return self._rigid.jacobian(q, frame, of=of, out=out)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> JointVector:
        """Torques, shape (*batch, 7)."""
        added = self._torque(q, qd)  # first: `out` may be one of the arguments
        tau = self._rigid.inverse_dynamics(q, qd, qdd, out=out)
        tau += added
        return tau

    def inverse_dynamics_wrench(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench: ArrayLike,
        *,
        out: Array | None = None,
    ) -> JointVector:
        """Torques under a tip wrench, shape (*batch, 7)."""
        added = self._torque(q, qd)
        tau = self._rigid.inverse_dynamics_wrench(q, qd, qdd, wrench, out=out)
        tau += added
        return tau

    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None
    ) -> JointVector:
        """Accelerations, shape (*batch, 7)."""
        return self._rigid.forward_dynamics(q, qd, self._rest(q, qd, tau), out=out)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Derivatives of the torques by q and qd, shape (*batch, 2, 7, 7)."""
        both = self._rigid.inverse_dynamics_derivatives(q, qd, qdd, out=out)
        for part, slope in enumerate(self._slopes(q, qd)):
            diagonal = np.einsum("...ii->...i", both[..., part, :, :])
            diagonal += slope
        return both

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Derivatives of the accelerations by q, qd and tau, shape (*batch, 3, 7, 7)."""
        rest = self._rest(q, qd, tau)
        all_three = self._rigid.forward_dynamics_derivatives(q, qd, rest, out=out)
        inverse = all_three[..., 2, :, :]
        for part, slope in enumerate(self._slopes(q, qd)):
            all_three[..., part, :, :] -= inverse * slope[..., None, :]
        return all_three

    def _rest(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> JointVector:
        """The torques that move the rigid arm: `tau` less the effects."""
        names, dof = ("q", "qd", "tau"), self._effects.dof
        arrays = [joint_array(x, name, dof) for x, name in zip((q, qd, tau), names, strict=True)]
        check_broadcast(names, arrays)
        return arrays[2] - self._torque(arrays[0], arrays[1])


class NativeEffectKernels(EffectKernels):
    """The same in native code, for kernels of the extension that hold the effects.

    The two calls of control and simulation have kernels of their own, which replace the methods.
    """

    def __init__(self, rigid: ArmKernels, effects: JointEffects) -> None:
        super().__init__(rigid, effects)
        self._torque = rigid.joint_effects
        self._slopes = effects.derivatives
        self.__dict__["inverse_dynamics"] = rigid.inverse_dynamics_effects
        self.__dict__["forward_dynamics"] = rigid.forward_dynamics_effects
