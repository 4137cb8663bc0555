"""The equations as SymPy matrices and as programs give the arm's values."""

from __future__ import annotations

import dataclasses
import math
import sys
from functools import cache
from typing import Any

import components
import numpy as np
import problems
import pytest
import tolerances

from baxterkit import Arm, Payload
from baxterkit.errors import MissingExtraError, UnknownNameError
from baxterkit.model.inertial import Inertial
from baxterkit.spatial import rpy_to_matrix, transform
from baxterkit.symbolic import ClosedForm
from baxterkit.symbolic.arm_equations import QUANTITIES

# Operations (general gravity) that the generated kernels may take; with numbers folded in, exports
# and programs must not take more.
BUDGET = {
    "inertia": 358,
    "gravity": 140,
    "coriolis": 1300,
    "inverse_dynamics": 660,
    "forward_dynamics": 1350,
}
CHOICES = ("numeric", "symbolic")
TOLERANCE = {
    "fk": tolerances.FK_ENGINE,
    "jacobian": tolerances.JACOBIAN_ENGINE,
    "inertia": tolerances.INERTIA_ENGINE,
    "coriolis": tolerances.CORIOLIS_ENGINE,
    "gravity": tolerances.GRAVITY_ENGINE,
    "inverse_dynamics": tolerances.TORQUE_ENGINE,
    "forward_dynamics": tolerances.FORWARD_ROUND_TRIP,
}
MATRICES = {
    "fk": "T_base_tip",
    "jacobian": "J",
    "inertia": "M",
    "coriolis": "C",
    "gravity": "G",
    "inverse_dynamics": "inverse_dynamics",
}


@pytest.fixture(autouse=True)
def _sympy() -> None:
    """Imported when a test runs, not by every worker that collects."""
    pytest.importorskip("sympy")


@cache
def arm() -> Arm:
    """A tilted arm with a tool and a payload: nothing is zero by chance."""
    mount = transform(rpy_to_matrix([0.3, -0.4, 0.9]), [0.1, -0.2, 0.3])
    payload = Payload(0.8, [0.02, -0.01, 0.05], np.diag([0.002, 0.003, 0.0025]))
    return Arm("right", "electric_standard", mount=mount, payload=payload)


@cache
def form(choice: str) -> ClosedForm:
    return ClosedForm(arm(), inertials=choice, gravity=choice)


def state() -> dict[str, np.ndarray]:
    rng = problems.generator("closed form")
    return {name: rng.uniform(-1.5, 1.5, 7) for name in ("q", "qd", "qdd", "tau")}


def truth(name: str) -> np.ndarray:
    x = state()
    arguments = {
        "coriolis": ("q", "qd"),
        "inverse_dynamics": ("q", "qd", "qdd"),
        "forward_dynamics": ("q", "qd", "tau"),
    }.get(name, ("q",))
    value: np.ndarray = getattr(arm(), name)(*(x[key] for key in arguments))
    return value


def evaluate(expression: Any, values: dict[Any, float]) -> float:
    """An expression in floating point; `values` remembers what was computed."""
    if expression not in values:
        args = [evaluate(arg, values) for arg in expression.args]
        if not args:
            values[expression] = float(expression)
        elif expression.is_Add:
            values[expression] = math.fsum(args)
        elif expression.is_Mul:
            values[expression] = math.prod(args)
        elif expression.is_Pow:
            values[expression] = args[0] ** args[1]
        else:
            values[expression] = {"sin": math.sin, "cos": math.cos}[expression.func.__name__](*args)
    return values[expression]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "choice"),
    [
        pytest.param(
            name,
            choice,
            marks=pytest.mark.acceptance if (name, choice) == ("coriolis", "numeric") else (),
        )
        for name in MATRICES
        for choice in CHOICES
    ],
)
def test_matrix_gives_the_arms_values(name: str, choice: str) -> None:
    equations = form(choice)
    x = state()
    symbols = [*equations.q, *equations.qd, *equations.qdd]
    numbers = [*x["q"], *x["qd"], *x["qdd"]]
    values = {**dict(zip(symbols, numbers, strict=True)), **equations.values}
    got = np.array([evaluate(entry, values) for entry in getattr(equations, MATRICES[name])])
    wanted = truth(name)
    tolerances.assert_close(got.reshape(wanted.shape), wanted, TOLERANCE[name])


