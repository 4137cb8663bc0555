"""The base parameters of an arm: the smallest set of inertial parameters that determine motion.

Ten numbers describe each link (`link_parameters`), but joint torques depend on only 45 combinations
of Baxter's seventy (`base_parameters`). `baxterkit.equations.inertia` explains why, and which; here
are the numbers, and the linear map between the two. The generated kernels take the base parameters
as their argument, so tool, payload and identified inertias need no new code.

The count is the least possible for an arm whose neighbouring axes are not parallel, as Baxter's.
With parallel neighbours the parameters are still complete, but not all independent.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from baxterkit.equations.chain import Chain
from baxterkit.equations.inertia import (
    Moments,
    base_parameter_count,
    base_parameter_names,
    regroup,
    regrouped_links,
)
from baxterkit.model.dh import DhTable, dh_from_model
from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel, Joint, Tool
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, Transform, frozen

LINK_PARAMETER_NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Mass [kg], first moments [kg m], inertia tensor about the link frame's origin [kg m²]."""

PARALLEL_GRAVITY = 1e-12
"""Gravity counts as parallel to the first axis up to this sine of the angle between them."""

_ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def chain_of(model: ArmModel) -> Chain:
    """The chain in which the arm's equations are derived; mount, tool and payload do not enter."""
    # Baxter's table is known to be exact; any other is compared with its joints, and warns.
    return _chain(model.joints, not model.is_baxter_geometry)


def chain_gravity(model: ArmModel, chain: Chain | None = None) -> Array:
    """Gravity as the kernels take it: in frame 0, divided by the unit of length [1/s²], (3,)."""
    chain = chain_of(model) if chain is None else chain
    gravity: Array = _R_s0_frame0(model.joints).T @ model.T_base_s0[:3, :3].T @ model.gravity
    return gravity / chain.length


def link_parameters(model: ArmModel) -> Array:
    """Ten parameters of each link with tool and payload, URDF link frames, shape (10 n,).

    In the order of `LINK_PARAMETER_NAMES`, link after link.
    """
    values = []
    for body in model.link_inertials():
        inertia = body.about_origin
        values += [body.mass, *(body.mass * body.com), *(inertia[i, k] for i, k in _ENTRIES)]
    return np.array(values)


def base_parameters(model: ArmModel, chain: Chain | None = None) -> Array:
    """Base parameters beta of the arm [kg m²], tool and payload included, shape (7 n - 4,).

    `base_parameter_names` names them; moments are in chain frames, first moments multiplied by the
    chain's unit of length.
    """
    return base_parameter_map(model, chain) @ link_parameters(model)


def base_parameter_map(model: ArmModel, chain: Chain | None = None) -> Array:
    """The matrix of `beta = map @ link_parameters`, shape (7 n - 4, 10 n); geometry only."""
    chain = chain_of(model) if chain is None else chain
    return _regrouped(model.joints, chain)[0]


def link_parameters_of_base(model: ArmModel, chain: Chain | None = None) -> Array:
    """A right inverse of the map, shape (10 n, 7 n - 4): links that have only base parameters.

    They move like the true links but are not physical bodies: they have no mass.
    """
    chain = chain_of(model) if chain is None else chain
    T_link_chain = inverse(link_frames(model, chain))
    n, count = chain.dof, base_parameter_count(chain.dof)
    blocks = []
    for T, body in zip(T_link_chain, regrouped_links(list(np.eye(count))), strict=True):
        R, t = T[:3, :3], T[:3, 3]
        h = R @ _rows(body.h, count) / chain.length
        S = np.array([[_row(x, count) for x in row] for row in body.S])
        S = np.einsum("ij,jkc,lk->ilc", R, S, R)
        S = S + h[:, None] * t[None, :, None] + t[:, None, None] * h[None, :]
        inertia = np.trace(S) * np.eye(3)[:, :, None] - S
        blocks.append(np.vstack([np.zeros(count), h, *(inertia[i, k] for i, k in _ENTRIES)]))
    return np.vstack(blocks).reshape(10 * n, count)


def mount_energy(model: ArmModel, chain: Chain | None = None) -> float:
    """The constant that is missing from the potential energy of the base parameters [J].

    It is the energy of the mass that regrouping leaves at the mount, and of the mount's own place.
    """
    chain = chain_of(model) if chain is None else chain
    parameters = link_parameters(model)
    h = _regrouped(model.joints, chain)[1] @ parameters
    masses = parameters[::10].sum()
    at_mount = masses * (model.T_base_s0[:3, 3] @ model.gravity)
    return float(-h @ chain_gravity(model, chain) - at_mount)


def link_moments(model: ArmModel, chain: Chain) -> list[Moments]:
    """Moments of the arm's links, tool and payload included, in chain frames."""
    parameters = link_parameters(model)

    def number(row: Array) -> float:
        return float(row @ parameters)

    return [
        Moments(
            m=number(unit.m),
            h=[number(x) for x in unit.h],
            S=[[number(x) for x in row] for row in unit.S],
        )
        for unit in _unit_moments(model.joints, chain)
    ]


