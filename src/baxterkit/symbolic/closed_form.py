"""The arm's equations as SymPy matrices, and as programs of shared subexpressions.

    form = ClosedForm(Arm("left"), inertials="symbolic")
    form.M[1, 1]                      # where is m3 in M_22?
    form.program("coriolis").operations

Expressions are exact and unexpanded, as the recursions give them: `sympy.expand` and `sympy.diff`
work on the smaller ones at once. Written out, C has some hundred thousand operations; with its
subexpressions named (`cse`), a thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from baxterkit.equations.joint_effects import (
    ArmWithEffects,
    EffectScalars,
    flat_numbers,
    model_and_effects,
)
from baxterkit.equations.vectors import Scalar
from baxterkit.errors import MissingExtraError, ModelError, UnknownNameError
from baxterkit.model.model import ArmModel
from baxterkit.symbolic.arm_equations import QUANTITIES, ArmEquations
from baxterkit.symbolic.arm_parameters import LinkInertial, arm_parameters, whole
from baxterkit.symbolic.graph import ARITHMETIC, Expr, Graph, reachable
from baxterkit.symbolic.program import Input, Program
from baxterkit.symbolic.walk import Walk

CHOICES = ("numeric", "symbolic")
INERTIAL_NAMES = ("m", "cx", "cy", "cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Symbols of a link: mass [kg], centre of mass [m], inertia about it [kg m²]; DH frame."""


SymbolicMatrix: TypeAlias = Any
"""A matrix of SymPy."""


