"""Ju et al. 2014: differences between the tip poses of a model and of a robot.

The paper compares recorded joint angles and tip poses of a Baxter, at configurations (experiment 1)
and while it tucks and untucks its arms (experiment 2), with forward kinematics. Here: recordings of
other Baxters in other motions, with the nominal mount and with the robot's own, fitted on other
files than the ones that are compared. None of them is a tuck; `ju_tuck` simulates that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import identify, recording
from baxterkit.arm import Arm
from baxterkit.errors import InputError, RecordingError
from baxterkit.experiments.ju_figures import (
    ArmConfiguration,
    configuration_figure,
    error_figure,
    tuck_figure,
)
from baxterkit.experiments.ju_paper import PAPER_MAX, pose_errors, pose_rows
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.synthetic import pose_recording
from baxterkit.model.names import SIDES
from baxterkit.recording import Recording
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Ju et al. 2014: tip poses of the model and of {}"
TOOL = "electric_extended"
CONFIGURATIONS = 10
"""Number of configurations, far from each other, from the recordings of an arm."""
DRAWN = 4
"""Number of configurations that are drawn."""
ANOTHER_MOTION = "Another motion than experiment 2's untuck and tuck"
FAR_APART = "Experiment 1: configurations far from each other, taken from the recordings"
"""The paper shows errors of configurations in a picture only."""
NOT_ALIKE = (
    "Not alike: the motions are none of the paper's, and the robots are others. The paper prints "
    "no errors of experiment 1 but those in its Fig. 7, a picture. It advises to take a robot's "
    "own parameters, as the fitted mount does, and does not say which its errors are of; the "
    "nominal mount is that of the file for every robot."
)


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
    place = "made up" if synthetic else files[0].parent.name
    for i, side in enumerate(SIDES[::-1]):
        settings.progress(f"ju_pose: {side} arm", i / 3.0)
        motion[side] = errors = _errors(loaded[side], side)
        for name, values in errors.items():
            heading = f"{ANOTHER_MOTION} ({place}), {name}"
            rows += pose_rows(Section(heading, alike=False, synthetic=synthetic), side, values)
        chosen = _far_apart(np.concatenate([one.q for one in loaded[side]]), CONFIGURATIONS)
        table = Section(FAR_APART, synthetic=synthetic)
        for name, values in errors.items():
            quantity = f"{side} arm, largest of {CONFIGURATIONS} configurations, {name}"
            rows.append(table.compare(quantity, None, np.abs(values[chosen]).max(axis=0)))
    rows.sort(key=lambda row: (not row.section.startswith("Exp"), "fitted" in row.section))
    settings.progress("ju_pose: second robot", 2.0 / 3.0)
    rows += _second_robot(settings, notes)
    first = loaded["left"][0]
    name = Path(first.source).stem
    figures = {
        "errors": error_figure(motion, PAPER_MAX),
        "fig7_configurations": _configurations(loaded, motion, synthetic),
        "fig8_form": tuck_figure(
            first,
            Arm("left", TOOL),
            {mount: values[: len(first)] for mount, values in motion["left"].items()},
            title=f"In the form of Ju's Fig. 8, another motion than a tuck: {name}, left arm",
            robot="made-up robot" if synthetic else "robot",
        ),
    }
    if not synthetic:
        notes.append(NOT_ALIKE)
    notes.append(
        "Numbers side by side are x y z [mm], then roll pitch yaw [mrad], model less robot as in "
        "the paper's eq. 5. Means keep their sign, so errors of both signs cancel in them."
    )
    title = TITLE.format("a made-up robot" if synthetic else "real robots")
    return Result("ju_pose", title, rows, figures, notes, is_synthetic=synthetic)


def _load(files: Sequence[Path], notes: list[str], side: str | None = None) -> list[Recording]:
    """The recordings with tip poses among some files; omitted files are noted, once each."""
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


def _far_apart(q: Array, count: int) -> list[int]:
    """Rows of configurations, each as far as possible from those before; the first row is one."""
    chosen = [0]
    distance = np.linalg.norm(q - q[0], axis=1)
    for _ in range(count - 1):
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(q - q[chosen[-1]], axis=1))
    return chosen


def _configurations(
    loaded: Mapping[str, Sequence[Recording]],
    errors: Mapping[str, Mapping[str, Array]],
    synthetic: bool,
) -> Figure:
    """Both arms at configurations of the left one, the right one at the same times of the file."""
    starts = {
        side: np.cumsum([0, *(len(one) for one in recordings)])
        for side, recordings in loaded.items()
    }
    left = loaded["left"]
    configurations = []
    for row in _far_apart(np.concatenate([one.q for one in left]), DRAWN):
        number = int(np.searchsorted(starts["left"], row, side="right")) - 1
        time = float(left[number].t[row - starts["left"][number]])
        sides = {}
        for side in SIDES:
            one = loaded[side][number]
            at = int(np.abs(one.t - time).argmin())
            whole = at + starts[side][number]
            six = {name: values[whole] for name, values in errors[side].items()}
            sides[side] = ArmConfiguration(one.q[at], one.required("position")[at], six)
        file = "made up" if synthetic else Path(left[number].source).stem
        configurations.append((f"{file}, {time - left[number].t[0]:.1f} s", sides))
    arms = {side: Arm(side, TOOL) for side in SIDES}
    whose = "a made-up robot" if synthetic else "another robot"
    return configuration_figure(
        arms, configurations, f"As Ju's Fig. 7, on {whose}: configurations and errors"
    )


def _second_robot(settings: Settings, notes: list[str]) -> list[Row]:
    """Positions of another robot, recorded with all digits: the mount of one day on another's."""
    recordings = [one for one in _load(settings.find("endpoint_mit/*.mat"), notes) if one.side]
    side = max(SIDES, key=lambda side: sum(one.side == side for one in recordings))
    recordings = [one for one in recordings if one.side == side]
    if len(recordings) < 2:
        return []
    first, last = recordings[0], recordings[-1]
    fit = identify.mount(last)
    table = Section(
        "Another robot and motion: positions with all digits, mount fitted on another day [mm]",
        alike=False,
    )
    here, there = (Path(one.source) for one in (first, last))
    notes.append(
        f"Another robot ({here.parent.name}), positions with all digits: mount fitted on "
        f"{there.name} ({fit.tool.name}), compared on {here.name}."
    )
    models = {"nominal mount": Arm(side, fit.tool), "fitted mount": fit.arm}
    rows = []
    for name, arm in models.items():
        rows += pose_rows(table, side, pose_errors(arm, first)[:, :3], f", {name}")
    return rows
