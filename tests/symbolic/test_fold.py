"""Binding inputs to numbers, and walking programs, change no value."""

from __future__ import annotations

import re

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.codegen import dynamics
from baxterkit.codegen.text import TextWalk
from baxterkit.equations.base_parameters import base_parameters, chain_gravity
from baxterkit.symbolic.arm_parameters import arm_parameters
from baxterkit.symbolic.fold import bind
from baxterkit.symbolic.graph import Graph
from baxterkit.symbolic.program import Input, Program


def program(outputs: list[object], graph: Graph, *inputs: str) -> Program:
    lifted = tuple(graph.lift(x) for x in outputs)  # type: ignore[arg-type]
    items = tuple(Input(name, 2, "") for name in inputs)
    return Program("f", "", items, lifted, (len(outputs),))


def test_bound_zero_takes_its_products_along() -> None:
    graph = Graph()
    x, k = graph.symbols("x", 2), graph.symbols("k", 2)
    full = program([k[0] * x[0] + k[1] * x[1]], graph, "x", "k")
    folded = bind(full, {"k": [0.0, 1.0]})
    assert full.operations.total == 3
    assert folded.operations.total == 0
    assert [item.name for item in folded.inputs] == ["x"]
    assert folded.evaluate({"x": [2.0, 3.0]}) == [3.0]


@pytest.mark.parametrize("name", ["inertia", "forward_dynamics", "gravity"])
def test_bound_program_computes_the_same(name: str) -> None:
    model = Arm("left").model
    full = next(p for p in dynamics.programs(model) if p.name == name)
    numbers = arm_parameters(model)
    values = {"beta": numbers.beta, "g": numbers.g}
    folded = bind(full, values)
    assert folded.operations.total < full.operations.total
    rng = np.random.default_rng(1)
    q = rng.uniform(-2.0, 2.0, 7)
    state = {"s": np.sin(q), "c": np.cos(q), "qd": rng.normal(size=7), "tau": rng.normal(size=7)}
    inputs = {key: value.tolist() for key, value in state.items()}
    got, wanted = folded.evaluate(inputs), full.evaluate({**inputs, **values})
    np.testing.assert_allclose(got, wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("tool", ["hand", "vacuum"])
def test_numbers_are_those_of_the_kernels(tool: str) -> None:
    model = Arm("right", tool).model
    for separate in (False, True):
        numbers = arm_parameters(model, separate_tool=separate)
        assert numbers.beta == base_parameters(model).tolist()
        assert numbers.g == chain_gravity(model).tolist()


def test_text_keeps_the_order_of_operations() -> None:
    graph = Graph()
    a, b = graph.symbols("a", 2)
    c, d = graph.symbols("c", 2)
    outputs = [a + (b + c), (a - b) * (c - d), a * (b / (c * d)), -(a * b - c), (a + b).sqrt()]
    f = program(list(outputs), graph, "a", "c")
    walk = TextWalk(f, lambda name, index: f"{name}[{index}]", "root", longest=9)
    scope: dict[str, object] = {"a": [0.1, 0.7], "c": [0.3, -0.9], "root": lambda x: x**0.5}
    for name, value in walk.statements():
        scope[name.text] = eval(value.text, {}, scope)
    got = [eval(term.text, {}, scope) for term in walk.outputs()]
    wanted = f.evaluate({"a": [0.1, 0.7], "c": [0.3, -0.9]})
    assert got == wanted  # to the last bit


def test_values_used_twice_are_computed_once() -> None:
    f = next(p for p in dynamics.programs(Arm("left").model) if p.name == "inertia")
    walk = TextWalk(f, lambda name, index: f"{name}[{index}]")
    lines = [value.text for _, value in walk.statements()]
    lines += [term.text for term in walk.outputs()]
    operations = sum(len(re.findall(r" [-+] |\*|/", line)) for line in lines)
    assert operations == f.operations.total
