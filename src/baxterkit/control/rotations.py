"""Springs between two poses, in plain numbers: faster than arrays of three."""

from __future__ import annotations

import math

from baxterkit.spatial import rotation_vector
from baxterkit.types import Array

Triple = tuple[float, float, float]


def spring_wrench(T: Array, T_goal: Array, along: Triple, about: Triple) -> tuple[float, ...]:
    """Force and moment of a spring from the tip to its goal, in tip axes.

    They are minus the gradient of the energy ½ e' K e + ½ φ' L φ, where e and φ are the distance
    and the rotation vector to the goal in tip axes. With even stiffness that is K e and L φ; else
    the moment has two more parts, as tip axes turn, and with them e and φ.

    Args:
        T: Pose of the tip in base, (4, 4).
        T_goal: Its goal in base, (4, 4).
        along: Diagonal of K along tip axes [N/m].
        about: Diagonal of L about tip axes [N m/rad].

    Returns:
        Force [N] and moment [N m] on the tip, six numbers.
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = T.tolist()
    (j, k, m, u), (n, o, p, v), (r, s, t, w), _ = T_goal.tolist()
    x, y, z = u - x, v - y, w - z
    x, y, z = a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z
    u, v, w = rotation_vector((  # of R' R_goal
        a * j + d * n + g * r, a * k + d * o + g * s, a * m + d * p + g * t,
        b * j + e * n + h * r, b * k + e * o + h * s, b * m + e * p + h * t,
        c * j + f * n + i * r, c * k + f * o + i * s, c * m + f * p + i * t,
    ))  # fmt: skip
    k, m, n = along
    fx, fy, fz = k * x, m * y, n * z
    p, q, r = about
    mx, my, mz = p * u, q * v, r * w
    if not p == q == r:
        mx, my, mz = _by_rotation_vector((u, v, w), (mx, my, mz))
    if not k == m == n:
        mx, my, mz = mx + y * fz - z * fy, my + z * fx - x * fz, mz + x * fy - y * fx
    return fx, fy, fz, mx, my, mz


def _by_rotation_vector(phi: Triple, slope: Triple) -> Triple:
    """From the gradient by the rotation vector φ to the moment about tip axes."""
    x, y, z = phi
    u, v, w = slope
    a, b, c = y * w - z * v, z * u - x * w, x * v - y * u
    squared = x * x + y * y + z * z
    if squared > 1e-6:
        half = 0.5 * math.sqrt(squared)
        factor = (1.0 - half * math.cos(half) / math.sin(half)) / squared
    else:
        factor = 1.0 / 12.0 + squared / 720.0
    return (
        u + 0.5 * a + factor * (y * c - z * b),
        v + 0.5 * b + factor * (z * a - x * c),
        w + 0.5 * c + factor * (x * b - y * a),
    )