class ClosedForm:
    """The equations of one arm.

    Args:
        arm: An `Arm` or an `ArmModel` of seven turning joints; mount, tool and payload count, and
            the effects of an `Arm` in inverse and forward dynamics.
        inertials: "numeric", or "symbolic" for the symbols m1 cx1 … Iyz7 (`values`).
        gravity: "numeric", or "symbolic" for the symbol g, its magnitude [m/s²].

    Attributes:
        q: Joint positions [rad], symbols q1 … q7 as a column.
        qd: Joint velocities [rad/s], symbols qd1 … qd7.
        qdd: Joint accelerations [rad/s²], symbols qdd1 … qdd7.
        tau: Joint torques [N m], symbols tau1 … tau7; used by `cse("forward_dynamics")` only.

    Raises:
        MissingExtraError: If SymPy is not installed.
        UnknownNameError: If `inertials` or `gravity` is neither of the two.
        ModelError: If the arm has other joints.
    """

    def __init__(
        self, arm: ArmModel | ArmWithEffects, inertials: str = "numeric", gravity: str = "numeric"
    ) -> None:
        for kind, choice in (("inertials", inertials), ("gravity", gravity)):
            if choice not in CHOICES:
                raise UnknownNameError(kind, choice, CHOICES)
        self.model, effects = model_and_effects(arm)
        if self.model.dof != 7:
            raise ModelError(f"the closed form is for arms of 7 joints; this has {self.model.dof}")
        self._sympy = _import_sympy()
        self._symbolic_links = inertials == "symbolic"
        self._symbolic_gravity = gravity == "symbolic"
        self._effects = flat_numbers(effects)
        # Metres, so that expressions show the arm's own lengths.
        self._numbers = arm_parameters(self.model, length=1.0)
        self.q, self.qd, self.qdd, self.tau = (
            self._sympy.Matrix(self._joint_symbols(name)) for name in ("q", "qd", "qdd", "tau")
        )

    @cached_property
    def T_base_tip(self) -> SymbolicMatrix:
        """Tip pose in base, 4 by 4."""
        return self._matrix("fk")

    @cached_property
    def J(self) -> SymbolicMatrix:
        """Jacobian of the tip in base axes, linear rows first, 6 by 7."""
        return self._matrix("jacobian")

    @cached_property
    def M(self) -> SymbolicMatrix:
        """Inertia matrix [kg m²], 7 by 7."""
        return self._matrix("inertia")

    @cached_property
    def C(self) -> SymbolicMatrix:
        """Coriolis matrix of the Christoffel symbols [kg m²/s], 7 by 7."""
        return self._matrix("coriolis")

    @cached_property
    def G(self) -> SymbolicMatrix:
        """Gravity torques [N m], 7 by 1."""
        return self._matrix("gravity")

    @cached_property
    def inverse_dynamics(self) -> SymbolicMatrix:
        """Torques M qdd + C qd + G [N m], plus the joints' effects if any, 7 by 1."""
        return self._matrix("inverse_dynamics")

    @cached_property
    def values(self) -> dict[Scalar, float]:
        """The arm's numbers for the inertial symbols, and for g: `form.M.subs(...)`.

        Masses [kg], centres of mass [m] and inertias about them [kg m²], in DH frames (`baxterkit
        dh --inertials`); the last link includes tool and payload.
        """
        result = dict(
            zip(_tens(self._link_symbols), map(float, _tens(self._numbers.links)), strict=True)
        )
        result[self._sympy.Symbol("g")] = float(np.linalg.norm(self.model.gravity))
        return result

    def program(self, name: str) -> Program:
        """A quantity as a program: named inputs, shared subexpressions, an operation count.

        Inputs are the sines `s` and cosines `c` of q, the motion, and, if they are symbolic, the
        `inertials` (ten numbers per link, `INERTIAL_NAMES`) and `gravity`.

        Raises:
            UnknownNameError: If `name` is not one of `QUANTITIES`.
        """
        shape, summary = self._look_up(name)
        graph = Graph()
        inertials = [graph.symbol(f"inertials[{i}]") for i in range(70)]
        links = [_link(inertials[10 * i : 10 * i + 10]) for i in range(7)]
        equations = ArmEquations(
            arm_parameters(self.model),
            lambda item: list(graph.symbols(item, 7)),
            links if self._symbolic_links else self._numbers.links,
            self._gravity(graph.symbol("gravity[0]"), arm_parameters(self.model).chain.length),
            regrouped=True,
            effects=self._effect_scalars,
        )
        outputs = tuple(graph.lift(x) for x in getattr(equations, name)())
        symbols = (node for node in reachable(outputs) if node.kind == "symbol")
        used = {str(node.value).partition("[")[0] for node in symbols}
        inputs = tuple(item for item in _INPUTS if item.name in used)
        return Program(name, summary, inputs, outputs, shape)

    def cse(self, name: str) -> tuple[list[tuple[Scalar, Scalar]], SymbolicMatrix]:
        """A quantity with its common subexpressions named, as `sympy.cse` returns it.

        Returns:
            Pairs (symbol, expression) in the order of evaluation, and the matrix in terms of them.
        """
        walk = _SympyWalk(self.program(name), self)
        statements = list(walk.statements())
        rows, columns = (*self._look_up(name)[0], 1)[:2]
        return statements, self._sympy.Matrix(rows, columns, walk.outputs())

    def _matrix(self, name: str) -> SymbolicMatrix:
        rows, columns = (*self._look_up(name)[0], 1)[:2]
        ones = {self._sympy.Float(x): self._sympy.Integer(x) for x in (1, -1)}
        entries = [self._sympy.sympify(x) for x in getattr(self._equations, name)()]
        return self._sympy.Matrix(rows, columns, [_replaced(x, ones) for x in entries])

    @cached_property
    def _equations(self) -> ArmEquations:
        links = self._link_symbols if self._symbolic_links else self._numbers.links
        return ArmEquations(
            self._numbers,
            self.symbol_list,
            links,
            self._gravity(self._sympy.Symbol("g"), 1.0),
            regrouped=not self._symbolic_links,
            effects=self._effect_scalars,
            root=self._sympy.sqrt,
        )

    @property
    def _effect_scalars(self) -> EffectScalars | None:
        if self._effects is None:
            return None
        return EffectScalars.from_rows([whole(x) for x in self._effects])

    def symbol_list(self, name: str) -> list[Scalar]:
        """The expressions of a program's input: `s` is sin q1 … sin q7, `qd` is qd1 … qd7."""
        sp = self._sympy
        if name in ("s", "c"):
            function = sp.sin if name == "s" else sp.cos
            return [function(q) for q in self._joint_symbols("q")]
        if name == "inertials":
            return _tens(self._link_symbols)
        if name == "gravity":
            return [sp.Symbol("g")]
        return self._joint_symbols(name)

    def _joint_symbols(self, name: str) -> list[Scalar]:
        return [self._sympy.Symbol(f"{name}{i}") for i in range(1, 8)]

    @cached_property
    def _link_symbols(self) -> list[LinkInertial]:
        names = [[f"{name}{i}" for name in INERTIAL_NAMES] for i in range(1, 8)]
        return [_link([self._sympy.Symbol(x) for x in link]) for link in names]

    def _gravity(self, symbol: Scalar, length: float) -> list[Scalar]:
        """Gravity in frame 0 over the unit of length: numbers, or the symbol times a direction."""
        vector = self._numbers.gravity
        size = float(np.linalg.norm(vector))
        if not self._symbolic_gravity or size == 0.0:
            return [x / length for x in vector]
        return [whole(x / size) * (symbol if length == 1.0 else symbol / length) for x in vector]

    def _look_up(self, name: str) -> tuple[tuple[int, ...], str]:
        if name not in QUANTITIES:
            raise UnknownNameError("quantity", name, QUANTITIES)
        return QUANTITIES[name]


