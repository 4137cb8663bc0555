"""The papers' 24 figures: all there, drawn, listed, and with titles beside their legends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Annotation, Text

from baxterkit.experiments import Result, Settings, figures
from baxterkit.experiments.figures import FIGURES, write_figures
from baxterkit.experiments.registry import EXPERIMENTS
from baxterkit.papers import kumar
from baxterkit.plot import robot_pictures
from baxterkit.plot.style import new_figure, save

DRAWN = [name for name, one in FIGURES.items() if isinstance(one.source, str)]


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of the robot stay empty: what is drawn over them is tested here."""
    monkeypatch.setattr(
        robot_pictures, "render", lambda solids, camera: np.zeros((camera.height, camera.width, 4))
    )


def test_there_are_24_figures_under_the_papers_numbers() -> None:
    numbers = {"kumar": range(1, 9), "smith": range(1, 8), "ju": range(1, 10)}
    assert list(FIGURES) == [f"{who}_{n}" for who, many in numbers.items() for n in many]
    assert len(FIGURES) == 24
    for one in FIGURES.values():
        if not isinstance(one.source, str):
            assert one.source[0] in EXPERIMENTS


@pytest.mark.slow
@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize("name", DRAWN)
def test_texts_and_legends_of_a_figure_keep_apart_and_inside(name: str) -> None:
    figure = figures._drawn(FIGURES[name], Settings(), {})
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in figure.texts]
    boxes += [("legend", legend.get_window_extent(renderer)) for legend in figure.legends]
    for axes in figure.axes:
        # Of an annotation, the words alone, without its line.
        boxes += [(x.get_text(), Text.get_window_extent(x, renderer)) for x in _words(axes)]
    paper, number = name.split("_")
    assert any(text.startswith(f"{paper.title()}, Fig. {number}:") for text, _ in boxes)
    for (a, box_a), (b, box_b) in combinations(boxes, 2):
        overlap = _overlap(box_a, box_b)
        assert overlap < 0.3, f"{a!r} over {b!r}: {overlap:.2f}"
    for text, box in boxes:
        assert box.x0 > -1.0, text
        assert box.x1 < figure.bbox.x1 + 1.0, text
        assert -1.0 < box.y0 < box.y1 < figure.bbox.y1 + 1.0, text


def _words(axes: Any) -> Iterator[Any]:
    """Texts of a drawing that say something; letters of axes may cross lines."""
    return (x for x in axes.texts if len(x.get_text()) > 2 and "_{" not in x.get_text())


def _overlap(a: Any, b: Any) -> float:
    """Share of the smaller box that the other one covers."""
    w = min(a.x1, b.x1) - max(a.x0, b.x0)
    h = min(a.y1, b.y1) - max(a.y0, b.y0)
    if w <= 0.0 or h <= 0.0:
        return 0.0
    return float(w * h / min(a.width * a.height, b.width * b.height))


@pytest.mark.slow
@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize("name", ["kumar_2", "ju_5", "ju_6", "ju_9"])
def test_no_line_of_a_callout_crosses_the_name_of_an_axis(name: str) -> None:
    figure = figures._drawn(FIGURES[name], Settings(), {})
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    for axes in figure.axes:
        names = [x for x in axes.texts if x.get_text()[:2] in ("$x", "$y", "$z")]
        assert names
        callouts = [x for x in axes.texts if isinstance(x, Annotation) and x.get_text()]
        for callout in (x for x in callouts if x.arrow_patch):
            line = callout.arrow_patch._get_path_in_displaycoord()[0][0]
            for letter in names:
                box = Text.get_window_extent(letter, renderer)
                inner = box.padded(-0.2 * box.height)
                assert not line.intersects_bbox(inner, filled=False), (callout, letter)


@pytest.mark.parametrize("name", [name for name in DRAWN if "diagrams" not in str(FIGURES[name])])
def test_nothing_in_a_picture_is_cropped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solids lie within their picture, and so do the arrows and lines over it."""

    def seen(solids: Any, camera: Any) -> Any:
        corners = np.concatenate([camera.project(one.mesh.vertices)[:, :2] for one in solids])
        assert (corners >= 0.0).all()
        assert (corners <= [camera.width, camera.height]).all()
        return np.zeros((camera.height, camera.width, 4))

    monkeypatch.setattr(robot_pictures, "render", seen)
    for axes in figures._drawn(FIGURES[name], Settings(), {}).axes:
        width, height = axes.get_xlim()[1], axes.get_ylim()[0]
        ends = [x.xy for x in axes.texts if isinstance(x, Annotation)]
        ends += [point for line in axes.lines for point in line.get_xydata()]
        assert ends or axes.images
        for x, y in ends:
            assert 0.0 <= x <= width, (x, y)
            assert 0.0 <= y <= height, (x, y)


def test_origins_in_jus_tree_are_those_of_the_papers_listing() -> None:
    figure = figures._drawn(FIGURES["ju_4"], Settings(), {})
    words = [x.get_text() for axes in figure.axes for x in axes.texts]
    assert "0.056 0.000 0.011" in words  # left_s0, as Ju's 2.2 lists it
    assert "0.025 0.220 0.119" in words  # left_torso_arm_mount
    assert words.count("0.000 0.000 0.000") == 1  # torso_t0


@pytest.mark.usefixtures("unrendered")
def test_frames_of_kumars_figure_are_those_of_the_printed_table() -> None:
    """The point of every callout in Fig. 2 is the origin of a printed DH frame."""
    figure = figures._drawn(FIGURES["kumar_2"], Settings(), {})
    (axes,) = figure.axes
    from dataclasses import replace

    from baxterkit.experiments.figures_frames import SIDE_VIEW

    width, height = axes.get_xlim()[1], axes.get_ylim()[0]
    camera = replace(SIDE_VIEW, width=round(width), height=round(height))
    origins = camera.project(kumar.printed.frames(np.zeros(7), "left")[:, :3, 3])[:, :2]
    marks = [line.get_xydata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert len(marks) == 5
    for mark in marks:
        assert np.linalg.norm(origins - mark, axis=1).min() < 1e-6


@pytest.mark.slow
@pytest.mark.usefixtures("unrendered")
def test_the_page_lists_every_figure_and_says_which_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = new_figure(1.0, 1.0)
    made = {
        "kumar_pictures": ("fig4_workspace", "fig5_restarts", "fig6_ccd"),
        "kumar_circle": ("circle",),
        "ju_tuck": ("fig8_left",),
    }
    results = [Result(name, name, (), dict.fromkeys(names, empty)) for name, names in made.items()]
    asked = []

    def attempt(name: str, settings: Settings) -> Result:
        asked.append(name)
        return Result(name, name, (), notes=("Left out: no MuJoCo",))

    monkeypatch.setattr(figures, "attempt", attempt)
    monkeypatch.setattr(figures, "save", lambda figure, path: save(empty, path))
    page = write_figures(tmp_path, Settings(), results)
    assert asked == ["smith_twin"]  # the others had run
    text = page.read_text("utf-8")
    for name in FIGURES:
        assert f'id="{name}"' in text
        assert (tmp_path / f"{name}.png").exists() == (
            name not in ("smith_3", "smith_5", "smith_6", "smith_7")
        )
    assert text.count("Left out: no MuJoCo") == 4
