"""The exception family: one base class, and a builtin beside it where one fits.

Every message says what was wrong, the value, what is valid and the way out. The fields carry the
same facts for programs. All exceptions pickle, so they cross process boundaries unharmed.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "BackendWarning",
    "BaxterkitError",
    "DhWarning",
    "FileError",
    "InputError",
    "MissingExtraError",
    "MissingFileError",
    "ModelError",
    "NoAnswerError",
    "RecordingError",
    "ShapeError",
    "SingularityWarning",
    "UnitsWarning",
    "UnknownNameError",
    "UrdfError",
    "shortened",
]


def shortened(text: str, length: int = 60) -> str:
    """`text` for a message: cut after `length` characters, so that no message is endless."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


class BaxterkitError(Exception):
    """Base of every exception that baxterkit raises on purpose."""


class NoAnswerError(BaxterkitError):
    """The question was sound, and there is no answer: a pose out of reach, a motion too fast."""


class ShapeError(BaxterkitError, ValueError):
    """An array has the wrong shape."""


class InputError(BaxterkitError, ValueError):
    """A value is not usable: NaN, infinite, not a rotation, out of range."""


class ModelError(BaxterkitError, ValueError):
    """A robot description contradicts itself or physics."""


class UrdfError(ModelError):
    """A URDF file cannot be read.

    Attributes:
        message: What is wrong, and what would be right.
        element: The element at fault, as `joint 'left_s0'`, or None if no single one is.
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
        message: What is wrong, and the way out.
        source: The file, or None.
        row: Where in it, as "line 17", or None.
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
        errno: The system's number of the reason, as `errno.ENOSPC`.
        strerror: What is wrong, and the way out.
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
        kind: What kind of name it is, as "tool".
        name: The name that was asked for.
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
        return f"unknown {self.kind} {shortened(repr(self.name))}; available: {shown}{more}"


class MissingExtraError(BaxterkitError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        feature: What needs it, as "Simulation".
        package: The package that is missing, as "MuJoCo".
        extra: The extra that brings it, as "sim".
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
    """The arm is near a singular posture: joint velocities grow without bound there."""


class DhWarning(UserWarning):
    """A Denavit-Hartenberg table does not give its chain's poses to rounding."""


class UnitsWarning(UserWarning):
    """Numbers make no sense in radians and metres, and would in degrees or millimetres."""


class BackendWarning(RuntimeWarning):
    """The asked-for backend is not available, and a slower one serves."""
