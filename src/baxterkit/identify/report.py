"""The report of `identify.robot`: scores, torques against models, friction, springs, links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.identify.dynamics_fit import NORMAL_95, DynamicsFit
from baxterkit.identify.preparation import smooth_motion
from baxterkit.identify.scores import Scores, predict
from baxterkit.model.names import JOINTS
from baxterkit.plot.joint_effects import explained, friction, springs
from baxterkit.plot.page import Page
from baxterkit.plot.signals import torques
from baxterkit.recording import Recording
from baxterkit.version import VERSION

if TYPE_CHECKING:
    from baxterkit.identify.robot_fit import RobotFit

SECONDS = 20.0
"""Length of the torques that are drawn [s]."""


def write_report(fit: RobotFit, path: str | Path) -> None:
    """Writes the report of an identified arm, with plots, as one HTML file (extra `[plot]`).

    Args:
        fit: Result of `identify.robot`.
        path: The file.
    """
    names = sorted({Path(rec.source).name for rec in fit.recordings})
    page = Page(
        f"The {fit.arm.side} arm of this robot",
        lead=f"Identified from {len(names)} recording{'' if len(names) == 1 else 's'}.",
        footer=f"baxterkit {VERSION}",
    )
    if fit.mount is not None:
        page.heading("Mount")
        for line in str(fit.mount).splitlines():
            page.text(line)
    if fit.dynamics is not None:
        _accuracy(page, fit, fit.dynamics)
        _joints(page, fit, fit.dynamics)
        _links(page, fit.dynamics)
    page.heading("Recordings")
    page.text(", ".join(f"`{name}`" for name in names))
    page.save(path)


def _accuracy(page: Page, fit: RobotFit, dynamics: DynamicsFit) -> None:
    scores: dict[str, Scores] = fit.scores
    page.heading("How well torques are predicted")
    page.table(("R²", *JOINTS), [(name, *one.r2.tolist()) for name, one in scores.items()])
    page.table(("MAE [N m]", *JOINTS), [(name, *one.mae.tolist()) for name, one in scores.items()])
    page.text(
        "**nominal**: the model that was given. **free**: any base parameters. **identified**: "
        "links that bodies can have, and friction with its memory; **without memory** is what "
        "`arm.inverse_dynamics` gives row by row. **left out**: recordings that were predicted by "
        "fits to the others."
    )
    drawn = ("nominal", "identified", "left out")
    chosen = {name: scores[name] for name in drawn if name in scores}
    page.figure(explained(chosen), caption="Mean absolute torque errors.")
    motion = _first_motion(fit, dynamics)
    part = motion[motion.t - motion.t[0] <= SECONDS]
    models = {
        "nominal": predict(Arm(fit.arm.side), part),
        "identified": predict(fit.arm, part),
    }
    page.figure(torques(part, predicted=models), caption=f"Torques of {Path(part.source).name}.")


def _first_motion(fit: RobotFit, dynamics: DynamicsFit) -> Recording:
    """The first recording with torques, aligned and filtered as for the fit."""
    return smooth_motion(next(r for r in fit.recordings if r.tau is not None), dynamics.hz)


def _joints(page: Page, fit: RobotFit, dynamics: DynamicsFit) -> None:
    motion = _first_motion(fit, dynamics)
    page.heading("Joint effects")
    page.figure(friction(fit.arm, motion), caption="Friction: torque less everything else.")
    page.figure(springs(fit.arm, motion), caption="Springs, cables and bias, likewise.")
    effects, std = dynamics.effects, dynamics.effects_std
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


def _links(page: Page, dynamics: DynamicsFit) -> None:
    page.heading("Links")
    before = Arm(dynamics.arm.side).model.inertials
    links = zip(JOINTS, dynamics.arm.model.inertials, before, strict=True)
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
    load = dynamics.load
    page.text(
        f"Gravity is tilted by {np.degrees(dynamics.tilt):.2f}° against the mount that was given. "
        f"Load beyond the model: {load.mass:+.2f} ± {NORMAL_95 * load.mass_std:.2f} kg. "
        f"Condition number of the motion: {dynamics.condition:.3g}. Rows of little weight: "
        f"{100 * float(dynamics.rejected.max()):.1f} % at most."
    )
    for text in dynamics.advice:
        page.text(f"**Note:** {text}")
