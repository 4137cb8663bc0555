"""Readers take regular files up to a size, and refuse the rest at once, in words."""

from __future__ import annotations

import gzip
import io
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, disk, recording, trajectory
from baxterkit.errors import BaxterkitError, FileError, InputError, MissingFileError
from baxterkit.look.collada import read_collada
from baxterkit.model.urdf_reader import read_urdf

READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "URDF": ("a.urdf", read_urdf),
    "robot file": ("robot.toml", Arm.from_file),
    "recording, CSV": ("a.csv", recording.load),
    "recording, text": ("a.txt", recording.load),
    "recording, MATLAB": ("a.mat", recording.load),
    "recording, Parquet": ("a.parquet", recording.load),
    "recording, bag": ("a.bag", recording.load),
    "recording, packed": ("a.csv.gz", recording.load),
    "trajectory, CSV": ("a.csv", trajectory.Trajectory.load),
    "trajectory, NumPy": ("a.npz", trajectory.Trajectory.load),
    "trajectory, JSON": ("a.json", trajectory.Trajectory.load),
    "points": ("a.csv", trajectory.read_points),
    "mesh": ("a.dae", read_collada),
}
each_reader = pytest.mark.parametrize(("name", "read"), READERS.values(), ids=READERS.keys())


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        before = Path.cwd()
        os.chdir(path.parent)  # the name of a socket may have 107 bytes
        try:
            one.bind(path.name)
        finally:
            os.chdir(before)


def make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**30)


KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "this is a pipe; only regular files are read"),
    "socket": (make_socket, "this is a socket; only regular files are read"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "this is a device"),
    "folder": (lambda path: path.mkdir(), "this is a folder; name one file in it"),
    "circle of links": (lambda path: path.symlink_to(path), "links lead in a circle"),
    "nothing": (lambda path: None, "there is no"),
    "1 GB of zeros": (make_sparse, "it has 1024 MB, and at most|not a ROS 1 bag"),
}


@each_reader
@pytest.mark.parametrize(("make", "text"), KINDS.values(), ids=KINDS.keys())
def test_what_is_no_regular_file_is_refused(
    name: str, read: Callable[[Path], object], make: Callable[[Path], object], text: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    path = tmp_path / name
    make(path)
    with pytest.raises(BaxterkitError, match=text):
        read(path)


@each_reader
def test_names_that_no_system_knows_are_refused(
    name: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    for odd in (f"nul\0{name}", f"{'x' * 300}{name}"):
        with pytest.raises(BaxterkitError):
            read(tmp_path / odd)


def bomb(line: bytes, size: int) -> bytes:
    """A gzip file of a few hundred kilobytes that unpacks to `size` bytes."""
    packed = io.BytesIO()
    block = line * (2**20 // len(line))
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6) as file:
        for _ in range(size // len(block)):
            file.write(block)
    return packed.getvalue()


@pytest.fixture(scope="module")
def bombs() -> dict[str, bytes]:
    lines = {"zeros": b"\0" * 1024, "newlines": b"\n" * 1024, "rows": b"0,0,0,0,0,0,0\n"}
    return {name: bomb(line, 12 * 2**20) for name, line in lines.items()}


@pytest.mark.parametrize("content", ["zeros", "newlines", "rows"])
@pytest.mark.parametrize("name", ["a.csv.gz", "a.mat.gz", "a.parquet.gz", "a.bag.gz", "a.txt.gz"])
def test_a_packed_file_is_unpacked_up_to_the_limit(
    name: str,
    content: str,
    bombs: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", "8")
    path = tmp_path / name
    path.write_bytes(bombs[content])
    with pytest.raises(BaxterkitError, match="unpack to more than 8 MB, and at most 8 MB"):
        recording.load(path)


def test_newlines_alone_do_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\n" * 4_000_002)
    for read in (recording.load, trajectory.read_points):
        with pytest.raises(BaxterkitError, match="more than 4000000 lines"):
            read(path)


def test_an_archive_is_unpacked_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", "8")
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        header = np.lib.format.header_data_from_array_1_0(np.zeros(1))
        with archive.open("knots.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, {**header, "shape": (2**29,)})
            for _ in range(12):
                member.write(bytes(2**20))
    with pytest.raises(InputError, match="unpacks to more than that, and at most 8 MB"):
        trajectory.Trajectory.load(path)


def test_the_limit_can_be_raised_and_the_message_says_how(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x y\n" + "0.1 0.2\n" * 1000)
    assert len(trajectory.read_points(path)) == 1000
    monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", "0.00390625")
    with pytest.raises(InputError) as caught:
        trajectory.read_points(path)
    assert str(caught.value) == (
        f"{path}: it has 0.00763 MB, and at most 0.00391 MB are read; set the environment variable "
        "BAXTERKIT_MAX_FILE_MB to read larger files"
    )
    monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", "0.01")
    assert len(trajectory.read_points(path)) == 1000
    for wrong in ("much", "0", "-1", "nan", "inf"):
        monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", wrong)
        with pytest.raises(InputError, match="must be a positive number of MB"):
            trajectory.read_points(path)


def test_a_missing_file_is_still_pythons_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        recording.load(tmp_path / "none.csv")
    assert isinstance(caught.value, MissingFileError)
    assert str(caught.value) == f"{tmp_path / 'none.csv'}: there is no such file"


def test_a_file_that_grows_while_it_is_read_stops_at_the_limit() -> None:
    with pytest.raises(FileError, match="and at most"):
        disk.read_bytes("/proc/self/maps", 1000)  # says that it has 0 bytes


def test_standard_input_ends_at_the_limit() -> None:
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-m", "baxterkit", "fk", "-"],
            stdin=zeros,
            capture_output=True,
            text=True,
            env={**os.environ, "BAXTERKIT_MAX_FILE_MB": "1"},
            check=False,
        )
    assert done.returncode == 2
    assert "stdin: more than that came in, and at most 1 MB are read" in done.stderr


def test_a_far_last_time_is_refused_with_its_row() -> None:
    t = np.arange(100.0) / 100.0
    t[-1] = 1e11
    far = recording.Recording(t=t, q=np.zeros((100, 7)))
    with pytest.raises(InputError) as caught:
        far.resampled(100.0)
    assert str(caught.value) == (
        "100 Hz from 0 to 1e+11 s are 1e+13 rows, at most 10,000,000 are made; row 99 is 1e+11 s "
        "after the one before: leave out what is broken, or take a lower rate"
    )
    assert len(far[:99].resampled(100.0)) == 99
    for last in (1e300, 1.7e308):
        with pytest.raises(InputError, match="row 1 is"):
            recording.Recording(t=[0.0, last], q=np.zeros((2, 7))).resampled(100.0)


@pytest.fixture(autouse=True)
def _nothing_is_left_open() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) <= before + 2  # what an imported library opens, once
