"""`Solid`: the one type of simple bodies, of which tools, payloads and obstacles are made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from baxterkit.errors import ModelError, UnknownNameError
from baxterkit.model.parts import Frozen
from baxterkit.types import Transform, frozen

SOLIDS = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2}
"""Kinds of solids and how many sizes each has."""


@dataclass(frozen=True, eq=False)
class Solid(Frozen):
    """A box, sphere, capsule or cylinder.

    Attributes:
        kind: A name of `SOLIDS`.
        size: Of a box its sides, of a sphere the radius, of a capsule and a cylinder height and
            radius [m]; a capsule's height is without its caps.
        T: Pose of its middle in the frame that it moves with, shape (4, 4); of capsules and
            cylinders the axis is z.
    """

    kind: str
    size: tuple[float, ...]
    T: Transform

    def __post_init__(self) -> None:
        if self.kind not in SOLIDS:
            raise UnknownNameError("solid", self.kind, SOLIDS)
        size = tuple(float(x) for x in self.size)
        if len(size) != SOLIDS[self.kind] or not all(0.0 < x < np.inf for x in size):
            raise ModelError(
                f"a {self.kind} has {SOLIDS[self.kind]} sizes above zero [m], got {list(size)}"
            )
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "T", frozen(np.asarray(self.T, dtype=np.float64)))

    def at(self, T_new_old: Transform) -> Self:
        """The same solid in another frame."""
        return replace(self, T=T_new_old @ self.T)
