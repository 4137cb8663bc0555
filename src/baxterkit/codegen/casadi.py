"""Writes a function as a Python module that builds a `casadi.Function`."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen.python import constants, docstring, unpacked
from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS, ZERO, TextWalk, body_of, component


def write(exported: Exported) -> str:
    """The text of the module."""
    return "\n".join(_lines(exported)) + "\n"


def _lines(exported: Exported) -> Iterator[str]:
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
    quoted = [f"[{', '.join(map(_quoted, names))}]" for names in (inputs, outputs)]
    yield f'    return ca.Function("{exported.name}", {", ".join([*arrays, *quoted])})'
    yield ""
    yield ""
    yield f"{exported.name} = build()"


def _quoted(name: str) -> str:
    return f'"{name}"'
