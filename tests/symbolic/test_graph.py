"""The expression graph: every expression once, signs outside, constants folded, value kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baxterkit.symbolic.graph import (
    CONST,
    NEG,
    OPERATIONS,
    Expr,
    Graph,
    count_operations,
    reachable,
)
from baxterkit.symbolic.program import Input, Program

# A tree is a number, a name, or (operation, tree, tree). It is built both in the graph and in
# plain floats, and the two must agree.
NAMES = ("x[0]", "x[1]", "x[2]")
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 2.0, -0.5, 0.069, 3.25])
LEAVES = NUMBERS | st.sampled_from(NAMES)
TREES = st.recursive(
    LEAVES,
    lambda child: st.tuples(st.sampled_from("+-*"), child, child) | st.tuples(st.just("n"), child),
    max_leaves=30,
)
APPLY: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "n": lambda a: -a,
}


def build(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    if isinstance(tree, tuple):
        return APPLY[tree[0]](*(build(child, leaf) for child in tree[1:]))
    return leaf(tree)


def in_graph(graph: Graph, tree: Any) -> Expr:
    leaf = lambda x: graph.symbol(x) if isinstance(x, str) else graph.const(x)  # noqa: E731
    expression = build(tree, leaf)
    assert isinstance(expression, Expr)
    return expression


def value_of(expression: Expr, x: tuple[float, ...]) -> float:
    program = Program("f", "", (Input("x", 3, ""),), (expression,), ())
    return program.evaluate({"x": x})[0]


@given(TREES, st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_an_expression_has_the_value_of_its_tree(tree: Any, x: tuple[float, ...]) -> None:
    expected = build(tree, lambda leaf: x[NAMES.index(leaf)] if isinstance(leaf, str) else leaf)
    # Rounding is bounded by the value of the same tree with all terms made positive.
    size = build_sizes(tree, x)
    assert abs(value_of(in_graph(Graph(), tree), x) - expected) <= 1e-14 * size


def build_sizes(tree: Any, x: tuple[float, ...]) -> float:
    if not isinstance(tree, tuple):
        return abs(x[NAMES.index(tree)]) if isinstance(tree, str) else abs(tree)
    sizes = [build_sizes(child, x) for child in tree[1:]]
    return sizes[0] * sizes[1] if tree[0] == "*" else sum(sizes)


@given(TREES)
def test_the_same_tree_is_the_same_node(tree: Any) -> None:
    graph = Graph()
    assert in_graph(graph, tree) is in_graph(graph, tree)


@given(TREES, TREES)
def test_sums_and_products_commute_and_signs_cancel(left: Any, right: Any) -> None:
    graph = Graph()
    a, b = in_graph(graph, left), in_graph(graph, right)
    assert a + b is b + a
    assert a * b is b * a
    assert a - b is -(b - a)
    assert -a - b is -(a + b)
    assert (-a) * b is -(a * b)
    assert (-a) * (-b) is a * b
    assert a - a is graph.const(0.0)
    minus = -a
    assert -minus is a


@given(TREES)
def test_zero_and_one_cost_nothing(tree: Any) -> None:
    graph = Graph()
    a = in_graph(graph, tree)
    assert a + 0.0 is a
    assert 0.0 + a is a
    assert a * 1.0 is a
    assert a * -1.0 is -a
    assert a * 0.0 is graph.const(0.0)
    assert 0.0 - a is -a


@given(TREES)
def test_canonical_form_has_signs_outside_and_no_constant_operations(tree: Any) -> None:
    for node in reachable([in_graph(Graph(), tree)]):
        kinds = [argument.kind for argument in node.args]
        assert NEG not in kinds
        if node.kind == CONST:
            assert isinstance(node.value, float)
            assert node.value >= 0.0
            assert math.copysign(1.0, node.value) > 0.0
        if node.kind in OPERATIONS:
            assert kinds != [CONST] * len(kinds)


def test_a_negation_is_not_counted() -> None:
    graph = Graph()
    x, y = graph.symbols("x", 2)
    assert count_operations([-(x * y)]).total == 1
    assert count_operations([x - y, y - x, -x]).total == 1


def test_shared_parts_are_counted_once() -> None:
    graph = Graph()
    x, y, z = graph.symbols("x", 3)
    count = count_operations([(x + y) * z, (y + x) * z + x, (x * y + z).sqrt() / x])
    assert (count.multiplications, count.additions) == (2, 3)
    assert (count.divisions, count.square_roots) == (1, 1)
    assert count.total == 7


def test_constants_gather_in_products() -> None:
    graph = Graph()
    x = graph.symbol("x[0]")
    assert 2.0 * (3.0 * x) is 6.0 * x
    assert (x * 2.0) * 3.0 is 6.0 * x
    assert x + x is 2.0 * x
    assert -x - x is -2.0 * x


def test_division_folds_constants_and_signs() -> None:
    graph = Graph()
    x, y = graph.symbols("x", 2)
    assert x / 4.0 is 0.25 * x
    assert (-x) / y is -(x / y)
    assert x / (-y) is -(x / y)
    assert (-x) / (-y) is x / y
    assert graph.const(0.0) / y is graph.const(0.0)
    assert value_of(1.0 / x, (4.0, 0.0, 0.0)) == 0.25


def test_square_roots_of_constants_fold() -> None:
    graph = Graph()
    assert graph.const(9.0).sqrt() is graph.const(3.0)
    assert value_of(graph.symbol("x[0]").sqrt(), (2.0, 0.0, 0.0)) == math.sqrt(2.0)


def test_negative_zero_is_zero() -> None:
    graph = Graph()
    assert graph.const(-0.0) is graph.const(0.0)
    assert math.copysign(1.0, graph.const(-0.0).value) == 1.0  # type: ignore[arg-type]


def test_nodes_come_after_their_arguments_and_once() -> None:
    graph = Graph()
    x = graph.symbols("x", 3)
    total = x[0] * x[1] + x[1] * x[2] + x[0] * x[2]
    order = reachable([total, total, x[0]])
    place = {node.index: i for i, node in enumerate(order)}
    assert len(place) == len(order)
    for node in order:
        assert all(place[argument.index] < place[node.index] for argument in node.args)


def test_deep_expressions_do_not_overflow_the_stack() -> None:
    graph = Graph()
    total = graph.const(0.0)
    for i in range(20_000):
        total = total + graph.symbol(f"x[{i}]")
    assert count_operations([total]).additions == 19_999


def test_expressions_print_readably() -> None:
    graph = Graph()
    x, y = graph.symbols("x", 2)
    assert repr(-(2.0 * x + y)) == "neg(add(x[1], mul(2.0, x[0])))"


@pytest.mark.parametrize("operation", [lambda x: x + "one", lambda x: x * None])
def test_foreign_operands_are_refused(operation: Callable[[Expr], Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        operation(Graph().symbol("x[0]"))
