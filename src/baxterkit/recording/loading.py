"""`load`: one function for every kind of recording."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from baxterkit import disk
from baxterkit.errors import InputError, MissingFileError, RecordingError
from baxterkit.recording.assemble import assemble
from baxterkit.recording.raw import Options, Raw
from baxterkit.recording.recording import Recording

ENDINGS = (
    ".bag",
    ".mcap",
    ".csv",
    ".csv.gz",
    ".txt",
    ".txt.gz",
    ".mat",
    ".parquet",
    ".path",
    ".path.gz",
)
"""Extensions of recordings in a folder."""


def load(
    path: str | Path,
    side: str | None = None,
    rate: float | None = None,
    *,
    angles: str = "rad",
    bad_rows: str = "raise",
    endpoint: str | Path | None = None,
) -> Recording:
    """Reads a recording of one arm.

    By the file's extension: `.bag` (ROS 1), `.mcap` (ROS 1 and 2), `.mat` (MATLAB), `.parquet`; all
    else is text:
    joint_recorder's CSV and any CSV whose columns name joints, the 21 columns q qd tau, pairs of
    files with angles and poses, Klamp't paths. Each may be gzipped.

    Args:
        path: The file.
        side: "left" or "right"; needed if a file holds both arms, and used if a file names none.
        rate: Rows per second [Hz], where the file has no time. If None, it is estimated from
            positions and velocities.
        angles: "rad", or "deg" for a file in degrees (positions, velocities, accelerations).
        bad_rows: "raise" on the first broken row, naming it; or "drop" broken rows and list them in
            the recording's `notes`.
        endpoint: File with the poses of the tip, row for row, if it is separate from the angles.
            If None, `...EE.csv` beside `...JA.csv`, and `poses.txt` beside `configurations.txt`.

    Returns:
        The recording.

    Raises:
        RecordingError: If the file is damaged, is not a recording, or has broken rows; names file
            and row.
        MissingFileError: If there is no such file (it is a FileNotFoundError too).
        MissingExtraError: If the library for that kind of file is not installed.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path must name one file, got {type(path).__name__}; load one at a time")
    path = Path(path)
    options = Options(side, rate, angles, bad_rows)
    return assemble(_read(path, options, endpoint), options)


def find(folder: str | Path) -> list[Path]:
    """The recordings in a folder, sorted by name; `load` reads one of them.

    Files with the poses of the tip (`...EE.csv`) are left out: `load` reads them with the angles
    that they stand beside.

    Raises:
        InputError: If there is none.
        MissingFileError: If there is no such folder.
    """
    folder = disk.as_path(folder, "folder")
    if not folder.is_dir():
        raise MissingFileError(errno.ENOENT, "there is no such folder", str(folder))
    inside = sorted(path for path in folder.iterdir() if path.name.lower().endswith(ENDINGS))
    found = [path for path in inside if not path.name.endswith("EE.csv")]
    if not found:
        raise InputError(f"{folder} holds no recording; known endings: {' '.join(ENDINGS)}")
    return found


def _read(path: Path, options: Options, endpoint: str | Path | None) -> Raw:
    """The reader of a file's kind, imported when needed."""
    name = path.name.lower().removesuffix(".gz")
    if endpoint is not None and name.endswith((".bag", ".bag.active", ".mcap", ".mat", ".parquet")):
        raise RecordingError(
            "endpoint= goes with text files; this kind holds its own poses", str(path)
        )
    if name.endswith((".bag", ".bag.active")):
        from baxterkit.recording.bag import read_bag

        return read_bag(path, options)
    if name.endswith(".mcap"):
        from baxterkit.recording.mcap_file import read_mcap

        return read_mcap(path, options)
    if name.endswith(".mat"):
        from baxterkit.recording.mat_file import read_mat

        return read_mat(path, options)
    if name.endswith(".parquet"):
        from baxterkit.recording.parquet import read_parquet

        return read_parquet(path, options)
    from baxterkit.recording.text_files import read_text_file

    return read_text_file(path, options, endpoint)
