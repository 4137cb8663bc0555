"""A report as one HTML file with its pictures: the common look of demo and reports."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Literal

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.plot.style import RC, matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURE_DPI = 200
LARGEST_SVG = 1_000_000  # bytes; a drawing of more is smaller as pixels, and quicker to show
MEDIA = {
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
}


@dataclass(frozen=True)
class Mark:
    """A cell of a table with a verdict's colour.

    Attributes:
        text: Text of the cell.
        kind: "good", "warn", "bad", or "note" for words that are no verdict.
    """

    text: str
    kind: Literal["good", "warn", "bad", "note"] = "good"


class Page:
    """A report that grows from top to bottom and is saved as one file.

    Pictures are inside the file; it needs no network, follows the reader's light or dark scheme,
    and prints. Texts are plain: `code` between backticks and **bold** between double asterisks are
    set as such, everything else is shown as it is.

    Args:
        title: Heading and window title.
        lead: A line below the heading.
        footer: A line at the end.
    """

    def __init__(self, title: str, lead: str = "", footer: str = "") -> None:
        self.title = title
        self._footer = footer
        named = _inline(title).replace("baxterkit", "<span>baxterkit</span>", 1)
        self._parts: list[str] = [f"<h1>{named}</h1>"]
        if lead:
            self._parts.append(f'<p class="lead">{_inline(lead)}</p>')

    def heading(self, text: str) -> None:
        """Adds a heading."""
        self._parts.append(f"<h2>{_inline(text)}</h2>")

    def text(self, text: str) -> None:
        """Adds paragraphs, which empty lines separate."""
        for paragraph in re.split(r"\n\s*\n", text.strip()):
            self._parts.append(f"<p>{_inline(' '.join(paragraph.split()))}</p>")

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[object]],
        *,
        caption: str = "",
        digits: int = 4,
    ) -> None:
        """Adds a table; the first column names the rows.

        Args:
            header: Names of the columns; empty for none.
            rows: Cells: texts, numbers or `Mark`s.
            caption: A line above.
            digits: Decimals of the numbers.
        """
        width = max([len(header), *(len(row) for row in rows)])
        worded = [
            any(isinstance(row[i], str) and len(row[i]) > 24 for row in rows if len(row) > i)  # type: ignore[arg-type]
            for i in range(width)
        ]
        parts = ['<div class="scroll"><table>']
        if caption:
            parts.append(f"<caption>{_inline(caption)}</caption>")
        if header:
            cells = "".join(
                f"<th{_class('text' if not i or worded[i] else '')}>{_inline(name)}</th>"
                for i, name in enumerate(header)
            )
            parts.append(f"<thead><tr>{cells}</tr></thead>")
        parts.append("<tbody>")
        for row in rows:
            filled = [*row, *[""] * (width - len(row))]
            cells = "".join(_cell(x, digits, worded[i]) for i, x in enumerate(filled[1:], start=1))
            parts.append(f"<tr><th>{_value(filled[0], digits)}</th>{cells}</tr>")
        parts.append("</tbody></table></div>")
        self._parts.append("".join(parts))

    def tiles(self, values: Mapping[str, object], *, digits: int = 4) -> None:
        """Adds a row of tiles, each a large value over its name."""
        tiles = "".join(
            f"<div><b>{_value(value, digits)}</b>{_inline(name)}</div>"
            for name, value in values.items()
        )
        self._parts.append(f'<div class="tiles">{tiles}</div>')

    def facts(self, values: Mapping[str, object]) -> None:
        """Adds a small line of names and values, for versions and settings."""
        items = "".join(
            f"<div><dt>{_inline(name)}</dt><dd>{html.escape(str(value))}</dd></div>"
            for name, value in values.items()
        )
        self._parts.append(f'<div class="facts"><dl>{items}</dl></div>')

    def figure(
        self,
        figure: Figure,
        *,
        caption: str = "",
        alt: str = "",
        form: Literal["auto", "svg", "png"] = "auto",
        width: int | None = None,
    ) -> None:
        """Adds a matplotlib figure.

        Args:
            figure: The figure.
            caption: A line below.
            alt: Alternative text; the caption if empty.
            form: "svg" (sharp at every size), "png", or "auto": SVG unless that is too large.
            width: Greatest width on the page [pixel]; that of the figure at 110 dpi if None.
        """
        if form not in ("auto", "svg", "png"):
            raise InputError(f"form={form!r} is not one of: auto, svg, png")
        data, media = b"", ""
        if form != "png":
            # Letters as outlines, so that they look alike on every machine.
            data, media = _rendered(figure, "svg", {"svg.fonttype": "path"}), MEDIA[".svg"]
        if form == "png" or (form == "auto" and len(data) > LARGEST_SVG):
            data, media = _rendered(figure, "png", {}), MEDIA[".png"]
        shown = round(110 * float(figure.get_size_inches()[0])) if width is None else width
        self._picture(data, media, caption, alt, shown)

    def image(
        self, path: str | Path, *, caption: str = "", alt: str = "", width: int | None = None
    ) -> None:
        """Adds a picture file: PNG, SVG, GIF (animated ones move) or JPEG.

        Args:
            path: The file.
            caption: A line below.
            alt: Alternative text; the caption if empty.
            width: Greatest width on the page [pixel]; the whole column if None.

        Raises:
            InputError: If its name ends in none of these.
        """
        path = disk.as_path(path)
        media = MEDIA.get(path.suffix.lower())
        if media is None:
            raise InputError(f"{path.name} is no picture; use one of: {' '.join(MEDIA)}")
        self._picture(disk.read_bytes(path), media, caption, alt, width)

    def code(self, text: str) -> None:
        """Adds lines of code, as they are."""
        style = "overflow-x: auto; margin: 0"
        self.raw(f'<pre style="{style}"><code>{html.escape(text)}</code></pre>')

    def raw(self, text: str) -> None:
        """Adds HTML as it is, for example an animation with its script."""
        self._parts.append(f'<div class="raw">{text}</div>')

    def contents(self, entries: Mapping[str, tuple[str, str]]) -> None:
        """Adds a table of contents: the name of a section -> its title, and a few words on it."""
        rows = "".join(
            f'<tr><th><a href="#{html.escape(name, quote=True)}">{_inline(title)}</a></th>'
            f'<td class="text">{_inline(words)}</td></tr>'
            for name, (title, words) in entries.items()
        )
        self._parts.append(
            f'<section class="scroll"><table><tbody>{rows}</tbody></table></section>'
        )

    @contextmanager
    def details(self, summary: str) -> Iterator[None]:
        """Everything that is added inside is folded away under a line, until a reader opens it."""
        self._parts.append(f"<details><summary>{_inline(summary)}</summary>")
        yield
        self._parts.append("</details>")

    @contextmanager
    def section(self, title: str = "", name: str = "") -> Iterator[None]:
        """A card for everything that is added inside: `with page.section("Left arm"): ...`.

        Args:
            title: Its heading.
            name: Its name in the table of contents.
        """
        anchor = f' id="{html.escape(name, quote=True)}"' if name else ""
        self._parts.append(f"<section{anchor}>")
        if title:
            self.heading(title)
        yield
        self._parts.append("</section>")

    @contextmanager
    def columns(self) -> Iterator[None]:
        """Puts sections and figures that are added inside side by side where there is room."""
        self._parts.append('<div class="columns">')
        yield
        self._parts.append("</div>")

    def html(self) -> str:
        """The whole page."""
        template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
        footer = [f"<footer>{_inline(self._footer)}</footer>"] if self._footer else []
        body = "\n".join([*self._parts, *footer])
        return template.substitute(title=html.escape(self.title), body=body)

    def save(self, path: str | Path) -> Path:
        """Writes the page, into a folder that exists.

        Returns:
            The path.
        """
        path = disk.as_path(path)
        disk.write_text(path, self.html())
        return path

    def _picture(self, data: bytes, media: str, caption: str, alt: str, width: int | None) -> None:
        source = f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"
        limit = f' style="max-width: {width}px"' if width else ""
        text = html.escape(alt or caption, quote=True)
        below = f"<figcaption>{_inline(caption)}</figcaption>" if caption else ""
        self._parts.append(
            f'<figure><div class="paper"><img src="{source}" alt="{text}"{limit}></div>'
            f"{below}</figure>"
        )


def _rendered(figure: Figure, form: str, settings: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with matplotlib().rc_context({**RC, **settings}):
        metadata = {"Date": None} if form == "svg" else None
        figure.savefig(buffer, format=form, dpi=PICTURE_DPI, metadata=metadata)
    return buffer.getvalue()


def _inline(text: str) -> str:
    """Escaped text with `code` and **bold** set."""
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", escaped)


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _cell(value: object, digits: int, worded: bool) -> str:
    return f"<td{_class('text' if worded else '')}>{_value(value, digits)}</td>"


def _value(value: object, digits: int) -> str:
    if isinstance(value, Mark):
        return f"<span{_class(value.kind)}>{_inline(value.text)}</span>"
    if isinstance(value, float | np.floating):
        # Adding zero turns a rounded -0.0 into 0.0.
        return f"{round(float(value), digits) + 0.0:.{digits}f}"
    return _inline(str(value))
