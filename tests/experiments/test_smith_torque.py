"""Smith's Table V on recordings: fit and test apart, both methods the same, verdicts honest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, experiments
from baxterkit.experiments import Result, Settings
from baxterkit.experiments.both_methods import smooth_torques_of, torques_of
from baxterkit.experiments.smith_paper import TABLE_V, TABLE_V_SUM
from baxterkit.experiments.smith_torque import FILTERED, RAW
from baxterkit.identify import score
from baxterkit.recording import Recording


def table(result: Result, letter: str, model: str, filtered: str) -> dict[str, np.ndarray]:
    section = f"recording {letter}, {model} [N m]: {filtered}".lower()
    rows = {
        r.quantity.split(" (paper")[0]: r.ours
        for r in result.rows
        if r.section.lower().removeprefix("made-up ") == section
    }
    return {quantity: np.asarray(ours, dtype=float) for quantity, ours in rows.items()}


def check_rows(result: Result) -> None:
    for letter in "ABC":
        for filtered in (RAW, FILTERED):
            rigid = table(result, letter, "rigid model", filtered)
            identified = table(result, letter, "identified model", filtered)
            for values in (rigid, identified):
                for name, mean in values.items():
                    if name.startswith("|mean error|"):
                        memory = name.partition(",")[2]
                        size = values["mean |error|" + ("," + memory if memory else "")]
                        assert mean.shape == size.shape == (7,)
                        assert (mean <= size + 1e-12).all(), "a mean larger than the mean of sizes"
            assert identified["mean |error|"][1] < 0.2 * rigid["mean |error|"][1]
        raw = table(result, letter, "identified model", RAW)
        assert np.abs(raw["|mean error| L-E"] - raw["|mean error| RN-E"]).max() < 1e-12
        filtered_rows = [
            table(result, letter, model, FILTERED) for model in ("rigid model", "identified model")
        ]
        assert (filtered_rows[1]["mean |error|"] < filtered_rows[0]["mean |error|"]).all()
    (methods,) = [row for row in result.rows if row.section == "The two methods"]
    assert float(methods.ours) < 1e-12  # type: ignore[arg-type]
    assert methods.verdict == "does not hold"
    assert sorted(result.figures) == [f"fig5_form_recording_{x}" for x in "abc"]


@pytest.mark.slow
def test_runs_on_a_made_up_robot_without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAXTERKIT_DATA", raising=False)
    result = experiments.run("smith_torque", Settings(quick=True))
    assert result.is_synthetic
    assert "real" not in result.title
    of_recordings = [row for row in result.rows if row.section.startswith("Made-up recording")]
    assert len(of_recordings) == 75
    assert {row.verdict for row in of_recordings} == {"synthetic"}
    assert {row.paper for row in of_recordings} == {None}
    assert any("BAXTERKIT_DATA=DIR" in note for note in result.notes)
    check_rows(result)
    for letter in "ABC":
        assert (table(result, letter, "identified model", FILTERED)["R²"] > 0.98).all()


def test_table_v_adds_up_as_printed() -> None:
    # The last row is the size of a signed sum, so no sum of sizes can be below it.
    for number, columns in TABLE_V.items():
        for name, sizes in columns.items():
            assert TABLE_V_SUM[number][name] <= sum(sizes)


def test_filtered_torques_are_those_that_identification_scores() -> None:
    arm = Arm("left")
    t = np.arange(0.0, 6.0, 0.01)
    size = np.linspace(0.1, 0.4, 7)
    q = arm.configuration("neutral") + np.sin(1.5 * t)[:, None] * size
    qd = 1.5 * np.cos(1.5 * t)[:, None] * size
    tau = arm.gravity(q) + np.random.default_rng(0).normal(0.0, 0.1, q.shape)
    rec = Recording(t=t, q=q, qd=qd, tau=tau, side="left")
    ours, theirs = smooth_torques_of(rec, arm, 5.0).scores[1], score(arm, rec)
    np.testing.assert_allclose(ours.mae, theirs.mae, rtol=1e-12)
    assert ours.rows == theirs.rows


def test_no_difference_is_taken_across_a_gap() -> None:
    arm = Arm("left")
    t = np.concatenate([np.arange(0.0, 1.0, 0.01), 5.0 + np.arange(0.0, 1.0, 0.01)])
    q = np.tile(arm.configuration("neutral"), (len(t), 1))
    q[100:] += 0.1
    rec = Recording(t=t, q=q, qd=np.zeros_like(q), tau=arm.gravity(q), side="left")
    torques = torques_of(rec, arm)
    assert len(torques.t) == len(t) - 2
    assert torques.largest.max() < 1e-12


@pytest.mark.slow
def test_real_recordings_are_predicted_by_the_other_files(
    require: Callable[[str], None], data_dir: Path
) -> None:
    require("data")
    result = experiments.run("smith_torque", Settings(data=data_dir, quick=True))
    assert not result.is_synthetic
    check_rows(result)
    assert result.notes[0].startswith("3 recordings were fitted, 3 others compared")
    r2 = table(result, "A", "identified model", FILTERED)["R², friction with memory"]
    assert (r2 > [0.98, 0.985, 0.99, 0.998, 0.88, 0.90, 0.60]).all()
    # Another robot, arm and motion than the paper's: no verdict, and only set 1's numbers beside.
    beside = [row for row in result.rows if row.section.startswith("Recording") and row.paper]
    assert {row.verdict for row in beside} == {"not alike"}
    assert all("Recording A" in row.section and "set 1" in row.quantity for row in beside)
    missing = [row for row in result.rows if row.verdict == "not available"]
    assert [row.paper for row in missing] == [
        TABLE_V[number][name] for number in (2, 3) for name in ("L-E", "RN-E")
    ]