class _SympyWalk(Walk[Scalar]):
    """Walks into SymPy expressions; statements are x1, x2, ...."""

    def __init__(self, program: Program, form: ClosedForm) -> None:
        super().__init__(program, longest=4)
        self._sympy = form._sympy
        self._inputs = {item.name: form.symbol_list(item.name) for item in program.inputs}

    def number(self, value: float) -> Scalar:
        return self._sympy.sympify(whole(value))

    def symbol(self, name: str, index: int) -> Scalar:
        return self._inputs[name][index]

    def temporary(self, number: int) -> Scalar:
        return self._sympy.Symbol(f"x{number}")

    def negative(self, arg: Scalar) -> Scalar:
        return -arg

    def operation(self, node: Expr, args: Sequence[Scalar]) -> Scalar:
        if node.kind == "sqrt":
            return self._sympy.sqrt(args[0])
        return ARITHMETIC[node.kind](*args)


_INPUTS = (
    Input("s", 7, "sines of the joint angles"),
    Input("c", 7, "cosines of the joint angles"),
    Input("qd", 7, "joint velocities [rad/s]"),
    Input("qdd", 7, "joint accelerations [rad/s²]"),
    Input("tau", 7, "joint torques [N m]"),
    Input("inertials", 70, "ten inertial parameters of each link, in its DH frame", parameter=True),
    Input("gravity", 1, "magnitude of gravity [m/s²]", parameter=True),
)


def _import_sympy() -> Scalar:
    try:
        import sympy
    except ImportError as error:
        raise MissingExtraError("The closed form", "SymPy", "symbolic") from error
    return sympy


def _replaced(expression: Scalar, known: dict[Scalar, Scalar]) -> Scalar:
    """As `xreplace`, but each subexpression is visited once: they are shared, many times over.

    Args:
        expression: The expression.
        known: Expression -> what takes its place; keeps what was found, for the next call.
    """
    if expression not in known:
        args = tuple(_replaced(arg, known) for arg in expression.args)
        same = all(new is old for new, old in zip(args, expression.args, strict=True))
        known[expression] = expression if same else expression.func(*args)
    return known[expression]


def _link(ten: Sequence[Scalar]) -> LinkInertial:
    return LinkInertial(ten[0], ten[1:4], ten[4:])


def _tens(links: Sequence[LinkInertial]) -> list[Scalar]:
    return [x for link in links for x in (link.mass, *link.com, *link.inertia)]
