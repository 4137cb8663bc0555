"""Atomic writes: to a file beside the target, to the disk, then renamed into its place.

Whatever goes wrong (a full disk, a crash, a signal, an exception), the target holds either its
former or all of its new content. Only a process that is killed leaves its unfinished file beside
the target, under a name that starts with `.baxterkit-`; the next one that writes into the folder
removes it (`leftovers`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from baxterkit.disk.leftovers import hold, remove_leftovers
from baxterkit.disk.paths import as_path
from baxterkit.disk.reasons import fail, fail_system, shown
from baxterkit.errors import BaxterkitError, MissingFileError

AnyPath: TypeAlias = "str | os.PathLike[str]"

PREFIX = ".baxterkit-"
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
_CREATE |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def write_text(path: AnyPath, text: str) -> None:
    """Writes text as UTF-8, atomically; line ends are those of `text`.

    Raises:
        FileError: If it cannot be written; the file is then as it was.
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: AnyPath, data: bytes) -> None:
    """Writes bytes atomically.

    Raises:
        FileError: If they cannot be written; the file is then as it was.
    """
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: AnyPath) -> Iterator[BinaryIO]:
    """A file to write to, which replaces `path` when the block ends without error.

    A link is followed, and its target is replaced. Permissions of an existing file are kept, and
    its owner where the system allows it. Devices and pipes (`/dev/stdout`) are written directly.

    Raises:
        FileError: If the folder is missing or the file cannot be written.
    """
    with _system_errors(path):
        target = _target(path)
        if target is None:
            with open(path, "wb") as file:
                yield file
            return
        beside = _beside(target, "")
        with _discarding(beside):
            with os.fdopen(_create(beside, target), "r+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _put(beside, target)


@contextmanager
def replacing_path(path: AnyPath) -> Iterator[Path]:
    """Like `replacing`, for a program that takes a name: a path with the same extension as `path`.

    Raises:
        FileError: If the folder is missing or the file cannot be written.
    """
    with _system_errors(path):
        target = _target(path)
        if target is None:
            yield Path(path)
            return
        beside = _beside(target, target.suffix)
        with _discarding(beside):
            held = _create(beside, target)  # open, and so locked, while the program writes
            try:
                yield beside
                descriptor = os.open(beside, os.O_RDWR | getattr(os, "O_BINARY", 0))
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
            finally:
                os.close(held)
            _put(beside, target)


def check_target(path: AnyPath) -> None:
    """Raises FileError if `path` cannot be written; call it before long work, not after."""
    with _system_errors(path):
        target = _target(path)
        if target is not None:
            beside = _beside(target, "")
            with _discarding(beside):
                os.close(_create(beside, target))


def make_folder(path: AnyPath) -> None:
    """Makes a folder if it does not exist; its parent must exist.

    Raises:
        FileError: If it cannot be made.
    """
    with _system_errors(path):
        above = Path(os.path.abspath(path)).parent
        if not above.is_dir():
            fail(path, f"there is no folder {shown(above)}; make it first", errno.ENOENT)
        try:
            os.mkdir(path)
        except FileExistsError:
            if not Path(path).is_dir():
                fail(path, "this is a file, not a folder", errno.ENOTDIR)


def _target(path: AnyPath) -> Path | None:
    """The file that `path` leads to; None if it is a device or a pipe, to be written as it is."""
    text = os.fspath(path)
    try:
        mode = os.stat(text).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        fail(path, "this is a folder; name a file in it", errno.EISDIR)
    if mode is not None and stat.S_ISSOCK(mode):
        fail(path, "this is a socket; name a file", errno.ENXIO)
    # /dev/stdout may lead to a regular file that the shell holds open.
    if (mode is not None and not stat.S_ISREG(mode)) or text.startswith(("/dev/", "/proc/")):
        return None
    target = Path(os.path.realpath(text))
    if mode is not None and not os.access(target, os.W_OK):
        fail(path, "the file is read-only; change its permissions or name another", errno.EACCES)
    if not target.parent.is_dir():
        folder = target.parent if Path(text).parent.is_dir() else Path(text).parent
        message = f"there is no folder {shown(folder)}; make it first"
        raise MissingFileError(errno.ENOENT, message, shown(path))
    return target


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(f"{PREFIX}{os.urandom(8).hex()}{suffix or '.tmp'}")


def _create(beside: Path, target: Path) -> int:
    """Opens a new file with the permissions that `target` has, or that a new file gets."""
    remove_leftovers(target.parent)
    try:
        descriptor = os.open(beside, _CREATE, 0o666)
    except PermissionError as error:
        folder = shown(target.parent)
        fail(
            target,
            f"no file can be made in the folder {folder} ({error.strerror}); choose another place",
            errno.EACCES,
        )
    hold(descriptor)
    with contextlib.suppress(FileNotFoundError):
        before = os.stat(target)
        if hasattr(os, "fchmod"):
            with contextlib.suppress(OSError):
                os.fchown(descriptor, before.st_uid, before.st_gid)
            with contextlib.suppress(OSError):
                os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
    return descriptor


def _put(beside: Path, target: Path) -> None:
    """Moves the finished file into its place, and flushes the folder to the disk."""
    os.replace(beside, target)
    with contextlib.suppress(OSError):  # Not every system lets a folder be opened.
        descriptor = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _discarding(beside: Path) -> Iterator[None]:
    """Removes the file beside the target if it is still there at the end."""
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(beside)


@contextmanager
def _system_errors(path: AnyPath) -> Iterator[None]:
    """Turns system errors into FileError; the package's own errors pass through."""
    as_path(path)
    try:
        yield
    except BaxterkitError:
        raise
    except OSError as error:
        fail_system(path, error)
    except ValueError as error:
        if "null byte" in str(error) or "null character" in str(error):
            fail_system(path, error)
        raise
