from __future__ import annotations

import re
import resource
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import components
import pytest

import baxterkit
from baxterkit import Arm
from baxterkit.cli.app import VERBS, group

START_UP_SECONDS = 0.2

NO_CLICK = """
import sys
sys.modules["click"] = None
import importlib.util as util
real = util.find_spec
util.find_spec = lambda name, *rest: None if name == "click" else real(name, *rest)
from baxterkit.cli import main
main(["info"])
"""


def python(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def test_help_lists_every_verb(cli: Any) -> None:
    done = cli("--help")
    assert (done.status, done.err) == (0, "")
    for verb, line in VERBS.items():
        assert f"  {verb}" in done.out
        assert line.split()[-1] in done.out


def test_readme_lists_every_verb() -> None:
    (listed,) = re.findall(r"`baxterkit (info \|.*?)`", (components.ROOT / "README.md").read_text())
    assert listed.split(" | ") == list(VERBS)


# What serves is shortened; what runs for long or needs more files has tests of its own.
SHORTER = {"view": "--seconds 0.2 --no-open"}
LONG = tuple(
    f"baxterkit {words}"
    for words in (
        "reproduce",
        "view --urdf",
        "identify",
        "demo",
        "twin n",
        "ros",
        "workspace map",
        "workspace canopy --step 0.1",
        "workspace report",
        "plot ik untuck --method lm -o lm.gif",
    )
)


def examples_of(verb: str) -> tuple[str, ...]:
    examples: tuple[str, ...] = import_module(f"baxterkit.cli.{verb}").command.examples
    return examples


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_examples(cli: Any, verb: str) -> None:
    help_text = cli(verb, "--help").out
    assert "--json" in help_text
    assert examples_of(verb)
    for example in examples_of(verb):
        assert f"  {example}\n" in help_text


@pytest.mark.parametrize(
    "example",
    [
        example
        for verb in VERBS
        for example in examples_of(verb)
        if not example.startswith(LONG) or "--list" in example
    ],
)
@pytest.mark.usefixtures("pictures_not_drawn", "short_motions")
def test_examples_of_the_help_run(
    cli: Any, example: str, example_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(example_files)
    verb = example.split()[1]
    if "my_baxter.urdf" in example and "right" in example:  # the reader's own file
        (example_files / "my_baxter.urdf").write_text(Arm("right").to_urdf())
    command = example.split(" > ")[0].split(" | ")[0].replace("--tip tool0", "--tip left_tool0")
    command = command.replace("other.bag", "recording.csv").replace("--side right", "")
    command, _, source = command.partition(" < ")
    stdin = (example_files / source).read_text() if source else ""
    done = cli(*shlex.split(f"{command} {SHORTER.get(verb, '')}")[1:], stdin=stdin)
    assert (done.status, done.err) == (0, "")
    assert done.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_own_module(verb: str) -> None:
    assert import_module(f"baxterkit.cli.{verb}").command.name == verb


def test_unknown_verb_is_told_the_known_ones(cli: Any) -> None:
    known = ", ".join(VERBS)
    cli("fly").fails_with(f"no verb 'fly'; available: {known} (see: baxterkit --help)")


def test_version_is_the_packages(cli: Any) -> None:
    assert cli("--version").out.strip() == f"baxterkit, version {baxterkit.__version__}"


def test_missing_click_names_the_extra() -> None:
    done = python("-c", NO_CLICK)
    assert done.returncode == 2
    assert (
        done.stderr
        == "The command line needs click and rich: pip install '.[cli]' in a clone of baxterkit\n"
    )


def test_installed_command_and_module_run_the_same() -> None:
    done = python("-m", "baxterkit", "fk", "1")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: 7 joint angles are needed")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "first"),
    [("fk rows.csv", "x,y,z,"), ("info", None), ("--help", None), ("tree", None)],
)
def test_reader_that_stops_early_is_no_error(
    command: str, first: str | None, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("0 0 0 0 0 0 0\n" * 20_000)
    # The short outputs fit into a pipe's buffer: their reader is gone before the first byte.
    reader = "true" if first is None else "head -n 1"
    pipe = f'(sleep 0.5; "{sys.executable}" -m baxterkit {command}) | {reader}'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", pipe],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(first or "")


def test_without_a_verb_the_help_is_shown(cli: Any) -> None:
    done = cli()
    assert (done.status, done.err) == (0, "")
    assert done.out == cli("--help").out


def test_help_needs_no_verb_module() -> None:
    code = (
        "import sys\nfrom baxterkit.cli.app import run\nrun(['--help'])\n"
        "print([m for m in sys.modules if m.startswith(('baxterkit.cli.fk', 'matplotlib'))])"
    )
    assert python("-c", code).stdout.rstrip().endswith("[]")


def processor_seconds(*args: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert python(*args).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.timing
@pytest.mark.parametrize(("args", "factor"), [(["--help"], 2.0), (["fk", "neutral"], 2.5)])
def test_start_is_quick(args: list[str], factor: float) -> None:
    # Processor time, the best of several. On a machine that is slow, or kept busy by others, some
    # times what a Python with NumPy takes right after is quick enough; tables take rich.
    tried = []
    for _ in range(10):
        own = processor_seconds("-m", "baxterkit", *args)
        tried.append((own, processor_seconds("-c", "import numpy")))
        if own < max(START_UP_SECONDS, factor * tried[-1][1]):
            return
    pytest.fail(f"seconds of the command and of NumPy alone: {tried}")


def test_group_is_documented() -> None:
    assert group.help


@pytest.mark.parametrize("verb", ["plot", "trajectory"])
def test_a_verb_without_its_part_shows_its_help(cli: Any, verb: str) -> None:
    done = cli(verb)
    assert (done.status, done.err) == (0, "")
    assert done.out == cli(verb, "--help").out


def test_errors_show_values_and_the_help_of_their_verb(cli: Any) -> None:
    cli("view", "--seconds", "-1").fails_with(
        "Invalid value for '--seconds': -1.0 is not in the range x>=0.0 "
        "(see: baxterkit view --help)"
    )
    cli("view", "--port", "-1").fails_with("port must be between 0 and 65535, got -1")
    cli("ik", "0.6", "-0.3", "0.2", "--rpy", "1").fails_with(
        "Option '--rpy' requires 3 arguments (see: baxterkit ik --help)"
    )
