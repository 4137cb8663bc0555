"""The arm with its joint frames and the line through them (Kumar et al., Fig. 3), one arm or both.

Solids inside the 3D axes are drawn with a depth buffer, in the axes' own perspective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.baxter import Baxter
from baxterkit.checks.arms import need_arm
from baxterkit.checks.instances import need
from baxterkit.look.colors import ARM_COLORS, AXIS_COLORS, GREY, INK
from baxterkit.plot.render import Canvas, Solid
from baxterkit.plot.robot_pictures import arm_solids, halo, robot_solids
from baxterkit.plot.style import DPI, Axes, Mpl, fit, headline, new_axes_3d, new_figure, styled
from baxterkit.types import Array, JointsLike, Transform, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm

FRAME_LENGTH = 0.075  # m, of a joint frame's axes
TIP_LENGTH = 0.13  # m, of the base and tip frames' axes
LABEL_OFFSET = 0.035  # m, from a joint to its name
GRID = 0.25  # m, between grid lines
MARGIN = 0.12  # m, around what is drawn


def bones(Ts_base_link: Transform) -> Vector3:
    """The corners of the stick figure through a chain of frames.

    Between two frames the line runs along the first one's z axis, then straight to the second one's
    origin, so that Baxter's elbow offsets are visible.

    Args:
        Ts_base_link: Frames along the chain, shape (n, 4, 4).

    Returns:
        Corners in base [m], shape (2 n - 1, 3).
    """
    p = Ts_base_link[:, :3, 3]
    z = Ts_base_link[:-1, :3, 2]
    along = np.einsum("ij,ij->i", z, np.diff(p, axis=0))
    corners = np.empty((2 * len(p) - 1, 3))
    corners[::2] = p
    corners[1::2] = p[:-1] + along[:, None] * z
    return corners


def draw_arm(
    axes: Axes, arm: Arm, q: JointsLike, *, frames: bool = True, labels: bool = True
) -> Vector3:
    """Draws one arm into 3D axes.

    Args:
        axes: matplotlib 3D axes.
        arm: The arm.
        q: Joint positions [rad], shape (7,).
        frames: Whether to draw the joint frames.
        labels: Whether to write the joints' names.

    Returns:
        The corners of the drawn line in base [m], shape (n, 3).
    """
    need_arm(arm)
    draw_solids(axes, arm_solids(arm, q))
    return _draw_bones(axes, arm, q, frames=frames, labels=labels)


def _draw_bones(axes: Axes, arm: Arm, q: JointsLike, *, frames: bool, labels: bool) -> Vector3:
    """The line through the joints of an arm, its frames and names; returns the line's corners."""
    Ts_base_link = arm.link_poses(q)
    corners = bones(Ts_base_link)
    color = ARM_COLORS[arm.side]
    p = Ts_base_link[:, :3, 3]
    axes.plot(
        *corners.T,
        color=color,
        lw=2,
        path_effects=halo(2.5),
        solid_capstyle="round",
        solid_joinstyle="round",
        label=f"{arm.side} arm",
        zorder=4,
    )
    axes.plot(*p[:-1].T, ls="", marker="o", ms=6, mfc="white", mec=INK, mew=1.1, zorder=7)
    if frames:
        for T_base_link in Ts_base_link[:-1]:
            draw_frame(axes, T_base_link, FRAME_LENGTH)
    draw_frame(axes, Ts_base_link[-1], TIP_LENGTH, width=2.2)
    if labels:
        # The names stand on the outer side of the arm, away from the robot's middle plane.
        outward = np.array([0.0, LABEL_OFFSET if arm.side == "left" else -LABEL_OFFSET, 0.0])
        names = [name.split("_")[-1] for name in arm.joint_names]
        for name, point in zip([*names, "tip"], p, strict=True):
            up = np.array([0.0, 0.0, -LABEL_OFFSET if name == "s1" else LABEL_OFFSET])
            text = axes.text(*(point + outward + up), name, color=INK, zorder=9)
            text.set(fontsize=8.5, ha="center", va="center", path_effects=halo(2.5))
    return corners


