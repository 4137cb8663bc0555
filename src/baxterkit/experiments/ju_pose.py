"""Ju et al. 2014, experiments 1 and 2: how far a model's tip poses are from a robot's.

The paper compares recorded joint angles and tip poses of a Baxter, at postures (experiment 1) and
while it tucks and untucks its arms (experiment 2), with forward kinematics. Here: recordings of
three other Baxters, with the nominal mount and with the robot's own, fitted on other files than the
ones that are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from baxterkit import identify, recording
from baxterkit.arm import Arm
from baxterkit.errors import InputError, RecordingError
from baxterkit.experiments.ju_figures import error_figure
from baxterkit.experiments.pose_errors import pose_errors
from baxterkit.experiments.result import Result, Row, compare
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.synthetic import pose_recording
from baxterkit.model.names import SIDES
from baxterkit.recording import Recording
from baxterkit.types import Array

__all__ = ["run"]

TITLE = "Ju et al. 2014: tip poses of the model and of real robots"
TOOL = "electric_extended"
PAPER_MAX = {"right": (4.2, 3.3, 6.8, 5.6, 7.6, 7.3), "left": (4.4, 3.8, 6.1, 5.1, 7.2, 7.6)}
"""Largest errors of the paper: x y z [mm], roll pitch yaw [mrad]."""
PAPER_MEAN = {
    "right": (0.7, -0.6, -3.8, 2.9, -3.2, -1.2),
    "left": (1.1, 0.6, -2.8, -1.6, -3.5, 1.1),
}
"""Mean errors of the paper, with their signs."""
POSTURES = 10


def run(settings: Settings) -> Result:
    """Runs both experiments; see `baxterkit.experiments`."""
    files = settings.find("endpoint_naist/*JA.csv")
    notes: list[str] = []
    loaded = {side: _load(files, notes, side) for side in SIDES}
    count = min(map(len, loaded.values()))
    synthetic = not count
    if synthetic:
        loaded = {side: _made_up(side, settings) for side in SIDES}
        notes.append(settings.missing("endpoint_naist/*JA.csv with *EE.csv"))
    else:
        fitted = "the mount fitted on the others" if count > 1 else "the mount fitted on it"
        notes.append(
            f"Recordings of both arms of a robot ({files[0].parent.name}, {count}), "
            f"rounded to 4 decimals. Each file is compared with {fitted}."
        )
    rows: list[Row] = []
    motion: dict[str, dict[str, Array]] = {}
    for i, side in enumerate(SIDES[::-1]):
        settings.progress(f"ju_pose: {side} arm", i / 3.0)
        errors = _errors(loaded[side], side)
        motion[side] = errors
        for name, values in errors.items():
            rows += _motion_rows(side, name, values, synthetic)
        rows += _posture_rows(side, loaded[side], errors, synthetic)
    rows.sort(key=lambda row: (row.section[:12], "fitted" in row.section))
    settings.progress("ju_pose: second robot", 2.0 / 3.0)
    rows += _second_robot(settings, notes)
    figures = {"errors": error_figure(motion, PAPER_MAX)}
    notes.append(
        "Numbers side by side are x y z [mm], then roll pitch yaw [mrad]. Means keep their sign, "
        "as in the paper, so errors of both signs cancel in them; their sizes are compared."
    )
    return Result("ju_pose", TITLE, rows, figures, notes, is_synthetic=synthetic)


def _load(files: Sequence[Path], notes: list[str], side: str | None = None) -> list[Recording]:
    """The recordings with tip poses among some files; what is left out is noted, once a file."""
    good = []
    for file in files:
        try:
            one = recording.load(file, side, bad_rows="drop")
            one.required("position")
        except InputError as error:
            text = f"Left out: {error}"
        except RecordingError as error:
            text = f"Left out: {error.source}: {error.message}"
        else:
            good.append(one)
            dropped = [note for note in one.notes if note.startswith("dropped")]
            if not dropped:
                continue
            text = f"{file.name}: {dropped[0]}{' and others' if len(dropped) > 1 else ''}"
        if text not in notes:
            notes.append(text)
    return good


def _made_up(side: str, settings: Settings) -> list[Recording]:
    return [pose_recording(side, seed=settings.seed), pose_recording(side, seed=settings.seed)[::2]]


def _errors(recordings: Sequence[Recording], side: str) -> dict[str, Array]:
    """Errors of all rows with the nominal mount and with one fitted on the other recordings."""
    nominal = Arm(side, TOOL)
    fitted = []
    for i, one in enumerate(recordings):
        others = [*recordings[:i], *recordings[i + 1 :]]
        fitted.append(pose_errors(identify.mount(others or [one], TOOL).arm, one))
    return {
        "nominal mount": np.concatenate([pose_errors(nominal, one) for one in recordings]),
        "fitted mount": np.concatenate(fitted),
    }


def _motion_rows(side: str, name: str, errors: Array, synthetic: bool) -> list[Row]:
    section = f"Experiment 2 (motion), {name}"
    worst, mean = np.abs(errors).max(axis=0), errors.mean(axis=0)
    return [
        compare(
            f"{side} arm, largest",
            PAPER_MAX[side],
            worst.tolist(),
            section=section,
            synthetic=synthetic,
        ),
        compare(
            f"{side} arm, mean",
            PAPER_MEAN[side],
            mean.tolist(),
            section=section,
            synthetic=synthetic,
        ),
    ]


def _posture_rows(
    side: str, recordings: Sequence[Recording], errors: dict[str, Array], synthetic: bool
) -> list[Row]:
    """Errors at postures far from each other; the paper shows them in a picture only."""
    q = np.concatenate([one.q for one in recordings])
    chosen = [0]
    distance = np.linalg.norm(q - q[0], axis=1)
    for _ in range(POSTURES - 1):
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(q - q[chosen[-1]], axis=1))
    return [
        compare(
            f"{side} arm, largest of {POSTURES} postures, {name}",
            None,
            np.abs(values[chosen]).max(axis=0).tolist(),
            section="Experiment 1 (postures)",
            synthetic=synthetic,
        )
        for name, values in errors.items()
    ]


def _second_robot(settings: Settings, notes: list[str]) -> list[Row]:
    """Positions of another robot, recorded with all digits: the mount of one day on another's."""
    recordings = [one for one in _load(settings.find("endpoint_mit/*.mat"), notes) if one.side]
    side = max(SIDES, key=lambda side: sum(one.side == side for one in recordings))
    recordings = [one for one in recordings if one.side == side]
    if len(recordings) < 2:
        return []
    first, last = recordings[0], recordings[-1]
    fit = identify.mount(last)
    section = "Another robot: positions with all digits, mount fitted on another day [mm]"
    here, there = (Path(one.source) for one in (first, last))
    notes.append(
        f"Another robot ({here.parent.name}), positions with all digits: mount fitted on "
        f"{there.name} ({fit.tool.name}), compared on {here.name}."
    )
    nominal = pose_errors(Arm(side, fit.tool), first)[:, :3]
    fitted = pose_errors(fit.arm, first)[:, :3]
    paper_max, paper_mean = PAPER_MAX[side][:3], PAPER_MEAN[side][:3]
    rows = []
    for name, errors in (("nominal mount", nominal), ("fitted mount", fitted)):
        worst, mean = np.abs(errors).max(axis=0).tolist(), errors.mean(axis=0).tolist()
        rows.append(compare(f"{side} arm, largest, {name}", paper_max, worst, section=section))
        rows.append(compare(f"{side} arm, mean, {name}", paper_mean, mean, section=section))
    return rows
