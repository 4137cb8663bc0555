"""What can be exported: each quantity with its results, and the program of one arm for it."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from baxterkit.codegen import dynamics, kinematics
from baxterkit.codegen.cpp import describe_count
from baxterkit.codegen.headers import GENERATOR_VERSION
from baxterkit.codegen.inputs import BETA, COSINES, GRAVITY, MOUNT, SINES, TOOL
from baxterkit.errors import ModelError, UnknownNameError
from baxterkit.model.model import ArmModel
from baxterkit.model.names import JOINTS
from baxterkit.symbolic.arm_parameters import ArmParameters, arm_parameters, without_tool
from baxterkit.symbolic.fold import bind
from baxterkit.symbolic.inertia import base_parameter_names
from baxterkit.symbolic.program import Input, Program

POSITIONS = Input("q", 7, "joint positions [rad]")
_ANGLES = (SINES.name, COSINES.name)


@dataclass(frozen=True)
class Result:
    """One array that an exported function computes."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def rows_and_columns(self) -> tuple[int, int]:
        """Size as a matrix; a vector is a column."""
        rows, columns = [*self.shape, 1][:2]
        return rows, columns

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Indices of the entries, counted from 0, row by row."""
        for flat in range(self.size):
            index: tuple[int, ...] = ()
            for length in reversed(self.shape):
                flat, last = divmod(flat, length)
                index = (last, *index)
            yield index


@dataclass(frozen=True)
class Quantity:
    """Something to export: a program of `codegen` and what its outputs are called."""

    program: str
    title: str
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Constant:
    """Numbers of the arm that go with a function: defaults of parameters, or base parameters."""

    name: str
    values: tuple[float, ...]
    meaning: str


@dataclass(frozen=True)
class Exported:
    """One function for one arm, ready for a writer.

    Attributes:
        name: Name of the function.
        title: What it computes, in words.
        program: The arithmetic, from sines and cosines of q.
        results: The arrays that the program's outputs fill, in order.
        constants: The arm's numbers for arguments that were kept, and for the regressor.
        header: Lines on what it is and where it comes from.
    """

    name: str
    title: str
    program: Program
    results: tuple[Result, ...]
    constants: tuple[Constant, ...]
    header: tuple[str, ...]

    @property
    def arguments(self) -> tuple[Input, ...]:
        """Arguments in order: q, what else moves, and the parameters that were kept."""
        return arguments_of(self.program)

    @property
    def angles(self) -> list[tuple[str, int]]:
        """The sines and cosines that are used: ("s", 0), ("c", 0), ("s", 1), …, joint by joint."""
        return angles_of(self.program)

    def default(self, name: str) -> tuple[float, ...]:
        """The arm's numbers for a parameter."""
        return next(constant.values for constant in self.constants if constant.name == name)


def _results(*results: tuple[str, tuple[int, ...], str]) -> tuple[Result, ...]:
    return tuple(Result(*entry) for entry in results)


_M = ("M", (7, 7), "joint-space inertia matrix [kg m²], symmetric")
_C = ("C", (7, 7), "Coriolis matrix of the Christoffel symbols [kg m²/s]: dM/dt - 2 C is skew")
_G = ("G", (7,), "torques that hold the arm against gravity [N m]")

QUANTITIES: dict[str, Quantity] = {
    "fk": Quantity(
        "fk", "Forward kinematics", _results(("T", (4, 4), "T_base_tip: tip pose in base [1, m]"))
    ),
    "jacobian": Quantity(
        "jacobian",
        "Geometric Jacobian in base axes",
        _results(("J", (6, 7), "tip twist = J qd: linear rows [m/rad], then angular rows [1]")),
    ),
    "body_jacobian": Quantity(
        "body_jacobian",
        "Geometric Jacobian in tip axes",
        _results(("J", (6, 7), "tip twist = J qd: linear rows [m/rad], then angular rows [1]")),
    ),
    "inertia": Quantity("inertia", "Inertia matrix", _results(_M)),
    "coriolis": Quantity("coriolis", "Coriolis matrix", _results(_C)),
    "gravity": Quantity("gravity", "Gravity torques", _results(_G)),
    "dynamics": Quantity(
        "dynamics_terms", "Inertia, Coriolis and gravity together", _results(_M, _C, _G)
    ),
    "bias_torque": Quantity(
        "bias_torque",
        "Coriolis and gravity torques",
        _results(("h", (7,), "torques of a motion without acceleration, C qd + G [N m]")),
    ),
    "inverse_dynamics": Quantity(
        "inverse_dynamics",
        "Inverse dynamics",
        _results(("tau", (7,), "joint torques M qdd + C qd + G [N m]")),
    ),
    "forward_dynamics": Quantity(
        "forward_dynamics",
        "Forward dynamics",
        _results(("qdd", (7,), "joint accelerations of M qdd = tau - C qd - G [rad/s²]")),
    ),
    "inverse_dynamics_derivatives": Quantity(
        "inverse_dynamics_derivatives",
        "Derivatives of inverse dynamics",
        _results(
            ("dtau_dq", (7, 7), "derivatives of tau by q [N m/rad]; row i belongs to tau_i"),
            ("dtau_dqd", (7, 7), "derivatives of tau by qd [N m s/rad]"),
        ),
    ),
    "regressor": Quantity(
        "regressor",
        "Regressor of inverse dynamics",
        _results(("Y", (7, BETA.size), "tau = Y beta; beta are the base parameters [1/s²]")),
    ),
}


