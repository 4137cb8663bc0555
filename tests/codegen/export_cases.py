"""Arms, states and true values for the tests of exports; true are the values of `Arm`."""

from __future__ import annotations

import dataclasses
import importlib.util
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import problems
import tolerances

from baxterkit import Arm, Payload
from baxterkit.codegen.effects import CARRIERS
from baxterkit.codegen.exports import FORMATS, export
from baxterkit.codegen.quantities import QUANTITIES
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.model.model import ArmModel
from baxterkit.spatial import rpy_to_matrix, transform

WHATS = tuple(QUANTITIES)
STATES = 40

ARMS = ("nominal", "tilted", "loaded", "bent")
COMPILED = [
    ("nominal", False),
    ("tilted", True),
    ("loaded", False),
    ("bent", True),
    ("springy", False),
    ("springy", True),
]
"""Arms, and whether their parameters stay arguments, where every case costs seconds."""

CASES = [*((what, name) for what in WHATS for name in ARMS), *((w, "springy") for w in CARRIERS)]
"""Quantities and arms: with effects only what effects change."""


@cache
def arm(name: str) -> Arm:
    """An arm by name.

    As built; tilted mount and gravity; odd tool with a heavy payload; joints that are not Baxter's;
    and one with all of these but the last, whose joints have springs, friction and bias.
    """
    if name == "nominal":
        return Arm("left")
    tilt = transform(rpy_to_matrix([0.3, -0.4, 0.9]), [0.1, -0.2, 0.3])
    if name == "tilted":
        return Arm("right", "electric_standard", mount=tilt, gravity_vector=(0.4, -0.3, -9.7))
    tool = transform(rpy_to_matrix([0.5, 0.2, -0.8]), [0.02, -0.05, 0.17])
    if name == "bent":
        return Arm.from_model(bent(Arm("right", tool, mount=tilt).model))
    inertia = np.array([[0.02, 0.001, 0.0], [0.001, 0.03, -0.002], [0.0, -0.002, 0.025]])
    payload = Payload(1.3, [0.03, -0.02, 0.08], inertia)
    if name == "springy":
        return Arm("right", tool, tilt, payload, (0.4, -0.3, -9.7)).with_effects(effects())
    return Arm("left", tool, payload=payload)


def effects() -> JointEffects:
    """Springs of three terms, friction and bias; some joints lack some of them."""
    rng = problems.generator("springy")
    springs = rng.uniform(-10.0, 10.0, (2, 7, 3))
    springs[:, 2] = springs[0, 5] = springs[1, 0, 1:] = 0.0
    coulomb, viscous, bias = rng.uniform(0.1, 3.0, (3, 7))
    coulomb[4] = viscous[5] = bias[6] = 0.0
    return JointEffects(
        bias=bias,
        coulomb=coulomb,
        viscous=viscous,
        speed=rng.uniform(0.01, 0.2, 7),
        spring_sin=springs[0],
        spring_cos=springs[1],
    )


def whats(name: str) -> tuple[str, ...]:
    """The quantities to compile for an arm."""
    return CARRIERS if name == "springy" else WHATS


def bent(model: ArmModel) -> ArmModel:
    """The arm with every joint moved and turned a little, and every axis aslant."""
    rng = problems.generator("bent")
    joints = list(model.joints)
    for i, joint in enumerate(joints):
        T = transform(rpy_to_matrix(rng.uniform(-0.3, 0.3, 3)), rng.uniform(-0.03, 0.03, 3))
        axis = joint.axis + rng.uniform(-0.2, 0.2, 3)
        T = joint.T_parent_joint @ T if i else joint.T_parent_joint
        joints[i] = dataclasses.replace(joint, T_parent_joint=T, axis=axis)
    return dataclasses.replace(model, joints=tuple(joints))


