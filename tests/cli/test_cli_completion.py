from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import BashComplete

from baxterkit.cli.app import VERBS, group
from baxterkit.cli.completion import VARIABLE


def complete(words: str) -> list[str]:
    """What bash is offered for the last word."""
    *before, last = words.split(" ")[1:]
    shell = BashComplete(group, {}, "baxterkit", VARIABLE)
    return [item.value for item in shell.get_completions(before, last)]


def test_verbs_are_completed() -> None:
    assert complete("baxterkit ") == list(VERBS)
    assert complete("baxterkit d") == [verb for verb in VERBS if verb.startswith("d")]


def test_options_choices_and_names_are_completed() -> None:
    assert "--links" in complete("baxterkit fk --l")
    assert complete("baxterkit fk --side r") == ["right"]
    assert complete("baxterkit fk --tool el") == [
        "electric_standard_narrow",
        "electric_standard_wide",
        "electric_extended_narrow",
        "electric_extended_wide",
    ]
    assert complete("baxterkit view --tool v") == ["vacuum"]
    assert complete("baxterkit plot w") == ["workspace"]
    assert complete("baxterkit export grav") == ["gravity"]
    assert complete("baxterkit export gravity --to cas") == ["casadi"]
    assert complete("baxterkit twin sp") == ["sp", "spiral"]  # the first stands for files
    assert complete("baxterkit reproduce kumar_f") == ["kumar_fk"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_of_its_shell(cli: Any, shell: str) -> None:
    done = cli("completion", shell)
    assert f"{shell}_complete" in done.out
    assert cli("completion", shell, "--json").json["script"] == done.out.removesuffix("\n")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tr", "tree trajectory"),
        ("fk --tool electric_st", "electric_standard_narrow electric_standard_wide"),
        ("fk unt", "untuck"),
        ("fk angles", ""),  # bash goes on with files
    ],
)
def test_bash_completes_by_the_script(cli: Any, tmp_path: Path, words: str, offered: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    program = tmp_path / "baxterkit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m baxterkit "$@"\n')
    program.chmod(0o755)
    (tmp_path / "script").write_text(cli("completion", "bash").out)
    lines = [
        f"cd {tmp_path} && source ./script && complete -p baxterkit >/dev/null",
        "compopt() { :; }",  # works only while bash itself completes
        f"COMP_WORDS=(baxterkit {words}); COMP_CWORD={len(words.split())}",
        '_baxterkit_completion ./baxterkit; echo "${COMPREPLY[*]}"',
    ]
    done = subprocess.run(
        [bash, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == offered
