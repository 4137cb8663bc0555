"""Parquet files: one column a component, side and source in the file's metadata."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit.errors import RecordingError
from baxterkit.extras import load_extra
from baxterkit.recording.assemble import Options, Raw
from baxterkit.recording.columns import choose_side, column_names, pick
from baxterkit.recording.recording import Recording
from baxterkit.recording.text_table import read_bytes

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
    parquet.write_table(table, path)


def read_parquet(path: Path, options: Options) -> Raw:
    """Reads a Parquet file, of ours or with columns named as in the CSV files.

    Raises:
        RecordingError: If it is damaged or holds other columns.
        MissingExtraError: If pyarrow is not installed.
    """
    source = str(path)
    arrow, parquet = _arrow("Reading Parquet")
    try:
        table = parquet.read_table(io.BytesIO(read_bytes(path)))
        about = json.loads((table.schema.metadata or {}).get(_KEY, b"{}"))
    except (arrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).split("\n")[0]
        raise RecordingError(f"this is no Parquet file, or damaged ({reason})", source) from error
    numeric = {
        name: column
        for name, column in zip(table.column_names, table.columns, strict=True)
        if arrow.types.is_floating(column.type) or arrow.types.is_integer(column.type)
    }
    if table.num_rows == 0:
        raise RecordingError("the file holds no rows", source)
    values = np.empty((table.num_rows, len(numeric)))
    for i, column in enumerate(numeric.values()):
        values[:, i] = column.to_numpy()
    told = about.get("side")
    fields, side = pick(list(numeric), values, options.side or told, source)
    if told is not None:
        side = choose_side({told}, options.side, source)
    rows = np.arange(table.num_rows)
    return Raw(source, fields, side, rows, "row", notes=list(about.get("notes", ())))


def _arrow(feature: str) -> tuple[Any, Any]:
    arrow = load_extra("pyarrow", feature=feature, package="pyarrow", extra="data")
    parquet = load_extra("pyarrow.parquet", feature=feature, package="pyarrow", extra="data")
    return arrow, parquet
