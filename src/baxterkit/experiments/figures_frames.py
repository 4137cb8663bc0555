"""The papers' frames drawn over the arm: DH frames as printed, and URDF frames beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.experiments.figures_robot import arm_with_mount, axis_legend, caption
from baxterkit.look.colors import GREY, INK, ORANGE, PURPLE, SKY
from baxterkit.model.lengths import arm_lengths
from baxterkit.papers import ju, kumar
from baxterkit.plot.render import Camera
from baxterkit.plot.robot_pictures import Picture, robot_solids
from baxterkit.plot.skeletons import bones
from baxterkit.plot.style import headline, new_figure, styled
from baxterkit.types import Transform, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ZERO = np.zeros(7)
TABLE_1 = ju.corrected.misprinted("Table 1, digits", "Table 1, d_7")
"""Ju's table as printed, with eq. 1 as meant: as printed it is not a rotation."""
GHOST = 0.38
"""Opacity of the arm below frames."""
UPPER = 10
"""How many solids of an arm with its mount reach from there to the elbow and the drum of w0."""
SIDE_VIEW = Camera((0.47, 0.66, 0.2), -30.0, 14.0, 0.76)
"""The stretched left arm from its side."""
TABLE = ju.corrected.misprinted("Table 1, digits")
"""Table 1 with the printed digits, ending at the hand."""
CAMERA = Camera((0.32, 0.0, 0.38), 10.0, 20.0, 1.42)
HEAD = "          x      y      z   roll  pitch    yaw"


@styled
def dh_frames() -> Figure:
    """DH frames 0 to 7 by Kumar's Table I as printed, over the arm (Kumar, Fig. 2)."""
    arm = Arm("left")
    Ts = kumar.printed.frames(ZERO, "left")
    figure = new_figure(10.5, 5.0)
    picture = Picture.drawn(
        figure, (0.0, 0.0, 1.0, 0.94), arm_with_mount(arm, ZERO), SIDE_VIEW, opacity=GHOST
    )
    picture.line(bones(Ts), color=INK, lw=2.2, zorder=5)
    for name, T in _grouped(Ts):
        picture.frame(T, 0.13, name)
    for group, offset in (("0", (-46, -14)), ("1, 2", (-66, 24)), ("3, 4", (-40, -64)),
                          ("5, 6", (-34, -68)), ("7", (44, -52))):  # fmt: skip
        T = Ts[int(group[0])]
        picture.callout(T[:3, 3], f"frame {group}" if len(group) == 1 else f"frames {group}",
                        offset)  # fmt: skip
    axis_legend(figure)
    caption(
        figure,
        "Kumar, Fig. 2: frames of Table I as printed, all joints at zero",
        "Frames that share an origin are drawn a little apart. Pale: the physical arm.",
    )
    return figure


def _grouped(Ts: Transform, apart: float = 0.03) -> list[tuple[str, Transform]]:
    """Frames with their numbers; those that share an origin are moved apart along their z axes."""
    found = []
    for i, T in enumerate(Ts):
        moved = T.copy()
        if i and np.linalg.norm(T[:3, 3] - Ts[i - 1][:3, 3]) < 1e-6:
            moved[:3, 3] = T[:3, 3] + apart * (T[:3, 2] + T[:3, 0])
        found.append((str(i), moved))
    return found


@styled
def home_pose() -> Figure:
    """Stick figure and simulator side by side, the same joint positions (Kumar, Fig. 3)."""
    robot = Baxter()
    q = {"left": ZERO, "right": ZERO}
    camera = Camera((0.34, 0.0, 0.31), 12.0, 24.0, 1.98)
    figure = new_figure(12.6, 5.2)
    Picture.drawn(figure, (0.0, 0.03, 0.5, 0.9), robot_solids(robot, q, pedestal=False), camera)
    right = Picture.drawn(
        figure, (0.5, 0.03, 0.5, 0.9), robot_solids(robot, q, pedestal=False), camera,
        opacity=0.12,
    )  # fmt: skip
    for arm, color in ((robot.left, SKY), (robot.right, ORANGE)):
        Ts = arm.link_poses(ZERO)
        right.line(bones(Ts), color=color, lw=4.0, solid_capstyle="round", zorder=5)
        points = right.pixels(Ts[:-1, :3, 3])
        right.axes.plot(*points.T, "o", ms=5, mfc="white", mec=INK, mew=1.1, zorder=7)
        right.frame(Ts[-1], 0.14, letters=False)
    figure.text(0.03, 0.86, "(a) the robot, rendered", fontsize=10, color=INK)
    figure.text(0.53, 0.86, "(b) stick figure of the model, tip frames", fontsize=10, color=INK)
    axis_legend(figure)
    caption(
        figure,
        "Kumar, Fig. 3: simulator and skeleton, all joints at zero",
        "The paper does not print the joint positions of its home configuration.",
    )
    return figure