def springy_arm() -> Arm:
    """The arm, with springs of two terms, friction and bias."""
    rng = problems.generator("springy closed form")
    springs = rng.uniform(-8.0, 8.0, (2, 7, 2))
    springs[0, 3] = 0.0
    bias, coulomb, viscous = rng.uniform(0.0, 2.0, (3, 7))
    return arm().with_effects(
        bias=bias, coulomb=coulomb, viscous=viscous, spring_sin=springs[0], spring_cos=springs[1]
    )


def test_torques_have_the_joints_effects() -> None:
    springy, x = springy_arm(), state()
    equations = ClosedForm(springy)
    symbols = [*equations.q, *equations.qd, *equations.qdd]
    numbers = [*x["q"], *x["qd"], *x["qdd"]]
    values = dict(zip(symbols, numbers, strict=True))
    got = np.array([evaluate(entry, values) for entry in equations.inverse_dynamics])
    wanted = springy.inverse_dynamics(x["q"], x["qd"], x["qdd"])
    tolerances.assert_close(got, wanted, tolerances.TORQUE_ENGINE)
    assert not equations.M.has(*equations.qd)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_programs_have_the_joints_effects(name: str) -> None:
    import sympy

    springy, x = springy_arm(), state()
    last = "qdd" if name == "inverse_dynamics" else "tau"
    inputs = {"s": np.sin(x["q"]), "c": np.cos(x["q"]), **x}
    got = ClosedForm(springy).program(name).evaluate(inputs)
    wanted = getattr(springy, name)(x["q"], x["qd"], x[last])
    tolerances.assert_close(np.array(got), wanted, TOLERANCE[name])
    steps, matrix = ClosedForm(springy).cse(name)
    values: dict[Any, float] = {
        sympy.Symbol(f"{key}{i + 1}"): x[key][i] for key in x for i in range(7)
    }
    for symbol, expression in steps:
        values[symbol] = evaluate(expression, values)
    tolerances.assert_close(
        np.array([evaluate(entry, values) for entry in matrix]), wanted, TOLERANCE[name]
    )


def test_matrix_can_be_compiled_by_sympy() -> None:
    import sympy

    equations = form("numeric")
    function = sympy.lambdify([list(equations.q)], equations.M, cse=True)
    got = function(state()["q"])
    tolerances.assert_close(got, truth("inertia"), tolerances.INERTIA_ENGINE)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", QUANTITIES)
def test_program_gives_the_arms_values(name: str, choice: str) -> None:
    equations = form(choice)
    program = equations.program(name)
    x = state()
    *inertials, g = equations.values.values()
    inputs: dict[str, Any] = {
        "s": np.sin(x["q"]),
        "c": np.cos(x["q"]),
        **{key: x[key] for key in ("qd", "qdd", "tau")},
        "inertials": inertials,
        "gravity": [g],
    }
    wanted = truth(name)
    got = np.array(program.evaluate(inputs)).reshape(program.shape)
    tolerances.assert_close(got, wanted, TOLERANCE[name])
    is_dynamic = name in BUDGET
    assert ("inertials" in {i.name for i in program.inputs}) == (
        choice == "symbolic" and is_dynamic
    )