def export_function(
    what: str, model: ArmModel, name: str = "", *, parameters: bool = False, command: str = ""
) -> Exported:
    """The function of an arm for one quantity.

    Args:
        what: A name of `QUANTITIES`.
        model: The arm; seven turning joints.
        name: Name of the function; by default `baxter_left_gravity` and the like.
        parameters: Whether mount, tool, base parameters and gravity stay arguments; they are folded
            in as numbers otherwise.
        command: How to make the file again, for its header.

    Raises:
        UnknownNameError: If there is no such quantity.
        ModelError: If the arm has other joints.
    """
    if what not in QUANTITIES:
        raise UnknownNameError("quantity", what, QUANTITIES)
    if model.dof != len(JOINTS):
        raise ModelError(f"exports are for arms of 7 joints; this one has {model.dof}")
    quantity = QUANTITIES[what]
    numbers = arm_parameters(model, separate_tool=parameters)
    program = _programs(model, parameters)[quantity.program]
    constants = _constants(program, numbers) if parameters else ()
    if not parameters:
        program = bind(program, {c.name: c.values for c in _constants(program, numbers)})
    if what == "regressor":
        constants = (*constants, _constant(BETA, numbers))
    return Exported(
        name=name or f"baxter_{model.side}_{what}",
        title=quantity.title,
        program=program,
        results=quantity.results,
        constants=constants,
        header=tuple(_header(quantity, program, model, constants, command)),
    )


def model_digest(model: ArmModel) -> str:
    """sha256 of every number of the arm that an export depends on."""
    arrays = [x for joint in model.joints for x in (joint.T_parent_joint, joint.axis)]
    for body in model.link_inertials():
        arrays += [body.com, body.inertia]
    arrays += [model.T_base_s0, model.T_last_tip, model.gravity]
    numbers = [float(x) for array in arrays for x in array.ravel()]
    numbers += [body.mass for body in model.link_inertials()]
    return hashlib.sha256(" ".join(repr(x + 0.0) for x in numbers).encode()).hexdigest()


def describe_model(model: ArmModel) -> str:
    """One line on which arm it is."""
    carried = "none" if model.payload is None else f"{model.payload.mass:g} kg"
    return f"{model.side} arm, tool {model.tool.name}, payload {carried}"


def provenance(model: ArmModel, command: str) -> list[str]:
    """Header lines on who wrote a file, from what, and how."""
    lines = [f"Written by baxterkit.codegen, version {GENERATOR_VERSION}; stands alone."]
    lines += [f"Command: {command}"] if command else []
    return [*lines, f"Model: {describe_model(model)}", f"Model sha256: {model_digest(model)}"]


def arguments_of(program: Program) -> tuple[Input, ...]:
    """Arguments of the function: q in place of its sines and cosines."""
    return (POSITIONS, *(item for item in program.inputs if item.name not in _ANGLES))


def angles_of(program: Program) -> list[tuple[str, int]]:
    """The sines and cosines that a program uses, joint by joint."""
    used = {str(node.value) for node in program.nodes() if node.kind == "symbol"}
    pairs = [(name, i) for i in range(POSITIONS.size) for name in _ANGLES]
    return [(name, i) for name, i in pairs if f"{name}[{i}]" in used]


@lru_cache(maxsize=8)
def _programs(model: ArmModel, separate_tool: bool) -> dict[str, Program]:
    arm = without_tool(model) if separate_tool else model
    families = (kinematics.programs, dynamics.programs, dynamics.derivative_programs)
    return {program.name: program for family in families for program in family(arm)}


def _constants(program: Program, numbers: ArmParameters) -> tuple[Constant, ...]:
    return tuple(_constant(item, numbers) for item in program.inputs if item.parameter)


def _constant(item: Input, numbers: ArmParameters) -> Constant:
    values = {
        MOUNT.name: numbers.mount,
        TOOL.name: numbers.tool,
        BETA.name: numbers.beta,
        GRAVITY.name: numbers.g,
    }[item.name]
    return Constant(item.name, tuple(values), item.meaning)


def _header(
    quantity: Quantity,
    program: Program,
    model: ArmModel,
    constants: tuple[Constant, ...],
    command: str,
) -> Iterator[str]:
    yield f"{quantity.title} of the {model.side} arm of the Baxter robot, in closed form."
    yield ""
    yield "Arguments:"
    for item in arguments_of(program):
        yield f"  {item.name}: {item.size} numbers, {item.meaning}"
    yield "Results:"
    for result in quantity.results:
        shape = " x ".join(map(str, result.shape))
        yield f"  {result.name}: {shape}, {result.meaning}"
    yield f"Joints: {' '.join(JOINTS)}. SI units and radians. T_a_b maps b coordinates to a."
    yield "Base frame: Baxter's torso, x forward, y left, z up; gravity in it [m/s²]: " + (
        f"{', '.join(f'{x:g}' for x in model.gravity)}."
    )
    if any(constant.name == BETA.name for constant in constants):
        unit = arm_parameters(model).chain.length
        yield f"Unit of length of beta and g: {unit!r} m. Order of beta, by link:"
        names = base_parameter_names(len(JOINTS))
        starts = [0, *range(3, len(names), 7), len(names)]
        for first, last in itertools.pairwise(starts):
            yield f"  {' '.join(names[first:last])}"
    yield ""
    yield f"Operations: {describe_count(program)}; {len(angles_of(program))} sines and cosines."
    yield from provenance(model, command)
