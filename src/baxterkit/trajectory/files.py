"""Trajectories in files: .npz and .json hold the pieces, .csv samples and the pieces.

A .csv has the columns t [s], then q, qd, qdd of s0 ... w2 by name (`q_left_s0`, `qd_left_s0`,
`qdd_left_s0`; `q_s0` where the arm is not known), left before right of both arms, and columns whose
names hold the exact motion (`baxterkit.trajectory.pieces`). Without these, or where the samples
have been edited since, quintic pieces connect them. One with positions alone (`t` and `s0` ...
`w2`, or `left_s0` ..., as the robot's recorder writes) is read as a cubic spline through them.
Columns `left_gripper` and `right_gripper` are openings of the grippers, 0 (closed) to 100 (open).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError, ShapeError, shortened
from baxterkit.model.names import SIDES
from baxterkit.trajectory.grippers import gripper_columns
from baxterkit.trajectory.number_rows import naming
from baxterkit.trajectory.pieces import (
    FORMAT,
    LIMIT_FIELDS,
    content_of,
    from_content,
    piece_names,
    plain,
)
from baxterkit.trajectory.samples import of_side, read_samples
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.trajectory.trajectory import Trajectory

PACKED = (".npz", ".json")
ENDINGS = (*PACKED, ".csv")
MOST_JSON = 32 * 2**20
"""Longest .json that is read [bytes]; it takes up to twenty times as much memory."""


def save(trajectory: Trajectory, path: str | Path, rate: float = 100.0) -> Path:
    """See `Trajectory.save`."""
    path = _known(path)
    if path.suffix == ".csv":
        samples = np.column_stack(trajectory.at_rate(rate))
        joints = trajectory.joint_names
        names = ["t", *(f"{part}_{joint}" for part in ("q", "qd", "qdd") for joint in joints)]
        hands, openings = gripper_columns(trajectory.grippers, samples[:, 0])
        rows = np.column_stack([samples, *openings])
        disk.write_text(path, table_text([*names, *hands], rows, trajectory))
        return path
    content = content_of(trajectory)
    if path.suffix == ".npz":
        with disk.replacing(path) as file:
            np.savez_compressed(file, **content)
    else:
        disk.write_text(path, json.dumps(plain(content)) + "\n")
    return path


def table_text(names: Sequence[str], samples: Array, motion: Trajectory) -> str:
    """A table of samples with names, and in its first line the motion that they are of."""
    held = piece_names(motion, samples)
    rows = np.pad(samples, ((0, 0), (0, len(held)))).tolist()
    lines = [",".join([*names, *held]), *(",".join(map(repr, row)) for row in rows), ""]
    return "\n".join(lines)


def load(path: str | Path, side: str | None, make: type[Trajectory]) -> Trajectory:
    """See `Trajectory.load`; `make` is that class.

    Raises:
        InputError: If the file is not a trajectory; says what is wrong with it.
    """
    path = _known(path)
    if path.suffix == ".csv":
        return read_samples(path, side, make)
    with naming():
        raw = (
            disk.read_bytes(path)
            if path.suffix == ".npz"
            else disk.read_bytes(path, MOST_JSON, "save longer trajectories as .npz")
        )
    try:
        content = _npz(raw) if path.suffix == ".npz" else json.loads(raw.decode())
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except Exception as error:  # a broken archive makes NumPy raise nearly anything
        reason = shortened(" ".join(str(error).split()), 200)
        raise InputError(f"{path} is not a {path.suffix[1:]} file: {reason}") from error
    if not isinstance(content, dict) or str(content.get("format")) != FORMAT:
        raise InputError(f"{path} does not hold a trajectory (no format {FORMAT!r})")
    try:
        return of_side(from_content(content, path.stem, make), side)
    except (InputError, ShapeError) as error:
        raise type(error)(f"{path}: {error}") from error


def _npz(raw: bytes) -> dict[str, Any]:
    """The arrays of an archive that a trajectory has, unpacked up to the limit of all readers."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        limit = disk.limit_bytes()
        if sum(member.file_size for member in archive.infolist()) > limit:
            raise InputError(disk.too_large("it unpacks to more than that", limit))
    wanted = {"format", "name", "side", "knots", "coefficients", "joint_names"}
    wanted |= {f"{side}_gripper" for side in SIDES}
    wanted |= {f"limits_{name}" for name in LIMIT_FIELDS}
    with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files if name in wanted}


def _known(place: str | Path) -> Path:
    path = disk.as_path(place)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a trajectory's file ends in {', '.join(ENDINGS)}")
    return path
