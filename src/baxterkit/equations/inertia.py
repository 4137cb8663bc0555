"""Mass moments of links, and the base parameters: the 45 combinations of them that affect motion.

A link enters the equations of motion through its moments about the origin of its frame,

    m = ∫ dm,   h = ∫ r dm,   S = ∫ r r' dm,

ten numbers. A point of the axis of joint j moves in the same way whether it belongs to link j or
to link j - 1, so whatever mass lies on that axis may be moved from the one to the other: `m`,
`h_z` and `S_zz` of link j are given to link j - 1, from the tip down to the mount. Seven numbers
a link remain (`S_xx S_yy S_xy S_xz S_yz h_x h_y`), three for link 1, which only turns about its
own z (`S_xx + S_yy`, `h_x`, `h_y`): 45. If gravity is parallel to the first axis, `h_x` and `h_y`
of link 1 have no effect either: 43.

The customary choice (Khalil) removes `I_yy` in place of `S_zz`. With `S_zz = 0` the inertial
torque of a link needs one product and one sum less, and the second moments need no tensor signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baxterkit.equations.chain import Chain
from baxterkit.equations.vectors import Matrix, Scalar, Vector, matvec

LINK_NAMES = ("Sxx", "Syy", "Sxy", "Sxz", "Syz", "hx", "hy")
FIRST_LINK_NAMES = ("Szz_about_axis", "hx", "hy")


@dataclass(frozen=True)
class Moments:
    """Zeroth, first and second mass moment of a body (or of several) about a frame's origin.

    Lengths are in units of `Chain.length`, and all moments carry that unit squared, so that all of
    them are in kg m²: `m = mass · length²`, `h = first moment · length`.

    Attributes:
        m: Zeroth moment [kg m²].
        h: First moment [kg m²], 3 entries.
        S: Second moment ∫ r r' dm [kg m²], 3 × 3, symmetric. The inertia tensor is tr(S) 1 - S.
    """

    m: Scalar
    h: Vector
    S: Matrix


def symmetric(xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar, xz: Scalar, yz: Scalar) -> Matrix:
    """Symmetric 3 × 3 matrix."""
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def plus(a: Moments, b: Moments) -> Moments:
    """Moments of two bodies together, about the same origin and in the same axes."""
    return Moments(
        m=a.m + b.m,
        h=[x + y for x, y in zip(a.h, b.h, strict=True)],
        S=symmetric(*(a.S[i][k] + b.S[i][k] for i, k in _UPPER)),
    )


_UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def turned_about_z(angle: tuple[Scalar, Scalar], S: Matrix) -> Matrix:
    """Rz S Rz' of a symmetric S, in 16 operations."""
    s, c = angle
    k = s * (S[0][0] - S[1][1]) + c * (2 * S[0][1])
    sk = s * k
    return symmetric(
        xx=S[0][0] - sk,
        yy=S[1][1] + sk,
        zz=S[2][2],
        xy=c * k - S[0][1],
        xz=c * S[0][2] - s * S[1][2],
        yz=s * S[0][2] + c * S[1][2],
    )


def conjugated(A: Sequence[Sequence[Scalar]], S: Matrix) -> Matrix:
    """A S A' of a symmetric S."""
    rows = [matvec(S, row) for row in A]  # rows of A S, as S is symmetric
    return symmetric(
        *(rows[i][0] * A[k][0] + rows[i][1] * A[k][1] + rows[i][2] * A[k][2] for i, k in _UPPER)
    )


def shifted(P: Sequence[Scalar], body: Moments) -> Moments:
    """The moments about the point -P: every position vector grows by P."""
    m, h, S = body.m, body.h, body.S
    mP = [m * p for p in P]
    hP = [x + y for x, y in zip(h, mP, strict=True)]

    def entry(i: int, k: int) -> Scalar:
        return S[i][k] + P[i] * h[k] + P[k] * hP[i]

    return Moments(m=m, h=hP, S=symmetric(*(entry(i, k) for i, k in _UPPER)))


def on_axis(m: Scalar, hz: Scalar, Szz: Scalar) -> Moments:
    """Mass on the z axis."""
    return Moments(m=m, h=[0, 0, hz], S=symmetric(0, 0, Szz, 0, 0, 0))


def regroup(chain: Chain, links: Sequence[Moments]) -> tuple[list[Scalar], Moments]:
    """Base parameters of an arm.

    Args:
        chain: Geometry.
        links: Moments of every link in its own chain frame.

    Returns:
        beta, 3 + 7 (n - 1) scalars in the order of `base_parameter_names`, and the remainder at the
        mount: mass on the first axis, in frame 0. It never moves, and only adds a constant to the
        potential energy.
    """
    beta: list[list[Scalar]] = []
    carried = on_axis(0, 0, 0)
    for number in range(chain.dof, 0, -1):
        joint = chain.joints[number - 1]
        body = plus(links[number - 1], carried)
        S, h = body.S, body.h
        if number > 1:
            beta.append([S[0][0], S[1][1], S[0][1], S[0][2], S[1][2], h[0], h[1]])
        else:
            beta.append([S[0][0] + S[1][1], h[0], h[1]])
        axis = on_axis(body.m, h[2], S[2][2])
        carried = shifted(
            joint.P, Moments(axis.m, matvec(joint.A, axis.h), conjugated(joint.A, axis.S))
        )
    return [value for group in reversed(beta) for value in group], carried


def base_parameter_count(dof: int) -> int:
    """Number of base parameters for gravity in any direction."""
    return 7 * dof - 4


def base_parameter_names(dof: int) -> list[str]:
    """Names of the base parameters, in order: `hx_3` is the first moment along x of link 3."""
    names = [f"{name}_1" for name in FIRST_LINK_NAMES]
    return names + [f"{name}_{link}" for link in range(2, dof + 1) for name in LINK_NAMES]


def regrouped_links(beta: Sequence[Scalar]) -> list[Moments]:
    """Links with the base parameters `beta` alone; they need the same torques as the true ones."""
    links = [Moments(m=0, h=[beta[1], beta[2], 0], S=symmetric(beta[0], 0, 0, 0, 0, 0))]
    for first in range(3, len(beta), 7):
        xx, yy, xy, xz, yz, hx, hy = beta[first : first + 7]
        links.append(Moments(m=0, h=[hx, hy, 0], S=symmetric(xx, yy, 0, xy, xz, yz)))
    return links