def parameters_without_effect(model: ArmModel) -> tuple[int, ...]:
    """Indices of base parameters that affect no torque.

    The first moments of link 1 if gravity is parallel to the first axis (43 parameters remain),
    none otherwise.
    """
    gravity = chain_gravity(model)
    aside = np.hypot(gravity[0], gravity[1])
    return (1, 2) if aside <= PARALLEL_GRAVITY * np.linalg.norm(gravity) else ()


# The functions below depend on the joints alone, which both arms share: results are cached.


@lru_cache(maxsize=8)
def _bare_table(joints: tuple[Joint, ...], measure: bool = False) -> DhTable:
    """DH table of the joints, without mount, hand and tool."""
    bodies = (Inertial(1.0, np.zeros(3), np.eye(3)),) * len(joints)
    model = ArmModel("left", joints, bodies, np.eye(4), np.eye(4), Tool("hand", np.eye(4)))
    return dh_from_model(model, measure)


@lru_cache(maxsize=8)
def _chain(joints: tuple[Joint, ...], measure: bool) -> Chain:
    return Chain.from_dh(_bare_table(joints, measure).rows)


@lru_cache(maxsize=8)
def _regrouped(joints: tuple[Joint, ...], chain: Chain) -> tuple[Array, Array]:
    """The map to base parameters, and that to the first moments left at the mount, shape (3, 10 n).

    Both multiply link parameters, and both are read-only.
    """
    beta, rest = regroup(chain, _unit_moments(joints, chain))
    mapping = frozen(np.stack(np.broadcast_arrays(*beta)))
    return mapping, frozen(_rows(rest.h, 10 * chain.dof))


@lru_cache(maxsize=8)
def _unit_moments(joints: tuple[Joint, ...], chain: Chain) -> list[Moments]:
    """Moments of all links in chain frames, each scalar a row over the link parameters."""
    n, length = chain.dof, chain.length
    units = np.eye(10 * n).reshape(n, 10, 10 * n)
    moments = []
    for T, (m, *rest) in zip(_link_frames(joints, chain), units, strict=True):
        R, t = T[:3, :3], T[:3, 3]
        h = R @ np.array(rest[:3])
        inertia = np.empty((3, 3, 10 * n))
        for (i, k), row in zip(_ENTRIES, rest[3:], strict=True):
            inertia[i, k] = inertia[k, i] = row
        S = 0.5 * np.trace(inertia) * np.eye(3)[:, :, None] - inertia
        S = np.einsum("ij,jkc,lk->ilc", R, S, R)
        S = S + h[:, None] * t[None, :, None] + t[:, None, None] * h[None, :]
        S = S + np.multiply.outer(np.outer(t, t), m)
        h = h + np.multiply.outer(t, m)
        moments.append(Moments(m=m * length**2, h=list(h * length), S=[list(row) for row in S]))
    return moments


def link_frames(model: ArmModel, chain: Chain) -> Transform:
    """URDF link frames in chain frames, `T_chain_link`, shape (n, 4, 4); they do not move."""
    return _link_frames(model.joints, chain)


def _link_frames(joints: tuple[Joint, ...], chain: Chain) -> Transform:
    T_chain = np.eye(4)
    T_chain[:3, :3] = _R_s0_frame0(joints)
    T_link = np.eye(4)
    result = []
    for joint, link in zip(chain.joints, joints, strict=True):
        T = np.eye(4)
        c, s = joint.offset
        T[:3, :3] = np.array(joint.A) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        T[:3, 3] = np.array(joint.P) * chain.length
        T_chain = T_chain @ T
        T_link = T_link @ link.T_parent_joint
        T = inverse(T_chain) @ T_link
        exact = np.round(T[:3, :3])
        T[:3, :3] = np.where(np.abs(T[:3, :3] - exact) < 1e-14, exact, T[:3, :3])
        result.append(T)
    return np.stack(result)


def _R_s0_frame0(joints: tuple[Joint, ...]) -> Array:
    """Rotation of frame 0 in the first joint's frame, shape (3, 3); the identity for Baxter."""
    return _bare_table(joints).T_base_0[:3, :3]


def _row(x: object, size: int) -> Array:
    return np.broadcast_to(np.asarray(x, dtype=np.float64), (size,))


def _rows(x: list[object], size: int) -> Array:
    return np.stack([_row(value, size) for value in x])


__all__ = [
    "LINK_PARAMETER_NAMES",
    "base_parameter_map",
    "base_parameter_names",
    "base_parameters",
    "chain_gravity",
    "chain_of",
    "link_frames",
    "link_moments",
    "link_parameters",
    "link_parameters_of_base",
    "mount_energy",
    "parameters_without_effect",
]
