"""The record of one twin: every number that a step reads or writes, in one piece of memory.

`kernels.twin_fields` declares the fields. The NumPy step (`loops`, `joints`, `sensors`) and the
compiled step work on the same memory, so either can continue where the other has stopped. Records
of many twins stand in one array, whose columns are arrays over the twins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.kernels.twin_fields import RECORD
from baxterkit.types import Array

Records = NDArray[np.void]
"""Records one after another, dtype `RECORD`, shape (n,)."""


def new_records(n: int = 1) -> Records:
    """Records of `n` twins, all zero."""
    return np.zeros(n, dtype=RECORD)


class Record:
    """The fields of one record as arrays; a number is an array of shape (1,).

    Args:
        rows: A part of an array of records, shape (1,); the fields are views of it.
    """

    def __init__(self, rows: Records) -> None:
        self.rows = rows
        for name in RECORD.names or ():
            column = rows[name]
            setattr(self, name, column if column.ndim == 1 else column[0])

    def __getattr__(self, name: str) -> Array:  # for the type checker: __init__ has set them all
        raise AttributeError(name)