def draw_frame(axes: Axes, T_base_frame: Transform, length: float, width: float = 1.5) -> None:
    """Draws a frame's axes, `length` [m] long, x y z in the colours of `AXIS_COLORS`."""
    origin = T_base_frame[:3, 3]
    for column, color in enumerate(AXIS_COLORS.values()):
        end = origin + length * T_base_frame[:3, column]
        axes.plot(*np.stack([origin, end]).T, color=color, lw=width, zorder=6)


@styled
def skeleton(
    arm: Arm, q: JointsLike, *, frames: bool = True, labels: bool = True, title: str | None = None
) -> Figure:
    """A figure of one arm.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (7,).
        frames: Whether to draw the joint frames.
        labels: Whether to write the joints' names.
        title: The figure's title; the side if None.
    """
    need_arm(arm)
    figure = new_figure(7.0, 5.6)
    axes = new_axes_3d(figure)
    corners = draw_arm(axes, arm, q, frames=frames, labels=labels)
    base = np.stack([np.zeros(3), corners[0]])
    finish(axes, [corners], [base], view=(20, -52 if arm.side == "left" else 52))
    _captions(figure, axes, title or f"Baxter, {arm.side} arm")
    return figure


@styled
def skeleton_both(
    robot: Baxter,
    q_left: JointsLike,
    q_right: JointsLike,
    *,
    frames: bool = True,
    labels: bool = True,
    title: str | None = None,
) -> Figure:
    """A figure of both arms, with torso and head.

    Args:
        robot: The robot.
        q_left: Joint positions of the left arm [rad], shape (7,).
        q_right: Joint positions of the right arm [rad], shape (7,).
        frames: Whether to draw the joint frames.
        labels: Whether to write the joints' names.
        title: The figure's title.
    """
    need(robot, Baxter, "robot", "Baxter() is the nominal one")
    figure = new_figure(7.6, 5.2)
    axes = new_axes_3d(figure)
    both = {
        "left": robot.left.model.joint_values(q_left, "q_left"),
        "right": robot.right.model.joint_values(q_right, "q_right"),
    }
    draw_solids(axes, robot_solids(robot, both, pedestal=False))
    left, right = (
        _draw_bones(axes, arm, both[arm.side], frames=frames, labels=labels)
        for arm in (robot.left, robot.right)
    )
    head = robot.head.fk(0.0)[:3, 3]
    neck = np.array([0.0, 0.0, left[0, 2]])
    shoulders = np.stack([left[0], neck, right[0]])
    spine = np.stack([np.zeros(3), neck, np.array([0.0, 0.0, head[2]]), head])
    finish(axes, [left, right], [shoulders, spine], view=(18, 22))
    _captions(figure, axes, title or "Baxter")
    return figure


def finish(
    axes: Axes,
    arms: list[Vector3],
    body: list[Vector3],
    view: tuple[float, float],
    shadows: int | None = None,
    top: float = 0.92,
) -> None:
    """Adds the body, the base frame and shadows on the floor, and sets equal scales.

    Args:
        axes: 3D axes.
        arms: Corners of the lines of arms, shape (n, 3) each.
        body: Corners of the lines of the body, drawn here.
        view: Elevation and azimuth [deg].
        shadows: Number of arms, from the first, that cast a shadow; all if None.
        top: Upper end of the axes, as a fraction of the figure.
    """
    from matplotlib.ticker import MultipleLocator

    for line in body:
        axes.plot(*line.T, color=GREY, lw=3, alpha=0.5, solid_capstyle="round", zorder=1.5)
    draw_frame(axes, np.eye(4), TIP_LENGTH, width=2.2)
    points = np.concatenate([*arms, *body])
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    for line in [*body, *arms[:shadows]]:
        axes.plot(line[:, 0], line[:, 1], low[2], color=GREY, alpha=0.35, lw=2.5, zorder=1)
    set_equal(axes, low, high)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MultipleLocator(GRID))
    axes.view_init(*view)
    axes.set_proj_type("persp", focal_length=0.9)
    fit(axes.figure, axes, (0.03, 0.02, 0.97, top))


