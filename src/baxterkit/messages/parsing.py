"""From the text of a definition to its fields and constants, its checksum and its full text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from baxterkit.errors import UnknownNameError
from baxterkit.messages.errors import MessageError

_INTEGERS = [f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)]
_OTHERS = ("bool", "char", "byte", "string", "time", "duration", "float32", "float64")
BUILTIN = frozenset([*_INTEGERS, *_OTHERS])
_LINE = re.compile(r"^([\w/]+)(\[\d*\])?\s+(\w+)\s*(?:=\s*(.*))?$")


@dataclass(frozen=True)
class Field:
    """A field of a message.

    Attributes:
        name: Its name.
        kind: Builtin type, or full name of a message.
        array: None for one value, -1 for any number of them, or their number.
    """

    name: str
    kind: str
    array: int | None = None

    @property
    def builtin(self) -> bool:
        """Whether its type is not a message."""
        return self.kind in BUILTIN


@dataclass(frozen=True)
class Definition:
    """Fields and constants of a message.

    Attributes:
        name: Full name, as "sensor_msgs/JointState".
        text: The definition's lines.
        fields: In the order of the wire.
        constants: Type, name and text of the value of each.
    """

    name: str
    text: str
    fields: tuple[Field, ...]
    constants: tuple[tuple[str, str, str], ...]


def parse(name: str, text: str) -> Definition:
    """Reads a definition.

    Raises:
        MessageError: If a line is neither a field nor a constant.
    """
    package = name.partition("/")[0]
    fields: list[Field] = []
    constants: list[tuple[str, str, str]] = []
    for line in text.splitlines():
        bare = line if "string" in line and "=" in line else line.partition("#")[0]
        if not bare.strip():
            continue
        found = _LINE.match(bare.strip())
        if found is None:
            raise MessageError(f"{name}: {line.strip()!r} is neither a field nor a constant")
        kind, array, field, value = found.groups()
        if value is not None:
            constants.append((kind, field, value))
            continue
        count = None if array is None else int(array[1:-1] or -1)
        fields.append(Field(field, _full(kind, package), count))
    return Definition(name, text, tuple(fields), tuple(constants))


def _full(kind: str, package: str) -> str:
    if kind in BUILTIN or "/" in kind:
        return kind
    return "std_msgs/Header" if kind == "Header" else f"{package}/{kind}"


def md5(name: str, texts: Mapping[str, str]) -> str:
    """The checksum that ROS gives a message: of constants, then fields, types by checksum.

    Args:
        name: Full name of the message.
        texts: Definitions by name.
    """
    return hashlib.md5(_canonical(_lookup(name, texts), name, texts).encode()).hexdigest()


def service_md5(name: str, texts: Mapping[str, str]) -> str:
    """The checksum of a service: of its request and answer together."""
    parts = _lookup(name, texts).partition("---\n")
    both = "".join(_canonical(part, name, texts) for part in (parts[0], parts[2]))
    return hashlib.md5(both.encode()).hexdigest()


def _canonical(text: str, name: str, texts: Mapping[str, str]) -> str:
    definition = parse(name, text)
    lines = [f"{kind} {constant}={value}" for kind, constant, value in definition.constants]
    for field in definition.fields:
        if field.builtin:
            count = "" if field.array is None else f"[{'' if field.array < 0 else field.array}]"
            lines.append(f"{field.kind}{count} {field.name}")
        else:
            lines.append(f"{md5(field.kind, texts)} {field.name}")
    return "\n".join(lines)


def full_text(name: str, texts: Mapping[str, str]) -> str:
    """The definition, followed by those of all messages in it, as bags and publishers hold it."""
    parts = [_lookup(name, texts)]
    for other in dict.fromkeys(_inside(name, texts)):
        parts.append(f"{'=' * 80}\nMSG: {other}\n{_lookup(other, texts)}")
    return "\n".join(parts)


def _inside(name: str, texts: Mapping[str, str]) -> Iterator[str]:
    for field in parse(name, _lookup(name, texts)).fields:
        if not field.builtin:
            yield field.kind
            yield from _inside(field.kind, texts)


def _lookup(name: str, texts: Mapping[str, str]) -> str:
    if name not in texts:
        raise UnknownNameError("message", name, texts)
    return texts[name]
