"""A small hash-consed expression graph: the language in which kernels are derived.

Every expression exists once. Building `a * b` twice gives the same node, so common subexpressions
are shared as the derivation runs and no expression ever swells. The constructors fold constants,
drop zeros and ones, and pull signs outwards, so that `x - y` and `y - x` are one node and its
negative: a negation costs nothing, because the sum or product that uses it absorbs the sign.

The derivations (`equations/`) use only `+ - *` (and `/`, `sqrt` where a factorisation needs them),
so that the same functions also run on floats or on SymPy symbols.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Number: TypeAlias = int | float
Operand: TypeAlias = "Expr | int | float"

CONST = "const"
SYMBOL = "symbol"
NEG = "neg"
ADD = "add"
SUB = "sub"
MUL = "mul"
DIV = "div"
SQRT = "sqrt"

ARITHMETIC = {
    ADD: operator.add,
    SUB: operator.sub,
    MUL: operator.mul,
    DIV: operator.truediv,
}
"""The operations of nodes with two operands, for any scalars."""

OPERATIONS = frozenset({ADD, SUB, MUL, DIV, SQRT})
"""Node kinds that cost an arithmetic operation. Negation is free: its user absorbs it."""


class Expr:
    """One node of a `Graph`. Immutable; equal expressions are the same object."""

    __slots__ = ("args", "graph", "index", "kind", "value")

    def __init__(
        self, graph: Graph, index: int, kind: str, args: tuple[Expr, ...], value: object
    ) -> None:
        self.graph = graph
        self.index = index
        self.kind = kind
        self.args = args
        self.value = value

    def __add__(self, other: Operand) -> Expr:
        return self.graph.add(self, self.graph.lift(other))

    def __sub__(self, other: Operand) -> Expr:
        return self.graph.add(self, self.graph.neg(self.graph.lift(other)))

    def __mul__(self, other: Operand) -> Expr:
        return self.graph.mul(self, self.graph.lift(other))

    def __truediv__(self, other: Operand) -> Expr:
        return self.graph.div(self, self.graph.lift(other))

    def __radd__(self, other: Operand) -> Expr:
        return self.graph.add(self.graph.lift(other), self)

    def __rsub__(self, other: Operand) -> Expr:
        return self.graph.add(self.graph.lift(other), self.graph.neg(self))

    def __rmul__(self, other: Operand) -> Expr:
        return self.graph.mul(self.graph.lift(other), self)

    def __rtruediv__(self, other: Operand) -> Expr:
        return self.graph.div(self.graph.lift(other), self)

    def __neg__(self) -> Expr:
        return self.graph.neg(self)

    def sqrt(self) -> Expr:
        """Square root of this expression."""
        return self.graph.sqrt(self)

    @property
    def is_zero(self) -> bool:
        """Whether this is the constant 0."""
        return self.kind == CONST and self.value == 0.0

    def __repr__(self) -> str:
        if self.kind in (CONST, SYMBOL):
            return str(self.value)
        return f"{self.kind}({', '.join(map(repr, self.args))})"


class Graph:
    """Owner of the nodes of one derivation."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Expr] = {}

    def symbol(self, name: str) -> Expr:
        """The input called `name` (in the generated code, this is the text that is printed)."""
        return self._node(SYMBOL, (), name)

    def symbols(self, pattern: str, count: int) -> list[Expr]:
        """Inputs `pattern[0] … pattern[count - 1]`."""
        return [self.symbol(f"{pattern}[{i}]") for i in range(count)]

    def const(self, value: Number) -> Expr:
        """A number. Negative numbers are the negation of a positive one."""
        value = float(value)
        if value < 0.0:
            return self.neg(self._node(CONST, (), -value))
        return self._node(CONST, (), value + 0.0)

    def lift(self, value: Operand) -> Expr:
        """`value` as an expression of this graph."""
        return value if isinstance(value, Expr) else self.const(value)

    def neg(self, a: Expr) -> Expr:
        """-a."""
        if a.kind == NEG:
            return a.args[0]
        if a.is_zero:
            return a
        return self._node(NEG, (a,), None)

    def add(self, a: Expr, b: Expr) -> Expr:
        """The sum a + b, as a canonical sum or difference with its sign outside."""
        if a.is_zero:
            return b
        if b.is_zero:
            return a
        sa, a = _split_sign(a)
        sb, b = _split_sign(b)
        if a is b:
            return self.const(0.0) if sa != sb else self.mul(self.const(2.0 * sa), a)
        if a.kind == CONST and b.kind == CONST:
            return self.const(sa * _number(a) + sb * _number(b))
        if sa == sb:
            x, y = sorted((a, b), key=_by_index)
            total = self._node(ADD, (x, y), None)
            return total if sa > 0 else self.neg(total)
        if a.index < b.index:
            difference = self._node(SUB, (a, b), None)
            return difference if sa > 0 else self.neg(difference)
        difference = self._node(SUB, (b, a), None)
        return difference if sb > 0 else self.neg(difference)

    def mul(self, a: Expr, b: Expr) -> Expr:
        """The product a * b, with its sign outside and constants gathered."""
        sa, a = _split_sign(a)
        sb, b = _split_sign(b)
        sign = sa * sb
        if a.is_zero or b.is_zero:
            return self.const(0.0)
        if a.kind == CONST and b.kind == CONST:
            return self.const(sign * _number(a) * _number(b))
        if b.kind == CONST:
            a, b = b, a
        if a.kind == CONST:
            if _number(a) == 1.0:
                return b if sign > 0 else self.neg(b)
            if b.kind == MUL and b.args[0].kind == CONST:
                a = self.const(_number(a) * _number(b.args[0]))
                b = b.args[1]
        elif b.index < a.index:
            a, b = b, a
        product = self._node(MUL, (a, b), None)
        return product if sign > 0 else self.neg(product)

    def div(self, a: Expr, b: Expr) -> Expr:
        """The quotient a / b, with its sign outside."""
        sa, a = _split_sign(a)
        sb, b = _split_sign(b)
        if a.is_zero:
            return a
        if b.kind == CONST:
            quotient = self.mul(a, self.const(1.0 / _number(b)))
        else:
            quotient = self._node(DIV, (a, b), None)
        return quotient if sa == sb else self.neg(quotient)

    def sqrt(self, a: Expr) -> Expr:
        """Square root of a."""
        if a.kind == CONST:
            return self.const(_number(a) ** 0.5)
        return self._node(SQRT, (a,), None)

    def _node(self, kind: str, args: tuple[Expr, ...], value: object) -> Expr:
        key = (kind, value, *(a.index for a in args))
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Expr(self, len(self._nodes), kind, args, value)
        return node


