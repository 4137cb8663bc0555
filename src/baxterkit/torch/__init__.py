"""Differentiable functions of an arm for PyTorch, with first derivatives by our own kernels.

Tensors on a GPU are computed there by an arm with `backend="cuda"`, tensors on the processor by any
arm. The functions are custom operators: `torch.compile` takes them as they are, once each arm has
been used outside of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

import numpy as np

from baxterkit.arm import Arm
from baxterkit.extras import load_extra
from baxterkit.kernels.table import BY_NAME
from baxterkit.types import ForeignArray

__all__ = ["fk", "forward_dynamics", "inverse_dynamics"]

_arms: WeakValueDictionary[int, Arm] = WeakValueDictionary()
_numbers = itertools.count()
_DYNAMICS = "(int arm, Tensor q, Tensor qd, Tensor u) -> Tensor"


def fk(arm: Arm, q: ForeignArray) -> ForeignArray:
    """Pose of the tip in base.

    Args:
        arm: The arm.
        q: Tensor of joint positions [rad], shape (*batch, 7).

    Returns:
        T_base_tip, shape (*batch, 4, 4).

    Raises:
        MissingExtraError: If PyTorch is not installed.
    """
    operators = _made or _make()
    return operators.fk(_number(arm), q)


def inverse_dynamics(
    arm: Arm, q: ForeignArray, qd: ForeignArray, qdd: ForeignArray
) -> ForeignArray:
    """Torques of a motion, joint effects included if the arm has them.

    Args:
        arm: The arm.
        q: Tensor of joint positions [rad], shape (*batch, 7).
        qd: Joint velocities [rad/s], shape (*batch, 7).
        qdd: Joint accelerations [rad/s²], shape (*batch, 7).

    Returns:
        tau [N m], shape (*batch, 7).
    """
    operators = _made or _make()
    return operators.inverse_dynamics(_number(arm), q, qd, qdd)


def forward_dynamics(
    arm: Arm, q: ForeignArray, qd: ForeignArray, tau: ForeignArray
) -> ForeignArray:
    """Accelerations under torques, joint effects included if the arm has them.

    Args:
        arm: The arm.
        q: Tensor of joint positions [rad], shape (*batch, 7).
        qd: Joint velocities [rad/s], shape (*batch, 7).
        tau: Joint torques [N m], shape (*batch, 7).

    Returns:
        qdd [rad/s²], shape (*batch, 7).
    """
    operators = _made or _make()
    return operators.forward_dynamics(_number(arm), q, qd, tau)


def _number(arm: Arm) -> int:
    """The arm as operators take it: a number, which its first call gives it."""
    number: int | None = getattr(arm, "_torch_number", None)
    if number is None:
        number = arm.__dict__["_torch_number"] = next(_numbers)
        _arms[number] = arm
    return number


@dataclass(frozen=True)
class _Operators:
    fk: Callable[..., ForeignArray]
    inverse_dynamics: Callable[..., ForeignArray]
    forward_dynamics: Callable[..., ForeignArray]


_made: _Operators | None = None


def _make() -> _Operators:
    """Makes the operators, at the first call: PyTorch takes long to import."""
    global _made
    torch = load_extra("torch", feature="baxterkit.torch", package="PyTorch", extra="torch")

    def operator(name: str, schema: str, run: ForeignArray, fake: ForeignArray) -> ForeignArray:
        made = torch.library.custom_op(f"baxterkit::{name}", run, mutates_args=(), schema=schema)
        made.register_fake(fake)
        return made

    def run_kernel(name: str, arm: int, inputs: list[ForeignArray]) -> ForeignArray:
        who = _arms[arm]
        moving = name.startswith(("inverse_dynamics", "forward_dynamics"))
        call = getattr(who._moving if moving else who._kernels, name)
        inputs = [x.detach().contiguous() for x in inputs]
        if inputs[0].is_cuda:
            return call(*inputs)
        answer = np.asarray(call(*(x.numpy() for x in inputs)))
        return torch.from_numpy(answer).to(inputs[0].dtype)

    def shape_of(name: str, inputs: ForeignArray) -> ForeignArray:
        batch = torch.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        return inputs[0].new_empty((*batch, *BY_NAME[name].shape))

    kernel = operator(
        "kernel",
        "(str name, int arm, Tensor[] inputs) -> Tensor",
        run_kernel,
        lambda name, arm, inputs: shape_of(name, inputs),
    )

    def fk_backward(ctx: ForeignArray, grad: ForeignArray) -> ForeignArray:
        """Jᵀ of the force and moment that the gradient is."""
        q, T = ctx.saved_tensors
        J = kernel("jacobian", ctx.arm, [q])
        moment = torch.linalg.cross(T[..., :3, :3], grad[..., :3, :3], dim=-2).sum(-1)
        wrench = torch.cat([grad[..., :3, 3], moment], -1)
        return None, torch.einsum("...ij,...i->...j", J, wrench)

    def save_fk(ctx: ForeignArray, inputs: ForeignArray, output: ForeignArray) -> None:
        ctx.arm = inputs[0]
        ctx.save_for_backward(inputs[1], output)

    pose = operator(
        "fk",
        "(int arm, Tensor q) -> Tensor",
        lambda arm, q: run_kernel("fk", arm, [q]),
        lambda arm, q: shape_of("fk", [q]),
    )
    pose.register_autograd(fk_backward, setup_context=save_fk)

    def dynamics(name: str) -> ForeignArray:
        def backward(ctx: ForeignArray, grad: ForeignArray) -> ForeignArray:
            """The derivatives' transposes times the gradient."""
            inputs = list(ctx.saved_tensors)
            parts = list(kernel(f"{name}_derivatives", ctx.arm, inputs).unbind(-3))
            if len(parts) < len(inputs):  # of inverse dynamics by accelerations: M
                parts.append(kernel("inertia", ctx.arm, inputs[:1]))
            grads = [torch.einsum("...ij,...i->...j", part, grad) for part in parts]
            return None, *(_summed(g, x.shape) for g, x in zip(grads, inputs, strict=True))

        def save(ctx: ForeignArray, inputs: ForeignArray, output: ForeignArray) -> None:
            ctx.arm = inputs[0]
            ctx.save_for_backward(*inputs[1:])

        made = operator(
            name,
            _DYNAMICS,
            lambda arm, q, qd, u: run_kernel(name, arm, [q, qd, u]),
            lambda arm, q, qd, u: shape_of(name, [q, qd, u]),
        )
        made.register_autograd(backward, setup_context=save)
        return made

    _made = _Operators(pose, dynamics("inverse_dynamics"), dynamics("forward_dynamics"))
    return _made


def _summed(grad: ForeignArray, shape: ForeignArray) -> ForeignArray:
    """A gradient, summed along the axes that were broadcast."""
    extra = grad.ndim - len(shape)
    axes = [*range(extra), *(extra + i for i, n in enumerate(shape) if n == 1)]
    return grad.sum(axes).reshape(shape) if axes else grad
