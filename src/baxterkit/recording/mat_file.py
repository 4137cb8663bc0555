"""MATLAB files: variables time, q, dq, tau, xp, dxp, J, rows along either axis."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit.errors import RecordingError
from baxterkit.extras import load_extra
from baxterkit.model.names import SIDES
from baxterkit.recording.assemble import Options, Raw
from baxterkit.recording.columns import choose_side
from baxterkit.recording.text_table import read_bytes
from baxterkit.types import Array

__all__ = ["read_mat"]

_VARIABLES = {
    "t": ("time", "t"),
    "q": ("q", "position_q"),
    "qd": ("dq", "qd"),
    "qdd": ("ddq", "qdd"),
    "tau": ("tau", "effort", "torque"),
    "position": ("xp", "position"),
    "quaternion": ("quaternion", "quat"),
    "jacobian": ("J", "jacobian"),
}
_GAINS = ("Kx", "Bx", "Kq", "Bq", "xp0")
"""Variables of a controller; beside them, `tau` is what it commanded."""


def read_mat(path: Path, options: Options) -> Raw:
    """Reads a MATLAB v5 file (SciPy's kind; v7.3 is another format).

    `tau` is left out where the file holds a controller's gains: it is then the command, and not
    what the joints sensed.

    Raises:
        RecordingError: If the file is damaged, or its variables do not fit together.
        MissingExtraError: If SciPy is not installed.
    """
    source = str(path)
    scipy_io = load_extra("scipy.io", feature="Reading MATLAB files", package="SciPy", extra="data")
    data = read_bytes(path)
    if data[:10] == b"MATLAB 7.3":
        raise RecordingError("MATLAB v7.3 is HDF5; save it again with save(..., '-v7')", source)
    try:
        content: dict[str, Any] = scipy_io.loadmat(io.BytesIO(data))
    except Exception as error:  # SciPy raises whatever its parser stumbles on
        raise RecordingError(
            f"this is no MATLAB v5 file, or it is damaged ({type(error).__name__}: {error})", source
        ) from error
    found = {}
    for name, choices in _VARIABLES.items():
        variable = next((choice for choice in choices if choice in content), None)
        if variable is not None and np.size(content[variable]) > 0:
            found[name] = np.asarray(content[variable], dtype=np.float64)
    if "q" not in found:
        variables = ", ".join(key for key in content if not key.startswith("__")) or "nothing"
        raise RecordingError(f"no variable q (7 by n) in it; it holds {variables}", source)
    count = _length(found["q"], source)
    notes = []
    if "tau" in found and any(name in content for name in _GAINS):
        del found["tau"]
        notes.append("tau is what a controller commanded, not what was sensed; left out")
    fields = {name: _rows(name, array, count, source) for name, array in found.items()}
    if "dxp" in content and "jacobian" in fields and "qd" in fields:
        linear = _rows("position", np.asarray(content["dxp"], dtype=np.float64), count, source)
        angular = np.einsum("nij,nj->ni", fields["jacobian"][:, 3:], fields["qd"])
        fields["twist"] = np.concatenate([linear, angular], axis=1)
        notes.append("angular part of the twist: recorded Jacobian times recorded velocities")
    label = f"{_text(content.get('name'))} {path.name}".lower()
    sides = {side for side in SIDES if side in label}
    side = choose_side(sides if len(sides) == 1 else set(), options.side, source)
    return Raw(source, fields, side, np.arange(count), "column", notes=notes)


def _length(q: Array, source: str) -> int:
    if q.ndim != 2 or 7 not in q.shape:
        raise RecordingError(f"q must be 7 by n, it is {_by(q)}", source)
    return int(q.shape[1] if q.shape[0] == 7 else q.shape[0])


def _rows(name: str, array: Array, count: int, source: str) -> Array:
    """A variable with its rows along the first axis."""
    if name == "t":
        if array.size != count:
            raise RecordingError(f"time has {array.size} values, q has {count} columns", source)
        return array.ravel()
    width = {"position": (3,), "quaternion": (4,), "jacobian": (6, 7)}.get(name, (7,))
    if array.shape == (*width, count):
        return np.moveaxis(array, -1, 0)
    if array.shape == (count, *width):
        return array
    wanted = " by ".join(map(str, (*width, count)))
    raise RecordingError(f"{name} must be {wanted} as q is, it is {_by(array)}", source)


def _by(array: Array) -> str:
    return " by ".join(map(str, array.shape))


def _text(value: Any) -> str:
    return " ".join(map(str, np.ravel(value))) if value is not None else ""
