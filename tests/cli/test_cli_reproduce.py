"""`baxterkit reproduce`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from baxterkit import experiments
from baxterkit.cli.reproduce import ALL
from baxterkit.experiments import EXPERIMENTS, Settings, figures


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAXTERKIT_DATA", raising=False)


def test_experiments_are_listed(cli: Any) -> None:
    done = cli("reproduce", "--list")
    assert done.status == 0
    assert [line.split()[0] for line in done.out.splitlines()] == [*EXPERIMENTS, "figures"]
    assert cli("reproduce", "--list", "--json").json == ALL


@pytest.mark.slow
def test_a_table_a_report_and_a_summary_come_out(cli: Any, tmp_path: Path) -> None:
    done = cli("reproduce", "ju_pose", "--quick", "--out", tmp_path / "out")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert any("paper" in line and "ours" in line and "verdict" in line for line in lines)
    assert "Point to real ones with --data DIR or BAXTERKIT_DATA=DIR." in " ".join(done.out.split())
    assert lines[-2] == f"report: {tmp_path / 'out' / 'report.html'}"
    assert lines[-1].startswith("ju_pose: 12 synthetic (")
    assert (tmp_path / "out" / "ju_pose_errors.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["kumar_fk", "ju_pose"])
@pytest.mark.usefixtures("pictures_not_drawn")
def test_json_holds_every_row(cli: Any, tmp_path: Path, name: str) -> None:
    facts = cli("reproduce", name, "--quick", "--json", "--out", tmp_path).json
    assert Path(facts["report"]).exists()
    expected = experiments.run(name, Settings(quick=True))
    assert [result["name"] for result in facts["results"]] == [name]
    assert facts["results"][0]["rows"] == json.loads(
        json.dumps([row.as_dict() for row in expected.rows])
    )
    assert len(expected.rows) >= 3


def test_an_unknown_name_is_one_line(cli: Any) -> None:
    cli("reproduce", "smoth").fails_with(f"unknown experiment 'smoth'; available: {', '.join(ALL)}")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--ros", "http://127.0.0.1:1"), "name the experiments that --ros runs"),
        (("kumar_circle", "--patience", "1"), "--patience goes with --ros"),
        (("kumar_circle", "--ros", "http://127.0.0.1:1"), "no ROS master answers at http://127"),
        (("kumar_circle", "--ros", "http://127.0.0.1:1", "--patience", "0"), "patience = 0.0 s"),
        (("kumar_circle", "--ros", "robot.local"), "'robot.local' is no address of a ROS master"),
        (("kumar_fk", "--ros", "http://127.0.0.1:1"), "unknown experiment over ROS 'kumar_fk'"),
    ],
)
def test_what_cannot_run_over_ros_is_said(
    cli: Any, words: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    done = cli("reproduce", *words, "--out", tmp_path)
    assert done.status == 2
    assert says in done.err


def test_the_command_draws_figures_alone_or_after_the_experiments(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def write(folder: Path, settings: Settings, results: list[experiments.Result]) -> Path:
        given.append([one.name for one in results])
        return folder / "index.html"

    monkeypatch.setattr(figures, "write_figures", write)
    done = cli("reproduce", "figures", "--out", tmp_path)
    assert done.out.splitlines() == [f"figures: {tmp_path / 'index.html'}"]
    done = cli("reproduce", "figures", "kumar_fk", "--quick", "--out", tmp_path, "--json")
    assert done.json["figures"] == str(tmp_path / "index.html")
    assert [one["name"] for one in done.json["results"]] == ["kumar_fk"]
    assert given == [[], ["kumar_fk"]]
    assert "figures" in cli("reproduce", "--list").out
    done = cli("reproduce", "figures", "--ros", "http://localhost:1")
    assert "leave --ros out" in done.err
