"""The inputs that programs of an arm share, and a fresh graph that holds them as symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from baxterkit.equations.inertia import base_parameter_count
from baxterkit.equations.kinematics import frame_from_rows
from baxterkit.equations.vectors import Scalar
from baxterkit.kernels.table import BY_NAME
from baxterkit.symbolic.graph import Expr, Graph, count_operations
from baxterkit.symbolic.program import Input, Program

Nested: TypeAlias = Scalar | Sequence["Nested"]
"""A scalar, or lists of them to any depth."""

SINES = Input("s", 7, "sines of the joint angles")
COSINES = Input("c", 7, "cosines of the joint angles")
RATES = Input("qd", 7, "joint velocities [rad/s]")
ACCELERATIONS = Input("qdd", 7, "joint accelerations [rad/s²]")
TORQUES = Input("tau", 7, "joint torques [N m]")
WRENCH = Input("wrench", 6, "force [N] and moment [N m] exerted on the tip, base axes")
MOUNT = Input("mount", 12, "T_base_s0, rows of [R | p] [m]", parameter=True)
TOOL = Input("tool", 12, "T_hand_tip, rows of [R | p] [m]", parameter=True)
BETA = Input("beta", base_parameter_count(7), "inertial base parameters [kg m²]", parameter=True)
GRAVITY = Input("g", 3, "gravity in s0 axes over the unit of length [1/s²]", parameter=True)


class ArmGraph:
    """A graph with the inputs of an arm as symbols."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.s = self._symbols(SINES)
        self.c = self._symbols(COSINES)
        self.qd = self._symbols(RATES)
        self.qdd = self._symbols(ACCELERATIONS)
        self.tau = self._symbols(TORQUES)
        self.wrench = self._symbols(WRENCH)
        self.beta = self._symbols(BETA)
        self.g = self._symbols(GRAVITY)
        self.mount = frame_from_rows(self._symbols(MOUNT))
        self.tool = frame_from_rows(self._symbols(TOOL))

    def flat(self, values: Nested) -> tuple[Expr, ...]:
        """Nested lists of scalars as one list of expressions, row by row."""
        return tuple(self.graph.lift(value) for value in _flatten(values))

    def _symbols(self, item: Input) -> list[Expr]:
        return self.graph.symbols(item.name, item.size)


Derivation: TypeAlias = Callable[[ArmGraph], Nested]
"""The outputs of a program, by equations over the symbols of a graph."""


def program(
    name: str,
    inputs: tuple[Input, ...],
    derive: Derivation,
    core: Derivation | None = None,
    summary: str = "",
) -> Program:
    """The program of a kernel, which declares its meaning and shape.

    Args:
        name: The kernel.
        inputs: Its inputs.
        derive: Its outputs.
        core: The same without mount and tool, whose operations are counted apart.
        summary: What it computes; the kernel's sentence if empty.
    """
    arm, kernel = ArmGraph(), BY_NAME[name]
    outputs = arm.flat(derive(arm))
    count = None if core is None else count_operations(arm.flat(core(arm)))
    return Program(name, summary or kernel.sentence, inputs, outputs, kernel.shape, count)


def _flatten(values: Nested) -> Iterator[Scalar]:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _flatten(value)
    else:
        yield values