@styled
def dh_definition() -> Figure:
    """θ, d, a and α of link 3 of Ju's Table 1, over the upper arm (Ju, Fig. 5)."""
    arm = Arm("left")
    q = np.array([0.0, -0.2, 0.0, 0.5, 0.0, 0.6, 0.0])
    Ts = TABLE_1.frames(q, "left")
    before, after = Ts[2], Ts[3]
    _, d, a, _ = TABLE_1.dh()[2]
    foot = before[:3, 3] + d * before[:3, 2]
    figure = new_figure(9.6, 6.0)
    middle = 0.5 * (before[:3, 3] + after[:3, 3]) - np.array([0.0, 0.0, 0.12])
    x, y, z = (float(v) for v in middle)
    camera = Camera((x, y, z), -66.0, 24.0, 0.72)
    picture = Picture.drawn(
        figure, (0.0, 0.05, 1.0, 0.88), arm_with_mount(arm, q)[:UPPER], camera, opacity=0.3
    )
    for T in (before, after):
        ends = T[:3, 3] + np.outer([-0.16, 0.22], T[:3, 2])
        picture.line(ends, color=GREY, lw=1.0, ls=(0, (5, 3)), zorder=4)
    picture.frame(before, 0.1, "i-1")
    picture.frame(after, 0.1, "i")
    lift = -0.055 * before[:3, 0]
    _dimension(picture, before[:3, 3], foot, lift, f"$d_i$ = {d:.3f} m", (16, -16))
    side = 0.075 * before[:3, 2]
    _dimension(picture, foot, after[:3, 3], side, f"$a_i$ = {a:.3f} m", (58, 0))
    _arc(
        picture,
        after[:3, 3],
        before[:3, 2],
        after[:3, 2],
        0.08,
        r"$\alpha_i = -\pi/2$, about $x_i$",
        (14, 58),
    )
    _arc(picture, before[:3, 3] - 0.05 * before[:3, 2], before[:3, 0], before[:3, 1], 0.06,
         r"$\theta_i = q_3$, about $z_{i-1}$", (-64, 26))  # fmt: skip
    picture.callout(
        before[:3, 3], "joint $i$ = 3, e0\n(its frame has the origin of s1)", (-64, -84)
    )
    picture.callout(after[:3, 3], "joint $i + 1$ = 4, e1", (70, -64))
    axis_legend(figure)
    caption(
        figure,
        "Ju, Fig. 5: the four DH parameters, link 3 of Table 1",
        r"Rz(θ) Tz(d) Tx(a) Rx(α), standard notation. Pale: the physical arm, s1 = -0.2, "
        "e1 = 0.5 rad. Table 1 as printed, eq. 1 as meant.",
    )
    return figure


def _dimension(
    picture: Picture, a: Vector3, b: Vector3, lift: Vector3, words: str,
    offset: tuple[float, float],
) -> None:  # fmt: skip
    """A dimension between two points, moved aside by `lift`."""
    for point in (a, b):
        picture.line(np.stack([point, point + 1.15 * lift]), color=PURPLE, lw=0.8)
    picture.arrow(a + lift, b + lift, PURPLE, 1.4, "<|-|>")
    picture.text(0.5 * (a + b) + lift, words, offset=offset, color=PURPLE, size=11)


