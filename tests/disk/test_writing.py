"""Files are written all or nothing: what was there stays until the new content is complete."""

from __future__ import annotations

import errno
import os
import pickle
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, disk, errors, trajectory
from baxterkit.errors import BaxterkitError, FileError
from baxterkit.recording import Recording

OLD = b"what was there before\n"


def recording() -> Recording:
    t = np.arange(200.0) / 100.0
    return Recording(t=t, q=np.sin(t)[:, None] * np.linspace(0.1, 0.7, 7), side="left")


def save_figure(path: Path) -> None:
    from baxterkit import plot

    plot.save(plot.skeleton(Arm("left"), Arm("left").configuration("neutral")), path)


def save_page(path: Path) -> None:
    from baxterkit.plot.page import Page

    page = Page("a page")
    page.text("words " * 10_000)
    page.save(path)


def save_picture(path: Path) -> None:
    from baxterkit.sim.render import save_png

    save_png(np.random.default_rng(0).integers(0, 255, (200, 200, 3), dtype=np.uint8), path)


def save_video(path: Path) -> None:
    from baxterkit.sim.render import save_video

    noise = np.random.default_rng(0).integers(0, 255, (3, 100, 100, 3), dtype=np.uint8)
    save_video(noise, path)


def save_motion(path: Path) -> None:
    arm = Arm("left")
    neutral = arm.configuration("neutral")
    trajectory.min_jerk(arm, neutral, neutral + 0.2, 2.0).save(path)


def export(path: Path) -> None:
    from baxterkit.cli.app import run

    status = run(["export", "inverse_dynamics", "--to", "c", "-o", str(path)])
    if status:
        raise FileError(errno.EIO, "the command line said so", str(path))


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "robot file": ("robot.toml", lambda path: Arm("left").to_file(path)),
    "recording, CSV": ("a.csv", lambda path: recording().save(path)),
    "recording, packed": ("a.csv.gz", lambda path: recording().save(path)),
    "recording, Parquet": ("a.parquet", lambda path: recording().save(path)),
    "trajectory, CSV": ("a.csv", save_motion),
    "trajectory, NumPy": ("a.npz", save_motion),
    "trajectory, JSON": ("a.json", save_motion),
    "figure": ("a.png", save_figure),
    "page": ("a.html", save_page),
    "picture": ("a.png", save_picture),
    "video": ("a.gif", save_video),
    "export": ("a.c", export),
}
each_writer = pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS.keys())


