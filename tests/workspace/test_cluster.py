"""The chunks of a map on a Dask cluster whose workers and scheduler are killed."""

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
from typing import Any

import numpy as np
import pytest
from workspace_maps import same

from baxterkit import Baxter, workspace
from baxterkit.errors import InputError
from baxterkit.workspace.cluster import compute_and_write
from baxterkit.workspace.store import open_store

pytestmark = pytest.mark.filterwarnings("default")  # of Dask, about what was killed
SCRIPT = Path(__file__).with_name("dask_cluster.py")
OPTIONS: dict[str, Any] = {"step": 0.4, "orientations": 10, "chunk": 2, "level": "body"}


@contextmanager
def cluster() -> Iterator[tuple[subprocess.Popen[str], str, list[int]]]:
    """The process of a scheduler, its address, and its workers."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
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


@pytest.mark.acceptance
def test_killed_workers_and_a_killed_scheduler_cost_no_bit(tmp_path: Path, robot: Baxter) -> None:
    path = tmp_path / "map.zarr"
    fresh = workspace.make_map(tmp_path / "fresh.zarr", robot=robot, **OPTIONS)
    total = int(np.prod(fresh.settings.chunks))
    with cluster() as (process, address, workers):

        def kill(now: workspace.Progress) -> None:
            if now.done == 3:
                os.kill(workers[0], signal.SIGKILL)
            if now.done == total // 2:
                process.kill()

        with pytest.raises(InputError, match=r"was lost .*; the same command goes on where it"):
            workspace.make_map(path, robot=robot, scheduler=address, progress=kill, **OPTIONS)
    store = open_store(path)
    done = int((store.done() != 0).sum())
    assert total // 2 <= done < total
    assert store.unwanted() == []
    told: list[workspace.Progress] = []
    with cluster() as (_, address, _):
        made = workspace.make_map(
            path, robot=robot, scheduler=address, progress=told.append, **OPTIONS
        )
    assert len(told) == total - done
    same(made, fresh)


def test_an_address_without_a_scheduler_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baxterkit.workspace.cluster.TIMEOUT", 0.5)
    with pytest.raises(InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        workspace.make_map(
            tmp_path / "map.zarr", step=0.5, orientations=3, scheduler="tcp://127.0.0.1:1"
        )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("isa", "start all workers with BAXTERKIT_ISA=abacus"),
        ("baxterkit", "install that version on all workers"),
    ],
)
def test_a_worker_that_would_compute_other_bits_refuses(
    tmp_path: Path, name: str, message: str
) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, step=0.9, orientations=2)
    file = path / "zarr.json"
    data = json.loads(file.read_text())
    data["attributes"][name] = "abacus"
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        compute_and_write(b"", path, (0, 0, 0, 0))