def _arc(
    picture: Picture, center: Vector3, start: Vector3, end: Vector3, radius: float, words: str,
    offset: tuple[float, float],
) -> None:  # fmt: skip
    """A quarter circle from one direction to another, with its name."""
    t = np.linspace(0.0, 0.5 * np.pi, 24)[:, None]
    points = center + radius * (np.cos(t) * start + np.sin(t) * end)
    picture.line(points[:-1], color=PURPLE, lw=1.4)
    picture.arrow(points[-3], points[-1], PURPLE, 1.4)
    picture.text(points[len(points) // 2], words, offset=offset, color=PURPLE, size=11)


@styled
def first_frames() -> Figure:
    """The URDF's frames of s0, s1, e0 and e1, and the steps between them (Ju, Fig. 6)."""
    arm = Arm("left")
    Ts = arm.link_poses(ZERO)[:4]
    mount = arm.model.T_base_s0[:3, 3]
    figure = new_figure(9.6, 6.0)
    camera = Camera((mount[0] + 0.16, mount[1] + 0.16, 0.27), -30.0, 16.0, 0.74)
    picture = Picture.drawn(
        figure, (0.0, 0.0, 1.0, 0.94), arm_with_mount(arm, ZERO)[:UPPER], camera, opacity=GHOST
    )
    corners = bones(Ts)
    picture.line(corners, color=INK, lw=2.0, zorder=5)
    for name, T in zip(("s0", "s1", "e0", "e1"), Ts, strict=True):
        picture.frame(T, 0.06 if name == "s1" else 0.1, name)
    notes = (
        (0.5 * (corners[0] + corners[1]), f"z {arm_lengths().d1:.5f} m", (-46, 0)),
        (0.5 * (corners[1] + corners[2]), "x 0.069 m,\nthen $-\\pi/2$ about x", (-86, 46)),
        (0.5 * (Ts[1, :3, 3] + Ts[2, :3, 3]), "x 0.102 m, then $\\pi/2$ about x and z",
         (10, 106)),
        (0.3 * corners[4] + 0.7 * corners[5], "z 0.26242 m, x 0.069 m,\nthen $-\\pi/2$ about x",
         (40, 62)),
    )  # fmt: skip
    for point, words, offset in notes:
        picture.callout(point, words, offset, size=9.5)
    places = {"s0": (70, -30), "s1": (-96, -42), "e0": (16, -110), "e1": (54, -44)}
    for (name, offset), T in zip(places.items(), Ts, strict=True):
        picture.callout(T[:3, 3], f"left_{name}", offset, fontweight="bold")
    axis_legend(figure)
    caption(figure, "Ju, Fig. 6: the first joint frames of the URDF, all joints at zero",
            "The paper rounds to 0.27 and 0.262 m. Pale: the arm to its elbow.")  # fmt: skip
    return figure


@styled
def elbow_frames() -> Figure:
    """Where joint e0 is on the robot, and where its DH frame is (Ju, Fig. 9)."""
    arm = Arm("left")
    urdf = arm.link_poses(ZERO)
    dh = TABLE_1.frames(ZERO, "left")
    mount = arm.model.T_base_s0[:3, 3]
    camera = Camera((mount[0] + 0.16, mount[1] + 0.16, 0.27), -30.0, 14.0, 0.64)
    panels = (
        ("(a) on the robot, e0 is in the middle of the upper arm", urdf,
         (("s1", urdf[1]), ("e0", urdf[2]), ("e1", urdf[3])), urdf[2]),
        ("(b) in the DH table, frame 2, of e0, has the origin of frame 1, of s1", dh,
         (("1", dh[1]), ("2", _aside(dh[2])), ("3", dh[3])), dh[2]),
    )  # fmt: skip
    solids = arm_with_mount(arm, ZERO)[:UPPER]
    figure = new_figure(12.0, 5.0)
    for i, (words, chain, frames, marked) in enumerate(panels):
        area = (0.5 * i, 0.03, 0.5, 0.84)
        picture = Picture.drawn(figure, area, solids, camera, opacity=GHOST)
        picture.line(bones(chain)[:7], color=INK, lw=2.0, zorder=5)
        for name, T in frames:
            picture.frame(T, 0.055 if name == "s1" else 0.095, name)
        picture.callout(marked[:3, 3], "joint e0" if i == 0 else "frame of e0",
                        (-10, 72) if i == 0 else (-46, 66),
                        fontweight="bold")  # fmt: skip
        figure.text(0.5 * i + 0.017, 0.865, words, fontsize=10, color=INK)
    axis_legend(figure)
    caption(
        figure,
        "Ju, Fig. 9: joint e0 on the robot and in the DH table",
        "Both chains end at the same tip: the 0.102 m from s1 to e0 are part of d in row "
        "3. Frame 2 is drawn a little aside. Table 1 as printed, eq. 1 as meant.",
    )
    return figure


def _aside(T: Transform) -> Transform:
    moved = T.copy()
    moved[:3, 3] = T[:3, 3] + 0.04 * (T[:3, 2] + T[:3, 0])
    return moved


@styled
def configurations() -> Figure:
    """Four configurations, among them Ju's untucked (b) and tucked (d) one.

    The errors are those of the table's rounded digits, for the nominal robot: nothing is measured.
    """
    robot = Baxter()
    poses = {"(a) neutral": "neutral", "(b) untucked": "untuck", "(c) all joints at zero": "",
             "(d) tucked": "tuck"}  # fmt: skip
    figure = new_figure(11.0, 8.6)
    for i, (name, pose) in enumerate(poses.items()):
        arms = (robot.left, robot.right)
        q = {arm.side: arm.configuration(pose) if pose else np.zeros(7) for arm in arms}
        left, low = 0.5 * (i % 2), 0.49 if i < 2 else 0.055
        picture = Picture.drawn(
            figure, (left, low + 0.06, 0.5, 0.35), robot_solids(robot, q, pedestal=False),
            CAMERA, opacity=0.55,
        )  # fmt: skip
        headline(figure, left + 0.02, low + 0.405, name, 10)
        figure.text(left + 0.02, low + 0.06, HEAD, fontsize=8, color=GREY, family="monospace")
        for k, side in enumerate(("left", "right")):
            model = TABLE.of_side(side)
            Ts = model.frames(q[side], side)
            picture.line(bones(Ts), color=INK, lw=2.4, zorder=5, solid_capstyle="round")
            pixels = picture.pixels(Ts[:, :3, 3])
            picture.axes.plot(*pixels.T, "o", ms=4, mfc="white", mec=INK, mew=1.0, zorder=6)
            error = 1e3 * model.deviation(q[side], robot.arm(side).fk(q[side]))
            numbers = "".join(f"{round(float(x), 2) + 0.0:7.2f}" for x in error)
            figure.text(left + 0.02, low + 0.037 - 0.022 * k, f"{side:5}{numbers}", fontsize=8,
                        color=INK, family="monospace")  # fmt: skip
    caption(
        figure,
        "Ju, Fig. 7: the nominal robot and Table 1 over it; not a measurement",
        "Model less robot, x y z [mm], roll pitch yaw [mrad]: what the printed digits leave "
        "out. The paper does not print its configurations (a) and (c).",
    )
    return figure
