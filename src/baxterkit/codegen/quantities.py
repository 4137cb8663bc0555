"""Quantities that can be exported: their results, and the program of one arm for each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from baxterkit.codegen import dynamics, kinematics
from baxterkit.codegen.cpp import describe_count
from baxterkit.codegen.effects import CARRIERS, EFFECTS, effect_notes, with_effects
from baxterkit.codegen.inputs import BETA, COSINES, GRAVITY, MOUNT, SINES, TOOL
from baxterkit.codegen.provenance import provenance
from baxterkit.equations.inertia import base_parameter_names
from baxterkit.equations.joint_effects import ArmWithEffects, flat_numbers, model_and_effects
from baxterkit.errors import ModelError, UnknownNameError
from baxterkit.model.model import ArmModel
from baxterkit.model.names import JOINTS
from baxterkit.symbolic.arm_parameters import ArmParameters, arm_parameters, without_tool
from baxterkit.symbolic.fold import bind
from baxterkit.symbolic.program import Input, Program

POSITIONS = Input("q", 7, "joint positions [rad]")
_ANGLES = (SINES.name, COSINES.name)


@dataclass(frozen=True)
class ReturnValue:
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
    """A quantity to export: a program of `codegen` and the names of its outputs."""

    program: str
    title: str
    results: tuple[ReturnValue, ...]


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
    results: tuple[ReturnValue, ...]
    constants: tuple[Constant, ...]
    header: tuple[str, ...]

    @property
    def arguments(self) -> tuple[Input, ...]:
        """Arguments in order: q, the other states, and the parameters that were kept."""
        return arguments_of(self.program)

    @property
    def angles(self) -> list[tuple[str, int]]:
        """The sines and cosines that are used: ("s", 0), ("c", 0), ("s", 1), …, joint by joint."""
        return angles_of(self.program)

    def default(self, name: str) -> tuple[float, ...]:
        """The arm's numbers for a parameter."""
        return next(constant.values for constant in self.constants if constant.name == name)


def _results(*results: tuple[str, tuple[int, ...], str]) -> tuple[ReturnValue, ...]:
    return tuple(ReturnValue(*entry) for entry in results)


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


_MEANINGS = {
    "tau": "joint torques M qdd + C qd + G + e [N m], e the joints' effects",
    "qdd": "joint accelerations of M qdd = tau - C qd - G - e [rad/s²]",
    "dtau_dq": "derivatives of M qdd + C qd + G + e by q [N m/rad]; row i: joint i",
    "dtau_dqd": "the same by qd [N m s/rad]",
}
"""Meaning of the results of `CARRIERS` for an arm with joint effects."""


def _with_effects(quantity: Quantity) -> Quantity:
    results = tuple(ReturnValue(r.name, r.shape, _MEANINGS[r.name]) for r in quantity.results)
    title = f"{quantity.title} with springs, friction and bias of the joints"
    return Quantity(quantity.program, title, results)


def export_function(
    what: str,
    arm: ArmModel | ArmWithEffects,
    name: str = "",
    *,
    parameters: bool = False,
    command: str = "",
) -> Exported:
    """The function of an arm for one quantity.

    Args:
        what: A name of `QUANTITIES`.
        arm: An `Arm`, whose joints' effects count as in its methods, or the model of a rigid one;
            seven turning joints.
        name: Name of the function; by default `baxter_left_gravity` and the like.
        parameters: Whether mount, tool, base parameters, gravity and effects stay arguments; they
            are folded in as numbers otherwise.
        command: How to make the file again, for its header.

    Raises:
        UnknownNameError: If there is no such quantity.
        ModelError: If the arm has other joints.
    """
    if what not in QUANTITIES:
        raise UnknownNameError("quantity", what, QUANTITIES)
    model, joint_effects = model_and_effects(arm)
    if model.dof != len(JOINTS):
        raise ModelError(f"exports are for arms of 7 joints; this one has {model.dof}")
    quantity = QUANTITIES[what]
    numbers = arm_parameters(model, separate_tool=parameters)
    geometry = _Geometry(without_tool(model) if parameters else model)
    program = _programs_of(geometry)[quantity.program]
    effects = flat_numbers(joint_effects)
    carried = effects if what in CARRIERS else None
    notes: Sequence[str] = ()
    if joint_effects is not None and carried is not None:
        quantity = _with_effects(quantity)
        program = with_effects(program, joint_effects.spring_sin.shape[1])
        notes = tuple(effect_notes(joint_effects, rows=parameters))
    constants = tuple(_constant(x, numbers, carried) for x in program.inputs if x.parameter)
    if not parameters:
        program = bind(program, {c.name: c.values for c in constants})
        constants = ()
    if what == "regressor":
        constants = (*constants, _constant(BETA, numbers))
    header = _header(quantity, program, model, constants)
    origin = provenance(model, command, carried, rigid=effects is not None and carried is None)
    return Exported(
        name=name or f"baxter_{model.side}_{what}",
        title=quantity.title,
        program=program,
        results=quantity.results,
        constants=constants,
        header=(*header, *notes, *origin),
    )


def arguments_of(program: Program) -> tuple[Input, ...]:
    """Arguments of the function: q in place of its sines and cosines."""
    return (POSITIONS, *(item for item in program.inputs if item.name not in _ANGLES))


def angles_of(program: Program) -> list[tuple[str, int]]:
    """The sines and cosines that a program uses, joint by joint."""
    used = {str(node.value) for node in program.nodes() if node.kind == "symbol"}
    pairs = [(name, i) for i in range(POSITIONS.size) for name in _ANGLES]
    return [(name, i) for name, i in pairs if f"{name}[{i}]" in used]


class _Geometry:
    """An arm, equal to every arm of the same geometry: programs take the inertias as arguments."""

    def __init__(self, model: ArmModel) -> None:
        self.model = model
        arrays = [model.T_base_s0, model.T_last_hand, model.T_hand_tip]
        for joint in model.joints:
            arrays += [joint.T_parent_joint, joint.axis]
        self._key = (
            b"".join(array.tobytes() for array in arrays),
            tuple(joint.kind for joint in model.joints),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Geometry) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=32)
def _programs_of(arm: _Geometry) -> dict[str, Program]:
    families = (kinematics.programs, dynamics.programs, dynamics.derivative_programs)
    return {program.name: program for family in families for program in family(arm.model)}


def _constant(
    item: Input, numbers: ArmParameters, effects: Sequence[float] | None = None
) -> Constant:
    values = {
        EFFECTS: effects or (),
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
