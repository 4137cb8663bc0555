"""Small files that stand for large ones are refused, within 5 s and 1 GB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def explode(size: int, limit: str) -> None:
    """Reads each bomb of `size` MB where at most `limit` MB of a file are read."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("bombs.py")), str(size)],
        capture_output=True,
        text=True,
        env={**os.environ, "BAXTERKIT_MAX_FILE_MB": limit},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == 15
    assert [(one["name"], one["problem"]) for one in told if one["problem"]] == []


@pytest.mark.slow
def test_bombs_are_refused() -> None:
    explode(3, "2")


@pytest.mark.acceptance
def test_bombs_are_refused_within_bounds_where_the_limit_is_the_usual_one() -> None:
    explode(400, "")
