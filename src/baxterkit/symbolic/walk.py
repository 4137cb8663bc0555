"""The traversal that all writers share: from a program's nodes to statements.

A node that is needed more than once becomes a statement of its own, with a name. One that is needed
once is written inside the statement that needs it, as long as that one stays short. A writer says
what a number, an input or an operation looks like; it need not be text (`closed_form` walks into
SymPy expressions).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from baxterkit.symbolic.fold import split_symbol
from baxterkit.symbolic.graph import CONST, NEG, OPERATIONS, SYMBOL, Expr
from baxterkit.symbolic.program import Program

T = TypeVar("T")


class Walk(ABC, Generic[T]):
    """One pass over a program.

    Args:
        program: The program to write.
        longest: A node of this many operations is never written inside another one.
    """

    def __init__(self, program: Program, longest: int = 4) -> None:
        self.program = program
        self.nodes = program.nodes()
        self.uses: Counter[int] = Counter(a.index for node in self.nodes for a in node.args)
        self.uses.update(output.index for output in program.outputs)
        for node in reversed(self.nodes):
            if node.kind == NEG:  # to write -x is to write x
                self.uses[node.args[0].index] += self.uses[node.index] - 1
        self._longest = longest
        self._length: dict[int, int] = {}
        self._values: dict[int, T] = {}

    @abstractmethod
    def number(self, value: float) -> T:
        """A constant, not negative."""

    @abstractmethod
    def symbol(self, name: str, index: int) -> T:
        """Component `index` of the input `name`."""

    @abstractmethod
    def operation(self, node: Expr, args: Sequence[T]) -> T:
        """A sum, difference, product, quotient or root of `args`."""

    @abstractmethod
    def negative(self, arg: T) -> T:
        """The negative of `arg`."""

    @abstractmethod
    def temporary(self, number: int) -> T:
        """The name of statement `number`, counted from 1."""

    def statements(self) -> Iterator[tuple[T, T]]:
        """Every statement as (name, value), in order."""
        count = 0
        for node in self.nodes:
            value = self._value(node)
            if node.kind in OPERATIONS and not self._is_inlined(node):
                count += 1
                name = self.temporary(count)
                yield name, value
                value = name
                self._length[node.index] = 0
            self._values[node.index] = value

    def outputs(self) -> list[T]:
        """The results, after all statements."""
        return [self._values[output.index] for output in self.program.outputs]

    def _value(self, node: Expr) -> T:
        self._length[node.index] = sum(self._length[a.index] for a in node.args)
        if node.kind == CONST:
            assert isinstance(node.value, float)
            return self.number(node.value)
        if node.kind == SYMBOL:
            return self.symbol(*split_symbol(node))
        args = [self._values[a.index] for a in node.args]
        if node.kind == NEG:
            return self.negative(args[0])
        self._length[node.index] += 1
        return self.operation(node, args)

    def _is_inlined(self, node: Expr) -> bool:
        return self.uses[node.index] == 1 and self._length[node.index] < self._longest
