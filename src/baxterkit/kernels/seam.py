"""The words in which the extension's types are declared: arguments, records, methods, types.

A shape is a tuple of numbers and lengths. The length "n" is that of the call: it is the same in
every argument, and arrays of the answer that have it are made before the call. "n-1" and "n+1"
follow from it. "n?" is n rows, or one that stands for all of them (whose axis may be missing).
Other letters are lengths of one argument or of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from baxterkit.kernels.table import wrapped

FINITE = 1.7976931348623157e308
"""The largest float64: a bound that all finite numbers keep."""

Shape: TypeAlias = tuple[int | str, ...]
Scalar = Literal["float64", "int64", "int32", "uint8", "bool"]


@dataclass(frozen=True)
class Numbers:
    """A C-contiguous NumPy array; in C++ a pointer, or rows (`Rows`) if its first axis is "n?".

    Attributes:
        name: The argument, or field of a record.
        shape: Its shape.
        meaning: What it holds, with units.
        scalar: Type of its entries.
        most: Largest magnitude that is accepted; None if the entries are not looked at.
        optional: Whether it may be None: a null pointer in C++.
        or_number: Whether a float may stand for one row.
        written: Whether it is written to.
    """

    name: str
    shape: Shape
    meaning: str
    scalar: Scalar = "float64"
    most: float | None = None
    optional: bool = False
    or_number: bool = False
    written: bool = False

    @property
    def repeats(self) -> bool:
        """Whether one row may stand for all."""
        return bool(self.shape) and str(self.shape[0]).endswith("?")

    @property
    def lengths(self) -> tuple[str, ...]:
        """The letters in its shape."""
        return tuple(re.sub(r"[^a-z]", "", axis) for axis in self.shape if isinstance(axis, str))

    @property
    def shape_text(self) -> str:
        """The shape as documentation writes it: (n, 7), or (n, 7) or (1, 7)."""

        def text(axes: Shape) -> str:
            return f"({', '.join(map(str, axes))}{',' if len(axes) == 1 else ''})"

        if not self.repeats:
            return text(self.shape)
        first, *rest = self.shape
        return " or ".join(text((x, *rest)) for x in (str(first).removesuffix("?"), 1))


@dataclass(frozen=True)
class Real:
    """A float; finite unless `any_value`."""

    name: str
    meaning: str
    any_value: bool = False


@dataclass(frozen=True)
class Integer:
    """An integer from `low` to `high`, 64 bits: unsigned if `low` is not negative."""

    name: str
    meaning: str
    low: int = -(2**63)
    high: int = 2**63 - 1


@dataclass(frozen=True)
class Flag:
    """A bool."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Text:
    """A str, UTF-8 in C++."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Object:
    """A Python object that C++ takes or gives as it is; `annotation` is its type in Python."""

    name: str
    meaning: str
    annotation: str
    optional: bool = False


@dataclass(frozen=True)
class Instance:
    """An object of another type of the extension."""

    name: str
    meaning: str
    type: str
    optional: bool = False


@dataclass(frozen=True)
class Instances:
    """A tuple of such objects: a vector of pointers in C++."""

    name: str
    meaning: str
    type: str


@dataclass(frozen=True)
class Record:
    """Values with names: a `NamedTuple` in Python, a struct in C++."""

    name: str
    sentence: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Structure:
    """A record, or None: an `std::optional` in C++."""

    name: str
    meaning: str
    record: Record
    optional = True


@dataclass(frozen=True)
class Records:
    """A tuple of records: a vector in C++."""

    name: str
    meaning: str
    record: Record


Field: TypeAlias = (
    Numbers | Real | Integer | Flag | Text | Object | Instance | Instances | Structure | Records
)
Result: TypeAlias = Numbers | Real | Integer | Flag | Object | Record | None


@dataclass(frozen=True)
class Method:
    """A method of a type, or a function of the module.

    Attributes:
        name: Its name, in Python and in C++.
        arguments: What it takes; optional ones at the end may be left out.
        result: What it gives.
        sentence: What it does.
        maybe: Whether it may give None.
        as_given: Whether it takes what a user gave: arguments that it does not accept then make it
            return None, and the caller checks them in Python and raises in words. Other methods
            raise a ValueError that names the argument.
        by_name: Whether the arguments must be given by name.
        most: Greatest n.
        least: Smallest n.
    """

    name: str
    arguments: tuple[Field, ...]
    result: Result
    sentence: str
    maybe: bool = False
    as_given: bool = False
    by_name: bool = False
    most: int | None = None
    least: int = 0

    @property
    def gives_none(self) -> bool:
        """Whether None is among its answers."""
        return self.maybe or self.as_given

    @property
    def class_name(self) -> str:
        """Name of the C++ struct of its arguments: `track_one` → `TrackOne`."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def required(self) -> int:
        """How many of its arguments must be given."""
        needed = [not getattr(argument, "optional", False) for argument in self.arguments]
        return len(needed) - needed[::-1].index(True) if any(needed) else 0

    @property
    def text_signature(self) -> str:
        """The signature as CPython reads it from a docstring, without the first argument."""
        star = ["*"] if self.by_name else []
        names = [
            argument.name if k < self.required else f"{argument.name}=None"
            for k, argument in enumerate(self.arguments)
        ]
        return ", ".join(star + names)

    def doc(self) -> str:
        """The docstring."""
        lines = [self.sentence]
        if self.arguments:
            lines += ["", "Args:"]
        for argument in self.arguments:
            shape = f", {argument.shape_text}" if isinstance(argument, Numbers) else ""
            text = f"{argument.name}{shape}: {argument.meaning}"
            lines += wrapped(text, 100)
        return "\n".join(lines)

    @property
    def lengths(self) -> tuple[str, ...]:
        """The letters in the shapes of its arguments, in order."""
        letters = (x for a in self.arguments if isinstance(a, Numbers) for x in a.lengths)
        return tuple(dict.fromkeys(letters))


