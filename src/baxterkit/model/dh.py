"""Standard Denavit-Hartenberg tables from any serial chain of revolute and prismatic joints.

Frame i moves with link i and has its z axis along joint i + 1:

    T_{i-1,i} = Rz(theta) Tz(d) Tx(a) Rx(alpha),    theta = q + theta_offset (revolute)
                                                    d = q + d_offset (prismatic).

The procedure is Ju et al.'s ("Kinematics Modeling and Experimental Verification of Baxter Robot",
2014) made general: go along the chain by joint type, and take the common normal from each joint's
axis to the next as x. Where the convention leaves a choice, see `_row` and `_last_row`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array
from baxterkit.checks.units import warn_at_caller
from baxterkit.errors import DhWarning, ModelError, shortened
from baxterkit.model.chain import SerialChain
from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel, Joint
from baxterkit.model.parts import SNAP_TOLERANCE
from baxterkit.spatial.formulas import inverse, pose_error, sincos, so3_exp, transform
from baxterkit.types import Array, Transform, Vector3, frozen

if TYPE_CHECKING:
    from baxterkit.model.xml_reader import Source

__all__ = ["DhRow", "DhTable", "chain_fk", "dh_from_chain", "dh_from_model", "dh_from_urdf"]

PARALLEL = 1e-12
"""Axes with a smaller sine of the angle between them count as parallel."""
MEETING = 1e-13
"""Axes with a smaller distance [m] between them count as meeting."""
EXACT = 1e-12
"""A table whose residual [m or rad] is larger than this gives a warning."""
_NOISE = 1e-14  # rad or m: what rounding leaves on a right angle or a decimal number
_SAMPLES = 256


@dataclass(frozen=True)
class DhRow:
    """One row of the table; angles in [rad], lengths in [m].

    Attributes:
        joint: Name of the joint.
        kind: "revolute" (q turns theta) or "prismatic" (q lengthens d).
        theta_offset: theta at q = 0.
        d: d at q = 0.
        a: Length of the common normal.
        alpha: Angle from this joint's axis to the next one's, about x.
    """

    joint: str
    kind: str
    theta_offset: float
    d: float
    a: float
    alpha: float

    def transform(self, q: ArrayLike) -> Transform:
        """T_{i-1,i} at joint positions `q` [rad or m], shape (*batch) -> (*batch, 4, 4)."""
        q = np.asarray(q, dtype=np.float64)
        turns = self.kind == "revolute"
        s, c = sincos(q + self.theta_offset if turns else np.full_like(q, self.theta_offset))
        sa, ca = sincos(self.alpha)
        T = np.zeros((*q.shape, 4, 4))
        T[..., 0, 0], T[..., 0, 1], T[..., 0, 2], T[..., 0, 3] = c, -s * ca, s * sa, self.a * c
        T[..., 1, 0], T[..., 1, 1], T[..., 1, 2], T[..., 1, 3] = s, c * ca, -c * sa, self.a * s
        T[..., 2, 1], T[..., 2, 2] = sa, ca
        T[..., 2, 3] = self.d if turns else q + self.d
        T[..., 3, 3] = 1.0
        return T


@dataclass(frozen=True, eq=False)
class DhTable:
    """A standard DH table and everything needed to use it.

    Attributes:
        root: Name of the chain's first link.
        tip: Name of its last link.
        rows: One per joint.
        T_base_0: DH frame 0 in the root link's frame, shape (4, 4).
        T_n_tip: Tip in the last DH frame, shape (4, 4).
        inertials: Inertial of what moves with each joint, in DH frame i; inertia about the centre
            of mass.
        position_residual: Largest distance [m] between this table's tip and the chain's, measured
            over 256 random joint positions (full turns, and 1 m each way).
        angle_residual: Largest angle [rad] between them.
    """

    root: str
    tip: str
    rows: tuple[DhRow, ...]
    T_base_0: Transform
    T_n_tip: Transform
    inertials: tuple[Inertial, ...]
    position_residual: float
    angle_residual: float

    def fk(self, q: ArrayLike) -> Transform:
        """Tip in the root's frame at `q`, shape (*batch, n) -> (*batch, 4, 4)."""
        q = joint_array(q, "q", len(self.rows))
        T: Transform = np.broadcast_to(self.T_base_0, (*q.shape[:-1], 4, 4))
        for i, row in enumerate(self.rows):
            T = T @ row.transform(q[..., i])
        return T @ self.T_n_tip


