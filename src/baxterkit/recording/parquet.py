"""Parquet files: one column a component, side and source in the file's metadata."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import RecordingError
from baxterkit.extras import load_extra
from baxterkit.recording.assemble import Options, Raw
from baxterkit.recording.columns import choose_side, column_names, pick
from baxterkit.recording.recording import Recording
from baxterkit.recording.text_table import read_bytes
from baxterkit.types import Array

__all__ = ["read_parquet", "write_parquet"]

_KEY = b"baxterkit"


def write_parquet(recording: Recording, path: Path) -> None:
    """Writes every quantity as columns of float64.

    Raises:
        MissingExtraError: If pyarrow is not installed.
    """
    arrow, parquet = _arrow("Writing Parquet")
    columns = {"time": recording.t}
    for field in recording.fields:
        flat = getattr(recording, field).reshape(len(recording), -1)
        columns |= dict(zip(column_names(field), flat.T, strict=True))
    about = {"side": recording.side, "source": recording.source, "notes": recording.notes}
    table = arrow.table(columns).replace_schema_metadata({_KEY: json.dumps(about)})
    with disk.replacing(path) as file:
        parquet.write_table(table, file)


def read_parquet(path: Path, options: Options) -> Raw:
    """Reads a Parquet file, of ours or with columns named as in the CSV files.

    Raises:
        RecordingError: If it is damaged or holds other columns.
        MissingExtraError: If pyarrow is not installed.
    """
    source = str(path)
    arrow, parquet = _arrow("Reading Parquet")
    data = read_bytes(path)
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (arrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).split("\n")[0]
        raise RecordingError(f"this is no Parquet file, or damaged ({reason})", source) from error
    if table.num_rows == 0:
        raise RecordingError("the file holds no rows", source)
    numeric: dict[str, Array] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if arrow.types.is_floating(column.type) or arrow.types.is_integer(column.type):
            numeric[name] = np.asarray(column.to_numpy(), dtype=np.float64)
        elif arrow.types.is_timestamp(column.type):
            numeric[name] = _seconds(column.to_numpy())
    values = np.stack([*numeric.values(), np.zeros(table.num_rows)], axis=1)[:, :-1]
    about = _about(table.schema.metadata)
    told = about.get("side")
    fields, side = pick(list(numeric), values, options.side or told, source)
    if told is not None:
        side = choose_side({told}, options.side, source)
    rows = np.arange(table.num_rows)
    return Raw(source, fields, side, rows, "row", notes=list(about.get("notes", ())))


def _about(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """What this package wrote beside the columns; empty if it did not, or if that was changed."""
    try:
        about = json.loads((metadata or {}).get(_KEY, b"{}"))
    except ValueError:
        return {}
    return about if isinstance(about, dict) and about.keys() == {"side", "source", "notes"} else {}


def _seconds(times: NDArray[np.datetime64]) -> Array:
    """Points in time as seconds from the first one; NaN where there is none."""
    since = (times - np.nanmin(times)).astype("timedelta64[ns]")
    return np.where(np.isnat(since), np.nan, since.astype(np.int64) * 1e-9)


def _arrow(feature: str) -> tuple[Any, Any]:
    arrow = load_extra("pyarrow", feature=feature, package="pyarrow", extra="data")
    parquet = load_extra("pyarrow.parquet", feature=feature, package="pyarrow", extra="data")
    return arrow, parquet
