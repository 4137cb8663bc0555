"""Tables of docs from the kept results of `baxterkit reproduce`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import Any

from baxterkit.experiments.result import VERDICTS, shown

__all__ = ["claims_text", "errata_text", "experiment_text", "methods_table"]


def experiment_text(result: dict[str, Any]) -> str:
    """All tables and notes of an experiment, as Markdown."""
    counts = Counter(row["verdict"] for row in result["rows"])
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    parts = [f"Verdicts: {verdicts}.", *map(_plain, result["notes"])]
    for section, rows in groupby(result["rows"], key=lambda row: row["section"]):
        cells = [
            (row["quantity"], shown(row["paper"]), shown(row["ours"]), row["verdict"])
            for row in rows
        ]
        parts.append(_table((section, "paper", "ours", "verdict"), cells))
    return "\n\n".join(parts)


def errata_text(result: dict[str, Any]) -> str:
    """The errata: how they were measured, then a section with a table for each paper."""
    parts = list(map(_plain, result["notes"]))
    for section, rows in groupby(result["rows"], key=lambda row: row["section"]):
        cells = [(row["quantity"], *row["details"].values()) for row in rows]
        parts += [f"## {section}", _table(("where", "printed", "true", "effect"), cells)]
    return "\n\n".join(parts)


def claims_text(result: dict[str, Any]) -> str:
    """The claims: the rule, counts, then a section with a table for each paper."""
    counts = Counter(row["verdict"] for row in result["rows"])
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    parts = [*map(_plain, result["notes"]), f"{len(result['rows'])} claims: {verdicts}."]
    head = ("where", "claim", "number", "verdict", "command")
    for section, rows in groupby(result["rows"], key=lambda row: row["section"]):
        cells = [(row["quantity"], *row["details"].values()) for row in rows]
        parts += [f"## {section}", _table(head, cells)]
    return "\n\n".join(parts)


def methods_table(result: dict[str, Any]) -> str:
    """Solve rates and times of the inverse kinematics methods, from `kumar_ik`."""
    cells = [
        (
            row["quantity"].rsplit(" (", 1)[0],
            row["section"].split(":")[0].lower(),
            *row["ours"].removesuffix(" a pose").split(", "),
        )
        for row in result["rows"]
        if isinstance(row["ours"], str)
    ]
    return _table(("method", "form", "solved", "processor time a pose, in a batch"), cells)


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(map(_cell, header))} |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows)])


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|") or " "


def _plain(text: str) -> str:
    """Text in which Markdown sees no emphasis, and no entry of a list; code stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    for i, part in enumerate(parts):
        if not part.startswith("`"):
            parts[i] = part.replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
    return "".join(parts)
