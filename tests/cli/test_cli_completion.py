from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from baxterkit.cli.app import VERBS


def complete(words: str) -> list[str]:
    """What bash is offered after these words."""
    env = {
        **os.environ,
        "_BAXTERKIT_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    code = "from baxterkit.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_verbs_are_completed() -> None:
    assert complete("baxterkit ") == list(VERBS)
    assert complete("baxterkit d") == [verb for verb in VERBS if verb.startswith("d")]


def test_options_choices_poses_and_tools_are_completed() -> None:
    assert "--links" in complete("baxterkit fk --l")
    assert complete("baxterkit fk --side r") == ["right"]
    assert "neutral" in complete("baxterkit fk n")
    assert complete("baxterkit fk --tool el") == ["electric_standard", "electric_extended"]
    assert complete("baxterkit plot w") == ["workspace"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_of_its_shell(cli: Any, shell: str) -> None:
    done = cli("completion", shell)
    assert f"{shell}_complete" in done.out
    assert cli("completion", shell, "--json").json["script"] == done.out.removesuffix("\n")


def test_bash_takes_the_script(cli: Any, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    script = tmp_path / "baxterkit.bash"
    script.write_text(cli("completion", "bash").out)
    done = subprocess.run(
        [bash, "-c", f"source {script} && complete -p baxterkit"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "_baxterkit_completion" in done.stdout
