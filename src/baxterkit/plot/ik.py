"""Inverse kinematics in action (Kumar, Figs. 5-6): errors by iteration, and the arm in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.checks.arms import need_arm
from baxterkit.checks.instances import need
from baxterkit.errors import InputError
from baxterkit.ik import IkResult, Trace
from baxterkit.look.colors import ARM_COLORS, CYCLE, GREEN, GREY, VERMILION
from baxterkit.plot.robot_pictures import arm_solids
from baxterkit.plot.skeletons import TIP_LENGTH, bones, draw_frame, draw_solids, finish
from baxterkit.plot.style import Axes, Mpl, headline, new_axes_3d, new_figure, styled
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm

SMALLEST = 1e-16  # an error of zero is drawn here


@styled
def ik_convergence(
    results: IkResult | Mapping[str, IkResult],
    *,
    iterations: int | None = None,
    title: str = "Inverse kinematics: error over iterations",
) -> Figure:
    """Position and orientation error over the iterations of one or more solvers.

    Args:
        results: Result of `arm.ik(..., trace=True)` for one target, or several by name.
        iterations: Number of iterations to show; all if None.
        title: The figure's title.
    """
    if not isinstance(results, IkResult | Mapping):
        raise InputError(
            f"results must be an IkResult, or several by name, got {type(results).__name__}; "
            "arm.ik(T, method='lm', trace=True) gives one"
        )
    runs = {results.method: results} if isinstance(results, IkResult) else dict(results)
    figure = new_figure(8.0, 4.6)
    panels = figure.subplots(1, 2, sharex=True)
    for i, (label, result) in enumerate(runs.items()):
        trace = trace_of(result)
        color = CYCLE[i % len(CYCLE)]
        errors = (trace.position_error, trace.orientation_error)
        for ax, values in zip(panels, errors, strict=True):
            shown = np.maximum(values[:iterations], SMALLEST)
            ax.semilogy(shown, "-", color=color, lw=1.5, label=label)
            fresh = np.flatnonzero(trace.restart[:iterations])
            ax.plot(fresh[1:], shown[fresh[1:]], "o", ms=4, mfc="white", mec=color)
            if len(shown) == len(trace):
                end = "o" if result.solved else "X"
                ax.plot(len(shown) - 1, shown[-1], end, ms=6, color=color, mec="white", mew=0.8)
    for ax, name in zip(panels, ("position error [m]", "orientation error [rad]"), strict=True):
        ax.set_xlabel("iteration (CCD: sweep)")
        ax.set_ylabel(name)
        ax.grid(visible=True)
        ax.margins(x=0.02)
    figure.suptitle(title, fontsize=12, fontweight="bold", x=0.02, ha="left")
    rows = -(-len(runs) // 3)
    figure.tight_layout(rect=(0, 0.03 + 0.05 * rows, 1, 1))
    names = [line for line in panels[0].get_lines() if not line.get_label().startswith("_")]
    figure.legend(handles=names, loc="lower center", ncols=3, fontsize=8.5)
    ends = figure.legend(handles=_ends(), loc="upper right", ncols=3, fontsize=8.5)
    ends.set_bbox_to_anchor((0.985, 1.0))
    return figure


def _ends() -> list[Mpl]:
    """Legend of the marks."""
    from matplotlib.lines import Line2D

    marks = (("o", GREY, "solved"), ("X", GREY, "not solved"), ("o", "white", "fresh start"))
    return [
        Line2D([], [], ls="", marker=mark, ms=6, mfc=face, mec=GREY, label=label)
        for mark, face, label in marks
    ]


@styled
def ik_steps(
    arm: Arm,
    result: IkResult,
    target: ArrayLike | None = None,
    *,
    poses: int = 9,
    title: str | None = None,
) -> Figure:
    """The arm as it moves from the seed to the target, with the path of its tip.

    Args:
        arm: The arm.
        result: Result of `arm.ik(..., trace=True)` for one target.
        target: The target's pose in base, drawn as a frame, shape (4, 4).
        poses: Number of iterations that are drawn, the last one opaque.
        title: The figure's title; method and number of iterations if None.
    """
    need_arm(arm)
    trace = trace_of(result)
    shown = spread(arm.fk(trace.q)[:, :3, 3], poses)
    lines = [bones(arm.link_poses(q)) for q in trace.q[shown]]
    figure = new_figure(7.4, 5.8)
    axes = new_axes_3d(figure)
    for i, k in enumerate(shown):
        last = i + 1 == len(shown)
        opacity = 1.0 if last else 0.06 + 0.2 * (i + 1) / len(shown)
        draw_solids(axes, arm_solids(arm, trace.q[k]), 1.5 + 0.5 * last, opacity)
    draw_tip_path(axes, arm.fk(trace.q)[:, :3, 3], trace.restart)
    extra = [] if target is None else [_target(axes, target)]
    base = np.stack([np.zeros(3), lines[0][0]])
    view = (20.0, -52.0 if arm.side == "left" else 52.0)
    finish(axes, [*lines[-1:], *lines[:-1], *extra], [base], view=view, shadows=1, top=0.88)
    _captions(figure, arm, result, trace, target is not None, title)
    return figure


def trace_of(result: IkResult) -> Trace:
    """The iterations of one target.

    Raises:
        InputError: If the result has none, or those of a batch.
    """
    need(result, IkResult, "result", "arm.ik(T, method='lm', trace=True) gives one")
    trace = result.trace
    if trace is None:
        raise InputError(
            f"this result of {result.method!r} holds no iterations; ask an iterative method "
            "for them: arm.ik(T, method='lm', trace=True)"
        )
    if isinstance(trace, tuple):
        raise InputError(f"this is a batch of {len(trace)} targets; draw one: result[0]")
    return trace


def spread(path: Array, count: int) -> Array:
    """Indices of `count` points of a path (n, 3), evenly spaced along it, both ends among them."""
    if count < 2:
        raise InputError(f"poses must be at least 2, got {count}")
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    wanted = np.linspace(0.0, along[-1], count)
    return np.unique(
        np.append(np.searchsorted(along, wanted).clip(0, len(path) - 1), len(path) - 1)
    )


def draw_tip_path(axes: Axes, points: Array, restart: NDArray[np.bool_]) -> None:
    """The path of the tip, broken where the search restarted."""
    fresh = np.flatnonzero(restart)
    broken = np.insert(points, fresh[fresh > 0], np.nan, axis=0)
    axes.plot(*broken.T, color=VERMILION, lw=1.3, marker=".", ms=3, zorder=6)


def _target(axes: Axes, target: ArrayLike) -> Array:
    T = np.asarray(target, dtype=np.float64)
    draw_frame(axes, T, TIP_LENGTH, width=2.6)
    axes.plot(*T[:3, 3:], "o", ms=9, mfc="none", mec=GREEN, mew=2, zorder=8)
    return T[None, :3, 3]


def _captions(
    figure: Figure, arm: Arm, result: IkResult, trace: Trace, has_target: bool, title: str | None
) -> None:
    from matplotlib.lines import Line2D

    name = title or f"{result.method}, {len(trace) - 1} iterations: {result.status.name}"
    headline(figure, 0.03, 0.945, name)
    handles = [
        Line2D([], [], color=ARM_COLORS[arm.side], lw=4, alpha=0.3, label="iterations"),
        Line2D([], [], color=ARM_COLORS[arm.side], lw=4, label="last iteration"),
        Line2D([], [], color=VERMILION, lw=1.3, marker=".", label="tip"),
    ]
    if has_target:
        ring = Line2D([], [], ls="", marker="o", mfc="none", mec=GREEN, mew=2, label="target")
        handles.append(ring)
    figure.legend(
        handles=handles, loc="upper right", bbox_to_anchor=(0.98, 0.93), fontsize=8.5, ncols=4
    )
