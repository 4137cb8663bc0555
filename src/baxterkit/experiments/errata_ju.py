"""The errata of Ju et al. 2014, each run."""

from __future__ import annotations

import numpy as np

from baxterkit.experiments.errata_lab import Lab, distance, erratum
from baxterkit.experiments.result import Row
from baxterkit.papers import Misprint
from baxterkit.papers.ju import Ju, corrected, misprints
from baxterkit.types import Array

PAPER = "Ju et al.: Kinematics modeling and experimental verification of Baxter robot (CCC 2014)"


def rows(lab: Lab) -> list[Row]:
    """All errata of Ju et al."""

    def row(name: str, effect: str, form: Misprint | None = None) -> Row:
        return erratum(f"Ju {name}", form or misprints[name], effect, section=PAPER)

    def tip(name: str) -> str:
        return distance(lab.tip(corrected.misprinted(name), corrected))

    skew = lab.bound(_not_a_rotation, lab.many)
    mount = corrected.misprinted("eq. 4").T_0()[:3, 3] - corrected.T_0()[:3, 3]
    names = {joint.name: joint.T_parent_joint[:3, 3] for joint in lab.arm.model.joints}
    turned = [j.name for j in lab.arm.model.joints if (j.T_parent_joint[:3, :3] != np.eye(3)).any()]
    return [
        row("eq. 1", f"not a rotation (RᵀR − 1 up to {skew.largest:.1f}); {tip('eq. 1')}"),
        row("eq. 4", f"s0 off by {1e3 * np.linalg.norm(mount):.1f} mm; {tip('eq. 4')}"),
        row("Table 1, digits", tip("Table 1, digits")),
        row("Table 1, d_7", tip("Table 1, d_7")),
        row("Table 1, unit",
            "none where π/2 is taken as it is: the constant of row 2 is in radians, as α is",
            Misprint("θ in degrees", "θ in radians")),
        row("text before Table 1 (1)",
            f"none on Table 1: left_e0 is at {_xyz(names['left_e0'])}, left_e1 at "
            f"{_xyz(names['left_e1'])}",
            Misprint('"the translation of left_e0 is x = 0.069, z = 0.262"', "left_e1's")),
        row("text before Table 1 (2)",
            f"none on Table 1: left_s1 is at {_xyz(names['left_s1'])}",
            Misprint('"includes the x = 0.102 m of joint left_s1"', "left_e0's")),
        row("2.2, visual",
            "the paper's own listing has 0 0 0 there: with them all frames would be the base's, "
            f"and the tip up to {_reach(lab):.2f} m off",
            Misprint('"we will use the visual properties of link" for the transforms',
                     "the origins of the joints")),
        row("recipe, step 1",
            f"starts at {turned[0]}, one joint late: left_s0 has rpy 0",
            Misprint('first rotational joint "(rpy ≠ 0)"', "go by the joint's type")),
        row("recipe, step 2",
            "asks for π/2 in rows 4 and 6 too, since left_w0 and left_w2 turn about x and z as "
            "left_e0 does; Table 1 rightly has none there. With it, "
            f"{distance(lab.tip(_Step2(), corrected))}",
            Misprint("where a frame turns about x and z, add ±π/2 to θ",
                     "for left_e0 alone: the pitch of left_e1 and left_w1 undoes it later")),
    ]  # fmt: skip


class _Step2(Ju):
    """The table that step 2 of the recipe gives, taken by its words."""

    def dh(self) -> Array:
        table = super().dh()
        table[[3, 5], 0] += np.pi / 2
        return table


def _not_a_rotation(q: Array) -> Array:
    """Largest entry of RᵀR − 1 of eq. 1 as printed, over the seven links."""
    R = corrected.misprinted("eq. 1").link_transforms(q)[..., :3, :3]
    return np.asarray((np.swapaxes(R, -1, -2) @ R - np.eye(3)).reshape(len(q), -1))


def _reach(lab: Lab) -> float:
    return lab.bound(lambda q: np.linalg.norm(corrected.fk(q)[:, :3, 3], axis=-1), lab.many).largest


def _xyz(p: Array) -> str:
    return "(" + ", ".join(f"{x:.5g}" for x in p + 0.0) + ") m"
