"""Places of maps: paths and addresses, what zarr opens there, and what goes wrong."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeAlias

from baxterkit.disk.paths import as_path
from baxterkit.disk.reasons import fail_system
from baxterkit.errors import BaxterkitError, FileError, InputError
from baxterkit.extras import load_extra

Zarr: TypeAlias = Any
"""The module `zarr`, or an object of it."""

AnyPath: TypeAlias = "str | os.PathLike[str]"


def local_path(path: AnyPath) -> AnyPath:
    """The path of an address of this machine's files; other addresses and paths as they are.

    Raises:
        InputError: If it is no path.
    """
    text = os.fspath(path) if isinstance(path, str) else str(as_path(path))
    if "\0" in text:
        raise InputError(f"the map's path {text!r} holds a null character")
    return text.removeprefix("file://") if text.startswith("file://") else path


def is_remote(path: AnyPath) -> bool:
    """Whether it is an address with a protocol, for fsspec."""
    return "://" in os.fspath(path)


def zarr_store(path: AnyPath) -> Zarr:
    """What zarr opens: a path, or a store by fsspec for an address."""
    if not is_remote(path):
        return os.fspath(path)
    load_extra("fsspec", feature="Maps in buckets", package="fsspec", extra="scale")
    from zarr.storage import FsspecStore

    address = os.fspath(path)
    try:
        return FsspecStore.from_url(address)
    except (ImportError, ValueError) as error:
        raise InputError(f"{address} cannot be opened ({line_of(error)})") from error


def holds_something(path: AnyPath) -> bool:
    """Whether there are files at an address; not, where that cannot be told."""
    from fsspec.core import url_to_fs

    with contextlib.suppress(Exception):
        files, place = url_to_fs(os.fspath(path))
        return bool(files.ls(place, detail=False, refresh=True))
    return False


def zarr_module() -> Zarr:
    """Zarr.

    Raises:
        MissingExtraError: If it is not installed.
    """
    return load_extra("zarr", feature="A map's folder", package="zarr", extra="scale")


@contextmanager
def system_errors(path: AnyPath, advice: str = "", writing: bool = False) -> Iterator[None]:
    """Turns errors of the system, such as a full disk, into FileError.

    A file that is not there is no such error to a reader, who may find that nothing is there at
    all, but it is one to a writer. To who writes to a bucket every error is one.
    """
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        if writing and is_remote(path):
            _fail_remote(path, error, advice)
        if error.errno is None or (isinstance(error, FileNotFoundError) and not writing):
            raise
        try:
            fail_system(path, error)
        except FileError as plain:
            if not advice:
                raise
            raise FileError(error.errno, f"{plain.strerror}{advice}", plain.filename) from error
    except Exception as error:
        if isinstance(error, BaxterkitError) or not (writing and is_remote(path)):
            raise
        _fail_remote(path, error, advice)


def _fail_remote(path: AnyPath, error: BaseException, advice: str) -> NoReturn:
    """Raises for what a bucket's program says."""
    what = f"this cannot be written ({line_of(error)}){advice}"
    raise FileError(errno.EIO, what, str(path)) from error


@contextmanager
def damaged(path: AnyPath) -> Iterator[None]:
    """Turns what zarr raises about damaged files into FileError."""
    try:
        yield
    except (BaxterkitError, MemoryError):
        raise
    except Exception as error:
        message = f"the map is damaged ({line_of(error)}); make it again with --repair"
        raise FileError(errno.EINVAL, message, str(path)) from error


def line_of(error: BaseException) -> str:
    """What an error says, in one line."""
    with contextlib.suppress(Exception):
        text = " ".join(str(error).split())
        return f"{type(error).__name__}: {text[:160]}" if text else type(error).__name__
    return type(error).__name__
