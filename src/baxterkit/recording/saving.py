"""Writers: CSV, Parquet and MCAP."""

from __future__ import annotations

import gzip
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.recording.columns import OWN, column_names

if TYPE_CHECKING:
    from baxterkit.recording.recording import Recording


def save(recording: Recording, path: str | Path) -> Path:
    """Writes a recording by the ending of the path: .parquet, .csv, .csv.gz or .mcap (ROS 2).

    Returns:
        The path.

    Raises:
        InputError: If the ending is another.
        MissingExtraError: If pyarrow is not installed (Parquet).
    """
    path = disk.as_path(path)
    name = path.name.lower()
    if name.endswith(".parquet"):
        from baxterkit.recording.parquet import write_parquet

        write_parquet(recording, path)
    elif name.endswith((".csv", ".csv.gz")):
        text = csv_text(recording)
        # No time of writing in the packed file: the same recording gives the same bytes.
        data = gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode()
        disk.write_bytes(path, data)
    elif name.endswith(".mcap"):
        from baxterkit.recording.mcap_file import write_mcap

        write_mcap(recording, path)
    else:
        raise InputError(f"{path.name}: a recording is written as .parquet, .csv, .csv.gz or .mcap")
    return path


def csv_text(recording: Recording) -> str:
    """The recording as CSV with every digit; the rest in lines that start with #."""
    header = ["time", *(n for field in recording.fields for n in column_names(field))]
    parts = [recording.t[:, None]]
    parts += [getattr(recording, name).reshape(len(recording), -1) for name in recording.fields]
    rows = np.concatenate(parts, axis=1)
    about = [f"# {OWN}"]
    about += [] if recording.side is None else [f"# side: {recording.side}"]
    about += [f"# source: {_one_line(recording.source)}"] if recording.source else []
    about += [f"# cutoff: {recording.cutoff!r} Hz"] if isfinite(recording.cutoff) else []
    about += [f"# note: {_one_line(note)}" for note in recording.notes]
    body = [",".join(map(repr, row)) for row in rows.tolist()]
    return "\n".join([*about, ",".join(header), *body, ""])


def _one_line(text: str) -> str:
    return " ".join(text.split())
