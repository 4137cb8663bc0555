"""Writes a function as a Python module that needs only the standard library."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import (
    FUNCTIONS,
    TextWalk,
    ascii_lines,
    body_of,
    component,
    functions,
    wrapped,
)


def write(exported: Exported) -> str:
    """The text of the module."""
    return "\n".join(_lines(exported)) + "\n"


def docstring(exported: Exported, *more: str) -> Iterator[str]:
    """The header as the module's docstring."""
    first, *rest = ascii_lines(exported.header)
    yield f'"""{first}'
    yield from rest
    if more:
        yield ""
        yield from more
    yield '"""'
    yield ""


def constants(exported: Exported) -> Iterator[str]:
    """The arm's numbers as tuples, `DEFAULT_BETA` and the like."""
    for constant in exported.constants:
        values = [repr(x) for x in constant.values]
        yield from wrapped(values, f"{default(constant.name)} = (", ")")
        yield ""


def default(name: str) -> str:
    """Name of the tuple that holds the arm's numbers for a parameter."""
    return f"DEFAULT_{name.upper()}"


def result_names(exported: Exported) -> str:
    """The names of the return values, separated by commas."""
    return ", ".join(result.name for result in exported.results)


def opening(exported: Exported) -> Iterator[str]:
    """The arm's numbers, and the function up to its body; parameters default to these numbers."""
    yield from constants(exported)
    yield ""
    arguments = [
        f"{item.name}={default(item.name)}" if item.parameter else item.name
        for item in exported.arguments
    ]
    yield f"def {exported.name}({', '.join(arguments)}):"
    yield f'    """Returns {result_names(exported)}; see the top of this file."""'


def unpacked(name: str, size: int) -> str:
    """`qd1, qd2, …`."""
    return ", ".join(f"{name}{i + 1}" for i in range(size))


def _lines(exported: Exported) -> Iterator[str]:
    yield from docstring(
        exported, "Vectors are sequences of 7 numbers, matrices are lists of rows."
    )
    yield f"from math import {', '.join(sorted(functions(exported)))}"
    yield ""
    yield from opening(exported)
    for item in exported.arguments:
        if not item.parameter:
            yield f"    {unpacked(item.name, item.size)} = {item.name}"
    for name, i in exported.angles:
        yield f"    {name}{i + 1} = {FUNCTIONS[name]}(q{i + 1})"
    body = body_of(exported, TextWalk(exported.program, component(exported)))
    for name, value in body.statements:
        yield f"    {name} = {value}"
    for result, entries in body.results:
        yield from _result(result.name, result.shape, [value for _, value in entries])
    yield f"    return {result_names(exported)}"


def _result(name: str, shape: tuple[int, ...], values: list[str]) -> Iterator[str]:
    yield f"    {name} = ["
    width = shape[-1]
    for first in range(0, len(values), width):
        row = values[first : first + width]
        if len(shape) == 1:
            yield from (f"        {value}," for value in row)
        else:
            yield from wrapped(row, "        [", "        ],", " " * 12)
    yield "    ]"
