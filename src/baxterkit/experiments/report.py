"""One HTML report of all experiments that ran, and their figures as files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

import baxterkit
from baxterkit import disk
from baxterkit.experiments.result import Result, Row, Verdict, table_of
from baxterkit.plot.page import Mark, Page
from baxterkit.plot.style import save

Kind = Literal["good", "warn", "bad"]
_KINDS: dict[Verdict, Kind] = {
    "better": "good",
    "same": "good",
    "mixed": "warn",
    "worse": "bad",
    "holds": "good",
    "does not hold": "warn",
    "cannot be shown by that experiment": "warn",
    "not alike": "warn",
    "synthetic": "warn",
}


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
        lead="The papers' experiments on our model: what they print, what comes out here.",
        footer=f"Made by `baxterkit reproduce`, version {baxterkit.__version__}.",
    )
    for result in results:
        with page.section(result.title):
            for note in result.notes:
                page.text(note)
            for section, rows in groupby(result.rows, key=lambda row: row.section):
                _add_table(page, section, list(rows))
            for name, figure in result.figures.items():
                save(figure, folder / f"{result.name}_{name}.png")
                page.figure(figure, alt=f"{result.title}: {name}")
    page.facts({"version": baxterkit.__version__, **_seconds(results)})
    return page.save(folder / "report.html")


def _add_table(page: Page, section: str, rows: Sequence[Row]) -> None:
    head, texts = table_of(rows)
    cells = [
        [*cells[:-1], _verdict(row.verdict)] if head[-1] == "verdict" else cells
        for row, cells in zip(rows, texts, strict=True)
    ]
    page.table(("quantity", *head[1:]), cells, caption=section)


def _verdict(verdict: Verdict) -> Mark | str:
    return Mark(verdict, _KINDS[verdict]) if verdict in _KINDS else verdict


def _seconds(results: Sequence[Result]) -> dict[str, object]:
    return {result.name: f"{result.seconds:.1f} s" for result in results}