def set_equal(axes: Axes, low: Array, high: Array) -> None:
    """Sets limits, and one scale for the three axes."""
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_zlim(low[2], high[2])
    axes.set_box_aspect(high - low)


def _captions(figure: Figure, axes: Axes, title: str) -> None:
    """Title, and a legend of the arms, the joints, the body and the frames' axes."""
    from matplotlib.lines import Line2D

    headline(figure, 0.04, 0.945, title, 13)
    arms = [
        Line2D([], [], color=line.get_color(), lw=3, label=line.get_label())
        for line in axes.get_lines()
        if not line.get_label().startswith("_")
    ]
    joint = Line2D([], [], ls="", marker="o", mfc="white", mec=INK, mew=1.5, ms=6, label="joint")
    body = Line2D([], [], color=GREY, alpha=0.5, lw=3, label="body, shadow")
    axis = [Line2D([], [], color=c, lw=2, label=name) for name, c in AXIS_COLORS.items()]
    figure.legend(
        handles=[*arms, joint, body, *axis],
        loc="upper right",
        bbox_to_anchor=(0.98, 0.995),
        ncols=7,
        fontsize=8,
        columnspacing=1.2,
        handlelength=1.4,
    )


@dataclass(frozen=True, eq=False)
class AxesCamera:
    """The camera of 3D axes, for `baxterkit.plot.render.Canvas`.

    Attributes:
        of: The axes, with their projection up to date.
        width: Width of the picture of the whole figure [pixel].
        height: Its height [pixel].
    """

    of: Axes
    width: int
    height: int

    @property
    def axes(self) -> Array:
        """Rows: right, up and back in the world, as matplotlib has them, shape (3, 3)."""
        return np.stack([self.of._view_u, self.of._view_v, self.of._view_w])

    def project(self, points: ArrayLike) -> Vector3:
        """Pixels of points in the world, and their depth, shape (n, 3)."""
        p = np.asarray(points, dtype=np.float64)
        seen = np.concatenate([p, np.ones((len(p), 1))], axis=-1) @ self.of.M.T
        flat = self.of.transData.transform(seen[:, :2] / seen[:, 3:])
        scale = np.array([self.width, self.height]) / self.of.figure.bbox.size
        x, y = (flat * scale).T
        return np.stack([x, self.height - y, -(p @ self.of._view_w)], axis=-1)


def draw_solids(
    axes: Axes, solids: Sequence[Solid], zorder: float = 2.0, opacity: float = 1.0
) -> None:
    """Draws solids into 3D axes; in SVG and PDF files they are pixels.

    Args:
        axes: matplotlib 3D axes.
        solids: The solids, in base.
        zorder: Lines with a greater one are drawn over them.
        opacity: Opacity of the solids, 0 to 1.
    """
    from matplotlib.image import BboxImage

    class Picture(BboxImage):
        """Rendered when the figure is drawn, since the projection is known only then."""

        def draw(self, renderer: Mpl, *rest: Mpl, **options: Mpl) -> None:
            """Renders the solids, and draws them."""
            axes.M = axes.get_proj()
            size = axes.figure.get_size_inches() * max(DPI, axes.figure.dpi)
            camera = AxesCamera(axes, *(round(float(x)) for x in size))
            image = Canvas(camera, 1 if size[0] > 1000 else 2).drawn(solids).picture()
            image[..., 3] *= opacity
            self.set_data(image)
            super().draw(renderer, *rest, **options)

    picture = Picture(axes.figure.bbox, origin="upper", zorder=zorder)
    picture.set_clip_on(False)
    axes.add_artist(picture)