def dh_from_urdf(source: Source, root: str, tip: str, snap: float = SNAP_TOLERANCE) -> DhTable:
    """The DH table of a serial chain in a URDF file.

    Args:
        source: A path, or the text itself.
        root: Name of the chain's first link.
        tip: Name of its last link.
        snap: Angles this near [rad] to a multiple of pi/2 become that multiple.

    Raises:
        UrdfError: If the file is not a valid URDF, or there is no such chain.
        UnknownNameError: If a link does not exist.
        ModelError: If no joint between the links moves.

    Warns:
        DhWarning: If the table differs from the chain by more than 1e-12 m or rad: neighbouring
            axes are almost parallel, so that lengths in the table are huge.
    """
    from baxterkit.model.urdf_reader import read_urdf  # only now: arms need no XML

    return dh_from_chain(read_urdf(source, snap).chain(root, tip))


def dh_from_model(model: ArmModel, measure: bool = True) -> DhTable:
    """The DH table of an arm, base to tip; tool and payload are part of the last link.

    Without `measure` the residuals are NaN, which saves a few milliseconds.
    """
    first, *rest = model.joints
    mounted = replace(first, T_parent_joint=model.T_base_s0)
    inertials = model.link_inertials()
    return dh_from_chain(
        SerialChain("base", "tip", (mounted, *rest), inertials, model.T_last_tip, ()), measure
    )


def dh_from_chain(chain: SerialChain, measure: bool = True) -> DhTable:
    """The DH table of a serial chain; see `dh_from_urdf` and `dh_from_model`."""
    if not chain.joints:
        ends = f"'{shortened(chain.root)}' and '{shortened(chain.tip)}'"
        raise ModelError(f"no joint between {ends} moves, so there is no DH table")
    T_base_0 = chain.joints[0].T_parent_joint @ _aligned(chain.joints[0].axis)
    T_link_dh = T_base_0  # DH frame i - 1 in the frame of link i - 1
    rows: list[DhRow] = []
    inertials: list[Inertial] = []
    for i, joint in enumerate(chain.joints):
        # Everything about one joint is done in DH frame i - 1, at q = 0: numbers stay small.
        T_dh_link = inverse(T_link_dh) @ joint.T_parent_joint
        if i + 1 < len(chain.joints):
            following = chain.joints[i + 1]
            T_dh_next = T_dh_link @ following.T_parent_joint
            row = _row(joint, T_dh_next[:3, :3] @ following.axis, T_dh_next[:3, 3])
        else:
            row = _last_row(joint, T_dh_link @ chain.T_last_tip)
        rows.append(row)
        T_link_dh = inverse(T_dh_link) @ row.transform(0.0)
        inertials.append(chain.inertials[i].at(inverse(T_link_dh)))
    T_n_tip = clean_transform(inverse(T_link_dh) @ chain.T_last_tip)
    rough = DhTable(
        chain.root, chain.tip, tuple(rows), frozen(clean_transform(T_base_0)), frozen(T_n_tip),
        tuple(inertials), math.nan, math.nan,
    )  # fmt: skip
    if not measure:
        return rough
    table = _measured(rough, chain)
    if max(table.position_residual, table.angle_residual) > EXACT:
        longest = max(table.rows, key=lambda row: max(abs(row.d), row.a))
        warn_at_caller(
            f"the DH table is off its chain by {table.position_residual:.1e} m and "
            f"{table.angle_residual:.1e} rad (row {shortened(longest.joint)}: "
            f"d = {longest.d:.3g} m, a = {longest.a:.3g} m): "
            "neighbouring axes are almost parallel; "
            "if they should be parallel, read the file with a wider snap (snap=1e-6, say)",
            DhWarning,
        )
    return table


def chain_fk(chain: SerialChain, q: ArrayLike) -> Transform:
    """Tip in the root's frame by the chain's transforms, shape (*batch, n) -> (*batch, 4, 4)."""
    q = joint_array(q, "q", len(chain.joints))
    T: Transform = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    for i, joint in enumerate(chain.joints):
        moved = q[..., i, None] * joint.axis
        if joint.kind == "revolute":
            T = T @ joint.T_parent_joint @ transform(so3_exp(moved), np.zeros(3))
        else:
            T = T @ joint.T_parent_joint @ transform(np.eye(3), moved)
    return T @ chain.T_last_tip