@contextmanager
def small_files() -> Iterator[None]:
    """No file may grow beyond 300 bytes: every writer fails in the middle of its work."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nor a module imported here
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = keep
        signal.signal(signal.SIGXFSZ, before)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@each_writer
def test_a_failure_leaves_the_old_file(
    name: str, write: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / name
    # A robot file is read before it is written, so it must be one.
    old = OLD if name != "robot.toml" else b"format = 1\n[right.provenance]\nnote = 'mine'\n"
    path.write_bytes(old)
    with pytest.raises(FileError), small_files():
        write(path)
    assert content(tmp_path) == {name: old}


@each_writer
def test_a_writer_replaces_the_file_and_leaves_nothing_beside(
    name: str, write: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / name
    write(path)
    first = path.read_bytes()
    assert len(first) > 300, "the tests of failures rest on it"
    write(path)
    assert content(tmp_path) == {name: first}


@each_writer
def test_a_missing_folder_is_named(
    name: str, write: Callable[[Path], object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "not" / name
    with pytest.raises(FileError) as caught:
        write(path)
    text = str(caught.value) + capfd.readouterr().err
    assert f"{path}: there is no folder {path.parent}; make it first" in text
    assert list(tmp_path.iterdir()) == []


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    path.write_bytes(OLD)
    path.chmod(0o640)
    disk.write_bytes(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        disk.write_bytes(tmp_path / "other", b"new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o640


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "robot.toml"
    target.write_bytes(OLD)
    link = tmp_path / "robot.toml"
    link.symlink_to(target)
    disk.write_bytes(link, b"new")
    assert link.is_symlink()
    assert content(tmp_path / "real") == {"robot.toml": b"new"}
    dangling = tmp_path / "later"
    dangling.symlink_to(tmp_path / "real" / "made")
    disk.write_bytes(dangling, b"made")
    assert (tmp_path / "real" / "made").read_bytes() == b"made"


def test_an_exception_in_the_block_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    for error in (KeyboardInterrupt, ZeroDivisionError):
        with pytest.raises(error), disk.replacing(path) as file:  # noqa: PT012
            file.write(b"half")
            raise error
        with pytest.raises(error), disk.replacing_path(path) as beside:  # noqa: PT012
            beside.write_bytes(b"half")
            raise error
    assert content(tmp_path) == {"a": OLD}


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    with pytest.raises(FileError) as caught, disk.replacing(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(caught.value) == (
        f"{path}: the disk is full; make room, or choose a place on another disk"
    )
    assert caught.value.errno == errno.ENOSPC
    assert content(tmp_path) == {"a": OLD}


def test_a_full_disk_keeps_both_arms(tmp_path: Path) -> None:
    """The disk is a real one of 16 kB, filled by a stranger."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        path = folder / "robot.toml"
        Arm("left").to_file(path)
        before = path.read_bytes()
        (folder / "stranger").write_bytes(b"x" * 8192)  # room for 4 kB more; two arms need 4.3
        with pytest.raises(FileError, match="the disk is full"):
            Arm("right").to_file(path)
        assert path.read_bytes() == before
        assert not list(folder.glob(".baxterkit-*"))
        assert Arm.from_file(path, "left").side == "left"
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda path: path.mkdir(), "this is a folder; name a file in it"),
        (lambda path: path.symlink_to(path), "its symbolic links lead in a circle"),
    ],
)
def test_what_cannot_be_written_says_why(
    make: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    make(path)
    for act in (disk.check_target, lambda path: disk.write_bytes(path, b"new")):
        with pytest.raises(FileError) as caught:
            act(path)
        assert str(caught.value) == f"{path}: {text}"


def test_odd_names_are_refused_in_words(tmp_path: Path) -> None:
    for name, text in (("a\0b", "it cannot be opened"), ("x" * 300, "the name is too long")):
        with pytest.raises(BaxterkitError, match=text):
            disk.write_bytes(tmp_path / name, b"new")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match="a part of its path is a file"):
        disk.write_bytes(tmp_path / "file" / "a", b"new")
    long = tmp_path / ("y" * 250)
    disk.write_bytes(long, b"new")
    assert long.read_bytes() == b"new"


def test_devices_are_written_as_they_are(tmp_path: Path) -> None:
    disk.write_bytes("/dev/null", b"new")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    done = subprocess.run(
        [sys.executable, "-m", "baxterkit", "export", "gravity", "--to", "c", "-o", "/dev/stdout"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "G[6] = " in done.stdout


def test_a_file_error_pickles_and_is_an_os_error() -> None:
    error = errors.MissingFileError(errno.ENOENT, "there is no such file", "a.csv")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is errors.MissingFileError
    assert (str(again), again.errno) == ("a.csv: there is no such file", errno.ENOENT)
    assert isinstance(error, FileNotFoundError)


KILLED = """
import os, random, signal, sys, time
from baxterkit import Arm
path, times = sys.argv[1], int(sys.argv[2])
left, right = Arm("left"), Arm("right")
left.to_file(path), right.to_file(path)
rng = random.Random(1)
for i in range(times):
    child = os.fork()
    if not child:
        while True:
            left.to_file(path), right.to_file(path)
    time.sleep(rng.uniform(0.0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for side in ("left", "right"):
        assert Arm.from_file(path, side).side == side, i
"""


def kill_often(path: Path, times: int) -> None:
    """Kills a process that rewrites a robot file, at random moments; the file is always whole."""
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", KILLED, str(path), str(times)]
    done = subprocess.run(command, capture_output=True, text=True, env=one_thread)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_killed_process_leaves_a_whole_robot_file(tmp_path: Path) -> None:
    kill_often(tmp_path / "robot.toml", 60)


@pytest.mark.acceptance
def test_hundreds_of_killed_processes_leave_a_whole_robot_file(tmp_path: Path) -> None:
    kill_often(tmp_path / "robot.toml", 400)
