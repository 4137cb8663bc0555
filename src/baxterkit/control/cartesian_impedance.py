"""Cartesian impedance: the tip yields like a spring, the elbow like a softer one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.numbers import one_or_each
from baxterkit.control.base import TorqueController
from baxterkit.control.dynamics import passive_dynamics_of
from baxterkit.control.signals import Reference, pose_row
from baxterkit.spatial.formulas import rotation_vector
from baxterkit.types import Array

STIFFNESS = (400.0, 400.0, 400.0, 20.0, 20.0, 20.0)
"""K [N/m, N m/rad]: 10 N move the tip by 25 mm, 1 N m turns it by 3 degrees."""

DAMPING = (20.0, 20.0, 20.0, 1.0, 1.0, 0.25)
"""D [N s/m, N m s/rad] for that stiffness: K / 20 rad/s, which damps quick modes; less about the
tool's axis, where the bare hand has an inertia of 0.0006 kg m²."""

DRAG = 8.0
"""α [1/s]: a drag on the arm's mass, which damps slow modes and the elbow. With D it leaves no mode
of the arm below 0.6 of critical damping anywhere in the workspace."""

NULL_STIFFNESS = 20.0
"""Kₙ [N m/rad]."""
Triple = tuple[float, float, float]


class CartesianImpedance(TorqueController):
    """A spring and a damper from the tip to its reference pose; a spring in the null space.

        tau = M (qdd_r + α ė) + C qd_r + G + J'(K ΔX + D J ė) + M n n'Kₙe / n'M n

    with e = q_r - q. J, the distance and rotation vector ΔX to the reference pose, K and D are in
    tip axes. n spans the null space of J; a torque M n accelerates the elbow and not the tip. The
    spring is the gradient of an energy, also where its stiffness is uneven: with Kₙ = 0 the arm is
    passive whatever it touches.

    Args:
        arm: The arm; its kinematics are needed, so a callable is not enough.
        stiffness: K [N/m, N m/rad] along and about tip axes, shape (6,).
        damping: D [N s/m, N m s/rad], shape (6,); in proportion to `stiffness` if None.
        drag: α [1/s].
        null_stiffness: Kₙ [N m/rad], one or seven; pulls to the reference's `q`.
        effort: Greatest torques [N m]; the arm's if None.

    The reference's `T` is the pose of the tip; that of its `q` if it has none.
    """

    def __init__(
        self,
        arm: Arm,
        stiffness: ArrayLike = STIFFNESS,
        damping: ArrayLike | None = None,
        drag: float = DRAG,
        null_stiffness: ArrayLike = NULL_STIFFNESS,
        effort: ArrayLike | None = None,
    ) -> None:
        super().__init__(arm, effort)
        self.stiffness = one_or_each(stiffness, "stiffness", 6)
        if damping is None:
            damping = np.array(DAMPING) * (self.stiffness / STIFFNESS)
        self.damping = one_or_each(damping, "damping", 6)
        self.drag = float(one_or_each(drag, "drag", 1)[0])
        self._drag = np.full(7, self.drag)  # NumPy multiplies faster by an array than by a scalar
        self.null_stiffness = one_or_each(null_stiffness, "null_stiffness")
        self._dynamics = passive_dynamics_of(arm)
        self._fk, self._jacobian = arm.fk, arm.jacobian
        self._inertia, self._null_vector = arm.inertia, arm.null_vector
        x, y, z, a, b, c = self.stiffness.tolist()
        self._along, self._about = (x, y, z), (a, b, c)

    def _torque(self, q: Array, qd: Array, r: Reference, dt: float) -> Array:
        T_goal = self._fk(r.q) if r.T is None else pose_row(r.T)
        J, ed = self._jacobian(q, "tip"), r.qd - qd
        wrench = np.array(spring_wrench(self._fk(q), T_goal, self._along, self._about))
        wrench += self.damping * J.dot(ed)
        tau: Array = self._dynamics(q, qd, r.qd, r.qdd + self._drag * ed) + wrench.dot(J)
        n = self._null_vector(q)
        Mn = self._inertia(q).dot(n)
        inertia = n.dot(Mn)
        if inertia > 0.0:  # zero in a singular configuration, where the null space is not a line
            Mn *= n.dot(self.null_stiffness * (r.q - q)) / inertia
            tau += Mn
        return tau


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
