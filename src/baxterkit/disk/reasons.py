"""Messages for the system's file errors, with a remedy."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from baxterkit.errors import FileError, MissingFileError, shortened

REASONS = {
    errno.ENOSPC: "the disk is full; make room, or choose a place on another disk",
    errno.EDQUOT: "the disk quota is used up; make room, or choose a place on another disk",
    errno.EFBIG: "the system allows no file as large as this one (ulimit -f)",
    errno.EROFS: "the disk is read-only; choose another place",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.EISDIR: "this is a folder; name one file in it",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENXIO: "this is a socket or a device, not a regular file",
    errno.EIO: "the disk reports an error (input/output error)",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
}


def fail(path: str | os.PathLike[str], message: str, number: int = errno.EINVAL) -> NoReturn:
    """Raises FileError about this file."""
    raise FileError(number, message, shown(path))


def fail_system(path: str | os.PathLike[str], error: OSError | ValueError) -> NoReturn:
    """Raises FileError with the system's reason for this file.

    A missing file is a MissingFileError, which is also Python's FileNotFoundError. Python raises
    ValueError for names that no system accepts, such as one with a NUL character.
    """
    if not isinstance(error, OSError) or error.errno is None:
        reason = str(error) or type(error).__name__
        raise FileError(errno.EINVAL, f"it cannot be opened ({reason})", shown(path)) from error
    if error.errno == errno.ENOENT:
        raise MissingFileError(errno.ENOENT, "there is no such file", shown(path)) from error
    reason = REASONS.get(error.errno) or error.strerror or type(error).__name__
    raise FileError(error.errno, reason, shown(path)) from error


def shown(path: str | os.PathLike[str]) -> str:
    """A path for a message: one line, shortened, without control characters."""
    text = os.fsdecode(path)
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shortened(printable, 300)
