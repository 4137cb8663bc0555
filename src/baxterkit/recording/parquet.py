"""Parquet files: one column per component, side and source in the file's metadata."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import InputError, RecordingError, shortened
from baxterkit.extras import load_extra
from baxterkit.model.names import SIDES
from baxterkit.recording.columns import (
    check_angles,
    check_time,
    choose_side,
    column_names,
    need_radians,
    pick,
    with_poses_named,
)
from baxterkit.recording.raw import Options, Raw
from baxterkit.recording.text_table import read_bytes
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.recording.recording import Recording

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
    cutoff = {"cutoff": recording.cutoff} if isfinite(recording.cutoff) else {}
    table = arrow.table(columns).replace_schema_metadata({_KEY: json.dumps(about | cutoff)})
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
        numeric, count, metadata = _columns(arrow, parquet.ParquetFile(arrow.BufferReader(data)))
    except InputError as error:
        raise RecordingError(str(error), source) from error
    except Exception as error:  # damaged files make Arrow raise nearly anything
        reason = shortened(" ".join(str(error).split()), 200)
        raise RecordingError(
            f"this is not a Parquet file, or damaged ({reason})", source
        ) from error
    if count == 0:
        raise RecordingError("the file holds no rows", source)
    values = np.stack([*numeric.values(), np.zeros(count)], axis=1)[:, :-1]
    about = _about(metadata)
    told = about.get("side")
    if about:
        need_radians(options.angles, source)
    names = with_poses_named(list(numeric))
    check_angles(names, options.angles, source)
    check_time(names, source)
    fields, side = pick(names, values, options.side or told, source)
    if told is not None:
        side = choose_side({told}, options.side, source)
    notes, cutoff = about.get("notes", []), about.get("cutoff", np.inf)
    return Raw(source, fields, side, np.arange(count), "row", notes=notes, cutoff=cutoff)


def _columns(arrow: Any, file: Any) -> tuple[dict[str, Array], int, dict[bytes, bytes] | None]:
    """The columns of numbers and times, the number of rows, and the metadata.

    Raises:
        InputError: If they do not fit into memory: a few bytes may encode millions of rows.
    """
    schema, types = file.schema_arrow, arrow.types
    names = [
        name
        for name, kind in zip(schema.names, schema.types, strict=True)
        if types.is_floating(kind) or types.is_integer(kind) or types.is_timestamp(kind)
    ]
    limit, rows = disk.limit_bytes(), int(file.metadata.num_rows)
    if rows * (len(names) + 1) * 8 > limit:
        raise InputError(disk.too_large(f"its {rows} rows have more than that", limit))
    table = file.read(columns=names, use_threads=False)
    numeric: dict[str, Array] = {}
    for name in names:
        column = table.column(name)
        is_time = types.is_timestamp(column.type)
        numbers = column.to_numpy()
        numeric[name] = _seconds(numbers) if is_time else np.asarray(numbers, dtype=np.float64)
    return numeric, int(table.num_rows), schema.metadata


def _about(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """This package's own metadata; empty if there is none, or if it was changed."""
    try:
        about = json.loads((metadata or {}).get(_KEY, b"{}"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(about, dict) or about.keys() - {"cutoff"} != {"side", "source", "notes"}:
        return {}
    cutoff = about.get("cutoff", 1.0)
    if type(cutoff) is not float or not 0.0 < cutoff < np.inf:
        return {}
    texts = isinstance(about["notes"], list) and all(isinstance(n, str) for n in about["notes"])
    return about if about["side"] in (None, *SIDES) and texts else {}


def _seconds(times: NDArray[np.datetime64]) -> Array:
    """Points in time as seconds from the first one; NaN where there is none."""
    since = (times - np.nanmin(times)).astype("timedelta64[ns]")
    return np.where(np.isnat(since), np.nan, since.astype(np.int64) * 1e-9)


def _arrow(feature: str) -> tuple[Any, Any]:
    arrow = load_extra("pyarrow", feature=feature, package="pyarrow", extra="parquet")
    parquet = load_extra("pyarrow.parquet", feature=feature, package="pyarrow", extra="parquet")
    return arrow, parquet
