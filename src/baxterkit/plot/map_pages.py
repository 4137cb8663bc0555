"""The report of a map: one HTML file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from baxterkit.checks.instances import need
from baxterkit.model.names import SIDES
from baxterkit.plot.maps import LABELS, workspace_map, workspace_reasons
from baxterkit.plot.page import Page
from baxterkit.workspace.maps import Map


def map_report(made: Map, path: str | Path) -> Path:
    """Writes a map's numbers and figures as one HTML file; gives its path."""
    need(made, Map, "made", "workspace.open_map opens one")
    settings, kept = made.settings, made.description
    paired = made.sides == ("pair",)
    whose = f"{' and '.join(made.sides)} arm{'s' if len(made.sides) == 2 else ''}"
    page = Page(
        f"Workspace: {'both hands at once' if paired else whose}",
        lead=f"{settings.poses:,} poses, each answered by exact inverse kinematics.",
    )
    volumes = {f"{side}, m³": f"{made.volume(side=side):.2f}" for side in made.sides}
    if len(made.sides) == 2:
        volumes["both, m³"] = f"{float((made.both > 0).sum()) * made.grid.step**3:.2f}"
    page.tiles(volumes)
    page.text(
        "Volume of the cells in which at least one orientation is reached"
        + (", the robot touching nothing." if settings.level != "reach" else ".")
    )
    page.heading("Why poses are not reached")
    header = ("status", *made.sides)
    reasons = {side: made.reasons(side) for side in made.sides}
    rows = [
        (name, *(f"{reasons[s][name]:,}" for s in made.sides)) for name in reasons[made.sides[0]]
    ]
    page.table(header, rows)
    page.figure(workspace_reasons(made), caption="Shares of all poses by height", form="png")
    page.heading("Where")
    names = [name for name in LABELS if name in made.names]
    for name in names:
        for side in made.sides:
            best = made.values(name, side)
            greatest = float(np.nanmax(best)) if np.isfinite(best).any() else 0.0
            if made.values("fraction", side).any():
                page.figure(
                    workspace_map(made, name, side),
                    caption=f"{'both hands' if paired else f'{side} arm'}: {LABELS[name]}, at most "
                    f"{greatest:.3g}",
                    form="png",
                )
    if len(made.sides) == 2 and made.both.any():
        page.figure(workspace_map(made, "both"), caption=LABELS["both"], form="png")
    page.heading("What it was made of")
    page.facts(
        {
            "level": settings.level,
            "step": f"{made.grid.step:g} m",
            "orientations": settings.orientations,
            "tools": ", ".join(f"{side} {kept['robot'][side]['tool']}" for side in SIDES),
            **({} if settings.apart is None else {"tips apart": f"{settings.apart:g} m"}),
            "world": ", ".join(made.scene.world.names) or "empty",
            "model hash": kept["model_hash"][:16],
            "instruction set": kept["isa"],
            **kept["versions"],
        }
    )
    return page.save(path)
