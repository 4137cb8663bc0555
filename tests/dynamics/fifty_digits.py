"""M, C, G and torques in 50 digits: the textbook recursion on the model's own numbers.

Only Newton's and Euler's equations of each link, in base axes; every term of the equations of
motion is made of torques alone. Nothing is shared with the library's derivations.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from baxterkit.model.model import ArmModel

DIGITS = 50

exact = np.frompyfunc(mpmath.mpf, 1, 1)


def newton_euler(model: ArmModel, q: Any, qd: Any, qdd: Any, gravity: Any) -> Any:
    """Torques [N m] as an object array (7,); the mount accelerates against gravity."""
    R, p = exact(model.T_base_s0[:3, :3]), exact(np.zeros(3))
    w, wd, a = exact(np.zeros(3)), exact(np.zeros(3)), -exact(gravity)
    axes, origins, forces, moments = [], [], [], []
    for joint, body, x, v, vd in zip(model.joints, model.link_inertials(), q, qd, qdd, strict=True):
        T = exact(joint.T_parent_joint)
        step = R @ T[:3, 3]
        a = a + np.cross(wd, step) + np.cross(w, np.cross(w, step))
        p = p + step
        R = R @ T[:3, :3] @ turn(joint.axis, mpmath.mpf(x))
        z = R @ exact(joint.axis)
        wd = wd + z * vd + np.cross(w, z * v)
        w = w + z * v
        c = R @ exact(body.com)
        inertia = R @ exact(body.inertia) @ R.T
        force = mpmath.mpf(body.mass) * (a + np.cross(wd, c) + np.cross(w, np.cross(w, c)))
        axes.append(z)
        origins.append(p)
        forces.append(force)
        moments.append(inertia @ wd + np.cross(w, inertia @ w) + np.cross(p + c, force))
    tau = []
    for j, (z, o) in enumerate(zip(axes, origins, strict=True)):
        force, moment = sum(forces[j:]), sum(moments[j:])
        tau.append(z @ (moment - np.cross(o, force)))
    return np.array(tau, dtype=object)


def turn(axis: Any, angle: Any) -> Any:
    """Rotation about an axis of the frame."""
    x, y, z = exact(axis)
    zero = mpmath.mpf(0)
    K = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]], dtype=object)
    return exact(np.eye(3)) + mpmath.sin(angle) * K + (1 - mpmath.cos(angle)) * (K @ K)


def terms(model: ArmModel, q: Any, qd: Any, qdd: Any) -> dict[str, np.ndarray]:
    """M (7, 7), C (7, 7), G (7,) and tau (7,), rounded to double precision once.

    The quadratic torques are h(qd) = Γ qd qd with symmetric Γ, so column j of the Christoffel
    matrix is half of h(qd + e_j) - h(qd) - h(e_j).
    """
    with mpmath.workdps(DIGITS):
        q, qd, qdd = exact(q), exact(qd), exact(qdd)
        zero, eye = exact(np.zeros(model.dof)), exact(np.eye(model.dof))
        still = np.zeros(3)

        def quadratic(v: Any) -> Any:
            return newton_euler(model, q, v, zero, still)

        h = quadratic(qd)
        M = [newton_euler(model, q, zero, e, still) for e in eye]
        C = [(quadratic(qd + e) - h - quadratic(e)) / 2 for e in eye]
        return {
            "M": np.array(M).T.astype(np.float64),
            "C": np.array(C).T.astype(np.float64),
            "G": newton_euler(model, q, zero, zero, model.gravity).astype(np.float64),
            "tau": newton_euler(model, q, qd, qdd, model.gravity).astype(np.float64),
        }
