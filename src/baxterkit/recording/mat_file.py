"""MATLAB files: variables time, q, dq, tau, xp, quat, dxp, J, rows along either axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from baxterkit.errors import InputError, RecordingError, shortened
from baxterkit.model.names import SIDES
from baxterkit.recording.columns import choose_side
from baxterkit.recording.mat_variables import Other, Value, read_variables
from baxterkit.recording.raw import Options, Raw
from baxterkit.recording.text_table import read_bytes
from baxterkit.types import Array

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
_CONTROL = ("Kx", "Bx", "Kq", "Bq", "Kr", "Br", "k", "b", "xp0", "q0", "quat_des")
"""Gains and references of a controller; beside them, `tau` is what it commanded."""
_SCALAR_FIRST = "quat"
"""Under this name MATLAB files hold quaternions as w x y z; under `quaternion`, as x y z w."""


def read_mat(path: Path, options: Options) -> Raw:
    """Reads a MATLAB file of version 4 to 7 (v7.3 is another format).

    `tau` is left out if the file holds a controller's gains: it is then the command, not the sensed
    torque. Variables that are zero throughout were never stored, and are left out.

    Raises:
        RecordingError: If the file is damaged, or its variables do not fit together.
    """
    source = str(path)
    data = read_bytes(path)
    if data[:10] == b"MATLAB 7.3":
        raise RecordingError("MATLAB v7.3 is HDF5; save it again with save(..., '-v7')", source)
    try:
        content = read_variables(data)
    except InputError as error:
        raise RecordingError(str(error), source) from error
    except ValueError as error:
        raise RecordingError(
            f"this is not a MATLAB v5 file, or it is damaged ({error})", source
        ) from error
    found: dict[str, Array] = {}
    names: dict[str, str] = {}
    for name, choices in _VARIABLES.items():
        variable = next((choice for choice in choices if choice in content), None)
        if variable is not None:
            array = _numbers(variable, content[variable], source)
            if array.size:
                found[name], names[name] = array, variable
    if "q" not in found:
        variables = shortened(", ".join(content), 200) or "nothing"
        raise RecordingError(f"no variable q (7 by n) in it; it holds {variables}", source)
    count = _length(found["q"], source)
    notes: list[str] = []
    if "tau" in found and any(name in content for name in _CONTROL):
        del found["tau"]
        notes.append("tau is what a controller commanded, not what was sensed; left out")
    fields = {name: _rows(name, names[name], array, count, source) for name, array in found.items()}
    _leave_out_zeros(fields, names, notes, source)
    if "quaternion" in fields and names["quaternion"] == _SCALAR_FIRST:
        fields["quaternion"] = np.roll(fields["quaternion"], -1, axis=1)
        notes.append(f"{_SCALAR_FIRST} was taken as w x y z")
    if "dxp" in content and "jacobian" in fields and "qd" in fields:
        dxp = _numbers("dxp", content["dxp"], source)
        linear = _rows("position", "dxp", dxp, count, source)
        angular = np.einsum("nij,nj->ni", fields["jacobian"][:, 3:], fields["qd"])
        fields["twist"] = np.concatenate([linear, angular], axis=1)
        notes.append("angular part of the twist: recorded Jacobian times recorded velocities")
    label = f"{content.get('name', '')} {path.name}".lower()
    sides = {side for side in SIDES if side in label}
    side = choose_side(sides if len(sides) == 1 else set(), options.side, source)
    return Raw(source, fields, side, np.arange(count), "column", notes=notes)


def _numbers(variable: str, value: Value, source: str) -> Array:
    """A variable as numbers.

    Raises:
        RecordingError: If it holds text, cells, complex numbers or a sparse matrix.
    """
    if isinstance(value, str | Other):
        what = "text" if isinstance(value, str) else value.kind
        raise RecordingError(
            f"{variable} must be a full matrix of real numbers, it is {what}", source
        )
    return np.asarray(value, dtype=np.float64)


def _leave_out_zeros(
    fields: dict[str, Array], names: dict[str, str], notes: list[str], source: str
) -> None:
    """Leaves out variables that were allocated but never stored: they are zero throughout.

    Raises:
        RecordingError: If the joint positions are all zero.
    """
    if len(fields["q"]) < 2:
        return
    if not fields["q"].any():
        raise RecordingError(
            f"{names['q']} is zero in every column: the joint positions were never stored", source
        )
    moves = bool(np.ptp(fields["q"], axis=0).any())
    for name in [name for name, values in fields.items() if name != "t" and not values.any()]:
        if moves or name not in ("qd", "qdd"):
            del fields[name]
            notes.append(f"{names[name]} is zero throughout, so it was never stored; left out")


def _length(q: Array, source: str) -> int:
    if q.ndim != 2 or 7 not in q.shape:
        raise RecordingError(f"q must be 7 by n, it is {_by(q)}", source)
    return int(q.shape[1] if q.shape[0] == 7 else q.shape[0])


def _rows(name: str, variable: str, array: Array, count: int, source: str) -> Array:
    """A variable that holds the quantity `name`, with its rows along the first axis."""
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
    raise RecordingError(f"{variable} must be {wanted} as q is, it is {_by(array)}", source)


def _by(array: Array) -> str:
    return " by ".join(map(str, array.shape))
