"""Recordings in text files: named columns, the 21-column form, pairs of files, Klamp't paths."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path

import numpy as np

from baxterkit.errors import RecordingError
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.recording.columns import (
    check_angles,
    check_time,
    choose_side,
    column_names,
    is_gripper,
    pick,
    read_name,
    with_poses_named,
)
from baxterkit.recording.raw import Options, Raw
from baxterkit.recording.signals import interpolate, rotation_map
from baxterkit.recording.text_table import Problem, TextTable, parse_table, read_text
from baxterkit.types import Array

PAIRS = (("JA", "EE"), ("configurations", "poses"))
"""Parts of the names of two files that belong together: joint angles, and poses of the tip."""
_POSE = ("position", "quaternion")
_KLAMPT = {"left": (15, 16, 17, 18, 19, 21, 22), "right": (35, 36, 37, 38, 39, 41, 42)}
"""Places of the arms' joints, s0..w2, in Klamp't's configuration of the robot."""
_KLAMPT_SIZE = 54
_CUTOFF = re.compile(r"cutoff: (\d+(?:\.\d+)?(?:e[+-]?\d+)?) Hz\s*")
"""The cut-off [Hz] in a comment of ours."""


def read_text_file(path: Path, options: Options, endpoint: str | Path | None = None) -> Raw:
    """Reads CSV and its like; see `baxterkit.recording.load`.

    Raises:
        RecordingError: If the file is not such text, or does not fit its poses.
    """
    angles, poses = _pair(path, endpoint)
    raw = _read_one(angles, options)
    if poses is not None:
        _add_poses(raw, _read_one(poses, options), str(poses))
    return raw


def _pair(path: Path, endpoint: str | Path | None) -> tuple[Path, Path | None]:
    """The file of the angles, and the file of the poses if there is one."""
    if endpoint is not None:
        return path, Path(endpoint)
    stem, dot, ending = path.name.partition(".")
    for angles, poses in PAIRS:
        for here, there in ((angles, poses), (poses, angles)):
            if stem.endswith(here):
                other = path.with_name(f"{stem.removesuffix(here)}{there}{dot}{ending}")
                if os.path.exists(other):
                    return (path, other) if here == angles else (other, path)
    return path, None


def _read_one(path: Path, options: Options) -> Raw:
    source = str(path)
    table = parse_table(read_text(path), source, _is_needed)
    table = dataclasses.replace(table, names=with_poses_named(table.names))
    if not table.names and table.values.shape[1] in (_KLAMPT_SIZE + 2, _KLAMPT_SIZE + 1):
        return _klampt(table, options, source)
    names = table.names if any(map(read_name, table.names)) else _unnamed(table, source)
    told = next((line for line in table.comments if line.startswith("side: ")), None)
    own = None if told is None else told.removeprefix("side: ").strip()
    check_angles(names, options.angles, source, table.comments)
    check_time(names, source)
    fields, side = pick(names, table.values, options.side or own, source)
    if own is not None:
        side = choose_side({own}, options.side, source)
    notes = [line.removeprefix("note: ") for line in table.comments if line.startswith("note: ")]
    cutoffs = [float(found[1]) for line in table.comments if (found := _CUTOFF.fullmatch(line))]
    return Raw(
        source,
        fields,
        side,
        rows=table.lines,
        index=table.index,
        problems=list(table.problems),
        notes=notes,
        names=table.names,
        cutoff=min(cutoffs, default=np.inf),
    )


def _is_needed(name: str) -> bool:
    """Whether a column must hold numbers."""
    column = read_name(name)
    return column is not None and not is_gripper(column)


