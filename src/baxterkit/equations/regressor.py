"""The regressor: torques are linear in the base parameters, `tau = Y(q, qd, qdd) beta`.

Unit parameters of link b make a force F and a moment N in frame b that depend on the link's
motion alone. Row i of their columns is the power they take per unit rate of joint i: `z_i · N +
v_i · F`, with the axis `z_i` and the velocity `v_i` of the origin of frame b under that rate, in
frame b.
"""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.equations.chain import Chain, to_child
from baxterkit.equations.composite import Angles
from baxterkit.equations.inertia import base_parameter_count
from baxterkit.equations.newton_euler import LinkMotion, outward
from baxterkit.equations.vectors import Matrix, Scalar, Vector, add, cross, dot


def base_regressor(
    chain: Chain,
    angles: Angles,
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    g: Sequence[Scalar],
) -> Matrix:
    """Y [1/s²], n rows, one column for each base parameter [kg m²]."""
    n = chain.dof
    links = outward(chain, angles, qd, qdd, g)
    Y: Matrix = [[0] * base_parameter_count(n) for _ in range(n)]
    Y[0][:3] = [links[0].wd[2], links[0].a[1], -links[0].a[0]]
    screws: list[tuple[Vector, Vector]] = [([0, 0, 1], [0, 0, 0])]
    for b in range(1, n):
        joint, angle = chain.joints[b], angles[b]
        screws = [
            (to_child(joint, angle, z), to_child(joint, angle, add(v, cross(z, joint.P))))
            for z, v in screws
        ]
        screws.append(([0, 0, 1], [0, 0, 0]))
        columns = _unit_wrenches(links[b])
        first = 3 + 7 * (b - 1)
        for i, (z, v) in enumerate(screws):
            Y[i][first : first + 7] = [dot(z, N) + dot(v, F) for F, N in columns]
    return Y


def _unit_wrenches(link: LinkMotion) -> list[tuple[Vector, Vector]]:
    """Force and moment of unit Sxx, Syy, Sxy, Sxz, Syz, hx, hy."""
    (U11, U12, U13), (U21, U22, U23), (U31, U32, _) = link.U
    yz, zx, xy = link.spread
    a = link.a
    none = [0, 0, 0]
    return [
        (none, [0, -U31, U21]),
        (none, [U32, 0, -U12]),
        (none, [U31, -U32, xy]),
        (none, [-U21, zx, U23]),
        (none, [yz, U12, -U13]),
        ([U11, U21, U31], [0, -a[2], a[1]]),
        ([U12, U22, U32], [a[2], 0, -a[0]]),
    ]
