"""Results of an experiment: rows of paper | ours | verdict, figures, notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from baxterkit.model.names import JOINTS
from baxterkit.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = float | int | str | Sequence[float] | Array | None
"""A number, a text, several numbers, or nothing."""
Verdict = Literal[
    "better",
    "same",
    "worse",
    "mixed",
    "holds",
    "does not hold",
    "cannot be shown by that experiment",
    "not tested",
    "not alike",
    "no number",
    "synthetic",
    "not available",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""How a row compares with the paper.

- `better`, `same`, `worse`, `mixed`: numbers of the same quantity under the same conditions.
- `holds`, `does not hold`: what the paper says in words, checked.
- `cannot be shown by that experiment`: the paper's experiment would have come out the same had the
  claim been false.
- `not tested`: what it takes is not here, or the claim has no threshold; the row says which.
- `not alike`: another motion, robot or model than the paper's; its number stands there for its
  size.
- `no number`: the paper prints none.
- `synthetic`: simulated or made up, so not to be compared.
- `not available`: what it takes is not here; a note says how to get it.
"""

COLUMNS = {
    7: JOINTS,
    6: ("x [mm]", "y", "z", "roll [mrad]", "pitch", "yaw"),
    3: ("x", "y", "z"),
}
"""What several numbers are of where a row does not say it."""


@dataclass(frozen=True)
class Row:
    """One line of an experiment's table.

    Attributes:
        quantity: The quantity with its unit, for example "right arm, largest error [mm]".
        paper: The paper's value; None if it prints none.
        ours: Our value.
        verdict: How they compare; one of `VERDICTS`.
        section: Heading that the row stands under.
        details: Columns of a table that has others than these, by heading, such as the errata's.
        columns: What several numbers are of, in a report: one column each. If empty: 7 are of the
            joints, 6 of x y z [mm] and roll pitch yaw [mrad], 3 of x y z.
    """

    quantity: str
    paper: Value
    ours: Value
    verdict: Verdict
    section: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    columns: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.ours, np.ndarray | np.generic):
            object.__setattr__(self, "ours", self.ours.tolist())

    @property
    def headings(self) -> tuple[str, ...]:
        """What the numbers are of; empty for a single value."""
        value = self.paper if self.ours is None else self.ours
        if value is None or isinstance(value, str) or np.ndim(value) == 0:
            return ()
        count = len(np.asarray(value))
        named = tuple(self.columns) or COLUMNS.get(count, ())
        return named if len(named) == count else ()

    def as_dict(self) -> dict[str, object]:
        """The row for JSON."""
        return {
            "section": self.section,
            "quantity": self.quantity,
            "paper": _plain(self.paper),
            "ours": _plain(self.ours),
            "verdict": self.verdict,
            **({"details": dict(self.details)} if self.details else {}),
        }


@dataclass(frozen=True, eq=False)
class Result:
    """Result of an experiment.

    Attributes:
        name: Name of the experiment.
        title: Heading.
        rows: The table.
        figures: Name -> figure; the name is the file's, too.
        notes: Notes on the data and on differences to the paper.
        is_synthetic: Whether there was no real recording.
        seconds: Run time [s].
    """

    name: str
    title: str
    rows: Sequence[Row]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    notes: Sequence[str] = ()
    is_synthetic: bool = False
    seconds: float = 0.0

    @property
    def summary(self) -> str:
        """Counts of the verdicts, in one line."""
        return f"{self.name}: {count_verdicts([self])} ({self.seconds:.1f} s)"

    def as_dict(self) -> dict[str, object]:
        """The result for JSON, without figures."""
        return {
            "name": self.name,
            "title": self.title,
            "rows": [row.as_dict() for row in self.rows],
            "notes": list(self.notes),
            "is_synthetic": self.is_synthetic,
            "seconds": self.seconds,
        }


def count_verdicts(results: Iterable[Result]) -> str:
    """Counts of the verdicts, in words."""
    counts: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    for result in results:
        for row in result.rows:
            counts[row.verdict] += 1
    parts = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    return ", ".join(parts) or "left out"


def table_of(rows: Sequence[Row]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headings and cells of the rows of one section."""
    if rows and rows[0].details:
        return (
            ("", *rows[0].details),
            [(row.quantity, *row.details.values()) for row in rows],
        )
    cells: list[tuple[str, ...]] = [
        (row.quantity, shown(row.paper), shown(row.ours), row.verdict) for row in rows
    ]
    return ("", "paper", "ours", "verdict"), cells


@dataclass(frozen=True)
class Section:
    """A heading of an experiment's table, under which rows are made.

    Attributes:
        name: The heading.
        alike: Whether the conditions are the paper's; if not there is no verdict on numbers.
        synthetic: Whether ours do not come from real data; then there is no verdict on numbers.
    """

    name: str = ""
    alike: bool = True
    synthetic: bool = False

    def compare(
        self,
        quantity: str,
        paper: float | Sequence[float] | None,
        ours: float | Sequence[float] | Array,
        *,
        larger_is_better: bool = False,
        same: float = 0.0,
    ) -> Row:
        """A row with the verdict that the numbers give.

        Args:
            quantity: What is compared.
            paper: The paper's number or numbers; sizes count, signs do not.
            ours: Ours, as many.
            larger_is_better: Whether a larger size is better, as for solve rates.
            same: Sizes that differ by no more than this are the same.
        """
        verdict: Verdict = "no number"
        if self.synthetic:
            verdict = "synthetic"
        elif paper is not None and not self.alike:
            verdict = "not alike"
        elif paper is not None:
            gain = np.abs(np.asarray(paper, float)) - np.abs(np.asarray(ours, float))
            gain = -gain if larger_is_better else gain
            better, worse = bool((gain > same).all()), bool((gain < -same).all())
            equal = bool((np.abs(gain) <= same).all())
            verdict = "same" if equal else "better" if better else "worse" if worse else "mixed"
        return Row(quantity, paper, ours, verdict, self.name)

    def show(self, quantity: str, ours: Value, columns: Sequence[str] = ()) -> Row:
        """A row for a value that the paper does not print."""
        return Row(quantity, None, ours, "no number", self.name, columns=columns)

    def claim(self, quantity: str, words: str, ours: Value, holds: bool) -> Row:
        """A row for a claim of the paper in words, and whether it holds."""
        return Row(quantity, words, ours, "holds" if holds else "does not hold", self.name)

    def unavailable(self, quantity: str, paper: Value) -> Row:
        """A row for a number of the paper that cannot be repeated here."""
        return Row(quantity, paper, None, "not available", self.name)


def shown(value: Value) -> str:
    """A value for a table: three digits that count; several numbers with as many decimals each.

    Of several numbers, the one in the middle by size says how many decimals.
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    values = np.atleast_1d(np.asarray(value, dtype=np.float64))
    largest = float(np.abs(values).max(initial=0.0))
    if largest != 0.0 and not 1e-3 <= largest < 1e5:
        return " ".join(f"{one:.1e}" for one in values)
    middle = float(np.median(np.abs(values))) or largest
    decimals = 3 if largest == 0.0 else min(4, max(0, 2 - int(np.floor(np.log10(middle)))))
    # Adding zero turns a rounded -0.0 into 0.0.
    return " ".join(f"{round(float(one), decimals) + 0.0:.{decimals}f}" for one in values)


def _plain(value: Value) -> object:
    if isinstance(value, str) or value is None:
        return value
    return np.asarray(value).tolist()
