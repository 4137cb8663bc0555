"""One style for all figures: quiet axes, units; the colours are those of `baxterkit.look.colors`.

matplotlib is imported when a figure is made, and figures draw on their own Agg canvas: pyplot, with
its windows and its list of open figures, is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError, MissingExtraError
from baxterkit.look.colors import GREY, INK, PALE, PANE
from baxterkit.types import Array

P = ParamSpec("P")
R = TypeVar("R")
Mpl: TypeAlias = Any
"""An object of matplotlib, or a value for one."""

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 160
SUFFIXES = (".png", ".svg", ".pdf")
"""Extensions of figure files."""

Axes: TypeAlias = Mpl
"""Axes of matplotlib, flat or in space."""

RC: dict[str, Mpl] = {
    "font.size": 9.5,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlecolor": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "baxterkit",
}


def matplotlib() -> Mpl:
    """The matplotlib package.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import matplotlib as package
    except ImportError as error:
        raise MissingExtraError("Plotting", "matplotlib", "plot") from error
    return package


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Makes a function draw in the common style."""

    @wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> R:
        with matplotlib().rc_context(RC):
            return draw(*args, **options)

    return drawn


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of the given size [inch], on an Agg canvas."""
    matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _shown_figure()(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


@cache
def _shown_figure() -> type[Figure]:
    """Figures that a notebook shows inline, without `%matplotlib inline`."""
    from matplotlib.figure import Figure

    class Shown(Figure):
        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png", dpi=self.dpi)
            return picture.getvalue()

        def __reduce__(self) -> tuple[object, ...]:
            return Figure.__new__, (Figure,), self.__getstate__()

    return Shown


def new_axes_3d(figure: Figure) -> Axes:
    """3D axes that fill a figure, quietly styled."""
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d", computed_zorder=False)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color(PANE)
        axis.pane.set_edgecolor(PALE)
        axis.line.set_color(GREY)
        axis.line.set_linewidth(0.8)
        axis._axinfo["grid"].update(color=PALE, linewidth=0.6)
    axes.set_xlabel("x [m]", labelpad=6)
    axes.set_ylabel("y [m]", labelpad=6)
    axes.set_zlabel("z [m]", labelpad=6)
    axes.tick_params(labelsize=8, pad=1)
    return axes


def headline(figure: Figure, x: float, y: float, text: str, size: float = 12) -> None:
    """A bold title; its lower left is at (x, y), as fractions of the figure."""
    figure.text(x, y, text, fontsize=size, fontweight="bold", color=INK)


def panel_title(axes: Axes, text: str) -> None:
    """A small title at the left above axes."""
    axes.set_title(text, loc="left", fontsize=9.5, pad=3)


def fit(figure: Figure, axes: Axes, area: tuple[float, float, float, float]) -> None:
    """Scales and moves 3D axes so that box, ticks and labels just fill a part of the figure.

    Args:
        figure: The figure.
        axes: Its 3D axes, finished.
        area: Area to fill: left, bottom, right, top, as fractions of the figure.
    """
    size = figure.get_size_inches() * figure.dpi
    low, high = np.array(area[:2]), np.array(area[2:])
    for _ in range(3):  # labels keep their size, so that one step is not enough
        drawn_low, drawn_high = drawn_box(axes) / size
        place = axes.get_position(original=True)
        scale = float(((high - low) / (drawn_high - drawn_low)).min())
        center = (low + high) / 2 + scale * (place.min + place.max - drawn_low - drawn_high) / 2
        extent = scale * (place.max - place.min)
        axes.set_position((*(center - extent / 2), *extent))


def drawn_box(axes: Axes) -> Array:
    """Extent of 3D axes [pixel]: the box, its ticks and labels; lower left, upper right, (2, 2).

    The axes' own rectangle, which is larger and empty, does not count.
    """
    from mpl_toolkits.mplot3d import proj3d

    axes.apply_aspect()
    axes.M = axes.get_proj()
    limits = (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())
    x, y, _ = proj3d.proj_transform(*np.stack(np.meshgrid(*limits)).reshape(3, 8), axes.M)
    points = [axes.transData.transform(np.stack([x, y], axis=-1))]
    renderer = axes.figure.canvas.get_renderer()
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        box = axis.get_tightbbox(renderer)
        points.append(np.stack([box.min, box.max]))
    corners = np.concatenate(points)
    return np.stack([corners.min(axis=0), corners.max(axis=0)])


def save(figure: Figure, path: str | Path) -> Path:
    """Writes a figure in the format of the file's extension: .png, .svg or .pdf.

    The bytes hold no date, so that equal figures are equal files.

    Args:
        figure: The figure.
        path: The file, in a folder that exists.

    Returns:
        The path.

    Raises:
        InputError: If the name ends in none of these.
    """
    path = disk.as_path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path.name}: a figure is written as one of {' '.join(SUFFIXES)}")
    if not hasattr(figure, "savefig"):
        raise InputError(
            f"figure must be a figure of matplotlib, got {type(figure).__name__}; the functions "
            "of baxterkit.plot return them"
        )
    dateless = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    suffix = path.suffix.lower()
    with matplotlib().rc_context(RC), disk.replacing(path) as file:
        figure.savefig(file, format=suffix[1:], metadata=dateless.get(suffix))
    return path
