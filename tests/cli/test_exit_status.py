"""The exit statuses: 0 answered, 1 no answer, 2 not understood, 130 stopped.

0 and 2 of every verb are in `test_every_verb`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from test_every_verb import all_verbs

from baxterkit.cli import status
from baxterkit.trajectory import Trajectory

FAR = "3 0 0 --rpy 0 0 0"

NO_ANSWER = {
    "ik": FAR,
    "ik --all": f"{FAR} --all",
    "ik --json": f"{FAR} --json",
    "ik --all --json": f"{FAR} --all --json",
    "ik of a batch": "far.csv",
    "ik of a batch --json": "far.csv --json",
    "ik of a position": "3 0 0",
    "trajectory shape": "circle --center 2 0 0",
    "trajectory shape --json": "circle --center 2 0 0 --json",
    "trajectory smith": "1 --side right --stretch 0.01",
    "trajectory drawn": "drawing.csv --center 3 0 0",
    "trajectory through": "waypoints.csv --stretch 0.1",
    "trajectory move": "neutral untuck --stretch 0.1",
    "trajectory check": "motion.json --stretch 0.1",
    "trajectory check --json": "motion.json --stretch 0.1 --json",
    "twin": "quick.json --rigid",
    "plot self-motion": FAR,
}
"""Words after a verb, for which there is no answer; a verb may come with what is tried of it."""


def command_of(verb: str) -> click.Command:
    first, *rest = verb.split()
    found: click.Command = import_module(f"baxterkit.cli.{first}").command
    for part in rest:
        assert isinstance(found, click.Group)
        found = found.commands[part]
    return found


@pytest.fixture(autouse=True)
def here(example_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example_files / "far.csv").write_text("0.6 0.3 0.2 1 0 0 0\n9 9 9 1 0 0 0\n")
    Trajectory.load(example_files / "motion.json").stretched(0.1).save(example_files / "quick.json")
    monkeypatch.chdir(example_files)


@pytest.mark.parametrize("case", NO_ANSWER)
def test_no_answer_is_status_1(cli: Any, case: str) -> None:
    verb = next(name for name in sorted(all_verbs(), key=len)[::-1] if case.startswith(name))
    done = cli(*verb.split(), *NO_ANSWER[case].split())
    assert done.status == status.NO_ANSWER
    if "--json" in NO_ANSWER[case] and verb == "ik":
        assert json.loads(done.out)["side"] == "left"
        assert done.err == ""
    else:
        assert len(done.err.splitlines()) == 1
    assert not (Path.cwd() / "self_motion.png").exists()


@pytest.mark.parametrize("verb", all_verbs())
def test_ctrl_c_is_status_130(cli: Any, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_args: object, **_kwargs: object) -> None:
        raise KeyboardInterrupt

    command = command_of(verb)
    monkeypatch.setattr(command, "callback", stop)
    monkeypatch.setattr(command, "params", [])
    done = cli(*verb.split())
    # An empty line goes before it: on a screen, ^C stands there.
    assert (done.status, done.out, done.err.strip()) == (130, "", "Error: stopped")


def test_ctrl_c_stops_a_running_verb() -> None:
    code = "from baxterkit.cli import main; print('ready', flush=True); main(['ik', '-'])"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        # A suite that runs in the background of a shell has it ignored, and its children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)  # by then it waits for rows, or still loads: both can be stopped
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.strip() in ("", "Error: stopped")


def test_the_help_tells_them(cli: Any) -> None:
    text = " ".join(cli("--help").out.split())
    for part in (
        "exit status is 0 on success, 1 where there is no solution",
        "2 for",
        "130 after Ctrl-C",
    ):
        assert part in text


@pytest.mark.parametrize("verb", all_verbs())
def test_files_go_into_folders_that_are_there(cli: Any, verb: str, tmp_path: Path) -> None:
    outputs = [
        option
        for option in command_of(verb).params
        if isinstance(option.type, click.Path) and not option.type.exists
    ]
    for option in outputs:
        folder = tmp_path / "missing"
        target = folder / "deeper" / "file.png"
        named = () if isinstance(option, click.Argument) else (option.opts[0],)
        done = cli(*verb.split(), *named, target)
        assert not folder.exists()
        assert (done.status, done.out) == (status.USAGE, "")
        assert (
            done.err == f"Error: {target}: there is no folder {folder / 'deeper'}; make it first\n"
        )


def test_a_lesson_that_could_not_be_written_is_refused_before_the_work(cli: Any) -> None:
    """No robot is asked: there is none at that address."""
    for command in ("teach wave.csv", "teleop -o wave.csv"):
        done = cli("ros", *command.split(), "--master", "http://localhost:1")
        done.fails_with("wave.csv: a lesson's file ends in .json")
