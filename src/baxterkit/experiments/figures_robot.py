"""The papers' photographs and link diagrams, redrawn from the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.collision.obstacle import FLOOR
from baxterkit.look.colors import AXIS_COLORS, GREY, VERMILION
from baxterkit.look.robot import CHARCOAL, STEEL
from baxterkit.look.shapes import Mesh, ball, capsule, drum, slab
from baxterkit.model.names import JOINTS
from baxterkit.plot.render import Camera, Solid
from baxterkit.plot.robot_pictures import Picture, arm_solids, robot_solids
from baxterkit.plot.style import headline, new_figure, styled
from baxterkit.trajectory import smith_set
from baxterkit.types import JointVector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SKIN, SHIRT, TROUSERS = (214, 170, 140), (96, 128, 118), (74, 84, 104)
WOOD, CARDBOARD = (205, 190, 165), (196, 158, 110)
ASSEMBLIES = ("upper shoulder", "lower shoulder", "upper elbow", "lower elbow", "upper forearm",
              "lower forearm", "wrist")  # fmt: skip
REACHING = {
    "left": (-0.5, -0.45, -0.3, 0.95, 0.2, 0.75, 0.0),
    "right": (0.5, -0.45, 0.3, 0.95, -0.2, 0.75, 0.0),
}
"""Joint positions of arms that hang in front of the robot with bent elbows [rad]."""
OPEN = {
    "left": (0.35, -0.5, -0.2, 0.9, 0.2, 0.75, 0.0),
    "right": (-0.35, -0.5, 0.2, 0.9, -0.2, 0.75, 0.0),
}
"""The same, to both sides."""


def caption(figure: Figure, title: str, note: str = "") -> None:
    """Title at the upper left, and a note at the lower left."""
    height = float(figure.get_size_inches()[1])
    width = float(figure.get_size_inches()[0])
    headline(figure, 0.2 / width, 1.0 - 0.34 / height, title)
    if note:
        figure.text(0.2 / width, 0.14 / height, note, fontsize=8.5, color=GREY)


def axis_legend(figure: Figure) -> None:
    """The colours of the axes, on the title's line at the right."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=c, lw=2, label=name) for name, c in AXIS_COLORS.items()]
    width, height = (float(x) for x in figure.get_size_inches())
    place = (1.0 - 0.1 / width, 1.0 - 0.28 / height)
    figure.legend(handles=handles, loc="center right", bbox_to_anchor=place, ncols=3, fontsize=9)


@styled
def joints_of_an_arm(title: str, names: Sequence[str], assemblies: bool) -> Figure:
    """The left arm with names at its joints (Kumar, Fig. 1; Ju, Fig. 2).

    Args:
        title: Title of the figure.
        names: Names of the seven joints.
        assemblies: Whether to name the bodies between the joints too.
    """
    arm = Arm("left")
    q = np.array([0.35, -0.35, -0.6, 0.9, 0.5, 0.7, 0.0])
    Ts = arm.link_poses(q)
    figure = new_figure(9.0, 5.4)
    camera = Camera((0.44, 0.52, 0.27), -52.0, 12.0, 1.02)
    picture = Picture.drawn(figure, (0.0, 0.0, 1.0, 0.95), arm_with_mount(arm, q), camera)
    up = ((-74, -6), (-66, 34), (-26, 70), (30, 66), (48, 50), (72, 34), (78, 12))
    for name, T, offset in zip(names, Ts[:-1], up, strict=True):
        picture.callout(T[:3, 3], name, offset, size=12, fontweight="bold")
    if assemblies:
        mount = np.array([*Ts[0, :2, 3], 0.05])
        picture.callout(mount, "arm mount", (-66, -18), size=9.5)
        down = ((50, -96), (14, -46), (-16, 86), (-6, -96), (-4, -110), (-4, -112), (58, -34))
        parts = (0.5, 0.5, 0.5, 0.5, 0.5, 0.45, 0.6)
        for i, (name, offset, part) in enumerate(zip(ASSEMBLIES, down, parts, strict=True)):
            at = (1.0 - part) * Ts[i, :3, 3] + part * Ts[i + 1, :3, 3]
            picture.callout(at, name, offset, size=9.5)
    caption(figure, title, "Redrawn from the model.")
    return figure


