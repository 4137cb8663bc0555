"""Small HTML tables: the representation of this package's objects in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_CELL = "padding: .15em .7em; text-align: right; font-variant-numeric: tabular-nums"
_NAME = "padding: .15em .7em .15em 0; text-align: left"


def html_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
) -> str:
    """A table with a title; the first column names the row.

    It uses the notebook's own colours, light or dark.

    Args:
        title: A line above.
        header: Names of the columns; none if there is only a title to show.
        rows: Cells; numbers of type float get four decimals.
        note: A line below.

    Returns:
        HTML of the table.
    """
    from html import escape  # only now: it is not needed to compute

    heads = "".join(
        f'<th style="{_CELL if i else _NAME}">{escape(name)}</th>' for i, name in enumerate(header)
    )
    lines = "".join(
        "<tr>"
        + "".join(
            f'<{"td" if i else "th"} style="{_CELL if i else _NAME}">{escape(_text(cell))}'
            f"</{'td' if i else 'th'}>"
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    below = f'<div style="opacity: .75">{escape(note)}</div>' if note else ""
    cells = (
        f'<table style="border-collapse: collapse; margin: .3em 0"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )
    return f"<div><div><b>{escape(title)}</b></div>{cells if header else ''}{below}</div>"


def _text(value: object) -> str:
    if isinstance(value, float):
        # Adding zero turns a rounded -0.0 into 0.0.
        return f"{round(value, 4) + 0.0:.4f}"
    return str(value)
