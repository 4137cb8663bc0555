"""The report of `baxterkit identify`: scores, torques against models, friction, springs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import Arm, __version__, identify
from baxterkit.identify.dynamics_fit import NORMAL_95
from baxterkit.model.names import JOINTS
from baxterkit.plot.joint_effects import explained, friction, springs
from baxterkit.plot.page import Page
from baxterkit.plot.signals import torques

if TYPE_CHECKING:
    from baxterkit.cli.identify import Found

SECONDS = 20.0
"""Length of the torques that are drawn [s]."""


def write_report(found: Found, path: Path) -> None:
    """Writes the report as one HTML file."""
    names = sorted({Path(rec.source).name for rec in found.recordings})
    page = Page(
        f"The {found.arm.side} arm of this robot",
        lead=f"Identified from {len(names)} recording{'' if len(names) == 1 else 's'}.",
        footer=f"baxterkit {__version__}",
    )
    if found.mount is not None:
        page.heading("Mount")
        for line in str(found.mount).splitlines():
            page.text(line)
    if found.dynamics is not None:
        _dynamics(page, found)
    page.heading("Recordings")
    page.text(", ".join(f"`{name}`" for name in names))
    page.save(path)


def _dynamics(page: Page, found: Found) -> None:
    from baxterkit.cli.identify import score_table

    fit = found.dynamics
    assert fit is not None
    scores = score_table(found)
    page.heading("How well torques are predicted")
    page.table(("R²", *JOINTS), [(name, *one.r2.tolist()) for name, one in scores.items()])
    page.table(("MAE [N m]", *JOINTS), [(name, *one.mae.tolist()) for name, one in scores.items()])
    page.text(
        "**nominal**: the model that was given. **free**: any base parameters. **identified**: "
        "links that bodies can have, and friction with its memory; **without memory** is what "
        "`arm.inverse_dynamics` gives row by row. **left out**: recordings that were predicted by "
        "fits to the others."
    )
    drawn: tuple[str, ...] = ("nominal", "identified", "left out")
    chosen = {name: scores[name] for name in drawn if name in scores}
    page.figure(explained(chosen), caption="Mean absolute torque errors.")
    recording = next(rec for rec in found.recordings if rec.tau is not None)
    motion = identify.smooth_motion(recording, fit.hz)
    part = motion[motion.t - motion.t[0] <= SECONDS]
    models = {
        "nominal": identify.predict(Arm(found.arm.side), part),
        "identified": identify.predict(found.arm, part),
    }
    page.figure(torques(part, predicted=models), caption=f"Torques of {Path(part.source).name}.")
    page.heading("What the joints add")
    page.figure(friction(found.arm, motion), caption="Friction: torque less everything else.")
    page.figure(springs(found.arm, motion), caption="Springs, cables and bias, likewise.")
    effects, std = fit.effects, fit.effects_std
    rows = []
    for name, values in (
        ("dry friction [N m]", effects.coulomb),
        ("viscous friction [N m s/rad]", effects.viscous),
        ("turns round at [rad/s]", effects.speed),
        ("bias [N m]", effects.bias),
        ("spring, sin q [N m]", effects.spring_sin[:, 0]),
        ("spring, cos q [N m]", effects.spring_cos[:, 0]),
    ):
        rows.append((name, *values.tolist()))
    for name, key in (("± bias", "bias"), ("± sin q", "spring_sin"), ("± cos q", "spring_cos")):
        rows.append((f"{name}, 95 %", *(NORMAL_95 * std[key]).tolist()))
    if effects.hysteresis is not None:
        rows.append(("friction with memory [N m]", *effects.hysteresis.torque.tolist()))
        rows.append(("in a travel of [rad]", *effects.hysteresis.distance.tolist()))
    page.table(("", *JOINTS), rows, digits=3)
    page.heading("Links")
    before = Arm(found.arm.side).model.inertials
    links = zip(JOINTS, fit.arm.model.inertials, before, strict=True)
    page.table(
        ("link", "mass [kg]", "nominal", "x [m]", "y", "z", "smallest moment [kg m²]"),
        [
            (
                name,
                body.mass,
                old.mass,
                *body.com.tolist(),
                float(np.linalg.eigvalsh(body.inertia)[0]),
            )
            for name, body, old in links
        ],
    )
    page.text(
        f"Gravity is tilted by {np.degrees(fit.tilt):.2f}° against the mount that was given. "
        f"Load beyond the model: {fit.load.mass:+.2f} ± {NORMAL_95 * fit.load.mass_std:.2f} kg. "
        f"Condition number of the motion: {fit.condition:.3g}. Rows of little weight: "
        f"{100 * float(fit.rejected.max()):.1f} % at most."
    )
    for text in fit.advice:
        page.text(f"**Note:** {text}")
