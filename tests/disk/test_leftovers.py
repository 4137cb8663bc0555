"""What a killed writer leaves is removed by the next one; what a live one writes is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from baxterkit import disk
from baxterkit.disk import leftovers
from baxterkit.disk.leftovers import OLD

WRITER = """
import sys, time
from baxterkit import disk

with disk.{how}(sys.argv[1]) as file:
    print("writing", flush=True)
    time.sleep(60.0)
"""


@pytest.fixture(autouse=True)
def nothing_looked_at() -> None:
    leftovers._looked.clear()


def writer(path: Path, how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER.format(how=how), str(path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "writing\n"
    return child


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


@pytest.mark.parametrize("how", ["replacing", "replacing_path"])
def test_what_a_killed_process_left_is_removed_by_the_next_writer(tmp_path: Path, how: str) -> None:
    child = writer(tmp_path / "motion.csv", how)
    (unfinished,) = tmp_path.glob(".baxterkit-*")
    age(unfinished, OLD + 60.0)
    disk.write_text(tmp_path / "other.txt", "while it is alive")
    assert unfinished.exists()
    child.kill()
    child.communicate()
    leftovers._looked.clear()
    disk.write_text(tmp_path / "other.txt", "after it was killed")
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


def test_only_old_files_of_ours_are_removed(tmp_path: Path) -> None:
    fresh = tmp_path / f".baxterkit-{'0' * 16}.tmp"
    others = [".baxterkit-notes.txt", f".baxterkit-{'0' * 15}.tmp", f"baxterkit-{'0' * 16}.tmp"]
    kept = [fresh, *(tmp_path / name for name in others)]
    for path in kept:
        path.write_text("kept")
    for path in kept[1:]:
        age(path, 10.0 * OLD)
    precious = tmp_path / "precious"
    precious.write_text("kept")
    age(precious, 10.0 * OLD)
    (tmp_path / f".baxterkit-{'1' * 16}.tmp").symlink_to(precious)
    (tmp_path / f".baxterkit-{'2' * 16}.tmp").mkdir()
    os.mkfifo(tmp_path / f".baxterkit-{'3' * 16}.tmp")
    old = tmp_path / f".baxterkit-{'4' * 16}.npz"
    old.write_text("left over")
    age(old, 10.0 * OLD)
    before = {*tmp_path.iterdir()}
    disk.write_text(tmp_path / "new.txt", "")
    assert {*tmp_path.iterdir()} == (before - {old}) | {tmp_path / "new.txt"}


def test_a_folder_is_looked_at_once(tmp_path: Path) -> None:
    disk.write_text(tmp_path / "new.txt", "")
    old = tmp_path / f".baxterkit-{'4' * 16}.tmp"
    old.write_text("since then")
    age(old, 10.0 * OLD)
    disk.write_text(tmp_path / "new.txt", "")
    assert old.exists()
