"""Classes of messages and services, made from their definitions at first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from baxterkit.errors import UnknownNameError
from baxterkit.messages import parsing
from baxterkit.messages.codec import (
    NUMBERS,
    Codec,
    Value,
    builtin_codec,
    list_codec,
    number_list_codec,
)
from baxterkit.messages.definitions import TEXTS
from baxterkit.messages.errors import MessageError


class Message:
    """Base of all messages. Fields that are not given are zero or empty.

    Attributes:
        TYPE: Full name of the type, as "sensor_msgs/JointState".
        MD5: Checksum of the definition.
        TEXT: The definition, with those of the messages in it.
    """

    __slots__ = ()
    TYPE: ClassVar[str]
    MD5: ClassVar[str]
    TEXT: ClassVar[str]
    _fields: ClassVar[tuple[tuple[str, Codec], ...]]
    _sent: ClassVar[tuple[tuple[str, Callable[[Value], Value]], ...]]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Value: ...

    def __init__(self, **fields: Value) -> None:
        for name, codec in self._fields:
            setattr(self, name, fields.pop(name) if name in fields else codec.default())
        if fields:
            raise UnknownNameError(
                f"field of {self.TYPE}", next(iter(fields)), [name for name, _ in self._fields]
            )

    def encode(self) -> bytes:
        """The message as bytes of the wire.

        Raises:
            MessageError: If a value does not fit its field.
        """
        out: list[bytes] = []
        self._write(out)
        return b"".join(out)

    @classmethod
    def decode(cls, data: bytes) -> Message:
        """The message in bytes of the wire.

        Raises:
            MessageError: If bytes are missing or left over.
        """
        message, at = cls._read(data, 0)
        if at != len(data):
            raise MessageError(f"{cls.TYPE} has {len(data)} bytes, and {at} were expected")
        return message

    def sent(self) -> Message:
        """A copy as it would be decoded from its bytes, without making them.

        Raises:
            MessageError: If a value does not fit its field.
        """
        kind = type(self)
        message = kind.__new__(kind)
        name = ""
        try:
            for name, sent in kind._sent:
                setattr(message, name, sent(getattr(self, name)))
        except MessageError as error:
            raise MessageError(f"{self.TYPE}.{name}: {error}") from error
        return message

    @classmethod
    def _read(cls, data: bytes, at: int) -> tuple[Message, int]:
        message = cls.__new__(cls)
        for name, codec in cls._fields:
            value, at = codec.read(data, at)
            setattr(message, name, value)
        return message, at

    def _write(self, out: list[bytes]) -> None:
        for name, codec in self._fields:
            try:
                codec.write(getattr(self, name), out)
            except MessageError as error:
                raise MessageError(f"{self.TYPE}.{name}: {error}") from error

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name, _ in self._fields
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name, _ in self._fields)
        return f"{type(self).__name__}({values})"


@dataclass(frozen=True)
class Service:
    """A service: its request and its response.

    Attributes:
        name: Full name, as "baxter_core_msgs/SolvePositionIK".
        md5: Checksum of the definition.
        Request: Class of the request.
        Response: Class of the answer.
    """

    name: str
    md5: str
    Request: type[Message]
    Response: type[Message]


@cache
def message_class(name: str) -> type[Message]:
    """The class of a message.

    Raises:
        UnknownNameError: If there is no definition of that name.
    """
    if name not in TEXTS or "---\n" in TEXTS[name]:
        known = [key for key, text in TEXTS.items() if "---\n" not in text]
        raise UnknownNameError("message", name, known)
    made = _made(name, TEXTS[name], name.partition("/")[2])
    made.MD5, made.TEXT = parsing.md5(name, TEXTS), parsing.full_text(name, TEXTS)
    return made


@cache
def service_type(name: str) -> Service:
    """A service by its full name.

    Raises:
        UnknownNameError: If there is no definition of that name.
    """
    if "---\n" not in TEXTS.get(name, ""):
        known = [key for key, text in TEXTS.items() if "---\n" in text]
        raise UnknownNameError("service", name, known)
    short = name.partition("/")[2]
    asked, _, answered = TEXTS[name].partition("---\n")
    return Service(
        name,
        parsing.service_md5(name, TEXTS),
        _made(name, asked, f"{short}Request"),
        _made(name, answered, f"{short}Response"),
    )


def _made(name: str, text: str, class_name: str) -> type[Message]:
    definition = parsing.parse(name, text)
    fields = tuple((field.name, _codec(field)) for field in definition.fields)
    members: dict[str, Value] = {
        "__slots__": tuple(field for field, _ in fields),
        "__doc__": f"{name}: {', '.join(field for field, _ in fields) or 'no fields'}.",
        "TYPE": name,
        "_fields": fields,
        "_sent": tuple((field, codec.sent) for field, codec in fields),
    }
    for kind, constant, value in definition.constants:
        members[constant] = _constant(kind, value)
    return type(class_name, (Message,), members)


def _constant(kind: str, value: str) -> Value:
    if kind == "string":
        return value
    return float(value) if kind.startswith("float") else int(value)


def _codec(field: parsing.Field) -> Codec:
    if field.array is not None and field.kind in NUMBERS:
        return number_list_codec(field.kind, field.array)
    one = builtin_codec(field.kind) if field.builtin else _message_codec(field.kind)
    return one if field.array is None else list_codec(one, field.array)


def _message_codec(kind: str) -> Codec:
    inner = message_class(kind)

    def write(value: Value, out: list[bytes]) -> None:
        if type(value) is not inner:
            raise MessageError(f"a {kind} is wanted, got {type(value).__name__}")
        value._write(out)

    def sent(value: Value) -> Message:
        if type(value) is not inner:
            raise MessageError(f"a {kind} is wanted, got {type(value).__name__}")
        return value.sent()

    return Codec(inner._read, write, sent, inner, sum(codec.least for _, codec in inner._fields))
