"""One HTML report of all experiments that ran, and their figures as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np

import baxterkit
from baxterkit import disk
from baxterkit.experiments.result import Result, Row, Value, Verdict, shown
from baxterkit.plot.page import Mark, Page
from baxterkit.plot.style import save

Kind = Literal["good", "warn", "bad", "note"]
_KINDS: dict[Verdict, Kind] = {
    "better": "good",
    "same": "good",
    "mixed": "warn",
    "worse": "bad",
    "holds": "good",
    "does not hold": "warn",
    "cannot be shown by that experiment": "warn",
    "not tested": "note",
    "not alike": "note",
    "not available": "note",
    "synthetic": "note",
}
"""How a verdict looks; those without a comparison are plain words."""
LEAD = (
    "The papers' experiments on our model: what they print, what comes out here. Verdicts stand "
    "where a paper prints a number under the same conditions, or a claim that can be checked; "
    "**not alike** means another robot or motion than the paper's, **synthetic** that the numbers "
    "come from a simulation. Tables of what no paper prints are folded away."
)


def write_report(results: Sequence[Result], folder: str | Path) -> Path:
    """Writes `report.html`, which holds its pictures, and the figures beside it as PNG.

    Args:
        results: The results.
        folder: The folder; made if necessary.

    Returns:
        The path of the report.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    folder = Path(folder)
    disk.make_folder(folder)
    page = Page(
        "baxterkit reproduce",
        lead=LEAD,
        footer=f"Made by `baxterkit reproduce`, version {baxterkit.__version__}.",
    )
    if len(results) > 1:
        page.contents({one.name: (one.title, _in_short(one)) for one in results})
    for result in results:
        with page.section(result.title, result.name):
            _add_result(page, result, folder)
    seconds = {result.name: f"{result.seconds:.1f} s" for result in results}
    page.facts({"version": baxterkit.__version__, **seconds})
    return page.save(folder / "report.html")


def _in_short(result: Result) -> str:
    """The verdicts of a result in a line."""
    counts = Counter(row.verdict for row in result.rows if row.verdict in _KINDS)
    if not result.rows:
        return "left out"
    return ", ".join(f"{counts[one]} {one}" for one in _KINDS if counts[one]) or "shown"


def _add_result(page: Page, result: Result, folder: Path) -> None:
    first, *others = result.notes or ("",)
    if first:
        page.text(first)
    tables = [(name, list(rows)) for name, rows in groupby(result.rows, key=lambda x: x.section)]
    long = [one for one in tables if one[1][0].details]
    printed = [
        one for one in tables if one not in long and any(r.paper is not None for r in one[1])
    ]
    own = [one for one in tables if one not in long and one not in printed]
    for name, rows in printed:
        _add_table(page, name, rows)
    for name, figure in result.figures.items():
        save(figure, folder / f"{result.name}_{name}.png")
        page.figure(figure, alt=f"{result.title}: {name}")
    for name, rows in long:
        with page.details(f"{name or result.title}: {_counted(rows)}"):
            _add_table(page, "", rows)
    if own:
        with page.details(f"What the paper does not print: {_plural(len(own), 'table')}"):
            for name, rows in own:
                _add_table(page, name, rows)
    if others:
        with page.details(_plural(len(others), "note")):
            for note in others:
                page.text(note)


def _counted(rows: Sequence[Row]) -> str:
    counts = Counter(row.verdict for row in rows if row.verdict in _KINDS)
    said = ", ".join(f"{counts[one]} {one}" for one in _KINDS if counts[one])
    return f"{_plural(len(rows), 'row')}{f' ({said})' if said else ''}"


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _add_table(page: Page, section: str, rows: Sequence[Row]) -> None:
    """A table: numbers of each joint in a column of their own, the paper's numbers below ours."""
    if rows[0].details:
        head = ("quantity", *rows[0].details)
        cells: list[list[object]] = [
            [row.quantity, *(_marked(name, text, row) for name, text in row.details.items())]
            for row in rows
        ]
        page.table(head, cells, caption=section)
        return
    columns = next((row.headings for row in rows if row.headings), ())
    judged = any(row.paper is not None for row in rows)
    cells = []
    if not columns:
        for row in rows:
            shown_paper = [shown(row.paper) if row.paper is not None else ""] if judged else []
            ours = "" if row.ours is None else shown(row.ours)
            cells.append([row.quantity, *shown_paper, ours, *_verdict(row, judged)])
        head = ("quantity", *(("paper",) if judged else ()), "ours", *(("",) if judged else ()))
    else:
        for row in rows:
            cells.append([row.quantity, *_spread(row.ours, columns), *_verdict(row, judged)])
            if row.paper is not None:
                soft: list[object] = [Mark(x, "note") for x in _spread(row.paper, columns)]
                cells.append([Mark("· the paper", "note"), *soft, ""])
        head = ("quantity", *columns, *(("",) if judged else ()))
    page.table(head, cells, caption=section)


def _spread(value: Value, columns: Sequence[str]) -> list[str]:
    """A value over the columns; a single one or words in the first."""
    if value is None:
        return [""] * len(columns)
    if isinstance(value, str) or np.ndim(value) == 0 or len(np.asarray(value)) != len(columns):
        return [shown(value), *[""] * (len(columns) - 1)]
    return shown(value).split(" ")


def _verdict(row: Row, judged: bool) -> list[object]:
    if not judged:
        return []
    known = row.paper is not None and row.verdict in _KINDS
    return [Mark(row.verdict, _KINDS[row.verdict]) if known else ""]


def _marked(name: str, text: str, row: Row) -> object:
    return Mark(text, _KINDS[row.verdict]) if name == "verdict" and row.verdict in _KINDS else text