def kumar_1() -> Figure:
    """The arm and the names of its joints (Kumar, Fig. 1)."""
    names = [joint.upper() for joint in JOINTS]
    return joints_of_an_arm("Kumar, Fig. 1: Baxter's arm of seven joints", names, False)


def ju_2() -> Figure:
    """Joints and assemblies of the arm (Ju, Fig. 2)."""
    return joints_of_an_arm("Ju, Fig. 2: joints (bold) and assemblies of an arm", JOINTS, True)


def arm_with_mount(arm: Arm, q: JointVector) -> list[Solid]:
    """An arm, and the dark drum that carries it."""
    x, y, _ = arm.model.T_base_s0[:3, 3]
    mount = drum((float(x), float(y), 0.05), (0.0, 0.0, 1.0), 0.088, 0.16)
    return [Solid(mount, CHARCOAL), *arm_solids(arm, q)]


@styled
def numbered_robot() -> Figure:
    """The robot with joints 1 to 7, and the springs at the second (Smith, Fig. 1)."""
    robot = Baxter(left=Arm("left", tool="vacuum"), right=Arm("right", tool="electric_standard"))
    q = {side: np.array(values) for side, values in OPEN.items()}
    figure = new_figure(9.0, 7.2)
    solids = robot_solids(robot, q)
    springs = _springs(robot.left, q["left"]) + _springs(robot.right, q["right"])
    red = tuple(int(VERMILION[i : i + 2], 16) for i in (1, 3, 5))
    solids += [Solid(mesh, red) for mesh in springs]  # type: ignore[arg-type]
    camera = Camera((0.2, 0.0, -0.04), 0.0, 13.0, 2.02)
    picture = Picture.drawn(figure, (0.0, 0.04, 1.0, 0.92), solids, camera)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = robot.arm(side)
        Ts = arm.link_poses(q[side])
        places = ((44, -46), (46, -36), (-2, 66), (22, 50), (52, 24), (46, 8), (42, -8))
        for i, (T, (x, y)) in enumerate(zip(Ts[:-1], places, strict=True), 1):
            picture.callout(T[:3, 3], str(i), (sign * x, y), size=11, fontweight="bold")
    caption(
        figure,
        "Smith, Fig. 1: joints 1 to 7; red: the springs of joint 2",
        "Redrawn from the model, springs sketched. Shoulder 1 to 3, elbow 4 and 5, wrist 6 "
        "and 7; vacuum cup on the left arm, gripper on the right.",
    )
    return figure


def _springs(arm: Arm, q: JointVector) -> list[Mesh]:
    """Two springs beside the shoulder, from the upper shoulder to the upper arm."""
    Ts = arm.link_poses(q)
    found = []
    for side in (-1.0, 1.0):
        a = Ts[0] @ np.array([-0.05, side * 0.09, 0.20, 1.0])
        b = Ts[1] @ np.array([0.10, -0.06, side * 0.09, 1.0])
        found.append(capsule(a[:3], b[:3], 0.016))
    return found


@styled
def test_position() -> Figure:
    """The right arm where Smith's sets are, its tool vertical (Smith, Fig. 4)."""
    robot = Baxter(right=Arm("right", tool="electric_standard"))
    motion = smith_set(1, Arm("right"))
    start = np.asarray(motion.sample(0.0).q)
    tip = Arm("right").fk(motion.at_rate(20.0)[1])[:, :3, 3]
    q = {"left": robot.left.configuration("untuck"), "right": start}
    figure = new_figure(8.4, 6.4)
    camera = Camera((0.3, -0.1, 0.22), -30.0, 16.0, 1.4)
    picture = Picture.drawn(
        figure, (0.0, 0.04, 1.0, 0.92), robot_solids(robot, q, pedestal=False), camera
    )
    picture.line(tip, color=VERMILION, lw=1.6)
    T = Arm("right").fk(start)
    picture.callout(T[:3, 3], "hand at the start of set 1,\ntool's axis vertical", (84, -34))
    lowest = tip[np.argmin(tip[:, 2])]
    picture.text(lowest, "path of the hand in set 1", offset=(0, -22), size=9.5,
                 color=VERMILION)  # fmt: skip
    caption(figure, "Smith, Fig. 4: the right arm in the test position",
            "Redrawn from the model. The paper prints no joint positions; the arm is at the "
            "start of set 1.")  # fmt: skip
    return figure


