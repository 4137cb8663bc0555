"""Measured numbers in README and docs come from benchmarks/results alone, and do not drift."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import experiments
from baxterkit.experiments import EXPERIMENTS, Settings
from baxterkit.experiments.result import VERDICTS

ROOT = components.ROOT


@pytest.fixture(scope="module")
def tool() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("doc_numbers", ROOT / "tools" / "doc_numbers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = path


@pytest.fixture(scope="module")
def kept(tool: ModuleType) -> dict[str, Any]:
    content = json.loads(tool.EXPERIMENTS.read_text("utf-8"))
    return {one["name"]: one for one in content["results"]}


def test_every_number_is_that_of_the_kept_results(tool: ModuleType) -> None:
    for name in tool.documents():
        text = (ROOT / name).read_text("utf-8")
        assert tool.filled(name, text) == text, "run: python tools/doc_numbers.py"


def test_other_results_change_every_document(tool: ModuleType, tmp_path: Path) -> None:
    """One number of each benchmark is changed: README and docs follow."""
    for path in tool.RESULTS.glob("*.json"):
        shutil.copy(path, tmp_path / path.name)

    def change(name: str, edit: Any) -> None:
        content = json.loads((tmp_path / f"bench_{name}.json").read_text("utf-8"))
        edit(content)
        (tmp_path / f"bench_{name}.json").write_text(json.dumps(content), "utf-8")

    def all_times(content: dict[str, Any]) -> None:
        for row in content["results"]:
            row["median_ns"] *= 2.0

    def trac_ik(content: dict[str, Any]) -> None:
        next(row for row in content["peers"] if row["who"] == "trac-ik")["solved"] = 0.123
        content["peers"][0]["mean_us"] = 77.0

    for name in ("twin", "control", "predictive"):
        change(name, all_times)
    change("ik", trac_ik)
    change("cuda", lambda content: content["ik"]["random"].update(M_per_s=77.0))
    identified = json.loads((tmp_path / "identify.json").read_text("utf-8"))
    identified["held_out"]["memory"]["r2"][0] = 0.123
    (tmp_path / "identify.json").write_text(json.dumps(identified), "utf-8")
    texts = {
        name: tool.filled(name, (ROOT / name).read_text("utf-8"), tmp_path)
        for name in tool.documents()
    }
    assert "mean 77 µs" in texts["README.md"]
    assert "12.30 %" in texts["docs/ik.md"]
    assert "| 77 million/s, 10⁸ of 10⁸ solved |" in texts["docs/gpu.md"]
    assert "left out | | 0.123 0.998" in texts["README.md"]
    assert "| R², identified, on recordings left out | 0.123 |" in texts["docs/identify.md"]
    times = [
        re.search(r"(\d+) times faster than real", texts[x]) for x in ("README.md", "docs/twin.md")
    ]
    assert times[0] is not None
    assert times[1] is not None
    assert times[0].group(1) == times[1].group(1)
    for name in ("README.md", "docs/ik.md", "docs/twin.md", "docs/control/index.md"):
        assert texts[name] != (ROOT / name).read_text("utf-8")


def test_every_benchmark_of_the_readme_is_filled_in(tool: ModuleType) -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    filled = [template for file, template in tool.LINES if file == "README.md"]
    measured = [line for line in lines if line.endswith("| `make bench` |")]
    assert len(measured) == sum("`make bench`" in template for template in filled) == 3


def test_what_stands_in_for_pykdl_is_what_was_kept(kept: dict[str, Any]) -> None:
    from baxterkit.experiments.kumar_ik import KDL, KDL_BEFORE

    answers, inside, _ = (r["ours"] for r in kept["kumar_ik"]["rows"] if r["section"] == KDL)
    assert f"{answers} answers, {inside} of them within the limits" in KDL_BEFORE


def test_filling_twice_changes_nothing(tool: ModuleType, tmp_path: Path) -> None:
    for name in tool.documents():
        once = tool.filled(name, (ROOT / name).read_text("utf-8"))
        assert tool.filled(name, once) == once


def test_a_sentence_that_was_reworded_is_missed(tool: ModuleType) -> None:
    text = (ROOT / "README.md").read_text("utf-8").replace("times faster than real time", "faster")
    with pytest.raises(SystemExit, match=r"README.md: no line like .*controllers in Python run"):
        tool.filled("README.md", text)


def test_kept_results_are_of_every_experiment(tool: ModuleType, kept: dict[str, Any]) -> None:
    assert list(kept) == list(EXPERIMENTS), "run: make experiments-page"
    for result in kept.values():
        assert result["rows"], f"{result['name']} was left out when the results were kept"
        assert {row["verdict"] for row in result["rows"]} <= set(VERDICTS)
    real = [name for name, result in kept.items() if not result["is_synthetic"]]
    assert {"ju_pose", "smith_torque"} <= set(real), "the results were kept without recordings"


@pytest.mark.parametrize("name", ["kumar_fk", "kumar_pictures"])
def test_experiments_still_give_what_was_kept(
    name: str, kept: dict[str, Any], data_dir: Path
) -> None:
    components.require("kdl")
    rows = experiments.run(name, Settings(data=data_dir)).rows
    assert [(row.section, row.quantity, row.verdict) for row in rows] == [
        (row["section"], row["quantity"], row["verdict"]) for row in kept[name]["rows"]
    ], "run: make experiments-page"
    for row, old in zip(rows, kept[name]["rows"], strict=True):
        if isinstance(row.ours, str):
            assert row.ours == old["ours"]
            continue
        ours, theirs = np.abs(row.ours), np.abs(old["ours"])  # type: ignore[arg-type]
        # Errors of rounding differ from one processor to the next.
        assert np.allclose(ours, theirs, rtol=1e-3, atol=1e-11), row.quantity


def test_a_run_of_some_experiments_replaces_those_alone(tool: ModuleType, tmp_path: Path) -> None:
    def result(name: str, value: float) -> dict[str, Any]:
        return {"name": name, "rows": [{"ours": [value]}]}

    kept, run = tmp_path / "kept.json", tmp_path / "run.json"
    for values in ({"smith_twin": 1.0, "ju_pose": 2.0}, {"ju_pose": 0.123456789}):
        run.write_text(json.dumps({"results": [result(*item) for item in values.items()]}))
        tool.take(run, kept)
    assert json.loads(kept.read_text("utf-8"))["results"] == [
        result("ju_pose", 0.1234568), result("smith_twin", 1.0),
    ]  # fmt: skip


def test_scores_of_identify_are_kept(tool: ModuleType, tmp_path: Path) -> None:
    scores = {"r2": [0.123456789] * 7, "mae": [0.5] * 7}
    found = {
        "robot": "robot.toml",
        "dynamics": {"sources": ["a.csv"], "filter_hz": 5.0, "scores": {"before": scores}},
        "held_out": {"memory": scores},
    }
    (tmp_path / "run.json").write_text(json.dumps(found))
    tool.take_identified(tmp_path / "run.json", tmp_path / "kept.json")
    kept = json.loads((tmp_path / "kept.json").read_text("utf-8"))
    assert list(kept) == ["sources", "filter_hz", "scores", "held_out"]
    assert kept["held_out"]["memory"]["r2"][0] == 0.1234568


def test_tables_show_rows_as_the_command_line_does(tool: ModuleType) -> None:
    result = {
        "name": "trial",
        "notes": ["A note on x_4."],
        "rows": [
            {"section": "|mean| of it", "quantity": "|x|", "paper": None, "ours": [1.0, 2.0],
             "verdict": "no number"},
            {"section": "|mean| of it", "quantity": "y", "paper": 1.0, "ours": None,
             "verdict": "not available"},
        ],
    }  # fmt: skip
    assert tool.experiment_text(result) == (
        "Verdicts: 1 no number, 1 not available.\n\nA note on x\\_4.\n\n"
        "| \\|mean\\| of it | paper | ours | verdict |\n|---|---|---|---|\n"
        "| \\|x\\| | - | 1.00 2.00 | no number |\n| y | 1.00 | - | not available |"
    )
