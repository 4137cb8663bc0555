"""The Coriolis matrix, with Christoffel symbols: `Mdot - 2 C` is skew and `C qd` are the torques.

Write `phi_j(r) = z_j × (r - O_j)` for the velocity of the point r under unit rate of joint j.
Then `M_ij = ∫ phi_i · phi_j dm`, and because `phi_j` is the derivative of r by `q_j`, the
Christoffel matrix is simply `C_ij = ∫ phi_i · (d/dt) phi_j dm` over all that moves with both
joints.

Seen from link j, with the first and second moments `h`, `S` of composite j and their rates
*relative to link j*, `p = ∫ r° dm` and `L = ∫ r° r' dm`:

- entries above the diagonal are the moments about axis i of the wrench `F = w × f + z × p`,  `N =
  (S w) × z + tr(L) z - L z`   (f = z × h, as for M),
- entries below it (row j, column i < j) are `zd_i · n + z_i · y` with the moment `n` that M has,
  and `y = (d/dt) n` of the points held in their place along z: `y = tr(Lw) z - Lw' z`, `Lw = w~ S
  + L`. From frame to frame, `n` gains `P × f`, and `y` gains `(w × P) × f`.

This is the recursive composite Coriolis algorithm (Echeandia & Wensing, arXiv:2010.01033) in
three dimensional vectors, with rates relative to the link, which lets no link contribute to its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baxterkit.equations.chain import Chain, to_child, to_parent
from baxterkit.equations.composite import Angles, turning_wrench
from baxterkit.equations.inertia import Moments, conjugated, plus, shifted, turned_about_z
from baxterkit.equations.vectors import Matrix, Scalar, Vector, add, cross, matvec


@dataclass(frozen=True)
class MovingComposite:
    """A composite body and the rates of its moments, in the frame of its first link.

    Attributes:
        body: Moments about the frame's origin.
        p: Rate of the first moment relative to the frame [kg m²/s].
        L: ∫ r° r' dm, r° the velocity relative to the frame [kg m²/s], 3 × 3.
    """

    body: Moments
    p: Vector
    L: Matrix


def angular_velocities(chain: Chain, angles: Angles, qd: Sequence[Scalar]) -> list[Vector]:
    """Angular velocity of every link [rad/s], in its own frame."""
    result = []
    w: Vector = [0, 0, 0]
    for joint, angle, rate in zip(chain.joints, angles, qd, strict=True):
        w = to_child(joint, angle, w)
        w = [w[0], w[1], w[2] + rate]
        result.append(w)
    return result


def moving_composites(
    chain: Chain, angles: Angles, qd: Sequence[Scalar], bodies: Sequence[Moments]
) -> list[MovingComposite]:
    """Every composite, with its rates."""
    zero: Matrix = [[0] * 3 for _ in range(3)]
    result = [MovingComposite(bodies[-1], [0, 0, 0], zero)]
    for number in range(chain.dof - 1, 0, -1):
        joint, angle, rate = chain.joints[number], angles[number], qd[number]
        outer = result[-1]
        turned = Moments(
            m=outer.body.m,
            h=to_parent(joint, angle, outer.body.h),
            S=conjugated(joint.A, turned_about_z(angle, outer.body.S)),
        )
        # Seen from the inner link, the outer composite also spins about the joint.
        axis = [row[2] for row in joint.A]
        spin = [[x * rate for x in row] for row in _cross_columns(axis, turned.S)]
        p = to_parent(joint, angle, outer.p)
        p = add(p, [x * rate for x in cross(axis, turned.h)])
        L = _turned(joint.A, angle, outer.L)
        L = [[L[i][k] + spin[i][k] + p[i] * joint.P[k] for k in range(3)] for i in range(3)]
        body = plus(bodies[number - 1], shifted(joint.P, turned))
        result.append(MovingComposite(body, p, L))
    return result[::-1]


def coriolis_matrix(
    chain: Chain, angles: Angles, qd: Sequence[Scalar], bodies: Sequence[Moments]
) -> Matrix:
    """C [kg m²/s], n × n."""
    n = chain.dof
    C: Matrix = [[0] * n for _ in range(n)]
    ws = angular_velocities(chain, angles, qd)
    for j, composite in enumerate(moving_composites(chain, angles, qd, bodies)):
        w = ws[j]
        f, moment = turning_wrench(composite.body)
        y = moment_rate(composite, w)
        F, N = rate_wrench(composite, w)
        C[j][j] = N[2]
        for i in range(j - 1, -1, -1):
            joint, angle, w = chain.joints[i + 1], angles[i + 1], ws[i]
            f, moment, y, F, N = (to_parent(joint, angle, v) for v in (f, moment, y, F, N))
            moment = add(moment, cross(joint.P, f))
            y = add(y, cross(cross(w, joint.P), f))
            N = add(N, cross(joint.P, F))
            C[i][j] = N[2]
            C[j][i] = y[2] + (w[1] * moment[0] - w[0] * moment[1])
    return C


def rate_wrench(composite: MovingComposite, w: Vector) -> tuple[Vector, Vector]:
    """Force F and moment N of the module's text."""
    h, S, p, L = composite.body.h, composite.body.S, composite.p, composite.L
    Sw = [S[i][0] * w[0] + S[i][1] * w[1] + S[i][2] * w[2] for i in range(2)]
    F = [-w[2] * h[0] - p[1], p[0] - w[2] * h[1], w[0] * h[0] + w[1] * h[1]]
    return F, [Sw[1] - L[0][2], -Sw[0] - L[1][2], L[0][0] + L[1][1]]


def moment_rate(composite: MovingComposite, w: Vector) -> Vector:
    """The vector y of the module's text."""
    Szd, L = stretched(composite.body.S, w), composite.L
    return [Szd[0] - L[2][0], Szd[1] - L[2][1], Szd[2] + (L[0][0] + L[1][1])]


def stretched(S: Matrix, w: Vector) -> Vector:
    """S (w × z)."""
    return [S[i][0] * w[1] - S[i][1] * w[0] for i in range(3)]


def _cross_columns(a: Sequence[Scalar], S: Matrix) -> Matrix:
    columns = [cross(a, [S[0][k], S[1][k], S[2][k]]) for k in range(3)]
    return [[columns[k][i] for k in range(3)] for i in range(3)]


def _turned(A: Sequence[Sequence[Scalar]], angle: tuple[Scalar, Scalar], L: Matrix) -> Matrix:
    """A Rz L Rz' A' of any L, in 23 operations."""
    s, c = angle
    k = s * (L[0][0] - L[1][1]) + c * (L[0][1] + L[1][0])
    sk, ck = s * k, c * k
    T = [
        [L[0][0] - sk, ck - L[1][0], c * L[0][2] - s * L[1][2]],
        [ck - L[0][1], L[1][1] + sk, s * L[0][2] + c * L[1][2]],
        [c * L[2][0] - s * L[2][1], s * L[2][0] + c * L[2][1], L[2][2]],
    ]
    rows = [matvec([[T[i][k] for i in range(3)] for k in range(3)], row) for row in A]  # A T
    return [matvec(A, row) for row in rows]
