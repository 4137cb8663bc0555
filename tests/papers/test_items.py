"""docs/papers/items.md: all 124 items of the papers, and every command and call on it runs."""

from __future__ import annotations

import json
import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import SingularityWarning, papers
from baxterkit.cli import app
from baxterkit.cli.reproduce import ALL

PAGE = components.ROOT / "docs" / "papers" / "items.md"
ROW = re.compile(r"^\| ([KSJ]\d+) \| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
STATES = ("works", "corrected", "judged", "differs", "not done")
COUNTS = {"K": 52, "S": 47, "J": 25}

ITEMS = {row[0]: row[1:] for row in ROW.findall(PAGE.read_text("utf-8"))}
CODES = {(name, code): None for name, (_, _, cell) in ITEMS.items() for code in CODE.findall(cell)}
COMMANDS = sorted({code for _, code in CODES if code.startswith("baxterkit ")})
CHEAP = [command for command in COMMANDS if not command.startswith("baxterkit reproduce ")]
LONG = [command for command in COMMANDS if command not in CHEAP]
CALLS = sorted({code for _, code in CODES if code not in COMMANDS})


def test_every_item_is_on_the_page_with_a_state_and_a_command_or_the_reason() -> None:
    for letter, count in COUNTS.items():
        found = [name for name in ITEMS if name[0] == letter]
        assert found == [f"{letter}{i}" for i in range(1, count + 1)]
    for name, (item, state, cell) in ITEMS.items():
        assert item, name
        assert state.startswith(STATES), name
        assert CODE.search(cell) or state.startswith("not done: "), name


def test_every_experiment_that_an_item_names_exists() -> None:
    for command in LONG:
        assert command.split()[2] in ALL, command


def test_every_call_of_the_items_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for part in ("matplotlib", "mujoco"):
        pytest.importorskip(part)
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    for call in CALLS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = eval(call, names)
        assert value is not None, call
        if isinstance(value, np.ndarray):
            finite = np.isfinite(value)
            # Solutions are padded with NaN to a common number.
            assert finite.any() if "ik" in call else finite.all(), call
        elif call.startswith(("arm.ik(", "right.ik(", "planning.plan(")):
            assert value.solved, call


def test_the_call_of_the_warning_warns() -> None:
    (call,) = CODE.findall(ITEMS["K17"][2])
    with pytest.warns(SingularityWarning):
        eval(call, {"papers": papers, "np": np})


CLAIMS = {
    "K11": ("Kumar III.D (1)", "Kumar III.D (2)"),
    "K41": ("Kumar IV.E (1)", "Kumar IV.E (2)"),
    "K42": ("Kumar III.H.2 (1)", "Kumar III.H.2 (2)", "Kumar III.H.2 (3)"),
    "K43": ("Kumar abstract",),
    "K52": ("Kumar V (1)",),
    "S9": ("Smith I (1)",),
    "S15": ("Smith V (1)",),
    "S19": ("Smith I (3)", "Smith I (4)"),
    "S36": ("Smith V (4)",),
    "S37": ("Smith V (5)",),
    "S38": ("Smith V (8)",),
    "S39": ("Smith V (9)",),
    "S40": ("Smith V (2)",),
    "S41": ("Smith V (10)", "Smith V (11)"),
    "S42": ("Smith V (6)",),
    "S43": ("Smith V (7)",),
    "S44": ("Smith V (14)",),
    "S45": ("Smith V (13)",),
    "J19": ("Ju 3.2 (1)",),
    "J25": ("Ju abstract, 4",),
}
"""Item -> the rows of the table of claims that judge it, in the order of the item's verdicts."""


def test_a_judged_item_has_the_verdicts_of_its_claims() -> None:
    kept = json.loads((components.ROOT / "benchmarks/results/reproduce.json").read_text("utf-8"))
    rows = next(one for one in kept["results"] if one["name"] == "claims")["rows"]
    verdicts = {row["quantity"]: row["verdict"] for row in rows}
    said = re.compile("cannot be shown by that experiment|does not hold|not tested|holds")
    assert set(CLAIMS) == {name for name, item in ITEMS.items() if item[1].startswith("judged")}
    for name, claims in CLAIMS.items():
        assert said.findall(ITEMS[name][1]) == [verdicts[claim] for claim in claims], name


def run(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    assert app.run(words[1:]) == 0, command
    if "-o" in words:
        assert Path(words[words.index("-o") + 1]).stat().st_size > 100, command


@pytest.mark.slow
@pytest.mark.parametrize("command", CHEAP)
def test_every_command_of_the_items_runs(
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(command, tmp_path, monkeypatch)
    assert capsys.readouterr().out.strip(), command


@pytest.mark.acceptance
@pytest.mark.parametrize("command", LONG)
def test_every_experiment_of_the_items_runs(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(command, tmp_path, monkeypatch)
    written = tmp_path / "reproduce-out"
    if command.endswith("figures"):
        assert len(list(written.glob("*.png"))) == 24
        assert "Left out: " not in (written / "index.html").read_text("utf-8")
    else:
        assert (written / "report.html").stat().st_size > 1000
