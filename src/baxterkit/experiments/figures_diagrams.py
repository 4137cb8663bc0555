"""The papers' flow charts, block diagrams and trees, drawn anew."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.look.colors import AXIS_COLORS, BLUE, GREY, INK, PALE, VERMILION
from baxterkit.model.lengths import arm_lengths
from baxterkit.model.library import baxter_arm
from baxterkit.plot.diagrams import Diagram

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.model.model import ArmModel

S0_IN_MOUNT = np.array([0.055695, 0.0, 0.011038])
"""Origin of left_s0 in left_arm_mount [m], as the paper's listing has it; our model has the two
transforms from the base in one."""


def ccd_flow() -> Figure:
    """Cyclic coordinate descent as a flow chart (Kumar, Fig. 7), as `ik.ccd` computes it."""
    d = Diagram(7.6, 8.2, "Kumar, Fig. 7: cyclic coordinate descent")
    x, w, right = 3.0, 3.4, 6.0
    d.box(
        (x, 7.4), "start: joint positions $q$, target $p^*$", (w, 0.44), shape="round", color=PALE
    )
    d.box((x, 6.65), "joint $i$ ← 7, the wrist", (w, 0.44))
    d.box((x, 5.75), "from joint $i$: $r$ to the tip, $t$ to the target,\n$z$ the joint's axis",
          (w, 0.62))  # fmt: skip
    d.box((x, 4.75), r"$A = r \cdot t - (z \cdot r)(z \cdot t)$" "\n" r"$B = z \cdot (r \times t)$",
          (w, 0.68))  # fmt: skip
    d.box((x, 3.8), "turn joint $i$ by atan2$(B, A)$;\nnot beyond its limits", (w, 0.62))
    d.box((x, 2.8), "$i = 1$, the base?", (2.2, 0.8), shape="diamond")
    d.box((x, 1.65), r"$\|p - p^*\| < \varepsilon$?", (2.2, 0.8), shape="diamond")
    d.box((x, 0.6), "end: solution $q$", (2.2, 0.44), shape="round", color=PALE)
    d.box((right, 4.25), "$i$ ← $i - 1$,\ntowards the base", (1.7, 0.6))
    d.box((right, 1.65), "sweeps left?", (1.7, 0.8), shape="diamond")
    d.box((right, 0.6), "end: not converged", (1.9, 0.44), shape="round", color=PALE)
    levels = (7.18, 6.87), (6.43, 6.06), (5.44, 5.09), (4.41, 4.11), (3.49, 3.2), (2.4, 2.05)
    for a, b in (*levels, (1.25, 0.82)):
        d.arrow((x, a), (x, b))
    d.words(x + 0.22, 2.23, "yes", size=9)
    d.words(x + 0.22, 1.05, "yes", size=9)
    d.arrow((x + 1.1, 2.8), (right, 2.8), (right, 3.95), words="no", at=(4.4, 2.94))
    d.arrow((right, 4.55), (right, 5.75), (x + w / 2, 5.75))
    d.arrow((x + 1.1, 1.65), (right - 0.85, 1.65), words="no", at=(4.6, 1.79))
    d.arrow((right, 1.25), (right, 0.82), words="no", at=(right + 0.2, 1.05))
    d.arrow((right + 0.85, 1.65), (7.25, 1.65), (7.25, 6.65), (x + w / 2, 6.65), words="yes",
            at=(7.03, 1.79))  # fmt: skip
    d.words(0.2, 0.16, "Position alone, as in the paper; its text gives no formula, so the angle "
            "is ours.", size=8.5, ha="left", color=GREY)  # fmt: skip
    return d.figure


def torque_control() -> Figure:
    """Smith's double-loop PID as a block diagram (Smith, Fig. 2)."""
    d = Diagram(10.6, 3.9, "Smith, Fig. 2: the torque controller, eqs. 13 and 14")
    y = 2.3
    d.region(0.95, 1.25, 3.3, 1.95, "position loop, PD (13)")
    d.region(4.45, 1.25, 3.05, 1.95, "velocity loop, PI (14)")
    d.box((1.4, y), "Σ", (0.42, 0.42), shape="circle", color="white")
    d.box((3.05, y), "$K_p e + K_d \\dot{e}$", (1.6, 0.62))
    d.box((4.95, y), "Σ", (0.42, 0.42), shape="circle", color="white")
    d.box((6.35, y), "$K_p' \\dot\\varepsilon + K_i' \\int \\dot\\varepsilon\\, dt$", (1.8, 0.62))
    d.box((8.1, y), "Σ", (0.42, 0.42), shape="circle", color="white")
    d.box((9.5, y), "Baxter's arm", (1.3, 0.8), color=PALE)
    d.arrow((0.25, y), (1.19, y), words="$q_d$", at=(0.6, y + 0.18))
    d.arrow((1.61, y), (2.25, y), words="$e$", at=(1.93, y + 0.17))
    d.arrow((3.85, y), (4.74, y), words="$\\dot{q}_c$", at=(4.05, y + 0.2))
    d.arrow((5.16, y), (5.45, y), words="$\\dot\\varepsilon$", at=(5.3, y + 0.18))
    d.arrow((7.25, y), (7.89, y), words="$\\tau$", at=(7.65, y + 0.16))
    d.arrow((8.31, y), (8.85, y))
    d.box((8.25, 3.2), "gravity, springs:\nby the robot", (1.3, 0.55), fontsize=8.5)
    d.arrow((8.1, 2.925), (8.1, 2.51))
    d.arrow((9.25, 1.9), (9.25, 0.95), (4.95, 0.95), (4.95, 2.09), words="$\\dot{q}$",
            at=(8.3, 1.1))  # fmt: skip
    d.arrow((9.75, 1.9), (9.75, 0.5), (1.4, 0.5), (1.4, 2.09), words="$q$", at=(8.3, 0.65))
    for x0 in (1.4, 4.95):
        d.words(x0 + 0.14, 1.95, "−", size=12)
    d.words(0.2, 0.16, "The paper writes $q_r$ for $q_d$ and $\\dot{q}_r$ for $\\dot{q}_c$. "
            "The robot adds its own compensation.", size=8.5, ha="left", color=GREY)  # fmt: skip
    return d.figure


