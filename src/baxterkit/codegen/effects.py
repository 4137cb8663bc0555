"""Programs of the arm with its joint effects: springs, friction and bias.

The effects are one more input, `effects`, a parameter like base parameters and gravity. With
springs of k terms it has 4 + 2 k rows of seven numbers.
"""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator

from baxterkit.codegen.inputs import COSINES, RATES, SINES, TORQUES
from baxterkit.equations.joint_effects import ROWS, Effects, EffectScalars
from baxterkit.symbolic.fold import bind
from baxterkit.symbolic.graph import Expr, Graph
from baxterkit.symbolic.program import Input, Program

EFFECTS = "effects"

CARRIERS = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")
"""The quantities that `Arm` computes with effects; all others are of the rigid arm."""

DOF = 7


def with_effects(program: Program, terms: int) -> Program:
    """A program of `CARRIERS` with the effects of the joints in it.

    Args:
        program: The program of the rigid arm.
        terms: Number of terms of the springs.
    """
    item = effects_input(terms)
    graph = Graph()
    s, c, qd = (graph.symbols(part.name, DOF) for part in (SINES, COSINES, RATES))
    scalars = EffectScalars.from_rows(graph.symbols(item.name, item.size))
    if program.name == "forward_dynamics":
        added = scalars.torques(s, c, qd, Expr.sqrt)
        given = graph.symbols(TORQUES.name, DOF)
        rest = [tau - x for tau, x in zip(given, added, strict=True)]
        outputs = bind(program, {TORQUES.name: rest}, graph).outputs
    else:
        outputs = bind(program, {}, graph).outputs
        if program.name == "inverse_dynamics":
            added = scalars.torques(s, c, qd, Expr.sqrt)
        else:
            added = [x for part in scalars.slopes(s, c, qd, Expr.sqrt) for x in _diagonal(part)]
        outputs = tuple(graph.lift(x + y) for x, y in zip(outputs, added, strict=True))
    return dataclasses.replace(program, inputs=(*program.inputs, item), outputs=outputs)


def effects_input(terms: int) -> Input:
    """The input that holds the effects, for springs of `terms` terms."""
    size = DOF * (len(ROWS) + 2 * terms)
    return Input(
        EFFECTS, size, "springs, friction and bias of the joints, rows of 7", parameter=True
    )


def effect_notes(effects: Effects, *, rows: bool) -> Iterator[str]:
    """Header lines on the effects.

    Args:
        effects: The joint effects.
        rows: Whether to list the order of the numbers, for effects that stay an argument.
    """
    yield "Effects e of a joint: bias + springs + viscous qd + coulomb qd / sqrt(qd² + speed²)."
    if effects.hysteresis is not None:
        yield "Friction of a joint with a memory (hysteresis) is not in: the friction above stands."
    if rows:
        names = "bias [N m], viscous [N m s/rad], coulomb [N m], speed [rad/s]"
        terms = effects.spring_sin.shape[1]
        multiples = ["q", *(f"{k} q" for k in range(2, terms + 1))][:terms]
        springs = [f"{wave}({angle})" for wave in ("sin", "cos") for angle in multiples]
        if springs:
            names += f", springs [N m] {', '.join(springs)}"
        yield from textwrap.wrap(f"Rows of effects: {names}.", 96)


def _diagonal(values: list[Expr]) -> list[Expr | float]:
    return [value if i == k else 0.0 for i, value in enumerate(values) for k in range(DOF)]
