"""Smith et al. 2016, Table V and Figs. 5-7: torques of the model and of a real robot.

The paper drives a Baxter arm along three trajectories, computes torques by Lagrange-Euler (L-E) and
Newton-Euler (RN-E) from recorded joints, with accelerations by first differences, and prints the
mean error of each joint. Here: recordings of another Baxter, with the nominal rigid model and with
one that was identified on other files than those that are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import identify, recording
from baxterkit.arm import Arm
from baxterkit.experiments.result import Result, Row, compare
from baxterkit.experiments.settings import Settings
from baxterkit.identify import Scores
from baxterkit.recording import Recording
from baxterkit.types import Array, JointVector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

TITLE = "Smith et al. 2016: joint torques of the model and of a real robot"
METHODS = {"L-E": "lagrange", "RN-E": "newton_euler"}
PAPER = {
    1: {
        "L-E": (0.0105, 0.1002, 0.0475, 0.0151, 0.0068, 0.0006, 0.0012),
        "RN-E": (0.0105, 0.0665, 0.1382, 0.1231, 0.0120, 0.0103, 0.0036),
    },
    2: {
        "L-E": (0.0148, 0.0464, 0.0083, 0.0079, 0.0099, 0.0047, 0.0003),
        "RN-E": (0.0149, 0.0931, 0.1355, 0.1210, 0.0145, 0.0136, 0.0055),
    },
    3: {
        "L-E": (0.0061, 0.0703, 0.0367, 0.0064, 0.0079, 0.0003, 0.0013),
        "RN-E": (0.0058, 0.0872, 0.1358, 0.1148, 0.0140, 0.0113, 0.0024),
    },
}
"""Table V: size of the mean error of each joint [N m], by set and method."""
PAPER_SUM = {
    1: {"L-E": 0.0710, "RN-E": 0.0869},
    2: {"L-E": 0.0527, "RN-E": 0.1161},
    3: {"L-E": 0.0366, "RN-E": 0.1089},
}
"""Table V, last row: size of the sum of the signed means [N m]."""
SETS = {1: "sin_XYZ_10s_T2_Tz_5T_r10", 2: "sin_XYZ_8s_T2_Tz_4T_r10", 3: "Random"}
"""The recordings that are compared; the others are fitted."""
NOTES = (
    "Means are signed, over raw rows, accelerations by first differences, as in the paper; their "
    "sizes are printed. A mean hides errors of both signs: MAE and R² (5 Hz zero-phase filter) "
    "show them. Numbers side by side are s0 s1 e0 e1 w0 w1 w2.",
    "The paper's torques contain the robot's own compensation of the springs at s1 (its second "
    "joint); these recordings do not, so the rigid model misses the springs.",
    "With the same parameters both methods give the same torques; the paper's difference "
    "between them is one of parameters.",
)
SECONDS = 20.0
"""Length of the torques that are drawn [s]."""


def run(settings: Settings) -> Result:
    """Runs the experiment; see `baxterkit.experiments`."""
    files = settings.find("torque/*.csv.gz")
    is_synthetic = not files
    sets, fitted_on = _synthetic(settings) if is_synthetic else _real(files, settings)
    settings.progress("smith_torque: identifying", 0.2)
    fit = identify.dynamics(fitted_on)
    arms = {"rigid model": Arm(fit.arm.side), "identified model": fit.arm}
    rows: list[Row] = []
    figures = {}
    largest = 0.0
    for k, (number, rec) in enumerate(sets.items()):
        settings.progress(f"smith_torque: set {number}", 0.6 + 0.1 * k)
        for name, arm in arms.items():
            torques = _as_the_paper(arm, rec)
            largest = max(largest, float(np.abs(torques["L-E"] - torques["RN-E"]).max()))
            rows += _mean_rows(number, name, rec, torques, is_synthetic)
            rows += _score_rows(number, name, arm, rec, is_synthetic)
        figures[f"fig{number + 4}"] = _figure(arms, rec, number)
    rows.append(
        compare(
            "largest difference of L-E and RN-E, same parameters [N m]",
            None,
            largest,
            section="Both methods",
            synthetic=is_synthetic,
        )
    )
    source = (
        f"{len(fitted_on)} recordings were fitted, {len(sets)} others compared: left arm of one "
        "robot, another than the paper's, 100 Hz, tool unknown."
    )
    notes = [settings.missing("torque/*.csv.gz") if is_synthetic else source, *NOTES]
    return Result("smith_torque", TITLE, rows, figures, notes, is_synthetic=is_synthetic)


def _real(
    files: Sequence[Path], settings: Settings
) -> tuple[dict[int, Recording], list[Recording]]:
    """The three sets, and the recordings to fit."""
    sets: dict[int, Recording] = {}
    others: list[Recording] = []
    for k, path in enumerate(files):
        settings.progress(f"smith_torque: {path.name}", 0.2 * k / len(files))
        rec = recording.load(path, side="left", rate=100.0)
        number = next((n for n, name in SETS.items() if path.name.startswith(f"{name}_")), None)
        if number is None:
            others.append(rec)
        else:
            sets[number] = rec
    if settings.quick:
        others = others[::3]
    if len(sets) < len(SETS) or not others:  # other files than those that are known by name
        everything = [*sets.values(), *others]
        sets, others = dict(enumerate(everything[:3], start=1)), everything[3:] or everything[:1]
    return dict(sorted(sets.items())), others


def _synthetic(settings: Settings) -> tuple[dict[int, Recording], list[Recording]]:
    """Recordings of a made-up robot with springs and friction."""
    from baxterkit.sim.nominal import nominal_effects

    tilt = 0.015
    gravity = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    robot = Arm("left", gravity_vector=gravity).with_effects(nominal_effects())

    def made(seed: int) -> Recording:
        motion = identify.exciting_motion(robot, 30.0, part=0.4, seed=seed)
        return identify.simulated_recording(robot, motion, seed=seed)

    first = 10 * settings.seed
    return {n: made(first + n) for n in (1, 2, 3)}, [made(first + n) for n in (4, 5)]


def _as_the_paper(arm: Arm, rec: Recording) -> dict[str, JointVector]:
    """Torques from raw rows and first differences, by method."""
    raw = rec.with_acceleration("difference")
    assert raw.qd is not None
    assert raw.qdd is not None
    return {
        name: arm.inverse_dynamics(raw.q, raw.qd, raw.qdd, method=method)
        for name, method in METHODS.items()
    }


def _mean_rows(
    number: int, model: str, rec: Recording, torques: Mapping[str, Array], synthetic: bool
) -> list[Row]:
    assert rec.tau is not None
    rows = []
    for name, tau in torques.items():
        mean = (rec.tau - tau).mean(axis=0)
        section = f"Set {number}, {model}"
        rows += [
            compare(
                f"|mean error| {name} [N m]",
                PAPER[number][name],
                np.abs(mean).tolist(),
                section=section,
                synthetic=synthetic,
            ),
            compare(
                f"|sum of means| {name} [N m]",
                PAPER_SUM[number][name],
                abs(float(mean.sum())),
                section=section,
                synthetic=synthetic,
            ),
        ]
    return rows


def _score_rows(number: int, model: str, arm: Arm, rec: Recording, synthetic: bool) -> list[Row]:
    section = f"Set {number}, {model}"
    scores: dict[str, Scores] = {"": identify.score(arm, rec, memory=False)}
    if arm.effects is not None and arm.effects.hysteresis is not None:
        scores[", friction with memory"] = identify.score(arm, rec)
    rows = []
    for name, one in scores.items():
        for label, values in (("MAE", one.mae), ("R²", one.r2)):
            unit = " [N m]" if label == "MAE" else ""
            quantity = f"{label}{name}{unit}"
            row = compare(quantity, None, values.tolist(), section=section, synthetic=synthetic)
            rows.append(row)
    return rows


def _figure(arms: Mapping[str, Arm], rec: Recording, number: int) -> Figure:
    from baxterkit.plot.signals import torques

    smooth = identify.smooth_motion(rec)
    part = smooth[smooth.t - smooth.t[0] <= SECONDS]
    models = {name: identify.predict(arm, part) for name, arm in arms.items()}
    name = Path(rec.source).name.split("_ang")[0]
    return torques(part, predicted=models, title=f"Set {number}: {name}")
