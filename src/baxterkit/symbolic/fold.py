"""Programs with some of their inputs replaced by numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from baxterkit.symbolic.graph import ARITHMETIC, Expr, Graph, Operand
from baxterkit.symbolic.program import Program


def bind(
    program: Program, values: Mapping[str, Sequence[Operand]], graph: Graph | None = None
) -> Program:
    """The program for given values of some inputs.

    It is rebuilt in a new graph, whose constructors fold constants, so that a zero in the mount or
    a zero moment removes its products.

    Args:
        program: Any program.
        values: Input name → its components: numbers, or expressions of `graph`. Names that the
            program lacks are ignored.
        graph: Graph in which it is rebuilt; a new one if None.

    Returns:
        The program of the remaining inputs.
    """
    graph = Graph() if graph is None else graph
    new: dict[int, Expr] = {}
    for node in program.nodes():
        new[node.index] = _rebuilt(graph, node, [new[a.index] for a in node.args], values)
    return dataclasses.replace(
        program,
        inputs=tuple(item for item in program.inputs if item.name not in values),
        outputs=tuple(new[output.index] for output in program.outputs),
        core=None,
    )


def split_symbol(node: Expr) -> tuple[str, int]:
    """Input and component that a symbol stands for: `qd[3]` → ("qd", 3)."""
    name, _, index = str(node.value).partition("[")
    return name, int(index.rstrip("]"))


def _rebuilt(
    graph: Graph, node: Expr, args: list[Expr], values: Mapping[str, Sequence[Operand]]
) -> Expr:
    match node.kind:
        case "symbol":
            name, index = split_symbol(node)
            return graph.lift(values[name][index]) if name in values else graph.symbol(str(node))
        case "const":
            assert isinstance(node.value, float)
            return graph.const(node.value)
        case "neg":
            return -args[0]
        case "sqrt":
            return args[0].sqrt()
    combined: Expr = ARITHMETIC[node.kind](*args)
    return combined
