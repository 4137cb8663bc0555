"""The NumPy backend: the reference functions behind the same methods as the native kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import kinematics
from baxterkit.model.model import ArmModel
from baxterkit.native.messages import explain_frame, explain_out, explain_shapes
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
        arrays = (
            joint_array(q, "q", dof),
            vector_array(twist, "twist", 6),
            joint_array(qd_null, "qd_null", dof),
            vector_array(damping, "damping", 1),
        )
        check_broadcast(("q", "twist", "qd_null", "damping"), arrays)
        *rest, lam = arrays
        return deliver(kinematics.joint_velocity(self._model, *rest, lam[..., 0]), out)

    def _run(
        self, function: Callable[..., Any], out: Array | None, **arguments: ArrayLike
    ) -> Array:
        dof = self._model.dof
        arrays = [joint_array(value, name, dof) for name, value in arguments.items()]
        check_broadcast(tuple(arguments), arrays)
        result: Array = function(self._model, *arrays)
        return deliver(result, out)


def check_broadcast(names: tuple[str, ...], arrays: Sequence[Array]) -> None:
    """Raises ShapeError if the leading axes of the arrays do not broadcast."""
    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        explain_shapes(names, tuple(array.shape for array in arrays))


def deliver(result: Array, out: Array | None) -> Array:
    """`result`, or `out` filled with it.

    Raises:
        ShapeError: If `out` has another shape.
        InputError: If `out` is not a writable float64 array.
    """
    if out is None:
        return result
    fits = isinstance(out, np.ndarray) and out.shape == result.shape and out.dtype == np.float64
    if not (fits and out.flags.behaved):
        explain_out(out, result.shape)
    out[...] = result
    return out
