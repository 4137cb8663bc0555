"""The chunks of a map on a Dask cluster whose workers and scheduler are killed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clusters import cluster
from workspace_maps import same

from baxterkit import Baxter, workspace
from baxterkit.errors import InputError
from baxterkit.workspace.cluster import _feed, compute_and_write
from baxterkit.workspace.compute import Job
from baxterkit.workspace.description import describe, description_checksum
from baxterkit.workspace.settings import make_settings
from baxterkit.workspace.store import create, open_store

pytestmark = pytest.mark.filterwarnings("default")  # of Dask, about what was killed
OPTIONS: dict[str, Any] = {"step": 0.4, "orientations": 10, "chunk": 2, "level": "body"}


@pytest.mark.acceptance
def test_killed_workers_and_a_killed_scheduler_cost_no_bit(tmp_path: Path, robot: Baxter) -> None:
    path = tmp_path / "map.zarr"
    fresh = workspace.make_map(tmp_path / "fresh.zarr", workspace.Question(**OPTIONS), robot)
    total = int(np.prod(fresh.settings.chunks))
    with cluster() as (process, address, workers):

        def kill(now: workspace.Progress) -> None:
            if now.done == 3:
                os.kill(workers[0], signal.SIGKILL)
            if now.done == total // 2:
                process.kill()

        with pytest.raises(InputError, match=r"was lost .*; the same command goes on where it"):
            workspace.make_map(
                path, workspace.Question(**OPTIONS), robot, scheduler=address, progress=kill
            )
    store = open_store(path)
    done = int((store.done() != 0).sum())
    assert total // 2 <= done < total
    assert store.unwanted() == []
    told: list[workspace.Progress] = []
    with cluster() as (_, address, _):
        made = workspace.make_map(
            path, workspace.Question(**OPTIONS), robot, scheduler=address, progress=told.append
        )
    assert len(told) == total - done
    same(made, fresh)


@pytest.mark.acceptance
def test_an_adaptive_cluster_grows_and_loses_workers_and_costs_no_bit(
    tmp_path: Path, robot: Baxter
) -> None:
    """It starts with one worker and grows by what waits; each worker is killed once it is seen."""
    from distributed import Client

    options = {**OPTIONS, "step": 0.25, "orientations": 40, "level": "full"}
    fresh = workspace.make_map(tmp_path / "fresh.zarr", workspace.Question(**options), robot)
    total = int(np.prod(fresh.settings.chunks))
    seen: set[int] = set()
    killed: set[int] = set()
    most = 0
    with cluster("adaptive") as (_, address, _), Client(address, set_as_default=False) as client:

        def look(now: workspace.Progress) -> None:
            nonlocal most
            workers = client.scheduler_info(n_workers=-1)["workers"]
            most = max(most, len(workers))
            pids = set(client.run(os.getpid, on_error="ignore").values())
            seen.update(pids)
            if now.done % 40 == 0 and len(pids) > 1:
                victim = min(pids)
                os.kill(victim, signal.SIGKILL)
                killed.add(victim)

        made = workspace.make_map(
            tmp_path / "map.zarr",
            workspace.Question(**options),
            robot,
            scheduler=address,
            progress=look,
        )
    print(f"\n{total} chunks: {len(seen)} workers, {most} at once, {len(killed)} killed")
    assert most > 1
    assert killed
    assert len(seen) > len(killed)
    same(made, fresh)


class Future:
    """Of a cluster that gives a chunk up, whose workers were lost, before it computes it."""

    def __init__(self, job: Any, failures: int) -> None:
        self.job = job
        self.status = "error" if failures > 0 else "finished"

    def exception(self) -> Exception | None:
        return KilledWorker() if self.status == "error" else None

    def result(self) -> Any:
        if self.status == "error":
            raise KilledWorker
        function, *args = self.job
        return function(*args)

    def add_done_callback(self, tell: Any) -> None:
        tell(self)

    def cancel(self) -> None:
        pass


class KilledWorker(Exception):
    """As Dask's."""


class Unlucky:
    """A client of a cluster that loses the workers of each chunk some times."""

    status = "running"

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.asked: dict[Any, int] = {}

    def close(self, timeout: float) -> None:
        self.status = "closed"

    def nthreads(self) -> dict[str, int]:
        return {}

    def submit(self, function: Any, blob: bytes, path: Any, index: Any, **_: Any) -> Future:
        self.asked[index] = self.asked.get(index, 0) + 1
        job = (function, blob, path, index)
        return Future(job, self.failures - self.asked[index] + 1)


@pytest.mark.parametrize("failures", [3, 4])
def test_a_chunk_that_the_cluster_gives_up_is_asked_for_again(
    tmp_path: Path, robot: Baxter, failures: int
) -> None:
    scene = robot.scene()
    settings = make_settings(scene, workspace.Question("left", 0.9, 2, chunk=3))
    job = Job(settings, scene)
    store = create(tmp_path / "map.zarr", describe(settings, scene))
    client = Unlucky(failures)
    missing = list(job.indices)
    if failures > 3:
        with pytest.raises(KilledWorker):
            list(_feed(client, job, store, missing))
        return
    assert sorted(_feed(client, job, store, missing)) == missing
    assert set(client.asked.values()) == {4}
    assert store.unwanted() == []


def test_an_error_of_the_users_progress_is_not_of_the_cluster(
    tmp_path: Path, robot: Baxter, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Unlucky(0)
    monkeypatch.setattr("distributed.Client", lambda *_, **__: client)

    def progress(now: workspace.Progress) -> None:
        raise ZeroDivisionError(f"after chunk {now.done}")

    with pytest.raises(ZeroDivisionError, match="after chunk 1"):
        workspace.make_map(
            tmp_path / "map.zarr",
            workspace.Question("left", 0.9, 2, chunk=3),
            robot,
            scheduler="tcp://127.0.0.1:1",
            progress=progress,
        )
    assert client.status == "closed"


def test_an_address_without_a_scheduler_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baxterkit.workspace.cluster.TIMEOUT", 0.5)
    with pytest.raises(InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        workspace.make_map(
            tmp_path / "map.zarr",
            workspace.Question(step=0.5, orientations=3),
            scheduler="tcp://127.0.0.1:1",
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
    workspace.make_map(path, workspace.Question(step=0.9, orientations=2))
    file = path / "zarr.json"
    data = json.loads(file.read_text())
    data["attributes"][name] = "abacus"
    data["attributes"]["checksum"] = description_checksum(data["attributes"])
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        compute_and_write(b"", path, (0, 0, 0, 0))
