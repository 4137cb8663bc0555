"""`baxterkit reproduce errata`: every printed form is run, and effects are optimised bounds."""

from __future__ import annotations

import json
import re

import components
import numpy as np
import pytest

from baxterkit import experiments, papers
from baxterkit.experiments import Settings, errata_lab
from baxterkit.experiments.bounds import bound
from baxterkit.experiments.errata_smith import table_3_in_the_sets
from baxterkit.types import Array

KEPT = components.ROOT / "benchmarks" / "results" / "reproduce.json"


def kept() -> dict[str, str]:
    """Row -> effect, of the kept results."""
    results = json.loads(KEPT.read_text("utf-8"))["results"]
    rows = next(one for one in results if one["name"] == "errata")["rows"]
    return {row["quantity"]: row["details"]["effect"] for row in rows}


def test_a_bound_is_found_between_the_samples() -> None:
    """A narrow peak at a corner: the sample misses it, the optimiser does not."""
    lower, upper = np.full(3, -2.0), np.full(3, 2.0)

    def peak(x: Array) -> Array:
        return np.stack([np.exp(-((x - 1.9) ** 2).sum(axis=-1)), 0.1 * x[:, 0]], axis=-1)

    found = bound(peak, lower, upper, samples=200, starts=3)
    assert found.sampled < 0.999
    assert found.largest == pytest.approx(1.0, abs=1e-8)
    tiny = bound(lambda x: 1e-9 * peak(x), lower, upper, samples=200, starts=3)
    assert tiny.largest == pytest.approx(1e-9, rel=1e-6)
    flat = bound(lambda x: np.full(len(x), 0.07), lower, upper, samples=10, starts=1)
    assert flat.is_constant


@pytest.mark.slow
def test_errata_run_every_misprint_of_every_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errata_lab, "QUICK", (60, 1))
    monkeypatch.setattr("baxterkit.experiments.errata_kumar.POSES", 50)
    result = experiments.run("errata", Settings(quick=True))
    names = {row.quantity for row in result.rows}
    assert names == set(kept()), "run: make experiments-page"
    for paper in ("kumar", "smith", "ju"):
        for misprint in getattr(papers, paper).misprints:
            assert f"{paper.title()} {misprint}" in names
    for row in result.rows:
        assert list(row.details) == ["printed", "true", "effect"]
        assert (row.verdict == "no number") == row.details["effect"].startswith("none")


@pytest.mark.slow
def test_table_3_changes_torques_of_the_sets_by_too_little_for_table_5() -> None:
    sets = table_3_in_the_sets()
    assert (sets.largest < [0.025, 0.36, 0.0025]).all()
    assert (sets.largest > [0.01, 0.3, 0.001]).all()
    assert sets.mean.max() < 0.0025  # the smallest mean that Table V prints with a bias is 0.03


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("Smith Table II, theta_2", "tip off by 857 mm on average"),
        ("Smith Table III", "16.3 % at most"),
        ("Smith Table III", "at most 0.02, 0.35 and 0.002 N m"),
        ("Ju Table 1, digits", "1.444 mm at most"),
        ("Kumar eq. 8", "201.0 mm at least"),
        ("Kumar III.B, results", "1.05e-04 degrees"),
        ("Kumar x / c1", "1 mm off makes the radius 57.3 mm wrong"),  # 1 / cos 89°
        ("Ju recipe, step 2", "652 mm on average, 989 mm at most"),
        ("Kumar eq. 10", "37.5 N m on average, 81.9 N m at most"),
    ],
)
def test_the_page_has_the_optimised_numbers(row: str, words: str) -> None:
    assert words in kept()[row]
    page = (components.ROOT / "docs" / "errata.md").read_text("utf-8")
    assert words in page


@pytest.mark.acceptance
def test_the_kept_errata_are_those_of_a_new_run() -> None:
    """Numbers of a fresh run differ by no more than another optimiser's last digit."""
    new = {row.quantity: row.details["effect"] for row in experiments.run("errata").rows}
    number = re.compile(r"\d[\d,]*\.?\d*(?:e-?\d+)?")
    assert set(new) == set(kept())
    for name, effect in kept().items():
        ours = [float(x.replace(",", "")) for x in number.findall(new[name])]
        theirs = [float(x.replace(",", "")) for x in number.findall(effect)]
        assert ours == pytest.approx(theirs, rel=0.02, abs=2e-13), name
