"""The errata of Smith et al. 2016, each run."""

from __future__ import annotations

from functools import cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.errata_lab import Lab, distance, erratum, newton_metres, share
from baxterkit.experiments.result import Row
from baxterkit.experiments.smith_claims import method_difference, ranges
from baxterkit.experiments.smith_paper import TABLE_V, TABLE_V_SUM
from baxterkit.papers import Misprint
from baxterkit.papers.smith import corrected, misprints
from baxterkit.trajectory import smith_set
from baxterkit.types import Array

PAPER = "Smith et al.: Development of a dynamics model for the Baxter robot (ICMA 2016)"
TABLE_III = ("Table III", "Table III, link 7", "Table III, digits")
RATE = 50.0
"""Rows per second, as in the paper [Hz]."""


def rows(lab: Lab) -> list[Row]:
    """All errata of Smith et al."""

    def row(name: str, effect: str, form: Misprint | None = None) -> Row:
        return erratum(f"Smith {name}", form or misprints[name], effect, section=PAPER)

    turned = corrected.misprinted("Table II, theta_2")
    table_3 = lab.inertia(corrected.misprinted(*TABLE_III))
    sets = table_3_in_the_sets()
    angle, torque = ranges(smith_set(2, Arm("right"), method="resolved_rate"), Arm("right"))
    added, printed = sum(TABLE_V[1]["L-E"]), TABLE_V_SUM[1]["L-E"]
    return [
        row("Table II, theta_2",
            f"{distance(lab.tip(turned, corrected))}; {share(lab.inertia(turned))}"),
        row("Table II, digits",
            distance(lab.tip(corrected.misprinted("Table II, digits"), corrected))),
        row("Table III",
            f"with the next two rows, {share(table_3)}; on average {_diagonal(lab)}. Torques "
            f"of the paper's three sets change by at most {_three(sets.largest)} N m and their "
            f"means by at most {sets.mean.max():.3f}, so Table V could not have revealed it"),
        row("Table III, link 7", share(lab.inertia(corrected.misprinted("Table III, link 7")))),
        row("Table III, digits", share(lab.inertia(corrected.misprinted("Table III, digits")))),
        row("Table IV", newton_metres(lab.torque(corrected.misprinted("Table IV").gravity))),
        row("eq. 8", newton_metres(lab.torque(corrected.misprinted("eq. 8").gravity))),
        row("text after eq. 1", "none on the formulas, which have q̈"),
        row("text in V", "none: another letter", Misprint("D(q)", "M(q), as in eq. 1")),
        row("Table V", f"set 1, L-E: the rows add up to {added:.3f}, printed {printed:.4f}",
            Misprint("last row: Σ ēᵢ under rows of |ēᵢ|",
                     "the size of the signed sum, in which errors cancel")),
        row("text on Fig. 6",
            f"in our set 2, s0 moves by {angle[0]:.2f} rad and {torque[0]:.1f} N m, s1 by "
            f"{angle[1]:.2f} rad and {torque[1]:.1f} N m; {_never_joint_2()}",
            Misprint('quick switches in y are "mostly achieved using joint 2" (s1)',
                     "joint 1 (s0)")),
        row("conclusion",
            f"with equal parameters they differ by at most {method_difference():.0e} N m "
            "(2,000 random states, seed 0): the difference lies in the parameters used",
            Misprint("L-E is slightly more accurate than RN-E", "they are the same function")),
    ]  # fmt: skip


class SetTorques:
    """How much Table III as printed changes the torques of the three sets.

    Attributes:
        largest: Of each set, the largest change of any joint's torque [N m].
        mean: Of each set, the largest change of any joint's mean torque [N m].
    """

    def __init__(self, changes: list[Array]) -> None:
        self.largest = np.array([np.abs(one).max() for one in changes])
        self.mean = np.array([np.abs(one.mean(axis=0)).max() for one in changes])


@cache
def table_3_in_the_sets() -> SetTorques:
    """Torques along the sets at 50 Hz, Table III as printed less corrected."""
    model = corrected.misprinted(*TABLE_III)
    changes = []
    for number in (1, 2, 3):
        motion = smith_set(number, Arm("right"), method="resolved_rate")
        _, q, qd, qdd = motion.at_rate(RATE)
        changes.append(model.torques(q, qd, qdd) - corrected.torques(q, qd, qdd))
    return SetTorques(changes)


def _diagonal(lab: Lab) -> str:
    q = lab.states(lab.samples)
    ratio = corrected.misprinted(*TABLE_III).inertia(q) / lab.arm.inertia(q)
    least = 100.0 * (ratio[:, range(7), range(7)].mean(axis=0) - 1.0)
    return f"M₅₅ by {least[4]:.0f} %, M₆₆ by {least[5]:.0f} %".replace("-", "−")


def _three(values: Array) -> str:
    one, two, three = (f"{x:.1g}" if x < 0.1 else f"{x:.2f}" for x in values)
    return f"{one}, {two} and {three}"


def _never_joint_2() -> str:
    """Joint velocities of a motion in y wherever the hand points down around the paper's place."""
    arm = Arm("right")
    speeds = []
    for x in (0.5, 0.6, 0.7):
        for y in (-0.3, -0.2, -0.1):
            for yaw in np.arange(8) * np.pi / 4:
                c, s = np.cos(yaw), np.sin(yaw)
                T = np.array([[c, s, 0.0, x], [s, -c, 0.0, y], [0.0, 0.0, -1.0, 0.1], [0, 0, 0, 1]])
                e0 = np.linspace(arm.limits.lower[2], arm.limits.upper[2], 21)
                q = arm.ik_all(np.broadcast_to(T, (21, 4, 4)), e0=e0).reshape(-1, 7)
                q = q[np.isfinite(q).all(axis=-1)]
                speeds.append(np.abs(np.linalg.pinv(arm.jacobian(q))[:, :, 1]))
    speed = np.concatenate(speeds)
    most = (speed[:, 1] / speed[:, 0]).max()
    return (
        f"with the hand pointing down s1 moves at most {most:.2f} times as much as s0, in "
        f"{len(speed):,} configurations around the paper's place"
    )
