"""The moving bodies of an arm, in base axes about one fixed point: the mount's origin.

With a single reference point no quantity has to be transformed from frame to frame: what joint j
moves is a plain sum over the links from j on. Motions and wrenches are rows of six, linear part
first: a motion is the velocity [m/s] of the point of the body at the mount's origin and the angular
velocity [rad/s]; a wrench is a force [N] and its moment [N m] about the mount's origin.

Everything here takes leading batch axes and complex numbers (for complex-step derivatives).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baxterkit.errors import ModelError
from baxterkit.model.model import ArmModel
from baxterkit.spatial.formulas import skew
from baxterkit.types import Array, JointVector


@dataclass(frozen=True)
class Bodies:
    """Links of an arm at one or more configurations; link j is [..., j, :].

    Attributes:
        screws: Motion of what joint j moves at unit rate, (*batch, n, 6).
        m: Masses [kg], (n,).
        h: First moments ∫ r dm [kg m], (*batch, n, 3).
        S: Second moments ∫ r r' dm [kg m²], (*batch, n, 3, 3).
        tip: Tip [m], (*batch, 3).
        R: Rotations from link axes to base axes, (*batch, n, 3, 3).
        p: Origins of the link frames [m], (*batch, n, 3).
    """

    screws: Array
    m: Array
    h: Array
    S: Array
    tip: Array
    R: Array
    p: Array


def bodies(model: ArmModel, q: JointVector) -> Bodies:
    """Places all links of `model` at the joint positions q [rad], shape (*batch, n)."""
    q = np.asarray(q)
    R, p, axes = _frames(model, q)
    inertials = model.link_inertials()
    m = np.array([body.mass for body in inertials])
    com = p + np.einsum("...nij,nj->...ni", R, np.array([body.com for body in inertials]))
    second = np.array([0.5 * np.trace(b.inertia) * np.eye(3) - b.inertia for b in inertials])
    S = R @ second @ np.swapaxes(R, -1, -2)
    h = m[:, None] * com
    return Bodies(
        screws=six(np.cross(p, axes), axes),
        m=m,
        h=h,
        S=S + h[..., :, None] * com[..., None, :],
        tip=p[..., -1, :] + R[..., -1, :, :] @ model.T_last_tip[:3, 3],
        R=R,
        p=p,
    )


def _frames(model: ArmModel, q: Array) -> tuple[Array, Array, Array]:
    """Rotations (*batch, n, 3, 3), origins and axes (*batch, n, 3) of the links, base axes."""
    R = np.broadcast_to(model.T_base_s0[:3, :3], (*q.shape[:-1], 3, 3))
    p = np.zeros((*q.shape[:-1], 3), dtype=np.result_type(q, np.float64))
    rotations, origins, axes = [], [], []
    for j, joint in enumerate(model.joints):
        if joint.kind != "revolute":
            raise ModelError(f"joint {joint.name} is {joint.kind}; dynamics needs revolute joints")
        K = skew(joint.axis)
        s, c = np.sin(q[..., j, None, None]), np.cos(q[..., j, None, None])
        turn = (np.eye(3) + K @ K) + s * K - c * (K @ K)
        p = p + R @ joint.T_parent_joint[:3, 3]
        R = R @ joint.T_parent_joint[:3, :3] @ turn
        rotations.append(R)
        origins.append(p)
        axes.append(R @ joint.axis)
    return np.stack(rotations, -3), np.stack(origins, -2), np.stack(axes, -2)


def six(linear: Array, angular: Array) -> Array:
    """Motion or wrench from its linear and angular parts, which broadcast."""
    return np.concatenate(np.broadcast_arrays(linear, angular), axis=-1)


def outer_sum(x: Array, axis: int) -> Array:
    """Sums over link j and all links beyond it, for every j along `axis`."""
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


def composite(arm: Bodies) -> tuple[Array, Array, Array]:
    """Mass (n,), first and second moments of all that each joint moves."""
    return outer_sum(arm.m, -1), outer_sum(arm.h, -2), outer_sum(arm.S, -3)


def momentum(m: Array, h: Array, S: Array, motion: Array) -> Array:
    """Wrench-like product of bodies with the given moments and motions, (*batch, n, 6)."""
    v, w = motion[..., :3], motion[..., 3:]
    linear = m[..., None] * v + np.cross(w, h)
    angular = np.cross(h, v) + trace(S)[..., None] * w - times(S, w)
    return six(linear, angular)


def cross_motion(a: Array, b: Array) -> Array:
    """Rate of the motion b when it moves along with the motion a."""
    linear = np.cross(a[..., 3:], b[..., :3]) + np.cross(a[..., :3], b[..., 3:])
    return six(linear, np.cross(a[..., 3:], b[..., 3:]))


def cross_wrench(a: Array, f: Array) -> Array:
    """Rate of the wrench f when it moves along with the motion a."""
    angular = np.cross(a[..., :3], f[..., :3]) + np.cross(a[..., 3:], f[..., 3:])
    return six(np.cross(a[..., 3:], f[..., :3]), angular)


def times(A: Array, x: Array) -> Array:
    """Matrix times vector on the last axes."""
    product: Array = np.einsum("...ij,...j->...i", A, x)
    return product


def trace(A: Array) -> Array:
    """Trace over the last two axes."""
    total: Array = np.einsum("...ii->...", A)
    return total


def powers(screws: Array, wrenches: Array) -> Array:
    """Power of wrench j on the motion of joint i at unit rate, (*batch, n, n), [..., i, j]."""
    product: Array = np.einsum("...ik,...jk->...ij", screws, wrenches)
    return product