def states(name: str, n: int = STATES) -> dict[str, np.ndarray]:
    """Random q, qd, qdd and tau, shape (n, 7) each."""
    rng = problems.generator(f"export {name}")
    limits = arm(name).limits
    return {
        "q": rng.uniform(limits.lower, limits.upper, (n, 7)),
        "qd": rng.uniform(-2.0, 2.0, (n, 7)),
        "qdd": rng.uniform(-3.0, 3.0, (n, 7)),
        "tau": rng.uniform(-20.0, 20.0, (n, 7)),
    }


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "fk": ("q",),
    "jacobian": ("q",),
    "body_jacobian": ("q",),
    "inertia": ("q",),
    "coriolis": ("q", "qd"),
    "gravity": ("q",),
    "dynamics": ("q", "qd"),
    "bias_torque": ("q", "qd"),
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "inverse_dynamics_derivatives": ("q", "qd", "qdd"),
    "regressor": ("q", "qd", "qdd"),
}


def inputs(what: str, name: str, n: int = STATES) -> list[np.ndarray]:
    """The arguments of a quantity, shape (n, 7) each."""
    numbers = states(name, n)
    return [numbers[key] for key in ARGUMENTS[what]]


def truth(what: str, name: str, args: list[np.ndarray]) -> list[np.ndarray]:
    """What an export of the quantity must give."""
    robot = arm(name)
    if what == "body_jacobian":
        return [robot.jacobian(*args, frame="tip")]
    if what == "dynamics":
        return [robot.inertia(args[0]), robot.coriolis(*args), robot.gravity(args[0])]
    if what == "inverse_dynamics_derivatives":
        return list(robot.inverse_dynamics_derivatives(*args)[:2])
    return [getattr(robot, what)(*args)]


TOLERANCES: dict[str, tuple[float, ...]] = {
    "fk": (tolerances.FK_ENGINE,),
    "jacobian": (tolerances.JACOBIAN_ENGINE,),
    "body_jacobian": (tolerances.JACOBIAN_ENGINE,),
    "inertia": (tolerances.INERTIA_ENGINE,),
    "coriolis": (tolerances.CORIOLIS_ENGINE,),
    "gravity": (tolerances.GRAVITY_ENGINE,),
    "dynamics": (
        tolerances.INERTIA_ENGINE,
        tolerances.CORIOLIS_ENGINE,
        tolerances.GRAVITY_ENGINE,
    ),
    "bias_torque": (tolerances.TORQUE_ENGINE,),
    "inverse_dynamics": (tolerances.TORQUE_ENGINE,),
    "forward_dynamics": (tolerances.FORWARD_ROUND_TRIP,),
    "inverse_dynamics_derivatives": (tolerances.DERIVATIVE, tolerances.DERIVATIVE),
    "regressor": (tolerances.REGRESSOR,),
}


def assert_true(what: str, name: str, args: list[np.ndarray], got: list[Any]) -> None:
    """The results of an export, each of shape (n, …), are those of `Arm`."""
    expected = truth(what, name, args)
    for value, wanted, tolerance in zip(got, expected, TOLERANCES[what], strict=True):
        tolerances.assert_close(
            np.asarray(value, dtype=float), wanted, looseness(name, what) * tolerance
        )


def looseness(name: str, what: str = "") -> float:
    """How much more rounding an arm has than Baxter.

    Axes that almost meet put the DH frames of the bent arm decimetres away from its links, and its
    inertia matrix is nearer to singular.
    """
    if name != "bent":
        return 1.0
    return 300.0 if what == "forward_dynamics" else 5.0


def split_rows(what: str, rows: np.ndarray) -> list[np.ndarray]:
    """The results of a quantity from rows of numbers, one for each state."""
    results = QUANTITIES[what].results
    ends = np.cumsum([result.size for result in results])
    parts = np.split(rows, ends[:-1], axis=1)
    return [p.reshape(-1, *r.shape) for p, r in zip(parts, results, strict=True)]


def write(folder: Path, what: str, to: str, name: str, **options: Any) -> Path:
    """Exports a quantity of an arm into a folder; the function is called `exported`."""
    text = export(what, to, arm(name), name="exported", **options)
    path = folder / f"exported{FORMATS[to].suffix}"
    path.write_text(text, encoding="utf-8")
    return path


def load(path: Path) -> ModuleType:
    """An exported Python file as a module."""
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*command: object, folder: Path, timeout: float = 300.0) -> str:
    """Output of a program that must succeed without a word on stderr."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stderr == "", done.stderr
    return done.stdout
