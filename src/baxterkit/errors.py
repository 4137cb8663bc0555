"""The exception family: one base class, and a builtin beside it where one fits.

Every message says what is wrong, the value, what is valid and what to do. The fields hold the same
facts for programs. All exceptions can be pickled, so they cross process boundaries.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = [
    "BackendWarning",
    "BaxterkitError",
    "ControlWarning",
    "DeviceError",
    "DhWarning",
    "ExtensionError",
    "FileError",
    "InputError",
    "MissingExtraError",
    "MissingFileError",
    "ModelError",
    "NoAnswerError",
    "RecordingError",
    "ResultError",
    "ShapeError",
    "SingularityWarning",
    "TareWarning",
    "UnitsWarning",
    "UnknownNameError",
    "UrdfError",
    "shortened",
]


def shortened(text: str, length: int = 60) -> str:
    """`text` for a message, cut after `length` characters."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


def did_you_mean(name: object, choices: Iterable[str]) -> str:
    """`did you mean 'tuck'? `, the choice most like a name; empty if none is like it."""
    from difflib import get_close_matches  # only now: it is not needed to compute

    if not isinstance(name, str) or len(name) > 60:
        return ""
    by_case = {choice.lower(): choice for choice in choices}
    found = get_close_matches(name.lower(), list(by_case)[:1000], n=1, cutoff=0.7)
    return f"did you mean {by_case[found[0]]!r}? " if found else ""


class BaxterkitError(Exception):
    """Base of every exception that baxterkit raises on purpose."""


class NoAnswerError(BaxterkitError):
    """Valid input without a solution: a pose out of reach, a motion too fast."""


class ResultError(NoAnswerError):
    """A result without a solution, raised by its `raise_if_failed`.

    Attributes:
        message: Why there is none.
        result: The result that failed.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message, result)
        self.message = message
        self.result = result

    def __str__(self) -> str:
        return self.message


class ShapeError(BaxterkitError, ValueError):
    """An array has the wrong shape."""


class InputError(BaxterkitError, ValueError):
    """A value is not usable: NaN, infinite, not a rotation, out of range."""


class ModelError(BaxterkitError, ValueError):
    """A robot description contradicts itself or physics."""


class ExtensionError(BaxterkitError, ImportError):
    """The compiled extension cannot be loaded, or does not fit the Python code."""


class DeviceError(BaxterkitError, RuntimeError):
    """A GPU cannot be used, or refuses what it is told to do.

    Attributes:
        message: What is wrong, and what to do.
        code: The driver's code, or None.
    """

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message, code)
        self.message = message
        self.code = code

    def __str__(self) -> str:
        return self.message


class UrdfError(ModelError):
    """A URDF file cannot be read.

    Attributes:
        message: What is wrong, and what is valid.
        element: The element at fault, such as `joint 'left_s0'`, or None if it is not a single one.
        line: Its line in the text, counted from 1, or None.
    """

    def __init__(self, message: str, element: str | None = None, line: int | None = None) -> None:
        super().__init__(message, element, line)
        self.message = message
        self.element = element
        self.line = line

    def __str__(self) -> str:
        where = [] if self.line is None else [f"line {self.line}"]
        if self.element is not None:
            where.append(self.element)
        return f"{', '.join(where)}: {self.message}" if where else self.message


class RecordingError(BaxterkitError, ValueError):
    """A recording cannot be read, or a row of it is broken.

    Attributes:
        message: What is wrong, and what to do.
        source: The file, or None.
        row: The place in the file, such as "line 17", or None.
    """

    def __init__(self, message: str, source: str | None = None, row: str | None = None) -> None:
        super().__init__(message, source, row)
        self.message = message
        self.source = source
        self.row = row

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.source, self.row) if part)
        return f"{where}: {self.message}" if where else self.message


class FileError(BaxterkitError, OSError):
    """A file cannot be read or written.

    Attributes:
        errno: The system's error number, such as `errno.ENOSPC`.
        strerror: What is wrong, and what to do.
        filename: The file.
    """

    def __init__(self, number: int, message: str, path: str) -> None:
        super().__init__(number, message, path)

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file, or no folder for it."""


class UnknownNameError(BaxterkitError, ValueError):
    """A name (side, tool, frame, joint, pose) is not one of the known ones.

    Attributes:
        kind: Kind of the name, such as "tool".
        name: The unknown name.
        choices: The valid names.
    """

    def __init__(self, kind: str, name: object, choices: Iterable[str]) -> None:
        choices = tuple(choices)
        super().__init__(kind, name, choices)
        self.kind = kind
        self.name = name
        self.choices = choices

    def __str__(self) -> str:
        shown = ", ".join(map(shortened, self.choices[:60]))
        more = ", ..." if len(self.choices) > 60 else ""
        meant = did_you_mean(self.name, self.choices)
        return f"unknown {self.kind} {shortened(repr(self.name))}; {meant}available: {shown}{more}"


class MissingExtraError(BaxterkitError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        feature: What needs it, such as "Simulation".
        package: The missing package, such as "MuJoCo".
        extra: The extra that installs it, such as "sim".
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(feature, package, extra)
        self.feature = feature
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        install = f"pip install '.[{self.extra}]' in a clone of baxterkit"
        return f"{self.feature} needs {self.package}: {install}"


class SingularityWarning(UserWarning):
    """The arm is near a singular configuration: joint velocities grow without bound there."""


class DhWarning(UserWarning):
    """A Denavit-Hartenberg table does not reproduce its chain's poses to rounding."""


class UnitsWarning(UserWarning):
    """Numbers are implausible in radians or metres, but plausible in degrees or millimetres."""


class ModelWarning(UserWarning):
    """A model is of another robot, or of the other arm, so that hands end elsewhere."""


class ControlWarning(RuntimeWarning):
    """An arm does not do what its controller or its motion asks for; the run is not a success."""


class TareWarning(UserWarning):
    """The zero of an arm's torque sensors was measured on another day, or has no date."""


class BackendWarning(RuntimeWarning):
    """The requested backend is not available, and a slower one takes its place."""
