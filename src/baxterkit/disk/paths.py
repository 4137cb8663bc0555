"""Paths as callers give them: a text or a `pathlib.Path`; anything else is refused."""

from __future__ import annotations

import os
from pathlib import Path

from baxterkit.errors import InputError, shortened


def as_path(path: object, name: str = "path") -> Path:
    """A caller's path as a `Path`.

    Args:
        path: What was given.
        name: The argument's name, for the message.

    Raises:
        InputError: If it is neither text nor a path.
    """
    if isinstance(path, str | os.PathLike):
        text = os.fspath(path)
        if isinstance(text, str):
            return Path(text)
    raise InputError(
        f"{name} must be a text or a pathlib.Path, as 'folder/file', got {shortened(repr(path))}"
    )
