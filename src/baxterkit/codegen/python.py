"""Writes a function as a Python module: of the standard library, on NumPy, or for CasADi."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import (
    FUNCTIONS,
    ZERO,
    TextWalk,
    ascii_lines,
    body_of,
    component,
    functions,
    wrapped,
)


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


def write(exported: Exported) -> Iterator[str]:
    """A module that needs only the standard library, line by line."""
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


def write_numpy(exported: Exported) -> Iterator[str]:
    """A module on NumPy, for whole batches of states at once, line by line."""
    yield from docstring(
        exported,
        "Arrays may have leading batch axes, which broadcast: q of shape (*batch, 7) gives",
        "results of shape (*batch, ...). Complex numbers pass through (complex-step derivatives).",
    )
    yield "import numpy as np"
    yield ""
    yield from opening(exported)
    moving = [item.name for item in exported.arguments if not item.parameter]
    arrays = ", ".join(moving)
    for name in moving:
        yield f"    {name} = np.asarray({name})"
        yield f"    if {name}.shape[-1:] != (7,):"
        yield f'        raise ValueError("{name} needs 7 values on its last axis")'
    shapes = ", ".join(f"{name}.shape[:-1]" for name in moving)
    yield f"    batch = np.broadcast_shapes({shapes})"
    yield f"    kind = np.result_type(np.float64, {arrays})"
    for item in exported.arguments:
        if item.parameter:
            continue
        if item.name == "q":
            for name, function in FUNCTIONS.items():
                if any(used == name for used, _ in exported.angles):
                    yield f"    {unpacked(name, item.size)} = np.moveaxis(np.{function}(q), -1, 0)"
        else:
            yield f"    {unpacked(item.name, item.size)} = np.moveaxis({item.name}, -1, 0)"
    body = body_of(exported, TextWalk(exported.program, component(exported), "np.sqrt"))
    for name, value in body.statements:
        yield f"    {name} = {value}"
    for result, entries in body.results:
        shape = "".join(f"{n}, " for n in result.shape)
        yield f"    {result.name} = np.zeros((*batch, {shape.removesuffix(', ')}), kind)"
        for index, value in entries:
            if value != ZERO:
                yield f"    {result.name}[..., {', '.join(map(str, index))}] = {value}"
    yield f"    return {result_names(exported)}"


def write_casadi(exported: Exported) -> Iterator[str]:
    """A module that builds a `casadi.Function`, line by line."""
    yield from docstring(
        exported,
        f"`{exported.name}` is a casadi.Function of SX expressions; entries that are always zero",
        "are structural zeros. Parameters have no defaults; the arm's numbers are in the tuples.",
    )
    yield "import casadi as ca"
    yield ""
    yield from constants(exported)
    yield ""
    yield "def build():"
    yield f'    """Builds {exported.name}; see the top of this file."""'
    for item in exported.arguments:
        yield f'    {item.name} = ca.SX.sym("{item.name}", {item.size})'
        if not item.parameter:
            yield f"    {unpacked(item.name, item.size)} = ca.vertsplit({item.name})"
    for name, i in exported.angles:
        yield f"    {name}{i + 1} = ca.{FUNCTIONS[name]}(q{i + 1})"
    body = body_of(exported, TextWalk(exported.program, component(exported), "ca.sqrt"))
    for name, value in body.statements:
        yield f"    {name} = {value}"
    for result, entries in body.results:
        rows, columns = result.rows_and_columns
        yield f"    {result.name} = ca.SX({rows}, {columns})"
        for index, value in entries:
            if value != ZERO:
                yield f"    {result.name}[{', '.join(map(str, index))}] = {value}"
    inputs = [item.name for item in exported.arguments]
    outputs = [result.name for result in exported.results]
    arrays = [f"[{', '.join(names)}]" for names in (inputs, outputs)]
    quoted = [str(names).replace("'", '"') for names in (inputs, outputs)]
    yield f'    return ca.Function("{exported.name}", {", ".join([*arrays, *quoted])})'
    yield ""
    yield ""
    yield f"{exported.name} = build()"
