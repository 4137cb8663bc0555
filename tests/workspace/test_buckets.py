"""A map in a bucket: S3 as moto serves it on this machine."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clusters import cluster
from workspace_maps import same

from baxterkit import Baxter, workspace
from baxterkit.errors import FileError, InputError
from baxterkit.workspace.store import open_store

pytestmark = [pytest.mark.acceptance, pytest.mark.filterwarnings("default")]
OPTIONS: dict[str, Any] = {"step": 0.25, "orientations": 12, "chunk": 3, "level": "body"}
IN_TIME = 120.0


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty bucket."""
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed: pip install s3fs")
    pytest.importorskip("moto", reason="moto is not installed: pip install 'moto[server]'")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    for name, value in (
        ("ENDPOINT_URL", f"http://127.0.0.1:{port}"),
        ("ACCESS_KEY_ID", "nobody"),
        ("SECRET_ACCESS_KEY", "nothing"),
        ("DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(f"AWS_{name}", value)
    s3fs.S3FileSystem.clear_instance_cache()
    name = f"baxter-{port}"  # the servers of a process share their buckets
    s3fs.S3FileSystem().mkdir(name)
    yield f"s3://{name}"
    close_sessions(s3fs.S3FileSystem)
    server.stop()


def close_sessions(files: Any) -> None:
    """Closes what s3fs leaves open until the program ends; in the loops where it was opened."""
    from zarr.core.sync import _get_loop

    for one in list(files._cache.values()):
        client = getattr(one, "_s3", None)
        if client is not None:
            loop = _get_loop() if one.asynchronous else one.loop
            end = client.__aexit__(None, None, None)
            asyncio.run_coroutine_threadsafe(end, loop).result(10.0)
    files.clear_instance_cache()


def done(address: str) -> int:
    """Number of chunks that are done."""
    import s3fs

    files = s3fs.S3FileSystem(use_listings_cache=False)
    return len(files.find(f"{address}/done/c"))


def test_a_killed_job_in_a_bucket_resumes_on_a_cluster(
    tmp_path: Path, robot: Baxter, bucket: str
) -> None:
    """Killed while it computes here, and finished by workers that write to the bucket."""
    fresh = workspace.make_map(tmp_path / "fresh.zarr", workspace.Question(**OPTIONS), robot)
    total = int(np.prod(fresh.settings.chunks))
    address = f"{bucket}/maps/left.zarr"
    made = f"workspace.make_map({address!r}, workspace.Question(**{OPTIONS}))"
    code = f"from baxterkit import workspace; {made}"
    process = subprocess.Popen([sys.executable, "-c", code])
    end = time.monotonic() + IN_TIME
    while done(address) < 3:
        assert process.poll() is None, "the job ended by itself"
        assert time.monotonic() < end, "no chunk in time"
        time.sleep(0.05)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    with pytest.raises(InputError, match=rf"of {total} chunks are missing"):
        workspace.open_map(address)
    before = int((open_store(address).done() != 0).sum())
    told: list[workspace.Progress] = []
    with cluster() as (_, scheduler, _):
        made = workspace.make_map(
            address, workspace.Question(**OPTIONS), robot, scheduler=scheduler, progress=told.append
        )
    print(f"\n{total} chunks, {before} of them before the kill")
    assert len(told) == total - before
    same(made, fresh)
    T = robot.left.fk(robot.left.configuration("neutral"))
    assert workspace.open_map(address).score(T).guess == fresh.score(T).guess


def test_what_is_no_bucket_or_holds_other_files_is_said(bucket: str) -> None:
    import s3fs

    with pytest.raises(FileError, match=r"this cannot be written .*bucket does not exist"):
        workspace.make_map("s3://nowhere/map.zarr", workspace.Question(step=0.9, orientations=1))
    s3fs.S3FileSystem().pipe(f"{bucket}/letters/dear.txt", b"Dear")
    with pytest.raises(FileError, match="this address holds other files than a map"):
        workspace.make_map(f"{bucket}/letters", workspace.Question(step=0.9, orientations=1))
