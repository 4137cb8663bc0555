"""Writes programs as C++ templates over the scalar type.

One statement for each operation, in order of need. A product that only one sum uses is fused into
it (`fma`, `fms`, `fnma`, `fnms`), explicitly, so that a batch in vector registers and a single call
do exactly the same arithmetic. For the same reason a sum that is only used negated is written
negated: a compiler would rewrite it for single calls only, and the sign of a zero would differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from baxterkit.symbolic.graph import ADD, CONST, DIV, MUL, NEG, SQRT, SUB, SYMBOL, Expr
from baxterkit.symbolic.program import Program


def write_function(program: Program) -> str:
    """The program as `template <class T> void name(inputs…, T* out)`."""
    return "\n".join(_function_lines(program)) + "\n"


def _function_lines(program: Program) -> Iterator[str]:
    yield f"// {program.summary}"
    for item in program.inputs:
        yield f"//   {item.name}[{item.size}]: {item.meaning}"
    yield f"//   out: shape {program.shape}"
    yield f"// Operations: {describe_count(program)}."
    arguments = [f"const {'Real' if i.parameter else 'T'}* {i.name}" for i in program.inputs]
    yield "template <class T>"
    yield f"BK_INLINE void {program.name}({', '.join([*arguments, 'T* out'])}) {{"
    yield from (f"  {line}" for line in _Writer(program).lines())
    yield "}"


def describe_count(program: Program) -> str:
    """The operation count in words."""
    count = program.operations
    text = f"{count.total} ({count.multiplications} mul, {count.additions} add"
    if count.divisions:
        text += f", {count.divisions} div"
    if count.square_roots:
        text += f", {count.square_roots} sqrt"
    text += ")"
    if program.core is not None:
        text += f"; {program.core.total} without mount and tool"
    return text


class _Writer:
    """Turns the nodes of one program into statements."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._nodes = program.nodes()
        self._uses: Counter[int] = Counter()
        for node in self._nodes:
            self._uses.update(argument.index for argument in node.args)
        self._uses.update(output.index for output in program.outputs)
        self._turned = {
            node.args[0].index
            for node in self._nodes
            if node.kind == NEG
            and node.args[0].kind in (ADD, SUB)
            and self._is_single(node.args[0])
        }
        parameters = {item.name for item in program.inputs if item.parameter}
        self._constant: dict[int, bool] = {}
        for node in self._nodes:
            if node.kind == SYMBOL:
                self._constant[node.index] = str(node.value).partition("[")[0] in parameters
            else:
                self._constant[node.index] = all(self._constant[a.index] for a in node.args)
        self._text: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        fused = self._fused_products()
        number = 0
        for node in self._nodes:
            if node.index in fused:
                continue
            if node.kind in (CONST, SYMBOL, NEG):
                self._text[node.index] = self._leaf(node)
                continue
            name = f"t{number}"
            number += 1
            kind = "Real" if self._constant[node.index] else "T"
            yield f"const {kind} {name} = {self._operation(node, fused)};"
            self._text[node.index] = name
        for i, output in enumerate(self._program.outputs):
            yield f"out[{i}] = {self._text[output.index]};"

    def _fused_products(self) -> set[int]:
        """Products that become part of the one sum that uses them."""
        fused: set[int] = set()
        for node in self._nodes:
            if node.kind in (ADD, SUB):
                product = self._product_of(node)
                if product is not None:
                    fused.add(product.index)
        return fused

    def _product_of(self, node: Expr) -> Expr | None:
        candidates = [a for a in node.args if a.kind == MUL and self._is_single(a)]
        return max(candidates, key=lambda a: a.index) if candidates else None

    def _is_single(self, node: Expr) -> bool:
        return self._uses[node.index] == 1

    def _leaf(self, node: Expr) -> str:
        if node.kind == CONST:
            return repr(node.value)
        if node.kind == SYMBOL:
            return str(node.value)
        text = self._text[node.args[0].index]
        return text if node.args[0].index in self._turned else f"-{text}"

    def _operation(self, node: Expr, fused: set[int]) -> str:
        if node.kind in (ADD, SUB):
            product = self._product_of(node)
            if product is not None and product.index in fused:
                return self._fused(node, product)
        first = self._operand(node.args[0])
        if node.kind == SQRT:
            return f"sqrt({first})"
        second = self._operand(node.args[1])
        if node.index in self._turned:
            return f"{second} - {first}" if node.kind == SUB else f"-({first} + {second})"
        symbol = {ADD: "+", SUB: "-", MUL: "*", DIV: "/"}[node.kind]
        return f"{first} {symbol} {second}"

    def _operand(self, node: Expr) -> str:
        """A number beside an operator has the type of the parameters, so that none is promoted."""
        text = self._text[node.index]
        return f"Real({text})" if node.kind == CONST else text

    def _fused(self, node: Expr, product: Expr) -> str:
        a, b = (self._text[argument.index] for argument in product.args)
        left, right = node.args
        other = self._text[(right if product is left else left).index]
        turned = node.index in self._turned
        if node.kind == ADD:
            function = "fnms" if turned else "fma"
        else:
            function = "fms" if (product is left) != turned else "fnma"
        return f"{function}({a}, {b}, {other})"
