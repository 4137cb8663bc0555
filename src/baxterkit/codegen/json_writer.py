"""Writes a function as data: a list of operations in JSON, for interpreters and other generators.

docs/export.md describes the schema, `baxterkit.program/1`. References are strings: `q[0]` is a
component of an input, `%0` the value of operation 0, `%1` of operation 1, and so on; numbers stand
for themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS
from baxterkit.symbolic.graph import Expr
from baxterkit.symbolic.program import Program
from baxterkit.symbolic.walk import Walk

SCHEMA = "baxterkit.program/1"

Reference: TypeAlias = str | float
Operation: TypeAlias = list[Reference]


class _JsonWalk(Walk[Any]):
    """Collects operations; every value is a reference."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.operations: list[Operation] = []
        self._angles: dict[tuple[str, int], Reference] = {}

    def number(self, value: float) -> Reference:
        return value

    def symbol(self, name: str, index: int) -> Reference:
        if name not in FUNCTIONS:
            return f"{name}[{index}]"
        if (name, index) not in self._angles:
            self._angles[name, index] = self._append(FUNCTIONS[name], f"q[{index}]")
        return self._angles[name, index]

    def negative(self, arg: Reference) -> Reference:
        return -arg if isinstance(arg, float) else self._append("neg", arg)

    def operation(self, node: Expr, args: Sequence[Reference]) -> Reference:
        return self._append(node.kind, *args)

    def temporary(self, number: int) -> Reference:
        return f"%{len(self.operations) - 1}"

    def _append(self, kind: str, *args: Reference) -> Reference:
        self.operations.append([kind, *args])
        return f"%{len(self.operations) - 1}"


def write(exported: Exported) -> Iterator[str]:
    """The file, line by line."""
    walk = _JsonWalk(exported.program)
    for _ in walk.statements():
        pass
    outputs = iter(walk.outputs())
    defaults = {constant.name: list(constant.values) for constant in exported.constants}
    facts: dict[str, object] = {
        "schema": SCHEMA,
        "name": exported.name,
        "about": list(exported.header),
        "inputs": [
            {"name": item.name, "size": item.size, "meaning": item.meaning}
            for item in exported.arguments
        ],
        "constants": defaults,
        "operations": walk.operations,
        "outputs": [
            {
                "name": result.name,
                "shape": list(result.shape),
                "meaning": result.meaning,
                "values": [next(outputs) for _ in range(result.size)],
            }
            for result in exported.results
        ],
    }
    yield from _compact(facts)


def _compact(facts: dict[str, object]) -> Iterator[str]:
    """JSON with one line for each entry of a list, so that files compare well."""
    parts = []
    for key, value in facts.items():
        if isinstance(value, list):
            lines = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in value)
            parts.append(f"  {json.dumps(key)}: [\n{lines}\n  ]")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    yield from ("{", ",\n".join(parts), "}")
