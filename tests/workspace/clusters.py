"""A Dask cluster for a test, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCRIPT = Path(__file__).with_name("dask_cluster.py")


@contextmanager
def cluster(*words: str) -> Iterator[tuple[subprocess.Popen[str], str, list[int]]]:
    """The process of a scheduler, its address, and its first workers."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    workers: list[int] = []
    try:
        assert process.stdout is not None
        facts = json.loads(process.stdout.readline())
        workers = facts["workers"]
        yield process, facts["address"], workers
    finally:
        assert process.stdin is not None
        process.stdin.close()
        assert process.stdout is not None
        process.stdout.close()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
        for pid in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
