"""A program: named inputs, one flat list of outputs, and the arithmetic between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from baxterkit.symbolic.graph import Expr, OperationCount, operations_of, reachable


@dataclass(frozen=True)
class Input:
    """An input array of a program.

    Attributes:
        name: Its name; component i is the symbol `name[i]`.
        size: Number of components.
        meaning: Its meaning, with units.
        parameter: True if it is constant over a batch (mount, tool, inertias), so that code for
            vectors of samples may keep it a plain number.
    """

    name: str
    size: int
    meaning: str
    parameter: bool = False


@dataclass(frozen=True)
class Program:
    """Straight-line code for one quantity.

    Attributes:
        name: Name of the generated function.
        summary: One sentence on what it computes.
        inputs: The inputs, in the order of the function's arguments.
        outputs: One expression for each component of the result, row by row.
        shape: Shape of the result.
        core: Operations of the derivation without mount and tool products, where that differs.
    """

    name: str
    summary: str
    inputs: tuple[Input, ...]
    outputs: tuple[Expr, ...]
    shape: tuple[int, ...]
    core: OperationCount | None = field(default=None)

    @cached_property
    def operations(self) -> OperationCount:
        """Multiplications, additions, divisions and roots of one evaluation."""
        return operations_of(self._nodes)

    def nodes(self) -> Sequence[Expr]:
        """Every node in the order of evaluation."""
        return self._nodes

    @cached_property
    def _nodes(self) -> tuple[Expr, ...]:
        return tuple(reachable(self.outputs))

    def evaluate(self, values: dict[str, Sequence[float]]) -> list[float]:
        """Runs the program on numbers: the slowest backend, and the reference for all writers."""
        results: dict[int, float] = {}
        for node in self.nodes():
            results[node.index] = _evaluate(node, results, values)
        return [results[output.index] for output in self.outputs]


def _evaluate(node: Expr, results: dict[int, float], values: dict[str, Sequence[float]]) -> float:
    if node.kind == "const":
        assert isinstance(node.value, float)
        return node.value
    if node.kind == "symbol":
        name, _, index = str(node.value).partition("[")
        return values[name][int(index.rstrip("]"))]
    arguments = [results[argument.index] for argument in node.args]
    match node.kind:
        case "neg":
            return -arguments[0]
        case "add":
            return arguments[0] + arguments[1]
        case "sub":
            return arguments[0] - arguments[1]
        case "mul":
            return arguments[0] * arguments[1]
        case "div":
            return arguments[0] / arguments[1]
        case "sqrt":
            return float(arguments[0] ** 0.5)
    raise AssertionError(f"unknown node kind {node.kind}")
