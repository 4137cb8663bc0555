"""The self-motion of a pose: six joints over e0, all solutions and those within the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arms import need_arm
from baxterkit.ik import exact
from baxterkit.ik.self_motion import SelfMotion, project
from baxterkit.look.colors import CYCLE, INK, PALE
from baxterkit.plot.style import Axes, new_figure, panel_title, styled
from baxterkit.types import Array, JointsLike, JointVector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.arm import Arm

BETWEEN = 8  # points drawn for each point of a curve
OTHERS = (0, 1, 3, 4, 5, 6)  # every joint but e0
EDGE = 3.4  # rad, end of the panels


@styled
def self_motion(
    arm: Arm, T: ArrayLike | SelfMotion, *, q: JointsLike | None = None, title: str | None = None
) -> Figure:
    """The solution curves of one pose, joint by joint over e0.

    Thin lines are solutions, thick ones those within the limits; grey bands are beyond a joint's
    limits, and a ring shows where a joint meets its limit.

    Args:
        arm: The arm.
        T: The tip's pose in base, shape (4, 4); or a result of `arm.self_motion`.
        q: A solution to mark [rad], shape (7,).
        title: The figure's title.
    """
    need_arm(arm)
    motion = T if isinstance(T, SelfMotion) else arm.self_motion(T)
    T_s0_hand = np.linalg.inv(arm.model.T_base_s0) @ motion.T @ np.linalg.inv(arm.model.T_hand_tip)
    curves = [_dense(T_s0_hand, curve.q) for curve in motion.curves]
    segments = [_dense(T_s0_hand, segment.q) for segment in motion.feasible]
    owners = [_owner(segment, curves) for segment in segments]
    # Curves within the limits get the first, strongest colours.
    order = [*dict.fromkeys(owners), *(i for i in range(len(curves)) if i not in owners)]
    colors = {curve: CYCLE[place % len(CYCLE)] for place, curve in enumerate(order)}
    marked = None if q is None else arm.model.joint_values(q)
    figure = new_figure(9.0, 5.6)
    panels = figure.subplots(2, 3, sharex=True).ravel()
    for ax, joint in zip(panels, OTHERS, strict=True):
        ax.axhspan(-EDGE, arm.limits.lower[joint], color=PALE, lw=0)
        ax.axhspan(arm.limits.upper[joint], EDGE, color=PALE, lw=0)
        for i, curve in enumerate(curves):
            ax.plot(*_line(curve, joint), color=colors[i], lw=1.1, alpha=0.75)
        for owner, segment in zip(owners, segments, strict=True):
            ax.plot(*_line(segment, joint), color=colors[owner], lw=3.2)
        for part in motion.feasible:
            if not part.closed:
                ends = exact.wrap(part.q[[0, -1]])
                ax.plot(ends[:, 2], ends[:, joint], "o", ms=4, mfc="white", mec=INK)
        if marked is not None:
            ax.plot(marked[2], marked[joint], "*", ms=11, mfc="white", mec=INK, zorder=5)
        _finish(ax, arm.joint_names[joint].split("_")[-1])
    for ax in panels[3:]:
        ax.set_xlabel("e0 [rad]")
    for ax in panels[::3]:
        ax.set_ylabel("joint [rad]")
    figure.suptitle(title or _summary(motion), fontsize=10.5)
    figure.tight_layout()
    return figure


def _summary(motion: SelfMotion) -> str:
    def count(n: int, what: str) -> str:
        return f"{n} {what}{'' if n == 1 else ('es' if what.endswith('ch') else 's')}"

    return (
        f"One pose: {count(len(motion.curves), 'solution curve')}, "
        f"{count(len(motion.feasible), 'stretch')} within the limits "
        "(thick; rings: a joint meets its limit)"
    )


def _dense(T_s0_hand: Array, q: JointVector) -> JointVector:
    """More points along a curve, each put on it exactly."""
    steps = np.linspace(0.0, 1.0, BETWEEN, endpoint=False)[:, None]
    between = (q[:-1, None] + steps * exact.wrap(np.diff(q, axis=0))[:, None]).reshape(-1, 7)
    return exact.wrap(project(T_s0_hand, np.concatenate([between, q[-1:]]), 3))


def _line(q: JointVector, joint: int) -> tuple[Array, Array]:
    """e0 and a joint along a curve, broken where either wraps around at π."""
    points = q[:, [2, joint]]
    jumps = np.flatnonzero((np.abs(np.diff(points, axis=0)) > np.pi).any(axis=1)) + 1
    broken = np.insert(points, jumps, np.nan, axis=0)
    return broken[:, 0], broken[:, 1]


def _owner(segment: JointVector, curves: list[JointVector]) -> int:
    """The curve that a stretch belongs to."""
    middle = segment[len(segment) // 2]
    gaps = [float(np.abs(exact.wrap(curve - middle)).max(axis=-1).min()) for curve in curves]
    return int(np.argmin(gaps))


def _finish(ax: Axes, name: str) -> None:
    panel_title(ax, name)
    ax.set_xlim(-np.pi, np.pi)
    ax.set_ylim(-EDGE, EDGE)
    ax.grid(visible=True)