@styled
def factory() -> Figure:
    """The robot and a person at one table (Ju, Fig. 1)."""
    robot = Baxter(
        left=Arm("left", tool="electric_standard"), right=Arm("right", tool="electric_standard")
    )
    q = {side: np.array(values) for side, values in REACHING.items()}
    table_top = -0.24
    solids = robot_solids(robot, q)
    solids.append(Solid(slab((0.85, 0.0, table_top - 0.02), (0.7, 1.7, 0.04), 0.012), WOOD))
    for x in (0.55, 1.15):
        for y in (-0.78, 0.78):
            a, b = (x, y, FLOOR + 0.02), (x, y, table_top - 0.05)
            solids.append(Solid(capsule(a, b, 0.02), STEEL))
    for y, size in ((-0.3, 0.12), (0.02, 0.1), (0.42, 0.14)):
        box = slab((0.92, y, table_top + size / 2), (size, size, size), 0.008)
        solids.append(Solid(box, CARDBOARD))
    solids += person(1.62, -0.12)
    figure = new_figure(9.0, 6.4)
    camera = Camera((0.75, 0.0, -0.12), 62.0, 14.0, 2.45)
    Picture.drawn(figure, (0.0, 0.03, 1.0, 0.92), solids, camera)
    caption(
        figure,
        "Ju, Fig. 1: a person and the robot at one table",
        "Redrawn from the model in place of the photograph; the person is a sketch.",
    )
    return figure


def person(x: float, y: float) -> list[Solid]:
    """A standing person of 1.75 m who faces the robot, hands forward."""
    floor = FLOOR

    def at(dx: float, dy: float, z: float) -> tuple[float, float, float]:
        return (x - dx, y - dy, floor + z)

    parts: list[Solid] = []
    for side in (-1.0, 1.0):
        parts += [
            Solid(capsule(at(0.0, side * 0.10, 0.90), at(0.0, side * 0.11, 0.10), 0.085, 0.06),
                  TROUSERS),
            Solid(capsule(at(-0.03, side * 0.11, 0.05), at(0.13, side * 0.12, 0.05), 0.045),
                  CHARCOAL),
            Solid(capsule(at(0.0, side * 0.20, 1.40), at(0.08, side * 0.27, 1.10), 0.058, 0.05),
                  SHIRT),
            Solid(capsule(at(0.08, side * 0.27, 1.10), at(0.34, side * 0.20, 1.02), 0.045, 0.035),
                  SKIN),
            Solid(ball(0.045).moved(np.eye(3), at(0.38, side * 0.19, 1.02)), SKIN),
        ]  # fmt: skip
    parts += [
        Solid(capsule(at(0.0, 0.0, 0.95), at(0.0, 0.0, 1.34), 0.15, 0.17), SHIRT),
        Solid(capsule(at(0.0, -0.14, 1.40), at(0.0, 0.14, 1.40), 0.085), SHIRT),
        Solid(capsule(at(0.0, 0.0, 1.45), at(0.0, 0.0, 1.56), 0.055), SKIN),
        Solid(capsule(at(0.01, 0.0, 1.60), at(0.01, 0.0, 1.68), 0.095), SKIN),
        Solid(capsule(at(-0.03, 0.0, 1.66), at(-0.01, 0.0, 1.71), 0.098), CHARCOAL),
    ]
    return parts
