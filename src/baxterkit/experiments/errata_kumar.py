"""The errata of Kumar et al., each run."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from baxterkit.experiments.errata_lab import Lab, distance, erratum, newton_metres, share
from baxterkit.experiments.result import Row
from baxterkit.papers import Misprint
from baxterkit.papers import ju as ju_paper
from baxterkit.papers.kumar import Kumar, corrected, misprints, printed
from baxterkit.spatial.formulas import pose_error, rotation_angle, rpy_to_matrix, transform
from baxterkit.types import Array

PAPER = "Kumar et al.: Kinematics & dynamics library for Baxter arm"
EQ_8 = ("eq. 8, l1", "eq. 8, elbow")
SHORT = corrected.misprinted("L_5 = 0")
"""The arm that eqs. 6-8 are about."""
POSES = 1000
"""Poses that the closed form is run on."""


def rows(lab: Lab) -> list[Row]:
    """All errata of Kumar et al."""

    def row(name: str, effect: str, form: Misprint | None = None) -> Row:
        return erratum(f"Kumar {name}", form or misprints[name], effect, section=PAPER)

    def wrist(*names: str) -> str:
        return distance(lab.bound(lambda q: _wrist(q, names), lab.many, e0=0.0), "wrist")

    least = 1.0 - lab.bound(lambda q: 1.0 - _wrist(q, EQ_8), lab.many, e0=0.0).largest
    position, angle = _mount_at_45_degrees(lab)
    energy = corrected.misprinted("eq. 10").gravity_of_energy
    return [
        row("Table I", distance(lab.tip(corrected.misprinted("Table I"), corrected))),
        row("III.B, results",
            f"with d₃ of Table I and the arm turned by π/4 our tip is {1e3 * position:.3f} mm and "
            f"{angle:.2e} degrees from the URDF's ({lab.many:,} joint positions)",
            Misprint("0.00008 m and 0.00017 degrees from PyKDL",
                     "0.07 of the 0.08 mm are d₃; 1.05·10⁻⁴ of the 1.7·10⁻⁴ degrees are π/4 where "
                     "the URDF has 0.7854 rad. The rest is unexplained")),
        row("L_5 = 0", distance(lab.tip(_WithoutL5(), corrected))),
        row("eq. 8", f"{wrist(*EQ_8)}, {1e3 * least:.1f} mm at least, from the paper's own T₆⁰ "
            "(e0 = 0, L₅ = 0)",
            Misprint("l₁ and the elbow's angle are left out", "the next two rows")),
        row("eq. 8, l1", wrist("eq. 8, l1")),
        row("eq. 8, elbow", wrist("eq. 8, elbow")),
        row("eq. 8, end effector",
            f"off by {1e3 * corrected.dh()[6, 1]:.1f} mm everywhere"),
        row("theta_1",
            "cannot be computed: two solutions of one pose have their frames 4 "
            f"{1e3 * _frames_4_apart():.0f} mm apart",
            Misprint("atan2(y₄⁰, x₄⁰)", "atan2(y, x) of the wrist")),
        row("R_6^3", f"turned by {_turn(lab):.1f} degrees everywhere; θ₅, θ₆, θ₇ fit only if R₃⁰ "
            "leaves out the last α = π/2"),
        row("x / c1", "unbounded towards θ₁ = ±π/2: at 89 degrees an x that is 1 mm off makes the "
            f"radius {1e3 * _radius_error():.1f} mm wrong"),
        row("theta_6", "unbounded towards θ₇ = ±π/2: at 89 degrees an R₂₁ that is 0.001 off turns "
            f"θ₆ by {np.degrees(_theta_6_error()):.1f} degrees"),
        row("branches", _branches(lab)),
        row("closed form, all of it", _closed_form(lab),
            Misprint("eqs. 6-8 and below, as printed", "the corrections above")),
        row("Algorithm 1", _fixed_step(lab),
            Misprint("a fixed step", "shorten the step near the goal")),
        row("eq. 10", newton_metres(lab.torque(energy), "gravity torques")),
        row("IV.A, IV.B, numbers of equations", "none on the formulas",
            Misprint('"Equations 4, 5 and 6"; "processing equations (10) and (11)"',
                     "eqs. 9 to 12; eqs. 9 to 12")),
        row("U_ij, derivative", share(lab.inertia(corrected.misprinted("U_ij, derivative")))),
        row("U_ij, transform", share(lab.inertia(corrected.misprinted("U_ij, transform")))),
        row("U_ij, range", share(lab.inertia(corrected.misprinted("U_ij, range")))),
        row("U_ijk", "none: the two cases before it cover every j ≤ i, k ≤ i",
            Misprint('0 where "i, j, k not in order"', "0 where i < j or i < k")),
        row("eq. 15", share(lab.inertia(corrected.misprinted("eq. 15")))),
        row("eq. 19", "none: the terms with j < i are zero",
            Misprint("sum from j = 1", "from j = i")),
        row("text before eq. 19", "none on the formula", Misprint("G is 3 × 1", "7 × 1")),
    ]  # fmt: skip


def _wrist(q: Array, names: tuple[str, ...]) -> Array:
    apart = corrected.misprinted("L_5 = 0", *names).wrist(q) - SHORT.wrist(q)
    return np.asarray(np.linalg.norm(apart, axis=-1))


class _WithoutL5(Kumar):
    """The corrected arm with a₅ = 0."""

    def dh(self) -> Array:
        table = super().dh()
        table[4, 2] = 0.0
        return table


def _mount_at_45_degrees(lab: Lab) -> tuple[float, float]:
    """Mean error of Table I on a mount turned by π/4 [m, degrees]."""
    q = lab.states(lab.many)
    mount = ju_paper.corrected.T_0()
    exact = transform(rpy_to_matrix([0.0, 0.0, np.pi / 4]), mount[:3, 3])
    T = exact @ corrected.misprinted("Table I").fk(q)
    position, angle = pose_error(T, lab.arm.fk(q))
    return float(position.mean()), float(np.degrees(angle).mean())


def _turn(lab: Lab) -> float:
    q = lab.states(1000)
    R = corrected.rotation_36(q)
    turn = rotation_angle(np.swapaxes(R, -1, -2) @ printed.rotation_36(q))
    return float(np.degrees(turn.max()))


def _frames_4_apart() -> float:
    """Distance of the elbows of two solutions of one pose [m]."""
    q = np.array([0.4, -0.9, 0.0, 1.4, 0.3, 0.5, 0.2])
    found = corrected.locked_ik(corrected.fk(q))
    elbows = corrected.frames(found[np.isfinite(found).all(axis=-1)])[:, 4, :3, 3]
    return max(float(np.linalg.norm(a - b)) for a, b in pairwise(elbows))


def _radius_error() -> float:
    """What x / c₁ makes of an x that is 1 mm off, a degree from θ₁ = π/2 [m]."""
    theta = np.radians(89.0)
    x, y, _ = corrected.wrist([theta, 0.3, 0.0, 0.8, 0.0, 0.0, 0.0])
    return float(abs((x + 1e-3) / np.cos(theta) - np.hypot(x, y)))


def _theta_6_error() -> float:
    """What R₂₁ / c₇ makes of an R₂₁ that is 0.001 off, a degree from θ₇ = π/2 at θ₆ = 0.7 [rad]."""
    c7 = np.cos(np.radians(89.0))
    R21 = np.sin(0.7) * c7 + 1e-3
    return float(abs(np.arctan2(R21 / c7, np.cos(0.7)) - 0.7))


def _locked_poses(lab: Lab) -> Array:
    q = lab.states(POSES)
    q[:, 2] = 0.0
    return corrected.fk(q)


def _branches(lab: Lab) -> str:
    T = lab.arm.model.T_base_s0 @ _locked_poses(lab)
    count = np.isfinite(lab.arm.ik_all(T, e0=0.0, limits=False)).all(axis=-1).sum(axis=-1)
    return (
        f"{count.mean():.1f} solutions on average, {count.max()} at most, over {POSES:,} poses "
        "with e0 = 0, joint limits ignored"
    )


def _closed_form(lab: Lab) -> str:
    T = _locked_poses(lab)
    found = printed.locked_ik(T)
    there = np.asarray(np.isfinite(found).all(axis=-1))
    back = corrected.fk(np.where(there[..., None], found, 0.0))
    off, turned = pose_error(back, np.broadcast_to(T[:, None], back.shape))
    return (
        f"{100.0 * (~there.any(axis=-1)).mean():.0f} % of {POSES:,} reachable poses without a "
        f"solution; of the others, the tip {1e3 * off[there].mean():.0f} mm and "
        f"{np.degrees(turned[there]).mean():.0f} degrees off on average, "
        f"{1e3 * off[there].min():.0f} mm at least"
    )


def _fixed_step(lab: Lab) -> str:
    count = POSES // 10
    T = lab.arm.fk(lab.states(count))
    answers = [
        lab.arm.ik(T, method="pseudoinverse", shorten=shorten, step=0.05, tolerance=1e-6,
                   max_iterations=400)
        for shorten in (False, True)
    ]  # fmt: skip
    solved = [int(np.asarray(answer.solved).sum()) for answer in answers]
    return (
        f"of {count} poses {solved[0]} solved to 10⁻⁶ with steps of 0.05, {solved[1]} with "
        "shortened ones: it oscillates around the goal"
    )
