"""Differentiable functions of an arm for JAX, with first derivatives by our own kernels.

They are custom calls of XLA, so `jax.jit`, `jax.vmap`, `jax.grad` and `jax.jvp` take them. Arrays
on a GPU are computed there by an arm with `backend="cuda"`, arrays on the processor by
any arm. Types are float64 (with `jax_enable_x64`) and float32.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from baxterkit.arm import Arm
from baxterkit.backend.choice import device_of
from baxterkit.errors import InputError
from baxterkit.extras import load_extra
from baxterkit.kernels.table import BY_NAME
from baxterkit.scene import Scene
from baxterkit.types import ForeignArray

__all__ = ["clearance", "fk", "forward_dynamics", "inverse_dynamics"]

_numbers = itertools.count()


def fk(arm: Arm, q: ForeignArray) -> ForeignArray:
    """Pose of the tip in base.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).

    Returns:
        T_base_tip, shape (*batch, 4, 4).

    Raises:
        MissingExtraError: If JAX is not installed.
    """
    return _made().fk(arm, q)


def inverse_dynamics(
    arm: Arm, q: ForeignArray, qd: ForeignArray, qdd: ForeignArray
) -> ForeignArray:
    """Torques of a motion, joint effects included if the arm has them.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        qd: Joint velocities [rad/s], shape (*batch, 7).
        qdd: Joint accelerations [rad/s²], shape (*batch, 7).

    Returns:
        tau [N m], shape (*batch, 7).
    """
    return _made().inverse_dynamics(arm, q, qd, qdd)


def forward_dynamics(
    arm: Arm, q: ForeignArray, qd: ForeignArray, tau: ForeignArray
) -> ForeignArray:
    """Accelerations under torques, joint effects included if the arm has them.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        qd: Joint velocities [rad/s], shape (*batch, 7).
        tau: Joint torques [N m], shape (*batch, 7).

    Returns:
        qdd [rad/s²], shape (*batch, 7).
    """
    return _made().forward_dynamics(arm, q, qd, tau)


def clearance(scene: Scene, q_left: ForeignArray, q_right: ForeignArray) -> ForeignArray:
    """Distance of the two links that are nearest to each other, or of a link and an obstacle.

    Args:
        scene: The robot among its obstacles.
        q_left: Joint positions of the left arm [rad], float64, shape (*batch, 7).
        q_right: The same of the right arm.

    Returns:
        The clearance [m], negative where they overlap, shape (*batch).
    """
    return _made().clearance(scene, q_left, q_right)


class _Operators(NamedTuple):
    fk: Callable[..., ForeignArray]
    inverse_dynamics: Callable[..., ForeignArray]
    forward_dynamics: Callable[..., ForeignArray]
    clearance: Callable[..., ForeignArray]


@cache
def _made() -> _Operators:
    """The functions, made at the first call: JAX takes long to import."""
    jax = load_extra("jax", feature="baxterkit.jax", package="JAX", extra="jax")
    from baxterkit.jax import calls

    numpy = jax.numpy
    calls.register(jax, _follow)

    def call(who: ForeignArray, name: str, inputs: tuple[ForeignArray, ...]) -> ForeignArray:
        """A kernel of an arm, or the nearest pair in a scene: clearance and gradient."""
        number = _number_of(who, name)
        batch = numpy.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        given = [numpy.broadcast_to(x, (*batch, x.shape[-1])) for x in inputs]
        shapes = ((), (14,)) if name == "nearest" else (BY_NAME[name].shape,)
        results = [jax.ShapeDtypeStruct((*batch, *shape), given[0].dtype) for shape in shapes]
        run = jax.ffi.ffi_call(calls.NAME, results, vmap_method="broadcast_all")
        return run(*given, number=np.int64(number))

    def with_slopes(slopes: Callable[..., ForeignArray], name: str) -> ForeignArray:
        """The kernel as a function whose derivative is `slopes(arm, inputs, tangents, value)`."""

        def value(who: ForeignArray, *inputs: ForeignArray) -> ForeignArray:
            return call(who, name, inputs)[0]

        def rule(
            who: ForeignArray, inputs: tuple[ForeignArray, ...], tangents: tuple[ForeignArray, ...]
        ) -> tuple[ForeignArray, ForeignArray]:
            result = made(who, *inputs)
            return result, slopes(who, inputs, tangents, result)

        made = jax.custom_jvp(value, nondiff_argnums=(0,))
        made.defjvp(rule)
        return lambda who, *inputs: made(who, *map(numpy.asarray, inputs))

    def times(part: ForeignArray, x: ForeignArray) -> ForeignArray:
        return numpy.einsum("...ij,...j->...i", part, x)

    def pose_slopes(
        arm: Arm, inputs: ForeignArray, tangents: ForeignArray, T: ForeignArray
    ) -> ForeignArray:
        twist = times(call(arm, "jacobian", inputs)[0], tangents[0])
        turned = numpy.cross(twist[..., 3:, None], T[..., :3, :3], axis=-2)
        moved = numpy.concatenate([turned, twist[..., :3, None]], -1)
        return numpy.concatenate([moved, numpy.zeros_like(T[..., :1, :])], -2)

    def dynamics(name: str) -> ForeignArray:
        def slopes(
            arm: Arm, inputs: ForeignArray, tangents: ForeignArray, _: ForeignArray
        ) -> ForeignArray:
            parts = call(arm, f"{name}_derivatives", inputs)[0]
            split = [parts[..., i, :, :] for i in range(parts.shape[-3])]
            if len(split) < len(inputs):  # of inverse dynamics by accelerations: M
                split.append(call(arm, "inertia", inputs[:1])[0])
            return sum(times(part, x) for part, x in zip(split, tangents, strict=True))

        return with_slopes(slopes, name)

    def gap_slopes(
        scene: Scene, inputs: ForeignArray, tangents: ForeignArray, _: ForeignArray
    ) -> ForeignArray:
        slope = call(scene, "nearest", inputs)[1]
        left, right = slope[..., :7], slope[..., 7:]
        return (left * tangents[0]).sum(-1) + (right * tangents[1]).sum(-1)

    return _Operators(
        with_slopes(pose_slopes, "fk"),
        dynamics("inverse_dynamics"),
        dynamics("forward_dynamics"),
        with_slopes(gap_slopes, "nearest"),
    )


def _number_of(who: Arm | Scene, name: str) -> int:
    """The number of a function of an arm or a scene, which its first call gives it."""
    from baxterkit.jax import calls

    known: dict[str, int] = vars(who).setdefault("_jax_numbers", {})
    if name not in known:
        number = next(_numbers)
        calls.functions[number] = _nearest(who) if isinstance(who, Scene) else _kernel(who, name)
        known[name] = number
    return known[name]


def _kernel(arm: Arm, name: str) -> Callable[..., None]:
    moving = name.startswith(("inverse_dynamics", "forward_dynamics"))
    call = getattr(arm._moving if moving else arm._kernels, name)

    def run(inputs: list[ForeignArray], results: list[ForeignArray]) -> None:
        if isinstance(inputs[0], np.ndarray):
            results[0][...] = call(*inputs)
        elif device_of(arm._kernels) is None:
            raise InputError('arrays are on a GPU, and this arm is not: Arm(..., backend="cuda")')
        else:
            call(*inputs, out=results[0])

    return run


def _nearest(scene: Scene) -> Callable[..., None]:
    def run(inputs: list[ForeignArray], results: list[ForeignArray]) -> None:
        if isinstance(inputs[0], np.ndarray):
            near = scene.nearest(*inputs)
            results[0][...], results[1][...] = near.clearance, near.gradient
        else:
            gpu = scene._on_gpu(*inputs)
            if gpu is None:
                raise InputError('arrays are on a GPU, and no arm of the scene has backend="cuda"')
            q_left, q_right = inputs
            out = {"clearance": results[0], "gradient": results[1]}
            gpu.nearest(q_left, q_right, scene.head, out)

    return run


def _follow(stream: int) -> None:
    """Lets XLA's stream wait for ours."""
    from baxterkit.cuda import device

    on = device()
    with on.active() as driver:
        driver.follow(stream, on.stream)
