"""Writes a function as a MATLAB function file, which Octave runs too."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS, ZERO, TextWalk, body_of, comment, wrapped


def symbol(name: str, index: int) -> str:
    """Sines and cosines are locals (`s1`), the rest are elements, counted from 1 (`qd(1)`)."""
    return f"{name}{index + 1}" if name in FUNCTIONS else f"{name}({index + 1})"


def vector(values: tuple[float, ...], first: str, indent: str = "    ") -> list[str]:
    """`first [values];`, folded as MATLAB wants it."""
    return wrapped([repr(x) for x in values], f"{first}[", "];", indent, ", ...")


def write(exported: Exported) -> Iterator[str]:
    """The file, line by line; MATLAB finds the function if the file has its name."""
    names = ", ".join(result.name for result in exported.results)
    left = f"[{names}]" if len(exported.results) > 1 else names
    arguments = ", ".join(item.name for item in exported.arguments)
    yield f"function {left} = {exported.name}({arguments})"
    yield from comment(exported, "%")
    yield "%"
    yield "% Vectors may be rows or columns; results are columns. Save as " + f"{exported.name}.m."
    if exported.constants:
        yield "% Parameters that are left out, or empty, are the numbers of this arm."
    yield "%#codegen"
    kept = {item.name for item in exported.arguments}
    for number, item in enumerate(exported.arguments, start=1):
        if item.parameter:
            yield f"  if nargin < {number} || isempty({item.name})"
            yield from vector(exported.default(item.name), f"    {item.name} = ", "      ")
            yield "  end"
    for constant in exported.constants:
        if constant.name not in kept:
            yield f"  % {constant.name}, {constant.meaning.replace('²', '^2')}:"
            yield from (f"  % {line}" for line in vector(constant.values, f"{constant.name} = "))
    for name, i in exported.angles:
        yield f"  {symbol(name, i)} = {FUNCTIONS[name]}(q({i + 1}));"
    body = body_of(exported, TextWalk(exported.program, symbol))
    for name, value in body.statements:
        yield f"  {name} = {value};"
    for result, entries in body.results:
        rows, columns = result.rows_and_columns
        yield f"  {result.name} = zeros({rows}, {columns});"
        for index, value in entries:
            if value != ZERO:
                yield f"  {result.name}({', '.join(str(i + 1) for i in index)}) = {value};"
    yield "end"
