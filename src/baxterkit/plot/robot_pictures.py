"""Pictures of the whole robot with drawings over them: frames, lines, dimensions, names.

The robot looks as in the viewer without meshes: dark joints, coloured arms, a pale torso.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.look.colors import AXIS_COLORS, INK
from baxterkit.look.robot import arm_parts, face_parts, head_parts, torso_parts
from baxterkit.plot.render import Camera, Solid, render
from baxterkit.plot.style import Axes, Mpl
from baxterkit.types import JointsLike, JointVector, Transform

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm
    from baxterkit.baxter import Baxter


def arm_solids(arm: Arm, q: JointsLike) -> list[Solid]:
    """One arm in the base frame.

    Args:
        arm: The arm.
        q: Joint positions [rad], shape (7,).
    """
    Ts = arm.link_poses(q)
    return [Solid(part.placed(Ts), part.color) for part in arm_parts(arm.model)]


def robot_solids(
    robot: Baxter, q: Mapping[str, JointVector], *, pedestal: bool = True
) -> list[Solid]:
    """Torso, head and arms in the base frame.

    Args:
        robot: The robot.
        q: Side -> joint positions [rad], shape (7,); arms that are not named are not drawn.
        pedestal: Whether to draw the pedestal.
    """
    solids = [
        Solid(mesh, color) for name, mesh, color in torso_parts() if pedestal or name != "pedestal"
    ]
    T = robot.head.fk(0.0)
    solids += [
        Solid(mesh.moved(T[:3, :3], T[:3, 3]), color)
        for _, mesh, color in (*head_parts(), *face_parts())
    ]
    for side, values in q.items():
        solids += arm_solids(robot.arm(side), values)
    return solids


@dataclass(eq=False)
class Picture:
    """A rendered picture in axes of matplotlib, and what is drawn over it.

    Attributes:
        axes: Its axes, in pixels.
        camera: Its camera; `camera.project` gives the pixels of points.
    """

    axes: Axes
    camera: Camera

    @classmethod
    def drawn(
        cls,
        figure: Figure,
        area: tuple[float, float, float, float],
        solids: Sequence[Solid],
        camera: Camera,
        *,
        opacity: float = 1.0,
    ) -> Picture:
        """Draws solids into a part of a figure.

        Args:
            figure: The figure.
            area: Left, bottom, width and height, as fractions of the figure.
            solids: What to draw, in the base frame.
            camera: Its width and height are replaced by those of the area.
            opacity: Opacity of the solids, 0 to 1, so that lines over them stand out.
        """
        from dataclasses import replace

        size = figure.get_size_inches() * figure.dpi
        camera = replace(
            camera, width=round(float(area[2] * size[0])), height=round(float(area[3] * size[1]))
        )
        axes = figure.add_axes(area)
        axes.set_axis_off()
        image = render(solids, camera)
        image[..., 3] *= opacity
        axes.imshow(image, extent=(0, camera.width, camera.height, 0), interpolation="nearest")
        axes.set_xlim(0, camera.width)
        axes.set_ylim(camera.height, 0)
        axes.set_aspect("auto")
        return cls(axes, camera)

    def pixels(self, points: ArrayLike) -> Mpl:
        """Pixels of points [m], shape (*batch, 2)."""
        return self.camera.project(points)[..., :2]

    def line(self, points: ArrayLike, **options: Mpl) -> None:
        """A line through points of the base frame, options as of `Axes.plot`."""
        self.axes.plot(*self.pixels(points).T, **{"color": INK, "lw": 1.5, **options})

    def arrow(
        self, start: ArrayLike, end: ArrayLike, color: str = INK, width: float = 1.8,
        style: str = "-|>",
    ) -> None:  # fmt: skip
        """An arrow between two points of the base frame."""
        a, b = self.pixels(np.stack([np.asarray(start, float), np.asarray(end, float)]))
        self.axes.annotate(
            "", xy=b, xytext=a, zorder=6, annotation_clip=False,
            arrowprops={"arrowstyle": style, "color": color, "lw": width, "shrinkA": 0,
                        "shrinkB": 0, "mutation_scale": 5.0 + 3.0 * width},
        )  # fmt: skip

    def frame(
        self,
        T: Transform,
        length: float = 0.11,
        name: str = "",
        *,
        axes: Iterable[str] = "xyz",
        width: float = 1.8,
        letters: bool = True,
    ) -> None:
        """A frame's axes with names such as z3, x red, y green, z blue.

        Args:
            T: The frame in base, (4, 4).
            length: Length of the axes [m].
            name: What follows the letters x, y, z: "3".
            axes: Which axes.
            width: Width of the lines [pt].
            letters: Whether to write the names.
        """
        for axis in axes:
            k = "xyz".index(axis)
            color = AXIS_COLORS[axis]
            end = T[:3, 3] + length * T[:3, k]
            self.arrow(T[:3, 3], end, color, width)
            if letters:
                at = T[:3, 3] + (length + 0.022) * T[:3, k]
                self.text(at, f"${axis}_{{{name}}}$" if name else f"${axis}$", color=color, size=10)

    def text(
        self, point: ArrayLike, words: str, *, offset: tuple[float, float] = (0.0, 0.0),
        color: str = INK, size: float = 9.0, **options: Mpl,
    ) -> None:  # fmt: skip
        """Words at a point of the base frame, moved by an offset [pt]."""
        self.axes.annotate(
            words, xy=self.pixels(point), xytext=offset, textcoords="offset points", color=color,
            fontsize=size, ha=options.pop("ha", "center"), va=options.pop("va", "center"),
            zorder=9, path_effects=halo(), annotation_clip=False, **options,
        )  # fmt: skip

    def callout(
        self, point: ArrayLike, words: str, offset: tuple[float, float], **options: Mpl
    ) -> None:
        """Words beside a point, with a thin line to it; the offset [pt] is to the right and up."""
        self.axes.annotate(
            words, xy=self.pixels(point), xytext=offset, textcoords="offset points",
            color=options.pop("color", INK), fontsize=options.pop("size", 9.5),
            ha="left" if offset[0] >= 0 else "right", va="center", zorder=9,
            path_effects=halo(), annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.9, "shrinkA": 1, "shrinkB": 0,
                        "path_effects": halo(2.4)},
            **options,
        )  # fmt: skip
        self.axes.plot(*self.pixels(point), "o", ms=4.0, mfc="white", mec=INK, mew=1.0, zorder=8)


def halo(width: float = 2.6) -> list[Mpl]:
    """A white outline that keeps text readable over lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground="white")]
