"""Differentiable functions of an arm for PyTorch, with first derivatives by our own kernels.

Tensors on a GPU are computed there by an arm with `backend="cuda"`, tensors on the processor by any
arm. The functions are custom operators: `torch.compile` takes them as they are, once each arm has
been used outside of it.
"""

from __future__ import annotations

import itertools
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from baxterkit.arm import Arm
from baxterkit.extras import load_extra
from baxterkit.kernels.table import BY_NAME

torch = load_extra("torch", feature="baxterkit.torch", package="PyTorch", extra="torch")

__all__ = ["fk", "forward_dynamics", "inverse_dynamics"]

_arms: WeakValueDictionary[int, Arm] = WeakValueDictionary()
_numbers = itertools.count()


def _number(arm: Arm) -> int:
    """The arm as operators take it: a number, which its first call gives it."""
    number: int | None = getattr(arm, "_torch_number", None)
    return _register(arm) if number is None else number


@torch.compiler.disable  # type: ignore[untyped-decorator]
def _register(arm: Arm) -> int:
    number = next(_numbers)
    _arms[number] = arm
    arm.__dict__["_torch_number"] = number
    return number


@torch.library.custom_op("baxterkit::kernel", mutates_args=())  # type: ignore[untyped-decorator]
def _kernel(name: str, arm: int, inputs: list[torch.Tensor]) -> torch.Tensor:  # type: ignore[name-defined]
    who = _arms[arm]
    moving = name.startswith(("inverse_dynamics", "forward_dynamics"))
    call = getattr(who._moving if moving else who._kernels, name)
    inputs = [x.contiguous() for x in inputs]
    if inputs[0].is_cuda:
        return call(*inputs)
    answer = call(*(x.numpy() for x in inputs))
    return torch.from_numpy(np.asarray(answer)).to(inputs[0].dtype)


@_kernel.register_fake  # type: ignore[untyped-decorator]
def _(name: str, arm: int, inputs: list[Any]) -> Any:
    batch = torch.broadcast_shapes(*(x.shape[:-1] for x in inputs))
    return inputs[0].new_empty((*batch, *BY_NAME[name].shape))


def _fk_backward(ctx: Any, grad: Any) -> Any:
    """Jᵀ of the force and moment that the gradient is."""
    q, T = ctx.saved_tensors
    J = _kernel("jacobian", ctx.arm, [q])
    moment = torch.linalg.cross(T[..., :3, :3], grad[..., :3, :3], dim=-2).sum(-1)
    wrench = torch.cat([grad[..., :3, 3], moment], -1)
    return None, torch.einsum("...ij,...i->...j", J, wrench)


def _dynamics_backward(ctx: Any, grad: Any) -> Any:
    """The derivatives' transposes times the gradient, summed where an argument was broadcast."""
    inputs = ctx.saved_tensors
    slopes = _kernel(f"{ctx.name}_derivatives", ctx.arm, list(inputs))
    parts = list(slopes.unbind(-3))
    if len(parts) < len(inputs):  # of inverse dynamics by accelerations: M
        parts.append(_kernel("inertia", ctx.arm, [inputs[0]]))
    grads = [torch.einsum("...ij,...i->...j", part, grad) for part in parts]
    return None, *(_summed(g, x.shape) for g, x in zip(grads, inputs, strict=True))


def _summed(grad: Any, shape: Any) -> Any:
    extra = grad.ndim - len(shape)
    axes = [*range(extra), *(extra + i for i, n in enumerate(shape) if n == 1)]
    return grad.sum(axes).reshape(shape) if axes else grad


@torch.library.custom_op("baxterkit::fk", mutates_args=())  # type: ignore[untyped-decorator]
def _fk(arm: int, q: torch.Tensor) -> torch.Tensor:  # type: ignore[name-defined]
    return _kernel("fk", arm, [q])


@_fk.register_fake  # type: ignore[untyped-decorator]
def _(arm: int, q: Any) -> Any:
    return q.new_empty((*q.shape[:-1], 4, 4))


def _save_fk(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.arm = inputs[0]
    ctx.save_for_backward(inputs[1], output)


_fk.register_autograd(_fk_backward, setup_context=_save_fk)


def _dynamics(name: str) -> Any:
    """The operator of inverse or forward dynamics."""

    @torch.library.custom_op(f"baxterkit::{name}", mutates_args=())  # type: ignore[untyped-decorator]
    def run(arm: int, q: torch.Tensor, qd: torch.Tensor, u: torch.Tensor) -> torch.Tensor:  # type: ignore[name-defined]
        return _kernel(name, arm, [q, qd, u])

    @run.register_fake  # type: ignore[untyped-decorator]
    def _(arm: int, q: Any, qd: Any, u: Any) -> Any:
        batch = torch.broadcast_shapes(*(x.shape[:-1] for x in (q, qd, u)))
        return q.new_empty((*batch, 7))

    def save(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.name, ctx.arm = name, inputs[0]
        ctx.save_for_backward(*inputs[1:])

    run.register_autograd(_dynamics_backward, setup_context=save)
    return run


_inverse_dynamics, _forward_dynamics = (
    _dynamics(name) for name in ("inverse_dynamics", "forward_dynamics")
)


def fk(arm: Arm, q: torch.Tensor) -> torch.Tensor:  # type: ignore[name-defined]
    """Pose of the tip in base.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).

    Returns:
        T_base_tip, shape (*batch, 4, 4).
    """
    return _fk(_number(arm), q)


def inverse_dynamics(
    arm: Arm,
    q: torch.Tensor,  # type: ignore[name-defined]
    qd: torch.Tensor,  # type: ignore[name-defined]
    qdd: torch.Tensor,  # type: ignore[name-defined]
) -> torch.Tensor:  # type: ignore[name-defined]
    """Torques of a motion, joint effects included if the arm has them.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        qd: Joint velocities [rad/s], shape (*batch, 7).
        qdd: Joint accelerations [rad/s²], shape (*batch, 7).

    Returns:
        tau [N m], shape (*batch, 7).
    """
    return _inverse_dynamics(_number(arm), q, qd, qdd)


def forward_dynamics(
    arm: Arm,
    q: torch.Tensor,  # type: ignore[name-defined]
    qd: torch.Tensor,  # type: ignore[name-defined]
    tau: torch.Tensor,  # type: ignore[name-defined]
) -> torch.Tensor:  # type: ignore[name-defined]
    """Accelerations under torques, joint effects included if the arm has them.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        qd: Joint velocities [rad/s], shape (*batch, 7).
        tau: Joint torques [N m], shape (*batch, 7).

    Returns:
        qdd [rad/s²], shape (*batch, 7).
    """
    return _forward_dynamics(_number(arm), q, qd, tau)
