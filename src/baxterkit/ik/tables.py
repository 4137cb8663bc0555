"""Results of inverse kinematics as tables: columns by name, .csv and .parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.extras import load_extra

if TYPE_CHECKING:
    from baxterkit.types import Array

ENDINGS = (".csv", ".parquet")


def save(columns: dict[str, Array | list[str]], path: str | Path) -> Path:
    """Writes columns by name, by the file's extension.

    Raises:
        InputError: If the extension is another.
        MissingExtraError: If pyarrow is not installed (Parquet).
    """
    path = disk.as_path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a table is a file that ends in {' or '.join(ENDINGS)}")
    if path.suffix == ".csv":
        cells = [
            list(map(repr, column.tolist())) if isinstance(column, np.ndarray) else column
            for column in columns.values()
        ]
        rows = [",".join(row) for row in zip(*cells, strict=True)]
        disk.write_text(path, "\n".join([",".join(columns), *rows, ""]))
        return path
    arrow = load_extra("pyarrow", feature="Writing Parquet", package="pyarrow", extra="data")
    writer = load_extra(
        "pyarrow.parquet", feature="Writing Parquet", package="pyarrow", extra="data"
    )
    with disk.replacing(path) as file:
        writer.write_table(arrow.table(columns), file)
    return path