@pytest.mark.parametrize("choice", CHOICES)
def test_named_subexpressions_give_the_arms_values(choice: str) -> None:
    equations = form(choice)
    steps, result = equations.cse("coriolis")
    x = state()
    names = dict(zip([*equations.q, *equations.qd], [*x["q"], *x["qd"]], strict=True))
    values: dict[Any, Any] = {**names, **equations.values}
    for symbol, expression in steps:
        assert expression.free_symbols <= set(values), "a step uses a later one"
        values[symbol] = expression.xreplace(values)
    got = np.array(result.xreplace(values).tolist(), dtype=float)
    tolerances.assert_close(got, truth("coriolis"), tolerances.CORIOLIS_ENGINE)
    assert 100 < len(steps) < 1000


@pytest.mark.parametrize(("name", "limit"), BUDGET.items())
def test_program_is_short(name: str, limit: int) -> None:
    assert form("numeric").program(name).operations.total <= limit


def test_vertical_gravity_takes_fewer_operations() -> None:
    upright, tilted = ClosedForm(Arm("left")), form("numeric")
    for name in ("gravity", "inverse_dynamics", "fk"):
        assert upright.program(name).operations.total < tilted.program(name).operations.total


def test_a_students_m3_in_M22_is_the_true_one() -> None:
    import sympy

    equations = form("symbolic")
    m3 = sympy.Symbol("m3")
    slope = sympy.diff(equations.M[1, 1], m3)
    assert m3 not in slope.free_symbols  # M is linear in the masses
    assert {str(x) for x in slope.free_symbols} == {"q3", "cx3", "cy3", "cz3"}
    q = state()["q"]
    point = dict(zip(equations.q, q, strict=True))
    got = float(slope.xreplace({**point, **equations.values}))
    heavier = list(arm().model.inertials)
    body = heavier[2]
    heavier[2] = Inertial(body.mass + 1.0, body.com, body.inertia)
    other = Arm.from_model(dataclasses.replace(arm().model, inertials=tuple(heavier)))
    difference = other.inertia(q)[1, 1] - arm().inertia(q)[1, 1]
    assert got == pytest.approx(difference, rel=0, abs=tolerances.INERTIA_ENGINE)


def test_outer_links_do_not_feel_inner_ones() -> None:
    names = {str(x) for x in form("symbolic").M[5, 6].free_symbols}
    assert names == {"q7", "m7", "cx7", "cy7", "cz7", "Ixz7", "Iyz7"}
    names = {str(x) for x in form("symbolic").G[6].free_symbols}
    assert {"g", "m7", "cx7", "cy7"} < names
    assert not any(
        name.startswith("I") or (name[-1] in "123456" and name[0] != "q") for name in names
    )


def test_expressions_show_the_arms_own_lengths() -> None:
    text = str(ClosedForm(Arm("left")).T_base_tip[2, 3])
    for length in ("0.37429", "0.36442", "0.229525", "0.069", "0.01"):
        assert length in text
    assert "1.0*" not in text


def test_a_model_serves_as_well_as_an_arm() -> None:
    arms = ClosedForm(Arm("left")), ClosedForm(Arm("left").model)
    assert arms[0].G == arms[1].G


def test_missing_sympy_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtraError) as caught:
        ClosedForm(Arm("left"))
    assert (
        str(caught.value)
        == "The closed form needs SymPy: pip install '.[symbolic]' in a clone of baxterkit"
    )


def test_unknown_choices_are_told_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown inertials 'exact'; available: numeric, sy"):
        ClosedForm(Arm("left"), inertials="exact")
    with pytest.raises(UnknownNameError, match="unknown gravity 'down'; available: numeric, symb"):
        ClosedForm(Arm("left"), gravity="down")
    with pytest.raises(UnknownNameError, match="unknown quantity 'M'; available: fk, jacobian, in"):
        form("numeric").program("M")


@pytest.mark.acceptance
def test_torques_written_out_are_of_the_size_that_the_documents_say() -> None:
    torques = ClosedForm(Arm("left")).inverse_dynamics
    text = (components.ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    assert f"{sum(entry.count_ops() for entry in torques):,} operations for the seven" in text
