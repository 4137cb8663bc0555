"""External torques over time, with the contacts found in them and the force at the tip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.instances import need
from baxterkit.dynamics.external_torque import ExternalTorque
from baxterkit.look.colors import AXIS_COLORS, GREY, INK, YELLOW
from baxterkit.model.names import JOINTS
from baxterkit.plot.style import Axes, headline, new_figure, panel_title, styled
from baxterkit.plot.trajectories import joint_legend, joint_line
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from baxterkit.dynamics.contact import Contact

GROUPS = (("shoulder and elbow", range(4)), ("wrist", range(4, 7)))


@styled
def external_torque(
    estimate: ExternalTorque,
    contacts: Sequence[Contact] | None = None,
    *,
    title: str = "External torques",
) -> Figure:
    """A figure of external torques, of the force at the tip, and of contacts as shaded times.

    Args:
        estimate: Result of `baxterkit.estimate_external_torque`.
        contacts: The contacts; `estimate.contacts()` if None.
        title: The figure's title.
    """
    need(estimate, ExternalTorque, "estimate", "baxterkit.estimate_external_torque gives one")
    found = estimate.contacts() if contacts is None else contacts
    force = estimate.tip_wrench().wrench[:, :3]
    figure = new_figure(9.0, 6.2)
    grid = figure.add_gridspec(3, 1, left=0.07, right=0.98, top=0.86, bottom=0.08, hspace=0.36)
    axes = [figure.add_subplot(grid[i]) for i in range(3)]
    for ax, (name, joints) in zip(axes, GROUPS, strict=False):
        for j in joints:
            ax.plot(estimate.t, estimate.torque[:, j], **joint_line(j))
        panel_title(ax, f"{name} [N m]")
    _force(axes[2], estimate.t, force)
    for ax in axes:
        for contact in found:
            ax.axvspan(contact.start, contact.end, color=YELLOW, alpha=0.35, lw=0, zorder=0)
        ax.axhline(0.0, color=GREY, lw=0.6, zorder=0)
        ax.grid(visible=True)
        ax.margins(x=0.0)
        ax.tick_params(labelsize=8, labelbottom=ax is axes[-1])
    axes[-1].set_xlabel("time [s]")
    _captions(figure, title, len(found))
    return figure


def _force(ax: Axes, t: Array, force: Array) -> None:
    for i, (name, color) in enumerate(AXIS_COLORS.items()):
        ax.plot(t, force[:, i], color=color, lw=1.2, label=name)
    most = float(np.abs(force).max())
    ax.set_ylim(-1.15 * most - 1.0, 1.15 * most + 1.0)
    panel_title(ax, "force on the tip [N]")
    ax.legend(loc="upper right", ncols=3, fontsize=8)


def _captions(figure: Figure, title: str, count: int) -> None:
    height = figure.get_size_inches()[1]
    headline(figure, 0.03, 1.0 - 0.36 / height, title, 13)
    words = {0: "no contact", 1: "one contact, shaded"}.get(count, f"{count} contacts, shaded")
    figure.text(0.03, 1.0 - 0.58 / height, words, fontsize=9, color=INK)
    joint_legend(figure, range(len(JOINTS)))
