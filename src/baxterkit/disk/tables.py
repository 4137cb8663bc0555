"""Tables of a TOML file: read with errors that name file and entry, written exactly."""

from __future__ import annotations

import contextlib
import datetime
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit.disk.reading import decoded, read_bytes
from baxterkit.errors import BaxterkitError, FileError, MissingFileError, ModelError, shortened

MOST_BYTES = 2**20
"""Longest file that is read. One of two identified arms has about 20 kB."""
MOST_LEVELS = 16
"""Deepest nesting of tables and lists."""
MOST_PARTS = 100
"""Largest number of parts of a key, checked before the file is parsed."""
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*+(?:{_PART}){{{MOST_PARTS}}}", re.MULTILINE)


@dataclass(frozen=True)
class Table:
    """One table of a file.

    Attributes:
        where: File and path of the table, for messages: "robot.toml: left.tool".
        entries: Its entries.
    """

    where: str
    entries: Mapping[str, object]

    def has(self, key: str) -> bool:
        """Whether the table holds this entry."""
        return key in self.entries

    def only(self, *known: str) -> None:
        """Raises for an entry that is not one of these."""
        for key in self.entries:
            if key not in known:
                raise ModelError(f"{self._entry(key)} is not known; available: {', '.join(known)}")

    def table(self, key: str) -> Table:
        """The table in an entry."""
        value = self._value(key)
        if not isinstance(value, Mapping):
            raise ModelError(f"{self._entry(key)} must be a table, got {_shown(value)}")
        return Table(self._entry(key), value)

    def text(self, key: str) -> str:
        """The text in an entry."""
        value = self._value(key)
        if not isinstance(value, str):
            raise ModelError(f"{self._entry(key)} must be text, got {_shown(value)}")
        return value

    def number(self, key: str) -> float:
        """The number in an entry, finite."""
        value = self._value(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ModelError(f"{self._entry(key)} must be a number, got {_shown(value)}")
        if not math.isfinite(value):
            raise ModelError(f"{self._entry(key)} holds {value}")
        return value

    def array(
        self, key: str, shape: tuple[int | None, ...], infinite: bool = False
    ) -> NDArray[np.float64]:
        """The numbers in an entry; None in the shape stands for any length."""
        value = self._value(key)
        wanted = f"({', '.join('n' if size is None else str(size) for size in shape)})"
        try:
            array = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0, dtype=np.float64).reshape(0, *(0,) * len(shape))
        fits = array.ndim == len(shape) and all(
            size in (None, given) for size, given in zip(shape, array.shape, strict=True)
        )
        if not fits or not _numeric(value):
            raise ModelError(
                f"{self._entry(key)} must be numbers of shape {wanted}, got {_shown(value)}"
            )
        bad = np.isnan(array) if infinite else ~np.isfinite(array)
        if bad.any():
            raise ModelError(f"{self._entry(key)} holds {array[bad][0]}")
        return array

    @contextlib.contextmanager
    def naming(self) -> Iterator[None]:
        """Prefixes errors inside the block with the file and the table."""
        try:
            yield
        except BaxterkitError as error:
            if self.where.split(":")[0] in str(error):
                raise
            raise ModelError(f"{self.where}: {error}") from error

    def _value(self, key: str) -> object:
        if key not in self.entries:
            raise ModelError(f"{self._entry(key)} is missing")
        return self.entries[key]

    def _entry(self, key: str) -> str:
        return f"{self.where}{_dot(self.where)}{key}"


def read_toml(path: str | Path, what: str = "robot") -> Table:
    """The whole file of a robot, or of what else, as a table.

    Raises:
        ModelError: If it cannot be read or is not TOML.
    """
    try:
        text = decoded(read_bytes(path, MOST_BYTES, f"a {what} file has a few kB"), path)
    except MissingFileError as error:
        raise ModelError(f"there is no file {path}") from error
    except FileError as error:
        raise ModelError(str(error)) from error
    if _LONG_KEY.search(text):  # tomllib takes minutes for keys of thousands of parts
        raise ModelError(f"{path} is not TOML of a {what}: a key has more than {MOST_PARTS} parts")
    try:
        table = Table(str(path), tomllib.loads(text))
    except RecursionError as error:
        raise ModelError(f"{path} is not TOML of a {what}: it is nested too deeply") from error
    except ValueError as error:  # not TOML, or an integer too long for Python
        raise ModelError(f"{path} is not TOML: {error}") from error
    _check_values(table.entries, table.where, MOST_LEVELS)
    return table


def _check_values(value: object, where: str, levels: int) -> None:
    """Raises for integers and nesting that TOML does not allow, or no file of ours needs."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ModelError(f"{where} is an integer beyond 64 bits; write it with a decimal point")
    if isinstance(value, dict | list):
        if not levels:
            raise ModelError(f"{where} is nested more than {MOST_LEVELS} levels deep")
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            part = f"[{key}]" if isinstance(value, list) else f"{_dot(where)}{key}"
            _check_values(inner, shortened(where + part, 200), levels - 1)


def toml_text(tables: Mapping[str, object]) -> str:
    """TOML of nested tables of numbers, texts, flags, dates, lists and arrays."""
    return "\n".join(_lines(tables, ())) + "\n"


def _lines(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    if path and (plain or not inner):
        yield ""
        yield f"[{'.'.join(map(_key, path))}]"
    for key, value in plain.items():
        yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        yield from _lines(value, (*path, key))


def _key(key: str) -> str:
    bare = key and key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _value(key)


def _value(value: object) -> str:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        if any(isinstance(item, list | tuple) for item in value):
            return "[\n" + "".join(f"  {_value(item)},\n" for item in value) + "]"
        return f"[{', '.join(map(_value, value))}]"
    raise ModelError(f"{_shown(value)} cannot be written to a file")


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    shown = "".join(escapes.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in text)
    return f'"{shown}"'


def _numeric(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_numeric, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _dot(where: str) -> str:
    return "." if ": " in where else ": "


def _shown(value: object) -> str:
    return f"{type(value).__name__} {shortened(repr(value))}"
