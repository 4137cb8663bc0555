"""Joint effects, measured and as modelled, one panel per joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError
from baxterkit.look.colors import BLUE, CYCLE, GREY, INK, PALE
from baxterkit.model.names import JOINTS
from baxterkit.plot.style import Mpl, new_figure, panel_title, styled
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.recording import Recording

MOST_POINTS = 4000
"""Largest number of rows that are drawn."""


class Errors(Protocol):
    """The part of a model's scores that is drawn; `baxterkit.identify.Scores` has it."""

    @property
    def mae(self) -> JointVector:
        """Mean absolute error of each joint [N m], shape (7,)."""


def friction(arm: Arm, motion: Recording, *, title: str = "Friction") -> Figure:
    """Torque less everything but friction against velocity, and the model's friction as a line.

    Args:
        arm: An arm with effects.
        motion: A recording with q, qd, qdd and tau, as `identify.smooth_motion` gives it.
        title: The figure's title.
    """
    effects = _effects(arm)
    rest = _rest(arm, motion) - effects.spring_torque(motion.q) - effects.bias
    assert motion.qd is not None
    speed = np.abs(motion.qd).max(axis=0)
    lines = [np.linspace(-top, top, 401) for top in speed]
    model = [effects.friction_torque(np.tile(v[:, None], 7))[:, j] for j, v in enumerate(lines)]
    return _panels(motion.qd, rest, lines, model, "velocity [rad/s]", title)


def springs(arm: Arm, motion: Recording, *, title: str = "Springs, cables and bias") -> Figure:
    """Torque less rigid torque and friction against position, and the model's springs and bias.

    Args:
        arm: An arm with effects.
        motion: A recording with q, qd, qdd and tau, as `identify.smooth_motion` gives it.
        title: The figure's title.
    """
    effects = _effects(arm)
    assert motion.qd is not None
    kept = effects.torque_along(motion.q, motion.qd)
    rest = _rest(arm, motion) - kept + effects.spring_torque(motion.q) + effects.bias
    lines = [np.linspace(x.min(), x.max(), 201) for x in motion.q.T]
    model = [
        effects.spring_torque(np.tile(x[:, None], 7))[:, j] + effects.bias[j]
        for j, x in enumerate(lines)
    ]
    return _panels(motion.q, rest, lines, model, "position [rad]", title)


@styled
def explained(scores: Mapping[str, Errors], *, title: str = "Torque errors by model") -> Figure:
    """Mean absolute torque error of each joint under several models, as bars on a log scale.

    Args:
        scores: Name of a model -> its scores.
        title: The figure's title.
    """
    figure = new_figure(7.2, 3.2)
    axes = figure.add_subplot(111)
    width = 0.8 / max(1, len(scores))
    for k, (name, one) in enumerate(scores.items()):
        at = np.arange(7) + (k - 0.5 * (len(scores) - 1)) * width
        axes.bar(at, one.mae, width * 0.92, color=CYCLE[k % len(CYCLE)], label=name)
    axes.set_yscale("log")
    axes.set_xticks(np.arange(7), JOINTS)
    axes.set_ylabel("mean absolute error [N m]")
    axes.grid(axis="x", visible=False)
    panel_title(axes, title)
    axes.legend(loc="upper right", ncols=len(scores), frameon=False)
    figure.tight_layout()
    return figure


def _effects(arm: Arm) -> JointEffects:
    if arm.effects is None:
        raise InputError("the arm has no effects to draw; see arm.with_effects")
    return arm.effects


def _rest(arm: Arm, motion: Recording) -> Array:
    if motion.qd is None or motion.qdd is None or motion.tau is None:
        raise InputError("the motion needs qd, qdd and tau; see identify.smooth_motion")
    rigid = arm.with_effects(None).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    return motion.tau - rigid


@styled
def _panels(
    x: Array, y: Array, lines: list[Array], model: list[Array], label: str, title: str
) -> Figure:
    step = max(1, len(x) // MOST_POINTS)
    figure = new_figure(9.6, 4.6)
    panels: Mpl = figure.subplots(2, 4)
    for j, axes in enumerate(panels.flat[:7]):
        axes.plot(x[::step, j], y[::step, j], ".", ms=1.2, color=GREY, alpha=0.5, rasterized=True)
        axes.plot(lines[j], model[j], color=BLUE, lw=1.8)
        panel_title(axes, JOINTS[j])
        low, high = np.quantile(y[:, j], [0.002, 0.998])
        low, high = min(low, model[j].min()), max(high, model[j].max())
        axes.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
        axes.axhline(0.0, color=PALE, lw=0.8, zorder=0)
    for axes in panels[1, :3]:
        axes.set_xlabel(label)
    panels[0, 3].set_xlabel(label)
    for axes in panels[:, 0]:
        axes.set_ylabel("torque [N m]")
    key = panels[1, 3]
    key.axis("off")
    key.plot([], [], ".", color=GREY, label="measured")
    key.plot([], [], color=BLUE, lw=1.8, label="model")
    key.legend(loc="center", frameon=False)
    figure.suptitle(title, color=INK, x=0.01, ha="left", fontweight="bold")
    figure.tight_layout()
    return figure