def _unnamed(table: TextTable, source: str) -> tuple[str, ...]:
    """Names of the columns where a file has none: by their number, or by short pose names."""
    if [name.lower() for name in table.names] == ["px", "py", "pz", "ox", "oy", "oz", "ow"]:
        return tuple(name for field in _POSE for name in column_names(field))
    width = table.values.shape[1]
    if table.names:
        raise RecordingError(
            f"no column is known among {', '.join(table.names[:8])}"
            f"{', ...' if len(table.names) > 8 else ''}; joints are named left_s0 or q_s0",
            source,
        )
    fields = {7: ("q",), 14: ("q", "qd"), 21: ("q", "qd", "tau")}
    for time in (0, 1):
        if width - time in fields:
            joints = [f"{field}_{joint}" for field in fields[width - time] for joint in JOINTS]
            return ("time",) * time + tuple(joints)
    raise RecordingError(
        f"{width} columns without names; a file without header must hold q, qd, tau (7 each, "
        "s0..w2), with or without time before them",
        source,
    )


def _klampt(table: TextTable, options: Options, source: str) -> Raw:
    """A Klamp't path: time, number of values, values; the arms' joints are at known places."""
    side = choose_side(set(SIDES), options.side, source)
    assert side is not None
    values = table.values
    counts = values[:, 1]
    if not (counts == _KLAMPT_SIZE).all():
        line = int(table.lines[int(np.argmax(counts != _KLAMPT_SIZE))])
        raise RecordingError(
            f"a Klamp't path of Baxter has {_KLAMPT_SIZE} values per row", source, f"line {line}"
        )
    q = values[:, [2 + place for place in _KLAMPT[side]]]
    fields = {"t": values[:, 0], "q": q}
    problems = list(table.problems)
    return Raw(source, fields, side, table.lines, index=table.index, problems=problems)


def _add_poses(raw: Raw, poses: Raw, source: str) -> None:
    """Puts the poses of a second file beside the angles of the first, row for row.

    Raises:
        RecordingError: If the files differ in length or time.
    """
    count, other = len(raw.rows) + len(raw.problems), len(poses.rows) + len(poses.problems)
    if count != other:
        raise RecordingError(f"{other} rows do not match the {count} of {raw.source}", source)
    assert raw.index is not None
    assert poses.index is not None
    both, here, there = np.intersect1d(raw.index, poses.index, return_indices=True)
    raw.fields = {name: values[here] for name, values in raw.fields.items()}
    added = {name: values[there] for name, values in poses.fields.items() if name != "q"}
    raw.rows, raw.index, raw.side = raw.rows[here], both, raw.side or poses.side
    if "t" in added and "t" in raw.fields:
        _meet(raw, added, source)
    elif "t" not in raw.fields and "qd" not in raw.fields:
        raw.is_motion = False
    raw.fields = {**added, **raw.fields}
    raw.problems += [Problem(p.row, f"{Path(source).name}: {p.text}") for p in poses.problems]


def _meet(raw: Raw, poses: dict[str, Array], source: str) -> None:
    """Interpolates poses that were stored late to the time of their angles.

    Raises:
        RecordingError: If the times of the two files differ too much.
    """
    t, own = raw.fields["t"], poses["t"]
    finite = np.isfinite(t) & np.isfinite(own)
    if finite.sum() < 3 or not (np.diff(own[finite]) > 0.0).all():
        return
    apart = np.where(finite, np.abs(t - own), 0.0)
    late = apart > 0.1 * float(np.median(np.diff(t[finite])))
    if late.mean() > 0.2:
        row = int(np.argmax(apart))
        raise RecordingError(
            f"its times differ from those of {raw.source} by up to {apart[row]:.3g} s; "
            "are the two of one recording?",
            source,
            f"line {raw.rows[row]}",
        )
    if not late.any():
        return
    for name, values in poses.items():
        if name == "quaternion":
            met = rotation_map(lambda rows: interpolate(own[finite], rows, t[late]), values[finite])
        else:
            met = interpolate(own[finite], values[finite], t[late])
        poses[name] = values.copy()
        poses[name][late] = met
    lines = ", ".join(map(str, raw.rows[late][:5]))
    raw.notes.append(
        f"line {lines}: the pose was stored up to {apart.max():.3f} s beside its angles; "
        "interpolated to their time"
    )