def _row(joint: Joint, u: Vector3, p: Vector3) -> DhRow:
    """The row of `joint`, from the next joint's axis: direction `u`, point `p`, in frame i - 1.

    Choices: `a` is not negative. Where the axes meet, theta_offset lies in (-pi/2, pi/2]. Where
    they are parallel, the new origin is the next joint's own. Where they coincide, theta_offset is
    0.
    """
    sine = math.hypot(u[0], u[1])
    if sine <= PARALLEL:
        a = math.hypot(p[0], p[1])
        theta = math.atan2(p[1], p[0]) if a > MEETING else 0.0
        alpha = 0.0 if u[2] > 0.0 else math.pi
        return _clean_row(joint, theta, p[2], a if a > MEETING else 0.0, alpha)
    x = np.array([-u[1], u[0]]) / sine
    a = float(x @ p[:2])
    theta = math.atan2(x[1], x[0])
    if abs(a) <= MEETING:
        a = 0.0
        flip = not -math.pi / 2 + PARALLEL < theta <= math.pi / 2 + PARALLEL
    else:
        flip = a < 0.0
    if flip:
        x, a = -x, -a
        theta = math.atan2(x[1], x[0])
    y = np.array([-x[1], x[0]])
    along = float(u[:2] @ y)  # -sin(alpha)
    d = p[2] - float(p[:2] @ y) / along * u[2]
    return _clean_row(joint, theta, d, a, math.atan2(-along, u[2]))


def _last_row(joint: Joint, T: Transform) -> DhRow:
    """The last row, from the tip in frame n - 1.

    If the tip's x axis meets joint n's axis at a right angle, the tip is the last frame. Else the
    last frame is frame n - 1 moved along z to the tip's height, and the rest is left to T_n_tip.
    """
    x, p = T[:3, 0], T[:3, 3]
    aside = p[1] * x[0] - p[0] * x[1]
    if abs(x[2]) > PARALLEL or abs(aside) > MEETING:
        return _clean_row(joint, 0.0, p[2], 0.0, 0.0)
    alpha = math.atan2(T[2, 1], T[2, 2])
    return _clean_row(joint, math.atan2(x[1], x[0]), p[2], float(p[:2] @ x[:2]), alpha)


def _aligned(axis: Vector3) -> Transform:
    """A frame whose z axis is `axis`; the identity for z, a permutation for x and y."""
    x = np.zeros(3)
    x[int(np.argmin(np.abs(axis)))] = 1.0
    x = x - (x @ axis) * axis
    x = x / np.linalg.norm(x)
    return transform(np.stack([x, np.cross(axis, x), axis], axis=-1), np.zeros(3))


def _measured(table: DhTable, chain: SerialChain) -> DhTable:
    """The table with its residuals over random joint positions: full turns, and 1 m each way."""
    reach = np.array([np.pi if joint.kind == "revolute" else 1.0 for joint in chain.joints])
    q = reach * np.random.default_rng(0).uniform(-1.0, 1.0, (_SAMPLES, len(reach)))
    position, angle = pose_error(table.fk(q), chain_fk(chain, q))
    return DhTable(
        table.root, table.tip, table.rows, table.T_base_0, table.T_n_tip, table.inertials,
        float(position.max()), float(angle.max()),
    )  # fmt: skip


def _clean_row(joint: Joint, theta: float, d: float, a: float, alpha: float) -> DhRow:
    lengths = (_clean_length(float(d)), _clean_length(float(a)))
    return DhRow(joint.name, joint.kind, _clean_angle(theta), *lengths, _clean_angle(alpha))


def _clean_angle(angle: float) -> float:
    """`angle`, or the multiple of pi/2 that it equals up to rounding; in (-pi, pi]."""
    exact = round(angle / (math.pi / 2)) * (math.pi / 2)
    angle = exact if abs(angle - exact) <= _NOISE else angle
    return math.pi if angle == -math.pi else angle + 0.0


def _clean_length(length: float) -> float:
    """`length`, or the decimal number of 12 places that it equals up to rounding."""
    short = round(length, 12)
    return (short if abs(length - short) <= _NOISE else length) + 0.0


def clean_transform(T: Transform) -> Array:
    """`T` without the rounding errors on zeros and ones."""
    exact = np.round(T)
    return np.where(np.abs(T - exact) <= _NOISE, exact, T) + 0.0
