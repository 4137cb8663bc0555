"""The request to a reader, and its result: the rows of a file, unchanged."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from baxterkit.checks.numbers import positive
from baxterkit.errors import UnknownNameError
from baxterkit.recording.text_table import Problem
from baxterkit.types import Array


@dataclass(frozen=True)
class Options:
    """The arguments of `load`; see there."""

    side: str | None = None
    rate: float | None = None
    angles: str = "rad"
    bad_rows: str = "raise"

    def __post_init__(self) -> None:
        if self.angles not in ("rad", "deg"):
            raise UnknownNameError("unit of angles", self.angles, ("rad", "deg"))
        if self.bad_rows not in ("raise", "drop"):
            raise UnknownNameError("treatment of bad rows", self.bad_rows, ("raise", "drop"))
        if self.rate is not None:
            positive(self.rate, "rate [Hz]")


@dataclass
class Raw:
    """Output of a reader.

    Attributes:
        source: Name of the file.
        fields: Quantity -> rows, shape (n, ...); "t" [s], shape (n,), where there is a time.
        side: The arm.
        rows: Number of each row in the file, for messages, shape (n,).
        word: The unit of that number: "line", "row", "message".
        index: Place of each row among all, broken ones included; an even time base uses it.
        problems: Rows that the reader could not read at all.
        notes: Assumptions of the reader.
        is_motion: False if the rows are configurations without an order in time.
        names: Names of the columns in the file, where it has any.
        cutoff: Lowest cut-off of the filters that the rows went through [Hz]; infinite: none.
    """

    source: str
    fields: dict[str, Array]
    side: str | None
    rows: NDArray[np.int64]
    word: str = "line"
    index: NDArray[np.int64] | None = None
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_motion: bool = True
    names: tuple[str, ...] = ()
    cutoff: float = np.inf
