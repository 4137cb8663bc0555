"""A valid call of every declared method of the extension, made from its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from baxterkit import Baxter, _native
from baxterkit.kernels.extension import FUNCTIONS, TYPES
from baxterkit.kernels.seam import Field, Flag, Instance, Integer, Method, Numbers, Real

LENGTHS = {"n": 3, "m": 2}


@cache
def objects() -> dict[str, Any]:
    """An object of each type."""
    robot = Baxter()
    solver = robot.left._inverse.native
    assert solver is not None
    checker = robot.scene().checker.native
    return {
        "ArmKernels": robot.left._kernels,
        "IkSolver": solver._native,
        "BodyChecker": checker,
    }


def axis(value: int | str) -> int:
    """An axis of a declared shape as a number."""
    if isinstance(value, int):
        return value
    letter, more = re.match(r"([a-z])([+-]\d)?\??$", value).groups()  # type: ignore[union-attr]
    return LENGTHS[letter] + int(more or 0)


def valid(argument: Field) -> Any:
    """A value that the extension accepts for an argument."""
    match argument:
        case Numbers(name="T" | "Ts"):
            T = Baxter().left.fk(np.full(7, 0.3))
            return np.broadcast_to(T, tuple(map(axis, argument.shape))).copy()
        case Numbers(name="limits"):
            return np.stack([np.full(14, -1.0), np.full(14, 1.0)])
        case Numbers():
            return np.zeros(tuple(map(axis, argument.shape)), dtype=argument.scalar)
        case Real():
            return 0.25
        case Integer():
            return max(argument.low, 1)
        case Flag():
            return True
        case Instance():
            return objects()[argument.type]
        case _:
            return {"objective": "quick", "name": _native.isa()}[argument.name]


@dataclass
class Call:
    """A method of an object, or a function of the module."""

    owner: Any
    method: Method

    @property
    def name(self) -> str:
        """With its type."""
        owner = "" if self.owner is _native else f"{type(self.owner).__name__}."
        return f"{owner}{self.method.name}"

    @cached_property
    def function(self) -> Any:
        """What is called."""
        return getattr(self.owner, self.method.name)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Valid ones."""
        return {argument.name: valid(argument) for argument in self.method.arguments}

    def run(self) -> Any:
        """With valid arguments, by position where that is allowed."""
        if self.method.by_name:
            return self.by_name()
        return self.function(*self.arguments.values())

    def by_name(self) -> Any:
        """With valid arguments by name, the last one first."""
        return self.function(**dict(reversed(list(self.arguments.items()))))

    def refused(self, place: int, value: Any) -> Any:
        """With another value in one place."""
        changed = {self.method.arguments[place].name: value} if self.method.arguments else {}
        return self.function(**{**self.arguments, **changed})


def extension_calls() -> Iterator[Call]:
    """Every method that the generated code reads the arguments of."""
    for kind in TYPES:
        for method in kind.methods if not kind.by_hand else ():
            yield Call(objects()[kind.name], method)
    for method in FUNCTIONS:
        if method.name not in ("step_twins", "set_threads"):
            yield Call(_native, method)
