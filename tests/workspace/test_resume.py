"""Jobs that are killed, interrupted or run out of disk, and folders that are no good."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from workspace_maps import SMALL, same

from baxterkit import Baxter, workspace
from baxterkit.errors import FileError, InputError, MissingFileError
from baxterkit.workspace.description import description_checksum
from baxterkit.workspace.store import open_store

FIRST_CHUNK_S = 60.0


def marks(path: Path) -> dict[Path, int]:
    """The marks of the chunks that are done, with the times of their files [ns]."""
    files = (path / "done" / "c").rglob("*") if (path / "done").exists() else ()
    return {f: f.stat().st_mtime_ns for f in files if f.is_file() and ".partial" not in f.name}


def until_some_are_done(process: subprocess.Popen[Any], path: Path, count: int) -> None:
    end = time.monotonic() + FIRST_CHUNK_S
    while len(marks(path)) < count:
        assert time.monotonic() < end, "no chunk in time"
        assert process.poll() is None, "the job ended by itself"
        time.sleep(0.005)


@pytest.mark.slow
def test_a_killed_job_resumes_and_loses_one_chunk(tmp_path: Path, robot: Baxter) -> None:
    options = {"step": 0.3, "orientations": 15, "chunk": 3}
    code = (  # it waits to be killed
        "import time; from baxterkit import workspace; workspace.make_map('map.zarr', "
        f"workspace.Question(**{options}), threads=1, "
        "progress=lambda now: now.done < 3 or time.sleep(600.0))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    path = tmp_path / "map.zarr"
    until_some_are_done(process, path, 3)
    process.kill()  # SIGKILL
    assert process.wait() == -signal.SIGKILL
    before = marks(path)
    total = int(np.prod(open_store(path).settings.chunks))
    assert 3 <= len(before) < total
    with pytest.raises(InputError, match=rf"{total - len(before)} of {total} chunks are missing"):
        workspace.open_map(path)
    told: list[workspace.Progress] = []
    resumed = workspace.make_map(path, workspace.Question(**options), robot, progress=told.append)  # type: ignore[arg-type]
    assert len(told) == total - len(before)  # what was done was not done again
    assert {f: t for f, t in marks(path).items() if f in before} == before
    assert told[-1].done == told[-1].total == total
    assert told[-1].left == 0.0
    assert told[-1].rate > 0.0
    fresh = workspace.make_map(tmp_path / "fresh.zarr", workspace.Question(**options), robot)  # type: ignore[arg-type]
    same(resumed, fresh)


def test_ctrl_c_ends_a_job_cleanly(tmp_path: Path) -> None:
    words = "workspace map --step 0.05 --orientations 300 --threads 2 --out map.zarr"
    command = [sys.executable, "-m", "baxterkit", *words.split()]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stderr=pipe,
        stdout=pipe,
        text=True,
        # A suite that runs in the background of a shell has it ignored, and its children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    path = tmp_path / "map.zarr"
    until_some_are_done(process, path, 5)  # four were under way at the start
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    first, second = filter(None, err.splitlines())
    assert first.endswith("chunks are done; the same command goes on from there")
    assert second == "Error: stopped"
    store = open_store(path)
    assert store.unwanted() == []
    assert (store.done() != 0).sum() == len(marks(path))


def test_an_interrupted_job_leaves_the_number_of_threads(tmp_path: Path) -> None:
    from baxterkit import backend_info

    def stop(_: workspace.Progress) -> None:
        raise KeyboardInterrupt

    before = backend_info()["threads"]
    with pytest.raises(KeyboardInterrupt):
        workspace.make_map(tmp_path / "map.zarr", workspace.Question(**SMALL), progress=stop)  # type: ignore[arg-type]
    assert backend_info()["threads"] == before
    assert threading.active_count() < 50


def test_a_full_disk_is_said_and_the_job_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reach_map: workspace.Map
) -> None:
    from zarr.storage import _local

    path = tmp_path / "map.zarr"
    put, left = _local._put, [40]

    def full(*args: Any, **options: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return put(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(_local, "_put", full)
        with pytest.raises(FileError, match="the disk is full; make room") as caught:
            workspace.make_map(path, workspace.Question(**SMALL))  # type: ignore[arg-type]
    assert caught.value.errno == errno.ENOSPC
    assert "the same command goes on where it stopped" in str(caught.value)
    assert 0 < len(marks(path)) < 8
    same(workspace.make_map(path, workspace.Question(**SMALL)), reach_map)  # type: ignore[arg-type]


def test_a_job_killed_while_it_made_the_folder_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reach_map: workspace.Map
) -> None:
    from zarr.storage import _local

    put = _local._put
    for number in (1, 4, 9):  # the folder has 8 arrays
        path, left = tmp_path / f"{number}.zarr", [number]

        def killed(*args: Any, left: list[int] = left, **options: Any) -> int:
            left[0] -= 1
            if left[0] < 0:
                raise RuntimeError("killed")
            return put(*args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(_local, "_put", killed)
            with pytest.raises(RuntimeError, match="killed"):
                workspace.make_map(path, workspace.Question(**SMALL))  # type: ignore[arg-type]
        same(workspace.make_map(path, workspace.Question(**SMALL)), reach_map)  # type: ignore[arg-type]


def test_a_finished_map_is_not_computed_again(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, workspace.Question(step=0.5, orientations=3))
    before = marks(path)
    told: list[object] = []
    workspace.make_map(path, workspace.Question(step=0.5, orientations=3), progress=told.append)
    assert told == []
    assert marks(path) == before


def test_a_damaged_chunk_is_found_refused_and_repaired(
    tmp_path: Path, reach_map: workspace.Map
) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, workspace.Question(**SMALL))  # type: ignore[arg-type]
    files = sorted(f for f in (path / "status" / "c").rglob("*") if f.is_file())
    for file, damage in zip(files, (b"", b"garbage", None), strict=False):
        file.unlink() if damage is None else file.write_bytes(damage)
    with pytest.raises(InputError, match=r"3 chunks are damaged, the first is \(0, 0, 0, 0\)"):
        workspace.make_map(path, workspace.Question(**SMALL))  # type: ignore[arg-type]
    same(workspace.make_map(path, workspace.Question(**SMALL), repair=True), reach_map)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["fraction", "done", "x"])
def test_a_damaged_array_is_repaired(tmp_path: Path, reach_map: workspace.Map, name: str) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, workspace.Question(**SMALL))  # type: ignore[arg-type]
    (path / name / "zarr.json").write_text("{")
    with pytest.raises(FileError, match=r"the map is damaged .*; make it again with --repair"):
        workspace.make_map(path, workspace.Question(**SMALL))  # type: ignore[arg-type]
    same(workspace.make_map(path, workspace.Question(**SMALL), repair=True), reach_map)  # type: ignore[arg-type]
    import zarr

    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["x"][:], reach_map.grid.axes[0])


@pytest.mark.parametrize(
    ("name", "damage"),
    [("fraction", None), ("counts", None), ("status", None), ("status", "swap")],
)
def test_a_finished_map_that_lost_a_file_is_refused_to_who_reads_it(
    tmp_path: Path, name: str, damage: str | None
) -> None:
    """zarr would give the cells of a lost file as empty, and swapped files as they are."""
    made = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question(step=0.5, orientations=3, chunk=3)
    )
    files = sorted(f for f in (tmp_path / "map.zarr" / name / "c").rglob("*") if f.is_file())
    sizes = [file.read_bytes() for file in files]
    if damage is None:
        files[0].unlink()
    else:
        other = next(n for n, data in enumerate(sizes) if data != sizes[0])
        files[0].write_bytes(sizes[other])
    again = workspace.open_map(made.path)
    if damage is None:
        with pytest.raises(FileError, match=rf"parts of {name} are missing\); make it again"):
            again[name]
    T = np.eye(4)
    T[:3, 3] = again.grid.middles()[0, 0, 0]
    with pytest.raises(FileError, match=r"the map is damaged"):
        again.score(T)


def test_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, workspace.Question(step=0.5, orientations=3))
    with pytest.raises(InputError, match=r"settings\.orientations: 3 there, 4 here"):
        workspace.make_map(path, workspace.Question(step=0.5, orientations=4))
    with pytest.raises(InputError, match="choose another folder"):
        workspace.make_map(path, workspace.Question("right", step=0.5, orientations=3))


def edited(path: Path, **changes: object) -> None:
    file = path / "zarr.json"
    data = json.loads(file.read_text())
    data["attributes"] |= changes
    data["attributes"]["checksum"] = description_checksum(data["attributes"])
    file.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 1}, r"an older format \(1; this version writes and reads 4\); make it again"),
        ({"format": 5}, r"another format \(5; this version"),
        ({"kind": "weather"}, "this zarr group is no map of baxterkit"),
        ({"settings": {"sides": 3}}, "its settings are damaged"),
        ({"isa": "abacus"}, r'isa: "abacus" there'),
        ({"baxterkit": "0.0.1"}, r'baxterkit: "0.0.1" there'),
    ],
)
def test_older_and_foreign_maps_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, workspace.Question(step=0.5, orientations=3))
    before = sorted(path.rglob("*"))
    edited(path, **changes)
    with pytest.raises((FileError, InputError), match=message):
        workspace.make_map(path, workspace.Question(step=0.5, orientations=3))
    assert sorted(path.rglob("*")) == before


def test_other_folders_and_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear")
    (tmp_path / "file").write_text("")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "zarr.json").write_text("{")
    for name, message in (
        ("letters", "this folder holds other files than a map; choose another place"),
        ("file", "this is a file; a map is a folder"),
        ("broken", "its zarr metadata cannot be read"),
        ("no/map.zarr", "there is no folder .*; make it first"),
    ):
        with pytest.raises(FileError, match=message):
            workspace.make_map(tmp_path / name, workspace.Question(step=0.5, orientations=3))
    assert [p.name for p in (tmp_path / "letters").iterdir()] == ["dear.txt"]
    with pytest.raises(MissingFileError, match="there is no map"):
        workspace.open_map(tmp_path / "nothing")


def test_an_empty_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "map.zarr").mkdir()
    workspace.make_map(tmp_path / "map.zarr", workspace.Question(step=0.5, orientations=3))


def test_an_address_of_a_file_is_a_path(tmp_path: Path) -> None:
    made = workspace.make_map(
        f"file://{tmp_path}/map.zarr", workspace.Question(step=0.9, orientations=2)
    )
    same(workspace.open_map(tmp_path / "map.zarr"), made)


def test_an_address_is_opened_by_fsspec(reach_map: workspace.Map) -> None:
    import fsspec

    address = "memory://bucket/map.zarr"
    made = workspace.make_map(address, workspace.Question(**SMALL))  # type: ignore[arg-type]
    same(made, reach_map)
    assert fsspec.filesystem("memory").exists("/bucket/map.zarr/zarr.json")
    told: list[object] = []
    workspace.make_map(address, workspace.Question(**SMALL), progress=told.append)  # type: ignore[arg-type]
    assert told == []
    with pytest.raises(InputError, match=r"nowhere://x/map.zarr cannot be opened"):
        workspace.make_map("nowhere://x/map.zarr", workspace.Question(**SMALL))  # type: ignore[arg-type]
    fsspec.filesystem("memory").pipe("/bucket/letters/dear.txt", b"Dear")
    with pytest.raises(FileError, match="this address holds other files than a map"):
        workspace.make_map("memory://bucket/letters", workspace.Question(**SMALL))  # type: ignore[arg-type]


def test_a_bucket_that_fails_is_said_and_the_job_resumes(
    monkeypatch: pytest.MonkeyPatch, reach_map: workspace.Map
) -> None:
    from zarr.storage import FsspecStore

    address = "memory://broken/map.zarr"
    put, left = FsspecStore.set, [40]

    async def fails(*args: Any, **options: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError("the line is dead")
        await put(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(FsspecStore, "set", fails)
        with pytest.raises(
            FileError, match=r"cannot be written \(RuntimeError: the line is dead\); the same"
        ):
            workspace.make_map(address, workspace.Question(**SMALL))  # type: ignore[arg-type]
    same(workspace.make_map(address, workspace.Question(**SMALL)), reach_map)  # type: ignore[arg-type]
