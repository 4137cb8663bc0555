"""Inertia matrix, gravity torques and energies from composite bodies.

Composite j is all that moves with joint j: links j … n, held rigid. Turned about the axis of
joint j with unit acceleration it needs the force `f = z × h` and the moment `n = (-S_xz, -S_yz,
S_xx + S_yy)` about the origin; the component of that moment along axis i, seen from frame i, is
`M_ij`. Both are parts of the composite's own moments, so carrying them one frame down costs
nothing beyond what carrying the composite does.
"""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.equations.chain import Chain, to_child, to_parent
from baxterkit.equations.inertia import Moments, conjugated, plus, shifted, turned_about_z
from baxterkit.equations.vectors import Matrix, Scalar, Vector, add, cross, dot

Angles = Sequence[tuple[Scalar, Scalar]]


def composites(chain: Chain, angles: Angles, bodies: Sequence[Moments]) -> list[Moments]:
    """Moments of every composite, in the frame of its first link."""
    result = [bodies[-1]]
    for number in range(chain.dof - 1, 0, -1):
        joint, angle = chain.joints[number], angles[number]
        outer = result[-1]
        turned = Moments(
            m=outer.m,
            h=to_parent(joint, angle, outer.h),
            S=conjugated(joint.A, turned_about_z(angle, outer.S)),
        )
        result.append(plus(bodies[number - 1], shifted(joint.P, turned)))
    return result[::-1]


def turning_wrench(body: Moments) -> tuple[Vector, Vector]:
    """Force and moment for unit acceleration of `body` about the z axis."""
    S, h = body.S, body.h
    return [-h[1], h[0], 0], [-S[0][2], -S[1][2], S[0][0] + S[1][1]]


def inertia_matrix(chain: Chain, angles: Angles, bodies: Sequence[Moments]) -> Matrix:
    """M [kg m²], n × n."""
    n = chain.dof
    M: Matrix = [[0] * n for _ in range(n)]
    for j, body in enumerate(composites(chain, angles, bodies)):
        force, moment = turning_wrench(body)
        for i in range(j, -1, -1):
            M[i][j] = M[j][i] = moment[2]
            if i > 0:
                joint, angle = chain.joints[i], angles[i]
                force, moment = to_parent(joint, angle, force), to_parent(joint, angle, moment)
                moment = add(moment, cross(joint.P, force))
    return M


def first_moments(chain: Chain, angles: Angles, bodies: Sequence[Moments]) -> list[Moments]:
    """Zeroth and first moments of every composite; second moments are left at zero."""
    empty = [[0] * 3 for _ in range(3)]
    result = [Moments(bodies[-1].m, bodies[-1].h, empty)]
    for number in range(chain.dof - 1, 0, -1):
        outer, own = result[-1], bodies[number - 1]
        joint = chain.joints[number]
        h = to_parent(joint, angles[number], outer.h)
        h = add(h, [outer.m * p for p in joint.P])
        result.append(Moments(own.m + outer.m, add(own.h, h), empty))
    return result[::-1]


def gravity_torques(
    chain: Chain, angles: Angles, bodies: Sequence[Moments], g: Sequence[Scalar]
) -> list[Scalar]:
    """G [N m]: the torques that hold the arm still in gravity `g` (frame 0, [length/s²])."""
    G = []
    down = list(g)
    for joint, angle, body in zip(
        chain.joints, angles, first_moments(chain, angles, bodies), strict=True
    ):
        down = to_child(joint, angle, down)
        G.append(body.h[1] * down[0] - body.h[0] * down[1])
    return G


def potential_energy(
    chain: Chain, angles: Angles, bodies: Sequence[Moments], g: Sequence[Scalar]
) -> Scalar:
    """Potential energy [J], zero with all mass at the origin of frame 0."""
    arm = first_moments(chain, angles, bodies)[0]
    joint = chain.joints[0]
    h = add(to_parent(joint, angles[0], arm.h), [arm.m * p for p in joint.P])
    return -dot(h, g)


def kinetic_energy(
    chain: Chain, angles: Angles, qd: Sequence[Scalar], bodies: Sequence[Moments]
) -> Scalar:
    """Kinetic energy [J], link by link."""
    w: Vector = [0, 0, 0]
    v: Vector = [0, 0, 0]
    twice: Scalar = 0
    for joint, angle, rate, body in zip(chain.joints, angles, qd, bodies, strict=True):
        v = to_child(joint, angle, add(v, cross(w, joint.P)))
        w = to_child(joint, angle, w)
        w = [w[0], w[1], w[2] + rate]
        S, h = body.S, body.h
        xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
        squares = S[0][0] * (yy + zz) + S[1][1] * (xx + zz) + S[2][2] * (xx + yy)
        mixed = (
            w[0] * (S[0][1] * w[1] + S[0][2] * w[2]) + S[1][2] * (w[1] * w[2]) - dot(h, cross(v, w))
        )
        twice = twice + (squares - 2 * mixed + body.m * dot(v, v))
    return twice * 0.5
