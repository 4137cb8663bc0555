"""Smith's Table V on recordings: fit and test apart, both methods the same, verdicts honest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from baxterkit import experiments
from baxterkit.experiments import Result, Settings, smith_torque


def rows_of(result: Result, section: str) -> dict[str, np.ndarray]:
    return {
        row.quantity: np.asarray(row.ours, dtype=float)
        for row in result.rows
        if row.section == section
    }


def check_rows(result: Result) -> None:
    for number in (1, 2, 3):
        rigid = rows_of(result, f"Set {number}, rigid model")
        identified = rows_of(result, f"Set {number}, identified model")
        for quantity in ("|mean error| L-E [N m]", "MAE [N m]", "R²"):
            assert rigid[quantity].shape == identified[quantity].shape == (7,)
        assert (identified["MAE [N m]"] < rigid["MAE [N m]"]).all()
        means = (identified["|mean error| L-E [N m]"], identified["|mean error| RN-E [N m]"])
        assert np.abs(means[0] - means[1]).max() < 1e-12
    difference = rows_of(result, "Both methods")
    assert float(*difference.values()) < 1e-12
    assert sorted(result.figures) == ["fig5", "fig6", "fig7"]


def test_runs_on_a_made_up_robot_without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAXTERKIT_DATA", raising=False)
    result = experiments.run("smith_torque", Settings(quick=True))
    assert result.is_synthetic
    assert {row.verdict for row in result.rows} == {"synthetic"}
    assert any("BAXTERKIT_DATA=DIR" in note for note in result.notes)
    check_rows(result)
    for number in (1, 2, 3):
        assert (rows_of(result, f"Set {number}, identified model")["R²"] > 0.98).all()


def test_table_v_adds_up_as_printed() -> None:
    # The last row is the size of a signed sum, so no sum of sizes can be below it.
    for number, columns in smith_torque.PAPER.items():
        for name, sizes in columns.items():
            assert smith_torque.PAPER_SUM[number][name] <= sum(sizes)


@pytest.mark.slow
def test_real_sets_are_predicted_by_the_other_files(
    require: Callable[[str], None], data_dir: Path
) -> None:
    require("data")
    result = experiments.run("smith_torque", Settings(data=data_dir, quick=True))
    assert not result.is_synthetic
    check_rows(result)
    assert result.notes[0].startswith("3 recordings were fitted, 3 others compared")
    with_memory = rows_of(result, "Set 1, identified model")["R², friction with memory"]
    assert (with_memory > [0.98, 0.985, 0.99, 0.998, 0.88, 0.90, 0.60]).all()
