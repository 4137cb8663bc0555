"""Generated programs, run on numbers, give what the NumPy reference gives, within their budgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import problems
import pytest
from tolerances import BIAS_ENGINE, JACOBIAN_ENGINE, assert_close

from baxterkit import Arm, kinematics
from baxterkit.codegen import kinematics as generated
from baxterkit.equations import kinematics as derivation
from baxterkit.model.dh import dh_from_model
from baxterkit.symbolic.program import Program

ARM = problems.random_arms(1)[0]
PROGRAMS = {program.name: program for program in generated.programs(Arm("left").model)}
REFERENCES: dict[str, Callable[..., Any]] = {
    "fk": lambda q, qd: kinematics.forward_kinematics(ARM.model, q),
    "link_poses": lambda q, qd: kinematics.link_poses(ARM.model, q),
    "jacobian": lambda q, qd: kinematics.jacobian(ARM.model, q),
    "body_jacobian": lambda q, qd: kinematics.body_jacobian(ARM.model, q),
    "twist": lambda q, qd: kinematics.twist(ARM.model, q, qd),
    "bias_acceleration": lambda q, qd: kinematics.bias_acceleration(ARM.model, q, qd),
    "null_vector": lambda q, qd: kinematics.null_vector(ARM.model, q),
    "manipulability": lambda q, qd: kinematics.manipulability(ARM.model, q),
}

# Operations without and with mount and tool products (None: there is no such difference).
COUNTS = {
    "fk": (122, 231),
    "link_poses": (None, 273),
    "jacobian": (135, 240),
    "body_jacobian": (147, 222),
    "twist": (155, 267),
    "bias_acceleration": (281, 429),
    "null_vector": (None, 199),
    "manipulability": (None, 213),
}


def values(q: np.ndarray, qd: np.ndarray) -> dict[str, list[float]]:
    return {
        "s": np.sin(q).tolist(),
        "c": np.cos(q).tolist(),
        "qd": qd.tolist(),
        "mount": ARM.model.T_base_s0[:3].ravel().tolist(),
        "tool": ARM.model.T_hand_tip[:3].ravel().tolist(),
    }


def test_every_program_has_a_reference() -> None:
    assert set(PROGRAMS) == set(REFERENCES) == set(COUNTS)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_program_equals_the_numpy_reference(program: Program) -> None:
    tolerance = BIAS_ENGINE if program.name == "bias_acceleration" else JACOBIAN_ENGINE
    for q, qd in zip(problems.uniform(ARM, 20), problems.velocities(20), strict=True):
        result = np.reshape(program.evaluate(values(q, qd)), program.shape)
        assert_close(result, REFERENCES[program.name](q, qd), tolerance)


def test_fk_and_jacobian_stay_within_their_budgets() -> None:
    fk, jacobian = PROGRAMS["fk"].core, PROGRAMS["jacobian"].core
    assert fk is not None
    assert jacobian is not None
    assert fk.total <= 125
    assert jacobian.total <= 160


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts_do_not_creep_up(name: str) -> None:
    core, full = COUNTS[name]
    program = PROGRAMS[name]
    assert program.operations.total == full
    assert (None if program.core is None else program.core.total) == core


def test_programs_use_their_inputs_and_no_others() -> None:
    for program in PROGRAMS.values():
        used = {str(node.value).split("[")[0] for node in program.nodes() if node.kind == "symbol"}
        assert used == {item.name for item in program.inputs}
        assert len(program.outputs) == int(np.prod(program.shape, dtype=int))


def test_derivations_run_on_plain_floats() -> None:
    rows = dh_from_model(Arm("left").model).rows
    q = problems.uniform(ARM, 1)[0]
    s, c = np.sin(q).tolist(), np.cos(q).tolist()
    bare = Arm("left", mount=np.eye(4), backend="numpy")
    T = np.reshape(derivation.forward_kinematics(rows, s, c), (3, 4))
    assert_close(T, bare.fk(q)[:3], JACOBIAN_ENGINE)
    J = np.transpose(derivation.jacobian(rows, s, c))
    assert_close(J, bare.jacobian(q), JACOBIAN_ENGINE)


def test_derivations_run_on_sympy() -> None:
    sympy = pytest.importorskip("sympy")
    rows = dh_from_model(Arm("left").model).rows
    q = sympy.symbols("q0:7")
    pose = derivation.forward_kinematics(rows, [sympy.sin(x) for x in q], [sympy.cos(x) for x in q])
    numbers = problems.uniform(ARM, 1)[0]
    at = dict(zip(q, numbers.tolist(), strict=True))
    T = np.array([float(entry.subs(at)) for entry in pose]).reshape(3, 4)
    assert_close(T, Arm("left", mount=np.eye(4)).fk(numbers)[:3], JACOBIAN_ENGINE)
