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
from baxterkit.scene import Scene
from baxterkit.types import ForeignArray

__all__ = ["clearance", "fk", "forward_dynamics", "inverse_dynamics"]

_arms: WeakValueDictionary[int, Arm] = WeakValueDictionary()
_scenes: WeakValueDictionary[int, Scene] = WeakValueDictionary()
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


def clearance(scene: Scene, q_left: ForeignArray, q_right: ForeignArray) -> ForeignArray:
    """Distance of the two links that are nearest to each other, or of a link and an obstacle.

    Args:
        scene: The robot among its obstacles.
        q_left: Tensor of joint positions of the left arm [rad], float64, shape (*batch, 7).
        q_right: The same of the right arm; one of both may have shape (7,).

    Returns:
        The clearance [m], negative where they overlap, shape (*batch).
    """
    operators = _made or _make()
    return operators.clearance(_scene_number(scene), q_left, q_right)[0]


def _number(arm: Arm) -> int:
    """The arm as operators take it: a number, which its first call gives it."""
    number: int | None = getattr(arm, "_torch_number", None)
    if number is None:
        number = arm.__dict__["_torch_number"] = next(_numbers)
        _arms[number] = arm
    return number


def _scene_number(scene: Scene) -> int:
    number: int | None = vars(scene).get("_torch_number")
    if number is None:
        number = vars(scene)["_torch_number"] = next(_numbers)
        _scenes[number] = scene
    return number


@dataclass(frozen=True)
class _Operators:
    fk: Callable[..., ForeignArray]
    inverse_dynamics: Callable[..., ForeignArray]
    forward_dynamics: Callable[..., ForeignArray]
    clearance: Callable[..., ForeignArray]


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

    def run_clearance(scene: int, q_left: ForeignArray, q_right: ForeignArray) -> ForeignArray:
        given = [x.detach().contiguous() for x in (q_left, q_right)]
        if q_left.is_cuda:
            near = _scenes[scene].nearest(*given)
            return near.clearance, near.gradient
        near = _scenes[scene].nearest(*(x.numpy() for x in given))
        return torch.from_numpy(np.array(near.clearance)), torch.from_numpy(near.gradient)

    def fake_clearance(scene: int, q_left: ForeignArray, q_right: ForeignArray) -> ForeignArray:
        batch = torch.broadcast_shapes(q_left.shape[:-1], q_right.shape[:-1])
        return q_left.new_empty(batch), q_left.new_empty((*batch, 14))

    def clearance_backward(ctx: ForeignArray, grad: ForeignArray, _: ForeignArray) -> ForeignArray:
        q_left, q_right, slope = ctx.saved_tensors
        grads = (grad[..., None] * slope).split(7, -1)
        return None, _summed(grads[0], q_left.shape), _summed(grads[1], q_right.shape)

    def save_clearance(ctx: ForeignArray, inputs: ForeignArray, output: ForeignArray) -> None:
        ctx.save_for_backward(inputs[1], inputs[2], output[1])
        ctx.mark_non_differentiable(output[1])

    gap = operator(
        "clearance",
        "(int scene, Tensor q_left, Tensor q_right) -> (Tensor, Tensor)",
        run_clearance,
        fake_clearance,
    )
    gap.register_autograd(clearance_backward, setup_context=save_clearance)
    _made = _Operators(pose, dynamics("inverse_dynamics"), dynamics("forward_dynamics"), gap)
    return _made


def _summed(grad: ForeignArray, shape: ForeignArray) -> ForeignArray:
    """A gradient, summed along the axes that were broadcast."""
    extra = grad.ndim - len(shape)
    axes = [*range(extra), *(extra + i for i, n in enumerate(shape) if n == 1)]
    return grad.sum(axes).reshape(shape) if axes else grad
