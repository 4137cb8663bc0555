"""Statements as text in the syntax that C, Python and MATLAB share: `t7 = s2*t3 + c2*t4`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from baxterkit.codegen.quantities import Exported, ReturnValue
from baxterkit.symbolic.graph import ADD, DIV, MUL, SQRT, SUB, Expr
from baxterkit.symbolic.program import Program
from baxterkit.symbolic.walk import Walk

SUM, PRODUCT, ATOM = 1, 2, 3
"""Precedence of a text: sums, products, and terms that need no parentheses."""

FUNCTIONS = {"s": "sin", "c": "cos"}
"""Functions of q that programs take as inputs: `s[0]` is the sine of `q[0]`."""

ZERO = "0.0"
"""Text of an entry that is zero for every state."""

WIDTH = 100
"""Longest line of lists; statements may be longer."""


@dataclass(frozen=True)
class Term:
    """A piece of an expression.

    Attributes:
        text: Its text.
        level: Its precedence.
        opposite: Text of its negative, if that takes no further operation.
    """

    text: str
    level: int = ATOM
    opposite: str = ""

    def within(self, level: int) -> str:
        """The text for a place that needs at least this level."""
        return self.text if self.level >= level else f"({self.text})"

    def negated(self) -> Term:
        """-x: a difference is swapped, and the first factor of a product gets the sign."""
        return Term(self.opposite or f"-{self.within(PRODUCT)}", SUM)


class TextWalk(Walk[Term]):
    """Writes a program as statements.

    Rounding is the program's own: parentheses keep the order of its operations.

    Args:
        program: The program to write.
        symbol: How component i of an input is written.
        root: Name of the square root.
        longest: See `Walk`.
    """

    def __init__(
        self,
        program: Program,
        symbol: Callable[[str, int], str],
        root: str = "sqrt",
        longest: int = 4,
    ) -> None:
        super().__init__(program, longest)
        self._symbol = symbol
        self._root = root

    def number(self, value: float) -> Term:
        """All digits that the number needs."""
        return Term(repr(value))

    def symbol(self, name: str, index: int) -> Term:
        """As the language writes it."""
        return Term(self._symbol(name, index))

    def temporary(self, number: int) -> Term:
        """Counted from 1: t1, t2."""
        return Term(f"t{number}")

    def negative(self, arg: Term) -> Term:
        """-x."""
        return arg.negated()

    def operation(self, node: Expr, args: Sequence[Term]) -> Term:
        """Infix, with parentheses where they are needed."""
        if node.kind == SQRT:
            return Term(f"{self._root}({args[0].text})")
        sign, level = {
            ADD: (" + ", SUM),
            SUB: (" - ", SUM),
            MUL: ("*", PRODUCT),
            DIV: ("/", PRODUCT),
        }[node.kind]
        a, b = args
        opposite = f"{b.within(SUM)} - {a.within(PRODUCT)}" if node.kind == SUB else ""
        return Term(f"{a.within(level)}{sign}{b.within(level + 1)}", level, opposite)


@dataclass(frozen=True)
class Body:
    """A function's text, without the syntax of assignments.

    Attributes:
        statements: (name, expression) in order.
        results: For every result, (index, expression) of each entry.
    """

    statements: list[tuple[str, str]]
    results: list[tuple[ReturnValue, list[tuple[tuple[int, ...], str]]]]


def body_of(exported: Exported, walk: Walk[Term]) -> Body:
    """The statements and results of a function."""
    statements = [(name.text, value.text) for name, value in walk.statements()]
    texts = iter(output.text for output in walk.outputs())
    results = [(r, [(index, next(texts)) for index in r.indices()]) for r in exported.results]
    return Body(statements, results)


def functions(exported: Exported) -> list[str]:
    """Names of the functions that the arithmetic takes."""
    return ["sin", "cos"] + ["sqrt"] * (exported.program.operations.square_roots > 0)


def component(exported: Exported) -> Callable[[str, int], str]:
    """Names for languages in which a function unpacks the states: `s1`, `qd3`, but `beta[44]`."""
    parameters = {item.name for item in exported.arguments if item.parameter}

    def name(item: str, index: int) -> str:
        return f"{item}[{index}]" if item in parameters else f"{item}{index + 1}"

    return name


def comment(exported: Exported, mark: str) -> list[str]:
    """The header as comment lines, in ASCII."""
    return [f"{mark} {line}".rstrip() for line in ascii_lines(exported.header)]


def ascii_lines(lines: Sequence[str]) -> list[str]:
    """Lines without the characters that old tools cannot read."""
    return [line.replace("²", "^2") for line in lines]


def wrapped(
    items: Sequence[str], first: str, last: str, indent: str = "    ", join: str = ","
) -> list[str]:
    """`first items last` on one line, or if that is too long on several lines, indented.

    Args:
        items: Pieces that are separated by commas.
        first: Text before the list.
        last: Text after the list.
        indent: Put before the lines between.
        join: End of a line that is continued.
    """
    line = f"{first}{', '.join(items)}{last.lstrip()}"
    if len(line) <= WIDTH:
        return [line]
    lines = textwrap.wrap(
        ", ".join(items),
        WIDTH - len(indent) - len(join),
        break_long_words=False,
        break_on_hyphens=False,
    )
    ends = [join.removeprefix(",")] * (len(lines) - 1) + [""]
    return [first, *(f"{indent}{line}{end}" for line, end in zip(lines, ends, strict=True)), last]
