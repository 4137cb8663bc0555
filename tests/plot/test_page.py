from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, plot
from baxterkit.errors import InputError
from baxterkit.plot import page as page_module
from baxterkit.plot.page import Mark, Page

VOID = {"meta", "img", "br", "link"}


class Balance(HTMLParser):
    """Tags that are opened and closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def full_page() -> Page:
    arm = Arm("left")
    page = Page("baxterkit report", lead="of <everything> & `code`", footer="made **here**")
    page.heading("Numbers")
    page.text("One paragraph\nof two lines.\n\nAnother.")
    with page.columns():
        for name in ("a", "b"):
            with page.section(name):
                page.tiles({"value": 1.25})
                page.table(("", "x"), [("row", -0.0), ("other", 3)], caption="A table", digits=2)
    page.table(("what", "verdict"), [("torque", Mark("agrees")), ("length", Mark("no", "bad"))])
    page.figure(plot.skeleton(arm, arm.configuration("neutral")), caption="An arm")
    page.raw("<script>let x = 1;</script>")
    page.facts({"threads": 2})
    return page


def test_page_is_well_formed_and_holds_everything(tmp_path: Path) -> None:
    path = full_page().save(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    balance = Balance()
    balance.feed(text)
    assert balance.open == []
    assert "<h1><span>baxterkit</span> report</h1>" in text
    assert "of &lt;everything&gt; &amp; <code>code</code>" in text
    assert "<p>One paragraph of two lines.</p>\n<p>Another.</p>" in text
    assert "<td>0.00</td>" in text  # no negative zero
    assert "<td>3</td>" in text  # a count keeps its form
    assert '<span class="bad">no</span>' in text
    assert "made <b>here</b>" in text


def test_page_needs_nothing_from_elsewhere() -> None:
    text = full_page().html()
    sources = re.findall(r'(?:src|href)\s*=\s*"([^"]*)"', text)
    assert len(sources) == 1
    assert all(source.startswith("data:") for source in sources)
    assert "url(" not in text
    assert "@import" not in text


@pytest.mark.slow
def test_small_figures_are_drawings_and_large_ones_pixels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arm = Arm("left")
    figure = plot.skeleton(arm, arm.configuration("neutral"))

    def source(page: Page) -> tuple[str, bytes]:
        media, data = re.findall(r'src="data:([^;]*);base64,([^"]*)"', page.html())[0]
        return media, base64.b64decode(data)

    drawing = Page("drawing")
    drawing.figure(figure)
    media, data = source(drawing)
    assert media == "image/svg+xml"
    assert ElementTree.fromstring(data).tag.endswith("svg")
    monkeypatch.setattr(page_module, "LARGEST_SVG", 1000)
    pixels = Page("pixels")
    pixels.figure(figure)
    media, data = source(pixels)
    assert media == "image/png"
    assert data.startswith(b"\x89PNG")


@pytest.mark.slow
def test_equal_reports_are_equal_files() -> None:
    assert full_page().html() == full_page().html()


def test_picture_files_go_in_by_their_ending(tmp_path: Path) -> None:
    arm = Arm("left")
    path = plot.save(plot.skeleton(arm, arm.configuration("neutral")), tmp_path / "arm.png")
    page = Page("picture")
    page.image(path, alt='the "arm"', width=500)
    assert 'alt="the &quot;arm&quot;" style="max-width: 500px"' in page.html()
    with pytest.raises(InputError, match=r"^arm\.txt is no picture; use one of: \.png \.svg"):
        page.image(tmp_path / "arm.txt")


def test_unknown_form_of_a_figure_is_named() -> None:
    arm = Arm("left")
    with pytest.raises(InputError, match=r"^form='gif' is not one of: auto, svg, png$"):
        Page("x").figure(plot.skeleton(arm, arm.configuration("neutral")), form="gif")  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    page = Page("x")
    page.table((), [("a", np.float64(0.123456), np.int64(7), np.float32(0.5))], digits=3)
    assert "<td>0.123</td><td>7</td><td>0.500</td>" in page.html()
