"""Smith et al. 2016, Table V and Figs. 5-7: torques of the model and of a real robot.

The paper drives a Baxter's right arm along three trajectories, computes torques by Lagrange-Euler
(L-E) and Newton-Euler (RN-E) from recorded joints, with accelerations by first differences, and
prints the mean error of each joint. Here: recordings of another Baxter's left arm along other
trajectories, with the nominal rigid model and with one that was identified on other files than
those that are compared. So the paper's numbers stand beside ours for their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from baxterkit import identify, recording
from baxterkit.arm import Arm
from baxterkit.experiments.both_methods import Torques, smooth_torques_of, torques_of
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.smith_claims import method_difference
from baxterkit.experiments.smith_figures import torque_figure
from baxterkit.experiments.smith_paper import METHODS, MOTIONS, TABLE_V, TABLE_V_SUM
from baxterkit.recording import Recording

TITLE = "Smith et al. 2016: joint torques of the model and of {}"
COMPARED = ("sin_XYZ_10s_T2_Tz_5T_r10", "sin_XYZ_8s_T2_Tz_4T_r10", "Random")
"""The recordings that are compared, by their names' beginnings; the others are fitted. The first
is of the kind of the paper's set 1; none is of the kind of its sets 2 and 3."""
HZ = 5.0
"""Cut-off of the low-pass of the filtered tables [Hz]."""
RATE = 50.0
"""Rows per second of raw tables [Hz], as of the paper's recorder: noise of differences grows with
it."""
RAW = f"raw rows at {RATE:g} Hz, accelerations by first difference, means of two rows, no filter"
FILTERED = f"zero-phase low-pass of {HZ:g} Hz on everything"
SECONDS = 20.0
"""Length of the torques that are drawn [s]."""
TARED = 3.0
"""Length of the start of each recording that tells the zero of the torque sensors [s]."""
AGREE = 1e-9
"""Methods whose torques differ by less than this are the same [N m]."""
TABLES = (
    "Every table names its rows: raw ones with accelerations by first differences, as in the "
    "paper, or all signals through one low-pass. All numbers of a table are of the same rows. "
    "Numbers side by side are s0 s1 e0 e1 w0 w1 w2. The paper prints sizes of signed means, in "
    "which errors of both signs cancel; mean |error| and R² show them."
)
ZERO = (
    f"The identified model has the zero of the torque sensors from the first {TARED:g} s of each "
    "recording (`identify.offsets`): it differs from day to day."
)
NOT_ALIKE = (
    "Not alike: the paper's robot, arm (right) and motions are others, and its recorded torques "
    "contain the robot's own compensation of the springs at s1, its joint 2. These recordings do "
    "not, so the rigid model misses the springs; the identified model has springs, friction and "
    "bias, which the paper's model has not."
)


@dataclass(frozen=True, eq=False)
class Compared:
    """A recording that is compared.

    Attributes:
        letter: A, B or C.
        rec: The recording.
        like: The paper's set of the same kind of motion, or None.
        made_up: Whether no robot recorded it.
    """

    letter: str
    rec: Recording
    like: int | None
    made_up: bool = False

    @property
    def name(self) -> str:
        """Its name in the tables."""
        return f"{'Made-up recording' if self.made_up else 'Recording'} {self.letter}"


def run(settings: Settings) -> Result:
    """Compares models on recordings; see `baxterkit.experiments`."""
    files = settings.find("torque/*.csv.gz")
    is_synthetic = not files
    compared, fitted_on = _synthetic(settings) if is_synthetic else _real(files, settings)
    settings.progress("smith_torque: identifying", 0.2)
    fit = identify.dynamics(fitted_on)
    rigid = Arm(fit.arm.side)
    rows: list[Row] = []
    figures = {}
    for k, one in enumerate(compared):
        settings.progress(f"smith_torque: recording {one.letter}", 0.6 + 0.1 * k)
        first = one.rec.slice(None, float(one.rec.t[0]) + TARED)
        today = identify.offsets(fit.arm, first).arm
        for model, arm in (("rigid model", rigid), ("identified model", today)):
            raw = torques_of(one.rec[:: max(1, round(one.rec.rate / RATE))], arm)
            smooth = smooth_torques_of(one.rec, arm, HZ, memory=True)
            rows += _raw_rows(one, model, raw)
            rows += _filtered_rows(one, model, arm, smooth)
            if model == "identified model":
                start = float(one.rec.t[0])
                title = f"In the form of Smith's Figs. 5-7, identified model: {_title(one)}"
                figures[f"fig5_form_recording_{one.letter.lower()}"] = torque_figure(
                    title,
                    {
                        f"raw, {RATE:g} Hz": raw.until(start + SECONDS),
                        f"low-pass, {HZ:g} Hz": smooth.until(start + SECONDS),
                    },
                )
    apart = method_difference()
    rows += [
        *_missing_sets(),
        Section("The two methods").claim(
            "largest difference of their torques, same parameters [N m]",
            "L-E is slightly more accurate than RN-E",
            apart,
            apart > AGREE,
        ),
    ]
    if is_synthetic:
        notes = [settings.missing("torque/*.csv.gz"), TABLES]
    else:
        notes = [
            f"{len(fitted_on)} recordings were fitted, {len(compared)} others compared: left arm "
            "of one robot, another than the paper's, 100 Hz, tool unknown.",
            *(_about(one) for one in compared),
            ZERO,
            TABLES,
            NOT_ALIKE,
        ]
    title = TITLE.format("a made-up robot" if is_synthetic else "a real robot")
    return Result("smith_torque", title, rows, figures, notes, is_synthetic=is_synthetic)


