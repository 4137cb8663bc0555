"""docs/papers/items.md: all 124 items of the papers, and every command and call on it runs."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest

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
            assert np.isfinite(value).any(), call


def run(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert app.run(shlex.split(command)[1:]) == 0, command


@pytest.mark.parametrize("command", CHEAP)
def test_every_command_of_the_items_runs(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(command, tmp_path, monkeypatch)


@pytest.mark.acceptance
@pytest.mark.parametrize("command", LONG)
def test_every_experiment_of_the_items_runs(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(command, tmp_path, monkeypatch)
