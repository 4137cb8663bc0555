"""Boxes and arrows: flow charts, block diagrams and trees, in one look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from baxterkit.look.colors import BLUE, INK, PALE, PANE
from baxterkit.plot.style import RC, Axes, Mpl, headline, matplotlib, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Diagram:
    """A drawing of boxes and arrows, in inches from the lower left.

    Args:
        width: Width [inch].
        height: Height [inch].
        title: Its title, at the upper left.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        with matplotlib().rc_context(RC):
            self.figure: Figure = new_figure(width, height)
            self.axes: Axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_xlim(0.0, width)
        self.axes.set_ylim(0.0, height)
        self.axes.set_axis_off()
        headline(self.figure, 0.2 / width, 1.0 - 0.34 / height, title)

    def box(
        self, at: tuple[float, float], words: str, size: tuple[float, float] = (1.6, 0.5),
        *, shape: str = "box", color: str = PANE, edge: str = INK, fontsize: float = 9.5,
        **text: Mpl,
    ) -> None:  # fmt: skip
        """A box.

        Args:
            at: Its middle.
            words: What stands in it.
            size: Its width and height.
            shape: "box", "round" (start and end), "diamond" (a decision), "ellipse" or "circle".
            color: Its colour.
            edge: Colour of its edge.
            fontsize: Size of the words [pt].
            text: Options of `Axes.text`.
        """
        from matplotlib.patches import Ellipse, FancyBboxPatch, Polygon

        style: dict[str, Mpl] = {
            "facecolor": color,
            "edgecolor": edge,
            "linewidth": 1.1,
            "zorder": 3,
        }
        (x, y), (width, height) = at, size
        w, h = width / 2.0, height / 2.0
        if shape == "diamond":
            patch: Mpl = Polygon([(x - w, y), (x, y + h), (x + w, y), (x, y - h)], **style)
        elif shape in ("ellipse", "circle"):
            patch = Ellipse((x, y), width, height, **style)
        else:
            corner = 0.4 * height if shape == "round" else 0.05
            patch = FancyBboxPatch(
                (x - w + corner, y - h + corner), width - 2 * corner, height - 2 * corner,
                boxstyle=f"round,pad={corner},rounding_size={corner}", **style,
            )  # fmt: skip
        self.axes.add_patch(patch)
        self.axes.text(
            x, y, words, ha="center", va="center", fontsize=fontsize, zorder=4, color=INK, **text
        )

    def arrow(
        self, *points: tuple[float, float], words: str = "", at: tuple[float, float] | None = None,
        head: bool = True, color: str = INK,
    ) -> None:  # fmt: skip
        """An arrow along corners, with words beside it at a place."""
        self.axes.plot(*zip(*points[:-1], strict=True), color=color, lw=1.2, zorder=2,
                       solid_joinstyle="miter")  # fmt: skip
        self.axes.annotate(
            "", xy=points[-1], xytext=points[-2], zorder=2,
            arrowprops={"arrowstyle": "-|>" if head else "-", "color": color, "lw": 1.2,
                        "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11},
        )  # fmt: skip
        if words and at is not None:
            self.words(*at, words, color=color)

    def words(self, x: float, y: float, words: str, size: float = 9.5, **options: Mpl) -> None:
        """Words at a place."""
        options = {"ha": "center", "va": "center", "color": INK, **options}
        self.axes.text(x, y, words, fontsize=size, zorder=5, **options)

    def region(self, x: float, y: float, width: float, height: float, words: str = "") -> None:
        """A pale area with a name at its upper left; (x, y) is its lower left."""
        from matplotlib.patches import FancyBboxPatch

        patch = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.1",
                               facecolor="white", edgecolor=BLUE, linestyle=(0, (4, 3)),
                               linewidth=1.0, zorder=0)  # fmt: skip
        self.axes.add_patch(patch)
        self.words(x + 0.1, y + height - 0.15, words, size=9.0, ha="left", color=BLUE)

    def rows(
        self, x: float, top: float, step: float, words: Sequence[str], shapes: Sequence[str],
        width: float = 2.0, height: float = 0.4, size: float = 8.5,
    ) -> None:  # fmt: skip
        """A chain of boxes from the top down, with arrows between them."""
        for i, (text, shape) in enumerate(zip(words, shapes, strict=True)):
            y = top - i * step
            fill = PANE if shape == "box" else PALE
            self.box((x, y), text, (width, height), shape=shape, fontsize=size, color=fill)
            if i:
                self.arrow((x, y + step - height / 2), (x, y + height / 2))