def urdf_parts() -> Figure:
    """What a link and a joint are in a URDF file (Ju, Fig. 3)."""
    d = Diagram(10.6, 4.6, "Ju, Fig. 3: link and joint in a URDF file")
    d.box((2.1, 2.35), "", (3.3, 2.4), color="#EAF3FA")
    d.words(2.1, 3.3, "<link>", size=11, fontweight="bold", family="monospace")
    for i, (words, color) in enumerate(
        (("visual: what is seen", BLUE), ("collision: what touches", VERMILION),
         ("inertial: mass, centre, tensor", INK))
    ):  # fmt: skip
        d.box((2.1, 2.75 - 0.5 * i), words, (2.5, 0.38), color="white", edge=color, fontsize=9)
    d.words(2.1, 0.85, "each with an origin (xyz, rpy) in the link's frame", size=8.5, color=GREY)
    x = 6.05
    d.box((x - 0.55, 1.45), "parent link\nleft_upper_shoulder", (1.85, 0.62), fontsize=8.5)
    d.box((9.0, 3.25), "child link\nleft_lower_shoulder", (1.85, 0.62), fontsize=8.5)
    d.box((7.2, 2.35), "joint\nleft_s1", (1.3, 0.7), shape="ellipse", color=PALE, fontsize=9)
    d.arrow((5.9, 1.76), (6.75, 2.1))
    d.arrow((7.65, 2.6), (8.45, 2.94))
    d.words(7.25, 1.35, "origin: where the joint's frame is\nin the parent's (xyz 0.069 0 "
            f"{arm_lengths().d1:.5f},\nrpy −π/2 0 0)", size=8.5, ha="left")  # fmt: skip
    d.words(5.0, 3.25, "axis: 0 0 1, what it turns about\nlimit: lower, upper, effort, velocity",
            size=8.5, ha="left")  # fmt: skip
    for k, (name, color) in enumerate(AXIS_COLORS.items()):
        dx, dy = ((0.5, 0.0), (0.32, 0.3), (0.0, 0.5))[k]
        d.arrow((4.45, 0.45), (4.45 + dx, 0.45 + dy), color=color)
        d.words(4.45 + 1.2 * dx, 0.45 + 1.2 * dy, name, color=color)
    d.words(5.3, 0.45, "A URDF joint's frame is the child link's frame: one frame a link.",
            size=8.5, ha="left", color=GREY)  # fmt: skip
    return d.figure


def frame_tree(model: ArmModel) -> Figure:
    """The frames from the base to the left gripper, links and joints in turn (Ju, Fig. 4)."""
    links = ("left_upper_shoulder", "left_lower_shoulder", "left_upper_elbow", "left_lower_elbow",
             "left_upper_forearm", "left_lower_forearm", "left_wrist")  # fmt: skip
    d = Diagram(11.6, 5.4, "Ju, Fig. 4: links (boxes) and joints (ellipses), base to left hand")
    chains: list[list[tuple[str, str]]] = [
        [("base", "box"), ("torso_t0", "ellipse"), ("torso", "box"),
         ("left_torso_arm_mount", "ellipse"), ("left_arm_mount", "box")],
    ]  # fmt: skip
    joints = [*model.joint_names, "left_hand"]
    for i in range(0, 8, 2):
        pairs = zip(joints[i : i + 2], [*links, "left_hand"][i : i + 2], strict=True)
        chains.append([row for j, k in pairs for row in ((j, "ellipse"), (k, "box"))])
    xs = tuple(1.2 + 2.3 * i for i in range(5))
    step, top, width = 0.95, 4.5, 1.86
    for x, chain in zip(xs, chains, strict=True):
        names, shapes = [name for name, _ in chain], [shape for _, shape in chain]
        d.rows(x, top, step, names, shapes, width, 0.42)
    for (a, b), chain in zip(pairwise(xs), chains, strict=False):
        y = top - (len(chain) - 1) * step
        middle = 0.5 * (a + b)
        d.arrow((a + width / 2, y), (middle, y), (middle, top), (b - width / 2, top))
    R, p = model.T_base_s0[:3, :3], model.T_base_s0[:3, 3]
    origins = [np.zeros(3), p - R @ S0_IN_MOUNT, S0_IN_MOUNT]
    origins += [joint.T_parent_joint[:3, 3] for joint in model.joints[1:]]
    origins += [model.T_last_hand[:3, 3]]
    rows = [(0, 1), (0, 3), *((1 + i // 2, 2 * (i % 2)) for i in range(8))]
    for origin, (column, row) in zip(origins, rows, strict=True):
        words = " ".join(f"{x:.3f}" for x in origin + 0.0)
        place = top - row * step - 0.35
        d.words(xs[column] + 0.08, place, words, size=7.5, color=GREY, ha="left")
    d.words(0.2, 0.16, "Grey: the joint's origin in its parent link, x y z [m].", size=8.5,
            ha="left", color=GREY)  # fmt: skip
    return d.figure


def left_tree() -> Figure:
    """The tree of Ju's Fig. 4 for the left arm."""
    return frame_tree(baxter_arm("left"))