@dataclass(frozen=True)
class Type:
    """A type of the extension.

    Attributes:
        name: Its name, in Python and in C++.
        sentence: What an object of it is.
        arguments: What it is made from.
        methods: Its methods; empty if `kernels`.
        kernels: Whether its methods are the kernels of `table.py`.
        by_hand: Whether its C++ reads arguments itself: only the stub is made from the declaration.
    """

    name: str
    sentence: str
    arguments: tuple[Field, ...]
    methods: tuple[Method, ...] = field(default=())
    kernels: bool = False
    by_hand: bool = False

    @property
    def namespace(self) -> str:
        """C++ namespace of its arguments and functions: `IkSolver` → `ik_solver`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.name).lower()

    @property
    def new(self) -> Method:
        """Its constructor, as a method."""
        return Method("new", self.arguments, None, self.sentence)


def records_of(methods: Iterable[Method]) -> tuple[Record, ...]:
    """The records that methods give or take, each once."""
    found: dict[str, Record] = {}
    for method in methods:
        taken = [a.record for a in method.arguments if isinstance(a, Records | Structure)]
        given = [method.result] if isinstance(method.result, Record) else []
        for record in taken + given:
            assert found.setdefault(record.name, record) == record
    return tuple(found.values())


def expected(item: Field) -> str:
    """What an argument must be, in the words of an error."""
    match item:
        case Numbers():
            text = f"a C-contiguous {item.scalar} array of shape {item.shape_text}"
            if item.most is not None:
                finite = item.most == FINITE
                text += " of finite numbers" if finite else f" of numbers within ±{item.most:g}"
            text += " that can be written to" if item.written else ""
            text += ", or a float" if item.or_number else ""
            return text + (", or None" if item.optional else "")
        case Real():
            return "a number" if item.any_value else "a finite number"
        case Integer():
            bounded = item.low > -(2**63) and item.high < 2**63 - 1
            return f"an integer from {item.low} to {item.high}" if bounded else "an integer"
        case Flag():
            return "true or false"
        case Text():
            return "a str"
        case Object():
            return item.annotation
        case Instance():
            return f"an object of the type {item.type}" + (", or None" if item.optional else "")
        case Instances():
            return f"a tuple of {item.type}"
        case Structure():
            return f"a {item.record.name}, or None"
        case Records():
            return f"a tuple of {item.record.name}"
