"""Inverse dynamics: the Newton-Euler recursion, customised.

Outward, every link gets its angular velocity `w` and the tensor `U` that gives the acceleration
of its points, `a(r) = a_0 + U r`, with `U = wd~ + w~ w~`. Inward, forces `F` and moments `N` add
up.

Three facts make it short. Points on the axis of joint j accelerate alike in links j - 1 and j,
so the third column of `U_j` is a column of `U_{j-1}`, turned; the other entries follow from it
and from `w`, and the angular acceleration is never turned from frame to frame. The moment of a
link is the skew part of `U S`, in which only differences of the diagonal of `U` occur. And with
base parameters the links have no mass, so forces are `U h` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baxterkit.equations.chain import Chain, to_child, to_parent
from baxterkit.equations.inertia import Moments
from baxterkit.equations.vectors import Matrix, Scalar, Vector, add, cross, matvec


@dataclass(frozen=True)
class LinkMotion:
    """Motion of one link, in its own frame.

    Attributes:
        w: Angular velocity [rad/s].
        wd: Angular acceleration [rad/s²].
        U: Acceleration of points relative to the origin, per length [1/s²], 3 × 3.
        spread: U33 - U22, U11 - U33, U22 - U11: what the moment needs of the diagonal.
        a: Acceleration of the origin less gravity [length/s²].
    """

    w: Vector
    wd: Vector
    U: Matrix
    spread: Vector
    a: Vector


def outward(
    chain: Chain,
    angles: Sequence[tuple[Scalar, Scalar]],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    g: Sequence[Scalar],
) -> list[LinkMotion]:
    """Motion of every link.

    Args:
        chain: Geometry.
        angles: Sine and cosine of theta, per joint.
        qd: Joint velocities [rad/s].
        qdd: Joint accelerations [rad/s²].
        g: Gravity in frame 0 [length/s²]; the mount accelerates upwards instead.
    """
    zero = [0, 0, 0]
    mount = LinkMotion(w=zero, wd=zero, U=[zero, zero, zero], spread=zero, a=[-x for x in g])
    links = [mount]
    for joint, angle, rate, acceleration in zip(chain.joints, angles, qd, qdd, strict=True):
        before = links[-1]
        axis = [row[2] for row in joint.A]
        w = to_child(joint, angle, before.w)
        w = [w[0], w[1], w[2] + rate]
        wdz = sum(x * y for x, y in zip(axis, before.wd, strict=True)) + acceleration
        along = to_child(joint, angle, matvec(before.U, axis))  # third column of U
        a = to_child(joint, angle, add(before.a, matvec(before.U, joint.P)))
        links.append(_motion(w, wdz, along, a))
    return links[1:]


def _motion(w: Vector, wdz: Scalar, along: Vector, a: Vector) -> LinkMotion:
    x, y, z = w
    U13, U23, U33 = along
    xx, zz, xy, xz, yz = x * x, z * z, x * y, x * z, y * z
    wdx, wdy = yz - U23, U13 - xz
    U22 = -(xx + zz)
    zx = xx - zz
    U11 = U33 + zx
    return LinkMotion(
        w=w,
        wd=[wdx, wdy, wdz],
        U=[[U11, xy - wdz, U13], [xy + wdz, U22, U23], [xz - wdy, yz + wdx, U33]],
        spread=[U33 - U22, zx, U22 - U11],
        a=a,
    )


def inertial_wrench(link: LinkMotion, body: Moments) -> tuple[Vector, Vector]:
    """Force, and moment about the frame's origin, that keep `body` in its motion."""
    (_, U12, U13), (U21, _, U23), (U31, U32, _) = link.U
    S, h, m = body.S, body.h, body.m
    F = add(matvec(link.U, h), [m * x for x in link.a])
    N = [
        U31 * S[0][1] + U32 * S[1][1] - U23 * S[2][2] + link.spread[0] * S[1][2] - U21 * S[0][2],
        U12 * S[1][2] - U32 * S[0][1] + U13 * S[2][2] + link.spread[1] * S[0][2] - U31 * S[0][0],
        U23 * S[0][2] - U13 * S[1][2] + U21 * S[0][0] + link.spread[2] * S[0][1] - U12 * S[1][1],
    ]
    return F, add(N, cross(h, link.a))


def newton_euler(
    chain: Chain,
    angles: Sequence[tuple[Scalar, Scalar]],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    bodies: Sequence[Moments],
    g: Sequence[Scalar],
    wrench: Sequence[Scalar] | None = None,
    tip: Sequence[Scalar] = (0, 0, 0),
) -> list[Scalar]:
    """Joint torques [N m] of the motion q, qd, qdd of links with the given moments.

    Args:
        chain: Geometry.
        angles: Sine and cosine of theta, per joint.
        qd: Joint velocities [rad/s].
        qdd: Joint accelerations [rad/s²].
        bodies: Moments of the links.
        g: Gravity in frame 0 [length/s²].
        wrench: Force [N] and moment [N m] exerted on the tip, axes of frame 0.
        tip: The tip in the last frame [m].
    """
    links = outward(chain, angles, qd, qdd, g)
    load = None if wrench is None else tip_wrench(chain, angles, wrench, tip)
    return [n[2] for _, n in inward(chain, angles, links, bodies, load)]


def inward(
    chain: Chain,
    angles: Sequence[tuple[Scalar, Scalar]],
    links: Sequence[LinkMotion],
    bodies: Sequence[Moments],
    load: tuple[Vector, Vector] | None = None,
) -> list[tuple[Vector, Vector]]:
    """Force and moment that every joint hands on to its composite, in the joint's frame.

    `load` is taken off at the origin of the last frame.
    """
    f, n = inertial_wrench(links[-1], bodies[-1])
    if load is not None:
        f, n = add(f, [-x for x in load[0]]), add(n, [-x for x in load[1]])
    result = [(f, n)]
    for number in range(chain.dof - 1, 0, -1):
        joint, angle = chain.joints[number], angles[number]
        f, n = to_parent(joint, angle, f), to_parent(joint, angle, n)
        F, N = inertial_wrench(links[number - 1], bodies[number - 1])
        n = add(N, add(n, cross(joint.P, f)))
        f = add(F, f)
        result.append((f, n))
    return result[::-1]


def tip_wrench(
    chain: Chain,
    angles: Sequence[tuple[Scalar, Scalar]],
    wrench: Sequence[Scalar],
    tip: Sequence[Scalar],
) -> tuple[Vector, Vector]:
    """The wrench on the tip as force [N · length] and moment [N m] at the last frame's origin."""
    force, moment = list(wrench[:3]), list(wrench[3:])
    for joint, angle in zip(chain.joints, angles, strict=True):
        force, moment = to_child(joint, angle, force), to_child(joint, angle, moment)
    return [x * chain.length for x in force], add(moment, cross(tip, force))