@dataclass(frozen=True)
class OperationCount:
    """Number of operations of a program (sines and cosines are inputs and not counted)."""

    multiplications: int
    additions: int
    divisions: int = 0
    square_roots: int = 0

    @property
    def total(self) -> int:
        """All operations together."""
        return self.multiplications + self.additions + self.divisions + self.square_roots


def reachable(outputs: Iterable[Expr]) -> list[Expr]:
    """The nodes that `outputs` need, each after its arguments, depth first."""
    order: list[Expr] = []
    seen: set[int] = set()
    for output in outputs:
        stack: list[tuple[Expr, Iterator[Expr]]] = []
        if output.index not in seen:
            seen.add(output.index)
            stack.append((output, iter(output.args)))
        while stack:
            node, pending = stack[-1]
            child = next(pending, None)
            if child is None:
                order.append(node)
                stack.pop()
            elif child.index not in seen:
                seen.add(child.index)
                stack.append((child, iter(child.args)))
    return order


def count_operations(outputs: Iterable[Expr]) -> OperationCount:
    """Operations that computing all `outputs` together takes."""
    return operations_of(reachable(outputs))


def operations_of(nodes: Iterable[Expr]) -> OperationCount:
    """Operations among `nodes`."""
    kinds = [node.kind for node in nodes]
    return OperationCount(
        multiplications=kinds.count(MUL),
        additions=kinds.count(ADD) + kinds.count(SUB),
        divisions=kinds.count(DIV),
        square_roots=kinds.count(SQRT),
    )


def _split_sign(a: Expr) -> tuple[int, Expr]:
    return (-1, a.args[0]) if a.kind == NEG else (1, a)


def _number(a: Expr) -> float:
    assert isinstance(a.value, float)
    return a.value


def _by_index(a: Expr) -> int:
    return a.index
