"""Recordings in text files: named columns, the 21-column form, pairs of angles and poses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from baxterkit.errors import RecordingError
from baxterkit.model.names import JOINTS
from baxterkit.recording.assemble import Options, Raw
from baxterkit.recording.columns import pick
from baxterkit.recording.text_table import TextTable, parse_table, read_text

__all__ = ["read_text_file"]

_POSE = [f"position_{axis}" for axis in "xyz"] + [f"quaternion_{axis}" for axis in "xyzw"]


def read_text_file(path: Path, options: Options, endpoint: str | Path | None = None) -> Raw:
    """Reads CSV and its like; see `baxterkit.recording.load`.

    Raises:
        RecordingError: If the file is not such text.
    """
    source = str(path)
    table = parse_table(read_text(path), source)
    names = _names(table, source)
    fields, side = pick(names, table.values, options.side, source)
    notes = [line.removeprefix("note: ") for line in table.comments if line.startswith("note: ")]
    told = next((line for line in table.comments if line.startswith("side: ")), "")
    if side is None and told:
        side = told.removeprefix("side: ").strip()
    raw = Raw(
        source,
        fields,
        side,
        rows=table.lines,
        index=table.index,
        problems=list(table.problems),
        notes=notes,
    )
    return raw


def _names(table: TextTable, source: str) -> tuple[str, ...]:
    """Names of the columns; those of the 21-column form where the file has none."""
    if table.names:
        return table.names
    width = table.values.shape[1]
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


assert np.size(_POSE) == 7 and RecordingError