def _real(
    files: Sequence[Path], settings: Settings
) -> tuple[tuple[Compared, ...], list[Recording]]:
    """The recordings to compare, and those to fit."""
    known: dict[str, Recording] = {}
    others: list[Recording] = []
    for k, path in enumerate(files):
        settings.progress(f"smith_torque: {path.name}", 0.2 * k / len(files))
        rec = recording.load(path, side="left", rate=100.0)
        name = next((name for name in COMPARED if path.name.startswith(f"{name}_")), None)
        if name is None:
            others.append(rec)
        else:
            known[name] = rec
    if settings.quick:
        others = others[::3]
    if len(known) < len(COMPARED) or not others:  # other files than those that are known by name
        everything = [*known.values(), *others]
        chosen, others = everything[:3], everything[3:] or everything[:1]
        return _lettered(chosen, alike=False), others
    return _lettered([known[name] for name in COMPARED], alike=True), others


def _synthetic(settings: Settings) -> tuple[tuple[Compared, ...], list[Recording]]:
    """Simulated recordings of a robot with springs and friction."""
    from baxterkit.sim.nominal import nominal_effects

    tilt = 0.015
    gravity = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    robot = Arm("left", gravity_vector=gravity).with_effects(nominal_effects())

    def made(seed: int) -> Recording:
        motion = identify.exciting_motion(robot, 30.0, part=0.4, seed=seed)
        return identify.simulated_recording(robot, motion, seed=seed)

    first = 10 * settings.seed
    compared = [made(first + n) for n in (1, 2, 3)]
    lettered = tuple(replace(one, made_up=True) for one in _lettered(compared, alike=False))
    return lettered, [made(first + n) for n in (4, 5)]


def _lettered(recordings: Sequence[Recording], *, alike: bool) -> tuple[Compared, ...]:
    return tuple(
        Compared(letter, rec, 1 if alike and letter == "A" else None)
        for letter, rec in zip("ABC", recordings, strict=False)
    )


def _raw_rows(one: Compared, model: str, raw: Torques) -> list[Row]:
    """The errors of raw rows; beside those of the paper where the motion is of the same kind."""
    table = Section(f"{one.name}, {model} [N m]: {RAW}", alike=False, synthetic=one.made_up)
    rows: list[Row] = []
    for name, scores in zip(METHODS, raw.scores, strict=True):
        paper = None if one.like is None else TABLE_V[one.like][name]
        paper_sum = None if one.like is None else TABLE_V_SUM[one.like][name]
        of_set = "" if one.like is None else f" (paper: set {one.like})"
        rows += [
            table.compare(f"|mean error| {name}{of_set}", paper, np.abs(scores.mean)),
            table.compare(f"|sum of means| {name}{of_set}", paper_sum, abs(scores.mean.sum())),
        ]
    scores = raw.scores[0]
    return [
        *rows,
        table.compare("mean |error|", None, scores.mae),
        table.compare("largest |error|", None, raw.largest),
        table.compare("rows beyond ±1.5 N m [%]", None, raw.beyond),
        table.compare("R²", None, scores.r2),
    ]


def _filtered_rows(one: Compared, model: str, arm: Arm, smooth: Torques) -> list[Row]:
    """The errors of filtered rows; of an identified model with and without friction's memory."""
    table = Section(f"{one.name}, {model} [N m]: {FILTERED}", synthetic=one.made_up)
    shown = {"": smooth}
    if arm.effects is not None and arm.effects.hysteresis is not None:
        without = smooth_torques_of(one.rec, arm, HZ)
        shown = {"": without, ", friction with memory": smooth}
    rows: list[Row] = []
    for name, torques in shown.items():
        scores = torques.scores[0]
        rows += [
            table.compare(f"|mean error|{name}", None, np.abs(scores.mean)),
            table.compare(f"mean |error|{name}", None, scores.mae),
            table.compare(f"R²{name}", None, scores.r2),
        ]
    return rows


def _missing_sets() -> list[Row]:
    """The sets of which there is no recording."""
    table = Section(
        "Table V, sets 2 and 3 [N m]: no recording of such motions; smith_twin simulates them"
    )
    return [
        table.unavailable(f"set {n}, {MOTIONS[n]}: |mean error| {name}", TABLE_V[n][name])
        for n in (2, 3)
        for name in METHODS
    ]


def _title(one: Compared) -> str:
    if one.made_up:
        return f"made-up recording {one.letter}"
    name = Path(one.rec.source).name.split("_ang")[0]
    return f"recording {one.letter}, {name}"


def _about(one: Compared) -> str:
    """What moves in a recording: extents and, of periodic motions, periods of the tip."""
    p = Arm(one.rec.side or "left").fk(one.rec.q)[:, :3, 3]
    extent = 0.5 * np.ptp(p, axis=0)
    words = ", ".join(f"{axis} ±{x:.2f} m" for axis, x in zip("xyz", extent, strict=True))
    source = Path(one.rec.source).name.split("_ang")[0]
    text = f"Recording {one.letter} ({source}): the hand moves by {words}"
    if one.like is None:
        return f"{text}; another motion than any of the paper's."
    steps = p - p.mean(axis=0)
    spectrum = np.abs(np.fft.rfft(steps * np.hanning(len(p))[:, None], axis=0))
    periods = one.rec.duration / (1 + spectrum[1:].argmax(axis=0))
    return (
        f"{text}, in periods of {', '.join(f'{x:.1f}' for x in periods)} s: of the kind of the "
        "paper's set 1 (x, y and z ±0.1 m in 6.3, 6.3 and 31 s), but faster and higher."
    )
