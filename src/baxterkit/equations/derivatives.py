"""First derivatives of inverse dynamics.

By the velocities they are the Coriolis matrix: torques are `Γ_ijk qd_j qd_k` with symmetric Γ, so
`∂tau/∂qd = 2 C`.

By the positions, with `phi_j(r) = z_j × (r - O_j)` the derivative of the point r by `q_j`, and
`a` the acceleration of r less gravity,

    ∂tau_i/∂q_j = ∫ phi_i · (d²/dt²) phi_j dm + ∫ (∂phi_i/∂q_j) · a dm.

Carried out over composite j as for the Coriolis matrix (`f n y F N` mean the same here), with `a`
at O_j, `U` of link j, and the force and moment `f* n*` that joint j hands on in inverse dynamics:

- above the diagonal, the moment about axis i of
  `F = zdd × h + 2 zd × (p + w × h) + z × (f* - m a)`,
  `N = J zdd + 2 (tr V - V) zd + z × n* + a h_z - (a · h) z`,  V = w~ S + L,
- below the diagonal, `zdd_i · n + 2 zd_i · y + z_i · (f × a_i)`, all in frame i.

There `zd = w × z` and `zdd = U z`.
"""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.equations.chain import Chain, to_parent
from baxterkit.equations.composite import Angles, turning_wrench
from baxterkit.equations.coriolis import (
    MovingComposite,
    moment_rate,
    moving_composites,
    rate_wrench,
    stretched,
)
from baxterkit.equations.inertia import Moments
from baxterkit.equations.newton_euler import LinkMotion, inward, outward
from baxterkit.equations.vectors import Matrix, Scalar, Vector, add, cross


def inverse_dynamics_derivatives(
    chain: Chain,
    angles: Angles,
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    bodies: Sequence[Moments],
    g: Sequence[Scalar],
) -> tuple[Matrix, Matrix]:
    """Derivatives of tau by q [N m/rad] and by qd [N m s/rad], n × n each, row i for tau_i."""
    n = chain.dof
    by_q: Matrix = [[0] * n for _ in range(n)]
    by_qd: Matrix = [[0] * n for _ in range(n)]
    links = outward(chain, angles, qd, qdd, g)
    handed_on = inward(chain, angles, links, bodies)
    # All that is linear in qd is wanted twice: take twice the rates from the start.
    doubled = moving_composites(chain, angles, [2 * rate for rate in qd], bodies)
    ws = [[2 * x for x in link.w] for link in links]
    for j, composite in enumerate(doubled):
        f, moment = turning_wrench(composite.body)
        y = moment_rate(composite, ws[j])
        F, N = rate_wrench(composite, ws[j])
        FF, NN = _second_rate_wrench(composite, ws[j], links[j], handed_on[j])
        by_qd[j][j] = N[2]
        by_q[j][j] = NN[2]
        for i in range(j - 1, -1, -1):
            joint, angle, w2 = chain.joints[i + 1], angles[i + 1], ws[i]
            f, moment, y, F, N, FF, NN = (
                to_parent(joint, angle, v) for v in (f, moment, y, F, N, FF, NN)
            )
            moment = add(moment, cross(joint.P, f))
            y = add(y, cross(cross(w2, joint.P), f))
            N = add(N, cross(joint.P, F))
            NN = add(NN, cross(joint.P, FF))
            by_qd[i][j] = N[2]
            by_q[i][j] = NN[2]
            w, U, a = links[i].w, links[i].U, links[i].a
            by_qd[j][i] = y[2] + (w2[1] * moment[0] - w2[0] * moment[1])
            by_q[j][i] = (
                U[0][2] * moment[0]
                + U[1][2] * moment[1]
                + U[2][2] * moment[2]
                + (w[1] * y[0] - w[0] * y[1])
                + (f[0] * a[1] - f[1] * a[0])
            )
    return by_q, by_qd


def _second_rate_wrench(
    doubled: MovingComposite, w2: Vector, link: LinkMotion, handed_on: tuple[Vector, Vector]
) -> tuple[Vector, Vector]:
    """The wrench F, N of the position derivatives; `doubled` and `w2` are at twice the rates."""
    (m, h, S), p2, L2 = (doubled.body.m, doubled.body.h, doubled.body.S), doubled.p, doubled.L
    w, a = link.w, link.a
    force, moment = handed_on
    zd = [w[1], -w[0], 0]
    zdd = [link.U[0][2], link.U[1][2], link.U[2][2]]
    Szd2 = stretched(S, w2)
    wSzd2 = cross(w, Szd2)
    Vx, Vy = (L2[1][1] + L2[2][2]) * zd[0], (L2[0][0] + L2[2][2]) * zd[1]
    F = add(cross(zdd, h), cross(zd, add(p2, cross(w2, h))))
    F = [F[0] - force[1] + m * a[1], F[1] + force[0] - m * a[0], F[2]]
    Jxx, Jyy, Jzz = S[1][1] + S[2][2], S[0][0] + S[2][2], S[0][0] + S[1][1]
    N = [
        Jxx * zdd[0] - S[0][1] * zdd[1] - S[0][2] * zdd[2] + Vx - L2[0][1] * zd[1] - wSzd2[0],
        Jyy * zdd[1] - S[0][1] * zdd[0] - S[1][2] * zdd[2] + Vy - L2[1][0] * zd[0] - wSzd2[1],
        Jzz * zdd[2]
        - S[0][2] * zdd[0]
        - S[1][2] * zdd[1]
        - (L2[2][0] * zd[0] + L2[2][1] * zd[1])
        - wSzd2[2],
    ]
    return F, [
        N[0] - moment[1] + a[0] * h[2],
        N[1] + moment[0] + a[1] * h[2],
        N[2] - (a[0] * h[0] + a[1] * h[1]),
    ]
