"""Writes a function for MATLAB's symbolic toolbox, and its coefficients as a workspace file.

The function takes numbers or symbols. The arm's numbers are not in it: they are the elements of a
vector `k`, which the workspace file holds. With symbols for all arguments, the function gives the
closed form; with `k` loaded and q as numbers, its values.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from baxterkit.codegen.matlab import symbol
from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS, Term, TextWalk, body_of, comment
from baxterkit.types import Array

COEFFICIENTS = "k"
_SYMBOLS = (
    "function v = symbols(name, count)",
    "% Symbols name1, name2, ... as a column.",
    "  v = sym(zeros(count, 1));",
    "  for i = 1:count",
    "    v(i) = sym([name num2str(i)]);",
    "  end",
    "end",
)


@dataclass(frozen=True, eq=False)
class SymbolicFunction:
    """A function file and its workspace file.

    Attributes:
        text: Text of the function file.
        coefficients: The coefficients k, shape (n,).
        workspace: Bytes of the workspace file.
    """

    text: str
    coefficients: Array
    workspace: bytes


def write(exported: Exported) -> SymbolicFunction:
    """The files of a function whose numbers are folded in."""
    walk = _CoefficientWalk(exported)
    body = body_of(exported, walk)
    lines = [*_head(exported, len(walk.values))]
    lines += [
        f"  {symbol(name, i)} = {FUNCTIONS[name]}(q({i + 1}));" for name, i in exported.angles
    ]
    lines += [f"  {name} = {value};" for name, value in body.statements]
    for result, entries in body.results:
        # A matrix in brackets may hold symbols; one that begins as zeros(7) may not.
        _, columns = result.rows_and_columns
        texts = [value for _, value in entries]
        rows = [texts[i : i + columns] for i in range(0, len(texts), columns)]
        lines.append(f"  {result.name} = [" + "; ...\n    ".join(map(", ".join, rows)) + "];")
    lines += ["end", "", *_SYMBOLS]
    values = np.array(walk.values)
    return SymbolicFunction("\n".join(lines) + "\n", values, mat_file({COEFFICIENTS: values}))


class _CoefficientWalk(TextWalk):
    """Writes numbers as elements of `k`, whole ones as they are."""

    def __init__(self, exported: Exported) -> None:
        super().__init__(exported.program, symbol)
        self.values: list[float] = []
        self._places: dict[float, int] = {}

    def number(self, value: float) -> Term:
        """`k(3)`; numbers that differ in sign share an element."""
        if value == int(value):
            return Term(str(int(value)))
        place = self._places.setdefault(abs(value), len(self.values))
        if place == len(self.values):
            self.values.append(abs(value))
        text = f"{COEFFICIENTS}({place + 1})"
        return Term(text) if value > 0.0 else Term(text).negated()


def _head(exported: Exported, count: int) -> Iterator[str]:
    results = ", ".join(result.name for result in exported.results)
    left = f"[{results}]" if len(exported.results) > 1 else results
    names = [item.name for item in exported.arguments]
    yield f"function {left} = {exported.name}({', '.join([*names, COEFFICIENTS])})"
    yield from comment(exported, "%")
    yield "%"
    yield f"% k holds the {count} coefficients; load('{exported.name}.mat') gives them."
    yield "% Arguments may be numbers or symbols. Those left out, or empty, become symbols:"
    yield f"%   {left} = {exported.name}();              % the closed form"
    yield f"%   load {exported.name}.mat; {left} = {exported.name}({', '.join([*names, 'k'])});"
    sizes = [(item.name, item.size) for item in exported.arguments]
    for number, (name, size) in enumerate([*sizes, (COEFFICIENTS, count)], start=1):
        yield f"  if nargin < {number} || isempty({name})"
        yield f"    {name} = symbols('{name}', {size});"
        yield "  end"


def mat_file(variables: Mapping[str, Array]) -> bytes:
    """Columns of numbers as a MAT-file of version 4, which MATLAB, Octave and SciPy load.

    Args:
        variables: Name -> numbers, shape (n,).
    """
    parts = []
    for name, values in variables.items():
        column = np.ascontiguousarray(values, dtype="<f8")
        label = name.encode("ascii") + b"\0"
        # Little-endian doubles, a full matrix: type 0; rows, columns, no imaginary part.
        parts.append(struct.pack("<5i", 0, column.size, 1, 0, len(label)) + label)
        parts.append(column.tobytes())
    return b"".join(parts)
