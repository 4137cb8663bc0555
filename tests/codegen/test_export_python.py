"""Exported Python files run, alone, and give the arm's values."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import export_cases as cases
import numpy as np
import pytest
import tolerances

KEPT = [False, True]
CASES = [
    pytest.param(
        what, name, kept, marks=() if (name, kept) in cases.COMPILED else pytest.mark.acceptance
    )
    for what, name in cases.CASES
    for kept in KEPT
]
"""Each arm with its numbers folded in or kept, springs both ways; the long run has all."""


@pytest.mark.parametrize(("what", "name", "kept"), CASES)
def test_python_export_gives_the_arms_values(
    what: str, name: str, kept: bool, tmp_path: Path
) -> None:
    function = cases.load(cases.write(tmp_path, what, "python", name, parameters=kept)).exported
    args = cases.inputs(what, name)
    rows = [function(*state) for state in zip(*(a.tolist() for a in args), strict=True)]
    got = list(zip(*rows, strict=True)) if what in SEVERAL else [rows]
    cases.assert_true(what, name, args, got)


SEVERAL = ("dynamics", "inverse_dynamics_derivatives")


@pytest.mark.parametrize(("what", "name", "kept"), CASES)
def test_numpy_export_gives_the_arms_values_on_batches(
    what: str, name: str, kept: bool, tmp_path: Path
) -> None:
    function = cases.load(cases.write(tmp_path, what, "numpy", name, parameters=kept)).exported
    args = cases.inputs(what, name, 2000)
    got = function(*args)
    cases.assert_true(what, name, args, list(got) if what in SEVERAL else [got])


def test_numpy_export_broadcasts_and_checks_shapes(tmp_path: Path) -> None:
    function = cases.load(cases.write(tmp_path, "inverse_dynamics", "numpy", "tilted")).exported
    q, qd, qdd = cases.inputs("inverse_dynamics", "tilted", 6)
    batch = function(q.reshape(2, 3, 7), qd[:3], qdd[0])
    assert batch.shape == (2, 3, 7)
    tolerances.assert_close(
        batch[1, 2], cases.arm("tilted").inverse_dynamics(q[5], qd[2], qdd[0]), 3e-13
    )
    assert function(q[0], qd[0], qdd[0]).shape == (7,)
    with pytest.raises(ValueError, match="qd needs 7 values on its last axis"):
        function(q, qd[:, :6], qdd)


def test_numpy_export_takes_the_complex_step(tmp_path: Path) -> None:
    function = cases.load(cases.write(tmp_path, "gravity", "numpy", "nominal")).exported
    (q,) = cases.inputs("gravity", "nominal", 1)
    slope = function(q + 1e-30j * np.eye(7)).imag / 1e-30  # row j: derivative by q_j
    wanted, _ = cases.arm("nominal").inverse_dynamics_derivatives(q[0], np.zeros(7), np.zeros(7))[
        :2
    ]
    tolerances.assert_close(slope.T, wanted, tolerances.DERIVATIVE)


@pytest.mark.parametrize(("to", "allowed"), [("python", ["math"]), ("numpy", ["numpy"])])
def test_file_stands_alone(to: str, allowed: list[str], tmp_path: Path) -> None:
    path = cases.write(tmp_path, "dynamics", to, "nominal")
    imports = [
        line.split()[1]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith(("import ", "from "))
    ]
    assert imports == allowed
    probe = "import sys, exported; print('baxterkit' in sys.modules)"
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {probe}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("False\n", "")


INTERPRETED = [(what, name) for what, name in cases.CASES if name in ("tilted", "springy")]


def evaluate(facts: dict[str, Any], values: dict[str, Any]) -> list[np.ndarray]:
    """An interpreter of exported JSON, as docs/export.md describes it."""
    results: list[float] = []

    def look_up(reference: str | float) -> float:
        if not isinstance(reference, str):
            return reference
        if reference.startswith("%"):
            return results[int(reference[1:])]
        name, index = reference.rstrip("]").split("[")
        return float(values[name][int(index)])

    for kind, *references in facts["operations"]:
        a, *b = [look_up(reference) for reference in references]
        match kind:
            case "sin" | "cos" | "sqrt":
                results.append(getattr(math, kind)(a))
            case "neg":
                results.append(-a)
            case "add":
                results.append(a + b[0])
            case "sub":
                results.append(a - b[0])
            case "mul":
                results.append(a * b[0])
            case "div":
                results.append(a / b[0])
            case _:
                raise AssertionError(kind)
    return [
        np.array([look_up(x) for x in output["values"]]).reshape(output["shape"])
        for output in facts["outputs"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(("what", "name"), INTERPRETED)
def test_json_export_gives_the_arms_values(
    what: str, name: str, kept: bool, tmp_path: Path
) -> None:
    path = cases.write(tmp_path, what, "json", name, parameters=kept)
    facts = json.loads(path.read_text(encoding="utf-8"))
    assert facts["schema"] == "baxterkit.program/1"
    args = cases.inputs(what, name, 20)
    names = [item["name"] for item in facts["inputs"]][: len(args)]
    rows = []
    for state in zip(*args, strict=True):
        values = {**facts["constants"], **dict(zip(names, state, strict=True))}
        rows.append(evaluate(facts, values))
    cases.assert_true(what, name, args, list(zip(*rows, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(("what", "name"), INTERPRETED)
def test_casadi_export_gives_the_arms_values(
    what: str, name: str, kept: bool, tmp_path: Path, require: Any
) -> None:
    require("casadi")
    module = cases.load(cases.write(tmp_path, what, "casadi", name, parameters=kept))
    function = module.exported
    args = cases.inputs(what, name, 20)
    names = list(function.name_in())[len(args) :]
    parameters = [getattr(module, f"DEFAULT_{key.upper()}") for key in names]
    got = []
    for state in zip(*args, strict=True):
        values = function(*state, *parameters)
        values = values if isinstance(values, tuple) else (values,)
        got.append([np.squeeze(value.full()) for value in values])
    cases.assert_true(what, name, args, list(zip(*got, strict=True)))


def test_casadi_export_is_differentiable(tmp_path: Path, require: Any) -> None:
    require("casadi")
    import casadi

    function = cases.load(cases.write(tmp_path, "inverse_dynamics", "casadi", "loaded")).exported
    q, qd, qdd = (a[0] for a in cases.inputs("inverse_dynamics", "loaded", 1))
    x = casadi.SX.sym("x", 7)
    slope = casadi.Function("slope", [x], [casadi.jacobian(function(x, qd, qdd), x)])
    wanted = cases.arm("loaded").inverse_dynamics_derivatives(q, qd, qdd)[0]
    tolerances.assert_close(slope(q).full(), wanted, tolerances.DERIVATIVE)
