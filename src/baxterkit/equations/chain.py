"""The arm as a chain of frames in which its equations of motion are short.

Frame j (j = 1 … n) moves with link j; its z axis is the axis of joint j. It is frame j - 1 of the
standard DH table, turned by the joint:

    T_{j-1,j} = Tz(d_{j-1}) Tx(a_{j-1}) Rx(alpha_{j-1}) Rz(theta_j)

so all that is constant about joint j is one rotation `A_j` and one offset `P_j`, both in frame j
- 1. Baxter's axes meet in pairs (s1 e0, e1 w0, w1 w2): three of its six offsets are then zero,
and every `A_j` is a signed permutation, which costs no arithmetic.

Lengths are measured in units of `Chain.length`. A unit equal to an offset of the arm turns the
products with that offset into plain additions; Baxter's 69 mm occurs twice. All mass moments are
multiplied up to kg m² (`inertia.Moments`), gravity is divided by the unit, and torques come out
in N m.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from baxterkit.equations.kinematics import DhRow
from baxterkit.equations.vectors import Scalar, Vector, matvec, snapped_cos_sin, transposed_matvec


@dataclass(frozen=True)
class ChainJoint:
    """The constant part of one joint.

    Attributes:
        A: Rotation from the joint's frame at theta = 0 to the frame before it, (3, 3) rows.
        P: Origin of the joint's frame in the frame before it, in units of `Chain.length`.
        offset: Cosine and sine of the constant that is added to q to give theta.
    """

    A: tuple[tuple[float, float, float], ...]
    P: tuple[float, float, float]
    offset: tuple[float, float]


@dataclass(frozen=True)
class Chain:
    """Geometry of a serial chain of revolute joints, in the frames of this module.

    Attributes:
        joints: From the mount outwards. Frame 0 is the frame of the first DH row (`T_base_0`).
        length: Unit of length [m].
    """

    joints: tuple[ChainJoint, ...]
    length: float

    @classmethod
    def from_dh(cls, rows: Sequence[DhRow], length: float | None = None) -> Chain:
        """Chain of the arm with the standard DH table `rows`.

        The last row only places the tip: it is not used, and theta = q there.

        Args:
            rows: Standard DH rows, revolute joints only.
            length: Unit of length [m]; by default the offset that occurs most often.
        """
        if length is None:
            length = _commonest_length(rows)
        joints = []
        d = a = alpha = 0.0
        for row in rows:
            ca, sa = snapped_cos_sin(alpha)
            joints.append(
                ChainJoint(
                    A=((1, 0, 0), (0, ca, -sa), (0, sa, ca)),
                    P=(_ratio(a, length), 0, _ratio(d, length)),
                    offset=(1, 0) if row is rows[-1] else snapped_cos_sin(row.theta_offset),
                )
            )
            d, a, alpha = row.d, row.a, row.alpha
        return cls(joints=tuple(joints), length=length)

    @property
    def dof(self) -> int:
        """Number of joints of the chain."""
        return len(self.joints)

    def angles(self, s: Sequence[Scalar], c: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
        """(sin theta, cos theta) of every joint, from the sines and cosines of q."""
        return [
            (sj * j.offset[0] + cj * j.offset[1], cj * j.offset[0] - sj * j.offset[1])
            for j, sj, cj in zip(self.joints, s, c, strict=True)
        ]


def _commonest_length(rows: Sequence[DhRow]) -> float:
    # d of the first row slides along the first axis and d, a of the last place the tip: no effect.
    lengths = [abs(row.a) for row in rows[:-1]] + [abs(row.d) for row in rows[1:-1]]
    counts = Counter(x for x in lengths if x > 0.0)
    return counts.most_common(1)[0][0] if counts else 1.0


def _ratio(x: float, unit: float) -> float:
    return int(x / unit) if x / unit in (0.0, 1.0, -1.0) else x / unit


def to_child(joint: ChainJoint, angle: tuple[Scalar, Scalar], v: Sequence[Scalar]) -> Vector:
    """A vector of the frame before the joint, in the joint's own frame."""
    s, c = angle
    x, y, z = transposed_matvec(joint.A, v)
    return [c * x + s * y, c * y - s * x, z]


def to_parent(joint: ChainJoint, angle: tuple[Scalar, Scalar], v: Sequence[Scalar]) -> Vector:
    """A vector of the joint's own frame, in the frame before the joint."""
    s, c = angle
    return matvec(joint.A, [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])
