"""The kinematic methods of `Arm`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit import kinematics
from baxterkit.checks.arrays import finite_array, vector_array
from baxterkit.checks.results import deliver
from baxterkit.checks.units import warn_at_caller
from baxterkit.errors import InputError, SingularityWarning
from baxterkit.kernels.protocol import KernelMethods
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointMatrix, JointsLike, JointVector

SINGULARITY_INDEX = 1e-3
"""Manipulability below which `joint_velocity` warns; true for 2 % of random configurations."""

_RANK_INDEX = 1e-10
"""Manipulability below which the rank of J is in doubt, and the SVD decides."""

_BLOCK = 65_536
"""Number of rows whose singular values are computed at a time."""


class KinematicsMethods(KernelMethods):
    """Kinematics of the tip. `q`, `qd`: last axis 7, order s0 s1 e0 e1 w0 w1 w2.

    Methods that only call one kernel (`fk`, `link_poses`, `jacobian`, ...) come from
    `KernelMethods`, which is generated from kernels/table.py; the methods here combine several
    kernels.
    """

    model: ArmModel

    def joint_velocity(
        self,
        q: JointsLike,
        twist: ArrayLike,
        qd_null: JointsLike | None = None,
        damping: ArrayLike = 0.0,
        *,
        warn_below: float = SINGULARITY_INDEX,
        out: Array | None = None,
    ) -> JointVector:
        """Joint velocities for a tip velocity: J⁺ V + (1 - J⁺ J) qd_null (Kumar et al., eq. 5).

        Damping acts on V alone; the null space is the exact one, so `qd_null` never moves the tip.
        At a singularity the null space gains a direction: across it, the projection may jump.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            twist: V = [v; w] in base axes [m/s, rad/s], shape (*batch, 6).
            qd_null: Preferred joint velocities [rad/s], shape (*batch, 7); the part that leaves the
                tip at rest is added.
            damping: λ ≥ 0 of the damped pseudo-inverse Jᵀ(J Jᵀ + λ² 1)⁻¹, shape (*batch); with λ >
                0 the tip follows V only approximately.
            warn_below: Manipulability below which a `SingularityWarning` is given; 0 for never.
            out: Array for the result, shape (*batch, 7).

        Returns:
            qd [rad/s], shape (*batch, 7).
        """
        if qd_null is not None and _is_one(q, twist, qd_null, damping):
            index = self.manipulability(q)  # one state, as in a control loop: the kernel checks it
            if index >= warn_below and index >= _RANK_INDEX:
                given = np.array((damping,))
                return self._kernels.joint_velocity(q, twist, qd_null, given, out=out)
        q = self.model.joint_values(q)
        V = vector_array(twist, "twist", 6)
        wish = self.model.joint_values(
            np.zeros(self.model.dof) if qd_null is None else qd_null, "qd_null"
        )
        lam = finite_array(damping, "damping")
        if lam.size and float(lam.min()) < 0.0:
            raise InputError(f"damping must not be negative, got {float(lam.min()):g}")
        index = np.asarray(self.manipulability(q))
        self._warn_if_singular(index, warn_below)
        doubtful = (index < _RANK_INDEX) & ((lam == 0.0) | wish.any(axis=-1))
        if not doubtful.any():
            return self._kernels.joint_velocity(q, V, wish, lam[..., None], out=out)
        qd = self._kernels.joint_velocity(q, V, wish, lam[..., None])
        mask = np.broadcast_to(doubtful, qd.shape[:-1])
        at, v, w, d = (_rows_at(mask, x) for x in (q, V, wish, lam[..., None]))
        qd[mask] = kinematics.joint_velocity(self.model, at, v, w, d[..., 0])
        return deliver(qd, out)

    def condition_number(self, q: JointsLike, *, out: Array | None = None) -> Array:
        """Largest over smallest singular value of J (metres and radians), shape (*batch)."""
        q = self.model.joint_values(q)
        return _by_blocks(kinematics.condition_number, self.model, q, out)

    def smallest_singular_value(self, q: JointsLike, *, out: Array | None = None) -> Array:
        """Smallest singular value of J (metres and radians), shape (*batch)."""
        q = self.model.joint_values(q)
        return _by_blocks(kinematics.smallest_singular_value, self.model, q, out)

    def nullspace(self, q: JointsLike, *, out: Array | None = None) -> JointMatrix:
        """Projector 1 - J⁺ J onto joint velocities that leave the tip at rest.

        Args:
            q: Joint positions [rad], shape (*batch, 7).
            out: Array for the result, shape (*batch, 7, 7).

        Returns:
            N, shape (*batch, 7, 7): symmetric, N N = N, of rank 1 away from singularities.
        """
        q = self.model.joint_values(q)
        if self.model.dof != 7:
            return deliver(kinematics.nullspace(self.model, q), out)
        doubtful = np.asarray(self.manipulability(q)) < _RANK_INDEX
        if not doubtful.any():
            return self._kernels.nullspace(q, out=out)
        N = self._kernels.nullspace(q)
        N[doubtful] = kinematics.nullspace(self.model, q[doubtful])
        return deliver(N, out)

    def _warn_if_singular(self, index: Array, threshold: float) -> None:
        if index.size and float(index.min()) < threshold:
            warn_at_caller(
                f"near a singularity: manipulability {float(index.min()):.2e} is below "
                f"{threshold:g}; joint velocities may be large, use damping",
                SingularityWarning,
            )


def _is_one(q: object, twist: object, qd_null: object, damping: object) -> bool:
    """Whether this is one state: arrays of one row each, and a number."""
    return (
        type(q) is np.ndarray
        and type(twist) is np.ndarray
        and type(qd_null) is np.ndarray
        and q.ndim == twist.ndim == qd_null.ndim == 1
        and type(damping) is float
        and damping >= 0.0
    )


def _rows_at(mask: NDArray[np.bool_], x: Array) -> Array:
    """Rows of `x`, broadcast to the mask's shape, where the mask is true."""
    return np.broadcast_to(x, (*mask.shape, x.shape[-1]))[mask]


def _by_blocks(
    function: Callable[[ArmModel, JointVector], Array],
    model: ArmModel,
    q: JointVector,
    out: Array | None,
) -> Array:
    """One number for each row of q, in blocks, since J of a whole batch may not fit into memory."""
    rows = q.reshape(-1, q.shape[-1])
    if len(rows) <= _BLOCK:
        return deliver(function(model, q), out)
    result = np.empty(len(rows))
    for first in range(0, len(rows), _BLOCK):
        result[first : first + _BLOCK] = function(model, rows[first : first + _BLOCK])
    return deliver(result.reshape(q.shape[:-1]), out)
